//! Multi-turn samples of Ragas.

use rightcall_core::call::Shape;

use crate::format::{CallDialect, Carrier, Format, Priority, Reading, RecognizedBy, ShapeSides};

static SIDES: ShapeSides = ShapeSides {
    shape: Shape::Ragas,
    expected: &["reference_tool_calls"],
    actual: &["user_input"],
    recognized_by: RecognizedBy::Expected,
    settings: &[],
    carriers: (Carrier::Calls(CallDialect::Ragas), Carrier::Messages),
};

pub(super) static ENTRY: Format = Format {
    name: "ragas",
    title: "Ragas multi-turn samples",
    summary: "`reference_tool_calls` and the messages of `user_input`",
    reads: &[
        ("calls", "`tool_calls` of the messages in `user_input`"),
        ("arguments", "`args`"),
        ("results", "messages of type `tool`"),
        ("expectations", "`reference_tool_calls`"),
    ],
    lacks: &["ids of calls", "times"],
    notes: "Samples of several turns as dictionaries: messages of type `human`, `ai` and `tool` in `user_input`.",
    extensions: &["jsonl", "json"],
    example: r#"{"user_input":[{"type":"human","content":"q"},{"type":"ai","content":"","tool_calls":[{"name":"find_order","args":{"id":7}}]},{"type":"tool","content":"shipped"}],"reference_tool_calls":[{"name":"find_order","args":{"id":7}}]}"#,
    priority: Priority::Shape,
    reading: Reading::Shape(&SIDES),
};
