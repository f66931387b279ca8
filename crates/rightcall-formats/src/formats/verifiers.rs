//! Results of verifiers and prime-rl.

use crate::format::{Format, Priority, Reading};
use crate::map::BuiltInMap;

pub(super) static ENTRY: Format = Format {
    name: "verifiers",
    title: "Results of verifiers and prime-rl",
    summary: "rows with `example_id`, `prompt` and `completion`, which are messages",
    reads: &[],
    lacks: &["times"],
    notes: "Files `results.jsonl`. The messages of `completion` are read as they are elsewhere; `reward` is kept.",
    extensions: &["jsonl", "json"],
    example: r#"{"example_id":0,"task":"orders","prompt":[{"role":"user","content":"Where is order 7?"}],"completion":[{"role":"assistant","content":null,"tool_calls":[{"id":"k1","type":"function","function":{"name":"find_order","arguments":"{\"id\":7}"}}]},{"role":"tool","tool_call_id":"k1","content":"shipped"}],"answer":"shipped","reward":1.0}"#,
    priority: Priority::Document,
    reading: Reading::Mapped(&MAP),
};

static MAP: BuiltInMap = BuiltInMap::new(
    "verifiers",
    "known_by: {example_id: any, prompt: any, 'completion[0].role': any}
id: example_id
question: prompt[-1].content | prompt
messages: completion
meta: {task: task, reward: reward, answer: answer}
",
);
