//! CSV: a row for each case and evaluator, and one for each case as a whole, which names no evaluator.

use std::io;
use std::sync::Arc;

use rightcall_run::{CaseRecord, Output, RecordedOutcome};

use super::overview::{Head, Overview};
use super::{Report, ReportFormat};

pub(super) const FORMAT: ReportFormat = ReportFormat {
    name: "csv",
    ending: "csv",
    about: "a row for each case and evaluator, for spreadsheets",
    begin: |out, head| Ok(Box::new(Csv::new(out, head)?)),
};

const COLUMNS: [&str; 11] = [
    "case",
    "trial",
    "evaluator",
    "name",
    "outcome",
    "score",
    "passed",
    "reason",
    "tags",
    "file",
    "line",
];

struct Csv {
    writer: csv::Writer<Output>,
    head: Head,
}

impl Csv {
    fn new(out: Output, head: &Head) -> io::Result<Self> {
        let mut writer = csv::Writer::from_writer(out);
        writer.write_record(COLUMNS).map_err(of_csv)?;
        Ok(Self {
            writer,
            head: head.clone(),
        })
    }
}

impl Report for Csv {
    fn case(&mut self, case: &Arc<CaseRecord>) -> io::Result<()> {
        let tags = case.tags.join(" ");
        let line = case.line.to_string();
        for (evaluator, result) in rows(&self.head, case) {
            let (outcome, score, reason) = outcome(&result.outcome);
            let passed = result
                .passed
                .map_or("", |passed| if passed { "true" } else { "false" });
            let cells = [
                case.label.as_str(),
                case.trial.as_deref().unwrap_or_default(),
                evaluator.map_or("", |it| it.id.as_str()),
                evaluator
                    .and_then(|it| it.name.as_deref())
                    .unwrap_or_default(),
                outcome,
                &score.map(|score| score.to_string()).unwrap_or_default(),
                passed,
                reason.unwrap_or_default(),
                &tags,
                &case.file,
                &line,
            ];
            self.writer
                .write_record(
                    cells
                        .map(|cell| self.head.cells.cell(cell))
                        .iter()
                        .map(|it| it.as_bytes()),
                )
                .map_err(of_csv)?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>, _: &Overview) -> io::Result<()> {
        self.writer
            .into_inner()
            .map_err(csv::IntoInnerError::into_error)?
            .commit()
    }
}

/// What went wrong with the file: whether it is a closed pipe makes a difference.
fn of_csv(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

/// The rows of a case: its evaluations, then the case as a whole.
pub(super) fn rows<'r>(
    head: &'r Head,
    case: &'r CaseRecord,
) -> impl Iterator<
    Item = (
        Option<&'r super::EvaluatorHead>,
        &'r rightcall_run::ResultRecord,
    ),
> {
    let evaluations = head.evaluators.iter().map(Some).zip(&case.evaluations);
    evaluations.chain([(None, &case.result)])
}

/// The name of an outcome, the score, and why there is none.
pub(super) fn outcome(outcome: &RecordedOutcome) -> (&'static str, Option<f64>, Option<&str>) {
    match outcome {
        RecordedOutcome::Scored(score) => ("scored", Some(*score), None),
        RecordedOutcome::NotApplicable(reason) => ("not_applicable", None, Some(reason)),
        RecordedOutcome::Error(reason) => ("error", None, Some(reason)),
    }
}
