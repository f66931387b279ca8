//! Many evaluations with a summary.

use std::sync::OnceLock;

use arrow_array::RecordBatch;
use pyo3::prelude::*;
use rightcall_report::warnings::Warning;
use rightcall_results::{EvaluationResult, EvaluatorSummary, RunSummary};

use crate::evaluation::{Evaluation, Source, Wanted};
use crate::subject::Label;

/// One evaluation of a run.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) label: Label,
    pub(crate) result: EvaluationResult,
    pub(crate) source: Source,
}

impl Row {
    pub(crate) fn into_evaluation(self) -> Evaluation {
        Evaluation::new(self.result, Some(self.label), self.source)
    }
}

/// The summary of a run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, FromPyObject, IntoPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct RunTotals {
    /// The summary as JSON.
    pub(crate) json: String,
    /// The summary in one line.
    pub(crate) line: String,
    pub(crate) exit_code: u8,
    /// The command's warnings.
    pub(crate) warnings: Vec<String>,
}

impl RunTotals {
    fn new(
        summary: &RunSummary,
        warnings: &[Warning],
        problems: usize,
        skip_invalid: bool,
    ) -> Self {
        let mut parts = vec![counted(summary.cases + summary.unreadable, "case")];
        if problems > 0 {
            parts[0] = format!("{}, {}", parts[0], counted(problems as u64, "problem"));
        }
        parts.extend(summary.evaluators.iter().map(in_words));
        Self {
            json: summary.to_json(),
            line: format!("Run({})", parts.join("; ")),
            exit_code: summary.ending(skip_invalid) as u8,
            warnings: warnings.iter().map(Warning::in_a_line).collect(),
        }
    }
}

/// The evaluations of many cases: a sequence in the order of the cases, with a summary.
#[pyclass(frozen, sequence, module = "rightcall")]
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) rows: Vec<Row>,
    pub(crate) totals: RunTotals,
    /// The errors of input that could not be read, as exceptions.
    pub(crate) problems: Vec<Py<PyAny>>,
    /// The expensive columns to include in tables.
    pub(crate) wanted: Wanted,
    /// The table, cached after the first access.
    pub(crate) batch: OnceLock<RecordBatch>,
}

impl Run {
    pub(crate) fn new(
        rows: Vec<Row>,
        summary: &RunSummary,
        warnings: &[Warning],
        problems: Vec<Py<PyAny>>,
        skip_invalid: bool,
        wanted: Wanted,
    ) -> Self {
        Self::from_parts(
            rows,
            RunTotals::new(summary, warnings, problems.len(), skip_invalid),
            problems,
            wanted,
        )
    }

    pub(crate) fn from_parts(
        rows: Vec<Row>,
        totals: RunTotals,
        problems: Vec<Py<PyAny>>,
        wanted: Wanted,
    ) -> Self {
        Self {
            rows,
            totals,
            problems,
            wanted,
            batch: OnceLock::new(),
        }
    }
}

fn in_words(evaluator: &EvaluatorSummary) -> String {
    let totals = &evaluator.totals;
    let mut parts = vec![match totals.mean {
        Some(mean) => format!("{}: mean {mean:.3}", evaluator.label),
        None => format!("{}: no score", evaluator.label),
    }];
    if let Some(rate) = totals.pass_rate {
        parts.push(format!("{:.1}% passed", rate * 100.0));
    }
    if totals.not_applicable > 0 {
        parts.push(format!("{} not applicable", totals.not_applicable));
    }
    if totals.errors > 0 {
        parts.push(counted(totals.errors, "error"));
    }
    parts.join(", ")
}

/// `1 case`, `2 cases`.
fn counted(number: u64, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{ending}")
}
