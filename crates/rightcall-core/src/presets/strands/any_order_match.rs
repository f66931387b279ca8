//! `strands/any-order-match`: the share of expected steps with a tool that was called.

use super::{DEPARTURES, NEEDS, NOT_APPLICABLE, NOTHING, SOURCE, scorer};
use crate::presets::prelude::*;

pub(crate) static ENTRY: Entry = Entry {
    id: "strands/any-order-match",
    aliases: &[],
    summary: "The number of different expected tools that were called, as a share of the expected steps.",
    page: Page {
        measures: "How many different expected tools were called, in any order and any number of times.",
        formula: "`different names on both sides / expected steps`. A tool that is expected twice counts once above the line and twice below it. Nothing expected: 1.",
        use_when: "You move from Strands (`any_order_match_scorer`).",
        not_when: "A tool is expected more than once (`trajectory` with `score: recall`).",
        limits: "Only names are compared. Where a tool is expected twice no run can reach 1, as in the original.",
        not_applicable: NOT_APPLICABLE,
        editions: "",
        departures: DEPARTURES,
        source: SOURCE,
        related: &[
            "strands/in-order-match",
            "vertex/trajectory-recall",
            "trajectory",
        ],
        example: Example {
            settings: "{}",
            expected: r#"[{"name":"find"},{"name":"pay"},{"name":"pay"}]"#,
            actual: r#"[{"name":"pay"},{"name":"pay"},{"name":"look"},{"name":"find"}]"#,
            result: r#"{"score":0.6666666666666666}"#,
        },
    },
    settings: &[],
    editions: &[Edition::Package],
    needs: NEEDS,
    shape: None,
    build: |_, _| Ok(scorer(NOTHING, Align::Once)),
};
