//! Dataset items of Axion.

use rightcall_core::call::Shape;

use crate::format::{CallDialect, Carrier, Format, Priority, Reading, RecognizedBy, ShapeSides};

static SIDES: ShapeSides = ShapeSides {
    shape: Shape::Axion,
    expected: &["expected_tools", "expectedTools"],
    actual: &["tools_called", "toolsCalled"],
    recognized_by: RecognizedBy::EitherSide,
    settings: &[],
    carriers: Carrier::both(CallDialect::Axion),
};

pub(super) static ENTRY: Format = Format {
    name: "axion",
    title: "Axion dataset items",
    summary: "`expected_tools` and `tools_called`, calls `{name, args}`",
    reads: &[
        ("calls", "`tools_called`"),
        ("arguments", "`args`"),
        ("expectations", "`expected_tools`"),
    ],
    lacks: &["times", "parallel groups"],
    notes: "Dataset items as dictionaries, with the calls beside the question or in the messages of a conversation.",
    extensions: &["jsonl", "json"],
    example: r#"{"query":"q","tools_called":[{"name":"find_order","args":{"id":7}}],"expected_tools":[{"name":"find_order","args":{}}]}"#,
    priority: Priority::Shape,
    reading: Reading::Shape(&SIDES),
};
