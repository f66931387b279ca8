//! Foreign text on screens: control sequences are shown and never executed.

use std::fs;
use std::path::Path;

use rightcall_run::printable;

use crate::{Place, Said, said};

/// A colour that is not one of ours, a window title, a bell, text direction marks, an 8-bit control, and a line break.
const NASTY: &str = "n\u{1b}[35mX\u{1b}]0;t\u{7}\u{61c}\u{202e}\u{2066}\u{9b}2J\u{ad}\u{200b}\r\nz";

/// The text as ASCII JSON, which is also valid YAML.
fn json(text: &str) -> String {
    let escaped = text.chars().map(|it| {
        if matches!(it, ' '..='~') {
            it.to_string()
        } else {
            format!("\\u{:04x}", u32::from(it))
        }
    });
    format!("\"{}\"", escaped.collect::<String>())
}

/// A case with foreign text in every possible place.
fn case(id: &str) -> String {
    let nasty = json(NASTY);
    let call = |value: &str| {
        format!(
            r#"{{"name":{nasty},"args":{{{nasty}:{}}},"output":{nasty}}}"#,
            json(value)
        )
    };
    let expected = call(NASTY);
    let actual = call(&format!("{NASTY}!"));
    let other = nasty.replace("z\"", "other\"");
    format!(
        r#"{{"id":{},"tags":[{nasty}],"description":{nasty},"input":{nasty},{nasty}:{nasty},"trial":{nasty},"expected":[{expected},{{"name":{other},"args":{{}}}}],"actual":[{actual},{{"name":{nasty},"args":{{}}}}]}}"#,
        json(id)
    )
}

/// A case that is right, with foreign text in its id, names and arguments.
fn passing() -> String {
    let nasty = json(NASTY);
    let calls = format!(r#"[{{"name":{nasty},"args":{{{nasty}:{nasty}}}}}]"#);
    format!(r#"{{"id":{nasty},"expected":{calls},"actual":{calls}}}"#)
}

/// Asserts that a screen has no control characters except line ends and our own styles, and that foreign text is visible.
#[track_caller]
fn check(what: &str, text: &str, is_shown: bool) {
    let mut plain = text.to_owned();
    for style in ["0", "1", "2", "4", "31", "32", "33", "36"] {
        plain = plain.replace(&format!("\u{1b}[{style}m"), "");
    }
    for line in plain.lines() {
        assert_eq!(line, printable(line), "{what}");
    }
    assert!(!plain.contains('\r'), "{what}: {plain:?}");
    assert!(
        !is_shown || plain.contains("\\u{1b}") || plain.contains(r"\u001b"),
        "{what}: {plain}"
    );
}

fn in_colour(place: &Place, words: &[&str]) -> Said {
    said(place.command().args(words).env("CLICOLOR_FORCE", "1"))
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of commands")]
fn foreign_text_cannot_control_the_terminal_on_any_screen() {
    let name = format!("evaluators {NASTY}");
    let settings = format!(
        "cases: cases.jsonl\nevaluators:\n  - {{evaluator: trajectory, name: {0}, threshold: 0.9}}\n  - axion/tool-correctness\n\
         gates:\n  - {0}: {{mean: \">= 0.9\"}}\n  - {1}: {{tag: {1}, mean: \">= 0.9\"}}\n",
        json(&name),
        json(NASTY)
    );
    let suite = settings
        .lines()
        .filter(|line| !line.contains("tag:"))
        .collect::<Vec<_>>()
        .join("\n");
    let file = format!("{}.jsonl", NASTY.replace('/', ""));
    let cases = [
        case(NASTY),
        case(&format!("{NASTY}2")),
        case(NASTY).replacen("!\"", "?\"", 1),
    ]
    .join("\n");
    let place = Place::new()
        .with("cases.jsonl", &cases)
        .with(&file, &cases)
        .with("broken.yaml", &settings)
        .with("suite.yaml", suite)
        .with("passing.jsonl", passing())
        .with(
            "passing.yaml",
            "cases: passing.jsonl\nevaluators: [{evaluator: trajectory, match: {args: ignore}, threshold: 1.0}]\n",
        );
    let bad = format!(
        "{{\"id\":\"{NASTY}\"\n{{\"id\":{},\"actual\":{},\"expected\":3}}\n",
        json(NASTY),
        json(NASTY)
    );
    let suite_file = format!("{NASTY}.yaml");
    let place = place
        .with("bad.jsonl", bad)
        .with("unknown.yaml", format!("{}: 1\n", json(NASTY)))
        .with(&suite_file, "cases: []\n");
    let evaluator = format!(
        "{{\"evaluator\": \"trajectory\", \"name\": {}, \"threshold\": 0.9}}",
        json(NASTY)
    );
    let by = format!("{NASTY},tag");
    let meta = format!("{NASTY}=x");
    let report = |ending: &str| format!("{ending}=report.{ending}");
    let (html, junit, markdown) = (report("html"), report("junit"), report("markdown"));

    // Each command, and whether foreign text must be visible on standard output and on standard error.
    let lines: &[(&[&str], bool, bool)] = &[
        (
            &["score", "cases.jsonl", "-e", &evaluator, "--skip-invalid"],
            true,
            true,
        ),
        (
            &[
                "score",
                &file,
                "-e",
                &evaluator,
                "-e",
                "axion/tool-correctness",
                "--by",
                &by,
                "--editions",
                "--skip-invalid",
            ],
            true,
            true,
        ),
        (
            &[
                "score",
                "cases.jsonl",
                "-e",
                "trajectory",
                "-k",
                NASTY,
                "--report",
                &html,
                "--report",
                &junit,
                "--report",
                &markdown,
            ],
            true,
            true,
        ),
        (
            &["score", "cases.jsonl", "-e", "trajectory", "--where", &meta],
            false,
            false,
        ),
        (
            &[
                "score",
                "cases.jsonl",
                "-e",
                "trajectory",
                "--by",
                &format!("{NASTY}2"),
            ],
            true,
            true,
        ),
        (&["score", "bad.jsonl", "-e", "trajectory"], false, false),
        (
            &["score", "missing\u{1b}[35m.jsonl", "-e", "trajectory"],
            false,
            true,
        ),
        (&["score", "cases.jsonl", "-e", NASTY], false, true),
        (
            &[
                "score",
                "cases.jsonl",
                "-e",
                &format!("trajectory,{NASTY}=1"),
            ],
            false,
            true,
        ),
        (
            &[
                "score",
                "cases.jsonl",
                "-e",
                "trajectory",
                "-o",
                &format!("{NASTY}/x"),
            ],
            false,
            true,
        ),
        (
            &[
                "score",
                "cases.jsonl",
                "-e",
                "trajectory",
                "-o",
                &format!("{NASTY}.txt"),
                "--quiet",
            ],
            false,
            false,
        ),
        (
            &["score", "cases.jsonl", NASTY, &format!("--{NASTY}")],
            false,
            true,
        ),
        (
            &[
                "score",
                "cases.jsonl",
                "-e",
                "trajectory",
                "--format",
                NASTY,
            ],
            false,
            true,
        ),
        (
            &[
                "score",
                "cases.jsonl",
                "-e",
                "trajectory",
                "--input-format",
                NASTY,
            ],
            false,
            true,
        ),
        (
            &[
                "score",
                "cases.jsonl",
                "-e",
                "trajectory",
                "--report",
                NASTY,
            ],
            false,
            true,
        ),
        (&[NASTY], false, true),
        (&["run", "suite.yaml", "--skip-invalid"], true, true),
        (
            &[
                "run",
                "suite.yaml",
                "--skip-invalid",
                "--tag",
                NASTY,
                "--report",
                &html,
            ],
            true,
            true,
        ),
        (&["run", "broken.yaml"], false, true),
        (&["run", "unknown.yaml"], false, true),
        (&["run", &suite_file], false, true),
        (&["run", "suite.yaml", "--profile", NASTY], false, true),
        (
            &[
                "run",
                "suite.yaml",
                "--skip-invalid",
                "--history",
                &format!("{NASTY}.db"),
            ],
            true,
            true,
        ),
        (
            &[
                "score",
                "cases.jsonl",
                "-e",
                &evaluator,
                "--skip-invalid",
                "-o",
                "results.jsonl",
                "--explain",
            ],
            true,
            true,
        ),
        (&["compare", "latest"], false, false),
        (&["compare", "latest", "latest~1"], true, false),
        (&["compare", "latest", "results.jsonl"], false, false),
        (&["compare", NASTY, "latest"], false, true),
        (
            &["compare", "latest", "--accept", &format!("{NASTY}.base")],
            true,
            false,
        ),
        (&["history", "tag", "latest", NASTY], true, false),
        (&["history"], true, false),
        (
            &["history", "untag", "latest", &format!("{NASTY}2")],
            false,
            true,
        ),
        (
            &["history", "export", "latest", &format!("{NASTY}.run")],
            true,
            false,
        ),
        (&["history", "--suite", NASTY], false, false),
        (
            &["explain", "cases.jsonl", "-e", &evaluator, "--case", NASTY],
            true,
            false,
        ),
        (
            &["explain", "suite.yaml", "--case", NASTY, "--full"],
            true,
            false,
        ),
        (
            &[
                "explain",
                "cases.jsonl",
                "-e",
                "uipath/tool-call-output",
                "-e",
                "axion/tool-correctness",
                "--case",
                NASTY,
            ],
            true,
            false,
        ),
        (
            &[
                "explain",
                "cases.jsonl",
                "-e",
                "trajectory",
                "--case",
                &format!("{NASTY}7"),
            ],
            false,
            true,
        ),
        (
            &[
                "explain",
                "cases.jsonl",
                "-e",
                "trajectory",
                "--case",
                NASTY,
                "--trial",
                NASTY,
            ],
            true,
            false,
        ),
        (
            &[
                "explain",
                "cases.jsonl",
                "-e",
                "trajectory",
                "--case",
                NASTY,
                "--trial",
                "7",
            ],
            false,
            true,
        ),
        (&["inspect", &file, "--all"], true, false),
        (&["inspect", "bad.jsonl"], false, false),
        (
            &["record", "cases.jsonl", "-o", &format!("{NASTY}.rec")],
            false,
            true,
        ),
        (
            &[
                "record",
                "cases.jsonl",
                "--join",
                NASTY,
                "-o",
                "by-meta.jsonl",
            ],
            false,
            false,
        ),
        (
            &[
                "review",
                "expected.jsonl",
                "--traces",
                "cases.jsonl",
                "--check",
            ],
            true,
            false,
        ),
        (
            &[
                "review",
                "expected.jsonl",
                "--traces",
                "cases.jsonl",
                "--accept",
                NASTY,
            ],
            false,
            true,
        ),
        (&["convert", &file, "-o", "converted.jsonl"], false, true),
        (
            &[
                "convert",
                &file,
                "--to",
                "otlp",
                "-o",
                "converted.json",
                "--skip-invalid",
            ],
            false,
            true,
        ),
        (&["strength", "passing.yaml"], true, false),
        (&["coverage", "suite.yaml"], true, false),
        (
            &["rescore", "cases.jsonl", "--with", "trajectory"],
            false,
            false,
        ),
        (
            &["explain", "cases.jsonl", "-e", "trajectory", "--why-not"],
            true,
            false,
        ),
        (&["evaluators", NASTY], false, true),
        (&["formats", NASTY], false, true),
        (&["report", &format!("{NASTY}9")], false, true),
        (&["init", NASTY], true, false),
        (&["init", NASTY], false, true),
        (&["view", "--host", NASTY], false, true),
        (&["view", "--history", NASTY], false, true),
    ];
    let expected = case(NASTY).replace("!\"", "…\"");
    let place = place.with("expected.jsonl", expected + "\n");
    for (words, on_stdout, on_stderr) in lines {
        let what = printable(&words.join(" "));
        let Said {
            stdout,
            stderr,
            code,
        } = in_colour(&place, words);
        check(
            &format!("{what}\nstandard output ({code})\n{}", printable(&stderr)),
            &stdout,
            *on_stdout,
        );
        check(
            &format!("{what}\nstandard error ({code})\n{}", printable(&stdout)),
            &stderr,
            *on_stderr,
        );
    }
    for name in ["report.html", "report.junit", "report.markdown"] {
        check(name, &place.read(name), true);
    }
    for format in ["html", "junit", "markdown", "tools"] {
        check(
            format,
            &in_colour(&place, &["report", "--format", format]).stdout,
            true,
        );
    }
    for entry in fs::read_dir(place.0.path()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "txt") {
            check(
                "a table in a file",
                &fs::read_to_string(path).unwrap(),
                true,
            );
        }
    }
    viewer(&place);
}

/// The pages of the viewer use the same parts.
fn viewer(place: &Place) {
    let viewer = crate::viewing::Running::start(place, &["--port", "0"], None);
    for page in [
        "/",
        "/runs/1",
        "/runs/1/cases/1",
        "/compare?run=1&run=2",
        "/compare",
        "/runs/1?tag=x%1b%5b35m&text=%e2%80%ae",
        "/runs/%1b",
        "/evaluators/%1b",
    ] {
        let answer = viewer.get(page);
        check(
            page,
            answer.split_once("\r\n\r\n").unwrap().1,
            matches!(page, "/runs/1" | "/runs/1/cases/1"),
        );
    }
}

#[test]
fn suggested_command_quotes_unusual_case_names() {
    let place = Place::with_cases(&[case(NASTY).replace("\"trial\"", "\"t\"")]);
    let table = place.run("score cases.jsonl -e trajectory", &[]).stdout;
    let last = table
        .lines()
        .map(str::trim)
        .find(|line| line.starts_with("rightcall explain"))
        .unwrap();
    let bash = Path::new("/bin/bash");
    if bash.exists() {
        let line = last.replacen("rightcall", "\"$RIGHTCALL\"", 1);
        let mut command = std::process::Command::new(bash);
        let shell = command
            .args(["-c", &line])
            .env("RIGHTCALL", env!("CARGO_BIN_EXE_rightcall"))
            .current_dir(place.0.path());
        let shown = shell.output().unwrap();
        assert!(
            shown.status.success(),
            "{last}\n{}",
            String::from_utf8_lossy(&shown.stderr)
        );
    }
}
