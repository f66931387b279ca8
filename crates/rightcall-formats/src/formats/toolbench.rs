//! Answers of `ToolBench`.

use crate::format::{Format, Priority, Reading};
use crate::map::BuiltInMap;

pub(super) static ENTRY: Format = Format {
    name: "toolbench",
    title: "ToolBench answers",
    summary: "a document with `answer_generation`, whose `train_messages` end in the messages of the whole run",
    reads: &[],
    lacks: &["times", "ids"],
    notes: "Answers of ToolBench and StableToolBench. The last list of `train_messages` is the run.",
    extensions: &["json", "jsonl"],
    example: r#"{"win":true,"tree":{},"forward_args":{},"compare_candidates":[],"answer_generation":{"valid_data":true,"final_answer":"shipped","query":"Where is order 7?","function":[],"train_messages":[[{"role":"system","content":"s"},{"role":"user","content":"Where is order 7?"},{"role":"assistant","content":"","function_call":{"name":"find_order","arguments":"{\"id\":7}"}},{"role":"function","name":"find_order","content":"shipped"}]]}}"#,
    priority: Priority::Document,
    reading: Reading::Mapped(&MAP),
};

static MAP: BuiltInMap = BuiltInMap::new(
    "toolbench",
    "known_by: {answer_generation.train_messages: any}
question: answer_generation.query
output: answer_generation.final_answer
messages: answer_generation.train_messages[-1]
skip: [tree, trys, compare_candidates, answer_generation]
",
);
