//! Test cases of `DeepEval`.

use rightcall_core::call::Shape;

use crate::format::{CallDialect, Carrier, Format, Priority, Reading, RecognizedBy, ShapeSides};

static SIDES: ShapeSides = ShapeSides {
    shape: Shape::DeepEval,
    expected: &["expected_tools", "expectedTools"],
    actual: &["tools_called", "toolsCalled"],
    recognized_by: RecognizedBy::Arguments,
    settings: &[],
    carriers: Carrier::both(CallDialect::DeepEval),
};

pub(super) static ENTRY: Format = Format {
    name: "deepeval",
    title: "DeepEval test cases",
    summary: "`expected_tools` and `tools_called`, calls `{name, input_parameters}`",
    reads: &[
        ("calls", "`tools_called`"),
        ("arguments", "`input_parameters`"),
        ("results", "`output`"),
        ("expectations", "`expected_tools`"),
    ],
    lacks: &["times", "ids of calls", "parallel groups"],
    notes: "Test cases as dictionaries: with `input_parameters` from Python or with `inputParameters` from TypeScript.",
    extensions: &["jsonl", "json"],
    example: r#"{"input":"q","actual_output":"a","tools_called":[{"name":"find_order","input_parameters":{"id":7},"output":"shipped"}],"expected_tools":[{"name":"find_order"}]}"#,
    priority: Priority::Shape,
    reading: Reading::Shape(&SIDES),
};
