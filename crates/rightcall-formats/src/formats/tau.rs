//! Results of tau-bench: the task's expected actions and the run, in one record.

use super::expected::{are_plain_calls, expected_calls};
use crate::format::{EachValue, Format, FoundTraces, Priority, Reading, Recognition, ValuePlace};
use crate::messages::{dialects::openai_chat, speaker::keep_question};
use crate::node::Node;
use crate::trace::{Conversation, Scope, Trace};

pub(super) static ENTRY: Format = Format {
    name: "tau-bench",
    title: "tau-bench results",
    summary: "records with `task_id`, `traj` and `info.task.actions`",
    reads: &[
        ("calls", "`traj`, messages of OpenAI Chat Completions"),
        ("arguments", "`function.arguments`"),
        ("results", "messages with the role `tool`"),
        ("errors", "results that begin with `Error`"),
        ("question", "the first message of the user"),
        ("expectations", "`info.task.actions`: `name`, `kwargs`"),
        ("ids", "`task_id` and `trial` of the case; `tool_calls[].id` of a call"),
    ],
    lacks: &["times"],
    notes: "Result files of tau-bench, as the benchmark writes them. Each run of a task is a trial and expects the actions of the task. The calls of a run
that crashed before the agent spoke are not recorded.",
    extensions: &["json", "jsonl"],
    example: r#"[{"task_id":0,"trial":0,"reward":1.0,"info":{"task":{"user_id":"u","actions":[{"name":"find_order","kwargs":{"id":7}}]}},"traj":[{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"find_order","arguments":"{\"id\": 7}"}}]},{"role":"tool","tool_call_id":"c1","name":"find_order","content":"shipped"}]}]"#,
    priority: Priority::Document,
    reading: Reading::Traces(
        |value| {
            let record = value.first_record();
            Recognition::by_marks(&[
                ("task_id", record.has("task_id")),
                ("traj", record.get("traj").is_some_and(Node::is_list)),
                ("info", record.get("info").is_some_and(Node::is_object)),
            ])
        },
        |scope| Box::new(EachValue(scope, read)),
    ),
};

fn read(value: &Node<'_>, scope: Scope, place: ValuePlace, found: &mut FoundTraces) {
    found.trace(place.line, trace(value, scope));
}

fn trace(record: &Node<'_>, scope: Scope) -> Trace {
    let mut conversation = Conversation::new(scope);
    let messages = record.list("traj").iter();
    messages.for_each(|message| {
        keep_question(message, &mut conversation);
        conversation.part(message, |conversation| {
            openai_chat::message(message, conversation);
        });
    });
    let mut trace = conversation.finish_record(
        record,
        &[&record.keys_of_lists(&["traj"])[..], &["info"]].concat(),
    );
    for call in &mut trace.calls {
        if call
            .output
            .as_ref()
            .is_some_and(|output| output.starts_with("\"Error"))
        {
            call.error = Some("true".to_owned());
        }
    }
    trace.id = record.label_at(&["task_id"]);
    trace.trial = record.raw_at("trial");
    trace.expected = record
        .at(&["info", "task", "actions"])
        .filter(|actions| !actions.is_null())
        .map(expected);
    trace.add_facts([
        ("reward", record.get("reward")),
        ("error", record.at(&["info", "error"])),
    ]);
    if trace.expected.is_none() {
        trace
            .report
            .note("a record without a task, such as one of a crashed run, expects nothing");
    }
    trace
}

/// The expected calls; other lists are returned as they are, and the case is refused.
fn expected(actions: &Node<'_>) -> String {
    if !are_plain_calls(actions) {
        return actions.raw().to_owned();
    }
    expected_calls(actions.items().iter().map(|action| {
        let name = action.label_at(&["name"]).unwrap_or_default();
        (
            name,
            action.any(&["kwargs", "arguments", "args"]).map(Node::raw),
        )
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::check;

    #[test]
    fn a_record_holds_what_was_demanded_and_what_was_done() {
        let record = r#"{"task_id":3,"trial":1,"reward":0.0,"info":{"task":{"actions":[{"name":"find","kwargs":{"id":7}},{"name":"look"}]}},
            "traj":[{"role":"user","content":"q"},
                {"role":"assistant","tool_calls":[{"type":"function","function":{"name":"find","arguments":"{'id': 7}"}}]},
                {"role":"tool","name":"find","content":"Error: no such order"}]}"#;
        check(
            "tau-bench",
            &format!("[{record}]"),
            &[r#"find("{'id': 7}") @1 -> "Error: no such order" error true"#],
        );
        let trace = trace(&Node::parse(record, 512).unwrap(), Scope::default());
        assert_eq!(
            trace.expected.as_deref(),
            Some(r#"[{"name":"find","args":{"id":7}},{"name":"look"}]"#)
        );
        assert_eq!(
            (trace.id.unwrap().to_string(), trace.trial.as_deref()),
            ("3".to_owned(), Some("1"))
        );
        assert_eq!(trace.input.as_deref(), Some("\"q\""));
    }

    #[test]
    fn a_crashed_run_is_not_recorded_and_expects_nothing() {
        let record = r#"{"task_id":1,"trial":0,"reward":0.0,"info":{"error":"boom","traceback":"t"},"traj":[]}"#;
        let trace = trace(&Node::parse(record, 512).unwrap(), Scope::default());
        assert!(trace.expected.is_none() && trace.calls.is_empty() && !trace.agent_spoke);
        assert_eq!(trace.meta[1], ("error".to_owned(), "\"boom\"".to_owned()));
        assert_eq!(trace.report.notes.len(), 1);
    }
}
