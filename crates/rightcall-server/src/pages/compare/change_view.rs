//! The change of an evaluator, ready to be drawn.

use rightcall_report::printable;
use rightcall_stats::{ChangeVerdict, MeanChange};

use crate::pages::{percent, score};

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
        let is_share = what == "passed";
        let shown = |number: f64| {
            if is_share {
                percent(Some(number))
            } else {
                score(Some(number))
            }
        };
        let difference = |number: f64| {
            if is_share {
                format!("{:+.1}", number * 100.0)
            } else {
                format!("{number:+.3}")
            }
        };
        let (low, high) = (change.change.low, change.change.high);
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
            before: shown(change.before),
            after: shown(change.after),
            change: difference(change.change.estimate),
            interval: if low.is_finite() {
                format!("{} … {}", difference(low), difference(high))
            } else {
                "–".to_owned()
            },
            verdict,
        }
    }
}
