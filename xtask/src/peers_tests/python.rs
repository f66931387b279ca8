//! Tests that run with pytest.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde::Deserialize;

use super::{Outcome, Outcomes, some};
use crate::files::copy_folder;
use crate::peers::apart;
use crate::python;

/// The tests of a Python package.
#[derive(Debug)]
pub(super) struct Suite {
    /// The requirements for pip, below `xtask/peers_tests`.
    pub(super) requirements: &'static str,
    /// The package's module; submodules are included.
    pub(super) theirs: &'static str,
    /// The test files, below the root.
    pub(super) files: &'static [&'static str],
}

impl Suite {
    /// The outcomes of the tests unchanged and with changed imports.
    pub(super) fn run(
        &self,
        root: &Path,
        tests: &Path,
        folder: &Path,
        ours: &str,
    ) -> Result<(Outcomes, Outcomes), String> {
        let scripts = root.join("xtask/peers_tests");
        let interpreter = apart(root, self.requirements)?.python;
        python::install_beside(&interpreter, "dev")?;
        let run = |module: &str| {
            // If the tests are a package, pytest uses the folder's name as the package name, so it must not be the name of a module.
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

/// One outcome in a script's output.
#[derive(Deserialize)]
struct TestLine {
    test: String,
    outcome: String,
}

/// Parses the outcomes in a script's output.
pub(super) fn outcomes(command: &mut Command) -> Result<Outcomes, String> {
    // Packages send telemetry and load tracing unless it is disabled, and some require a key that none of these tests uses.
    let output = command
        .envs([
            ("DEEPEVAL_TELEMETRY_OPT_OUT", "YES"),
            ("LANGSMITH_TRACING", "false"),
            ("LANGSMITH_TEST_TRACKING", "false"),
            ("UIPATH_TELEMETRY_ENABLED", "false"),
            ("OPENAI_API_KEY", "none"),
            ("PYTHONDONTWRITEBYTECODE", "1"),
            // Older tests read traces immediately, so disable asynchronous logging.
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
