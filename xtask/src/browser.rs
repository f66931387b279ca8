//! The viewer and the HTML report in a real browser, with hostile names and arguments.
//!
//! The browser and what drives it are installed in `target/browser`, at the versions of `xtask/browser/package-lock.json`.

use std::process::Command;

use crate::install::{copy, npm_packages};
use crate::process::{built, counted, project_root};

/// Runs the tests: how many passed and how many failed.
pub(crate) fn run() -> Result<(usize, usize), String> {
    let root = project_root()?;
    let (pins, folder) = (root.join("xtask/browser"), root.join("target/browser"));
    npm_packages(&pins, &folder, &["--ignore-scripts"]).map_err(|error| {
        format!("the browser cannot be installed (npm must be there, and a registry): {error}")
    })?;
    // Modules are looked for beside the script.
    copy(&pins.join("test.mjs"), &folder.join("test.mjs"))?;
    let mut tests = Command::new("node");
    tests
        .arg("test.mjs")
        .arg(built(&root)?)
        .arg(root.join("examples"))
        .arg(folder.join("screenshots"));
    counted(tests.current_dir(&folder))
}
