//! Sessions of Continue.

use crate::format::{Format, Priority, Reading};
use crate::map::BuiltInMap;

pub(super) static ENTRY: Format = Format {
    name: "continue-dev",
    title: "Continue sessions",
    summary: "a document with `sessionId` and `history`, whose items hold a `message` with `toolCalls` or `toolCallId`",
    reads: &[],
    lacks: &["times", "whether a result is an error"],
    notes: "Session files under `~/.continue/sessions`.",
    extensions: &["json"],
    example: r#"{"sessionId":"s1","title":"Order","workspaceDirectory":"/p","history":[{"message":{"role":"user","content":"Where is order 7?"}},{"message":{"role":"assistant","content":"","toolCalls":[{"id":"k1","type":"function","function":{"name":"find_order","arguments":"{\"id\":7}"}}]}},{"message":{"role":"tool","toolCallId":"k1","content":"shipped"}},{"message":{"role":"assistant","content":"It is on its way."}}]}"#,
    priority: Priority::Document,
    reading: Reading::Mapped(&MAP),
};

static MAP: BuiltInMap = BuiltInMap::new(
    "continue-dev",
    "known_by: {sessionId: any, 'history[0].message': any}
id: sessionId
question: history[0].message.content
call:
  at: history.message.toolCalls
  name: function.name
  args: function.arguments
  id: id
result:
  at: history.message
  where: {role: tool}
  id: toolCallId
  output: content
step: history
finished: ['history[-1].message.role': assistant]
",
);
