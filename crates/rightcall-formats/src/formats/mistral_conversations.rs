//! Conversations of Mistral's API for agents.

use crate::format::{Format, Priority, Reading};
use crate::map::BuiltInMap;

pub(super) static ENTRY: Format = Format {
    name: "mistral-conversations",
    title: "Mistral conversations",
    summary: "`object: conversation.response` with `outputs`, or `conversation.history` with `entries`, of type `function.call` and `tool.execution`",
    reads: &[],
    lacks: &["times"],
    notes: "Responses of the API and histories of conversations. Those of one `conversation_id` are a run. Mistral ran the calls of type `tool.execution`.",
    extensions: &["json", "jsonl"],
    example: r#"{"object":"conversation.history","conversation_id":"v1","entries":[{"object":"entry","type":"message.input","role":"user","content":"Where is order 7?"},{"object":"entry","type":"function.call","tool_call_id":"c1","name":"find_order","arguments":"{\"id\":7}"},{"object":"entry","type":"function.result","tool_call_id":"c1","result":"shipped"},{"object":"entry","type":"message.output","role":"assistant","content":"It has shipped."}]}
"#,
    priority: Priority::Messages,
    reading: Reading::Mapped(&MAP),
};

static MAP: BuiltInMap = BuiltInMap::new(
    "mistral-conversations",
    "known_by: {object: [conversation.response, conversation.history]}
run: conversation_id
question: entries[0].content
call:
  at: outputs | entries
  name: name
  args: arguments
  id: tool_call_id | id
  output: info
  by_provider: {type: tool.execution}
result:
  at: outputs | entries
  where: {type: function.result}
  id: tool_call_id
  output: result
finished: [{'outputs[-1].type': message.output}, {'entries[-1].type': message.output}]
",
);
