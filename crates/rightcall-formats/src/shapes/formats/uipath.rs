//! Criteria and spans of `UiPath`.

use rightcall_core::call::Shape;

use crate::format::{Carrier, Format, Priority, Reading, RecognizedBy, ShapeSides};

static SIDES: ShapeSides = ShapeSides {
    shape: Shape::UiPath,
    expected: &[],
    actual: &[],
    recognized_by: RecognizedBy::Nothing,
    settings: &[],
    carriers: (Carrier::Criteria, Carrier::Spans),
};

pub(super) static ENTRY: Format = Format {
    name: "uipath",
    title: "UiPath criteria and spans",
    summary: "`expected` criteria such as `toolCallsOrder`, `actual` spans",
    reads: &[
        ("calls", "spans in `actual` with the attribute `tool.name`"),
        ("arguments", "`input.value`"),
        ("results", "`output.value`"),
        ("times", "`start_time`, `end_time`"),
    ],
    lacks: &["ids of calls", "parallel groups"],
    notes: "Each record is a case: criteria of one evaluator as in an eval set, and the spans of a run. To run a whole set as it is,
see [`uipath-evals`](uipath-evals.md).",
    extensions: &["jsonl", "json"],
    example: r#"{"expected":{"toolCallsOrder":["find_order"]},"actual":[{"attributes":{"tool.name":"find_order","input.value":"{\"id\": 7}"}}]}"#,
    priority: Priority::Shape,
    reading: Reading::Shape(&SIDES),
};
