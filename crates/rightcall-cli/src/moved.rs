//! Cases that moved between two runs, in a sentence.

use std::fmt::Write as _;

use rightcall_report::{count, printable};
use rightcall_stats::MovedCase;

/// Cases that are named.
const NAMED: usize = 3;

/// `2 cases got worse, 5 better: refund-4 1.000 → 0.583`.
pub(crate) fn moved_told(moved: &[MovedCase]) -> String {
    if moved.is_empty() {
        return "no case moved".to_owned();
    }
    let worse: Vec<_> = moved.iter().filter(|it| it.is_worse()).collect();
    let better = moved.len() - worse.len();
    let mut told = format!(
        "{} got worse, {better} better",
        count(worse.len() as u64, "case")
    );
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
