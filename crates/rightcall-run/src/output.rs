//! Outputs: receivers of results.

use std::io;
use std::sync::Arc;

use rightcall_core::call::Case;
use rightcall_results::{CaseResult, RunSummary};

use crate::Recording;

/// Receives the results of a run: files, screens, the history, callers of the library.
pub trait Output {
    /// The data that it needs of cases. Each case is scored once, with everything that any output wants.
    fn wants(&self) -> Wants {
        Wants::default()
    }

    /// Draws cases on the scoring threads; `None` if the output draws nothing before cases are in order.
    fn renderer(&self) -> Option<Renderer> {
        None
    }

    /// Receives the next case, in input order, with the drawing from the renderer.
    ///
    /// # Errors
    /// A write error.
    fn case(&mut self, _case: &Arc<CaseResult>, _drawn: &[u8]) -> io::Result<()> {
        Ok(())
    }

    /// Ends the run. Files are committed here; without this call nothing is kept.
    ///
    /// # Errors
    /// A write error.
    fn finish(&mut self, _summary: &RunSummary) -> io::Result<()> {
        Ok(())
    }
}

/// Draws the redacted copy of a case with its result.
pub type Renderer = Box<dyn Fn(&Case<'_>, &CaseResult, &mut Vec<u8>) + Send + Sync>;

/// The data of cases that outputs need, in addition to scores and verdicts.
#[derive(Clone, Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each part is wanted by itself"
)]
pub struct Wants {
    /// The details of the original metrics.
    pub details: bool,
    /// The alignments of all cases.
    pub explanation: bool,
    /// Texts on why cases fail, with the alignments of these cases.
    pub shortfall: bool,
    /// The cases themselves.
    pub case: bool,
    /// The cases that this sample selects, with their alignments.
    pub sample: Option<Arc<Recording>>,
}

impl Wants {
    /// Everything, as reports for people or other programs need.
    pub fn everything() -> Self {
        Self {
            explanation: true,
            shortfall: true,
            case: true,
            ..Self::default()
        }
    }

    /// True if the output shows parts of a case other than its calls, such as its question.
    pub fn shows_context(&self) -> bool {
        self.case || self.sample.is_some() || self.explanation
    }

    /// True if the tools of all cases are counted: for reports and histories that show calls.
    pub(crate) fn counts_tools(&self) -> bool {
        self.case || self.sample.is_some()
    }

    /// Combines the data that both outputs need.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            details: self.details || other.details,
            explanation: self.explanation || other.explanation,
            shortfall: self.shortfall || other.shortfall,
            case: self.case || other.case,
            sample: self.sample.or(other.sample),
        }
    }
}
