//! Calls of Evalite.

use rightcall_core::call::Shape;

use crate::format::{CallDialect, Carrier, Format, Priority, Reading, RecognizedBy, ShapeSides};

static SIDES: ShapeSides = ShapeSides {
    shape: Shape::Evalite,
    expected: &["expectedCalls"],
    actual: &["actualCalls"],
    recognized_by: RecognizedBy::EitherSide,
    settings: &["mode", "weights"],
    carriers: Carrier::both(CallDialect::Evalite),
};

pub(super) static ENTRY: Format = Format {
    name: "evalite",
    title: "Evalite calls",
    summary: "`expectedCalls` and `actualCalls`, calls `{toolName, input}`",
    reads: &[("calls", "`actualCalls`"), ("names", "`toolName`"), ("arguments", "`input`"), ("expectations", "`expectedCalls`")],
    lacks: &["results", "times", "parallel groups"],
    notes: "What a task returns under `actualCalls`, and what is expected under `expectedCalls`. A call without `input` is another one than a call
with an empty object. `mode` and `weights` beside `actualCalls` are those of the call of `toolCallAccuracy`: they go before the settings of the evaluator.",
    extensions: &["jsonl", "json"],
    example: r#"{"actualCalls":[{"toolName":"find_order","input":{"id":7}}],"expectedCalls":[{"toolName":"find_order"}]}"#,
    priority: Priority::Shape,
    reading: Reading::Shape(&SIDES),
};
