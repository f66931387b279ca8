//! What the README and the pages in `docs` show is what a reader gets.
//!
//! A console block holds commands, each behind `$ rightcall `, with the output below it. The commands of a page run in one
//! directory, with the project's `examples` and `docs` in it. A block that names a file in its first line, `# cases.jsonl`, holds
//! that file: it is written before the commands below it run, over what it was before. `UPDATE_DOCS=1 cargo test -p rightcall-cli` writes what the commands print into the pages.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use tempfile::TempDir;

use crate::STILL;

const BEGIN: &str = "```console\n";

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .unwrap()
}

/// The Markdown files of a folder and of those in it.
pub(crate) fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(pages(&path));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// A place in which commands run. A run remembers its failures in its folder, which should not be the project's.
pub(crate) fn place() -> TempDir {
    let place = tempfile::tempdir().unwrap();
    for folder in ["examples", "docs"] {
        symlink(root().join(folder), place.path().join(folder)).unwrap();
    }
    place
}

/// Writes the files that a part of a page shows.
pub(crate) fn write_files(page: &str, place: &Path) {
    for block in page.split("```").skip(1).step_by(2) {
        let Some((head, text)) = block
            .split_once('\n')
            .and_then(|(_, rest)| rest.split_once('\n'))
        else {
            continue;
        };
        if let Some(name) = head
            .strip_prefix("# ")
            .filter(|name| !name.contains(' ') && name.contains('.'))
        {
            let path = place.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }
}

/// Held by whoever may write pages.
pub(crate) static PAGES: Mutex<()> = Mutex::new(());

/// What a command prints: results, then messages.
fn printed(command: &str, place: &Path) -> String {
    let output = Command::new("sh")
        .args(["-c", &format!("\"$RIGHTCALL\" {command}")])
        .env("RIGHTCALL", env!("CARGO_BIN_EXE_rightcall"))
        .envs(STILL)
        .current_dir(place)
        .output()
        .unwrap();
    let mut printed = String::from_utf8(output.stdout).unwrap();
    printed.push_str(&String::from_utf8_lossy(&output.stderr));
    printed.trim_end().to_owned()
}

/// The page with what its commands print now, and the number of commands.
fn current(page: &str) -> (String, usize) {
    let place = place();
    let mut commands = 0;
    let mut parts = page.split(BEGIN);
    let mut current = parts.next().unwrap_or_default().to_owned();
    write_files(&current, place.path());
    for part in parts {
        let (block, rest) = part.split_once("```").unwrap();
        current.push_str(BEGIN);
        for run in block.split("$ rightcall ").skip(1) {
            let command = run.split('\n').next().unwrap_or_default();
            commands += 1;
            _ = write!(
                current,
                "$ rightcall {command}\n{}\n\n",
                printed(command, place.path())
            );
        }
        current.truncate(current.trim_end().len());
        _ = write!(current, "\n```{rest}");
        write_files(rest, place.path());
    }
    (current, commands)
}

#[test]
fn the_commands_of_readme_and_docs_print_what_they_show() {
    let mut commands = 0;
    for path in pages(&root().join("docs"))
        .into_iter()
        .chain([root().join("README.md")])
    {
        let _held = PAGES.lock().unwrap_or_else(PoisonError::into_inner);
        let shown = fs::read_to_string(&path).unwrap();
        let (current, number) = current(&shown);
        commands += number;
        if std::env::var_os("UPDATE_DOCS").is_some() {
            fs::write(&path, &current).unwrap();
        } else {
            assert_eq!(
                shown,
                current,
                "{} is not current: UPDATE_DOCS=1 cargo test -p rightcall-cli",
                path.display()
            );
        }
    }
    assert!(commands >= 3, "{commands}");
}
