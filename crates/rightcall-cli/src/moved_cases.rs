//! Summarizes cases that moved between two runs in a sentence.

use std::fmt::Write as _;

use rightcall_report::{moved_told, printable};
use rightcall_stats::{MovedCase, PairedComparison};

/// The maximum number of cases to name.
const NAMED: usize = 3;

/// `2 cases got worse, 5 better: refund-4 1.000 → 0.583`.
pub(crate) fn moved_sentence(comparison: &PairedComparison) -> String {
    let is_unmoved = comparison.moved.is_empty() && comparison.no_longer_judged.is_empty();
    if comparison.compares_wholes() && is_unmoved {
        return "no case moved".to_owned();
    }
    let [worse, _] = MovedCase::by_direction(&comparison.moved);
    let mut told = moved_told(comparison);
    let named = worse
        .iter()
        .take(NAMED)
        .map(|it| format!("{} {:.3} → {:.3}", printable(&it.key), it.before, it.after));
    let named: Vec<_> = named.collect();
    if !named.is_empty() {
        _ = write!(told, ": {}", named.join(", "));
    }
    if worse.len() > NAMED {
        told += ", …";
    }
    told
}
