//! Events of `CrewAI`.

use crate::format::{Format, Priority, Reading};
use crate::map::BuiltInMap;

pub(super) static ENTRY: Format = Format {
    name: "crewai-events",
    title: "CrewAI events",
    summary: "events of `type: tool_usage_started`, `tool_usage_finished` and `tool_usage_error`",
    reads: &[],
    lacks: &["ids"],
    notes: "Events of the event bus, as a listener writes them. A call has no id, so a result answers the oldest open call of its tool; without one, it is a call itself. A file is one run.",
    extensions: &["jsonl", "json"],
    example: r#"{"type":"tool_usage_started","tool_name":"find_order","tool_args":"{\"id\": 7}","agent_id":"a1","task_id":"t1"}
{"type":"tool_usage_finished","tool_name":"find_order","tool_args":"{'id': 7}","output":"shipped","started_at":"2026-01-01T00:00:00","finished_at":"2026-01-01T00:00:01","agent_id":"a1","task_id":"t1"}
"#,
    priority: Priority::Document,
    reading: Reading::Mapped(&MAP),
};

static MAP: BuiltInMap = BuiltInMap::new(
    "crewai-events",
    "known_by: [{type: tool_usage_*, tool_name: any}, {type: [crew_*, task_*, agent_*, flow_*, llm_*], emission_sequence: any}]
run: $file
skip: [agent, task, output.tool_failures, {type: tool_failure_detected}]
call:
  when: {type: tool_usage_started}
  name: tool_name
  args: tool_args
  start: timestamp
result:
  when: {type: [tool_usage_finished, tool_usage_error]}
  name: tool_name
  args: tool_args
  output: output
  error: error
  failed: {type: tool_usage_error}
  end: finished_at
finished: {type: [crew_kickoff_completed, agent_execution_completed, task_completed]}
",
);
