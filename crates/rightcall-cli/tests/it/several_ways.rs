//! Expectations with alternatives on the command line: which commands keep them, which refuse them, and real runs that they judge better
//! than lists.

use std::fs;

use crate::Place;
use crate::paths::data;

/// The expectation for a refund: look-ups in any order, the amount that was looked up, and an optional note.
const REFUND: &str = r#"[{"any_order":["get_policy",{"name":"find_order","args":{"id":7},"output":{"total":{"$var":"total"},"$rest":"any"}}]},{"name":"refund","args":{"order":7,"amount":{"$var":"total"}}},{"optional":"send_email"}]"#;

fn run(id: &str, total: &str, amount: &str) -> String {
    format!(
        r#"{{"id":"{id}","actual":[{{"name":"find_order","args":{{"id":7}},"output":{{"total":{total}}}}},{{"name":"get_policy","args":{{}}}},{{"name":"refund","args":{{"order":7,"amount":{amount}}}}}]}}"#
    ) + "\n"
}

fn expectation(id: &str) -> String {
    format!(r#"{{"id":"{id}","expected":{REFUND}}}"#) + "\n"
}

fn place() -> Place {
    Place::new()
        .with("cases.jsonl", expectation("met") + &expectation("other"))
        .with(
            "runs.jsonl",
            run("met", "30", "30") + &run("other", "30", "50"),
        )
}

#[test]
fn review_keeps_matching_blocks_and_repairs_others() {
    let place = place();
    let before = place.read("cases.jsonl");
    let check = "review cases.jsonl --traces runs.jsonl --check";
    let said = place.check(
        check,
        &[],
        1,
        &["1 expectation met", "1 expectation would change"],
    );
    assert!(
        said.stdout
            .contains("to accept this run too\n    /1: refund: `amount` "),
        "{}",
        said.stdout
    );
    assert_eq!(place.read("cases.jsonl"), before);
    place.check(
        "review cases.jsonl --traces runs.jsonl --accept-all",
        &[],
        0,
        &["1 expectation accepted"],
    );
    assert!(place.read("cases.jsonl").starts_with(&expectation("met")));
    place.check(check, &[], 0, &["2 expectations met"]);
    // In the same file, lists are repaired and blocks stay byte for byte.
    let place = place
        .with(
            "cases.jsonl",
            expectation("met") + r#"{"id":"list","expected":["x"]}"# + "\n",
        )
        .with(
            "runs.jsonl",
            run("met", "30", "30") + r#"{"id":"list","actual":["y"]}"# + "\n",
        );
    place.check(
        "review cases.jsonl --traces runs.jsonl --accept-all",
        &[],
        0,
        &["1 expectation accepted"],
    );
    assert_eq!(
        place.read("cases.jsonl"),
        expectation("met") + r#"{"id":"list","expected":[{"one_of":["x","y"]}]}"# + "\n"
    );
}

#[test]
fn review_compares_a_list_of_calls_with_all_runs() {
    let runs = [(1, r#"["x"]"#), (2, r#"["x","y"]"#), (3, r#"["z"]"#)];
    let runs = runs.map(|(trial, calls)| {
        format!("{{\"id\":\"list\",\"trial\":{trial},\"actual\":{calls}}}\n")
    });
    let place = place()
        .with("cases.jsonl", r#"{"id":"list","expected":["x"]}"#)
        .with("runs.jsonl", runs.concat());
    let said = [
        "1 expectation would change",
        "1 case with several runs: the first that differs is shown",
    ];
    place.check(
        "review cases.jsonl --traces runs.jsonl --check",
        &[],
        1,
        &said,
    );
    let accept = "review cases.jsonl --traces runs.jsonl --accept-all";
    place.check(accept, &[], 0, &["1 expectation accepted"]);
    assert_eq!(
        place.read("cases.jsonl"),
        r#"{"id":"list","expected":["x",{"optional":"y"}]}"#
    );
}

#[test]
fn record_writes_calls_and_convert_keeps_blocks_or_fails() {
    let place = place();
    let both = expectation("met")
        .trim_end()
        .trim_end_matches('}')
        .to_owned()
        + &run("met", "30", r#"{"$gt":50}"#).replacen(r#"{"id":"met""#, "", 1);
    let place = place.with("both.jsonl", both);
    let recorded = place.check("record both.jsonl", &[], 0, &[]).stdout;
    // Recorded values are data, even if they look like matchers.
    assert!(
        recorded.contains(r#""amount":{"$literal":{"$gt":50}}"#) && !recorded.contains("any_order"),
        "{recorded}"
    );
    let converted = place.check("convert cases.jsonl", &[], 0, &[]).stdout;
    assert_eq!(converted, place.read("cases.jsonl"));
    for target in ["openai-chat", "anthropic", "otlp"] {
        let message = format!("{target} cannot represent expectations (1 case)");
        place.check(
            &format!("convert both.jsonl --to {target}"),
            &[],
            0,
            &[&message],
        );
    }
}

#[test]
fn explain_names_a_violated_variable() {
    let place = place();
    let line = "explain cases.jsonl --traces runs.jsonl --case other -e trajectory";
    let screen = place.check(line, &[], 0, &[]).stdout;
    for part in [
        "refund(order=7, amount=$total)",
        "/amount   expected $total, which is 30   found 50",
        "refund {\"order\":7,\"amount\":$total}",
        "  $total = 30\n",
    ] {
        assert!(screen.contains(part), "{part}\n{screen}");
    }
    assert!(!screen.contains("$var"), "{screen}");
    // JSON output keeps the words of the definition.
    let json = place
        .check(&format!("{line} --format json"), &[], 0, &[])
        .stdout;
    assert!(json.contains(r#"{"$var":"total"}"#), "{json}");
}

#[test]
fn resolution_does_not_depend_on_threads() {
    let (mut cases, mut runs) = (String::new(), String::new());
    for at in 0..300 {
        let id = format!("case-{at}");
        cases += &expectation(&id);
        runs += &run(&id, &at.to_string(), &(at / 2 * 2).to_string());
    }
    let place = Place::new()
        .with("cases.jsonl", cases)
        .with("runs.jsonl", runs);
    let scored = |threads: &str, more: &str| {
        let line = format!(
            "score cases.jsonl --traces runs.jsonl -e fitness -e trajectory --format json {more} --threads {threads}"
        );
        place.check(&line, &[], 1, &[]).stdout
    };
    for more in ["", "--explain"] {
        let one = scored("1", more);
        assert!(one.contains(r#""cost":1"#) && one.contains(r#""cost":0"#));
        for threads in ["2", "8"] {
            assert!(one == scored(threads, more), "{threads} threads {more}");
        }
    }
}

/// The value of a variable is redacted like any other, in all outputs and in the history.
#[test]
fn values_of_variables_are_redacted() {
    let secret = "4929-1234-5678";
    let total = format!("\"{secret}\"");
    let suite = "cases: cases.jsonl\ntraces: runs.jsonl\nevaluators: [fitness, trajectory]\nredact: [$/**/total, amount, total]\n";
    let place = Place::new()
        .with("cases.jsonl", expectation("met") + &expectation("other"))
        .with(
            "runs.jsonl",
            run("met", &total, &total) + &run("other", &total, "\"x-99\""),
        )
        .with("suite.yaml", suite);
    for line in [
        "run --explain --format json",
        "run --report html=r.html --report markdown=r.md --report junit=r.xml --report csv=r.csv",
        "explain suite.yaml --case met",
        "explain suite.yaml --case other",
        "explain suite.yaml --case other --format json",
        "explain latest --case other",
    ] {
        let said = place.run(line, &[]);
        assert!(said.code < 2, "{line}\n{}", said.stderr);
        for text in [&said.stdout, &said.stderr] {
            assert!(
                !text.contains(secret) && !text.contains("x-99"),
                "{line}\n{text}"
            );
        }
    }
    for name in ["r.html", "r.md", "r.xml", "r.csv", ".rightcall/history.db"] {
        let bytes = fs::read(place.path(name)).unwrap();
        let holds = |secret: &str| {
            bytes
                .windows(secret.len())
                .any(|it| it == secret.as_bytes())
        };
        assert!(!holds(secret) && !holds("x-99"), "{name}");
    }
}

/// A Parquet table written by pyarrow: expectations are JSON text, calls are structs.
#[test]
fn expectations_in_blocks_are_read_from_parquet() {
    let place = Place::new().with(
        "cases.parquet",
        include_bytes!("../fixtures/expectations.parquet"),
    );
    let line = "score cases.parquet -e fitness --format jsonl --no-details --quiet";
    let scored = place.check(line, &[], 1, &[]).stdout;
    assert_eq!(
        scored,
        r#"{"case":"met","evaluator":"fitness","score":1.0,"passed":true,"expectation":{"accepted":true,"cost":0}}
{"case":"other","evaluator":"fitness","score":0.8333333333333334,"passed":false,"expectation":{"accepted":false,"cost":1}}
"#
    );
}

/// The expectations of three tau-bench tasks with their alternatives: optional look-ups and an optional hand-over; one order or all three,
/// looked up before products in any order; two returns in any order.
const TAU: [(&[&str], &str); 3] = [
    (
        &[
            "airline/gpt-4o/18/0",
            "airline/gpt-4o/18/1",
            "airline/gpt-4o/18/2",
            "airline/gpt-4o/18/3",
        ],
        r#"[{"any_order":[{"optional":{"name":"get_user_details","args":{"user_id":"amelia_rossi_1297"}}},{"optional":{"name":"get_reservation_details","args":{"reservation_id":"SI5UKW"}}}]},{"optional":{"name":"transfer_to_human_agents","args":{"summary":{"$pattern":"SI5UKW"}}}}]"#,
    ),
    (
        &["retail/fork-tool-calling/9/9"],
        r##"[{"name":"find_user_id_by_name_zip","args":{"first_name":"Mei","last_name":"Kovacs","zip":"28236"}},"get_user_details",{"one_of":[{"name":"get_order_details","args":{"order_id":"#W6390527"}},{"any_order":[{"name":"get_order_details","args":{"order_id":"#W6390527"}},{"name":"get_order_details","args":{"order_id":"#W7800651"}},{"name":"get_order_details","args":{"order_id":"#W8065207"}}]}]},{"any_order":[{"name":"get_product_details","args":{"product_id":"8310926033"}},{"name":"get_product_details","args":{"product_id":"6817146515"}}]},{"optional":"think"},{"name":"exchange_delivered_order_items","args":{"order_id":"#W6390527","item_ids":["8384507844"],"new_item_ids":["7624783998"],"payment_method_id":"paypal_7644869"}}]"##,
    ),
    (
        &["retail/fork-tool-calling/14/14"],
        r##"[{"name":"find_user_id_by_email","args":{"email":"mia.garcia2723@example.com"}},"get_user_details",{"any_order":[{"name":"get_order_details","args":{"order_id":"#W5490111"}},{"name":"get_order_details","args":{"order_id":"#W7387996"}}]},{"any_order":[{"name":"return_delivered_order_items","args":{"order_id":"#W5490111","item_ids":["1421289881"],"payment_method_id":"credit_card_3124723"}},{"name":"return_delivered_order_items","args":{"order_id":"#W7387996","item_ids":["5796612084"],"payment_method_id":"paypal_9497703"}}]}]"##,
    ),
];

/// Runs of the same tasks that the benchmark judges wrong.
const WRONG: [(&str, usize); 2] = [
    ("retail/fork-assertions-a/9/9", 1),
    ("retail/fork-assertions-a/14/14", 2),
];

/// Right runs of tau-bench that its own lists judge wrong, judged by blocks; only if the data are available.
#[test]
fn right_tau_bench_runs_that_lists_reject_are_accepted() {
    let Some(pairs) = data().map(|data| data.join("tau-bench/pairs.jsonl")) else {
        return;
    };
    let pairs = fs::read_to_string(pairs).unwrap();
    let of_case =
        |id: &str, expected: &str| format!(r#"{{"id":"{id}","expected":{expected}}}"#) + "\n";
    let right = TAU.iter().enumerate();
    let right = right.flat_map(|(at, (ids, _))| ids.iter().map(move |id| (*id, at)));
    let (mut cases, mut runs) = (String::new(), String::new());
    for (id, at) in right.clone().chain(WRONG) {
        cases += &of_case(id, TAU[at].1);
        let start = format!(r#"{{"id":"{id}","#);
        let run = pairs.lines().find(|line| line.starts_with(&start)).unwrap();
        runs.push_str(run);
        runs.push('\n');
    }
    let place = Place::new()
        .with("cases.jsonl", cases)
        .with("runs.jsonl", runs);
    let lines = |line: &str| {
        let said = place.run(&format!("{line} --format jsonl --no-details --quiet"), &[]);
        assert!(said.code < 2, "{}", said.stderr);
        said.stdout.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let listed =
        lines("score runs.jsonl -e trajectory,align=lcs -e tau2/action-check --where reward=1.0");
    let in_blocks =
        lines("score cases.jsonl --traces runs.jsonl -e fitness -e trajectory,align=lcs");
    for (id, _) in right {
        let of = |lines: &[String], evaluator: &str| {
            let head = format!(r#"{{"case":"{id}","evaluator":"{evaluator}","#);
            let line = lines.iter().find(|line| line.starts_with(&head));
            line.unwrap_or_else(|| panic!("{id} {evaluator}")).clone()
        };
        assert!(
            !of(&listed, "trajectory").contains(r#""score":1.0"#),
            "{id}"
        );
        assert!(
            of(&in_blocks, "fitness").contains(r#""accepted":true"#),
            "{id}"
        );
        assert!(
            of(&in_blocks, "trajectory").contains(r#""score":1.0"#),
            "{id}"
        );
    }
    for (id, _) in WRONG {
        let head = format!(r#"{{"case":"{id}","evaluator":"fitness","#);
        let line = in_blocks
            .iter()
            .find(|line| line.starts_with(&head))
            .unwrap();
        assert!(line.contains(r#""accepted":false"#), "{line}");
    }
}
