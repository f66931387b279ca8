//! Trajectories of SWE-agent.

use crate::format::{EachValue, Format, FoundTraces, Priority, Reading, Recognition, ValuePlace};
use crate::messages::dialects::openai_chat;
use crate::node::Node;
use crate::trace::{CallResult, Conversation, LeftOut, Scope};

pub(super) static ENTRY: Format = Format {
    name: "swe-agent",
    title: "SWE-agent trajectories",
    summary: "`history` of messages, mostly with `trajectory` and `info`",
    reads: &[
        ("calls", "`tool_calls` of messages in `history` that are no demonstration"),
        ("arguments", "`function.arguments`"),
        ("results", "messages with the role `tool`"),
        ("ids", "`tool_calls[].id`, `tool_call_ids`"),
        ("order", "the order of messages"),
    ],
    lacks: &["times", "whether a result is an error", "calls, where actions are commands in a text"],
    notes: "The `.traj` files of SWE-agent. Messages that are demonstrations are not the agent's own. Where actions are commands in a text,
there is no call with a name and arguments, and none is made up: a run of such actions alone is not recorded, and a run with calls and
such actions is incomplete.",
    extensions: &["traj", "json"],
    example: r#"{"environment":"main","trajectory":[],"history":[{"role":"assistant","content":"","agent":"main","message_type":"action","tool_calls":[{"id":"c1","type":"function","function":{"name":"find_order","arguments":"{\"id\": 7}"}}]},{"role":"tool","content":"shipped","agent":"main","message_type":"observation","tool_call_ids":["c1"]}],"info":{}}"#,
    priority: Priority::Document,
    reading: Reading::Traces(
        |value| {
            let record = value.first_record();
            let history = record.list("history");
            if history.is_empty() {
                return Recognition::No;
            }
            let is_own = |message: &Node<'_>| message.has("agent") || message.has("message_type") || message.has("is_demo");
            Recognition::by_marks(&[
                ("history", true),
                ("trajectory or history[].agent", record.has("trajectory") || history.iter().any(is_own)),
            ])
        },
        |scope| Box::new(EachValue(scope, read)),
    ),
};

fn read(value: &Node<'_>, scope: Scope, place: ValuePlace, found: &mut FoundTraces) {
    let mut conversation = Conversation::new(scope);
    let mut acting = 0;
    for message in value.list("history") {
        if message.is_set("is_demo") {
            for _ in message.list("tool_calls") {
                conversation.trace().report.drop(LeftOut::Demonstration);
            }
            continue;
        }
        if !message.has("role") {
            conversation.left_over("a message without a role");
        }
        let ids = message.list("tool_call_ids");
        if ids.is_empty() {
            conversation.part(message, |conversation| {
                openai_chat::message(message, conversation);
            });
        } else {
            conversation.message();
        }
        for id in ids {
            conversation.result(CallResult {
                id: id.label(),
                ..CallResult::from_node(message, &[], &[], &["content"])
            });
        }
        let is_in_text = is_action(message) && message.list("tool_calls").is_empty();
        if is_in_text {
            conversation.left_over(COMMAND);
        }
        acting += usize::from(is_in_text || message.holds("tool_calls", Node::is_object));
    }
    // The last step of a run may be missing from the messages.
    let steps = value.list("trajectory").iter();
    let unread = steps.filter(|step| is_action(step)).skip(acting);
    unread.for_each(|_| conversation.left_over(COMMAND));
    let mut known = value.keys_of_lists(&["history", "trajectory"]);
    known.extend(["info", "replay_config"]);
    found.trace(place.line, conversation.finish_record(value, &known));
}

/// An action without a name and arguments.
const COMMAND: &str = "an action that is a command in a text";

/// True for a step or message with an action of the agent.
fn is_action(step: &Node<'_>) -> bool {
    step.str_at("action")
        .is_some_and(|action| !action.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::COMMAND;
    use crate::tests::{check, evidence};

    #[test]
    fn demonstrations_are_not_the_agents_own() {
        check(
            "swe-agent",
            r#"{"history":[
                {"role":"assistant","agent":"main","is_demo":true,"content":"","tool_calls":[{"id":"a","function":{"name":"old","arguments":"{}"}}]},
                {"role":"tool","agent":"main","is_demo":true,"content":"x","tool_call_ids":["a"]},
                {"role":"assistant","agent":"main","content":"","action":"find","tool_calls":[{"id":"b","function":{"name":"find","arguments":"{}"}}]},
                {"role":"tool","agent":"main","content":"y","tool_call_ids":["b"]},
                {"role":"assistant","agent":"main","content":"ls","action":"ls"}]}"#,
            &[r#"find("{}") b @0 -> "y""#, "1 of demonstrations"],
        );
    }

    #[test]
    fn actions_that_are_commands_are_left_over_wherever_they_are() {
        let left_over = |history: &str, steps: &str| {
            let text = format!(
                r#"{{"trajectory":[{steps}],"history":[{{"role":"user","agent":"main","content":"q"}}{history}],"info":{{}}}}"#
            );
            evidence("swe-agent", &text).split_off(1)
        };
        let said =
            r#",{"role":"assistant","agent":"main","content":"ls","thought":"t","action":"ls\n"}"#;
        let called = r#",{"role":"assistant","agent":"main","content":"","action":"ls","tool_calls":[{"id":"a","function":{"name":"ls","arguments":"{}"}}]}"#;
        let step = r#"{"action":"ls","observation":"x"}"#;
        let (none, one): ([String; 0], _) = ([], [format!("1 {COMMAND}")]);
        assert_eq!(left_over(said, step), one);
        assert_eq!(left_over(said, ""), one);
        assert_eq!(left_over("", step), one);
        assert_eq!(left_over(called, step), none);
        assert_eq!(left_over(called, &format!("{step},{step}")), one);
        assert_eq!(left_over("", r#"{"action":"","observation":"x"}"#), none);
    }
}
