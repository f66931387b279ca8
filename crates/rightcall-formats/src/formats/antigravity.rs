//! Transcripts of Antigravity: one step a line, with the values of arguments as JSON texts.

use super::session::{SessionEvents, SessionReader};
use crate::format::{Format, Priority, Reading, Recognition};
use crate::json;
use crate::messages::output_of;
use crate::node::Node;
use crate::trace::{CallResult, Conversation, Scope, TraceArguments, TraceCall, time};

pub(super) static ENTRY: Format = Format {
    name: "antigravity",
    title: "Antigravity transcripts",
    summary: "lines with `step_index`, `source`, `type` and `status`, some with `tool_calls`",
    reads: &[
        ("calls", "`tool_calls[]` of a step"),
        (
            "arguments",
            "`args`, `arguments`; a value that is a JSON text is what it holds",
        ),
        (
            "results",
            "`content` of the steps of the model whose `type` is a tool, in order",
        ),
        ("errors", "`status` *ERROR* of these steps"),
        ("times", "`created_at`"),
        ("question", "`content` of the first step of the user"),
        (
            "order",
            "the order of lines; calls of one step are parallel",
        ),
    ],
    lacks: &["which result belongs to which call, except by order"],
    notes: "Files `transcript.jsonl`. A file is one run. A result answers the oldest call before it without one.",
    extensions: &["jsonl", "json"],
    example: r#"{"step_index":0,"source":"USER_EXPLICIT","type":"USER_INPUT","status":"DONE","created_at":"2026-01-01T00:00:00Z","content":"Where is order 7?"}
{"step_index":1,"source":"MODEL","type":"PLANNER_RESPONSE","status":"DONE","created_at":"2026-01-01T00:00:01Z","content":"","tool_calls":[{"name":"find_order","args":{"id":"7"}}]}
{"step_index":2,"source":"MODEL","type":"RUN_COMMAND","status":"DONE","created_at":"2026-01-01T00:00:02Z","content":"shipped"}
"#,
    priority: Priority::SessionLog,
    reading: Reading::Traces(
        |value| {
            let first = value.first_record();
            let is_one = ["step_index", "source", "type", "status"]
                .iter()
                .all(|key| first.has(key));
            Recognition::certain_if(is_one)
        },
        SessionReader::<Steps>::boxed,
    ),
};

/// Types of steps that hold the result of a tool.
const RESULTS: [&str; 6] = [
    "VIEW_FILE",
    "RUN_COMMAND",
    "LIST_DIRECTORY",
    "GREP_SEARCH",
    "CODE_ACTION",
    "SEARCH_WEB",
];

#[derive(Default)]
struct Steps;

impl SessionEvents for Steps {
    fn event(&mut self, step: &Node<'_>, _: Scope, conversation: &mut Conversation) {
        let is_user = step
            .str_at("source")
            .is_some_and(|source| source.starts_with("USER"));
        conversation.note_speaker(is_user);
        if is_user {
            conversation.question(|| step.raw_at("content"));
        }
        conversation.part(step, |conversation| self::step(step, conversation));
    }
}

fn step(step: &Node<'_>, conversation: &mut Conversation) {
    let at = step.get("created_at").and_then(time::from_log);
    let is_of_model = step.says("source", "MODEL");
    let kind = step.str_at("type").unwrap_or_default();
    let calls = step.list("tool_calls");
    if calls.is_empty() && is_of_model && RESULTS.contains(&kind) {
        let output = step.get("content").map(output_of);
        let failed = step.says("status", "ERROR");
        conversation.result_at(
            at,
            CallResult {
                error: output.clone().filter(|_| failed),
                output: output.filter(|_| !failed),
                ..CallResult::default()
            },
        );
        return;
    }
    conversation.message();
    if is_of_model {
        conversation.note_agent_message(step);
        conversation.look_into(step.get("content"));
    }
    for call in calls {
        let read = TraceCall::from_node(call, &["name"], &["args", "arguments"], &["id"]);
        let args = call
            .any(&["args", "arguments"])
            .filter(|args| args.is_object());
        conversation.call(TraceCall {
            arguments: args.map_or(read.arguments, |args| TraceArguments::Json(unpacked(args))),
            start: at,
            name: read.name,
            id: read.id,
            ..TraceCall::default()
        });
    }
}

/// Decodes argument values from their JSON texts.
fn unpacked(args: &Node<'_>) -> String {
    json::object(|writer| {
        for (key, value) in args.entries() {
            let held = value.str().filter(|text| json::is_whole(text));
            writer.key_text(key).raw(held.unwrap_or(value.raw()));
        }
    })
}

#[cfg(test)]
mod tests {
    use crate::tests::check;

    #[test]
    fn values_are_what_their_texts_hold_and_results_come_in_order() {
        let steps = r#"{"step_index":1,"source":"MODEL","type":"PLANNER_RESPONSE","status":"DONE","tool_calls":[{"name":"view_file","args":{"AbsolutePath":"\"/a\"","StartLine":"3","Note":"no json"}},{"name":"run_command","args":{"CommandLine":"\"ls\""}}]}
{"step_index":2,"source":"MODEL","type":"VIEW_FILE","status":"DONE","content":"text"}
{"step_index":3,"source":"MODEL","type":"RUN_COMMAND","status":"ERROR","content":"denied"}"#;
        check(
            "antigravity",
            steps,
            &[
                r#"view_file({"AbsolutePath":"/a","StartLine":3,"Note":"no json"}) @0 group-1 -> "text""#,
                r#"run_command({"CommandLine":"ls"}) @0 group-1 error "denied""#,
            ],
        );
    }
}
