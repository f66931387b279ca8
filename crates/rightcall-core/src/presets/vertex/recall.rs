//! `vertex/trajectory-recall`: the share of the expected calls that were made.

use super::{DEPARTURES_OF_SHARES, NEEDS, NOT_APPLICABLE, NOTHING, SOURCE, VALUES, metric};
use crate::presets::prelude::*;

pub(crate) static ENTRY: Entry = Entry {
    id: "vertex/trajectory-recall",
    aliases: &[],
    summary: "The share of the calls of the reference trajectory that were made.",
    page: Page {
        measures: "How many of the tool calls in the reference trajectory appear in the predicted trajectory.",
        formula: "`reference calls that some predicted call equals / reference calls`, name and input compared. No call is used up: one call \
meets the same demand twice. Nothing expected: 0, or 1 if nothing was called.",
        use_when: "You move from Vertex AI (`trajectory_recall`), and look for missing steps.",
        not_when: "A call that is demanded twice has to be made twice (`trajectory` with `score: recall`).",
        limits: VALUES,
        not_applicable: NOT_APPLICABLE,
        editions: "",
        departures: DEPARTURES_OF_SHARES,
        source: SOURCE,
        related: &[
            "vertex/trajectory-precision",
            "tau2/action-check",
            "trajectory",
        ],
        example: Example {
            settings: "{}",
            expected: r#"[{"name":"find","args":{"id":7}},{"name":"find","args":{"id":7}},{"name":"pay","args":{"id":7}}]"#,
            actual: r#"[{"name":"find","args":{"id":7}}]"#,
            result: r#"{"score":0.6666666666666666}"#,
        },
    },
    settings: &[],
    editions: &[Edition::Package],
    needs: NEEDS,
    shape: Some(Shape::Vertex),
    build: |_, _| {
        let align = Align::Unconsumed(Driver::Expected);
        Ok(metric(NOTHING, align, Scoring::Recall))
    },
};
