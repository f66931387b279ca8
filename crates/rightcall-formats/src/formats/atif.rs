//! ATIF, the Agent Trajectory Interchange Format of Harbor.

use crate::format::{EachValue, Format, FoundTraces, Priority, Reading, Recognition, ValuePlace};
use crate::messages::in_text::read_said;
use crate::messages::joined_text;
use crate::messages::listed::each_call;
use crate::node::Node;
use crate::trace::{CallResult, CaseScope, Conversation, Keep, LeftOut, Scope, TraceCall, time};

pub(super) static ENTRY: Format = Format {
    name: "atif",
    title: "ATIF trajectories",
    summary: "`schema_version` ATIF-v1.N with `steps`",
    reads: &[
        ("calls", "`steps[].tool_calls[]`"),
        ("arguments", "`arguments`"),
        ("results", "`steps[].observation.results[]`"),
        ("ids", "`tool_call_id`, `source_call_id`"),
        ("times", "`timestamp` of the step"),
        ("sub-agents", "`subagent_trajectories`, each a trajectory of its own"),
        ("order", "the order of steps; calls of one step are parallel"),
    ],
    lacks: &["whether a result is an error", "when a call ended"],
    notes: "Written by Harbor and by editors that export agent sessions. A step is a message: its calls were asked for together. A result
whose `source_call_id` is missing belongs to no call; in a step without calls it is a result without a call.",
    extensions: &["json", "jsonl"],
    example: r#"{"schema_version":"ATIF-v1.5","session_id":"s","agent":{"name":"a","version":"1"},"steps":[{"step_id":1,"source":"agent","message":"","tool_calls":[{"tool_call_id":"c1","function_name":"find_order","arguments":{"id":7}}],"observation":{"results":[{"source_call_id":"c1","content":"shipped"}]}}]}"#,
    priority: Priority::Document,
    reading: Reading::Traces(
        |value| {
            let version = value.first_record().str_at("schema_version");
            Recognition::certain_if(version.is_some_and(|version| version.starts_with("ATIF-")))
        },
        |scope| Box::new(EachValue(scope, read)),
    ),
};

fn read(value: &Node<'_>, scope: Scope, place: ValuePlace, found: &mut FoundTraces) {
    let mut conversation = Conversation::new(scope);
    conversation.trace().id = value.label_at(&["session_id", "trajectory_id"]);
    let agent = value.at(&["agent", "name"]);
    conversation.enter(CaseScope::Agent, || agent.and_then(Node::label));
    for node in value.list("steps") {
        conversation.note_speaker(node.says("source", "user"));
        conversation.part(node, |conversation| step(node, conversation));
    }
    note_missing(value, &mut conversation);
    let inner = value.list("subagent_trajectories");
    let keeps_inner = scope.choices.sub_agents == Keep::Keep;
    if !keeps_inner {
        let calls = inner
            .iter()
            .flat_map(|it| it.list("steps"))
            .flat_map(|step| step.list("tool_calls"));
        calls.for_each(|_| conversation.trace().report.drop(LeftOut::SubAgent));
    }
    let known = ["steps", "agent", "subagent_trajectories"];
    found.trace(place.line, conversation.finish_record(value, &known));
    if keeps_inner {
        inner.iter().for_each(|it| read(it, scope, place, found));
    }
}

/// Records that steps of the trajectory are in other places.
fn note_missing(value: &Node<'_>, conversation: &mut Conversation) {
    if value
        .get("continued_trajectory_ref")
        .is_some_and(|it| !it.is_null())
    {
        conversation.left_over("a trajectory that goes on in another file");
    }
    let steps = value.list("steps");
    let id = |step: Option<&Node<'_>>| step.and_then(|it| it.whole_at("step_id"));
    let between = id(steps.last()).zip(id(steps.first()));
    let between = between.map(|(last, first)| last - first + 1);
    let total = value
        .at(&["final_metrics", "total_steps"])
        .and_then(Node::whole);
    if total.max(between) > Some(steps.len() as i128) {
        conversation.left_over("steps that are not in the file");
    }
}

fn step(step: &Node<'_>, conversation: &mut Conversation) {
    conversation.message();
    let calls = step.list("tool_calls");
    // A trajectory that continues another begins with copied context, so these calls are not counted again.
    if step.is_set("is_copied_context") {
        for _ in calls {
            conversation.trace().report.drop(LeftOut::RepeatedInHistory);
            conversation.repeat();
        }
        return;
    }
    let start = step.get("timestamp").and_then(time::from_log);
    let before = conversation.calls_read();
    if step.says("source", "agent") {
        conversation.note_agent_message(step);
    }
    each_call(
        step,
        "tool_calls",
        conversation,
        &mut |call, key, conversation| {
            let call =
                TraceCall::from_node(call, &["function_name"], &["arguments"], &["tool_call_id"]);
            let id = call.id.clone().or(key);
            conversation.call(TraceCall { id, start, ..call });
        },
    );
    let said = step.get("message").filter(|_| step.says("source", "agent"));
    if conversation.calls_read() > before {
        conversation.look_into(said);
    } else if let Some(said) = said.and_then(joined_text) {
        read_said(&said.to_display(), conversation);
    }
    let has_calls = conversation.calls_read() > before;
    for result in step.list_at(&["observation", "results"]) {
        let id = result.label_at(&["source_call_id"]);
        if id.is_none() {
            let report = &mut conversation.trace().report;
            // Harbor's answer to a reply that it could not parse.
            let is_complaint = || {
                let content = result.str_at("content");
                content.is_some_and(|it| it.starts_with("Previous response had parsing errors"))
            };
            // An action of the system, such as compacting the context, is not a result.
            if has_calls || is_complaint() || step.says("source", "system") {
                report.note("an observation that names no call is given to none");
            } else {
                report.orphans += 1;
            }
            continue;
        }
        let result = CallResult::from_node(result, &[], &[], &["content"]);
        conversation.result(CallResult { id, ..result });
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::{check, shown};
    use crate::trace::{CaseScope, Choices, Keep};

    #[test]
    fn steps_are_turns_and_sub_agents_have_trajectories() {
        check(
            "atif",
            r#"{"schema_version":"ATIF-v1.7","session_id":"s","steps":[
                 {"step_id":1,"source":"agent","is_copied_context":true,"tool_calls":[{"tool_call_id":"z","function_name":"old","arguments":{}}],"observation":{"results":[{"source_call_id":"z","content":"x"}]}},
                 {"step_id":2,"source":"agent","tool_calls":[{"tool_call_id":"a","function_name":"find","arguments":{"id":7}},{"tool_call_id":"b","function_name":"ask","arguments":{}}],
                  "observation":{"results":[{"source_call_id":"b","content":[{"type":"text","text":"x"}]},{"source_call_id":null,"content":"noise"},{"source_call_id":"q","content":"y"}]}}],
                "subagent_trajectories":[{"schema_version":"ATIF-v1.7","session_id":"sub","steps":[{"step_id":1,"source":"agent","tool_calls":[{"tool_call_id":"c","function_name":"look"}]}]}]}"#,
            &[
                r#"find({"id":7}) a @1 group-1"#,
                r#"ask({}) b @1 group-1 -> "x""#,
                "1 orphans",
                "1 repeated in a history",
                "---",
                "look({}) c @0",
            ],
        );
    }

    #[test]
    fn trajectories_name_their_agents_and_steps_of_the_user_begin_turns() {
        let step = |source: &str, name: &str| {
            format!(
                r#"{{"source":"{source}","tool_calls":[{{"tool_call_id":"a","function_name":"{name}","arguments":{{}}}}]}}"#
            )
        };
        let user = r#"{"source":"user","message":"q"}"#;
        let steps = [
            user,
            &step("agent", "find"),
            user,
            user,
            &step("agent", "look"),
        ]
        .join(",");
        let text = format!(
            r#"{{"schema_version":"ATIF-v1.7","session_id":"s","agent":{{"name":"shop"}},"steps":[{steps}],
                "subagent_trajectories":[{{"schema_version":"ATIF-v1.7","session_id":"s","agent":{{"name":"clerk"}},"steps":[{}]}}]}}"#,
            step("agent", "send")
        );
        let of = |scope| {
            let choices = Choices {
                scope,
                sub_agents: Keep::Drop,
                ..Choices::default()
            };
            shown("atif", &text, choices)
        };
        let (find, look) = ("find({}) a @1", "look({}) a @4");
        assert_eq!(of(CaseScope::Agent), [find, look, "1 of sub-agents"]);
        assert_eq!(of(CaseScope::Turn), [find, "1 of sub-agents", "---", look]);
        let choices = Choices {
            scope: CaseScope::Agent,
            ..Choices::default()
        };
        assert_eq!(
            shown("atif", &text, choices),
            [find, look, "---", "send({}) a @0"]
        );
    }
}
