//! Checks whether the packages in our tables have newer releases, and whether our scores still
//! match.
//!
//! `docs/metrics.md` lists the releases. A newer one is installed into a separate environment under
//! `.peers/newest`, with the pinned dependencies of the listed one. It is then compared like the
//! pinned one in `cargo xtask crosscheck`.

use std::path::{Path, PathBuf};
use std::process::Command;

use semver::Version;
use serde_json::{Value, json};

use crate::count::Count;
use crate::crosscheck::{self, Driver};
use crate::files::{make_folder, read, write};
use crate::install::{Venv, npm};
use crate::peers::{NPM_PINS, PACKAGES, Package, pins_folder};
use crate::process::{printed, project_root};
use crate::say;

/// The page with the listed releases: `` `NAME` VERSION `` in a table cell.
const METRICS: &str = include_str!("../../docs/metrics.md");

/// Reports newer releases of all packages, or of the named ones, and compares them. True if all
/// could be installed and none differs.
pub(crate) fn run(names: &[String], pairs: &[PathBuf]) -> Result<bool, String> {
    let root = project_root()?;
    let requested =
        |package: &&Package| names.is_empty() || names.iter().any(|it| it == package.name);
    let mut count = Count::default();
    for package in PACKAGES.iter().filter(requested) {
        let counted = package.check(&root, pairs);
        count.check_all(package.name, counted);
    }
    Ok(count.close())
}

impl Package {
    /// The listed release.
    fn release(&self) -> Result<Version, String> {
        let mark = format!("`{}` ", self.name);
        let mut cells = METRICS
            .split('|')
            .filter_map(|cell| cell.trim().strip_prefix(&mark));
        let release = cells.find_map(version);
        release.ok_or_else(|| format!("docs/metrics.md names no release of `{}`", self.name))
    }

    /// Looks for a newer release, and compares our scores with its scores.
    fn check(&self, root: &Path, pairs: &[PathBuf]) -> Result<(usize, usize), String> {
        let followed = self.release()?;
        let is_npm = self.crosscheck.is_some_and(|(_, pins)| pins == NPM_PINS);
        let Some(newest) = newest(&followed, released(self.name, is_npm)?) else {
            say(&format!("{} {followed}: the newest", self.name));
            return Ok((1, 0));
        };
        say(&format!("{} {followed}: {newest} is newer", self.name));
        let Some((system, file)) = self.crosscheck else {
            say("no crosscheck compares it: see its rows in docs/metrics.md");
            return Ok((1, 0));
        };
        let pins = read(&pins_folder(root).join(file))?;
        let home = root.join(".peers/newest").join(system);
        make_folder(&home)?;
        let place = if is_npm {
            let project = package_json(&pins, self.name, &newest)?;
            write(&home.join(NPM_PINS), project)?;
            npm(&home, &["install", "--ignore-scripts"])?;
            home.clone()
        } else {
            let requirements = home.join(file);
            write(&requirements, with_release(&pins, self.name, &newest)?)?;
            Venv::with(&home.join("python"), &requirements, &["--no-deps"])?.python
        };
        let driver = Driver::new(root, file, place, vec![system]);
        crosscheck::check(root, &home, &[driver], pairs)
    }
}

/// The newest release after this one. Pre-releases count only if the listed release is one.
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

/// All releases of a package in its registry.
fn released(name: &str, is_npm: bool) -> Result<Vec<Version>, String> {
    let output = if is_npm {
        printed(Command::new("npm").args(["view", name, "versions", "--json"]))?
    } else {
        let words = "-m pip --disable-pip-version-check index versions";
        let mut pip = Command::new("python3");
        let output = printed(pip.args(words.split(' ')).arg(name))?;
        let mut lines = output.lines();
        let all = lines.find_map(|line| line.strip_prefix("Available versions:"));
        all.ok_or_else(|| format!("pip names no versions of {name}:\n{output}"))?
            .to_owned()
    };
    let words = output.split([',', '[', ']', '"', '\n']);
    Ok(words.filter_map(version).collect())
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

    #[test]
    fn every_package_in_the_tables_is_checked() {
        let cells = METRICS.split('|').map(str::trim);
        let named = cells.filter_map(|cell| cell.strip_prefix('`')?.split_once("` "));
        let released = named.filter(|(_, release)| version(release).is_some());
        let mut names: Vec<_> = released.map(|(name, _)| name).collect();
        names.sort_unstable();
        names.dedup();
        let mut followed = PACKAGES.each_ref().map(|it| it.name);
        followed.sort_unstable();
        assert_eq!(followed, *names);
    }

    #[test]
    fn releases_in_the_tables_match_the_pins() {
        let root = project_root().unwrap();
        for package in &PACKAGES {
            let release = package.release().unwrap().to_string();
            let Some((_, file)) = package.crosscheck else {
                continue;
            };
            let pins = read(&pins_folder(&root).join(file)).unwrap();
            let pin = match file {
                NPM_PINS => format!("\"{}\": \"{release}\"", package.name),
                _ => format!("\n{}=={release}\n", package.name),
            };
            assert!(pins.contains(&pin), "{file}: expected {pin}");
        }
    }

    #[test]
    fn pre_releases_are_ignored_unless_one_is_pinned() {
        let newer = |followed: &str, released: &[&str]| {
            let released = released.iter().copied().filter_map(version).collect();
            let newest = newest(&version(followed).unwrap(), released);
            newest.map(|it| it.to_string())
        };
        assert_eq!(newer("1.10.2", &["1.9.0", "1.10.2"]), None);
        for (followed, released, wanted) in [
            (
                "1.10.2",
                &["1.9.0", "1.11.0-beta.1", "1.10.10"][..],
                "1.10.10",
            ),
            (
                "1.0.0-beta.9",
                &["0.19.0", "1.0.0-beta.16"],
                "1.0.0-beta.16",
            ),
            ("2.1.0", &["2.2", "3.0.0rc1"], "2.2.0"),
        ] {
            assert_eq!(newer(followed, released).as_deref(), Some(wanted));
        }
    }

    #[test]
    fn updating_a_pin_keeps_the_others() {
        let release = version("2.0.0").unwrap();
        assert_eq!(
            with_release("# Packages\nb==1.0\nb-c==1.0\n", "b", &release).unwrap(),
            "# Packages\nb==2.0.0\nb-c==1.0\n"
        );
        assert!(with_release("b==1.0\n", "c", &release).is_err());
        let pins = r#"{"dependencies":{"c":"1.0.0"},"overrides":{"d":"1"}}"#;
        assert_eq!(
            package_json(pins, "b", &release).unwrap(),
            r#"{"dependencies":{"b":"2.0.0"},"overrides":{"d":"1"},"private":true}"#
        );
    }
}
