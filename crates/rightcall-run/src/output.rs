//! Where results go.

use std::io;
use std::sync::Arc;

use rightcall::call::Case;
use rightcall_results::{CaseResult, RunSummary};

use crate::Recording;

/// Takes the results of a run: files, screens, the history, whoever listens.
pub trait Output {
    /// What it wants to know of cases; each is judged once, with all that any output wants.
    fn wants(&self) -> Wants {
        Wants::default()
    }

    /// Draws cases on whatever threads judge them; `None` where nothing is to be drawn before cases are in order.
    fn renderer(&self) -> Option<Renderer> {
        None
    }

    /// The next case, in input order, with what was drawn of it.
    ///
    /// # Errors
    /// Where it cannot be written.
    fn case(&mut self, _case: &Arc<CaseResult>, _drawn: &[u8]) -> io::Result<()> {
        Ok(())
    }

    /// The end of the run; what was written stays only after this.
    ///
    /// # Errors
    /// Where the rest cannot be written.
    fn finish(&mut self, _summary: &RunSummary) -> io::Result<()> {
        Ok(())
    }
}

/// Draws what may be seen of a case, with what came out of it.
pub type Renderer = Box<dyn Fn(&Case<'_>, &CaseResult, &mut Vec<u8>) + Send + Sync>;

/// What outputs want to know of cases, beside scores and verdicts.
#[derive(Clone, Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each part is wanted by itself"
)]
pub struct Wants {
    /// The originals' details.
    pub details: bool,
    /// The alignments of all cases.
    pub explanation: bool,
    /// Why cases fall short, in words, with the alignments of these.
    pub shortfall: bool,
    /// The cases themselves.
    pub case: bool,
    /// The cases that this sample takes, with their alignments.
    pub sample: Option<Arc<Recording>>,
}

impl Wants {
    /// Everything: what a report for people or for other programs takes.
    pub fn everything() -> Self {
        Self {
            explanation: true,
            shortfall: true,
            case: true,
            ..Self::default()
        }
    }

    /// True where what a case says beside its calls is shown, such as its question.
    pub fn shows_context(&self) -> bool {
        self.case || self.sample.is_some() || self.explanation
    }

    /// True where the tools of all cases are counted: where a report or the history shows calls.
    pub(crate) fn counts_tools(&self) -> bool {
        self.case || self.sample.is_some()
    }

    /// What both want.
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
