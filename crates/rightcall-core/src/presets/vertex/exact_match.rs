//! `vertex/trajectory-exact-match`: the same calls in the same order.

use super::{DEPARTURES, NEEDS, NOT_APPLICABLE, SOURCE, VALUES, metric};
use crate::presets::prelude::*;

pub(crate) static ENTRY: Entry = Entry {
    id: "vertex/trajectory-exact-match",
    aliases: &[],
    summary: "Whether the calls are those of the reference trajectory, in its order.",
    page: Page {
        measures: "Whether the predicted trajectory is identical to the reference trajectory: the same tool calls in the same order.",
        formula: "1 if there are as many calls on both sides and those of each place are the same, name and input; else 0.",
        use_when: "You move from Vertex AI (`trajectory_exact_match`), and one right sequence is demanded.",
        not_when: "Further calls do no harm (`vertex/trajectory-in-order-match`).",
        limits: VALUES,
        not_applicable: NOT_APPLICABLE,
        editions: "",
        departures: DEPARTURES,
        source: SOURCE,
        related: &[
            "vertex/trajectory-in-order-match",
            "adk/trajectory",
            "trajectory",
        ],
        example: Example {
            settings: "{}",
            expected: r#"[{"name":"find","args":{"id":7}},{"name":"pay","args":{"id":7}}]"#,
            actual: r#"[{"name":"find","args":{"id":7}},{"name":"pay","args":{"id":7}},{"name":"check","args":{}}]"#,
            result: r#"{"score":0.0}"#,
        },
    },
    settings: &[],
    editions: &[Edition::Package],
    needs: NEEDS,
    shape: Some(Shape::Vertex),
    build: |_, _| {
        let score = Scoring::AllOrNothing("the same calls in the same places", Costs::BOTH);
        Ok(metric(EmptyPolicy::COMPUTE, Align::Position, score))
    },
};
