//! `vertex/trajectory-any-order-match`: the expected calls in any order; other calls in between are allowed.

use super::{DEPARTURES, NEEDS, NOT_APPLICABLE, SOURCE, metric};
use crate::presets::prelude::*;

pub(crate) static ENTRY: Entry = Entry {
    id: "vertex/trajectory-any-order-match",
    aliases: &[],
    summary: "Whether all calls of the reference trajectory were made, in any order.",
    page: Page {
        measures: "Whether the predicted trajectory has all tool calls of the reference trajectory, in any order. Other calls are allowed.",
        formula: "1 if each expected call takes a predicted one of its own with the same name and input; else 0. Nothing expected: 1.",
        use_when: "You move from Vertex AI (`trajectory_any_order_match`), and the order plays no part.",
        not_when: "The order counts (`vertex/trajectory-in-order-match`), or a share is wanted (`vertex/trajectory-recall`).",
        limits: "A call that is expected twice has to be made twice: the documentation is silent here, and Google's ADK judges so. It does not say \
when two inputs are the same either: here, if they are equal as JSON values, with keys in any order.",
        not_applicable: NOT_APPLICABLE,
        editions: "",
        departures: DEPARTURES,
        source: SOURCE,
        related: &[
            "vertex/trajectory-in-order-match",
            "vertex/trajectory-recall",
            "adk/trajectory",
        ],
        example: Example {
            settings: "{}",
            expected: r#"[{"name":"find","args":{"id":7}},{"name":"pay","args":{"id":7}}]"#,
            actual: r#"[{"name":"pay","args":{"id":7}},{"name":"check","args":{}},{"name":"find","args":{"id":7}}]"#,
            result: r#"{"score":1.0}"#,
        },
    },
    settings: &[],
    editions: &[Edition::Package],
    needs: NEEDS,
    shape: Some(Shape::Vertex),
    build: |_, _| {
        let align = Align::FirstFit(Driver::Expected, Fallback::None);
        let score = Scoring::AllOrNothing("every expected call was made", Costs::MISSED);
        Ok(metric(EmptyPolicy::COMPUTE, align, score))
    },
};
