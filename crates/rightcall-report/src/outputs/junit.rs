//! `JUnit` XML, which every CI system reads: a suite for each evaluator with a test for each case, and a suite for the gates.
//!
//! A test has the file and the line of its case, which GitLab and GitHub show, and the duration of
//! its run, if recorded. The type of a failure is its first cause, so readers can group failures.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use quick_junit::{NonSuccessKind, Property, TestCase, TestCaseStatus, TestSuite};
use rightcall_core::Outcome;
use rightcall_core::call::{CallMetadata, Case, nanoseconds};
use rightcall_results::{CaseResult, EvaluationResult, GateResult, RunSummary};
use rightcall_run::{Output, OutputFile, Renderer, Wants};
use rightcall_stats::MovedCase;

use super::{OutputFormat, OutputSettings};
use crate::case_page::kept_case;
use crate::comparison::ComparisonReport;
use crate::explain::arithmetic;
use crate::explain_command::ExplainCommand;
use crate::gate_words::gate_sentence;
use crate::text::{cut_middle, printable};

pub(super) const FORMAT: OutputFormat = OutputFormat {
    name: "junit",
    ending: "xml",
    about: "JUnit XML: a test for each case and evaluator, and one for each gate",
    is_earlier: |existing| existing.head_has("<testsuites"),
    begin: |out, settings| Ok(Box::new(Junit::new(out, settings))),
    comparison: Some(comparison),
};

/// Maximum length of a message in characters.
const MESSAGE: usize = 1000;

struct Junit {
    out: OutputFile,
    title: String,
    suites: Vec<TestSuite>,
    failures_only: bool,
    explain: Option<ExplainCommand>,
}

impl Junit {
    fn new(out: OutputFile, settings: &OutputSettings) -> Self {
        let suite = |label: &str| TestSuite::new(printable(label));
        let evaluators = settings.head.evaluators.iter();
        Self {
            out,
            title: printable(&settings.head.title),
            suites: evaluators.map(|it| suite(&it.label)).collect(),
            failures_only: settings.failures_only,
            explain: settings.explain.clone(),
        }
    }
}

/// Adds a test for the result of each evaluator on a case to the suite of the evaluator.
fn add_tests(
    suites: &mut [TestSuite],
    case: &CaseResult,
    duration: Option<Duration>,
    explain: Option<&ExplainCommand>,
    failures_only: bool,
) {
    let cause = case.counted_causes().next().map(ToString::to_string);
    for (suite, result) in suites.iter_mut().zip(&case.evaluations) {
        let mut status = status(result, &case.place());
        let falls_short = result.falls_short();
        if let (true, Some(cause)) = (falls_short, &cause) {
            status.set_type(cut_middle(&printable(cause), MESSAGE));
        }
        if failures_only && matches!(status, TestCaseStatus::Success { .. }) {
            continue;
        }
        let mut test = TestCase::new(printable(&case.name()), status);
        test.set_classname(suite.name.to_string());
        let (file, line) = (printable(&case.file), case.line.to_string());
        test.extra.insert("file".into(), file.into());
        test.extra.insert("line".into(), line.into());
        test.time = duration;
        let place = printable(&case.place());
        let score = result.score().map(|score| format!("score {score:.3}"));
        let command = explain.filter(|_| falls_short).and_then(|it| it.of(case));
        let lines = [Some(place), score, command].into_iter().flatten();
        test.set_system_out(lines.collect::<Vec<_>>().join("\n"));
        suite.add_test_case(test);
    }
}

impl Output for Junit {
    fn wants(&self) -> Wants {
        Wants {
            shortfall: true,
            ..Wants::default()
        }
    }

    fn renderer(&self) -> Option<Renderer> {
        Some(Box::new(|case, _, out| {
            if let Some(nanoseconds) = duration_of(case) {
                out.extend_from_slice(&nanoseconds.to_le_bytes());
            }
        }))
    }

    fn case(&mut self, case: &Arc<CaseResult>, drawn: &[u8]) -> io::Result<()> {
        let duration = <[u8; 8]>::try_from(drawn).ok().map(u64::from_le_bytes);
        let duration = duration.map(Duration::from_nanos);
        let explain = self.explain.as_ref();
        add_tests(
            &mut self.suites,
            case,
            duration,
            explain,
            self.failures_only,
        );
        Ok(())
    }

    fn finish(&mut self, summary: &RunSummary) -> io::Result<()> {
        let mut report = quick_junit::Report::new(&self.title);
        let mut suites = std::mem::take(&mut self.suites);
        for (suite, evaluator) in suites.iter_mut().zip(&summary.evaluators) {
            let totals = &evaluator.totals;
            for (name, value) in [("mean", totals.mean), ("pass_rate", totals.pass_rate)] {
                let property = value.map(|value| Property::new(name, value.to_string()));
                property
                    .into_iter()
                    .for_each(|it| _ = suite.add_property(it));
            }
        }
        report.add_test_suites(suites);
        if !summary.gates.is_empty() {
            report.add_test_suite(gate_suite(summary.gates.iter().map(gate_test)));
        }
        // Remove the first `skipped` attribute, the total of all suites. Readers expect the number
        // only on each suite.
        let skipped = format!(" skipped=\"{}\"", report.skipped);
        let text = report
            .to_string()
            .map_err(|error| io::Error::other(error.to_string()))?
            .replacen(&skipped, "", 1);
        self.out.write_all(text.as_bytes())?;
        self.out.commit()
    }
}

/// The duration of a case's run in nanoseconds, from the start of its first call to the end of its last; `None` if not recorded.
fn duration_of(case: &Case<'_>) -> Option<u64> {
    let calls = &case.actual.as_ref()?.calls;
    let times = |of: fn(&CallMetadata<'_>) -> Option<i128>| -> Option<Vec<i128>> {
        calls.iter().map(|call| of(call.metadata())).collect()
    };
    let start = times(|it| nanoseconds(it.start.as_deref()?))?
        .into_iter()
        .min()?;
    let end = times(|it| nanoseconds(it.end.as_deref()?))?
        .into_iter()
        .max()?;
    u64::try_from(end - start).ok()
}

fn gate_test(gate: &GateResult) -> (String, TestCaseStatus) {
    let mut status = TestCaseStatus::success();
    if !gate.held {
        status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        status.set_message(gate_sentence(gate));
    }
    let (label, statistic) = (gate.label(), gate.statistic_name());
    let name = format!("{label} {statistic} {}", gate.wanted_text());
    (printable(&name).replace("  ", " "), status)
}

/// A suite with a test for each gate.
fn gate_suite(gates: impl Iterator<Item = (String, TestCaseStatus)>) -> TestSuite {
    let mut suite = TestSuite::new("gates");
    for (name, status) in gates {
        let mut test = TestCase::new(name, status);
        test.set_classname("gates");
        suite.add_test_case(test);
    }
    suite
}

fn status(result: &EvaluationResult, place: &str) -> TestCaseStatus {
    let with = |mut status: TestCaseStatus, message: &str| {
        status.set_message(cut_middle(&printable(message), MESSAGE));
        status
    };
    let failure = || TestCaseStatus::non_success(NonSuccessKind::Failure);
    let reason = result.outcome.reason().unwrap_or_default();
    match (&result.outcome, result.passed) {
        (Outcome::Failed(_), _) => {
            with(TestCaseStatus::non_success(NonSuccessKind::Error), &reason)
        }
        (Outcome::NotApplicable(_), Some(false)) => with(failure(), &reason),
        (Outcome::NotApplicable(_), _) => with(TestCaseStatus::skipped(), &reason),
        (Outcome::Scored(score), Some(false)) => {
            let why = cut_middle(&printable(&result.why), MESSAGE);
            let mut status = with(failure(), &format!("score {:.3}: {why}", score.get()));
            status.set_description(printable_lines(&body(result, place)));
            status
        }
        (Outcome::Scored(_), _) => TestCaseStatus::success(),
    }
}

/// The location of a case and the computation of its score, one step per line.
fn body(result: &EvaluationResult, place: &str) -> String {
    let steps = result.explanation.iter().flat_map(|it| arithmetic(it));
    let lines = [place.to_owned(), result.why.clone()].into_iter();
    lines.chain(steps).collect::<Vec<_>>().join("\n")
}

/// Lines without characters that are special in XML or on a terminal.
fn printable_lines(text: &str) -> String {
    let lines = text
        .lines()
        .map(|line| cut_middle(&printable(line), MESSAGE));
    lines.collect::<Vec<_>>().join("\n")
}

/// A comparison: a test for each case of both runs, which fails if the case got worse, and a test for each gate.
fn comparison(report: &ComparisonReport<'_>) -> io::Result<String> {
    let mut out = quick_junit::Report::new(report.title());
    let first = &report.runs[0];
    for (run, comparison) in report.runs[1..].iter().zip(&report.comparisons) {
        let mut suite = TestSuite::new(printable(&run.name));
        let (before, after) = (first.keys(), run.keys());
        let moved = comparison.moved.iter().map(|it| (it.key.as_str(), it));
        let moved: BTreeMap<&str, &MovedCase> = moved.collect();
        for key in before.union(&after) {
            let status = match moved.get(key) {
                _ if !after.contains(key) => skipped("only before"),
                _ if !before.contains(key) => skipped("only after"),
                Some(moved) if moved.is_worse() => failed(&format!(
                    "got worse: {:.3} before, {:.3} after{}",
                    moved.before,
                    moved.after,
                    report.changes_told(moved)
                )),
                _ => TestCaseStatus::success(),
            };
            let mut test = TestCase::new(printable(key), status);
            test.set_classname(suite.name.to_string());
            suite.add_test_case(test);
        }
        out.add_test_suite(suite);
    }
    for run in report.own {
        let name = |label: &String| printable(&format!("{} · {label}", run.scores.name));
        let labels = run.scores.measures.iter();
        let mut suites: Vec<_> = labels.map(|it| TestSuite::new(name(it))).collect();
        for case in run.kept() {
            let recorded = case.case.as_ref().and_then(|_| kept_case(case));
            let duration = recorded.as_ref().and_then(duration_of);
            let duration = duration.map(Duration::from_nanos);
            add_tests(&mut suites, case, duration, run.explain.as_ref(), false);
        }
        out.add_test_suites(suites);
    }
    let run_gates = report.run_gates.iter().map(|(run, gate)| {
        let status = gate_test(gate).1;
        (report.run_gate_name((run, gate)), status)
    });
    let gates = report.gates.iter().map(|gate| {
        let status = if gate.result.held {
            TestCaseStatus::success()
        } else {
            failed(&format!("{}: found {}", gate.gate, gate.found_text()))
        };
        (printable(&gate.gate.to_string()), status)
    });
    let gates: Vec<_> = run_gates.chain(gates).collect();
    if !gates.is_empty() {
        out.add_test_suite(gate_suite(gates.into_iter()));
    }
    out.to_string().map_err(io::Error::other)
}

fn failed(why: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_message(cut_middle(&printable(why), MESSAGE));
    status
}

fn skipped(why: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(why);
    status
}
