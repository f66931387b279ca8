//! Tests pages in a real browser, with hostile names and arguments.
//!
//! The browser and its driver are installed in `target/browser`, at the versions of `xtask/browser/package-lock.json`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::files::{copy, entries, name};
use crate::install::npm_packages;
use crate::process::{built, counted, project_root};

/// Runs the tests of the viewer and the HTML report. Returns the number of passed and failed tests.
pub(crate) fn run() -> Result<(usize, usize), String> {
    let root = project_root()?;
    let (examples, screenshots) = (
        root.join("examples"),
        root.join("target/browser/screenshots"),
    );
    drive(&root, "test.mjs", &[built(&root)?, examples, screenshots])
}

/// Runs a script of `xtask/browser`. Returns the number of passed and failed tests.
pub(crate) fn drive(
    root: &Path,
    script: &str,
    arguments: &[impl AsRef<OsStr>],
) -> Result<(usize, usize), String> {
    let (scripts, folder) = (root.join("xtask/browser"), root.join("target/browser"));
    npm_packages(&scripts, &folder, &["--ignore-scripts"]).map_err(|error| {
        format!("the browser cannot be installed (npm must be there, and a registry): {error}")
    })?;
    // Node resolves modules relative to the script, so copy the scripts next to `node_modules`.
    let is_script = |file: &&PathBuf| file.extension().is_some_and(|it| it == "mjs");
    for script in entries(&scripts)?.iter().filter(is_script) {
        copy(script, &folder.join(name(script)))?;
    }
    let mut tests = Command::new("node");
    counted(tests.arg(script).args(arguments).current_dir(&folder))
}
