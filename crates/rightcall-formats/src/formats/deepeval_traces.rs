//! Traces of `DeepEval`.

use crate::format::{Format, Priority, Reading};
use crate::map::BuiltInMap;

pub(super) static ENTRY: Format = Format {
    name: "deepeval-traces",
    title: "DeepEval traces",
    summary: "a document with `baseSpans`, `llmSpans` and `toolSpans`, without `toolsCalled`",
    reads: &[],
    lacks: &[],
    notes: "What DeepEval keeps of a traced run. Each of `toolSpans` is a call. Those of OpenAI's Agents SDK, `Function tool: NAME`, are results of the calls in `llmSpans`. Traces with `toolsCalled` are read as `deepeval`.",
    extensions: &["json", "jsonl"],
    example: r#"{"uuid":"x","baseSpans":[],"agentSpans":[{"uuid":"a1","name":"agent","type":"agent","status":"SUCCESS"}],"llmSpans":[],"retrieverSpans":[],"toolSpans":[{"uuid":"t1","name":"find_order","type":"tool","status":"SUCCESS","parentUuid":"a1","startTime":"2026-01-01T00:00:00Z","endTime":"2026-01-01T00:00:01Z","input":{"id":7},"output":"shipped"}],"startTime":"2026-01-01T00:00:00Z","endTime":"2026-01-01T00:00:02Z"}"#,
    priority: Priority::Document,
    reading: Reading::Mapped(&MAP),
};

static MAP: BuiltInMap = BuiltInMap::new(
    "deepeval-traces",
    "known_by: {toolSpans: any, llmSpans: any, toolsCalled: none}
id: uuid
question: input
call:
- at: toolSpans
  where: [{name: {not: \"Function tool: *\"}}, {name: none}]
  name: name
  args: input
  id: uuid
  output: output
  error: error
  failed: {status: ERRORED}
  start: startTime
  end: endTime
- at: llmSpans
  where: {output.call_id: any}
  name: output.name
  args: output.arguments
  id: output.call_id
result:
  at: toolSpans
  where: {name: \"Function tool: *\"}
  name: name
  args: input
  output: output
  error: error
  failed: {status: ERRORED}
  end: endTime
skip: [baseSpans, agentSpans, llmSpans, retrieverSpans]
",
);
