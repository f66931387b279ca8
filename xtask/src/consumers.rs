//! Checks that common programs can read the reports: `junitparser`, a JSON Schema validator, `pyarrow`, `DuckDB`.
//!
//! They are installed in `target/consumers`, at the versions of `xtask/consumers/requirements.txt`.

use std::process::Command;

use crate::install::Venv;
use crate::process::{built, counted, project_root};

/// Runs the checks. Returns the number of passed and failed checks.
pub(crate) fn run() -> Result<(usize, usize), String> {
    let root = project_root()?;
    let pins = root.join("xtask/consumers");
    let (venv, requirements) = (root.join("target/consumers"), pins.join("requirements.txt"));
    let venv = Venv::with(&venv, &requirements, &[]).map_err(|error| {
        format!(
            "readers of reports cannot be installed (Python must be there, and a registry): {error}"
        )
    })?;
    counted(
        Command::new(venv.python)
            .arg(pins.join("check.py"))
            .arg(built(&root)?)
            .arg(root.join("examples")),
    )
}
