//! Conversations of `ElevenLabs` agents.

use crate::format::{Format, Priority, Reading};
use crate::map::BuiltInMap;

pub(super) static ENTRY: Format = Format {
    name: "elevenlabs",
    title: "ElevenLabs conversations",
    summary: "a `conversation_id` with a `transcript`, whose turns have `tool_calls` and `tool_results`",
    reads: &[],
    lacks: &["times"],
    notes: "What the API returns for a conversation, and the `data` of its webhook. Tools that a workflow tool called are calls too, one level deep.",
    extensions: &["json", "jsonl"],
    example: r#"{"agent_id":"a1","conversation_id":"v1","status":"done","transcript":[{"role":"user","message":"Where is order 7?","time_in_call_secs":2},{"role":"agent","message":null,"tool_calls":[{"type":"webhook","request_id":"r1","tool_name":"find_order","params_as_json":"{\"id\": 7}","tool_has_been_called":true}],"tool_results":[],"time_in_call_secs":3},{"role":"agent","message":null,"tool_calls":[],"tool_results":[{"type":"webhook","request_id":"r1","tool_name":"find_order","result_value":"shipped","is_error":false,"tool_has_been_called":true}],"time_in_call_secs":3},{"role":"agent","message":"It has shipped.","time_in_call_secs":4}]}
"#,
    priority: Priority::Messages,
    reading: Reading::Mapped(&MAP),
};

static MAP: BuiltInMap = BuiltInMap::new(
    "elevenlabs",
    "known_by:
- {conversation_id: any, 'transcript[0].role': any, 'transcript[0].time_in_call_secs': any}
- {data.conversation_id: any, 'data.transcript[0].role': any, 'data.transcript[0].time_in_call_secs': any}
run: conversation_id | data.conversation_id
call:
  - at: transcript.tool_calls | data.transcript.tool_calls
    name: tool_name
    args: params_as_json
    id: request_id
  - at: transcript.tool_results.result.steps.requests | data.transcript.tool_results.result.steps.requests
    name: tool_name
    args: params_as_json
    id: request_id
result:
  - at: transcript.tool_results | data.transcript.tool_results
    id: request_id
    name: tool_name
    output: result_value
    failed: {is_error: true}
    not_run: {tool_has_been_called: false}
  - at: transcript.tool_results.result.steps.results | data.transcript.tool_results.result.steps.results
    id: request_id
    name: tool_name
    output: result_value
    failed: {is_error: true}
    not_run: {tool_has_been_called: false}
step: transcript | data.transcript
finished: [{'transcript[0].role': any}, {'data.transcript[0].role': any}]
",
);
