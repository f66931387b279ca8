//! Sessions of Goose, exported as rows of its message table.

use crate::format::{Format, Priority, Reading};
use crate::map::BuiltInMap;

pub(super) static ENTRY: Format = Format {
    name: "goose",
    title: "Goose sessions",
    summary: "rows of `messages` with `session_id` and `content_json`, whose parts are of type `toolRequest` and `toolResponse`",
    reads: &[],
    lacks: &["when a call ended"],
    notes: "Rows of the table `messages` in `sessions.db`, as JSON Lines, as a list or as CSV. Rows of one `session_id` are a session. The document
that `goose session export --format json` writes is one too.",
    extensions: &["jsonl", "json", "csv"],
    example: r#"{"id":1,"message_id":"m1","session_id":"s1","role":"user","content_json":"[{\"type\":\"text\",\"text\":\"Where is order 7?\"}]","created_timestamp":1767225600}
{"id":2,"message_id":"m2","session_id":"s1","role":"assistant","content_json":"[{\"type\":\"toolRequest\",\"id\":\"k1\",\"toolCall\":{\"status\":\"success\",\"value\":{\"name\":\"find_order\",\"arguments\":{\"id\":7}}}}]","created_timestamp":1767225601}
{"id":3,"message_id":"m3","session_id":"s1","role":"user","content_json":"[{\"type\":\"toolResponse\",\"id\":\"k1\",\"toolResult\":{\"status\":\"success\",\"value\":{\"content\":[{\"type\":\"text\",\"text\":\"shipped\"}]}}}]","created_timestamp":1767225602}
"#,
    priority: Priority::SessionLog,
    reading: Reading::Mapped(&MAP),
};

static MAP: BuiltInMap = BuiltInMap::new(
    "goose",
    "known_by: [{session_id: any, role: any, content_json: any}, {session_id: any, message_id: any, content: any}, {working_dir: any, 'conversation[0].role': any}]
run: session_id | id
order: created_timestamp
question: content_json[0].text | content[0].text | conversation[0].content[0].text
call:
  at: content_json | content | conversation.content
  where: {type: toolRequest}
  name: toolCall.value.name
  args: toolCall.value.arguments
  id: id
result:
  at: content_json | content | conversation.content
  where: {type: toolResponse}
  id: id
  output: toolResult.value.content | toolResult.value
  error: toolResult.error
  failed: [{toolResult.status: error}, {toolResult.value.isError: true}]
step: {role: assistant}
finished: [{role: assistant}, {'conversation[-1].role': assistant}]
",
);

#[cfg(test)]
mod tests {
    use crate::tests::check;

    #[test]
    fn an_export_is_one_session() {
        check(
            "goose",
            r#"{"id":"s","working_dir":"/p","conversation":[
                {"role":"user","created":1,"content":[{"type":"text","text":"q"}]},
                {"role":"assistant","created":2,"content":[{"type":"toolRequest","id":"c","toolCall":{"status":"success","value":{"name":"find","arguments":{"id":7}}}}]},
                {"role":"user","created":3,"content":[{"type":"toolResponse","id":"c","toolResult":{"status":"success","value":[{"type":"text","text":"x"}]}}]}]}"#,
            &[r#"find({"id":7}) c @0 -> [{"type":"text","text":"x"}]"#],
        );
    }
}
