//! The cases that only one of two runs has.

use rightcall_report::printable;

use super::side::Side;
use crate::link::Query;

/// Cases that are named before all are asked for, and of all.
const NAMED: usize = 20;
const MOST: usize = 2_000;

/// The cases that only one run has: those that are gone, or new.
pub(super) struct CasesAlone {
    /// `before` or `after`, for addresses.
    pub(super) side: &'static str,
    /// What people call the side.
    pub(super) name: String,
    /// How many there are.
    pub(super) number: usize,
    /// Their names, each with where the case is shown.
    pub(super) named: Vec<(String, String)>,
    /// Where more of them are named; empty where that is here.
    pub(super) more: String,
}

impl CasesAlone {
    /// The cases of these keys; `None` without any.
    pub(super) fn new(position: usize, run: &Side, keys: &[String], query: &Query) -> Option<Self> {
        let side = ["before", "after"][position];
        let is_open = query.get("only") == Some(side);
        let named = keys.iter().take(if is_open { MOST } else { NAMED });
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
