//! The statistics beside `SciPy` and statsmodels, in an environment of their own under `target`.

use std::process::Command;

use crate::install::python_packages;
use crate::process::{cargo, output, project_root, succeed};
use crate::say;

/// What the check came to.
pub(crate) enum Checked {
    /// So many comparisons held, and so many did not.
    Compared(usize, usize),
    /// The packages cannot be installed here, and why.
    Skipped(String),
}

/// Compares on generated data sets.
pub(crate) fn check() -> Result<Checked, String> {
    let root = project_root()?;
    let reference = root.join("crates/rightcall-stats/reference");
    let python = match python_packages(
        &reference.join("requirements.txt"),
        &root.join("target/statistics"),
    ) {
        Ok(python) => python,
        Err(why) => return Ok(Checked::Skipped(why)),
    };
    succeed(
        cargo()
            .args("build --quiet --package rightcall-stats --example calculate".split(' '))
            .current_dir(&root),
    )?;
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), Into::into);
    let calculate = target.join("debug/examples/calculate");
    let said = output(
        Command::new(&python)
            .arg(reference.join("check.py"))
            .arg(calculate),
    )?;
    let text = String::from_utf8_lossy(&said.stdout);
    text.lines().for_each(say);
    let count = |word: &str| {
        text.lines()
            .last()?
            .split(", ")
            .find_map(|part| part.strip_suffix(word)?.trim().parse().ok())
    };
    match (count("passed"), count("failed")) {
        (Some(passed), Some(failed)) => Ok(Checked::Compared(passed, failed)),
        _ => Err(format!(
            "check.py: {}",
            String::from_utf8_lossy(&said.stderr).trim_end()
        )),
    }
}
