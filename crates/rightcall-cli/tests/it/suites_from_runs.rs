//! `init --from`: a suite from recorded runs.

use std::fs;

use super::Place;

/// A run with a new id, a question and the arguments of a call.
fn refund(id: &str, args: &str) -> String {
    format!(
        "{{\"id\":\"{id}\",\"input\":\"Refund order 7.\",\"actual\":[{{\"name\":\"refund\",\"args\":{args}}}]}}\n"
    )
}

/// The runs are read twice: to learn from them, and to record them.
#[test]
fn an_unreadable_file_is_reported_once() {
    let place = Place::new().with("log.jsonl", "{\"session\":1,\"event\":2}\n");
    let said = place.check(
        "init new --from log.jsonl",
        &[],
        2,
        &["error: no run to record"],
    );
    assert_eq!(
        said.stderr.matches("log.jsonl: expected").count(),
        1,
        "{}",
        said.stderr
    );
    assert!(!place.path("new").exists());
}

#[test]
fn suite_from_runs_without_calls_expects_none() {
    let place = Place::new().with(
        "runs.jsonl",
        "{\"id\":\"a\",\"input\":\"Hello\",\"actual\":[]}\n",
    );
    let said = place
        .check("init evals --from runs.jsonl", &[], 0, &[])
        .stderr;
    assert!(
        said.contains("\nno call is expected now: check cases.jsonl\n"),
        "{said}"
    );
    assert!(!said.contains("are now expected"), "{said}");
}

#[test]
fn suite_from_traces_fails_for_a_different_run_with_any_id() {
    let place = Place::new()
        .with("good.jsonl", refund("run-1", "{\"id\":7}"))
        .with("same.jsonl", refund("run-2", "{\"id\":7}"))
        .with("other.jsonl", refund("run-3", "{\"id\":8}"));
    place.check(
        "init evals --from good.jsonl",
        &[],
        0,
        &["the calls of 1 run are now expected"],
    );
    let lost = "help: no run has the id of a case, and many tools give each run a new id";
    place.check("run evals --traces same.jsonl", &[], 2, &[lost]);
    place.check("run evals --traces same.jsonl --join input", &[], 0, &[]);
    let failed = place.check("run evals --traces other.jsonl --join input", &[], 1, &[]);
    let said = "gate failed: right calls mean 0.000 < 1.000   (exit code 1)";
    assert!(failed.stdout.contains(said), "{}", failed.stdout);
}

#[test]
fn suite_from_traces_ignores_the_given_arguments() {
    let place = Place::new()
        .with("good.jsonl", refund("a", "{\"id\":7,\"at\":1}"))
        .with("later.jsonl", refund("a", "{\"id\":7,\"at\":2}"));
    place.check("init evals --from good.jsonl --ignore /at", &[], 0, &[]);
    let suite = place.read("evals/suite.yaml");
    assert!(
        suite.contains("match: {args: subset}") && suite.contains("\">= 1\""),
        "{suite}"
    );
    place.check("run evals --traces later.jsonl", &[], 0, &[]);
    place.check("init names --from good.jsonl --keep names", &[], 0, &[]);
    let suite = place.read("names/suite.yaml");
    assert!(
        suite.contains("# The same tools, whatever their arguments"),
        "{suite}"
    );
}

/// A map, and a log that only this map reads.
const SHOP_MAP: &str = "map: shop\nrun: session\ncall: {name: tool, args: input, start: at}\n";

fn shop_log() -> String {
    let line = |tool: &str, at: u8| {
        format!(
            "{{\"session\":\"s1\",\"tool\":\"{tool}\",\"input\":{{\"id\":7}},\"at\":\"2026-01-0{at}T00:00:00Z\"}}\n"
        )
    };
    line("refund", 2) + &line("find", 1)
}

#[test]
fn suite_from_traces_contains_the_read_options() {
    let place = Place::new().with("good.jsonl", shop_log());
    fs::create_dir_all(place.path(".rightcall/maps")).unwrap();
    fs::create_dir(place.path("maps")).unwrap();
    let place = place.with("maps/shop.yaml", SHOP_MAP).with(
        ".rightcall/maps/kept.yaml",
        SHOP_MAP.replace("shop", "kept"),
    );
    for (folder, option, map) in [
        (
            "evals",
            "--map maps/shop.yaml",
            "map: \"../maps/shop.yaml\"\n",
        ),
        (
            "deep/evals",
            "--input-format kept",
            "map: \"../../.rightcall/maps/kept.yaml\"\n",
        ),
    ] {
        let line = format!("init {folder} --from good.jsonl {option} --read order=document");
        place.check(&line, &[], 0, &["the calls of 1 run are now expected"]);
        let suite = place.read(&format!("{folder}/suite.yaml"));
        assert!(suite.contains(map), "{suite}");
        assert!(suite.contains("read: {order: \"document\"}\n"), "{suite}");
        let run = format!("run {folder}/suite.yaml --no-history");
        let said = place.check(&run, &[], 0, &[]);
        assert!(said.stdout.contains("1 case"), "{}", said.stdout);
    }
}

#[test]
fn command_suggested_by_init_names_the_format() {
    let place = Place::new().with("good.jsonl", refund("a", "{\"id\":7}"));
    let line = "init evals --from good.jsonl --input-format cases";
    let command = "rightcall run evals/suite.yaml --input-format cases\n";
    let said = place.check(line, &[], 0, &[]);
    assert!(said.stdout.contains(command), "{}", said.stdout);
}

#[test]
fn without_a_run_nothing_is_written_and_the_reason_is_reported() {
    let place = Place::new()
        .with(
            "earlier.yaml",
            "# Learned from runs.\n- {id: a, expected: [x]}\n",
        )
        .with("empty.jsonl", "")
        .with(
            "runs.jsonl",
            r#"{"id":"a","actual":["x"]}
{"id":"b","expected":["x"]}
"#,
        );
    for (line, said) in [
        ("empty.jsonl", "`rightcall inspect` shows"),
        (
            "runs.jsonl --by model",
            "no run to learn from: 1 without a run, 1 without `model`",
        ),
        (
            "runs.jsonl --where model=x",
            "no run is chosen by -k, --tag or --where",
        ),
        (
            "runs.jsonl --noise -1",
            "expected a number from 0 and below 1",
        ),
    ] {
        place.check(&format!("learn {line} -o earlier.yaml"), &[], 2, &[said]);
        assert!(place.read("earlier.yaml").contains("{id: a,"), "{line}");
    }
    place.check("learn runs.jsonl", &[], 0, &["left out: 1 without a run"]);
}

#[test]
fn expected_failed_calls_are_counted() {
    let run = r#"{"id":"a","actual":[{"name":"x","args":{},"error":"boom"}]}"#;
    let place = Place::with_cases(&[run, run].map(str::to_owned));
    let said = ["learned from 2 failed calls too: are these good runs?"];
    place.check("learn cases.jsonl", &[], 0, &said);
}

#[test]
fn two_cases_with_one_question_are_not_joined_by_it() {
    let place = Place::new()
        .with("cases.jsonl", "{\"id\":\"a\",\"input\":\"q\",\"expected\":[\"f\"]}\n{\"id\":\"b\",\"input\":\"q\",\"expected\":[\"g\"]}\n")
        .with("runs.jsonl", "{\"id\":\"1\",\"input\":\"q\",\"actual\":[\"f\"]}\n{\"id\":\"2\",\"input\":\"q\",\"actual\":[\"g\"]}\n");
    let line = "score cases.jsonl --traces runs.jsonl -e trajectory --join";
    let why = "cases.jsonl:2: case `b` has the question of the case at cases.jsonl:1";
    place.check(line, &["input"], 2, &[why, "cannot tell their runs apart"]);
    let said = place.check(line, &["order"], 0, &[]).stdout;
    assert!(said.contains("1.000"), "{said}");
}
