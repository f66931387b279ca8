//! The npm package beside the published ones: hostile values through its drop-ins and the originals, and its scorers in the runners
//! of others. All live in one project, which brings its Node along.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::install::{copy, make_folder, npm_packages};
use crate::node::{copy_folder, counted, npm, pack};
use crate::process::{failure, output};
use crate::say;

/// The Node of the project: some runners take no earlier one.
pub(crate) const NODE: &str = "node_modules/node/bin/node";

/// The folder of the project, in which the package is installed as it is packed.
fn installed(package: &Path, home: &Path, tarball: &Path) -> Result<PathBuf, String> {
    let folder = home.join("peers");
    npm_packages(&package.join("tests/projects/peers"), &folder, &[])?;
    let tarball = tarball.to_string_lossy();
    let install = [
        "install",
        "--no-save",
        "--no-package-lock",
        "--prefer-offline",
        &tarball,
    ];
    npm(&folder, &install)?;
    Ok(folder)
}

/// The folder of the project, with the package as it is now.
pub(crate) fn project(root: &Path) -> Result<PathBuf, String> {
    let (package, home) = (root.join("bindings/node"), root.join("target/node"));
    make_folder(&home)?;
    installed(&package, &home, &pack(&package, &home)?)
}

/// Runs the tests beside the published packages; what passed and failed.
pub(crate) fn test(package: &Path, home: &Path, tarball: &Path) -> Result<(usize, usize), String> {
    say("-- peers");
    run(package, &installed(package, home, tarball)?, &[])
}

/// Runs all tests in the project, or those of the files whose names hold one of these texts.
fn run(package: &Path, folder: &Path, which: &[&str]) -> Result<(usize, usize), String> {
    let tests = package.join("tests");
    for part in ["src", "peers"] {
        _ = fs::remove_dir_all(folder.join(part));
        copy_folder(&tests.join(part), &folder.join(part))?;
    }
    copy(
        &tests.join("vitest.peers.config.ts"),
        &folder.join("vitest.config.ts"),
    )?;
    let results = folder.join("results.json");
    _ = fs::remove_file(&results);
    let mut command = Command::new(folder.join(NODE));
    command
        .args(
            "node_modules/vitest/vitest.mjs run --reporter=json --outputFile=results.json"
                .split(' '),
        )
        .args(which)
        .env("NO_COLOR", "1")
        .current_dir(folder);
    let ran = output(&mut command)?;
    let text = fs::read_to_string(&results).map_err(|_| failure(&command, &ran))?;
    let results: Value =
        serde_json::from_str(&text).map_err(|error| format!("results.json: {error}"))?;
    let (passed, failed) = counted(&results);
    say(&format!("{passed} passed, {failed} failed"));
    // A file that cannot be loaded has no test that fails.
    Ok((
        passed,
        failed.max(usize::from(!ran.status.success() || passed == 0)),
    ))
}

/// Compares the drop-ins with the originals on values of all kinds; true if nothing differs.
pub(crate) fn crosscheck(root: &Path) -> Result<bool, String> {
    let (_, failed) = run(&root.join("bindings/node"), &project(root)?, &["hostile"])?;
    Ok(failed == 0)
}
