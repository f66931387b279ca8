//! Conversations of Amazon Q and Kiro, exported as rows of their database table.

use crate::format::{Format, Priority, Reading};
use crate::map::BuiltInMap;

pub(super) static ENTRY: Format = Format {
    name: "amazon-q",
    title: "Amazon Q and Kiro conversations",
    summary: "rows with `value`, JSON whose `history` holds `assistant.ToolUse` and `user.content.ToolUseResults`",
    reads: &[],
    lacks: &["times"],
    notes: "Rows of the table `conversations` of `data.sqlite3`, as JSON Lines, as a list or as CSV.",
    extensions: &["jsonl", "json", "csv"],
    example: r#"{"key":"/p","conversation_id":"c1","value":"{\"conversation_id\":\"c1\",\"history\":[{\"user\":{\"content\":{\"Prompt\":{\"prompt\":\"Where is order 7?\"}}},\"assistant\":{\"ToolUse\":{\"message_id\":\"m1\",\"content\":\"\",\"tool_uses\":[{\"id\":\"k1\",\"name\":\"find_order\",\"args\":{\"id\":7}}]}}},{\"user\":{\"content\":{\"ToolUseResults\":{\"tool_use_results\":[{\"tool_use_id\":\"k1\",\"content\":[{\"Text\":\"shipped\"}],\"status\":\"Success\"}]}}},\"assistant\":{\"Response\":{\"content\":\"It is on its way.\"}}}]}"}"#,
    priority: Priority::Document,
    reading: Reading::Mapped(&MAP),
};

static MAP: BuiltInMap = BuiltInMap::new(
    "amazon-q",
    "known_by: {value.conversation_id: any, 'value.history[0].assistant': any}
id: conversation_id | value.conversation_id | key
question: value.history[0].user.content.Prompt.prompt
call:
  at: value.history.assistant.ToolUse.tool_uses
  name: name
  args: args
  id: id
result:
  at: value.history.user.content.ToolUseResults.tool_use_results
  id: tool_use_id
  output: content
  failed: {status: Error}
step: value.history
finished: {'value.history[-1].assistant.Response': any}
",
);
