//! Cases that are in only one of two runs.

use rightcall_report::printable;

use super::side::Side;
use crate::link::Query;

/// Number of cases listed at first, and the limit if the user asks for all.
const LISTED: usize = 20;
const MAX_LISTED: usize = 2_000;

/// Cases that are in only one run: removed or new cases.
pub(super) struct CasesAlone {
    /// `before` or `after`, for addresses.
    pub(super) side: &'static str,
    /// The display name of the side.
    pub(super) name: String,
    /// Number of cases.
    pub(super) number: usize,
    /// Their names, each with a link to the case.
    pub(super) named: Vec<(String, String)>,
    /// Link to a longer list; empty if this is the longest.
    pub(super) more: String,
}

impl CasesAlone {
    /// The cases with these keys; `None` without any.
    pub(super) fn new(position: usize, run: &Side, keys: &[String], query: &Query) -> Option<Self> {
        let side = ["before", "after"][position];
        let is_open = query.get("only") == Some(side);
        let named = keys.iter().take(if is_open { MAX_LISTED } else { LISTED });
        let named = named.filter_map(|key| {
            let number = run.lowest(key)?;
            Some((
                printable(key),
                format!("/runs/{}/cases/{number}", run.row.number),
            ))
        });
        let more = format!(
            "{}#only-{side}",
            query.with("only", Some(side)).of("/compare")
        );
        (!keys.is_empty()).then(|| Self {
            side,
            name: run.name.clone(),
            number: keys.len(),
            named: named.collect(),
            more: if is_open { String::new() } else { more },
        })
    }
}
