//! The npm package beside the published ones: hostile values through its drop-ins and the originals, and its scorers in the runners
//! of others. All live in one project, which brings its Node along.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::files::{copy, copy_folder, make_folder};
use crate::install::npm_packages;
use crate::install::{install_tarball, pack};
use crate::{say, vitest};

/// The Node of the project: some runners take no earlier one.
pub(crate) const NODE: &str = "node_modules/node/bin/node";

/// The folder of the project, in which the package is installed as it is packed.
fn installed(package: &Path, home: &Path, tarball: &Path) -> Result<PathBuf, String> {
    let folder = home.join("peers");
    npm_packages(&package.join("tests/projects/peers"), &folder, &[])?;
    install_tarball(&folder, tarball)?;
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
    vitest::counted(&mut Command::new(folder.join(NODE)), folder, which)
}

/// Compares the drop-ins with the originals on values of all kinds; true if nothing differs.
pub(crate) fn crosscheck(root: &Path) -> Result<bool, String> {
    let (_, failed) = run(&root.join("bindings/node"), &project(root)?, &["hostile"])?;
    Ok(failed == 0)
}
