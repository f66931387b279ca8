//! `vertex/trajectory-precision`: the share of actual calls that were expected.

use super::{DEPARTURES_OF_SHARES, NEEDS, NOT_APPLICABLE, NOTHING, SOURCE, VALUES, metric};
use crate::presets::prelude::*;

pub(crate) static ENTRY: Entry = Entry {
    id: "vertex/trajectory-precision",
    aliases: &[],
    summary: "The share of the calls made that appear in the reference trajectory.",
    page: Page {
        measures: "How many of the tool calls in the predicted trajectory appear in the reference trajectory.",
        formula: "`predicted calls that some reference call equals / predicted calls`, name and input compared. No call is used up: the same right \
call made twice counts twice. Nothing called: 0, or 1 if nothing was expected.",
        use_when: "You move from Vertex AI (`trajectory_precision`), and look for needless calls.",
        not_when: "Repeats are mistakes (`trajectory` with `score: precision`).",
        limits: VALUES,
        not_applicable: NOT_APPLICABLE,
        editions: "",
        departures: DEPARTURES_OF_SHARES,
        source: SOURCE,
        related: &["vertex/trajectory-recall", "trajectory"],
        example: Example {
            settings: "{}",
            expected: r#"[{"name":"find","args":{"id":7}},{"name":"pay","args":{"id":7}}]"#,
            actual: r#"[{"name":"find","args":{"id":7}},{"name":"find","args":{"id":7}},{"name":"check","args":{}}]"#,
            result: r#"{"score":0.6666666666666666}"#,
        },
    },
    settings: &[],
    editions: &[Edition::Package],
    needs: NEEDS,
    shape: Some(Shape::Vertex),
    build: |_, _| {
        let score = Scoring::Precision(Idle::Zero);
        Ok(metric(NOTHING, Align::Unconsumed(Driver::Actual), score))
    },
};
