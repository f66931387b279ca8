//! What `action.yml` runs, as a step of GitHub Actions would run it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::readme::root;

fn step(script: &str, temp: &Path, variables: &[(&str, &str)]) -> Output {
    let path = format!("{}:{}", temp.join("rightcall/bin").display(), std::env::var("PATH").unwrap());
    Command::new("bash")
        .arg(root().join("xtask/action").join(script))
        .current_dir(root())
        .env("PATH", path)
        .env("RUNNER_TEMP", temp)
        .env("GITHUB_PATH", temp.join("path"))
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_STEP_SUMMARY", temp.join("summary.md"))
        .envs(variables.iter().copied())
        .output()
        .unwrap()
}

/// An archive as `cargo xtask dist` makes one, and its SHA-256.
fn archive(temp: &Path) -> (String, String) {
    let folder = temp.join("rightcall-0.0.0");
    fs::create_dir(&folder).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_rightcall"), folder.join("rightcall")).unwrap();
    let tar = Command::new("tar").args(["czf", "archive.tar.gz", "rightcall-0.0.0"]).current_dir(temp).status().unwrap();
    assert!(tar.success());
    let archive = temp.join("archive.tar.gz").display().to_string();
    let sum = Command::new("sha256sum").arg(&archive).output().unwrap().stdout;
    (archive, String::from_utf8(sum).unwrap().split(' ').next().unwrap().to_owned())
}

#[test]
fn the_action_installs_runs_summarises_and_annotates() {
    let place = tempfile::tempdir().unwrap();
    let temp = place.path();
    let (archive, sum) = archive(temp);

    let refused = step("install.sh", temp, &[("ARCHIVE", &archive), ("CHECKSUM", &sum.replace(&sum[..1], "z"))]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stdout).contains("has another SHA-256"));
    assert!(!temp.join("rightcall/bin/rightcall").exists());

    let installed = step("install.sh", temp, &[("ARCHIVE", &archive), ("CHECKSUM", &sum)]);
    assert!(installed.status.success(), "{}", String::from_utf8_lossy(&installed.stderr));
    assert!(fs::read_to_string(temp.join("path")).unwrap().ends_with("rightcall/bin\n"));

    fs::write(temp.join("summary.md"), "what came before\n").unwrap();
    let report = format!("junit={}", temp.join("results.xml").display());
    let variables =
        [("SUITE", "examples/support-agent/strict.yaml"), ("REPORTS", report.as_str()), ("ARGUMENTS", "--no-history -k refund")];
    let ran = step("run.sh", temp, &variables);
    let said = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(1), "{said}");
    let summary = fs::read_to_string(temp.join("summary.md")).unwrap();
    assert!(summary.starts_with("what came before\n## ❌ rightcall: `examples/support-agent/strict.yaml`\n"), "{summary}");
    assert!(said.contains("::error title=gate missed::"), "{said}");
    assert!(said.contains("::warning file=examples/support-agent/cases.jsonl,line="), "{said}");
    assert!(fs::read_to_string(temp.join("results.xml")).unwrap().contains("<testsuite name=\"gates\""));
}
