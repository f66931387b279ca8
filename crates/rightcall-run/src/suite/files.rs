//! Finds the files that a suite names.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use rightcall_formats::yaml::YamlNode;
use rightcall_formats::{is_object, objects_like};

use super::fault::{Checked, SuiteError, each};

/// The files for a path, a glob, or a list of them.
pub(super) fn files_of(node: &YamlNode, directory: &Path) -> Checked<Vec<PathBuf>> {
    if node.text().is_some() {
        return files_of_one(node, directory);
    }
    let files = each(node.items(), |node| files_of_one(node, directory))?;
    Ok(files.into_iter().flatten().collect())
}

fn files_of_one(node: &YamlNode, directory: &Path) -> Checked<Vec<PathBuf>> {
    let pattern = node.text().unwrap_or_default();
    files_like(pattern, directory).map_err(|error| SuiteError {
        line: Some(node.line),
        help: (error.help)
            .or_else(|| is_glob(pattern).then(|| "paths are relative to the suite".to_owned())),
        ..error
    })
}

/// The file of a path, the files that a glob matches, or the objects of an address, sorted. Paths are relative to the folder.
///
/// # Errors
///
/// No file matches the glob, or the text is not a valid glob. The error has no line.
pub fn files_like(pattern: &str, directory: &Path) -> Result<Vec<PathBuf>, SuiteError> {
    if is_object(Path::new(pattern)) {
        return objects_like(pattern).map_err(|error| SuiteError {
            help: error.help.as_deref().map(str::to_owned),
            ..SuiteError::of_file(error.to_string())
        });
    }
    if !is_glob(pattern) {
        return Ok(vec![directory.join(pattern)]);
    }
    let full_pattern = if Path::new(pattern).is_absolute() || directory.as_os_str().is_empty() {
        pattern.to_owned()
    } else {
        format!(
            "{}/{pattern}",
            glob::Pattern::escape(&directory.to_string_lossy())
        )
    };
    let mut files = Vec::new();
    for path in glob_matches(&full_pattern, pattern)? {
        match fs::metadata(&path) {
            Ok(metadata) if metadata.is_dir() => {}
            // Pipes and devices must be named directly.
            Ok(metadata) if !metadata.is_file() => {
                let message = format!(
                    "`{pattern}` matches {}, which is a pipe or a device",
                    path.display()
                );
                return Err(SuiteError::of_file(message)
                    .help("name it directly, or let the glob match files only"));
            }
            // A broken link is reported when the file is read.
            _ => files.push(path),
        }
    }
    if files.is_empty() {
        return Err(SuiteError::of_file(format!("no file matches `{pattern}`")));
    }
    Ok(files)
}

/// True for a path with a character of globs.
pub fn is_glob(path: &str) -> bool {
    path.contains(['*', '?', '['])
}

/// The matches of a glob, sorted. Expands `**` here, because the glob crate follows links in
/// cycles.
fn glob_matches(glob: &str, pattern: &str) -> Checked<Vec<PathBuf>> {
    let not_a_glob = |error: glob::PatternError| {
        let help = "* stands for any part of a name, ** for any folders, ? for a character";
        SuiteError::of_file(format!("`{pattern}` is no glob: {}", error.msg)).help(help)
    };
    let matches = |glob: &str| -> Checked<Vec<PathBuf>> {
        let paths = glob::glob(glob).map_err(not_a_glob)?;
        paths
            .collect::<Result<_, _>>()
            .map_err(|error| SuiteError::of_file(error.to_string()))
    };
    glob::Pattern::new(glob).map_err(not_a_glob)?;
    let mut folders = BTreeSet::from([PathBuf::new()]);
    let mut part: Vec<&str> = Vec::new();
    let within = |folders: BTreeSet<PathBuf>, part: &[&str]| -> Checked<BTreeSet<PathBuf>> {
        let mut paths = BTreeSet::new();
        // A glob that starts with `/**` has an empty first part: the root.
        let part = if part == [""] {
            "/".to_owned()
        } else {
            part.join("/")
        };
        for folder in folders {
            let is_here = folder.as_os_str().is_empty();
            // The name of a folder may contain glob characters.
            let folder = glob::Pattern::escape(&folder.to_string_lossy());
            paths.extend(matches(&if is_here {
                part.clone()
            } else {
                format!("{folder}/{part}")
            })?);
        }
        Ok(paths)
    };
    for component in glob.split('/') {
        if component != "**" {
            part.push(component);
            continue;
        }
        if !part.is_empty() {
            folders = within(folders, &part)?;
            part.clear();
        }
        folders = folders_in(folders);
    }
    if part.is_empty() {
        Ok(Vec::new())
    } else {
        Ok(within(folders, &part)?.into_iter().collect())
    }
}

/// These folders and all their subfolders, each once, even if several links lead to it.
fn folders_in(folders: BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
    let here = |folder: &Path| {
        if folder.as_os_str().is_empty() {
            PathBuf::from(".")
        } else {
            folder.to_owned()
        }
    };
    let mut all = BTreeSet::new();
    let mut known = BTreeSet::new();
    let mut open: Vec<PathBuf> = folders.into_iter().collect();
    let mut links = Vec::new();
    // Visit real folders before links, so a folder keeps its own name.
    while let Some(folder) = open.pop().or_else(|| links.pop()) {
        let Some(real) = fs::canonicalize(here(&folder))
            .ok()
            .filter(|real| real.is_dir())
        else {
            continue;
        };
        if !known.insert(real) {
            continue;
        }
        for entry in fs::read_dir(here(&folder)).into_iter().flatten().flatten() {
            let path = folder.join(entry.file_name());
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => open.push(path),
                Ok(kind) if kind.is_symlink() && path.is_dir() => links.push(path),
                _ => {}
            }
        }
        // Take the first link by name first.
        links.sort_by(|one: &PathBuf, other| other.cmp(one));
        all.insert(folder);
    }
    all
}

#[cfg(test)]
mod tests {
    use rightcall_formats::yaml::Yaml;

    use super::*;

    fn matched(directory: &Path, pattern: &str) -> Result<Vec<String>, String> {
        let node = YamlNode {
            line: 1,
            value: Yaml::Text(pattern.to_owned()),
        };
        let relative = |path: &PathBuf| path.strip_prefix(directory).unwrap().display().to_string();
        files_of(&node, directory)
            .map(|files| files.iter().map(relative).collect())
            .map_err(|fault| fault.message)
    }

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in [
            "a/b/c/one.jsonl",
            "a/two.jsonl",
            "three.jsonl",
            "z/four.jsonl",
            "z/five.txt",
            "a/b/z/six.jsonl",
        ] {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        folder
    }

    #[test]
    fn nested_folders_are_walked_in_order() {
        let folder = folder();
        let all = [
            "a/b/c/one.jsonl",
            "a/b/z/six.jsonl",
            "a/two.jsonl",
            "three.jsonl",
            "z/four.jsonl",
        ];
        assert_eq!(matched(folder.path(), "**/*.jsonl").unwrap(), all);
        assert_eq!(matched(folder.path(), "a/**/*.jsonl").unwrap(), all[..3]);
        assert_eq!(
            matched(folder.path(), "**/b/**/**/[o-s]*.jsonl").unwrap(),
            all[..2]
        );
        assert_eq!(
            matched(folder.path(), "**/z/*").unwrap(),
            ["a/b/z/six.jsonl", "z/five.txt", "z/four.jsonl"]
        );
        assert_eq!(
            matched(folder.path(), "*/*.jsonl").unwrap(),
            ["a/two.jsonl", "z/four.jsonl"]
        );
        assert!(
            matched(folder.path(), "**/no")
                .unwrap_err()
                .contains("no file matches")
        );
        assert!(
            matched(folder.path(), "a**/x")
                .unwrap_err()
                .contains("is no glob")
        );
    }

    #[cfg(unix)]
    #[test]
    fn each_link_is_followed_once() {
        let folder = folder();
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("seven.jsonl"), "").unwrap();
        // Links in a cycle, two for each folder: more than 2^40 paths.
        for (name, target) in [
            ("a/up", folder.path()),
            ("a/round", folder.path()),
            ("a/b/up", folder.path()),
            ("out", outside.path()),
        ] {
            std::os::unix::fs::symlink(target, folder.path().join(name)).unwrap();
        }
        let all = [
            "a/b/c/one.jsonl",
            "a/b/z/six.jsonl",
            "a/two.jsonl",
            "out/seven.jsonl",
            "three.jsonl",
            "z/four.jsonl",
        ];
        assert_eq!(matched(folder.path(), "**/*.jsonl").unwrap(), all);
    }
}
