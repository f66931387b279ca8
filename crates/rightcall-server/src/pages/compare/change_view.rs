//! The change of an evaluator, ready to be drawn.

use rightcall_report::{ChangeNumbers, change_numbers, printable};
use rightcall_stats::{ChangeVerdict, MeanChange};

/// The change of an evaluator's mean, or of the share that passed.
pub(super) struct ChangeView {
    pub(super) label: String,
    pub(super) what: &'static str,
    pub(super) cases: usize,
    pub(super) before: String,
    pub(super) after: String,
    pub(super) change: String,
    pub(super) interval: String,
    pub(super) verdict: (&'static str, String),
}

impl ChangeView {
    pub(super) fn new(label: &str, what: &'static str, change: &MeanChange) -> Self {
        let ChangeNumbers {
            before,
            after,
            change: difference,
            interval,
        } = change_numbers(change, what == "passed");
        let p = if change.corrected < 0.001 {
            "p < 0.001".to_owned()
        } else {
            format!("p = {:.3}", change.corrected)
        };
        let verdict = match change.verdict {
            ChangeVerdict::Better => ("better", format!("better ({p})")),
            ChangeVerdict::Worse => ("worse", format!("worse ({p})")),
            ChangeVerdict::Same => ("muted", "the same in each case".to_owned()),
            ChangeVerdict::NoDifference => ("muted", format!("no difference shown ({p})")),
            ChangeVerdict::NotEnough => ("muted", format!("not enough cases to tell ({p})")),
        };
        Self {
            label: printable(label),
            what,
            cases: change.cases,
            before,
            after,
            change: difference,
            interval,
            verdict,
        }
    }
}
