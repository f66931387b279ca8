//! Tests each operator on a small run, and the definitions of "same effect", "noticed" and "left open".

use std::collections::{BTreeSet, HashSet};

use rightcall_core::PreparedCase;
use rightcall_core::call::{Call, Case};
use rightcall_core::value::JsonText;
use rightcall_formats::{ReadOptions, ToolCatalogue, read_case};
use rightcall_stats::Random;

use super::*;

const TOOLS: &str = r#"[
    {"name":"find_order","input_schema":{"type":"object","required":["id"],"properties":{"id":{"type":"integer"},"full":{"type":"boolean","default":false}}}},
    {"name":"refund","input_schema":{"type":"object","required":["id","amount"],"properties":{"id":{"type":"integer"},"amount":{"type":"number"}}}},
    {"name":"escalate","input_schema":{"type":"object","properties":{"id":{"type":"integer"}}}}]"#;

const CASE: &str = r#"{"id":"a","expected":[{"name":"find_order","args":{"id":7,"full":true}},{"name":"refund","args":{"id":7,"amount":39.5}}],
    "actual":[{"name":"find_order","args":{"id":7,"full":true},"output":{"order":7}},{"name":"refund","args":{"id":7,"amount":39.5},"error":"busy"}]}"#;

const OTHER: &str = r#"{"id":"b","actual":[{"name":"find_order","args":{"id":9},"output":{"order":8,"text":"x"}},{"name":"escalate","args":{}}]}"#;

fn case(json: &str) -> Case<'_> {
    read_case(json, &ReadOptions::default()).unwrap()
}

fn material(cases: &[&str]) -> Material {
    let mut material = Material::default();
    material.add_tools(&ToolCatalogue::from_json(TOOLS).unwrap(), "tools.json");
    for (number, json) in cases.iter().enumerate() {
        material.add_case(&case(json), number);
    }
    material
}

fn operator(code: &str) -> &'static MutationOperator {
    OPERATORS.iter().find(|it| it.code == code).unwrap()
}

/// A run on one line: `find_order{"id":7} refund{}`.
fn line(calls: &[Call<'_>]) -> String {
    let call = |it: &Call<'_>| {
        let arguments = it
            .arguments
            .to_value()
            .map(|it| JsonText::from_value(&it).into_string());
        format!("{}{}", it.name, arguments.unwrap_or_default())
    };
    calls.iter().map(call).collect::<Vec<_>>().join(" ")
}

/// All broken runs that an operator makes from a run.
fn broken(code: &str, json: &str) -> BTreeSet<String> {
    let (case, material) = (case(json), material(&[json, OTHER]));
    let run = SubjectRun::new(&case, 0, &material).unwrap();
    let mutants = (0..500).filter_map(|seed| {
        let mutant = (operator(code).make)(&run, &mut Random::from_seed(seed))?;
        assert!(!mutant.change.to_text(true).is_empty());
        assert!(!mutant.change.to_text(false).contains("39.5"));
        Some(line(&mutant.to_calls(&run)))
    });
    mutants.collect()
}

#[track_caller]
fn check(code: &str, expected: &[&str]) {
    let expected: BTreeSet<_> = expected.iter().map(|it| (*it).to_owned()).collect();
    assert_eq!(broken(code, CASE), expected, "{code}");
}

const FIND: &str = r#"find_order{"id":7,"full":true}"#;
const REFUND: &str = r#"refund{"id":7,"amount":39.5}"#;

#[test]
fn weights_of_each_group_sum_to_100_and_codes_are_unique() {
    for group in OperatorGroup::ALL {
        let weights = OPERATORS
            .iter()
            .filter(|it| it.group == group)
            .map(|it| it.weight);
        assert_eq!(weights.sum::<u32>(), 100, "{}", group.name());
    }
    let codes: HashSet<_> = OPERATORS.iter().map(|it| it.code).collect();
    assert_eq!(codes.len(), OPERATORS.len());
}

#[test]
fn argument_gets_another_value_of_its_kind() {
    let all = broken("argument-value", CASE);
    assert!(all.contains(&format!(r#"find_order{{"id":7,"full":false}} {REFUND}"#)));
    assert!(all.contains(&format!(r#"find_order{{"id":9,"full":true}} {REFUND}"#)));
    assert!(!all.contains(&format!("{FIND} {REFUND}")));
    for line in &all {
        let changed = [line.starts_with(FIND), line.ends_with(REFUND)];
        assert_eq!(changed.iter().filter(|it| **it).count(), 1, "{line}");
    }
}

#[test]
fn call_is_renamed_to_another_tool_of_the_catalogue() {
    check(
        "other-tool",
        &[
            &format!(r#"refund{{"id":7,"full":true}} {REFUND}"#),
            &format!(r#"escalate{{"id":7,"full":true}} {REFUND}"#),
            &format!(r#"{FIND} find_order{{"id":7,"amount":39.5}}"#),
            &format!(r#"{FIND} escalate{{"id":7,"amount":39.5}}"#),
        ],
    );
}

#[test]
fn call_is_dropped_repeated_or_added() {
    let added = |call: &str| {
        [
            format!("{call} {FIND} {REFUND}"),
            format!("{FIND} {call} {REFUND}"),
            format!("{FIND} {REFUND} {call}"),
        ]
    };
    let mut expected = vec![
        FIND.to_owned(),
        REFUND.to_owned(),
        format!("{FIND} {FIND} {REFUND}"),
        format!("{FIND} {REFUND} {REFUND}"),
    ];
    expected.extend(added("escalate{}"));
    expected.extend(added(r#"find_order{"id":9}"#));
    check(
        "call-count",
        &expected.iter().map(String::as_str).collect::<Vec<_>>(),
    );
}

#[test]
fn arguments_are_dropped_according_to_the_schema() {
    check(
        "optional-argument-left-out",
        &[&format!(r#"find_order{{"id":7}} {REFUND}"#)],
    );
    check(
        "required-argument-left-out",
        &[
            &format!(r#"find_order{{"full":true}} {REFUND}"#),
            &format!(r#"{FIND} refund{{"amount":39.5}}"#),
            &format!(r#"{FIND} refund{{"id":7}}"#),
        ],
    );
}

#[test]
fn argument_gets_another_type() {
    check(
        "argument-type",
        &[
            &format!(r#"find_order{{"id":"7","full":true}} {REFUND}"#),
            &format!(r#"find_order{{"id":7,"full":"true"}} {REFUND}"#),
            &format!(r#"{FIND} refund{{"id":"7","amount":39.5}}"#),
            &format!(r#"{FIND} refund{{"id":7,"amount":"39.5"}}"#),
        ],
    );
}

#[test]
fn arguments_are_invented_or_invalid_json() {
    check(
        "invented-argument",
        &[
            &format!(r#"find_order{{"id":7,"full":true,"verbose":true}} {REFUND}"#),
            &format!(r#"{FIND} refund{{"id":7,"amount":39.5,"verbose":true}}"#),
        ],
    );
    check(
        "unparsable-arguments",
        &[
            &format!(r#"find_order"{{\"id\":7,\"full\":true" {REFUND}"#),
            &format!(r#"{FIND} refund"{{\"id\":7,\"amount\":39.5""#),
        ],
    );
}

#[test]
fn steps_are_repeated_and_checks_skipped() {
    check(
        "step-repeated",
        &[
            &format!("{FIND} {FIND} {REFUND}"),
            &format!("{FIND} {FIND} {FIND} {REFUND}"),
            &format!("{FIND} {REFUND} {REFUND}"),
            &format!("{FIND} {REFUND} {REFUND} {REFUND}"),
            &format!("{FIND} {REFUND} {FIND} {REFUND}"),
            &format!("{FIND} {REFUND} {FIND} {REFUND} {FIND} {REFUND}"),
        ],
    );
    check("check-skipped", &[REFUND]);
}

#[test]
fn run_is_truncated_or_continued() {
    check("cut-off", &["", FIND]);
    let all = broken("goes-on", CASE);
    assert!(all.contains(&format!("{FIND} {REFUND} escalate{{}}")));
    let whole = format!("{FIND} {REFUND} ");
    assert!(all.iter().all(|it| it.starts_with(&whole)), "{all:?}");
}

#[test]
fn failed_call_is_retried_and_value_is_taken_from_another_case() {
    let again = |times: usize| format!("{FIND} {REFUND}{}", format!(" {REFUND}").repeat(times));
    check("failed-call-again", &[&again(1), &again(2), &again(3)]);
    // The result `order` of its own case was 7, which refund takes as `id`; in the other case it was 8.
    check(
        "value-of-another-case",
        &[&format!(r#"{FIND} refund{{"id":8,"amount":39.5}}"#)],
    );
}

#[test]
fn operators_without_a_target_make_no_mutant() {
    let empty = r#"{"id":"a","actual":[]}"#;
    let makes: Vec<_> = OPERATORS
        .iter()
        .filter(|it| !broken(it.code, empty).is_empty())
        .collect();
    let codes: Vec<_> = makes.iter().map(|it| it.code).collect();
    assert_eq!(codes, ["call-count", "goes-on"]);
}

#[test]
fn inner_calls_keep_their_outer_call() {
    let nested = r#"{"id":"a","actual":[{"name":"find_order","args":{"id":1}},{"name":"delegate","args":{"x":1}},
        {"name":"refund","args":{"id":1,"amount":1},"parent":1}]}"#;
    let (case, material) = (case(nested), material(&[nested, OTHER]));
    let run = SubjectRun::new(&case, 0, &material).unwrap();
    let mut parents = HashSet::new();
    for seed in 0..200 {
        let Some(mutant) = (operator("call-count").make)(&run, &mut Random::from_seed(seed)) else {
            continue;
        };
        let calls = mutant.to_calls(&run);
        let place = calls.iter().position(|it| it.name == *"delegate");
        for call in calls.iter().filter(|it| it.name == *"refund") {
            let parent = call.metadata().parent.map(|it| it as usize);
            assert_eq!(parent, place, "{}", line(&calls));
            parents.insert(parent);
        }
    }
    assert_eq!(parents, HashSet::from([None, Some(0), Some(1), Some(2)]));
}

/// Passes runs with the same text as the expectation, with or without arguments. The candidate compares arguments.
struct Written {
    with_arguments: bool,
}

impl Written {
    fn passes(case: &Case<'_>, with_arguments: bool) -> Option<bool> {
        let expected = line(case.expected.calls.as_deref()?);
        let actual = line(&case.actual.as_ref()?.calls);
        let names = |line: &str| {
            let calls = line
                .split(' ')
                .map(|it| it.split('{').next().unwrap_or_default());
            calls.map(str::to_owned).collect::<Vec<_>>()
        };
        Some(if with_arguments {
            expected == actual
        } else {
            names(&expected) == names(&actual)
        })
    }
}

impl StrengthJudges for Written {
    fn judge(&self, case: &PreparedCase<'_>) -> Vec<Option<bool>> {
        vec![
            Self::passes(case.case(), self.with_arguments),
            Self::passes(case.case(), true),
        ]
    }

    /// The second judge compares arguments, and does not decide.
    fn decides(&self, judge: usize) -> bool {
        judge == 0
    }

    fn consider(
        &self,
        case: &PreparedCase<'_>,
        is_wanted: &dyn Fn(usize) -> bool,
    ) -> Vec<Option<bool>> {
        vec![Self::passes(case.case(), true).filter(|_| is_wanted(0))]
    }
}

fn report(json: &str, judges: &Written, seed: u64) -> StrengthReport {
    let (case, material) = (case(json), material(&[json, OTHER]));
    let test = StrengthTest {
        material: &material,
        judges,
        seed,
        mutants: 20,
    };
    let unbroken = test.unbroken(&case, 0).unwrap();
    assert_eq!(unbroken.passes, Some(true));
    let judge = |label: &str, decides| JudgeName {
        label: label.to_owned(),
        is_gate: false,
        decides,
    };
    let names = vec![judge("written", true), judge("beside", false)];
    let candidate = CandidateName::new("{exact: 1}".to_owned(), Some("{exact: 2}".to_owned()));
    let mut report = StrengthReport::new(names, vec![candidate]);
    let passing = HashSet::from([unbroken.act]);
    let run = PassingRun {
        case: &case,
        number: 0,
        label: "a",
        trial: None,
        unbroken: &unbroken,
        passing: &passing,
        fair: &[true],
    };
    report.add("a".to_owned(), None, test.break_run(&run));
    report
}

fn tally<'r>(report: &'r StrengthReport, code: &str) -> &'r MutationTally {
    report
        .operators()
        .find(|(it, _)| it.code == code)
        .unwrap()
        .1
}

#[test]
fn names_only_suite_misses_values_and_the_candidate_reports_it() {
    let names = report(
        CASE,
        &Written {
            with_arguments: false,
        },
        1,
    );
    let exact = report(
        CASE,
        &Written {
            with_arguments: true,
        },
        1,
    );
    assert_eq!(tally(&names, "argument-value").share(), Some(0.0));
    assert_eq!(tally(&names, "argument-value").open, 0);
    assert_eq!(tally(&names, "other-tool").share(), Some(1.0));
    for group in OperatorGroup::ALL {
        assert_eq!(exact.strength(group), Some(1.0));
        assert_eq!(names.strength_with(0, group), Some(1.0));
        assert_eq!(names.strength_of(0, group), names.strength(group));
    }
    let proposals = proposals(&names);
    assert_eq!(proposals[0].operator.code, "argument-value");
    assert_eq!(proposals[0].points, 44.0);
    let setting = proposals[0].setting.as_ref().unwrap();
    assert_eq!(
        (setting.rejected, setting.caught),
        (0, proposals[0].tally.broken)
    );
    assert_eq!(
        (setting.evaluator, setting.gate, setting.entry),
        (
            "{exact: 1}",
            Some("{exact: 2}"),
            "{exact: 1} and the gate {exact: 2}"
        )
    );
    assert!(super::proposals(&exact).is_empty());
    // The other judge notices all, but does not decide.
    assert!(names.has_others());
    assert_eq!(names.strength_of(1, OperatorGroup::SingleCalls), Some(1.0));
    assert_eq!(names.strength_of_all(OperatorGroup::SingleCalls), Some(1.0));
    assert!(names.strength(OperatorGroup::SingleCalls) < Some(0.9));
    assert_eq!(
        names,
        report(
            CASE,
            &Written {
                with_arguments: false
            },
            1
        )
    );
    assert_ne!(
        names.survivors,
        report(
            CASE,
            &Written {
                with_arguments: false
            },
            2
        )
        .survivors
    );
}

#[test]
fn mutants_of_omitted_arguments_are_open() {
    let open = CASE.replacen(
        r#"{"name":"refund","args":{"id":7,"amount":39.5}}"#,
        r#"{"name":"refund"}"#,
        1,
    );
    let report = report(
        &open,
        &Written {
            with_arguments: false,
        },
        1,
    );
    let values = tally(&report, "argument-value");
    assert!(
        0 < values.open && values.open < values.survivors(),
        "{values:?}"
    );
    assert_eq!(tally(&report, "cut-off").open, 0);
}

#[test]
fn defaults_and_order_of_parallel_calls_do_not_change_the_act() {
    let act = |json: &str| {
        let (case, material) = (case(json), material(&[]));
        SubjectRun::new(&case, 0, &material).unwrap().act()
    };
    let default = r#"{"actual":[{"name":"find_order","args":{"full":false,"id":7}}]}"#;
    let without = r#"{"actual":[{"name":"find_order","args":{"id":7}}]}"#;
    assert_eq!(act(default), act(without));
    assert_ne!(act(default), act(&default.replace("false", "true")));
    let parallel = r#"{"actual":[{"name":"a","args":{},"group":"g"},{"name":"b","args":{},"group":"g"},{"name":"c","args":{}}]}"#;
    let swapped = r#"{"actual":[{"name":"b","args":{},"group":"h"},{"name":"a","args":{},"group":"h"},{"name":"c","args":{}}]}"#;
    assert_eq!(act(parallel), act(swapped));
    let one_by_one = |json: &str| {
        act(&json
            .replace(r#","group":"g""#, "")
            .replace(r#","group":"h""#, ""))
    };
    assert_ne!(one_by_one(parallel), one_by_one(swapped));
    let written = CASE.replace(r#""full":true"#, r#""full":false"#);
    let report = report(
        &written,
        &Written {
            with_arguments: false,
        },
        1,
    );
    let optional = tally(&report, "optional-argument-left-out");
    assert_eq!((optional.broken, optional.same), (0, 1));
}
