//! The npm package next to the published ones: hostile values in its drop-ins and the originals, and its scorers in other test runners. All
//! are installed in one project, which has its own Node.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::files::{copy, copy_folder, make_folder};
use crate::install::npm_packages;
use crate::install::{install_tarball, pack};
use crate::{say, vitest};

/// The project's Node: some runners require a recent one.
pub(crate) const NODE: &str = "node_modules/node/bin/node";

/// Installs the packed package into the project, and returns the project's folder.
fn installed(package: &Path, home: &Path, tarball: &Path) -> Result<PathBuf, String> {
    let folder = home.join("peers");
    npm_packages(&package.join("tests/projects/peers"), &folder, &[])?;
    install_tarball(&folder, tarball)?;
    Ok(folder)
}

/// The project's folder, with the current package installed.
pub(crate) fn project(root: &Path) -> Result<PathBuf, String> {
    let (package, home) = (root.join("bindings/node"), root.join("target/node"));
    make_folder(&home)?;
    installed(&package, &home, &pack(&package, &home)?)
}

/// Runs the tests against the published packages. Returns the number of passed and failed tests.
pub(crate) fn test(package: &Path, home: &Path, tarball: &Path) -> Result<(usize, usize), String> {
    say("-- peers");
    run(package, &installed(package, home, tarball)?, &[])
}

/// Runs all tests in the project, or only files with one of these texts in their name.
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
    vitest::counted(&mut Command::new(folder.join(NODE)), folder, which)
}

/// Compares the drop-ins with the originals on all kinds of values. Returns the number of passed and failed tests.
pub(crate) fn crosscheck(root: &Path) -> Result<(usize, usize), String> {
    run(&root.join("bindings/node"), &project(root)?, &["hostile"])
}
