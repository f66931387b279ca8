//! `strands/exact-match`: the share of positions with the right tool.

use super::{DEPARTURES, NEEDS, SOURCE, scorer};
use crate::presets::prelude::*;

pub(crate) static ENTRY: Entry = Entry {
    id: "strands/exact-match",
    aliases: &[],
    summary: "The share of the expected steps at their position.",
    page: Page {
        measures: "How many of the expected tools were called at exactly their position.",
        formula: "`places with the same name on both sides / expected steps`. Further calls after the last position cost nothing. Nothing expected is an error in the original.",
        use_when: "You move from Strands (`exact_match_scorer`).",
        not_when: "A call in between should not cost all that follow (`strands/in-order-match`, `uipath/tool-call-order`).",
        limits: "Only names are compared. One call too many at the start moves all others out of their places.",
        not_applicable: "The case states neither calls nor an order, or an empty list of them, or there is no run.",
        editions: "",
        departures: DEPARTURES,
        source: SOURCE,
        related: &[
            "strands/in-order-match",
            "vertex/trajectory-exact-match",
            "trajectory",
        ],
        example: Example {
            settings: "{}",
            expected: r#"[{"name":"find"},{"name":"check"},{"name":"pay"}]"#,
            actual: r#"[{"name":"find"},{"name":"pay"},{"name":"pay"}]"#,
            result: r#"{"score":0.6666666666666666}"#,
        },
    },
    settings: &[],
    editions: &[Edition::Package],
    needs: NEEDS,
    shape: None,
    build: |_, _| {
        let empty = Worth::Error("nothing is expected: the score would be divided by zero");
        let empty = EmptyPolicy {
            both: empty,
            expected: empty,
            ..EmptyPolicy::COMPUTE
        };
        Ok(scorer(empty, Align::PositionIfSame))
    },
};
