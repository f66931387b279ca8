//! Calls of tpmjs.

use rightcall_core::call::Shape;

use crate::format::{CallDialect, Carrier, Format, Priority, Reading, RecognizedBy, ShapeSides};

static SIDES: ShapeSides = ShapeSides {
    shape: Shape::Tpmjs,
    expected: &[],
    actual: &[],
    recognized_by: RecognizedBy::Nothing,
    settings: &[],
    carriers: Carrier::both(CallDialect::Tpmjs),
};

pub(super) static ENTRY: Format = Format {
    name: "tpmjs",
    title: "tpmjs calls",
    summary: "`expected` and `actual`, calls `{tool, args}`",
    reads: &[
        ("calls", "`actual`"),
        ("names", "`tool`"),
        ("arguments", "`args`"),
        ("expectations", "`expected`"),
    ],
    lacks: &["results", "times", "parallel groups"],
    notes: "Pairs of lists, one pair an object.",
    extensions: &["jsonl", "json"],
    example: r#"{"expected":[{"tool":"find_order","args":{"id":7}}],"actual":[{"tool":"find_order","args":{"id":7}}]}"#,
    priority: Priority::Shape,
    reading: Reading::Shape(&SIDES),
};
