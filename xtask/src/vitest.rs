//! Runs tests with vitest and parses the results.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use crate::files::read_json;
use crate::process::{failure, output};
use crate::say;

/// vitest's JSON results.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Results {
    num_passed_tests: usize,
    num_failed_tests: usize,
    #[serde(rename = "testResults")]
    pub(crate) files: Vec<FileResults>,
}

/// A test file. It has no tests if it cannot be loaded.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FileResults {
    pub(crate) name: String,
    #[serde(default)]
    message: String,
    #[serde(default)]
    pub(crate) assertion_results: Vec<TestResult>,
}

/// A test.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TestResult {
    pub(crate) full_name: String,
    pub(crate) status: String,
    #[serde(default)]
    failure_messages: Vec<String>,
}

/// Runs the tests of a folder with a project's vitest, or only files with one of these texts in their name. Returns the results,
/// and whether vitest succeeded.
pub(crate) fn results(
    node: &mut Command,
    project: &Path,
    folder: &Path,
    which: &[impl AsRef<OsStr>],
) -> Result<(Results, bool), String> {
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

/// Runs the tests of a project, reports failures with their reasons, and counts all tests.
pub(crate) fn counted(
    node: &mut Command,
    project: &Path,
    which: &[&str],
) -> Result<(usize, usize), String> {
    let (results, succeeded) = results(node, project, project, which)?;
    for file in &results.files {
        if file.assertion_results.is_empty() {
            say(&format!("{}: {}", file.name, file.message));
        }
        let failed = file.assertion_results.iter();
        for test in failed.filter(|test| test.status == "failed") {
            let messages = test.failure_messages.join("\n");
            say(&format!("failed: {}\n{messages}", test.full_name));
        }
    }
    let (passed, failed) = (results.num_passed_tests, results.num_failed_tests);
    say(&format!("{passed} passed, {failed} failed"));
    // A file that cannot be loaded has no failed test, so count it as a failure.
    Ok((passed, failed.max(usize::from(!succeeded || passed == 0))))
}
