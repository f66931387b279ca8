//! Rows of the NESTFUL data set.

use crate::format::{Format, Priority, Reading};
use crate::map::BuiltInMap;

pub(super) static ENTRY: Format = Format {
    name: "nestful",
    title: "NESTFUL rows",
    summary: "rows with `input` and `output`, the expected calls, each with a `label`",
    reads: &[],
    lacks: &["runs"],
    notes: "A row is what is expected of one question, and no run. Arguments such as `$var1.result$` stand for results of other calls.",
    extensions: &["json", "jsonl"],
    example: r#"[{"input":"Where is order 7?","output":[{"name":"find_order","arguments":{"id":7},"label":"var1"},{"name":"notify","arguments":{"text":"$var1.state$"},"label":"var2"}]}]"#,
    priority: Priority::Document,
    reading: Reading::Mapped(&MAP),
};

static MAP: BuiltInMap = BuiltInMap::new(
    "nestful",
    "known_by: {input: any, 'output[0].name': any, 'output[0].arguments': any, 'output[0].label': any}
id: sample_id
question: input
expected: output
call: {at: calls, name: name, args: arguments}
meta: {tools: tools}
",
);
