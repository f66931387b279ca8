//! Traces as input: `inspect`, `formats`, and scoring files directly.

use super::{Place, SCORE};

const CHAT: &str = r#"{"id":"ID","messages":[{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"find","arguments":"{\"id\": 7}"}},{"id":"c2","function":{"name":"look","arguments":"{"}}]},{"role":"tool","tool_call_id":"c1","content":"x"},{"role":"tool","tool_call_id":"c9","content":"y"}]}"#;

fn place() -> Place {
    Place::new().with(
        "runs.jsonl",
        format!("{}\n{}\n", CHAT.replace("ID", "a"), CHAT.replace("ID", "b")),
    )
}

#[test]
fn inspect_counts_the_contents_of_a_file() {
    let said = place().check("inspect runs.jsonl --format json", &[], 0, &[]);
    assert_eq!(
        said.stdout.trim_end(),
        r#"{"file":"runs.jsonl","format":"openai-chat","trajectories":2,"calls":4,"expected_calls":0,"names":{"find":2,"look":2},"with_result":2,"failed":0,"not_run":0,"invalid_args":2,"orphans":2,"unread":0,"dropped":0,"dropped_why":{},"kept":{},"other_keys":{},"not_recorded":["outputs of look","times"],"notes":[],"unreadable":0}"#
    );
}

#[test]
fn inspect_shows_calls_turn_by_turn() {
    let said = place().check("inspect runs.jsonl", &[], 0, &[]);
    for line in [
        "runs.jsonl · OpenAI Chat Completions · 2 trajectories, 4 calls, 2 results without a call, 2 with invalid arguments",
        "  conversation a",
        "    turn 1   ┌ find(id=7)",
        "             └ look(invalid: {)",
        "  not recorded: outputs of look, times",
    ] {
        assert!(said.stdout.contains(line), "{line}\n{}", said.stdout);
    }
}

#[test]
fn file_of_unknown_format_suggests_the_nearest() {
    let place = Place::new().with(
        "a.json",
        r#"{"messages":[{"role":"user","gizmos":[]}],"model":"m"}"#,
    );
    let many = [
        "a.json: expected a format that can be recognized",
        "`messages` occurs in",
        "--input-format",
    ];
    place.check("inspect a.json", &[], 2, &many);
    let place = place.with("b.json", r#"{"object":"trace.span","id":"s"}"#);
    place.check(
        "inspect b.json",
        &[],
        2,
        &[
            "nearest: openai-agents (has `object: trace.span`, lacks `span_data`)",
            "rightcall formats",
        ],
    );
    let place = place.with("cases.jsonl", "{\"foo\":1}\n");
    place.check(
        SCORE,
        &[],
        2,
        &["found an object with `foo`", "rightcall formats"],
    );
}

#[test]
fn traces_of_any_format_are_joined_with_cases() {
    let cases = r#"{"id":"a","expected":[{"name":"find","args":{"id":7}},{"name":"look"}]}"#;
    let place = place().with("cases.jsonl", format!("{cases}\n"));
    for more in [&[][..], &["--input-format", "openai-chat"]] {
        let said = place.check(SCORE, &[&["--traces", "runs.jsonl"], more].concat(), 0, &[]);
        assert!(said.stdout.contains(r#""score":1.0"#), "{}", said.stdout);
    }
}

#[test]
fn formats_lists_all_and_shows_one() {
    let place = Place::new();
    let said = place.check("formats", &[], 0, &[]);
    for name in ["otlp", "openai-chat", "cases", "order=start|document"] {
        assert!(said.stdout.contains(name), "{name}\n{}", said.stdout);
    }
    let said = place.check("formats anthropic", &[], 0, &[]);
    assert!(
        said.stdout.contains("tool_use") && said.stdout.contains("example"),
        "{}",
        said.stdout
    );
    place.check("formats antropic", &[], 2, &["did you mean `anthropic`?"]);
    place.check(
        "inspect x.json --read order=end",
        &[],
        2,
        &["`order` is one of start, document"],
    );
}

/// Two calls that ended, and were written, in a different order than they started; one nested, and one of the framework.
const SPANS: &str = r#"[{"trace_id":"t","span_id":"b","name":"s","start_time":3,"end_time":4,"attributes":{"gen_ai.tool.name":"second"}},
{"trace_id":"t","span_id":"c","parent_span_id":"a","name":"s","start_time":2,"end_time":3,"attributes":{"gen_ai.tool.name":"inner"}},
{"trace_id":"t","span_id":"a","name":"s","start_time":1,"end_time":9,"attributes":{"gen_ai.tool.name":"first"}},
{"trace_id":"t","span_id":"d","name":"s","start_time":10,"end_time":11,"attributes":{"tool.name":"made_up","tool.synthesized":true}}]"#;

#[test]
fn read_options_apply_to_all_commands_and_suites() {
    let suite = |read: &str| {
        format!(
            "cases: cases.jsonl\ntraces: spans.json\nevaluators: [{{evaluator: trajectory, mode: strict}}]\n{read}"
        )
    };
    for (choice, names) in [
        ("order=start", &["first", "inner", "second"][..]),
        ("order=document", &["second", "inner", "first"]),
        ("sub-agents=drop", &["first", "second"]),
        ("internal=keep", &["first", "inner", "second", "made_up"]),
    ] {
        let case = format!("{{\"id\":\"t\",\"expected\":{names:?}}}\n");
        let (key, value) = choice.split_once('=').unwrap();
        let place = Place::new()
            .with("spans.json", SPANS)
            .with("cases.jsonl", case)
            .with("suite.yaml", suite(&format!("read: {{{key}: {value}}}\n")))
            .with("plain.yaml", suite(""));
        for line in [
            format!(
                "score cases.jsonl -e trajectory,mode=strict,threshold=1 --traces spans.json --read {choice}"
            ),
            "run suite.yaml --format jsonl".to_owned(),
            format!("run plain.yaml --read {choice}"),
            format!("review cases.jsonl --traces spans.json --check --read {choice}"),
        ] {
            let said = place.check(&line, &[], 0, &[]);
            assert!(
                !said.stdout.contains("\"score\":0"),
                "{line}\n{}",
                said.stdout
            );
        }
        for line in [
            format!("inspect spans.json --read {choice}"),
            format!("convert spans.json -q --read {choice}"),
        ] {
            let mut said = place.check(&line, &[], 0, &[]);
            // Tools are sorted by their number of calls.
            let calls = said
                .stdout
                .lines()
                .filter(|it| !it.starts_with("  tools: "));
            said.stdout = calls.collect::<Vec<_>>().join("\n");
            let mut places = names.iter().map(|name| said.stdout.find(*name));
            assert!(
                places.by_ref().all(|place| place.is_some())
                    && said.stdout.matches("made_up").count() == usize::from(names.len() == 4),
                "{line}\n{}",
                said.stdout
            );
        }
        let said = place.check("explain suite.yaml --case t", &[], 0, &[]);
        assert!(said.stdout.contains("score 1.000"), "{}", said.stdout);
    }
    let place = Place::new()
        .with("spans.json", SPANS)
        .with("cases.jsonl", "")
        .with("suite.yaml", suite("read: {order: end}\n"));
    place.check(
        "run suite.yaml",
        &[],
        2,
        &["suite.yaml:4 /read/order: `order` is one of start, document, not `end`"],
    );
    let place = place.with("suite.yaml", suite("read: {ordre: start}\n"));
    place.check("run suite.yaml", &[], 2, &["/read/ordre", "`order`"]);
}

#[test]
fn runs_are_found_by_file_thread_or_attribute() {
    let spans = r#"[{"trace_id":"t1","span_id":"a","name":"agent","start_time":1,"end_time":9,"attributes":{"eval.item":"refund-7","session.id":"thread-7"}},
        {"trace_id":"t1","span_id":"b","parent_span_id":"a","name":"s","start_time":2,"end_time":3,"attributes":{"gen_ai.tool.name":"find","gen_ai.tool.call.arguments":"{}"}}]"#;
    for (id, join) in [
        ("refund-7", "eval.item"),
        ("thread-7", "conversation"),
        ("thread-7", "session.id"),
        ("run.v2", "file"),
        ("t1", "id"),
    ] {
        let suite = format!(
            "cases: cases.jsonl\ntraces: run.v2.json\njoin: {join}\nevaluators: [trajectory]\n"
        );
        let place = Place::new()
            .with(
                "cases.jsonl",
                format!("{{\"id\":\"{id}\",\"expected\":[\"find\"]}}\n"),
            )
            .with("run.v2.json", spans)
            .with("suite.yaml", suite);
        let begin = format!("{{\"id\":\"{id}\"");
        for (line, part) in [
            (
                format!(
                    "score cases.jsonl -e trajectory --traces run.v2.json --join {join} --format jsonl"
                ),
                "\"score\":1.0",
            ),
            ("run suite.yaml --format jsonl".to_owned(), "\"score\":1.0"),
            (format!("explain suite.yaml --case {id}"), "score 1.000"),
            (
                format!("convert cases.jsonl --traces run.v2.json --join {join}"),
                "\"actual\"",
            ),
            (format!("record run.v2.json --join {join}"), &begin),
            (
                format!("review cases.jsonl --traces run.v2.json --join {join} --check"),
                "",
            ),
        ] {
            let said = place.check(&line, &[], 0, &[]);
            assert!(
                said.stdout.contains(part) && !said.stderr.contains("without a"),
                "{line}\n{}{}",
                said.stdout,
                said.stderr
            );
        }
        let said = place.run(
            "score cases.jsonl -e trajectory --traces run.v2.json --join nothing",
            &[],
        );
        assert!(
            said.stderr
                .contains("a run without `nothing` belongs to no case"),
            "{}",
            said.stderr
        );
    }
}

/// One file may hold runs of two models: both are joined to the same expectation, and `compare` separates them.
#[test]
fn runs_of_two_models_are_joined_with_one_case() {
    let run = |model: &str, region: &str, call: &str| {
        format!(r#"{{"id":"a","model":"{model}","region":"{region}","actual":["{call}"]}}"#) + "\n"
    };
    let runs = [
        run("gpt", "eu", "find"),
        run("qwen", "eu", "look"),
        run("qwen", "us", "find"),
    ];
    let place = Place::new()
        .with("cases.jsonl", "{\"id\":\"a\",\"expected\":[\"find\"]}\n")
        .with("runs.jsonl", runs[..2].concat())
        .with("more.jsonl", runs.concat())
        .with(
            "suite.yaml",
            "cases: cases.jsonl\nevaluators: [trajectory]\nidentity: [region]\n",
        );
    let line = "score cases.jsonl --traces runs.jsonl -e trajectory";
    let said = place.check(&format!("{line} --by model"), &[], 0, &[]);
    assert!(
        said.stdout.contains("2 cases") && said.stdout.contains("\n  qwen\n"),
        "{}",
        said.stdout
    );
    assert!(!said.stderr.contains("already"), "{}", said.stderr);
    place.check(
        &format!("{line} --format jsonl --explain -o results.jsonl --quiet"),
        &[],
        0,
        &[],
    );
    let compared = place
        .check("compare results.jsonl --by model", &[], 0, &[])
        .stdout;
    assert!(compared.contains("1.000   0.000"), "{compared}");
    // Two runs of the same model are duplicates, unless another key distinguishes them.
    place.check(
        &line.replace("runs.", "more."),
        &[],
        2,
        &["is already at more.jsonl:2"],
    );
    let by = place.check(
        &format!("{} --by region", line.replace("runs.", "more.")),
        &[],
        0,
        &[],
    );
    assert!(by.stdout.contains("3 cases"), "{}", by.stdout);
    let run = place.check(
        "run --traces more.jsonl --no-history --quiet --format jsonl",
        &[],
        0,
        &[],
    );
    assert_eq!(
        run.stdout.matches("\"evaluator\"").count(),
        3,
        "{}",
        run.stdout
    );
}

#[test]
fn skills_are_calls_if_requested() {
    let line = |id: u32, content: &str| {
        format!(
            r#"{{"type":"assistant","uuid":"u{id}","sessionId":"s","message":{{"id":"m{id}","role":"assistant","content":[{content}]}}}}"#
        )
    };
    let log = [
        line(
            1,
            r#"{"type":"tool_use","id":"a","name":"Skill","input":{"skill":"pdf"}}"#,
        ),
        line(
            2,
            r#"{"type":"tool_use","id":"b","name":"Read","input":{"file_path":"/u/skills/csv/SKILL.md"}}"#,
        ),
    ];
    let place = Place::new().with("log.jsonl", log.join("\n") + "\n");
    for (read, names) in [
        (&[][..], r#""names":{"Read":1,"Skill":1}"#),
        (
            &["--read", "skills=on"],
            r#""names":{"Read":1,"Skill":1,"skill":2}"#,
        ),
    ] {
        let said = place.check("inspect log.jsonl --format json", read, 0, &[]);
        assert!(said.stdout.contains(names), "{}", said.stdout);
    }
}
