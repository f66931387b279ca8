use std::sync::Arc;

use rightcall_core::{EvaluationError, Score};
use rightcall_results::{Bound, CaseResult};

use super::*;
use crate::{Filter, Grouping};

fn mark(score: f64, passed: Option<bool>) -> EvaluationResult {
    EvaluationResult::new(Outcome::Scored(Score::new(score).unwrap()), passed)
}

fn error() -> EvaluationResult {
    let error = EvaluationError::Raised("x".into());
    EvaluationResult::new(Outcome::Failed(error), None)
}

/// A case in these groups, with the results of the evaluators and of the case as a whole.
fn case(
    evaluations: &[EvaluationResult],
    whole: &EvaluationResult,
    trials: u64,
    groups: &[&str],
) -> JudgedCase {
    JudgedCase {
        result: Arc::new(CaseResult {
            label: "a".into(),
            trial: None,
            variant: Vec::new(),
            file: "f".into(),
            line: 1,
            tags: Vec::new(),
            evaluations: evaluations.to_vec(),
            whole: whole.clone(),
            causes: Vec::new(),
            case: None,
        }),
        hash: None,
        question: None,
        is_read: true,
        has_run: true,
        groups: Vec::new(),
        gates: vec![Some(groups.iter().map(ToString::to_string).collect())],
        trials: Some((trials, String::new())),
        pairing: None,
        findings: None,
        tools: Vec::new(),
    }
}

fn gate(subject: GateSubject, statistic: &str, wanted: &str) -> Gate {
    let statistic = Statistic::parse(statistic).unwrap();
    Gate {
        subject,
        only: Filter::default(),
        by: None,
        statistic,
        wanted: Bound::parse(wanted).unwrap(),
        implied: false,
    }
}

/// The result of a gate over these cases, each with its overall result.
fn judge_cases(gate: &Gate, cases: &[(&[EvaluationResult], EvaluationResult, u64)]) -> GateResult {
    let mut scores = GateScores::new(gate, 0);
    for (marks, mark, trials) in cases {
        scores.add(&case(marks, mark, *trials, &[]));
    }
    scores.finish().remove(0)
}

fn judge(
    subject: GateSubject,
    statistic: &str,
    wanted: &str,
    cases: &[&[EvaluationResult]],
) -> GateResult {
    let cases: Vec<_> = cases
        .iter()
        .map(|marks| (*marks, marks[0].clone(), 0))
        .collect();
    judge_cases(&gate(subject, statistic, wanted), &cases)
}

fn first() -> GateSubject {
    GateSubject::Evaluator {
        index: Some(0),
        label: "order".into(),
    }
}

#[test]
fn bounds_have_an_operator_and_a_number() {
    for (text, held_at_half) in [
        (">= 0.5", true),
        (">0.5", false),
        ("<= 50%", true),
        ("< 5e-1", false),
        ("= .5", true),
        ("== 0.5", true),
        ("!= 0.5", false),
    ] {
        let result = judge(first(), "mean", text, &[&[mark(0.5, None)]]);
        assert_eq!(result.held, held_at_half, "{text}");
    }
    for text in [
        "", "0.5", ">=", ">= x", "=> 1", ">= nan", ">= inf", ">= 5 %%", "> = 1",
    ] {
        assert_eq!(Bound::parse(text), None, "{text}");
    }
}

#[test]
fn statistics_have_names() {
    for name in [
        "mean",
        "min",
        "max",
        "p05",
        "p50",
        "p95",
        "pass_rate",
        "applicable",
        "errors",
        "not_applicable",
    ] {
        assert_eq!(Statistic::parse(name).unwrap().to_string(), name);
    }
    for name in ["p5", "p00", "p100", "p+5", "avg", ""] {
        assert_eq!(Statistic::parse(name), None, "{name}");
    }
}

#[test]
fn without_scored_cases_gates_on_scores_fail() {
    for statistic in ["mean", "min", "max", "p50", "pass_rate"] {
        let result = judge(first(), statistic, ">= 0", &[&[error()]]);
        assert!(!result.held, "{statistic}");
        assert_eq!(result.missed_by(), "no case was scored, wanted >= 0.000");
    }
    for statistic in ["errors", "not_applicable"] {
        let result = judge(first(), statistic, "= 0", &[]);
        assert!(!result.held, "{statistic}");
        assert_eq!(
            (result.found, result.missed_by().as_str()),
            (None, "no case was judged, wanted = 0")
        );
    }
    // Statistics of unscored cases reveal nothing about the agent, whatever the condition.
    let not_applicable = || EvaluationResult::not_applicable("why");
    for (statistic, wanted) in [
        ("mean", ">= 0"),
        ("errors", "= 0"),
        ("not_applicable", ">= 1"),
        ("applicable", ">= 0"),
    ] {
        let result = judge(first(), statistic, wanted, &[&[not_applicable()]]);
        assert!(!result.held && result.unjudged, "{statistic}");
        let some = judge(
            first(),
            statistic,
            wanted,
            &[&[not_applicable()], &[mark(1.0, None)]],
        );
        assert!(some.held && !some.unjudged, "{statistic}");
    }
    assert!(!judge(first(), "errors", "= 0", &[&[error()]]).held);
    assert!(judge(first(), "errors", "<= 1", &[&[error()]]).held);
}

fn verdicts(trials: TrialRule, cases: &[(Option<bool>, u64)]) -> Option<f64> {
    let cases: Vec<_> = cases
        .iter()
        .map(|&(passed, case)| (&[][..], mark(0.5, passed), case))
        .collect();
    judge_cases(
        &gate(GateSubject::Passed(trials), "pass_rate", ">= 0"),
        &cases,
    )
    .found
}

#[test]
fn trials_count_individually_or_combined() {
    let cases = [
        (Some(true), 1),
        (Some(false), 1),
        (Some(true), 2),
        (Some(true), 2),
        (Some(false), 3),
        (None, 4),
    ];
    assert_eq!(verdicts(TrialRule::Each, &cases), Some(0.6));
    assert_eq!(verdicts(TrialRule::All, &cases), Some(1.0 / 3.0));
    assert_eq!(verdicts(TrialRule::Any, &cases), Some(2.0 / 3.0));
    assert_eq!(verdicts(TrialRule::All, &[(None, 1)]), None);
}

#[test]
fn case_with_an_error_has_not_passed() {
    let cases = [(&[][..], mark(1.0, Some(true)), 0), (&[][..], error(), 0)];
    assert_eq!(
        judge_cases(
            &gate(GateSubject::Passed(TrialRule::Each), "pass_rate", ">= 0"),
            &cases
        )
        .found,
        Some(0.5)
    );
    assert_eq!(
        judge_cases(
            &gate(GateSubject::Passed(TrialRule::Each), "applicable", ">= 0"),
            &cases
        )
        .found,
        Some(1.0)
    );
}

#[test]
fn implicit_bounds_are_shown_only_if_they_fail() {
    let mut gate = gate(first(), "applicable", ">= 90%");
    gate.implied = true;
    let not_applicable = EvaluationResult::not_applicable("x");
    for (scored, shown) in [(9, 0), (8, 1)] {
        let mut scores = GateScores::new(&gate, 0);
        for number in 0..10 {
            let marks = [if number < scored {
                mark(1.0, None)
            } else {
                not_applicable.clone()
            }];
            scores.add(&case(&marks, &marks[0], 0, &[]));
        }
        assert_eq!(scores.finish().len(), shown, "{scored}");
    }
}

#[test]
fn gate_may_apply_to_each_group() {
    let mut gate = gate(first(), "mean", ">= 0.5");
    gate.by = Grouping::parse("model");
    let results = |cases: &[(f64, String)]| {
        let mut scores = GateScores::new(&gate, 0);
        for (score, group) in cases {
            let mark = mark(*score, None);
            scores.add(&case(std::slice::from_ref(&mark), &mark, 0, &[group]));
        }
        let results = scores.finish().into_iter();
        results
            .map(|it| (it.label(), it.found, it.held))
            .collect::<Vec<_>>()
    };
    let mut cases = vec![(1.0, "b".into()), (0.0, "a".into()), (0.5, "b".into())];
    assert_eq!(
        results(&cases),
        [
            ("order [model: a]".into(), Some(0.0), false),
            ("order [model: b]".into(), Some(0.75), true)
        ]
    );
    cases.extend((0..MAX_GROUPS).map(|group| (1.0, group.to_string())));
    assert_eq!(
        results(&cases).pop().unwrap(),
        ("order [model: more than 1000 groups]".into(), None, false)
    );
    let none = results(&[]);
    assert_eq!((none.len(), none[0].2), (1, false));
}

#[test]
fn failed_gate_shows_enough_digits() {
    let result = judge(first(), "mean", ">= 0.9", &[&[mark(0.871_4, None)]]);
    assert_eq!(
        (
            result.found_text(),
            result.wanted_text(),
            result.missed_by()
        ),
        ("0.871".into(), ">= 0.900".into(), "0.871 < 0.900".into())
    );
    let close = judge(first(), "mean", ">= 0.9", &[&[mark(0.8999, None)]]);
    assert_eq!(close.missed_by(), "0.8999 < 0.9");
}

mod properties {
    use super::*;
    use proptest::prelude::*;

    /// A result that an evaluator may return, with a verdict by a threshold of 0.5.
    fn any_mark() -> impl Strategy<Value = EvaluationResult> {
        prop_oneof![
            8 => (0.0..=1.0_f64).prop_map(|score| mark(score, Some(score >= 0.5))),
            1 => Just(EvaluationResult { passed: None, ..EvaluationResult::not_applicable("x") }),
            1 => Just(EvaluationResult { passed: Some(false), ..EvaluationResult::not_applicable("no run") }),
            1 => Just(error()),
        ]
    }

    fn any_cases() -> impl Strategy<Value = Vec<(EvaluationResult, u64)>> {
        prop::collection::vec((any_mark(), 0..4_u64), 0..30)
    }

    fn bound() -> impl Strategy<Value = String> {
        (prop::sample::select(&[">=", ">"][..]), 0..=100_u32)
            .prop_map(|(operator, percent)| format!("{operator} {percent}%"))
    }

    fn held(
        subject: &GateSubject,
        statistic: &str,
        wanted: &str,
        cases: &[(EvaluationResult, u64)],
    ) -> bool {
        let marks: Vec<_> = cases
            .iter()
            .map(|(mark, trials)| ([mark.clone()], mark.clone(), *trials))
            .collect();
        let marks: Vec<_> = marks
            .iter()
            .map(|(marks, mark, trials)| (&marks[..], mark.clone(), *trials))
            .collect();
        judge_cases(&gate(subject.clone(), statistic, wanted), &marks).held
    }

    /// An improved result: scored, higher, passed.
    fn better(mark: &EvaluationResult, by: f64) -> EvaluationResult {
        let score = mark.score().unwrap_or(0.0);
        let score = score + (1.0 - score) * by;
        self::mark(score, Some(mark.passed == Some(true) || score >= 0.5))
    }

    fn self_mark(score: f64) -> EvaluationResult {
        mark(score, Some(score >= 0.5))
    }

    proptest! {
        #[test]
        fn another_passing_case_never_fails_a_pass_rate(cases in any_cases(), wanted in bound(), at in 0..30_usize) {
            for subject in [first(), GateSubject::Passed(TrialRule::Each), GateSubject::Passed(TrialRule::All), GateSubject::Passed(TrialRule::Any)] {
                for statistic in ["pass_rate", "applicable"] {
                    let mut more = cases.clone();
                    // A new case, not another trial of an existing one.
                    more.insert(at.min(cases.len()), (self_mark(1.0), 99));
                    prop_assert!(!held(&subject, statistic, &wanted, &cases) || held(&subject, statistic, &wanted, &more));
                }
            }
        }

        #[test]
        fn higher_score_never_fails_a_gate(cases in any_cases(), wanted in bound(), at in 0..30_usize, by in 0.0..=1.0_f64) {
            let Some(place) = cases.iter().position(|(mark, _)| mark.score().is_some()).map(|first| first.max(at.min(cases.len() - 1))) else {
                return Ok(());
            };
            prop_assume!(cases[place].0.score().is_some());
            let mut higher = cases.clone();
            higher[place].0 = better(&cases[place].0, by);
            for statistic in ["mean", "min", "max", "p05", "p50", "p95", "pass_rate", "applicable"] {
                for subject in [first(), GateSubject::Score] {
                    prop_assert!(
                        !held(&subject, statistic, &wanted, &cases) || held(&subject, statistic, &wanted, &higher),
                        "{} {}", statistic, wanted
                    );
                }
            }
            for trials in [TrialRule::Each, TrialRule::All, TrialRule::Any] {
                let subject = GateSubject::Passed(trials);
                prop_assert!(!held(&subject, "pass_rate", &wanted, &cases) || held(&subject, "pass_rate", &wanted, &higher));
            }
        }

        #[test]
        fn another_failing_case_never_passes_a_pass_rate(cases in any_cases(), wanted in bound()) {
            for failing in [self_mark(0.0), error(), EvaluationResult { passed: Some(false), ..EvaluationResult::not_applicable("no run") }] {
                for subject in [first(), GateSubject::Passed(TrialRule::Each), GateSubject::Passed(TrialRule::All), GateSubject::Passed(TrialRule::Any)] {
                    let mut more = cases.clone();
                    more.push((failing.clone(), 99));
                    prop_assert!(
                        // Without a judged case no gate holds, not even `>= 0%`.
                        cases.iter().all(|(mark, _)| mark.score().is_none())
                            || held(&subject, "pass_rate", &wanted, &cases)
                            || !held(&subject, "pass_rate", &wanted, &more)
                    );
                }
            }
        }

        #[test]
        fn a_verdict_is_monotone_in_its_evaluators(
            marks in prop::collection::vec(any_mark(), 1..5), at in 0..5_usize, by in 0.0..=1.0_f64, threshold in 0.0..=1.0_f64,
        ) {
            let evaluators: Vec<_> = (0..marks.len())
                .map(|_| crate::Configured::new(crate::EvaluatorArgument::parse("tool-call-order,threshold=0.5").unwrap(), None).unwrap())
                .collect();
            let rule = crate::CaseRule::new(&evaluators, crate::Unmatched::Fail);
            let at = at.min(marks.len() - 1);
            prop_assume!(marks[at].score().is_some());
            let mut higher = marks.clone();
            higher[at] = better(&marks[at], by);
            let (before, after) = (rule.whole(&marks, true), rule.whole(&higher, true));
            prop_assert!(before.passed != Some(true) || after.passed == Some(true));
            let above = |mark: &EvaluationResult| mark.score().is_some_and(|score| score >= threshold);
            prop_assert!(!above(&before) || above(&after));
        }
    }
}
