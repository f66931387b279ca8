//! Telemetry files of Gemini CLI and Qwen Code.

use crate::format::{Format, Priority, Reading};
use crate::map::BuiltInMap;

pub(super) static ENTRY: Format = Format {
    name: "gemini-telemetry",
    title: "Telemetry of Gemini CLI and Qwen Code",
    summary: "log records whose `event.name` begins with `gemini_cli.` or `qwen-code.`",
    reads: &[],
    lacks: &["results", "ids"],
    notes: "What Gemini CLI and Qwen Code write to `telemetry.outfile`: log records, spans and metrics, one after another. Calls are in log records;
spans repeat them without arguments. The records of one `session.id` are a trajectory.",
    extensions: &["log", "jsonl", "json"],
    example: r#"{"attributes":{"session.id":"s1","event.name":"gemini_cli.user_prompt","event.timestamp":"2026-01-01T00:00:00Z","prompt":"Where is order 7?"}}
{"attributes":{"session.id":"s1","event.name":"gemini_cli.tool_call","event.timestamp":"2026-01-01T00:00:01Z","function_name":"find_order","function_args":"{\"id\":7}","success":true,"decision":"accept"}}
{"attributes":{"session.id":"s1","event.name":"gemini_cli.api_response","event.timestamp":"2026-01-01T00:00:02Z"}}
"#,
    priority: Priority::Document,
    reading: Reading::Mapped(&MAP),
};

static MAP: BuiltInMap = BuiltInMap::new(
    "gemini-telemetry",
    "known_by:
  - {attributes.event.name: [gemini_cli.*, qwen-code.*]}
  - {_spanContext: any, attributes.gen_ai.agent.name: [gemini-cli, qwen-code]}
run: attributes.session.id | attributes.gen_ai.conversation.id
question: attributes.prompt
call:
  at: attributes
  where: {event.name: [gemini_cli.tool_call, qwen-code.tool_call]}
  name: function_name
  args: function_args
  error: error
  failed: {success: false}
  not_run: {decision: reject}
  end: event.timestamp
  optional: true
finished: {attributes.event.name: [gemini_cli.api_response, qwen-code.api_response]}
",
);
