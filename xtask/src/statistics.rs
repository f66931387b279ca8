//! The statistics beside `SciPy`, statsmodels and scikit-learn, in an environment of their own under `target`.

use std::process::Command;

use crate::install::Venv;
use crate::process::{cargo, counted, project_root, succeed, target_folder};
use crate::say;

/// Compares on generated data sets. Returns the number of passed and failed comparisons; both are 0 if the packages cannot be installed.
pub(crate) fn check() -> Result<(usize, usize), String> {
    let root = project_root()?;
    let reference = root.join("crates/rightcall-stats/reference");
    let pins = reference.join("requirements.txt");
    let python = match Venv::with(&root.join("target/statistics"), &pins, &[]) {
        Ok(venv) => venv.python,
        Err(why) => {
            say(&format!(
                "skipped: the packages cannot be installed here\n{why}"
            ));
            return Ok((0, 0));
        }
    };
    // Of the whole workspace, whose dependencies are compiled already.
    let build = "build --quiet --workspace --example calculate";
    succeed(cargo().args(build.split(' ')).current_dir(&root))?;
    let calculate = target_folder(&root).join("debug/examples/calculate");
    let mut check = Command::new(&python);
    counted(check.arg(reference.join("check.py")).arg(calculate))
}
