//! Calls of Vapi's assistants.

use crate::format::{Format, Priority, Reading};
use crate::map::BuiltInMap;

pub(super) static ENTRY: Format = Format {
    name: "vapi",
    title: "Vapi calls",
    summary: "`messages` of the roles `bot`, `tool_calls` and `tool_call_result`, with `secondsFromStart`",
    reads: &[],
    lacks: &["whether a result is an error"],
    notes: "What the API returns for a call, its `artifact` alone, and the report that its webhook sends at the end of a call.",
    extensions: &["json", "jsonl"],
    example: r#"{"id":"v1","orgId":"o1","type":"webCall","status":"ended","messages":[{"role":"user","message":"Where is order 7?","time":1735689600000,"secondsFromStart":1},{"role":"tool_calls","message":"","time":1735689601000,"secondsFromStart":2,"toolCalls":[{"id":"c1","type":"function","function":{"name":"find_order","arguments":"{\"id\":7}"}}]},{"role":"tool_call_result","toolCallId":"c1","name":"find_order","result":"shipped","time":1735689602000,"secondsFromStart":3},{"role":"bot","message":"It has shipped.","time":1735689603000,"secondsFromStart":4}]}
"#,
    priority: Priority::Messages,
    reading: Reading::Mapped(&MAP),
};

static MAP: BuiltInMap = BuiltInMap::new(
    "vapi",
    "known_by:
- {'messages[0].role': any, 'messages[0].secondsFromStart': any}
- {'artifact.messages[0].role': any, 'artifact.messages[0].secondsFromStart': any}
- {message.type: end-of-call-report, 'message.artifact.messages[0].role': any}
id: id | message.call.id
call:
  at: messages.toolCalls | artifact.messages.toolCalls | message.artifact.messages.toolCalls
  name: function.name
  args: function.arguments
  id: id
  start: ^time
result:
  at: messages | artifact.messages | message.artifact.messages
  where: {role: tool_call_result}
  id: toolCallId
  name: name
  output: result
  end: time
step: messages | artifact.messages | message.artifact.messages
finished: [{'messages[0].role': any}, {'artifact.messages[0].role': any}, {'message.artifact.messages[0].role': any}]
",
);
