//! Tests that vitest runs, and what it says came out.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::files::read_json;
use crate::process::{failure, output};
use crate::say;

/// Runs the tests of a folder, or those of the files whose names hold one of these texts, by the vitest of a project; gives its results,
/// and whether it succeeded.
pub(crate) fn results(
    node: &mut Command,
    project: &Path,
    folder: &Path,
    which: &[&str],
) -> Result<(Value, bool), String> {
    let results = folder.join("results.json");
    _ = fs::remove_file(&results);
    node.arg(project.join("node_modules/vitest/vitest.mjs"))
        .args(["run", "--reporter=json", "--outputFile=results.json"])
        .args(which)
        .env("NO_COLOR", "1")
        .current_dir(folder);
    let ran = output(node)?;
    if results.exists() {
        Ok((read_json(&results)?, ran.status.success()))
    } else {
        Err(failure(node, &ran))
    }
}

/// Runs the tests of a project, tells which failed and why, and counts all.
pub(crate) fn counted(
    node: &mut Command,
    project: &Path,
    which: &[&str],
) -> Result<(usize, usize), String> {
    let (results, succeeded) = results(node, project, project, which)?;
    let list = |value: &Value, key: &str| value[key].as_array().cloned().unwrap_or_default();
    for file in list(&results, "testResults") {
        let tests = list(&file, "assertionResults");
        if tests.is_empty() {
            say(&format!(
                "{}: {}",
                file["name"],
                file["message"].as_str().unwrap_or_default()
            ));
        }
        for test in tests.iter().filter(|test| test["status"] == "failed") {
            let messages: Vec<String> = list(test, "failureMessages")
                .iter()
                .filter_map(|it| it.as_str().map(str::to_owned))
                .collect();
            say(&format!(
                "failed: {}\n{}",
                test["fullName"],
                messages.join("\n")
            ));
        }
    }
    let number = |key: &str| {
        results[key]
            .as_u64()
            .and_then(|it| usize::try_from(it).ok())
            .unwrap_or(0)
    };
    let (passed, failed) = (number("numPassedTests"), number("numFailedTests"));
    say(&format!("{passed} passed, {failed} failed"));
    // A file that cannot be loaded has no test that fails.
    Ok((passed, failed.max(usize::from(!succeeded || passed == 0))))
}
