//! A run that is still being recorded: its progress, and its cases as they arrive.

use askama::Template;
use rightcall_report::{EvaluatorRow, count, facts};
use rightcall_store::{CaseFilter, CaseOrder, History, PageRange, RunRow, RunSettings};

use super::Missing;
use super::case_view::CaseView;
use crate::link::Query;

/// Number of cases shown.
const ROWS: u64 = 50;

#[derive(Template)]
#[template(path = "live.html")]
pub(super) struct LivePage {
    run: RunRow,
    facts: Vec<(String, String)>,
    failed: u64,
    evaluators: Vec<EvaluatorRow>,
    cases: Vec<CaseView>,
}

impl LivePage {
    pub(super) fn new(history: &History, run: RunRow, query: &Query) -> Result<Self, Missing> {
        let labels = RunSettings::from_json(&run.about.settings).into_arguments();
        let progress = history.progress(run.number)?;
        let evaluators = labels.iter().zip(&progress);
        let evaluators = evaluators.map(|(label, it)| EvaluatorRow::new(label, "", it));
        let page = PageRange::first(ROWS);
        let found = history.cases(run.number, &CaseFilter::default(), CaseOrder::Worst, page)?;
        let path = format!("/runs/{}", run.number);
        let cases = (0..).zip(&found.cases);
        Ok(Self {
            facts: facts(&run.about),
            failed: history.failed_so_far(run.number)?,
            evaluators: evaluators.collect(),
            cases: cases
                .map(|it| CaseView::new((&path, query), &labels, it))
                .collect(),
            run,
        })
    }

    /// The headline of the page.
    fn head(&self) -> String {
        if self.run.kept == 0 {
            let runs = count(self.run.cases, "run");
            return format!("Running: {runs} of the agent so far; they are scored when it is done");
        }
        format!(
            "Running: {} so far, {} failed",
            count(self.run.cases, "case"),
            self.failed
        )
    }
}
