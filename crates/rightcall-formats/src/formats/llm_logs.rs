//! Logs of the command `llm`.

use crate::format::{Format, Priority, Reading};
use crate::map::BuiltInMap;

pub(super) static ENTRY: Format = Format {
    name: "llm-logs",
    title: "Logs of the command `llm`",
    summary: "rows with `conversation_id`, `datetime_utc`, `tool_calls` and `tool_results`",
    reads: &[],
    lacks: &["times"],
    notes: "The list that `llm logs --json` prints. Rows of one `conversation_id` are a run; a row has the results of the calls of the row before.",
    extensions: &["json", "jsonl"],
    example: r#"[{"id":"r1","model":"m","conversation_id":"c","datetime_utc":"2026-01-01T00:00:00+00:00","prompt":"Where is order 7?","response":"","tool_calls":[{"id":1,"tool_id":1,"name":"find_order","arguments":{"id":7},"tool_call_id":"c1"}],"tool_results":[]},
 {"id":"r2","model":"m","conversation_id":"c","datetime_utc":"2026-01-01T00:00:01+00:00","prompt":"","response":"It has shipped.","tool_calls":[],"tool_results":[{"id":2,"tool_id":1,"name":"find_order","output":"shipped","tool_call_id":"c1","exception":null}]}]
"#,
    priority: Priority::SessionLog,
    reading: Reading::Mapped(&MAP),
};

static MAP: BuiltInMap = BuiltInMap::new(
    "llm-logs",
    "known_by: {conversation_id: any, datetime_utc: any, tool_calls: any, tool_results: any}
run: conversation_id
order: datetime_utc
question: prompt
model: model
call:
  at: tool_calls
  name: name
  args: arguments
  id: tool_call_id
  by_provider: {server_executed: true}
result:
  at: tool_results
  id: tool_call_id
  name: name
  output: output
  error: exception
step: {tool_calls: any}
finished: {response: '?*'}
",
);
