//! Explanations of a case: pairs, differences, leftovers, and the arithmetic.

use rightcall_core::{Ask, Difference, Edition, Evaluator, Explanation, Tally};
use rightcall_formats::{ReadOptions, read_case};

/// The explanation line by line; pairs that don't count are in brackets.
fn told(explanation: &Explanation) -> Vec<String> {
    let mut told = Vec::new();
    for pair in &explanation.pairs {
        let differences = pair.differences.iter().map(
            |Difference {
                 pointer,
                 expected,
                 found,
             }| {
                let [expected, found] = [expected, found]
                    .map(|side| side.as_ref().map_or("nothing", |json| json.as_str()));
                format!(", {pointer} {expected}: {found}")
            },
        );
        let pair_told = format!("{}-{} {:?}", pair.expected, pair.actual, pair.grade);
        let pair_told = if pair.counted {
            pair_told
        } else {
            format!("({pair_told})")
        };
        told.push(pair_told + &differences.collect::<Vec<_>>().concat());
    }
    for check in &explanation.checks {
        told.push(format!(
            "{} {}: {} {:?} {:?}",
            check.label, check.wanted, check.found, check.held, check.actual
        ));
    }
    told.push(format!(
        "missed {:?} extra {:?}",
        explanation.missed, explanation.extra
    ));
    if !explanation.not_examined.is_empty() {
        told.push(format!("not examined {:?}", explanation.not_examined));
    }
    if !explanation.duplicates.is_empty() {
        told.push(format!("duplicates {:?}", explanation.duplicates));
    }
    told.extend(
        explanation
            .arithmetic
            .iter()
            .map(|term| format!("{} = {} = {}", term.label, term.formula, term.value)),
    );
    told
}

const CASE: &str = r#"{"expected":[{"name":"find","args":{"id":7,"city":"Rome"},"output":"x"},{"name":"book","args":{"id":7},"output":"y"},{"name":"pay","args":{"sum":1},"output":"z"},{"name":"find","args":{},"output":"x"}],"actual":[{"name":"find","args":{"id":7,"city":"Roma"},"output":"x"},{"name":"pay","args":{"sum":1,"tip":2},"output":"w"},{"name":"find","args":{"id":8},"output":"x"},{"name":"send","args":{},"output":"s"}]}"#;

fn explain(evaluator: &str, settings: &str, case: &str) -> Vec<String> {
    let case = read_case(case, &ReadOptions::default()).expect("the case is well formed");
    let evaluator = Evaluator::new(evaluator, settings, None).expect("the settings are right");
    told(
        &evaluator
            .evaluate(&case, Ask::ALL)
            .explanation
            .expect("a scored case is explained"),
    )
}

fn explain_native(evaluator: &str, settings: &str, expected: &str, actual: &str) -> Vec<String> {
    let evaluator = Evaluator::from_config(evaluator, settings, Edition::Package)
        .expect("the settings are right");
    told(
        &evaluator
            .evaluate_native(expected, actual, Ask::ALL)
            .explanation
            .expect("a scored case is explained"),
    )
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of evaluators")]
fn every_evaluator_explains_the_same_case_in_the_same_form() {
    let wanted: &[(&str, &str, &[&str])] = &[
        (
            "uipath/tool-call-count",
            "{}",
            &[
                "find = 2: 2 Some(true) [0, 2]",
                "book = 1: 0 Some(false) []",
                "pay = 1: 1 Some(true) [1]",
                "missed [] extra []",
                "mean = 2 / 3 = 0.6666666666666666",
            ],
        ),
        (
            "uipath/tool-call-count",
            r#"{"strict":true}"#,
            &[
                "find = 2: 2 Some(true) [0, 2]",
                "book = 1: 0 Some(false) []",
                "missed [] extra []",
                "all or nothing = every count holds: no = 0",
            ],
        ),
        (
            "uipath/tool-call-order",
            "{}",
            &[
                "0-0 Full",
                "2-1 Full",
                "3-2 Full",
                "missed [1] extra [3]",
                "recall = 3 / 4 = 0.75",
            ],
        ),
        (
            "uipath/tool-call-args",
            "{}",
            &[
                "2-1 Full",
                "3-0 Full",
                r#"(0-2 NameOnly), /id 7: 8, /city "Rome": nothing"#,
                "missed [0, 1] extra [2, 3]",
                "recall = 2 / 4 = 0.5",
            ],
        ),
        (
            "uipath/tool-call-output",
            r#"{"strict":true}"#,
            &[
                "0-0 Full",
                "missed [] extra []",
                "not examined [(Expected, 1), (Expected, 2), (Expected, 3), (Actual, 1), (Actual, 2), (Actual, 3)]",
                "all or nothing = every expected output was returned: no = 0",
            ],
        ),
        (
            "axion/tool-correctness",
            r#"{"check_parameters":true}"#,
            &[
                r#"(0-0 NameOnly), /city "Rome": "Roma""#,
                "(2-1 NameOnly), /tip nothing: 2",
                "(3-2 NameOnly), /id nothing: 8",
                "missed [0, 1, 2, 3] extra [0, 1, 2, 3]",
                "recall = 0 / 4 = 0",
            ],
        ),
        (
            "axion/tool-correctness",
            r#"{"check_parameters":true,"parameter_matching_strategy":"fuzzy"}"#,
            &[
                "0-0 Full",
                "2-1 Full",
                "3-2 Full",
                "missed [1] extra [3]",
                "recall = 3 / 4 = 0.75",
            ],
        ),
        (
            "evalite/tool-call-accuracy",
            "{}",
            &[
                r#"0-0 NameOnly, /city "Rome": "Roma""#,
                "(2-1 NameOnly), /tip nothing: 2",
                "(3-2 NameOnly), /id nothing: 8",
                "missed [1, 2, 3] extra [1, 2, 3]",
                "credit = (1 × 0 + 0.5 × 1) / 4 = 0.125",
                "penalty = 0.25 × (3 extra / 4) = 0.1875",
                "score = 0.125 − 0.1875, clamped to 0..1 = 0",
            ],
        ),
        (
            "tpmjs/tool-call-accuracy-score",
            "{}",
            &[
                r#"0-0 NameOnly, /city "Rome": "Roma""#,
                "2-1 NameOnly, /tip nothing: 2",
                "3-2 NameOnly, /id nothing: 8",
                "missed [1] extra [3]",
                "precision = 0 / 4 = 0",
                "recall = 0 / 4 = 0",
                "f1 = precision and recall are zero = 0",
                "rounded = round(0, 3) = 0",
            ],
        ),
        (
            "deepeval/tool-correctness",
            r#"{"evaluation_params":["input_parameters"]}"#,
            &[
                r#"0-0 Partial(0.5), /city "Rome": "Roma""#,
                "2-1 Partial(0.5), /tip nothing: 2",
                "(3-2 NameOnly), /id nothing: 8",
                "missed [1, 3] extra [2, 3]",
                "credit = 2 × 0.5 = 1",
                "recall = 1 / 4 = 0.25",
            ],
        ),
        (
            "ragas/tool-call-accuracy",
            "{}",
            &[
                r#"0-0 Partial(0.5), /city "Rome": "Roma""#,
                "(2-1 NameOnly)",
                "(3-2 NameOnly), /id nothing: 8",
                "missed [1, 2, 3] extra [1, 2, 3]",
                "recall = 0.5 / 4 = 0.125",
                "score = the names align: no = 0",
            ],
        ),
        (
            "ragas/tool-call-f1",
            "{}",
            &[
                r#"(0-0 NameOnly), /city "Rome": "Roma""#,
                "(2-1 NameOnly), /tip nothing: 2",
                "(3-2 NameOnly), /id nothing: 8",
                "missed [0, 1, 2, 3] extra [0, 1, 2, 3]",
                "precision = 0 / 4 = 0",
                "recall = 0 / 4 = 0",
                "f1 = precision and recall are zero = 0",
                "rounded = round(0, 4) = 0",
            ],
        ),
        (
            "agentevals/trajectory-match",
            r#"{"trajectory_match_mode":"superset"}"#,
            &[
                r#"(0-0 NameOnly), /city "Rome": "Roma""#,
                "(2-1 NameOnly), /tip nothing: 2",
                "(3-2 NameOnly), /id nothing: 8",
                "missed [0, 1, 2, 3] extra [0, 1, 2, 3]",
                "all or nothing = every expected call was made: no = 0",
            ],
        ),
        (
            "adk/trajectory",
            r#"{"threshold":0.5}"#,
            &[
                r#"0-0 NameOnly, /city "Rome": "Roma""#,
                "(2-1 NameOnly), /tip nothing: 2",
                "(3-2 NameOnly), /id nothing: 8",
                "missed [1, 2, 3] extra [1, 2, 3]",
                "mean of the invocations = 0 / 1 = 0",
            ],
        ),
        (
            "trajectory",
            r#"{"match":{"args":"overlap"},"align":"assignment","score":"f1"}"#,
            &[
                r#"0-0 Partial(0.5), /city "Rome": "Roma""#,
                "2-1 Partial(0.5), /tip nothing: 2",
                "3-2 NameOnly, /id nothing: 8",
                "missed [1] extra [3]",
                "credit = 2 × 0.5 = 1",
                "precision = 1 / 4 = 0.25",
                "recall = 1 / 4 = 0.25",
                "f1 = 2 × 1 / (4 + 4) = 0.25",
            ],
        ),
    ];
    for (evaluator, settings, wanted) in wanted {
        assert_eq!(
            explain(evaluator, settings, CASE),
            *wanted,
            "{evaluator} {settings}"
        );
    }
}

#[test]
fn items_that_the_original_passes_over_are_neither_missed_nor_extra() {
    let evalite = explain_native(
        "evalite/tool-call-accuracy",
        "{}",
        r#"[{"toolName":"a"},null,{"toolName":"b"}]"#,
        r#"[null,{"toolName":"b"},0]"#,
    );
    assert_eq!(
        evalite,
        [
            "(2-1 NameOnly)",
            "missed [0, 2] extra [1]",
            "credit = (1 × 0 + 0.5 × 0) / 3 = 0",
            "penalty = 0.25 × (3 extra / 3) = 0.25",
            "score = 0 − 0.25, clamped to 0..1 = 0"
        ]
    );
    let tpmjs = explain_native(
        "tpmjs/tool-call-accuracy-score",
        "{}",
        r#"[{"tool":"a"},{"tool":"b","args":{"x":1}}]"#,
        r#"[null,{"tool":"b","args":{"x":2}},{"tool":"b","args":{"x":1}}]"#,
    );
    assert_eq!(
        tpmjs,
        [
            "1-2 Full",
            "missed [0] extra [1]",
            "precision = 1 / 3 = 0.3333333333333333",
            "recall = 1 / 2 = 0.5",
            "f1 = 2 × 0.3333333333333333 × 0.5 / (0.3333333333333333 + 0.5) = 0.4",
            "rounded = round(0.4, 3) = 0.4"
        ]
    );
}

#[test]
fn every_difference_has_its_place() {
    let case = r#"{"expected":[{"name":"a","args":{"a/b":{"~":[1,2,{"c":null}]},"d":[1]}}],"actual":[{"name":"a","args":{"a/b":{"~":[1,3,{}]},"d":[1,2],"e":0}}]}"#;
    let told = explain("trajectory", "{}", case);
    assert_eq!(
        told[0],
        "0-0 NameOnly, /a~1b/~0/1 2: 3, /a~1b/~0/2/c null: nothing, /d/1 nothing: 2, /e nothing: 0"
    );
}

#[test]
fn what_a_set_counts_once_is_told_apart_from_what_is_missed() {
    let case = r#"{"expected":[{"name":"a","args":{}},{"name":"a","args":{}}],"actual":[{"name":"a","args":{}},{"name":"b","args":{}},{"name":"b","args":{}}]}"#;
    let told = explain("ragas/tool-call-f1", "{}", case);
    assert_eq!(
        told[..3],
        [
            "0-0 Full",
            "missed [] extra [1]",
            "duplicates [(Expected, 1), (Actual, 2)]"
        ]
    );
}

#[test]
fn an_empty_side_is_told_as_such() {
    let case = r#"{"expected":[],"actual":[{"name":"a","args":{}},{"name":"b","args":{}}]}"#;
    for evaluator in [
        "tpmjs/tool-call-accuracy-score",
        "evalite/tool-call-accuracy",
    ] {
        assert_eq!(
            explain(evaluator, "{}", case),
            [
                "missed [] extra [0, 1]",
                "score = no calls on one side or both = 0"
            ],
            "{evaluator}"
        );
    }
}

#[test]
fn the_calls_of_later_invocations_are_numbered_behind_those_before() {
    let invocations = |names: [&str; 3]| {
        let calls = |names: &str| {
            let calls: Vec<_> = names
                .chars()
                .map(|name| format!(r#"{{"name":"{name}","args":{{}}}}"#))
                .collect();
            format!(
                r#"{{"intermediate_data":{{"tool_uses":[{}]}}}}"#,
                calls.join(",")
            )
        };
        format!("[{}]", names.map(calls).join(","))
    };
    let (expected, actual) = (
        invocations(["ab", "c", "dee"]),
        invocations(["b", "cc", "xe"]),
    );
    let evaluator = Evaluator::from_config(
        "adk/trajectory",
        r#"{"threshold":0.5,"match_type":"IN_ORDER"}"#,
        Edition::Package,
    );
    let evaluation =
        evaluator
            .expect("the settings are right")
            .evaluate_native(&expected, &actual, Ask::ALL);
    let explanation = evaluation.explanation.expect("a scored case is explained");
    let wanted = [
        // After a missed call, so not counted.
        "(1-0 Full)",
        "2-1 Full",
        "(4-4 Full)",
        "missed [0, 1, 3, 4, 5] extra [0, 2, 3, 4]",
        "mean of the invocations = 1 / 3 = 0.3333333333333333",
    ];
    assert_eq!(told(&explanation), wanted);
    let tally = Tally {
        expected: 6,
        actual: 5,
        full: 1,
        missed: 5,
        extra: 4,
        credit: 1.0,
        ..Tally::default()
    };
    assert_eq!(explanation.tally, tally);
}

#[test]
fn each_number_of_a_penalty_says_what_it_counts() {
    let calls = |names: &str| {
        names
            .chars()
            .map(|name| format!(r#"{{"name":"{name}","args":{{}}}}"#))
            .collect::<Vec<_>>()
            .join(",")
    };
    let case = |expected: &str, actual: &str| {
        format!(
            r#"{{"expected":[{}],"actual":[{}]}}"#,
            calls(expected),
            calls(actual)
        )
    };
    let penalty = |settings: &str, case: &str| {
        explain("evalite/tool-call-accuracy", settings, case)
            .into_iter()
            .rev()
            .nth(1)
    };
    let one_too_many = case("ab", "acd");
    assert_eq!(
        penalty("{}", &one_too_many).unwrap(),
        "penalty = 0.25 × ((2 extra + 1 too many) / 2) = 0.375"
    );
    let two_too_few = case("abc", "x");
    assert_eq!(
        penalty("{}", &two_too_few).unwrap(),
        "penalty = 0.25 × ((1 extra + 2 too few) / 3) = 0.25"
    );
    assert_eq!(
        penalty(r#"{"edition":"package"}"#, &two_too_few).unwrap(),
        "penalty = 0.25 × (1 extra / 3) = 0.08333333333333333"
    );
    assert_eq!(
        penalty(r#"{"mode":"flexible"}"#, &one_too_many).unwrap(),
        "penalty = 0.25 × (2 extra / 2) = 0.25"
    );
    assert_eq!(
        penalty("{}", &case("a", "a")).unwrap(),
        "penalty = 0.25 × (0 / 1) = 0"
    );
}

#[test]
fn calls_that_nobody_asked_for_are_listed_where_there_are_no_criteria() {
    let told = explain(
        "uipath/tool-call-count",
        "{}",
        r#"{"expected":{"counts":{}},"actual":[{"name":"a"},{"name":"b"}]}"#,
    );
    assert_eq!(
        told,
        [
            "missed [] extra [0, 1]",
            "score = no criteria, and calls were made = 0"
        ]
    );
    let nothing = r#"{"expected":{"counts":{"a":["<=",1],"b":["=",1]}},"actual":[]}"#;
    assert_eq!(
        explain(
            "uipath/tool-call-count",
            r#"{"edition":"package"}"#,
            nothing
        ),
        [
            "a <= 1: 0 Some(true) []",
            "b = 1: 0 Some(false) []",
            "missed [] extra []",
            "score = nothing was called = 0"
        ]
    );
}

#[test]
fn the_same_call_has_no_differences() {
    // The call after the missed one is equal under the rule, which compares only `id`.
    let case = r#"{"expected":[{"name":"a","args":{}},{"name":"b","args":{"id":7,"n":1}}],"actual":[{"name":"b","args":{"id":7,"n":2}}]}"#;
    let told = explain(
        "trajectory",
        r#"{"mode":"in_order","match":{"args":"keys","keys":["id"]}}"#,
        case,
    );
    assert_eq!(told[0], "(1-0 Full)");
}

#[test]
fn of_equal_calls_that_count_once_the_others_are_set_aside() {
    let case = r#"{"expected":[{"name":"a","args":{}},{"name":"a","args":{}}],"actual":[{"name":"a","args":{}},{"name":"a","args":{}}]}"#;
    let told = explain("deepeval/tool-correctness", "{}", case);
    assert_eq!(
        told,
        [
            "0-0 Full",
            "missed [1] extra []",
            "duplicates [(Actual, 1)]",
            "recall = 1 / 2 = 0.5"
        ]
    );
}

#[test]
fn a_call_that_was_not_looked_at_is_neither_missed_nor_extra() {
    let case = |turn: &str| {
        format!(
            r#"{{"expected":[{{"name":"a","args":{{}},"turn":0}},{{"name":"b","args":{{"id":7}},"turn":1}}],"actual":[{{"name":"a","args":{{}},"turn":0}},{{"name":"b","args":{{"id":1}},"turn":{turn}}}]}}"#
        )
    };
    let end = "all or nothing = the same calls, message by message: no = 0";
    assert_eq!(
        explain("agentevals/trajectory-match", "{}", &case("1")),
        [
            "0-0 Full",
            "(1-1 NameOnly), /id 7: 1",
            "missed [1] extra [1]",
            end
        ]
    );
    // With a different number of turns, no calls are compared.
    assert_eq!(
        explain("agentevals/trajectory-match", "{}", &case("0")),
        [
            "missed [] extra []",
            "not examined [(Expected, 0), (Expected, 1), (Actual, 0), (Actual, 1)]",
            end
        ]
    );
}

#[test]
fn all_differences_of_a_pair_are_counted() {
    let list = |value: &str| {
        format!(
            r#"{{"name":"a","args":{{"x":[{}]}}}}"#,
            [value; 200].join(",")
        )
    };
    let json = format!(r#"{{"expected":[{}],"actual":[{}]}}"#, list("1"), list("2"));
    let case = read_case(&json, &ReadOptions::default()).expect("the case is well formed");
    let evaluator = Evaluator::new("trajectory", "{}", None).expect("the settings are right");
    let explanation = evaluator
        .evaluate(&case, Ask::ALL)
        .explanation
        .expect("a scored case is explained");
    let pair = &explanation.pairs[0];
    assert_eq!((pair.differences.len(), pair.more_differences), (64, 136));
    let read = Explanation::from_json(explanation.to_json().as_str())
        .expect("what was written can be read");
    assert_eq!(read.pairs[0].more_differences, 136);
}

#[test]
fn identical_arguments_are_alike_where_one_is_null() {
    let case = r#"{"expected":[{"name":"a","args":{"q":null,"n":1}}],"actual":[{"name":"a","args":{"q":null,"n":1}}]}"#;
    assert_eq!(
        explain(
            "trajectory",
            r#"{"match":{"args":"fuzzy"},"score":"recall"}"#,
            case
        )[0],
        "0-0 Full"
    );
    // The original treats null as unequal to itself.
    let axion = r#"{"check_parameters":true,"parameter_matching_strategy":"fuzzy"}"#;
    assert!(explain("axion/tool-correctness", axion, case)[0].starts_with("(0-0 NameOnly)"));
}

#[test]
fn what_costs_nothing_can_be_left_out_without_another_score() {
    let calls = |names: &str| {
        names
            .chars()
            .map(|name| format!(r#"{{"name":"{name}","args":{{}},"turn":0}}"#))
            .collect::<Vec<_>>()
            .join(",")
    };
    for entry in rightcall_core::EVALUATORS
        .iter()
        .filter(|entry| entry.id != "constraints")
    {
        let score = |actual: &str| {
            let json = format!(
                r#"{{"expected":[{}],"actual":[{}]}}"#,
                calls("ab"),
                calls(actual)
            );
            let case = read_case(&json, &ReadOptions::default()).expect("the case is well formed");
            let evaluation = Evaluator::new(entry.id, "{}", None)
                .expect("it needs no settings")
                .evaluate(&case, Ask::ALL);
            (
                evaluation.score(),
                evaluation.explanation.map(|it| (it.costs.extra, it.extra)),
            )
        };
        let (with, explanation) = score("abx");
        let Some((costs, extra)) = explanation else {
            continue;
        };
        let is_same = with == score("ab").0;
        assert!(
            extra.is_empty() || costs != is_same,
            "{}: an extra call costs {costs}, the score is the same: {is_same}",
            entry.id
        );
    }
}
