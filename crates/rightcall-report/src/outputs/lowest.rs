//! Reports for people, which show the lowest cases.

use std::io::{self, Write};
use std::sync::Arc;

use rightcall_results::{CaseResult, RunSummary, SameTrial, Worst};
use rightcall_run::{Output, OutputFile, Wants};

use super::{OutputSettings, RunReport};
use crate::explain_command::ExplainCommand;

/// An output that is written at the end of the run.
pub(super) struct LowestReport {
    out: OutputFile,
    settings: OutputSettings,
    lowest: LowestCases,
    draw: ReportDrawing,
}

/// Draws the report of a run with its lowest cases.
type ReportDrawing = fn(&RunReport<'_>, &LowestCases) -> io::Result<String>;

impl LowestReport {
    pub(super) fn begin(
        out: OutputFile,
        settings: &OutputSettings,
        draw: ReportDrawing,
    ) -> Box<dyn Output> {
        Box::new(Self {
            out,
            settings: settings.clone(),
            lowest: LowestCases::new(settings.explain.clone()),
            draw,
        })
    }
}

impl Output for LowestReport {
    fn wants(&self) -> Wants {
        Wants::everything()
    }

    fn case(&mut self, case: &Arc<CaseResult>, _: &[u8]) -> io::Result<()> {
        self.lowest.add(case);
        Ok(())
    }

    fn finish(&mut self, summary: &RunSummary) -> io::Result<()> {
        let text = (self.draw)(&self.settings.report(summary), &self.lowest)?;
        self.out.write_all(text.as_bytes())?;
        self.out.commit()
    }
}

/// Maximum number of cases kept.
pub const KEPT: usize = 200;

/// Limit on the bytes of kept cases, so that a few huge cases cannot fill a page.
const BYTES: usize = 8 << 20;

/// The lowest cases so far.
#[derive(Debug)]
pub(super) struct LowestCases {
    lowest: Worst<Arc<CaseResult>>,
    pub(super) seen: u64,
    trials: SameTrial,
    explain: Option<ExplainCommand>,
}

impl LowestCases {
    fn new(explain: Option<ExplainCommand>) -> Self {
        Self {
            lowest: Worst::new(KEPT),
            seen: 0,
            trials: SameTrial::default(),
            explain,
        }
    }

    pub(super) fn add(&mut self, case: &Arc<CaseResult>) {
        self.seen += 1;
        self.trials.add(case);
        self.lowest.offer(case.worth(), || Arc::clone(case));
    }

    /// The display name of one of the cases.
    pub(super) fn name(&self, case: &CaseResult) -> String {
        self.trials.name(case)
    }

    /// The command that explains one of the cases.
    pub(super) fn command(&self, case: &CaseResult) -> Option<String> {
        self.explain.as_ref()?.of(case)
    }

    /// The cases, lowest first.
    pub(super) fn cases(&self) -> impl Iterator<Item = &CaseResult> {
        let mut bytes = 0;
        let fits = move |(index, case): &(usize, &Arc<CaseResult>)| {
            bytes += case.case.as_ref().map_or(0, |case| case.json.len());
            *index == 0 || bytes <= BYTES
        };
        let cases = self.lowest.iter().enumerate().take_while(fits);
        cases.map(|(_, case)| &**case)
    }
}
