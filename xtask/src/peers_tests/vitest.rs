//! Tests that run with vitest, in the project with the published packages and ours.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{Outcome, Outcomes, some};
use crate::files::{copy as copy_file, copy_folder, write};
use crate::node_peers::{NODE, project};
use crate::process::succeed;
use crate::vitest;

/// Settings next to the tests. Without them, vitest would use those of the project or of a package that is missing.
const SETTINGS: [(&str, &str); 2] = [
    (
        "tsconfig.json",
        "{\"compilerOptions\": {\"target\": \"es2022\", \"module\": \"nodenext\"}}\n",
    ),
    (
        "vitest.config.mjs",
        "export default { test: { testTimeout: 60_000 } };\n",
    ),
];

/// The outcomes of the tests unchanged and with changed imports.
pub(super) fn run(root: &Path, tests: &Path, ours: &str) -> Result<(Outcomes, Outcomes), String> {
    let sources = tests.join("src");
    let project = project(root)?;
    // Inside the project, so that Node finds its packages.
    let copy = project.join("peer-tests");
    let run = |changes_imports: bool| {
        _ = fs::remove_dir_all(&copy);
        copy_folder(&sources, &copy.join("src"))?;
        for (file, text) in SETTINGS {
            write(&copy.join(file), text)?;
        }
        if changes_imports {
            let mut change = Command::new(project.join(NODE));
            change
                .arg(root.join("xtask/peers_tests/imports.mjs"))
                .args([&project, &copy])
                .arg(ours);
            succeed(&mut change)?;
        }
        outcomes(Command::new(project.join(NODE)), &project, &[], &copy)
    };
    Ok((run(false)?, run(true)?))
}

/// The outcomes of some test files, or of all below a folder, run with the project's vitest.
fn outcomes(
    mut node: Command,
    project: &Path,
    files: &[&str],
    copy: &Path,
) -> Result<Outcomes, String> {
    node.envs([
        ("LANGSMITH_TRACING", "false"),
        ("LANGSMITH_TEST_TRACKING", "false"),
    ]);
    let (results, _) = vitest::results(&mut node, project, copy, files)?;
    let mut outcomes = Outcomes::new();
    for file in results.files {
        let name = file.name.rsplit('/').next().unwrap_or_default();
        if file.assertion_results.is_empty() {
            outcomes.insert(name.to_owned(), Outcome::Failed);
        }
        for test in file.assertion_results {
            // LangSmith adds a new number to the test name in each run.
            let full = test.full_name.split(", test_id=").next();
            let outcome = Outcome::of(&test.status);
            outcomes.insert(format!("{name}::{}", full.unwrap_or_default()), outcome);
        }
    }
    some(outcomes)
}

/// Runs test files unchanged while their metric calls are recorded; returns the outcome of each test.
pub(super) fn record(
    modules: &Path,
    scripts: &Path,
    checkout: &Path,
    roots: &[&str],
    files: &[&str],
    calls: &Path,
) -> Result<Outcomes, String> {
    let copy = modules.join("peer-tests");
    _ = fs::remove_dir_all(&copy);
    for root in roots {
        copy_folder(&checkout.join(root), &copy.join(root))?;
    }
    for file in ["record.mjs", "watch.mjs"] {
        copy_file(&scripts.join(file), &copy.join(file))?;
    }
    let config = "export { recording as default } from \"./record.mjs\";\n";
    for (file, text) in [SETTINGS[0], ("vitest.config.mjs", config)] {
        write(&copy.join(file), text)?;
    }
    let mut node = Command::new("node");
    node.env("RECORDED_CALLS", calls);
    outcomes(node, modules, files, &copy)
}
