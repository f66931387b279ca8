//! Runs the scripts of `action.yml` as a step of GitHub Actions would.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::readme::root;

fn step(script: &str, temp: &Path, variables: &[(&str, &str)]) -> Output {
    let path = format!(
        "{}:{}",
        temp.join("rightcall/bin").display(),
        std::env::var("PATH").unwrap()
    );
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

/// An archive laid out as by `cargo xtask dist`, and its SHA-256.
fn archive(temp: &Path) -> (String, String) {
    let folder = temp.join("rightcall-0.0.0");
    fs::create_dir(&folder).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_rightcall"), folder.join("rightcall")).unwrap();
    let tar = Command::new("tar")
        .args(["czf", "archive.tar.gz", "rightcall-0.0.0"])
        .current_dir(temp)
        .status()
        .unwrap();
    assert!(tar.success());
    let archive = temp.join("archive.tar.gz").display().to_string();
    let sum = Command::new("sha256sum")
        .arg(&archive)
        .output()
        .unwrap()
        .stdout;
    (
        archive,
        String::from_utf8(sum)
            .unwrap()
            .split(' ')
            .next()
            .unwrap()
            .to_owned(),
    )
}

#[test]
fn action_installs_runs_summarizes_and_annotates() {
    let place = tempfile::tempdir().unwrap();
    let temp = place.path();
    let (archive, sum) = archive(temp);

    let other = if sum.starts_with('0') { "1" } else { "0" }.to_owned() + &sum[1..];
    for (archive, checksum, said) in [
        (archive.as_str(), other.as_str(), "has another SHA-256"),
        (&archive, "abc", "must be a SHA-256"),
        (
            "http://localhost:9/archive.tar.gz",
            &sum,
            "is not fetched over https",
        ),
        (
            "HTTP://localhost:9/archive.tar.gz",
            &sum,
            "is not fetched over https",
        ),
        (
            "ftp://localhost:9/archive.tar.gz",
            &sum,
            "is not fetched over https",
        ),
        ("https://localhost:9/archive.tar.gz", "", "needs a checksum"),
    ] {
        let refused = step(
            "install.sh",
            temp,
            &[("ARCHIVE", archive), ("CHECKSUM", checksum)],
        );
        assert_eq!(refused.status.code(), Some(2), "{archive}");
        let told = String::from_utf8_lossy(&refused.stdout).into_owned();
        assert!(
            told.starts_with("::error title=rightcall::") && told.contains(said),
            "{told}"
        );
        assert!(!temp.join("rightcall/bin/rightcall").exists());
    }

    // GitHub's notation is accepted, and so are capitals and spaces.
    let written = format!(" sha256:{}\n", sum.to_uppercase());
    let installed = step(
        "install.sh",
        temp,
        &[("ARCHIVE", &archive), ("CHECKSUM", &written)],
    );
    assert!(
        installed.status.success(),
        "{}",
        String::from_utf8_lossy(&installed.stderr)
    );
    assert!(
        fs::read_to_string(temp.join("path"))
            .unwrap()
            .ends_with("rightcall/bin\n")
    );

    fs::write(temp.join("summary.md"), "what came before\n").unwrap();
    let report = format!("junit={}", temp.join("results.xml").display());
    let variables = [
        ("SUITE", "examples/support-agent/strict.yaml"),
        ("REPORTS", report.as_str()),
        ("ARGUMENTS", "--no-history -k refund"),
    ];
    let ran = step("run.sh", temp, &variables);
    let said = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(1), "{said}");
    let summary = fs::read_to_string(temp.join("summary.md")).unwrap();
    assert!(
        summary.starts_with(
            "what came before\n## ❌ 2 of 2 gates failed · 9 cases · rightcall: `examples/support-agent/strict.yaml`\n"
        ),
        "{summary}"
    );
    assert!(said.contains("::error title=gate failed::"), "{said}");
    assert!(
        said.contains("::warning file=examples/support-agent/cases.jsonl,line="),
        "{said}"
    );
    assert!(
        fs::read_to_string(temp.join("results.xml"))
            .unwrap()
            .contains("<testsuite name=\"gates\"")
    );
}

/// Replaces a command of the steps by a script.
fn stand_in(temp: &Path, name: &str, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    let folder = temp.join("rightcall/bin");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn archive_is_fetched_only_over_https_and_extracted_by_any_tar() {
    let place = tempfile::tempdir().unwrap();
    let temp = place.path();
    let (archive, sum) = archive(temp);
    // A fake `curl` that does not use the network, and a `tar` limited to the options that GNU and BSD share.
    stand_in(
        temp,
        "curl",
        &format!(
            "echo \"$@\" > \"{}\"\nwhile [ $# -gt 1 ]; do\n  [ \"$1\" = --output ] && cp '{archive}' \"$2\"\n  shift\ndone",
            temp.join("asked").display()
        ),
    );
    let tar = Command::new("sh")
        .args(["-c", "command -v tar"])
        .output()
        .unwrap()
        .stdout;
    let tar = String::from_utf8(tar).unwrap();
    stand_in(
        temp,
        "tar",
        &format!(
            "case \" $* \" in *' --'*) echo \"tar: Option is not supported\" >&2; exit 1;; esac\nexec {} \"$@\"",
            tar.trim()
        ),
    );
    let installed = step(
        "install.sh",
        temp,
        &[
            ("ARCHIVE", "https://example.com/a.tar.gz"),
            ("CHECKSUM", &sum),
        ],
    );
    assert!(
        installed.status.success(),
        "{}",
        String::from_utf8_lossy(&installed.stderr)
    );
    let asked = fs::read_to_string(temp.join("asked")).unwrap();
    assert!(
        asked.contains("--proto =https --proto-redir =https ")
            && asked.ends_with("https://example.com/a.tar.gz\n"),
        "{asked}"
    );
    assert!(String::from_utf8_lossy(&installed.stdout).starts_with("rightcall "));
}

#[test]
fn multi_line_arguments_are_split_without_expansion() {
    let place = tempfile::tempdir().unwrap();
    let temp = place.path();
    stand_in(
        temp,
        "rightcall",
        "for word; do printf '[%s]' \"$word\"; done",
    );
    let ran = |variables: &[(&str, &str)]| {
        String::from_utf8(step("run.sh", temp, variables).stdout).unwrap()
    };
    assert_eq!(
        ran(&[("SUITE", "my suite.yaml")]),
        "[run][my suite.yaml][--report][markdown]"
    );
    let variables = [
        ("SUITE", "s.yaml"),
        ("PROFILE", "a b"),
        ("REPORTS", "html=*.html\n  junit=[x].xml\r\n"),
        (
            "ARGUMENTS",
            "--no-history\n-k  *\n\n--where=model=$(touch x)`y`;'z\n",
        ),
    ];
    assert_eq!(
        ran(&variables),
        "[run][s.yaml][--report][markdown][--profile][a b][--report][html=*.html][--report][junit=[x].xml]\
         [--no-history][-k][*][--where=model=$(touch][x)`y`;'z]"
    );
}

/// Features that bash 3.2 lacks or treats as errors: `mapfile`, case conversion, empty arrays under `set -u`.
#[test]
fn steps_work_in_old_shells() {
    for script in ["install.sh", "run.sh", "comment.sh"] {
        let text = fs::read_to_string(root().join("xtask/action").join(script)).unwrap();
        for word in [
            "mapfile",
            "readarray",
            "declare -A",
            "local -n",
            "[@]",
            ",,}",
            "^^}",
            "--wildcards",
            "&>>",
            "|&",
        ] {
            assert!(!text.contains(word), "{script}: {word}");
        }
        for mode in [&["-n"][..], &["--posix", "-n"]] {
            let checked = Command::new("bash")
                .args(mode)
                .arg(root().join("xtask/action").join(script))
                .output()
                .unwrap();
            assert!(
                checked.status.success(),
                "{script}: {}",
                String::from_utf8_lossy(&checked.stderr)
            );
        }
    }
}

/// A fake `gh`: it lists comments and records what is written.
const GH: &str = r#"case "$*" in
  *--jq*) cat comment-id ;;
  *) echo "$@" >> asked
     for word; do case "$word" in body=@*) cp "${word#body=@}" body.md ;; esac; done
     echo 7 > comment-id ;;
esac"#;

#[test]
#[expect(
    clippy::too_many_lines,
    reason = "one story from the first run to the comment"
)]
fn a_pull_request_says_what_broke_against_main_in_one_comment() {
    let place = tempfile::tempdir().unwrap();
    let (temp, work) = (place.path().join("temp"), place.path().join("work"));
    fs::create_dir_all(temp.join("rightcall/bin")).unwrap();
    fs::create_dir(&work).unwrap();
    let command = temp.join("rightcall/bin/rightcall");
    fs::copy(env!("CARGO_BIN_EXE_rightcall"), command).unwrap();
    stand_in(&temp, "gh", GH);
    fs::write(work.join("comment-id"), "").unwrap();
    let suite = "cases: cases.jsonl\nevaluators: [{evaluator: trajectory, threshold: 1}]\n";
    fs::write(work.join("suite.yaml"), suite).unwrap();
    let cases = |call: &str| {
        let case = |id: &str, call: &str| {
            format!(r#"{{"id":"{id}","expected":["find"],"actual":["{call}"]}}"#) + "\n"
        };
        fs::write(
            work.join("cases.jsonl"),
            case("a", "find") + &case("b", call),
        )
        .unwrap();
    };
    let at = |script: &str, branch: &str, more: &[(&str, &str)]| {
        let path = format!(
            "{}:{}",
            temp.join("rightcall/bin").display(),
            std::env::var("PATH").unwrap()
        );
        Command::new("bash")
            .arg(root().join("xtask/action").join(script))
            .current_dir(&work)
            .envs([
                ("PATH", path.as_str()),
                ("SUITE", "suite.yaml"),
                ("COMPARE", "main"),
            ])
            .envs([("GITHUB_HEAD_REF", ""), ("GITHUB_REF_NAME", branch)])
            .envs([
                ("GITHUB_REPOSITORY", "me/it"),
                ("GITHUB_REF", "refs/pull/12/merge"),
            ])
            .env("RUNNER_TEMP", &temp)
            .env("GITHUB_OUTPUT", temp.join("output"))
            .env("GITHUB_STEP_SUMMARY", temp.join("summary.md"))
            .env("GIT_CEILING_DIRECTORIES", place.path())
            .envs(more.iter().copied())
            .output()
            .unwrap()
    };
    // A detached HEAD, as runners check out a pull request.
    let git = |words: &[&str]| {
        let identity = ["-c", "user.name=n", "-c", "user.email=e@x"];
        let done = Command::new("git")
            .args(identity)
            .args(words)
            .current_dir(&work)
            .output();
        assert!(done.unwrap().status.success(), "{words:?}");
    };
    git(&["init", "--quiet"]);
    git(&["commit", "--quiet", "--allow-empty", "-m", "begin"]);
    git(&["checkout", "--quiet", "--detach"]);
    cases("find");
    assert!(at("run.sh", "main", &[]).status.success());
    let first = fs::read_to_string(temp.join("rightcall-comment.md")).unwrap();
    assert!(
        first.starts_with(
            "<!-- rightcall suite.yaml -->\nThere is no run of `main` to compare with yet.\n"
        ),
        "{first}"
    );
    cases("look");
    let ran = at("run.sh", "better-prompt", &[]);
    assert_eq!(
        ran.status.code(),
        Some(1),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    let output = fs::read_to_string(temp.join("output")).unwrap();
    assert!(output.contains("exit-code=1\n"), "{output}");
    let report = temp.join("rightcall-comment.md").display().to_string();
    for _ in 0..2 {
        let posted = at("comment.sh", "better-prompt", &[("REPORT", &report)]);
        assert!(posted.status.success());
    }
    let asked = fs::read_to_string(work.join("asked")).unwrap();
    let asked: Vec<_> = asked.lines().collect();
    assert!(
        asked[0].contains("--method POST repos/me/it/issues/12/comments"),
        "{asked:?}"
    );
    assert!(
        asked[1].contains("--method PATCH repos/me/it/issues/comments/7"),
        "{asked:?}"
    );
    let body = fs::read_to_string(work.join("body.md")).unwrap();
    for part in [
        "<!-- rightcall suite.yaml -->\n## 1 case worse than `main`, 0 better · rightcall: `main` against `run 2`\n",
        "\n1 case that got worse:\n",
        "| `b` | 1.000 | 0.000 | `now find was not called`<br>`now look was called, but not expected` |",
        "branch main",
        "<details><summary>This run</summary>",
    ] {
        assert!(body.contains(part), "{part}\n{body}");
    }
    let elsewhere = at(
        "comment.sh",
        "main",
        &[("REPORT", &report), ("GITHUB_REF", "refs/heads/main")],
    );
    assert_eq!(elsewhere.stdout, b"no pull request, no comment\n");
}
