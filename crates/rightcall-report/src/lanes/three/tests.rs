use rightcall_core::{Ask, Evaluator};
use rightcall_formats::{ReadOptions, read_case};

use super::*;

/// The lanes of a case in two runs, one line for each row: expected, before, after.
fn lanes(id: &str, before: &str, after: &str) -> Option<(Vec<String>, ThreeLanes)> {
    let evaluator = Evaluator::new(id, "{}", None).unwrap();
    let [before, after] = [before, after].map(|it| read_case(it, &ReadOptions::default()).unwrap());
    let judge = |case| evaluator.evaluate(case, Ask::EXPLANATION).explanation;
    let explained = [judge(&before), judge(&after)];
    let three = ThreeLanes::new(
        (&before, explained[0].as_deref()),
        (&after, explained[1].as_deref()),
        ["before", "after"].map(str::to_owned),
    )?;
    let cell = |cell: &LaneCell| match cell {
        LaneCell::Call(card) => format!("{} {}", card.name, card.remark),
        LaneCell::Missed(_, remark) => remark.clone(),
        LaneCell::Empty => "-".to_owned(),
    };
    let line = |row: &LaneRow| {
        let expected = row.expected.as_ref().map_or("-", |card| &card.name);
        let mark = if row.is_changed { " *" } else { "" };
        format!(
            "{expected} | {} | {}{mark}",
            cell(&row.cells[0]),
            cell(&row.cells[1])
        )
    };
    let rows = three.stretches.iter().flat_map(|it| &it.rows);
    Some((rows.map(line).collect(), three))
}

#[test]
fn expected_calls_are_next_to_their_matches_in_both_runs() {
    let before = r#"{"expected":["find","pay","mail"],"actual":["find","look","mail","wait"]}"#;
    let after =
        r#"{"expected":["find","pay","mail"],"actual":["find","pay","wait","mail","look"]}"#;
    let (rows, three) = lanes("trajectory", before, after).unwrap();
    assert_eq!(
        rows,
        [
            "find | find same | find same",
            "pay | missed | pay same *",
            "- | look extra | - *",
            "- | - | wait extra *",
            "mail | mail same | mail same",
            "- | wait extra | - *",
            "- | - | look extra *",
        ]
    );
    assert!(three.stretches.iter().all(|it| it.folded.is_none()));
}

#[test]
fn equal_unexpected_calls_share_a_row() {
    let before = r#"{"expected":[],"actual":["a","b","c"]}"#;
    let after = r#"{"expected":[],"actual":["b","d","c"]}"#;
    let (rows, three) = lanes("trajectory", before, after).unwrap();
    let wanted = [
        "- | a extra | - *",
        "- | b extra | b extra",
        "- | - | d extra *",
        "- | c extra | c extra",
    ];
    assert_eq!(rows, wanted);
    assert!(!three.has_expected);
}

#[test]
fn long_equal_stretches_are_folded() {
    let case = |last: &str| {
        format!(r#"{{"expected":["a","b","c","d","e"],"actual":["a","b","c","d","{last}"]}}"#)
    };
    let (_, three) = lanes("trajectory", &case("x"), &case("e")).unwrap();
    let folded: Vec<_> = three
        .stretches
        .iter()
        .map(|it| (it.rows.len(), it.folded.is_some()))
        .collect();
    assert_eq!(folded, [(4, true), (2, false)]);
    let missed = r#"{"expected":["a","b","c","d"],"actual":[]}"#;
    let (_, three) = lanes("trajectory", missed, missed).unwrap();
    assert!(
        three.stretches[0].folded.is_none(),
        "what is missed in both stays in view"
    );
}

#[test]
fn uncompared_arguments_are_not_shown_as_equal() {
    let case = |amount: &str| {
        let call = |amount| format!(r#"{{"name":"refund","args":{{"id":7,"amount":{amount}}}}}"#);
        format!(
            r#"{{"expected":["find",{}],"actual":["find",{}]}}"#,
            call("39.9"),
            call(amount)
        )
    };
    let order = "uipath/tool-call-order";
    let (rows, three) = lanes(order, &case("39.9"), &case("47.88")).unwrap();
    let wanted = [
        "find | find same | find same",
        "refund | refund same | refund same tool, arguments not compared *",
    ];
    assert_eq!(rows, wanted);
    let LaneCell::Call(card) = &three.stretches[1].rows[0].cells[1] else {
        panic!("a call");
    };
    let marked: Vec<_> = card
        .differences
        .iter()
        .map(|(key, it)| (&**key, &*it.marked))
        .collect();
    assert_eq!(marked, [("amount", "47.88")]);
    assert_eq!(card.state.class(), "loose");
}

#[test]
fn calls_before_the_first_difference_are_the_same() {
    let call = |id: u32| format!(r#"{{"name":"find","args":{{"id":{id}}}}}"#);
    let list = |ids: [u32; 4]| ids.map(call).join(",");
    let case = format!(
        r#"{{"expected":[{}],"actual":[{}]}}"#,
        list([1, 2, 3, 4]),
        list([1, 2, 9, 4])
    );
    let (rows, _) = lanes("agentevals/trajectory-match", &case, &case).unwrap();
    let remarks: Vec<_> = rows
        .iter()
        .map(|it| it.split(" | ").nth(1).unwrap())
        .collect();
    let wanted = ["find same", "find same", "find other arguments"];
    assert_eq!(remarks[..3], wanted, "{rows:?}");
}

#[test]
fn equal_calls_after_a_missed_call_are_folded() {
    let call = |id: u32| format!(r#"{{"name":"find","args":{{"id":{id}}}}}"#);
    let list = |ids: &[u32]| ids.iter().map(|id| call(*id)).collect::<Vec<_>>().join(",");
    let case = format!(
        r#"{{"expected":[{}],"actual":[{}]}}"#,
        list(&[1, 2, 3, 4, 5, 6, 7]),
        list(&[1, 9, 3, 4, 5, 6, 7])
    );
    let (_, three) = lanes("agentevals/trajectory-match", &case, &case).unwrap();
    let folds: Vec<_> = three
        .stretches
        .iter()
        .map(|it| (it.folded, it.rows.len()))
        .collect();
    assert_eq!(
        folds,
        [(None, 1), (None, 1), (Some(FoldReason::NotReached), 5)]
    );
    assert!(
        three.stretches[2]
            .summary()
            .ends_with("after a missed call")
    );
    // The same calls follow a missed one in one run alone.
    let right = format!(
        r#"{{"expected":[{0}],"actual":[{0}]}}"#,
        list(&[1, 2, 3, 4, 5, 6, 7])
    );
    let (_, three) = lanes("agentevals/trajectory-match", &right, &case).unwrap();
    let folds: Vec<_> = three
        .stretches
        .iter()
        .map(|it| (it.folded, it.rows.len()))
        .collect();
    assert_eq!(
        folds,
        [(None, 1), (None, 1), (Some(FoldReason::NotReached), 5)]
    );
}

#[test]
fn missing_run_differs_from_empty_run() {
    let case = r#"{"expected":["a"],"actual":["a"]}"#;
    let (rows, _) = lanes("trajectory", case, r#"{"expected":["a"]}"#).unwrap();
    assert_eq!(rows, ["a | a same | no run found *"]);
}

#[test]
fn runs_with_different_expectations_share_no_lane() {
    let case = |name: &str| format!(r#"{{"expected":["{name}"],"actual":["a"]}}"#);
    assert!(lanes("trajectory", &case("a"), &case("b")).is_none());
}

#[test]
fn equal_conditions_share_a_row() {
    let case =
        |calls: &str| format!(r#"{{"expected":{{"counts":{{"a":1,"b":1}}}},"actual":[{calls}]}}"#);
    let (_, three) = lanes(
        "uipath/tool-call-count",
        &case(r#""a""#),
        &case(r#""a","b""#),
    )
    .unwrap();
    let folds: Vec<_> = three
        .checks
        .iter()
        .map(|it| {
            (
                it.label.as_str(),
                it.sides.clone().map(|side| side.unwrap().1.1),
            )
        })
        .collect();
    assert_eq!(
        folds,
        [("a", ["holds", "holds"]), ("b", ["broken", "holds"])]
    );
}
