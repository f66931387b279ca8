//! `strands/in-order-match`: the share of expected steps taken in order, up to the first missing one.

use super::{DEPARTURES, NEEDS, NOT_APPLICABLE, NOTHING, SOURCE, scorer};
use crate::presets::prelude::*;

pub(crate) static ENTRY: Entry = Entry {
    id: "strands/in-order-match",
    aliases: &[],
    summary: "The share of the expected steps that were taken in order, up to the first that was not.",
    page: Page {
        measures: "How many of the expected tools were called in their order, with others in between; the first that is missing ends the count.",
        formula: "`length of the longest beginning of the expected steps that is a subsequence of the calls / expected steps`. Nothing expected: 1.",
        use_when: "You move from Strands (`in_order_match_scorer`), or a step is worth nothing without those before it.",
        not_when: "Steps behind a missing one should count (`uipath/tool-call-order`).",
        limits: "Only names are compared. A first step that is missing costs everything.",
        not_applicable: NOT_APPLICABLE,
        editions: "",
        departures: DEPARTURES,
        source: SOURCE,
        related: &[
            "strands/any-order-match",
            "uipath/tool-call-order",
            "vertex/trajectory-in-order-match",
        ],
        example: Example {
            settings: "{}",
            expected: r#"[{"name":"find"},{"name":"check"},{"name":"pay"}]"#,
            actual: r#"[{"name":"find"},{"name":"look"},{"name":"check"}]"#,
            result: r#"{"score":0.6666666666666666}"#,
        },
    },
    settings: &[],
    editions: &[Edition::Package],
    needs: NEEDS,
    shape: None,
    build: |_, _| Ok(scorer(NOTHING, Align::Subsequence)),
};
