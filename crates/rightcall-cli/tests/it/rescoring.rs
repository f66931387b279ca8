//! `rescore`: the same rollouts under several settings, and next to another tool's scores.

use crate::Place;

/// Two groups of three rollouts; the last line is not a case.
const ROLLOUTS: &str = r#"{"id":"refund","trial":1,"reward":1,"expected":["find","pay"],"actual":["find","pay"]}
{"id":"refund","trial":2,"reward":0.2,"expected":["find","pay"],"actual":["pay","find"]}
{"id":"refund","trial":3,"reward":0,"expected":["find","pay"],"actual":["find"]}
{"id":"hours","trial":1,"reward":1,"expected":[],"actual":[]}
{"id":"hours","trial":2,"reward":1,"expected":[],"actual":[]}
{"id":"hours","trial":3,"reward":0,"expected":[],"actual":["find"]}
"#;

const SUITE: &str = "cases: none.jsonl\nevaluators: [{evaluator: trajectory, align: assignment}]\n";

fn place() -> Place {
    Place::new()
        .with("rollouts.jsonl", ROLLOUTS)
        .with("any-order.yaml", SUITE)
}

#[test]
fn settings_are_suites_and_evaluators() {
    let place = place();
    let line = "rescore rollouts.jsonl --with any-order.yaml --with tool-call-order --against reward --positive 0.5";
    let said = place.check(line, &[], 0, &[]).stdout;
    for part in [
        "rollouts.jsonl · 6 rows in 2 groups · 2 settings\n",
        "\n  any-order.yaml      6    0       0  ",
        "\n  tool-call-order     3    3       0  ",
        "rollouts.jsonl against reward >= 0.5\n",
        "where any-order.yaml and tool-call-order differ",
        "\n    only any-order.yaml has a score: 3 rows\n",
        "3 rows under tool-call-order, not applicable: no calls are expected",
        "such as hours (trial 1)",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    let one = place.check(&format!("{line} --threads 1"), &[], 0, &[]);
    assert_eq!(one.stdout, said);
}

/// Rows as trainers store them: several completions of a prompt without a trial, and the expected calls in a column.
#[test]
fn trainer_rows_are_read_with_a_map() {
    let row = |id: &str, order: u8, reward: f64| {
        let call = format!(
            r#"{{"id":"1","type":"function","function":{{"name":"find","arguments":"{{\"id\": {order}}}"}}}}"#
        );
        format!(
            r#"{{"example_id":"{id}","prompt":[{{"role":"user","content":"Where is it?"}}],"completion":[{{"role":"assistant","tool_calls":[{call}]}}],"answer_calls":[{{"name":"find","args":{{"id":7}}}}],"reward":{reward}}}"#
        ) + "\n"
    };
    let rows = row("a", 7, 1.0) + &row("a", 8, 0.0) + &row("b", 7, 1.0) + &row("b", 7, 1.0);
    let map = "id: example_id\nquestion: prompt\nmessages: completion\nexpected: answer_calls\nmeta: {reward: reward}\n";
    let place = Place::new()
        .with("rows.jsonl", rows)
        .with("rows.yaml", map)
        .with("a.yaml", "evaluators: [trajectory]\n")
        .with(
            "b.yaml",
            "evaluators: [{evaluator: trajectory, match: {args: ignore}}]\n",
        );
    let line = "rescore rows.jsonl --map rows.yaml --with a.yaml --with b.yaml --against reward";
    let said = place.check(line, &[], 0, &[]).stdout;
    for part in [
        "rows.jsonl · 4 rows in 2 groups · 2 settings\n",
        "\n  a.yaml      4    0       0  0.750  ",
        "\n  b.yaml      4    0       0  1.000  ",
        "    a.yaml is lower: 1 row\n      1  find: id differs",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
}

#[test]
fn page_and_document_are_written_to_files() {
    let place = place();
    let with = "rescore rollouts.jsonl --with trajectory --with tool-call-order";
    for (file, part) in [("out.html", "<h1>"), ("out.json", "{\"rollouts\":")] {
        // Twice, as an earlier output is replaced.
        for _ in 0..2 {
            let said = place.check(&format!("{with} -o {file}"), &[], 0, &[]);
            assert!(said.stdout.contains("6 rows in 2 groups"));
        }
        assert!(place.read(file).contains(part));
    }
    let onto_input = format!("{with} -o rollouts.jsonl");
    place.check(&onto_input, &[], 2, &["is also an input"]);
}

#[test]
fn different_scores_exit_with_1() {
    let place = place()
        .with("same.csv", "id,trial,points\nrefund,1,1\nrefund,2,0.6666666666666666\nrefund,3,0.6666666666666666\nhours,1,1\nhours,2,1\nhours,3,0\n")
        .with("other.jsonl", "{\"id\":\"refund\",\"score\":1}\n{\"id\":\"refund\",\"score\":0.5}\n")
        .with("wrong.jsonl", "{\"id\":\"refund\",\"score\":\"high\"}\n");
    let prove = "rescore rollouts.jsonl --with trajectory --prove";
    let same = format!("{prove} same.csv --score points --tolerance 0.4");
    assert_eq!(
        place.check(&same, &[], 0, &[]).stdout,
        "trajectory: 6 of 6 rows have the score of same.csv: equal\n"
    );
    let exact = format!("{prove} same.csv --score points");
    let said = place.check(&exact, &[], 1, &[]).stdout;
    assert!(said.contains("refund (trial 2)"), "{said}");
    let fewer = format!("{prove} other.jsonl");
    let unpaired = "4 rows without a partner (exit code 2)";
    let said = place.check(&fewer, &[], 2, &[unpaired]).stdout;
    assert!(said.contains("4 rows only in the rollouts"), "{said}");
    let wrong = format!("{prove} wrong.jsonl");
    let message = "wrong.jsonl:1 /score: expected a number, found the text";
    place.check(&wrong, &[], 2, &[message]);
}

#[test]
fn incomparable_inputs_explain_why() {
    let place = place().with(
        "bad.jsonl",
        format!("{ROLLOUTS}{{\"id\":7,\"expected\":3}}\n"),
    );
    for (line, part) in [
        (
            "rollouts.jsonl --with trajectory --with trajectory",
            "the setting is there twice",
        ),
        ("rollouts.jsonl --with none.yaml", "none.yaml: no such file"),
        (
            "rollouts.jsonl --with trajectory --against rewards",
            "no row has a number `rewards`",
        ),
        (
            "- --with trajectory --with tool-call-order",
            "standard input can be read once",
        ),
        (
            "rollouts.jsonl --with trajectory --with tool-call-order --prove a.csv",
            "the scores of one setting",
        ),
        (
            "bad.jsonl --with trajectory --with tool-call-order",
            "1 row could not be read (exit code 2",
        ),
    ] {
        place.check(&format!("rescore {line}"), &[], 2, &[part]);
    }
    place.check(
        "rescore bad.jsonl --with trajectory --skip-invalid",
        &[],
        0,
        &["bad.jsonl:7"],
    );
}

#[test]
fn settings_are_shown_by_full_name() {
    let place = place();
    let long = "trajectory,score=recall,align=lcs,threshold";
    let line = format!(
        "rescore rollouts.jsonl --with {long}=0.5 --with {long}=0.6 --with trajectory,name=plain"
    );
    let said = place
        .check(&format!("{line} --against reward"), &[], 0, &[])
        .stdout;
    for name in [
        &format!("\n  {long}=0.5\n"),
        &format!("\n  {long}=0.6\n"),
        "\n  plain  ",
    ] {
        // Spreads, agreement or its head, predictions.
        assert!(said.matches(name).count() >= 2, "{name}\n{said}");
    }
    let twice = "rescore rollouts.jsonl --with trajectory,name=a --with tool-call-order,name=a";
    place.check(
        twice,
        &[],
        2,
        &["error: --with a: the setting is there twice\n"],
    );
}

#[test]
fn rows_without_a_number_are_counted_and_numeric_texts_are_read() {
    let rows = ROLLOUTS
        .replace(r#""reward":0.2,"#, r#""reward":"0.2","#)
        .replacen(r#""reward":1,"#, "", 1)
        .replacen(r#""reward":1,"#, r#""reward":"unknown","#, 1);
    let place = place().with("some.jsonl", rows);
    let note = "2 of 6 rows have no number `reward`\n";
    let line = "rescore some.jsonl --with trajectory --against reward";
    assert_eq!(place.check(line, &[], 0, &[]).stderr, note);
    let line = "compare some.jsonl -e trajectory --against reward";
    assert_eq!(
        place.check(line, &[], 0, &[]).stderr,
        format!("some.jsonl: {note}")
    );
    let line = "compare rollouts.jsonl -e trajectory --against reward";
    assert_eq!(place.check(line, &[], 0, &[]).stderr, "");
}
