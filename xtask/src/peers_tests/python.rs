//! Tests that pytest runs.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde::Deserialize;

use super::{Outcome, Outcomes, some};
use crate::files::copy_folder;
use crate::install::Venv;
use crate::python;

/// The tests of a Python package.
#[derive(Debug)]
pub(super) struct Suite {
    /// What pip installs beside them, below `xtask/peers_tests`.
    pub(super) requirements: &'static str,
    /// The package's module; those below it are meant too.
    pub(super) theirs: &'static str,
    /// The files of tests, below.
    pub(super) files: &'static [&'static str],
}

impl Suite {
    /// What comes out of the tests as they are, and with their imports changed.
    pub(super) fn run(
        &self,
        root: &Path,
        tests: &Path,
        folder: &Path,
        ours: &str,
    ) -> Result<(Outcomes, Outcomes), String> {
        let scripts = root.join("xtask/peers_tests");
        let requirements = scripts.join(self.requirements);
        let home = root
            .join(".peers/tests")
            .join(self.requirements.trim_end_matches(".txt"));
        let interpreter = Venv::with(&home, &requirements, &[])?.python;
        python::install_beside(&interpreter, "dev")?;
        let run = |module: &str| {
            // pytest takes the folder for a package where the tests are one, so no module may have its name.
            let copy = folder.join("peer_tests");
            _ = fs::remove_dir_all(&copy);
            copy_folder(tests, &copy)?;
            let mut command = Command::new(&interpreter);
            command
                .arg(scripts.join("run.py"))
                .arg(&copy)
                .args([module, self.theirs])
                .args(self.files);
            outcomes(&mut command)
        };
        Ok((run("")?, run(ours)?))
    }
}

/// A line of what a script says came out.
#[derive(Deserialize)]
struct TestLine {
    test: String,
    outcome: String,
}

/// What a script says came out.
pub(super) fn outcomes(command: &mut Command) -> Result<Outcomes, String> {
    // Packages report their use and load tracing unless told otherwise, and some ask for a key that no test of theirs uses.
    let output = command
        .envs([
            ("DEEPEVAL_TELEMETRY_OPT_OUT", "YES"),
            ("LANGSMITH_TRACING", "false"),
            ("LANGSMITH_TEST_TRACKING", "false"),
            ("UIPATH_TELEMETRY_ENABLED", "false"),
            ("OPENAI_API_KEY", "none"),
            ("PYTHONDONTWRITEBYTECODE", "1"),
            // Tests that were written before it read traces at once.
            ("MLFLOW_ENABLE_ASYNC_TRACE_LOGGING", "false"),
        ])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .map_err(|error| format!("python: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut outcomes = Outcomes::new();
    for line in text.lines() {
        let said: TestLine =
            serde_json::from_str(line).map_err(|error| format!("{line}: {error}"))?;
        outcomes.insert(said.test, Outcome::of(&said.outcome));
    }
    some(outcomes)
}
