//! Findings that a run shows in addition to its scores.

use crate::Place;

/// Cases of `find`: the expected and the actual id of each.
fn place(calls: &[(u64, u64)]) -> Place {
    let case = |(number, (expected, called)): (usize, &(u64, u64))| {
        format!(
            r#"{{"id":"c{number}","expected":[{{"name":"find","args":{{"id":{expected}}}}}],"actual":[{{"name":"find","args":{{"id":{called}}}}}]}}"#
        )
    };
    Place::with_cases(&calls.iter().enumerate().map(case).collect::<Vec<_>>())
}

#[test]
fn failures_are_grouped_by_cause() {
    let place = place(&[(1, 1), (2, 1), (3, 4), (5, 5)]);
    let table = place
        .check(
            "score cases.jsonl -e trajectory -e adk/trajectory",
            &[],
            0,
            &[],
        )
        .stdout;
    assert!(
        table.contains("\n  why 2 of 4 cases failed or scored below 1"),
        "{table}"
    );
    assert!(
        table.contains("\n    2 of 2   find: id differs   c1\n"),
        "{table}"
    );
}

#[test]
fn findings_are_computed_only_for_outputs_that_show_them() {
    let place = place(&[(2, 1)]);
    for flags in [
        "--quiet",
        "--format jsonl",
        "--format json",
        "--quiet --output out.txt",
    ] {
        let said = place.check(
            &format!("score cases.jsonl -e trajectory {flags}"),
            &[],
            0,
            &[],
        );
        assert!(
            !said.stdout.contains("scored below 1"),
            "{flags}\n{}",
            said.stdout
        );
    }
    let beside = place
        .check(
            "score cases.jsonl -e trajectory --output out.jsonl",
            &[],
            0,
            &[],
        )
        .stdout;
    assert!(
        beside.contains("why 1 of 1 case scored below 1"),
        "{beside}"
    );
}

#[test]
fn near_names_and_rarely_applicable_evaluators_are_warnings() {
    let case = |id: u64, expected: &str| {
        format!(
            r#"{{"id":"{id}","expected":["{expected}"],"actual":[{{"name":"find_order","args":{{}}}}]}}"#
        )
    };
    let place = Place::with_cases(&[
        case(1, "find_orders"),
        case(2, "find_order"),
        case(3, "find_order"),
    ]);
    let table = place
        .check(
            "score cases.jsonl -e tool-call-order -e ragas/tool-call-f1",
            &[],
            0,
            &[],
        )
        .stdout;
    assert!(
        table.contains("warning  find_orders: expected, but 0 calls; find_order: 3 calls"),
        "{table}"
    );
    assert!(
        table.contains("warning  ragas/tool-call-f1 applies to no case"),
        "{table}"
    );
}

#[test]
fn keys_that_name_no_argument_are_a_warning() {
    let place = place(&[(1, 1), (2, 1), (3, 4)]);
    let arguments =
        r#"score cases.jsonl --quiet -e trajectory,match={"args":"keys","keys":["idd"]}"#;
    place.check(arguments, &[], 0, &[]);
    let said = place.check(
        &arguments.replace("--quiet ", ""),
        &[],
        0,
        &[
            "warning: trajectory: `match.keys` names no argument on either side of 3 cases: `idd`",
            "the arguments are `id`",
        ],
    );
    assert!(
        said.stdout.contains("applies to no case"),
        "{}",
        said.stdout
    );
    let decides = arguments.replace("-e trajectory", "-e trajectory,threshold=1");
    place.check(&decides, &[], 2, &["judged no case"]);
    let right = arguments.replace("idd", "id");
    let said = place.check(&right.replace("--quiet ", ""), &[], 0, &[]);
    assert!(!said.stderr.contains("warning"), "{}", said.stderr);
}

#[test]
fn cases_with_differing_editions_are_counted_and_listed_on_request() {
    let case = |id: &str| format!(r#"{{"id":"{id}","expected":[],"actual":[{{"name":"find"}}]}}"#);
    let place = Place::with_cases(&[case("a"), case("b"), crate::good("c")]);
    let table = |flags: &str| {
        place
            .check(
                &format!("score cases.jsonl -e tool-call-order {flags}"),
                &[],
                0,
                &[],
            )
            .stdout
    };
    let warning = "the editions of uipath/tool-call-order differ on 2 of 3 cases";
    assert!(
        table("").contains(&format!("{warning} (--editions lists them)\n")),
        "{}",
        table("")
    );
    let listed = table("--editions");
    assert!(listed.contains(&format!("{warning}\n")), "{listed}");
    for id in ["a", "b"] {
        let row = listed
            .lines()
            .find(|line| line.starts_with(&format!("    {id} ")))
            .unwrap();
        assert!(row.ends_with("not applicable           0.000"), "{row}");
    }
}

#[test]
fn findings_do_not_depend_on_threads() {
    let calls: Vec<_> = (0..3000).map(|number| (number % 7, number % 11)).collect();
    let place = place(&calls);
    let table = |threads: &str| {
        place
            .check(
                &format!("score cases.jsonl -e trajectory --threads {threads}"),
                &[],
                0,
                &[],
            )
            .stdout
    };
    assert_eq!(table("1"), table("5"));
}
