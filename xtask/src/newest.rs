//! Checks whether the followed packages have newer releases, and whether our scores still agree.
//!
//! `docs/metrics.md` lists the followed releases. A newer one is installed into a separate environment under `.peers/newest`, with its
//! dependencies as the pins of the followed one have them. It is then compared like the pinned one in `cargo xtask crosscheck`.

use std::path::{Path, PathBuf};
use std::process::Command;

use semver::Version;
use serde_json::{Value, json};

use crate::count::Count;
use crate::crosscheck::{self, Originals, Program};
use crate::files::{make_folder, read, write};
use crate::install::{Venv, npm};
use crate::peers::{Crosscheck, NPM_PINS, PACKAGES, Package};
use crate::process::{printed, project_root};
use crate::say;

/// The page with the followed releases: `` `NAME` VERSION `` in a table cell.
const METRICS: &str = include_str!("../../docs/metrics.md");

/// Reports for each package (or only the named ones) whether there is a newer release, and compares new releases. True if all could be
/// installed and none differs.
pub(crate) fn run(names: &[String], pairs: &[String]) -> Result<bool, String> {
    let root = project_root()?;
    let arguments: Vec<_> = pairs
        .iter()
        .flat_map(|file| ["--pairs".to_owned(), file.clone()])
        .collect();
    let files = crosscheck::pairs_files(&arguments, &root)?;
    if let Some(unknown) = names.iter().find(|name| find(name).is_none()) {
        let all: Vec<_> = PACKAGES.iter().map(|it| it.name).collect();
        return Err(format!(
            "no package `{unknown}` is followed; there are {}",
            all.join(", ")
        ));
    }
    let asked = |package: &&Package| names.is_empty() || names.iter().any(|it| it == package.name);
    let mut count = Count::default();
    for package in PACKAGES.iter().filter(asked) {
        let counted = package
            .newer()
            .and_then(|newer| match (newer, package.crosscheck) {
                (None, _) => Ok((1, 0)),
                (Some(_), None) => {
                    say("no crosscheck compares it: see its rows in docs/metrics.md");
                    Ok((1, 0))
                }
                (Some(newer), Some(compared)) => {
                    let home = root.join(".peers/newest").join(compared.system);
                    let counted = package.compare(&newer, compared, &root, &home, &files)?;
                    Ok((counted.passed, counted.failed))
                }
            });
        count.check_all(package.name, counted);
    }
    Ok(count.close())
}

fn find(name: &str) -> Option<&'static Package> {
    PACKAGES.iter().find(|package| package.name == name)
}

impl Package {
    /// The followed release.
    fn release(&self) -> Result<Version, String> {
        let mark = format!("`{}` ", self.name);
        let mut cells = METRICS
            .split('|')
            .filter_map(|cell| cell.trim().strip_prefix(&mark));
        let release = cells.find_map(version);
        release.ok_or_else(|| format!("docs/metrics.md names no release of `{}`", self.name))
    }

    /// The newest release, if it is newer than the followed one. Prints the result.
    fn newer(&self) -> Result<Option<Version>, String> {
        let followed = self.release()?;
        let released = match self.crosscheck {
            Some(it) if it.pins == NPM_PINS => released_on_npm(self.name)?,
            _ => released_on_pypi(self.name)?,
        };
        let newest = newest(&followed, released);
        say(&match &newest {
            Some(newest) => format!("{} {followed}: {newest} is newer", self.name),
            None => format!("{} {followed}: the newest", self.name),
        });
        Ok(newest)
    }

    /// Installs a release and compares our scores with its scores.
    fn compare(
        &self,
        release: &Version,
        compared: Crosscheck,
        root: &Path,
        home: &Path,
        files: &[PathBuf],
    ) -> Result<Count, String> {
        let pins = read(&compared.pins_file(root))?;
        make_folder(home)?;
        let venv;
        let program = if compared.pins == NPM_PINS {
            write(
                &home.join(NPM_PINS),
                package_json(&pins, self.name, release)?,
            )?;
            npm(home, &["install", "--ignore-scripts"])?;
            Program::Node(home)
        } else {
            let requirements = home.join(compared.pins);
            write(&requirements, with_release(&pins, self.name, release)?)?;
            venv = Venv::with(&home.join("python"), &requirements, &["--no-deps"])?;
            Program::Python(&venv.python, crosscheck::script(compared.pins))
        };
        let systems = vec![compared.system];
        let originals = Originals { program, systems };
        crosscheck::check(root, home, &[originals], files)
    }
}

/// The newest release after this one. Pre-releases count only if the followed release is one.
fn newest(followed: &Version, released: Vec<Version>) -> Option<Version> {
    let counts = |it: &Version| it.pre.is_empty() || !followed.pre.is_empty();
    let newest = released.into_iter().filter(counts).max()?;
    (newest > *followed).then_some(newest)
}

/// Parses a version of two or three numbers. `None` for other formats, such as Python's pre-releases.
fn version(text: &str) -> Option<Version> {
    let text = text.trim();
    Version::parse(text)
        .or_else(|_| Version::parse(&format!("{text}.0")))
        .ok()
}

fn released_on_pypi(name: &str) -> Result<Vec<Version>, String> {
    let python = if cfg!(windows) { "python" } else { "python3" };
    let mut pip = Command::new(python);
    pip.args([
        "-m",
        "pip",
        "--disable-pip-version-check",
        "index",
        "versions",
    ]);
    let said = printed(pip.arg(name))?;
    let mut lines = said.lines();
    let all = lines.find_map(|line| line.strip_prefix("Available versions:"));
    let all = all.ok_or_else(|| format!("pip names no versions of {name}:\n{said}"))?;
    Ok(all.split(',').filter_map(version).collect())
}

fn released_on_npm(name: &str) -> Result<Vec<Version>, String> {
    let mut npm = Command::new("npm");
    let said = printed(npm.args(["view", name, "versions", "--json"]))?;
    let all: Value = serde_json::from_str(&said).map_err(|error| format!("npm: {error}"))?;
    let one = std::slice::from_ref(&all);
    let all = all.as_array().map_or(one, Vec::as_slice);
    Ok(all
        .iter()
        .filter_map(Value::as_str)
        .filter_map(version)
        .collect())
}

/// The pins with another release of one package.
fn with_release(pins: &str, package: &str, release: &Version) -> Result<String, String> {
    let mark = format!("{package}==");
    if !pins.lines().any(|line| line.starts_with(&mark)) {
        return Err(format!("the pins do not name {package}"));
    }
    let line = |line: &str| match line.strip_prefix(&mark) {
        Some(_) => format!("{mark}{release}\n"),
        None => format!("{line}\n"),
    };
    Ok(pins.lines().map(line).collect())
}

/// A project that depends on a release of one package; npm adds its peer dependencies.
fn package_json(pins: &str, package: &str, release: &Version) -> Result<String, String> {
    let pins: Value = serde_json::from_str(pins).map_err(|error| error.to_string())?;
    let project = json!({
        "private": true,
        "dependencies": {package: release.to_string()},
        "overrides": pins["overrides"],
    });
    Ok(project.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The packages with releases in the tables of docs/metrics.md.
    fn in_the_tables() -> Vec<&'static str> {
        let cells = METRICS.split('|').map(str::trim);
        let named = cells.filter_map(|cell| cell.strip_prefix('`')?.split_once("` "));
        let mut names: Vec<_> = named
            .filter(|(_, release)| version(release).is_some())
            .map(|(name, _)| name)
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    #[test]
    fn each_package_of_the_tables_is_followed() {
        let mut followed: Vec<_> = PACKAGES.iter().map(|it| it.name).collect();
        followed.sort_unstable();
        assert_eq!(followed, in_the_tables());
    }

    #[test]
    fn the_release_in_the_tables_is_the_pinned_one() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        for package in &PACKAGES {
            let release = package.release().unwrap().to_string();
            let Some(compared) = package.crosscheck else {
                continue;
            };
            let pins = read(&compared.pins_file(root)).unwrap();
            let pinned = if compared.pins == NPM_PINS {
                let npm: Value = serde_json::from_str(&pins).unwrap();
                npm["dependencies"][package.name]
                    .as_str()
                    .map(str::to_owned)
            } else {
                let mark = format!("{}==", package.name);
                let mut pins = pins.lines().filter_map(|line| line.strip_prefix(&mark));
                pins.next().map(str::to_owned)
            };
            assert_eq!(pinned.as_deref(), Some(&*release), "{}", package.name);
        }
    }

    #[test]
    fn a_newer_release_is_no_pre_release_unless_one_is_followed() {
        let newer = |followed: &str, released: &[&str]| {
            let released = released.iter().copied().filter_map(version).collect();
            let newest = newest(&version(followed).unwrap(), released);
            newest.map(|it| it.to_string())
        };
        assert_eq!(newer("1.10.2", &["1.9.0", "1.10.2"]), None);
        assert_eq!(
            newer("1.10.2", &["1.9.0", "1.11.0-beta.1", "1.10.10"]).as_deref(),
            Some("1.10.10")
        );
        assert_eq!(
            newer("1.0.0-beta.9", &["0.19.0", "1.0.0-beta.16", "1.0.0-beta.9"]).as_deref(),
            Some("1.0.0-beta.16")
        );
        assert_eq!(
            newer("2.1.0", &["2.2", "3.0.0rc1"]).as_deref(),
            Some("2.2.0")
        );
    }

    #[test]
    fn pins_are_those_of_the_others() {
        let release = version("2.0.0").unwrap();
        assert_eq!(
            with_release("# Packages\nb==1.0\nb-c==1.0\n", "b", &release).unwrap(),
            "# Packages\nb==2.0.0\nb-c==1.0\n"
        );
        assert!(with_release("b==1.0\n", "c", &release).is_err());
        assert_eq!(
            package_json(
                r#"{"dependencies":{"c":"1.0.0"},"overrides":{"d":"1"}}"#,
                "b",
                &release
            )
            .unwrap(),
            r#"{"dependencies":{"b":"2.0.0"},"overrides":{"d":"1"},"private":true}"#
        );
    }
}
