//! `vertex/trajectory-in-order-match`: the expected calls in order; other calls in between are allowed.

use super::{DEPARTURES, NEEDS, NOT_APPLICABLE, SOURCE, VALUES, metric};
use crate::presets::prelude::*;

pub(crate) static ENTRY: Entry = Entry {
    id: "vertex/trajectory-in-order-match",
    aliases: &[],
    summary: "Whether all calls of the reference trajectory were made, in its order.",
    page: Page {
        measures: "Whether the predicted trajectory has all tool calls of the reference trajectory in the same order. Other calls are allowed.",
        formula: "1 if the reference trajectory is a subsequence of the predicted one, name and input compared; else 0. Nothing expected: 1.",
        use_when: "You move from Vertex AI (`trajectory_in_order_match`), and steps in between do no harm.",
        not_when: "Further calls are mistakes (`vertex/trajectory-exact-match`), or part of the order should earn credit (`trajectory`).",
        limits: VALUES,
        not_applicable: NOT_APPLICABLE,
        editions: "",
        departures: DEPARTURES,
        source: SOURCE,
        related: &[
            "vertex/trajectory-exact-match",
            "vertex/trajectory-any-order-match",
            "uipath/tool-call-order",
        ],
        example: Example {
            settings: "{}",
            expected: r#"[{"name":"find","args":{"id":7}},{"name":"pay","args":{"id":7}}]"#,
            actual: r#"[{"name":"find","args":{"id":7}},{"name":"check","args":{}},{"name":"pay","args":{"id":7}}]"#,
            result: r#"{"score":1.0}"#,
        },
    },
    settings: &[],
    editions: &[Edition::Package],
    needs: NEEDS,
    shape: Some(Shape::Vertex),
    build: |_, _| {
        let score = Scoring::AllOrNothing("the expected calls were made in order", Costs::MISSED);
        Ok(metric(EmptyPolicy::COMPUTE, Align::Subsequence, score))
    },
};
