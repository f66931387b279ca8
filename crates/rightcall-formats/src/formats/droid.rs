//! Sessions of Factory Droid.

use crate::format::{Format, Priority, Reading};
use crate::map::BuiltInMap;

pub(super) static ENTRY: Format = Format {
    name: "droid",
    title: "Factory Droid sessions",
    summary: "`type: session_start`, then lines of `type: message` with an Anthropic message; or events of `stream-json`",
    reads: &[],
    lacks: &["when a call ended"],
    notes: "Session files under `~/.factory/sessions`, and what `droid exec --output-format stream-json` prints. A session file is one trajectory; events belong to the session that they name.",
    extensions: &["jsonl", "json"],
    example: r#"{"type":"session_start","id":"s1","title":"Order","owner":"u","version":2,"cwd":"/p"}
{"type":"message","id":"m1","message":{"role":"user","content":[{"type":"text","text":"Where is order 7?"}]}}
{"type":"message","id":"m2","parentId":"m1","message":{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"find_order","input":{"id":7}}]}}
{"type":"message","id":"m3","parentId":"m2","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"shipped"}]}}
"#,
    priority: Priority::SessionLog,
    reading: Reading::Mapped(&MAP),
};

static MAP: BuiltInMap = BuiltInMap::new(
    "droid",
    "known_by: [{type: session_start, id: any}, {type: [tool_call, tool_result], toolCallId: any}]
run: session_id | sessionId | $file
id: session_id | sessionId | id
question: message.content[0].text
call:
  - at: message.content
    where: {type: tool_use}
    name: name
    args: input
    id: id
  - when: {type: tool_call}
    name: toolName
    args: parameters
    id: toolCallId
result:
  - at: message.content
    where: {type: tool_result}
    id: tool_use_id
    output: content
    failed: {is_error: true}
  - when: {type: tool_result}
    id: toolCallId
    output: value
    error: error
    failed: {isError: true}
step: {message.role: assistant}
finished: [{message.role: assistant}, {type: message, role: assistant}]
",
);
