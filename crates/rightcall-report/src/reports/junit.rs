//! The XML of `JUnit`, which every CI reads: a suite for each evaluator with a test for each case, and one for the gates.
//!
//! It holds to `junit-10.xsd` of Jenkins' `xUnit` plugin, the strictest of those in use.

use std::io::{self, Write};
use std::sync::Arc;

use quick_junit::{NonSuccessKind, Property, TestCase, TestCaseStatus, TestSuite};
use rightcall_run::{CaseRecord, Output, RecordedOutcome, ResultRecord};

use super::overview::{Head, Overview, label_of};
use super::picked::ReadCase;
use super::{Report, ReportFormat};
use crate::sentence;
use crate::text::{cut, printable};

pub(super) const FORMAT: ReportFormat = ReportFormat {
    name: "junit",
    ending: "xml",
    about: "JUnit XML: a test for each case and evaluator, and one for each gate",
    begin: |out, head| Ok(Box::new(Junit::new(out, head))),
};

/// Characters of a message.
const MESSAGE: usize = 1000;

struct Junit {
    out: Output,
    report: quick_junit::Report,
    suites: Vec<TestSuite>,
}

impl Junit {
    fn new(out: Output, head: &Head) -> Self {
        let suites = head
            .evaluators
            .iter()
            .map(|evaluator| TestSuite::new(printable(&evaluator.label)))
            .collect();
        Self {
            out,
            report: quick_junit::Report::new(printable(&head.title)),
            suites,
        }
    }
}

impl Report for Junit {
    fn case(&mut self, case: &Arc<CaseRecord>) -> io::Result<()> {
        let read = ReadCase::of(case);
        for ((suite, evaluation), explanation) in self
            .suites
            .iter_mut()
            .zip(&case.evaluations)
            .zip(&read.explanations)
        {
            let why = explanation
                .as_ref()
                .map(|it| cut(&printable(&sentence(&read.case, it)), MESSAGE))
                .unwrap_or_default();
            let mut test = TestCase::new(label_of(case), status(evaluation, &why));
            test.set_classname(suite.name.to_string());
            let place = printable(&format!("{}:{}", case.file, case.line));
            test.set_system_out(match evaluation.outcome {
                RecordedOutcome::Scored(score) => format!("{place}\nscore {score:.3}"),
                _ => place,
            });
            suite.add_test_case(test);
        }
        Ok(())
    }

    fn finish(self: Box<Self>, overview: &Overview) -> io::Result<()> {
        let Self {
            mut out,
            mut report,
            mut suites,
        } = *self;
        for (suite, totals) in suites.iter_mut().zip(&overview.evaluators) {
            let mean = totals.mean.map(|mean| ("mean", mean)).into_iter();
            let all = mean.chain(totals.pass_rate.map(|rate| ("pass_rate", rate)));
            all.for_each(|(name, value)| {
                _ = suite.add_property(Property::new(name, value.to_string()))
            });
        }
        report.add_test_suites(suites);
        if !overview.gates.is_empty() {
            let mut gates = TestSuite::new("gates");
            for gate in &overview.gates {
                let mut status = TestCaseStatus::success();
                if !gate.held {
                    status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                    status.set_message(gate.sentence());
                }
                let name = printable(&format!(
                    "{} {} {}",
                    gate.label, gate.statistic, gate.wanted
                ))
                .replace("  ", " ");
                let mut test = TestCase::new(name, status);
                test.set_classname("gates");
                gates.add_test_case(test);
            }
            report.add_test_suite(gates);
        }
        // Jenkins' schema counts what was skipped by suite alone; the number over all suites is the first that is written.
        let skipped = format!(" skipped=\"{}\"", report.skipped);
        let text = report
            .to_string()
            .map_err(|error| io::Error::other(error.to_string()))?
            .replacen(&skipped, "", 1);
        out.write_all(text.as_bytes())?;
        out.commit()
    }
}

fn status(evaluation: &ResultRecord, why: &str) -> TestCaseStatus {
    let with = |mut status: TestCaseStatus, message: &str| {
        status.set_message(cut(&printable(message), MESSAGE));
        status
    };
    match (&evaluation.outcome, evaluation.passed) {
        (RecordedOutcome::Error(reason), _) => {
            with(TestCaseStatus::non_success(NonSuccessKind::Error), reason)
        }
        (RecordedOutcome::NotApplicable(reason), Some(false)) => {
            with(TestCaseStatus::non_success(NonSuccessKind::Failure), reason)
        }
        (RecordedOutcome::NotApplicable(reason), _) => with(TestCaseStatus::skipped(), reason),
        (RecordedOutcome::Scored(score), Some(false)) => with(
            TestCaseStatus::non_success(NonSuccessKind::Failure),
            &format!("score {score:.3}: {why}"),
        ),
        (RecordedOutcome::Scored(_), _) => TestCaseStatus::success(),
    }
}
