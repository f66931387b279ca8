//! The GitLab jobs in `docs/ci.md`: they use only keys that GitLab knows, and their scripts do what the page says.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::Place;
use crate::readme::{blocks, root};

/// The job files on the page.
fn files() -> Vec<String> {
    let page = fs::read_to_string(root().join("docs/ci.md")).unwrap();
    let part = page.split("\n## GitLab\n").nth(1).unwrap();
    let part = part.split("\n## ").next().unwrap();
    blocks(part)
        .into_iter()
        .map(|block| block.text.to_owned())
        .collect()
}

/// The job `evals` of a file. To parse the YAML, it is read as a meta value of a case.
fn job(file: &str) -> Value {
    let place = Place::new().with("job.yaml", format!("expected: []\n{file}"));
    let case = place.check("convert job.yaml --quiet", &[], 0, &[]).stdout;
    let case: Value = serde_json::from_str(&case).unwrap();
    let job = case.pointer("/meta/evals").unwrap_or(&case["evals"]);
    job.clone()
}

/// Asserts that the object has only these keys.
#[track_caller]
fn has_only(value: &Value, known: &[&str]) {
    for key in value.as_object().unwrap().keys() {
        assert!(known.contains(&key.as_str()), "{key}: {value}");
    }
}

#[test]
fn job_files_use_only_keys_of_gitlab() {
    let files = files();
    assert_eq!(files.len(), 2);
    for file in files {
        let job = job(&file);
        has_only(
            &job,
            &["script", "artifacts", "cache", "rules", "variables"],
        );
        let script = job["script"].as_array().unwrap();
        assert!(!script.is_empty() && script.iter().all(Value::is_string));
        has_only(&job["artifacts"], &["when", "reports", "paths"]);
        has_only(&job["artifacts"]["reports"], &["junit"]);
        assert_eq!(job["artifacts"]["when"], "always");
        for cache in job["cache"].as_array().into_iter().flatten() {
            has_only(cache, &["key", "paths", "policy"]);
            // The policy variable has a value for each rule.
            let policy = cache["policy"].as_str().unwrap().trim_start_matches('$');
            assert_eq!(job["variables"][policy], "pull");
            assert_eq!(job["rules"][0]["variables"][policy], "pull-push");
        }
        for rule in job["rules"].as_array().into_iter().flatten() {
            has_only(rule, &["if", "variables"]);
        }
    }
}

/// Runs the script of a job like a GitLab runner: in one shell that stops at the first failing command.
fn run_script(script: &Value, work: &Path, bin: &Path, variables: &[(&str, &str)]) -> Output {
    let lines = script.as_array().unwrap().iter().map(Value::as_str);
    let lines = lines.collect::<Option<Vec<_>>>().unwrap().join("\n");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let elsewhere = ["GITHUB_HEAD_REF", "GITHUB_REF_NAME", "CI_MERGE_REQUEST_IID"];
    Command::new("bash")
        .args(["-c", &format!("set -eo pipefail\n{lines}")])
        .current_dir(work)
        .env("PATH", path)
        .env("GIT_CEILING_DIRECTORIES", work.parent().unwrap())
        .envs(elsewhere.map(|name| (name, "")))
        .envs(variables.iter().copied())
        .output()
        .unwrap()
}

/// A detached HEAD, as runners check it out.
fn checked_out(work: &Path) {
    let steps: [&[&str]; 3] = [
        &["init", "--quiet"],
        &["commit", "--quiet", "--allow-empty", "-m", "begin"],
        &["checkout", "--quiet", "--detach"],
    ];
    for words in steps {
        let done = Command::new("git")
            .args(["-c", "user.name=n", "-c", "user.email=e@x"])
            .args(words)
            .current_dir(work)
            .output();
        assert!(done.unwrap().status.success(), "{words:?}");
    }
}

#[test]
fn merge_request_reports_regressions_against_main() {
    let place = tempfile::tempdir().unwrap();
    let (work, bin) = (place.path().join("work"), place.path().join("bin"));
    fs::create_dir_all(work.join("evals")).unwrap();
    fs::create_dir(&bin).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_rightcall"), bin.join("rightcall")).unwrap();
    let curl = "#!/bin/sh\nprintf '%s\\n' \"$@\" > asked\n";
    fs::write(bin.join("curl"), curl).unwrap();
    fs::set_permissions(bin.join("curl"), fs::Permissions::from_mode(0o755)).unwrap();
    let suite = "cases: cases.jsonl\nevaluators: [{evaluator: trajectory, threshold: 1}]\n";
    fs::write(work.join("evals/suite.yaml"), suite).unwrap();
    let case = "{\"id\":\"a\",\"expected\":[\"find\"]}\n";
    fs::write(work.join("evals/cases.jsonl"), case).unwrap();
    checked_out(&work);
    let job = job(&files()[1]);
    let run = |call: &str, variables: &[(&str, &str)]| {
        let trace = format!(
            r#"{{"id":"a","messages":[{{"role":"assistant","tool_calls":[{{"id":"1","function":{{"name":"{call}","arguments":"{{}}"}}}}]}}]}}"#
        );
        let agent = work.join("agent.sh");
        fs::write(&agent, format!("#!/bin/sh\necho '{trace}'\n")).unwrap();
        fs::set_permissions(&agent, fs::Permissions::from_mode(0o755)).unwrap();
        let ran = run_script(&job["script"], &work, &bin, variables);
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        (ran.status.code(), said)
    };
    let (code, said) = run("find", &[("CI_COMMIT_REF_NAME", "main")]);
    assert_eq!(code, Some(0), "{said}");
    assert!(!work.join("asked").exists(), "there is no merge request");
    let request = [
        ("CI_MERGE_REQUEST_IID", "7"),
        ("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "better-prompt"),
        ("CI_API_V4_URL", "https://gitlab.example/api/v4"),
        ("CI_PROJECT_ID", "12"),
        ("EVALS_TOKEN", "secret"),
    ];
    let (code, said) = run("look", &request);
    assert_eq!(code, Some(1), "{said}");
    let asked = fs::read_to_string(work.join("asked")).unwrap();
    for word in [
        "PRIVATE-TOKEN: secret",
        "body@changes.md",
        "https://gitlab.example/api/v4/projects/12/merge_requests/7/notes",
    ] {
        assert!(asked.lines().any(|line| line == word), "{word}\n{asked}");
    }
    let told = fs::read_to_string(work.join("changes.md")).unwrap();
    assert!(told.contains("## 1 case worse than "), "{told}");
    let junit = fs::read_to_string(work.join("rightcall.xml")).unwrap();
    assert!(junit.contains("<testsuite"), "{junit}");
}
