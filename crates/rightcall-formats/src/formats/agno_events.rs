//! Events of Agno.

use crate::format::{Format, Priority, Reading};
use crate::map::BuiltInMap;

pub(super) static ENTRY: Format = Format {
    name: "agno-events",
    title: "Agno events",
    summary: "events with `run_id` and `event: ToolCallStarted`, `ToolCallCompleted`",
    reads: &[],
    lacks: &[],
    notes: "Events of `agent.run(stream=True, stream_events=True)` and of teams, one a line or in a list; and outputs of runs whose messages were written as
text, with the calls under `tools`; or the list of those calls alone. Events of one `run_id` are a run. Outputs with messages are openai-chat.",
    extensions: &["jsonl", "json"],
    example: r#"{"created_at":1767225600,"event":"RunStarted","agent_id":"a","run_id":"r1","session_id":"s1"}
{"created_at":1767225601,"event":"ToolCallStarted","agent_id":"a","run_id":"r1","session_id":"s1","tool":{"tool_call_id":"c1","tool_name":"find_order","tool_args":{"id":7}}}
{"created_at":1767225602,"event":"ToolCallCompleted","agent_id":"a","run_id":"r1","session_id":"s1","tool":{"tool_call_id":"c1","tool_name":"find_order","tool_args":{"id":7},"tool_call_error":false,"result":"shipped"}}
{"created_at":1767225603,"event":"RunCompleted","agent_id":"a","run_id":"r1","session_id":"s1","content":"It has shipped."}
"#,
    priority: Priority::SessionLog,
    reading: Reading::Mapped(&MAP),
};

static MAP: BuiltInMap = BuiltInMap::new(
    "agno-events",
    "known_by:
- {event: [RunStarted, TeamRunStarted, ToolCall*, TeamToolCall*], run_id: any, created_at: any}
- {run_id: any, 'tools[0].tool_call_id': any, 'tools[0].tool_name': any, 'messages[0].role': none}
- {tool_call_id: any, tool_name: any, tool_args: any, tool_call_error: any}
run: run_id | $file
skip: {event: none, 'messages[0].role': any}
agent: agent_name
model: model
call:
- when: {event: [ToolCallStarted, TeamToolCallStarted]}
  at: tool
  name: tool_name
  args: tool_args
  id: tool_call_id
  start: ^created_at
  optional: true
- when: {event: none, tool_call_id: any}
  name: tool_name
  args: tool_args
  id: tool_call_id
  output: result
  failed: {tool_call_error: true}
- when: {event: none}
  at: tools
  name: tool_name
  args: tool_args
  id: tool_call_id
  output: result
  failed: {tool_call_error: true}
  optional: true
result:
  when: {event: [ToolCallCompleted, TeamToolCallCompleted]}
  at: tool
  id: tool_call_id
  name: tool_name
  args: tool_args
  output: result
  failed: {tool_call_error: true}
  end: ^created_at
step: {event: [ModelRequestStarted, TeamModelRequestStarted]}
finished: [{event: [RunCompleted, TeamRunCompleted]}, {status: COMPLETED}]
",
);
