//! Invocations of the Agent Development Kit.

use rightcall_core::call::Shape;

use crate::format::{Carrier, Format, Priority, Reading, RecognizedBy, ShapeSides};

static SIDES: ShapeSides = ShapeSides {
    shape: Shape::Adk,
    expected: &[],
    actual: &[],
    recognized_by: RecognizedBy::Nothing,
    settings: &[],
    carriers: (Carrier::Invocations, Carrier::Invocations),
};

pub(super) static ENTRY: Format = Format {
    name: "adk",
    title: "ADK invocations",
    summary: "`expected` and `actual` invocations with `intermediate_data`",
    reads: &[
        ("calls", "`intermediate_data.tool_uses`"),
        ("arguments", "`args`"),
        ("results", "`intermediate_data.tool_responses`"),
    ],
    lacks: &["times", "parallel groups"],
    notes: "Invocations of the agent beside the expected ones, as the evaluators of the kit take them. Eval sets are
[`adk-eval-sets`](adk-eval-sets.md), sessions are [`adk-sessions`](adk-sessions.md).",
    extensions: &["jsonl", "json"],
    example: r#"{"expected":[{"intermediate_data":{"tool_uses":[{"name":"find_order","args":{"id":7}}]}}],"actual":[{"intermediate_data":{"tool_uses":[{"name":"find_order","args":{"id":7}}]}}]}"#,
    priority: Priority::Shape,
    reading: Reading::Shape(&SIDES),
};
