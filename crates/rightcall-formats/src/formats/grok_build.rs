//! Sessions of Grok Build.

use crate::format::{Format, Priority, Reading};
use crate::map::BuiltInMap;

pub(super) static ENTRY: Format = Format {
    name: "grok-build",
    title: "Grok Build sessions",
    summary: "lines of `type: assistant` with `tool_calls`, `tool_result` with `tool_call_id`, `backend_tool_call`",
    reads: &[],
    lacks: &["times", "whether a result is an error"],
    notes: "Files `chat_history.jsonl`. A `backend_tool_call` was run by the provider. A file is one session.",
    extensions: &["jsonl", "json"],
    example: r#"{"type":"user","content":[{"type":"text","text":"Where is order 7?"}]}
{"type":"assistant","content":"","tool_calls":[{"id":"k1","name":"find_order","arguments":"{\"id\":7}"}],"model_id":"grok-code"}
{"type":"tool_result","tool_call_id":"k1","content":"shipped"}
{"type":"assistant","content":"It is on its way.","model_id":"grok-code"}
"#,
    priority: Priority::Document,
    reading: Reading::Mapped(&MAP),
};

static MAP: BuiltInMap = BuiltInMap::new(
    "grok-build",
    "known_by:
  - {type: assistant, tool_calls: any, role: none}
  - {type: tool_result, tool_call_id: any, role: none}
  - {type: backend_tool_call, kind.tool_type: any}
run: $file
model: model_id
question: content[0].text | content
call:
  - when: {type: assistant}
    at: tool_calls
    name: name
    args: arguments
    id: id
  - at: kind.action
    name: ^kind.tool_type
    rest: {without: [type]}
    id: ^kind.id
    failed: {^kind.status: failed}
    by_provider: {^kind.tool_type: any}
result:
  when: {type: tool_result}
  id: tool_call_id
  output: content
step: {type: assistant}
finished: {type: assistant}
",
);
