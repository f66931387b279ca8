//! Summarizes cases that moved between two runs in a sentence.

use std::fmt::Write as _;

use rightcall_report::printable;
use rightcall_stats::MovedCase;

/// The maximum number of cases to name.
const NAMED: usize = 3;

/// `2 cases got worse, 5 better: refund-4 1.000 → 0.583`.
pub(crate) fn moved_sentence(moved: &[MovedCase]) -> String {
    if moved.is_empty() {
        return "no case moved".to_owned();
    }
    let [worse, better] = MovedCase::by_direction(moved);
    let mut told = rightcall_report::moved_sentence([worse.len(), better.len()]);
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
