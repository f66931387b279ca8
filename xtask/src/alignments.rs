//! Optimal alignments and learned expectations next to two independent programs: the crate `process_mining` in a separate workspace, and
//! pm4py in a separate environment. Neither is part of a release.

use std::path::Path;
use std::process::Command;

use crate::install::Venv;
use crate::process::{built, cargo, counted, succeed};

/// Builds the crate's program, and installs the package.
pub(crate) fn prepare(root: &Path) -> Result<Venv, String> {
    let folder = root.join("xtask/alignments");
    let mut build = cargo();
    build
        .args("build --quiet --release --locked --target-dir".split(' '))
        .arg(root.join("target/alignments"));
    succeed(build.current_dir(&folder))?;
    let requirements = folder.join("requirements.txt");
    Venv::with(
        &root.join(".peers/alignments"),
        &requirements,
        &["--no-deps"],
    )
}

/// Compares ours with theirs. Returns the number of passed and failed comparisons.
pub(crate) fn check(root: &Path) -> Result<(usize, usize), String> {
    let mut check = Command::new(prepare(root)?.python);
    check.arg(root.join("xtask/alignments/check.py"));
    check.arg(built(root)?);
    counted(check.arg(root.join("target/alignments/release/alignments")))
}
