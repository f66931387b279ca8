//! Sessions of Qwen Code.

use crate::format::{Format, Priority, Reading};
use crate::map::BuiltInMap;

pub(super) static ENTRY: Format = Format {
    name: "qwen-code",
    title: "Qwen Code sessions",
    summary: "lines with `sessionId`, `uuid` and `message.parts`, whose parts hold `functionCall` and `functionResponse`",
    reads: &[],
    lacks: &[],
    notes: "Session files under `~/.qwen/projects`. Lines of type `system` repeat calls as telemetry, which is not read.",
    extensions: &["jsonl", "json"],
    example: r#"{"uuid":"u1","parentUuid":null,"sessionId":"s1","timestamp":"2026-01-01T00:00:00Z","type":"user","message":{"role":"user","parts":[{"text":"Where is order 7?"}]}}
{"uuid":"u2","parentUuid":"u1","sessionId":"s1","timestamp":"2026-01-01T00:00:01Z","type":"assistant","model":"qwen3-coder","message":{"role":"model","parts":[{"functionCall":{"id":"k1","name":"find_order","args":{"id":7}}}]}}
{"uuid":"u3","parentUuid":"u2","sessionId":"s1","timestamp":"2026-01-01T00:00:02Z","type":"tool_result","message":{"role":"user","parts":[{"functionResponse":{"id":"k1","name":"find_order","response":{"output":"shipped"}}}]}}
"#,
    priority: Priority::Document,
    reading: Reading::Mapped(&MAP),
};

static MAP: BuiltInMap = BuiltInMap::new(
    "qwen-code",
    "known_by: {sessionId: any, uuid: any, message.parts: any}
run: sessionId
model: model
question: message.parts[0].text
call:
  at: message.parts.functionCall
  name: name
  args: args
  id: id
  start: ^^timestamp
result:
  at: message.parts.functionResponse
  id: id
  name: name
  output: response.output
  error: response.error
  end: ^^timestamp
step: {type: assistant}
finished: {type: assistant}
skip: [systemPayload, {type: system}]
",
);
