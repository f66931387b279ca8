//! Calls of tpmjs.

use rightcall::call::Shape;

use crate::format::{Format, Reading};
use crate::shapes::{Carrier, Dialect, Sides, recognise};

pub(crate) static SIDES: Sides = Sides {
    shape: Shape::Tpmjs,
    expected: &[],
    actual: &[],
    settings: &[],
    carriers: (
        Carrier::Calls(Dialect::Tpmjs),
        Carrier::Calls(Dialect::Tpmjs),
    ),
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
    recognise: |value| recognise(value, Shape::Tpmjs),
    reading: Reading::Shape(&SIDES),
};
