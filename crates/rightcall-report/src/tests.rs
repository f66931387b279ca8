use rightcall_core::EVALUATORS;
use rightcall_core::{NotApplicable, Outcome, Score};
use rightcall_results::{
    Bound, CaseResult, Cause, CauseCount, Decides, EditionsDiffer, EvaluationResult,
    EvaluatorSummary, Failure, Findings, GateResult, GateSubject, GroupSummary, NearName, RunHead,
    RunSummary, Scores, Statistic, TrialRule,
};

use crate::{
    ListLength, RunReport, Screen, evaluator_list, page, page_markdown, run_screen, score_screen,
};

/// The text without colours; checks the width of each line.
pub(crate) fn plain(screen: &str) -> String {
    let mut plain = String::new();
    let mut characters = screen.chars();
    while let Some(character) = characters.next() {
        if character == '\u{1b}' {
            characters
                .by_ref()
                .take_while(|it| *it != 'm')
                .for_each(drop);
        } else {
            plain.push(character);
        }
    }
    for line in plain
        .lines()
        .filter(|line| !line.starts_with("  rightcall"))
    {
        assert!(crate::text::width(line) <= 100, "too wide: {line}");
        assert_eq!(line, line.trim_end(), "spaces at the end");
    }
    plain
}

fn scores(passes: impl Fn(f64) -> Option<bool>) -> Scores {
    let mut scores = Scores::default();
    for step in 0..306_u32 {
        let score = f64::from(step % 10 * (step % 7)) / 54.0;
        scores.add_score(score, passes(score));
    }
    scores
}

fn with_errors(mut scores: Scores) -> Scores {
    scores.counts.errors = 5;
    scores
}

fn summary() -> RunSummary {
    let evaluator = |id: &str, label: &str, scores: Scores| EvaluatorSummary {
        id: id.to_owned(),
        label: label.to_owned(),
        totals: scores.totals(),
        ..EvaluatorSummary::default()
    };
    let mut order = evaluator(
        "uipath/tool-call-order",
        "uipath/tool-call-order",
        scores(|_| None),
    );
    order.totals.not_applicable = 28;
    order.reasons = vec![(
        "no calls are expected, and an empty order cannot be scored".into(),
        28,
    )];
    let mut calls = evaluator(
        "axion/tool-correctness",
        "right calls, any order",
        with_errors(scores(|score| Some(score >= 0.5))),
    );
    calls.failures = (1..=4)
        .map(|line| Failure {
            case: format!("refund-{line}"),
            place: format!("cases/refunds.jsonl:{line}"),
            reason: "`args` is missing".into(),
        })
        .collect();
    RunSummary {
        cases: 306,
        evaluators: vec![order, calls],
        ..RunSummary::default()
    }
}

fn low(label: &str, line: u64, scores: [f64; 2], sentence: &str) -> CaseResult {
    let result = |score: f64| EvaluationResult {
        why: sentence.into(),
        ..EvaluationResult::new(Outcome::Scored(Score::new(score).unwrap()), None)
    };
    CaseResult {
        label: label.into(),
        trial: None,
        variant: Vec::new(),
        file: "cases/refunds.jsonl".into(),
        line,
        tags: Vec::new(),
        evaluations: scores.map(result).to_vec(),
        whole: result(0.0),
        causes: Vec::new(),
        case: None,
    }
}

fn lowest() -> Vec<CaseResult> {
    vec![
        low(
            "refund-7",
            7,
            [0.0, 0.0],
            "expected refund(id=7), called refund(id=1)",
        ),
        low(
            "refund-12",
            12,
            [0.25, 0.0],
            "nothing expected was called (4 missed, 2 extra)",
        ),
        low(
            &"a very long id ".repeat(9),
            13,
            [0.5, 0.0],
            &"4 missed: exchange_delivered_order_items, ".repeat(9),
        ),
        low("\u{1b}[31mred", 14, [0.5, 0.5], ""),
    ]
}

fn gate(
    subject: Option<usize>,
    statistic: &str,
    wanted: &str,
    found: Option<f64>,
    held: bool,
) -> GateResult {
    let labels = ["uipath/tool-call-order", "right calls, any order"];
    let of_evaluator = |index: usize| GateSubject::Evaluator {
        index: Some(index),
        label: labels[index].into(),
    };
    GateResult {
        unjudged: false,
        no_longer_judged: 0,
        subject: subject.map_or(GateSubject::Passed(TrialRule::Each), of_evaluator),
        statistic: Statistic::parse(statistic).unwrap(),
        only: String::new(),
        by: None,
        group: None,
        wanted: Bound::parse(wanted).unwrap(),
        found,
        held,
    }
}

fn draw(summary: &RunSummary, exit_code: u8, draw: fn(&Screen<'_>) -> String) -> String {
    let mut summary = summary.clone();
    for low in lowest() {
        let evaluators = summary.evaluators.iter_mut();
        evaluators.for_each(|it| it.lowest.offer(0.0, || low.clone()));
        summary.lowest.offer(0.0, || low);
    }
    let next = Some(
        "rightcall score cases/refunds.jsonl -k refund-7 -e uipath/tool-call-order --explain --format jsonl",
    );
    plain(&draw(&Screen {
        subject: "suite.yaml",
        summary: &summary,
        exit_code,
        next,
        listed: ListLength::default(),
    }))
}

#[test]
fn score_shows_a_table_then_failures() {
    insta::assert_snapshot!(draw(&summary(), 2, score_screen));
}

#[test]
fn failed_gate_comes_last() {
    let gates = vec![
        gate(Some(1), "mean", ">= 0.9", Some(0.871), false),
        gate(Some(0), "mean", ">= 0.9", Some(0.943), true),
        gate(Some(0), "errors", "= 0", Some(0.0), true),
        gate(None, "pass_rate", ">= 95%", Some(0.5), false),
    ];
    insta::assert_snapshot!(draw(&RunSummary { gates, ..summary() }, 1, run_screen));
}

#[test]
fn undecided_run_has_a_note_in_the_last_line() {
    let mut decided = summary();
    decided.evaluators[1].is_decisive = true;
    let mut not_judged = summary();
    not_judged.evaluators[0].is_decisive = true;
    for (summary, exit_code, said) in [
        (
            summary(),
            0,
            Some("no gate or threshold is set, so this run cannot fail (exit code 0)"),
        ),
        (
            RunSummary {
                decides: Decides::Nothing,
                ..decided.clone()
            },
            0,
            Some("the list of gates is empty, so this run cannot fail (exit code 0)"),
        ),
        // A threshold that judged no case is an error, not a decision.
        (not_judged, 2, None),
        (decided, 0, None),
        (summary(), 2, None),
    ] {
        for screen in [score_screen, run_screen] {
            let drawn = draw(&summary, exit_code, screen);
            assert_eq!(
                drawn.contains("this run cannot fail"),
                said.is_some(),
                "{drawn}"
            );
            assert!(
                said.is_none_or(|said| drawn.ends_with(&format!("\n\n{said}\n"))),
                "{drawn}"
            );
        }
    }
}

fn findings() -> Findings {
    let (name, key) = (|| "refund".to_owned(), || "order_id".to_owned());
    let causes = [
        Cause::OtherArgument { name: name(), key: key() },
        Cause::NotCalled("exchange_delivered_order_items_with_a_name_that_takes_all_the_room_there_is_and_then_some".into()),
        Cause::Broken { label: "refund is forbidden".into(), wanted: "= 0".into() },
        Cause::NothingCalled,
        Cause::OutOfOrder("\u{1b}[31mred".into()),
        Cause::UnaskedArgument { name: name(), key: key() },
        Cause::OtherOutput(name()),
    ];
    let count = |(number, cause): (u64, Cause)| CauseCount {
        why: cause.to_string(),
        cases: 12 - number,
        first: format!("refund-{number}"),
    };
    let outcomes = (
        Outcome::NotApplicable(NotApplicable::NoRun),
        Outcome::Scored(Score::new(0.5).unwrap()),
    );
    Findings {
        unjudged_rules: Vec::new(),
        fell_short: 20,
        causes: (0_u64..).zip(causes).map(count).collect(),
        more_causes: 0,
        uncounted_causes: false,
        more_near_names: 0,
        near_names: vec![NearName {
            expected: "find_orders".into(),
            called: "find_order".into(),
            calls: 38,
        }],
        editions: vec![EditionsDiffer {
            evaluator: 0,
            cases: 3,
            first: (1..=2)
                .map(|case| {
                    (
                        format!("case-{case}"),
                        outcomes.0.clone(),
                        outcomes.1.clone(),
                    )
                })
                .collect(),
        }],
    }
}

#[test]
fn findings_are_sentences_with_the_largest_first() {
    let mut summary = summary();
    summary.evaluators[0].totals.not_applicable = 290;
    insta::assert_snapshot!(draw(
        &RunSummary {
            findings: Some(findings()),
            ..summary
        },
        0,
        score_screen
    ));
}

#[test]
fn gates_that_hold_are_reported() {
    let gates = vec![
        gate(Some(0), "mean", ">= 0.9", Some(0.943), true),
        gate(Some(0), "p05", "> 0", Some(0.1), true),
    ];
    let screen = draw(&RunSummary { gates, ..summary() }, 0, run_screen);
    assert!(screen.ends_with("\n2 of 2 gates hold\n"), "{screen}");
}

#[test]
fn without_gates_run_shows_the_screen_of_score() {
    assert_eq!(
        draw(&summary(), 0, run_screen),
        draw(&summary(), 0, score_screen)
    );
}

#[test]
fn groups_follow_the_total_and_missing_runs_are_listed() {
    let scores = || scores(|score| Some(score >= 0.5)).totals();
    let group = |name: &str, cases| GroupSummary {
        name: name.into(),
        cases,
        evaluators: summary()
            .evaluators
            .into_iter()
            .map(|evaluator| EvaluatorSummary {
                totals: scores(),
                ..evaluator
            })
            .collect(),
        whole_cases: Some(scores()),
    };
    let no_run = Failure {
        case: "refund-9".into(),
        place: "cases/refunds.jsonl:9".into(),
        reason: "no run found".into(),
    };
    let summary = RunSummary {
        whole_cases: Some(scores()),
        groups: vec![group("gpt-4o", 200), group("\u{1b}o1, –", 106)],
        no_run: 7,
        first_no_run: vec![no_run],
        ..summary()
    };
    insta::assert_snapshot!(draw(&summary, 1, run_screen));
}

#[test]
fn pages_have_the_same_headings_on_screen_and_in_docs() {
    let headings = [
        "What it measures",
        "Formula",
        "Settings",
        "Example",
        "When it does not apply",
        "Use it when",
        "Do not use it when",
        "Limits",
        "Source",
    ];
    for entry in EVALUATORS {
        let (terminal, markdown) = (plain_page(&page(entry)), page_markdown(entry, None));
        assert!(markdown.starts_with(&format!("# {}\n\n{}\n", entry.id, entry.summary)));
        assert!(markdown.contains(&format!("\n\n{}\n\n- **", entry.page.measures.trim())));
        for heading in headings {
            assert!(
                terminal.contains(&format!("\n{heading}\n")),
                "{}: {heading}",
                entry.id
            );
            assert!(
                heading == headings[0]
                    || markdown.contains(&format!("\n## {heading}\n\n"))
                    || markdown.contains(&format!("\n- **{heading}**: ")),
                "{}: {heading}",
                entry.id
            );
        }
        for setting in entry.settings {
            assert!(
                terminal.contains(setting.name)
                    && markdown.contains(&format!("| `{}` |", setting.name))
            );
        }
    }
}

/// Pages may exceed the width, since they quote JSON that cannot be wrapped.
fn plain_page(page: &str) -> String {
    page.replace("\u{1b}[1m", "")
        .replace("\u{1b}[0m", "")
        .replace("\u{1b}[2m", "")
}

#[test]
fn list_has_every_evaluator() {
    let list = plain(&evaluator_list(EVALUATORS));
    for entry in EVALUATORS {
        assert!(list.contains(&format!("  {} ", entry.id)), "{}", entry.id);
    }
}

#[test]
fn page_of_a_format_has_all_its_properties() {
    for format in rightcall_formats::FORMATS {
        let page = plain_page(&crate::format_page(format));
        let in_one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let page = in_one_line(&page);
        for (what, fields) in format.parts_read() {
            assert!(
                page.contains(&in_one_line(&format!("{what} {fields}"))),
                "{}: {what}",
                format.name
            );
        }
        let writer = rightcall_formats::Writer::find(format.name).ok();
        let lost = writer.into_iter().flat_map(|writer| writer.lacks);
        for what in lost.map(|it| it.what).chain(format.lacks.iter().copied()) {
            assert!(page.contains(&in_one_line(what)), "{}: {what}", format.name);
        }
        let first = format
            .notes
            .split(['.', ',', ':'])
            .next()
            .unwrap_or_default();
        assert!(
            page.contains(&in_one_line(first)),
            "{}: {page}",
            format.name
        );
    }
}

#[test]
fn unequal_trials_explain_why_pass_at_1_is_not_the_pass_rate() {
    use rightcall_stats::{TrialCounts as Of, TrialStatistics};
    let screen = |trials: &[(u64, u64)]| {
        let named = |(number, &(trials, passed)): (usize, &(u64, u64))| {
            (format!("case-{number}"), Of { trials, passed })
        };
        let run =
            TrialStatistics::from_cases(&trials.iter().enumerate().map(named).collect::<Vec<_>>())
                .unwrap();
        draw(
            &RunSummary {
                trials: Some(run),
                ..summary()
            },
            0,
            score_screen,
        )
    };
    // Passed: 1 of 3 trials and 1 of 1, so 2 of 4 trials, but 2/3 on average over the cases.
    let unequal = screen(&[(3, 1), (1, 1)]);
    assert!(
        unequal.contains("\n  any of k (pass@k)    0.667  0.667  1.000\n"),
        "{unequal}"
    );
    assert!(
        unequal.contains("\n  cases                    2      1      1\n"),
        "{unequal}"
    );
    let words = crate::comparison::UNEQUAL_TRIALS;
    assert!(unequal.contains(&format!("\n    {words}\n")), "{unequal}");
    let equal = screen(&[(3, 1), (3, 3)]);
    assert!(
        !equal.contains(words) && !equal.contains("\n  cases"),
        "{equal}"
    );
}

#[test]
fn truncated_lists_show_the_number_of_omitted_items() {
    let texts = |number: usize| {
        (0..number)
            .map(|number| number.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(crate::changes_told(&texts(2)), "0; 1");
    assert_eq!(crate::changes_told(&texts(3)), "0; 1; and 1 more change");
    assert_eq!(crate::changes_told(&texts(9)), "0; 1; and 7 more changes");
    let listed = crate::comparison::listed;
    assert_eq!(
        (listed(&[], 0), listed(&texts(2), 2)),
        (String::new(), ": 0, 1".to_owned())
    );
    assert_eq!(listed(&texts(2), 5), ": 0, 1 and 3 more");
    let other_causes = |causes: usize, more_causes, uncounted_causes| {
        let summary = RunSummary {
            findings: Some(Findings {
                causes: vec![CauseCount::default(); causes],
                more_causes,
                uncounted_causes,
                ..Findings::default()
            }),
            ..RunSummary::default()
        };
        let report = RunReport {
            head: &RunHead::default(),
            summary: &summary,
            notes: &[],
        };
        report.other_causes(8)
    };
    assert_eq!(other_causes(8, 0, false), "");
    assert_eq!(other_causes(100, 150, false), "… and 242 more");
    assert_eq!(
        other_causes(10, 0, true),
        "… and 2 more, and others that were not counted"
    );
}
