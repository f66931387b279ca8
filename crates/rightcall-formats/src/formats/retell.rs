//! Calls and chats of Retell's agents.

use crate::format::{Format, Priority, Reading};
use crate::map::BuiltInMap;

pub(super) static ENTRY: Format = Format {
    name: "retell",
    title: "Retell calls and chats",
    summary: "a `call_id` with `transcript_with_tool_calls`, or a `chat_id` with `message_with_tool_calls`",
    reads: &[],
    lacks: &["times"],
    notes: "What the API returns, and the `call` of its webhooks. Without unredacted texts, the redacted ones are read.",
    extensions: &["json", "jsonl"],
    example: r#"{"call_id":"v1","agent_id":"a1","call_status":"ended","transcript_with_tool_calls":[{"role":"user","content":"Where is order 7?","words":[]},{"role":"tool_call_invocation","tool_call_id":"c1","name":"find_order","arguments":"{\"id\": 7}"},{"role":"tool_call_result","tool_call_id":"c1","content":"shipped","successful":true},{"role":"agent","content":"It has shipped.","words":[]}]}
"#,
    priority: Priority::Messages,
    reading: Reading::Mapped(&MAP),
};

static MAP: BuiltInMap = BuiltInMap::new(
    "retell",
    "known_by:
- {'transcript_with_tool_calls[0].role': any}
- {'call.transcript_with_tool_calls[0].role': any}
- {'message_with_tool_calls[0].role': any}
- {'chat.message_with_tool_calls[0].role': any}
- {'scrubbed_transcript_with_tool_calls[0].role': any}
- {'scrubbed_message_with_tool_calls[0].role': any}
id: call_id | chat_id | call.call_id | chat.chat_id
call:
  at: transcript_with_tool_calls | call.transcript_with_tool_calls | message_with_tool_calls | chat.message_with_tool_calls | scrubbed_transcript_with_tool_calls | scrubbed_message_with_tool_calls
  where: {role: tool_call_invocation}
  name: name
  args: arguments
  id: tool_call_id
result:
  at: transcript_with_tool_calls | call.transcript_with_tool_calls | message_with_tool_calls | chat.message_with_tool_calls | scrubbed_transcript_with_tool_calls | scrubbed_message_with_tool_calls
  where: {role: tool_call_result}
  id: tool_call_id
  output: content
  failed: {successful: false}
finished: [{'transcript_with_tool_calls[0].role': any}, {'call.transcript_with_tool_calls[0].role': any}, {'message_with_tool_calls[0].role': any}, {'chat.message_with_tool_calls[0].role': any}, {'scrubbed_transcript_with_tool_calls[0].role': any}, {'scrubbed_message_with_tool_calls[0].role': any}]
",
);
