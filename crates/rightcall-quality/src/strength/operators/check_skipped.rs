//! A reading call is skipped before a writing one.

use super::{MutationOperator, OperatorGroup};
use crate::strength::change::Change;
use crate::strength::choice::around;
use crate::strength::mutant::Mutant;

pub(super) const OPERATOR: MutationOperator = MutationOperator {
    code: "check-skipped",
    summary: "a check is skipped before a write",
    group: OperatorGroup::WholeRuns,
    weight: 16,
    needs: "no call that reads, by the first word of its name, comes before one that writes",
    make: |run, random| {
        let reads = |at: usize| is_reading(run.calls[at].name());
        let last_write = (0..run.calls.len()).rev().find(|at| !reads(*at))?;
        let checks: Vec<_> = (0..last_write).filter(|at| reads(*at)).collect();
        around(&checks, random, |at, _| {
            let change = Change::call(&run.calls[at], "skipped before a write");
            Some(Mutant::dropping(run, at, change))
        })
    },
};

/// First words of tools that only read.
const READING: [&str; 22] = [
    "calculate",
    "check",
    "count",
    "describe",
    "fetch",
    "find",
    "get",
    "has",
    "inspect",
    "is",
    "list",
    "look",
    "lookup",
    "query",
    "read",
    "retrieve",
    "search",
    "show",
    "think",
    "track",
    "validate",
    "verify",
];

/// True for a tool that only reads, by the first word of its name: `find_order`, `getUser`, `orders.list`.
pub(super) fn is_reading(tool: &str) -> bool {
    let last_part = tool.rsplit(['.', '/', ':']).next().unwrap_or(tool);
    let last_part = last_part.rsplit("__").next().unwrap_or(last_part);
    let end = last_part
        .char_indices()
        .skip(1)
        .find(|(_, it)| !it.is_ascii_lowercase());
    let word = &last_part[..end.map_or(last_part.len(), |(end, _)| end)];
    READING.contains(&word.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_tools_are_recognized_by_their_first_word() {
        for tool in [
            "find_order",
            "getUser",
            "GetUser",
            "orders.list",
            "mcp__shop__search-items",
            "is_late",
            "list",
        ] {
            assert!(is_reading(tool), "{tool}");
        }
        for tool in [
            "refund",
            "cancel_order",
            "issue_refund",
            "getaway",
            "",
            "größe",
        ] {
            assert!(!is_reading(tool), "{tool}");
        }
    }
}
