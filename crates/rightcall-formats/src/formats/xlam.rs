//! Rows of the data sets of `xLAM` and `APIGen`.

use crate::format::{Format, Priority, Reading};
use crate::map::BuiltInMap;

pub(super) static ENTRY: Format = Format {
    name: "xlam",
    title: "xLAM and APIGen rows",
    summary: "rows with `query`, `tools` and `answers`, the expected calls",
    reads: &[],
    lacks: &["runs"],
    notes: "A row is what is expected of one question, and no run.",
    extensions: &["json", "jsonl", "csv"],
    example: r#"{"id":1,"query":"Where is order 7?","answers":"[{\"name\": \"find_order\", \"arguments\": {\"id\": 7}}]","tools":"[{\"name\": \"find_order\", \"description\": \"Finds an order\", \"parameters\": {\"id\": {\"type\": \"int\"}}}]"}"#,
    priority: Priority::Document,
    reading: Reading::Mapped(&MAP),
};

static MAP: BuiltInMap = BuiltInMap::new(
    "xlam",
    "known_by: {query: any, answers: any, tools: any}
id: id
question: query
expected: answers
call: {at: calls, name: name, args: arguments}
meta: {tools: tools}
",
);
