//! Runs the tests of other packages with pytest or vitest.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::{Difference, Outcome, Peer};
use crate::conformance::judge;
use crate::files::{copy, copy_folder, make_folder, read, write};
use crate::node_peers::{NODE, project};
use crate::peers::{self, NPM_PINS};
use crate::process::succeed;
use crate::{python, vitest};

/// The word of pytest or vitest for the outcome of each test.
type TestOutcomes = BTreeMap<String, String>;

/// Settings of packages. They send telemetry and load tracing unless it is disabled, and some require a key that none of these tests uses.
const QUIET: [(&str, &str); 7] = [
    ("DEEPEVAL_TELEMETRY_OPT_OUT", "YES"),
    ("LANGSMITH_TRACING", "false"),
    ("LANGSMITH_TEST_TRACKING", "false"),
    ("UIPATH_TELEMETRY_ENABLED", "false"),
    ("OPENAI_API_KEY", "none"),
    ("PYTHONDONTWRITEBYTECODE", "1"),
    // Older tests read traces immediately, so disable asynchronous logging.
    ("MLFLOW_ENABLE_ASYNC_TRACE_LOGGING", "false"),
];

impl Peer {
    /// The outcomes of the tests with our module in place of the package's.
    pub(super) fn with_drop_in(
        &self,
        root: &Path,
        checkout: &Path,
        module: &str,
    ) -> Result<Vec<(String, Outcome)>, String> {
        let tests = self.roots.iter().map(|root| checkout.join(root));
        let tests = tests.into_iter().find(|folder| folder.is_dir());
        let tests = tests.ok_or_else(|| {
            let (checkout, roots) = (checkout.display(), self.roots.join(" or "));
            format!("{checkout}: expected {roots}")
        })?;
        let [original, ours] = if self.pins == NPM_PINS {
            vitest_with_imports(root, &tests, module)?
        } else {
            self.pytest_with_imports(root, &tests, module)?
        };
        let outcomes = ours.into_iter().map(|(test, word)| {
            let outcome = match word.as_str() {
                "passed" => Outcome::Passed,
                word if is_skipped(word) => Outcome::Skipped(word.to_owned()),
                _ => {
                    let in_package = original.get(&test);
                    let is_theirs = in_package.is_some_and(|it| it != "passed" && !is_skipped(it));
                    let ours = Difference::Ours(word);
                    Outcome::Failed(if is_theirs { Difference::Package } else { ours })
                }
            };
            (test, outcome)
        });
        Ok(outcomes.collect())
    }

    fn pytest_with_imports(
        &self,
        root: &Path,
        tests: &Path,
        module: &str,
    ) -> Result<[TestOutcomes; 2], String> {
        let interpreter = peers::python(root, &self.pins)?.python;
        python::install_beside(&interpreter, "dev")?;
        // If the tests are a package, pytest uses the folder's name as the package name, so it must not be the name of a module.
        let copy = root
            .join("target/peers-tests")
            .join(&self.name)
            .join("peer_tests");
        let run = |module: &str| {
            _ = fs::remove_dir_all(&copy);
            copy_folder(tests, &copy)?;
            let mut command = Command::new(&interpreter);
            command
                .arg(root.join("xtask/peers_tests/run.py"))
                .arg(&copy);
            pytest(command.args([module, &self.theirs]).args(&self.arguments))
        };
        Ok([run("")?, run(module)?])
    }

    /// Runs the tests unchanged, and judges each call that they make of the metrics. Also returns the number of tests that ran. Even if a
    /// test fails, the recorded result of the metric is valid.
    pub(super) fn calls(
        &self,
        root: &Path,
        checkout: &Path,
    ) -> Result<(usize, Vec<(String, Outcome)>), String> {
        let folder = root.join("target/peers-tests");
        make_folder(&folder)?;
        let calls = folder.join(format!("{}.jsonl", self.name));
        _ = fs::remove_file(&calls);
        let scripts = root.join("xtask/peers_tests");
        let tests = if self.pins == NPM_PINS {
            self.vitest_with_recorder(&peers::node(root)?, &scripts, checkout, &calls)?
        } else {
            let venv = peers::python(root, &self.pins)?;
            if self.pins == "more-requirements.txt" {
                venv.add(&scripts.join("recorded.txt"), &["--no-deps"])?;
            }
            let mut command = Command::new(&venv.python);
            command.arg(scripts.join("record.py")).arg(&calls);
            command.arg(&self.name).args(&self.arguments);
            pytest(command.current_dir(checkout))?
        };
        let ran = tests.values().filter(|word| !is_skipped(word)).count();
        let outcomes = read(&calls)?
            .lines()
            .map(outcome_of_call)
            .collect::<Result<_, _>>()?;
        Ok((ran, outcomes))
    }

    fn vitest_with_recorder(
        &self,
        modules: &Path,
        scripts: &Path,
        checkout: &Path,
        calls: &Path,
    ) -> Result<TestOutcomes, String> {
        let config = "export { recording as default } from \"./record.mjs\";\n";
        let folder = vitest_folder(modules, config, |folder| {
            for file in ["record.mjs", "watch.mjs"] {
                copy(&scripts.join(file), &folder.join(file))?;
            }
            let mut roots = self.roots.iter();
            roots.try_for_each(|root| copy_folder(&checkout.join(root), &folder.join(root)))
        })?;
        let mut node = Command::new("node");
        node.env("RECORDED_CALLS", calls);
        run_vitest(node, modules, &folder, &self.arguments)
    }
}

fn is_skipped(word: &str) -> bool {
    ["skipped", "pending", "todo", "disabled"].contains(&word)
}

/// Judges a recorded call.
fn outcome_of_call(line: &str) -> Result<(String, Outcome), String> {
    let call: Value = serde_json::from_str(line).map_err(|error| format!("{line}: {error}"))?;
    let outcome = match call["not_comparable"].as_str() {
        Some(reason) => Outcome::Skipped(reason.to_owned()),
        None => match judge(line) {
            Ok(_) => Outcome::Passed,
            Err(differences) => Outcome::Failed(Difference::Ours(differences.join("; "))),
        },
    };
    Ok((call["id"].as_str().unwrap_or_default().to_owned(), outcome))
}

/// An error if no test ran.
fn non_empty(words: TestOutcomes) -> Result<TestOutcomes, String> {
    if words.is_empty() {
        return Err("no test ran".to_owned());
    }
    Ok(words)
}

/// Parses the outcomes in the output of `run.py` or `record.py`.
fn pytest(command: &mut Command) -> Result<TestOutcomes, String> {
    command
        .envs(QUIET)
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    let output = command
        .output()
        .map_err(|error| format!("python: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let word = |line: &str| {
        let row: Value = serde_json::from_str(line).map_err(|error| format!("{line}: {error}"))?;
        let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        Ok((text("test"), text("outcome")))
    };
    non_empty(text.lines().map(word).collect::<Result<_, String>>()?)
}

/// A folder for tests inside a project, so that Node finds its packages. Without its own settings, vitest would use the project's.
fn vitest_folder(
    project: &Path,
    config: &str,
    fill: impl FnOnce(&Path) -> Result<(), String>,
) -> Result<PathBuf, String> {
    let folder = project.join("peer-tests");
    _ = fs::remove_dir_all(&folder);
    make_folder(&folder)?;
    fill(&folder)?;
    let types = r#"{"compilerOptions": {"target": "es2022", "module": "nodenext"}}"#;
    write(&folder.join("tsconfig.json"), types)?;
    write(&folder.join("vitest.config.mjs"), config)?;
    Ok(folder)
}

/// The outcomes of the tests unchanged, and with changed imports.
fn vitest_with_imports(
    root: &Path,
    tests: &Path,
    module: &str,
) -> Result<[TestOutcomes; 2], String> {
    let project = project(root)?;
    let config = "export default { test: { testTimeout: 60_000 } };\n";
    let run = |changes_imports: bool| {
        let folder = vitest_folder(&project, config, |folder| {
            copy_folder(&tests.join("src"), &folder.join("src"))
        })?;
        let node = || Command::new(project.join(NODE));
        if changes_imports {
            let mut change = node();
            change.arg(root.join("xtask/peers_tests/imports.mjs"));
            succeed(change.args([&project, &folder]).arg(module))?;
        }
        run_vitest(node(), &project, &folder, &[])
    };
    Ok([run(false)?, run(true)?])
}

/// The outcomes of some test files, or of all below a folder, run with the project's vitest.
fn run_vitest(
    mut node: Command,
    project: &Path,
    folder: &Path,
    files: &[String],
) -> Result<TestOutcomes, String> {
    let (results, _) = vitest::results(node.envs(QUIET), project, folder, files)?;
    let mut words = TestOutcomes::new();
    for file in results.files {
        let name = file.name.rsplit('/').next().unwrap_or_default();
        if file.assertion_results.is_empty() {
            words.insert(name.to_owned(), "failed".to_owned());
        }
        for test in file.assertion_results {
            // LangSmith adds a new number to the test name in each run.
            let full = test.full_name.split(", test_id=").next();
            let full = full.unwrap_or_default();
            words.insert(format!("{name}::{full}"), test.status);
        }
    }
    non_empty(words)
}
