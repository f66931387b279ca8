//! Results of tau2-bench: tasks, and simulations of them.
//!
//! A simulated user has its own tools, and a task assigns each expected call to the agent or the user. So the user's calls are read
//! too, unless they are to be left out; then the calls expected of the user are left out as well.

use std::collections::HashMap;

use rightcall_core::value::Text;

use super::expected::are_plain_calls;
use crate::format::{EachValue, Format, FoundTraces, Priority, Reading, Recognition, ValuePlace};
use crate::json;
use crate::node::Node;
use crate::trace::{
    CallResult, CaseScope, Conversation, OtherActors, Scope, Trace, TraceCall, look_around, time,
};

pub(super) static ENTRY: Format = Format {
    name: "tau2-bench",
    title: "tau2-bench results",
    summary: "an object with `tasks` and `simulations`",
    reads: &[
        ("calls", "`simulations[].messages[].tool_calls`; of voice runs `ticks[].user_tool_calls` and `agent_tool_calls`"),
        ("arguments", "`arguments`"),
        ("results", "messages with the role `tool`"),
        ("errors", "`error` of a result"),
        ("times", "`timestamp` of the messages that ask and answer"),
        ("actors", "`requestor`: the agent, or the simulated user"),
        ("expectations", "`tasks[].evaluation_criteria.actions`: `name`, `arguments`, `requestor`, `compare_args`"),
        ("question", "the first message of the user"),
        ("model", "`info.agent_info.llm`"),
        ("ids", "`task_id` and `trial` of the case; `tool_calls[].id` of a call"),
    ],
    lacks: &[],
    notes: "Result files of tau2-bench, as the benchmark writes them. A simulation is a trajectory and a trial of its task, and expects what the
task demands, so that `rightcall score results.json -e tau2/action-check` needs nothing else. Calls of the simulated user are named
as such. Divided by agents (`read: {scope: agent}`), a simulation is a case of the `assistant` and one of the `user`.",
    extensions: &["json"],
    example: r#"{"tasks":[{"id":"0","evaluation_criteria":{"actions":[{"action_id":"0_0","requestor":"assistant","name":"find_order","arguments":{"id":7},"compare_args":null}]}}],"simulations":[{"id":"s","task_id":"0","trial":0,"reward_info":{"reward":1.0},"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"c","name":"find_order","arguments":{"id":7},"requestor":"assistant"}]},{"role":"tool","id":"c","content":"shipped","requestor":"assistant","error":false}]}]}"#,
    priority: Priority::Document,
    reading: Reading::Traces(
        |value| {
            let has_list = |key: &str| value.get(key).is_some_and(Node::is_list);
            Recognition::by_marks(&[("tasks", has_list("tasks")), ("simulations", has_list("simulations"))])
        },
        |mut scope| {
            if scope.choices.other_actors == OtherActors::Detect {
                scope.choices.other_actors = OtherActors::Keep;
            }
            Box::new(EachValue(scope, read))
        },
    ),
};

fn read(value: &Node<'_>, scope: Scope, place: ValuePlace, found: &mut FoundTraces) {
    let tasks: HashMap<_, _> = value
        .list("tasks")
        .iter()
        .filter_map(|task| Some((task.label_at(&["id"])?, task)))
        .collect();
    let Some(simulations) = value.get("simulations") else {
        return;
    };
    simulations.each_item(&mut |simulation| {
        let task = simulation
            .label_at(&["task_id"])
            .and_then(|id| tasks.get(&id))
            .copied();
        let mut trace = trace(simulation, task, scope);
        trace.add_facts([("model", value.at(&["info", "agent_info", "llm"]))]);
        look_around(value, &mut trace);
        found.trace(place.line, trace);
    });
}

fn trace(simulation: &Node<'_>, task: Option<&Node<'_>>, scope: Scope) -> Trace {
    let mut conversation = Conversation::new(scope);
    for it in simulation.list("messages") {
        conversation.part(it, |conversation| message(it, conversation));
    }
    for it in simulation.list("ticks") {
        conversation.part(it, |conversation| tick(it, conversation));
    }
    let mut known = simulation.keys_of_lists(&["messages", "ticks"]);
    known.push("reward_info");
    let mut trace = conversation.finish_record(simulation, &known);
    let says = |it: &&Node<'_>| it.says("role", "user");
    let question = simulation.list("messages").iter().find(says);
    let question = question.and_then(|it| it.get("content"));
    trace.input = question
        .filter(|it| it.text().is_some())
        .map(|it| it.raw().to_owned());
    trace.id = simulation.label_at(&["task_id"]);
    trace.trial = simulation.raw_at("trial");
    let actions = task
        .and_then(|task| task.at(&["evaluation_criteria", "actions"]))
        .filter(|actions| !actions.is_null());
    trace.expected = actions.map(|actions| expected(actions, scope));
    if scope.choices.scope == CaseScope::Agent {
        trace.add_part(&party(None));
        for call in &mut trace.calls {
            call.part = Some(party(call.actor.clone()));
        }
        trace.expected_parts = actions.map(|actions| {
            let actions = expected_actions(actions, scope);
            actions.map(|(_, actor)| Some(party(actor))).collect()
        });
    }
    let reward = simulation.get("reward_info");
    trace.add_facts([
        ("reward", reward.and_then(|it| it.get("reward"))),
        ("termination_reason", simulation.get("termination_reason")),
    ]);
    let checks = reward.map_or(&[][..], |it| it.list("action_checks"));
    if !checks.is_empty() {
        let verdicts: Vec<_> = checks
            .iter()
            .map(|check| check.get("action_match").map_or("null", Node::raw))
            .collect();
        trace.meta.push((
            "action_match".to_owned(),
            format!("[{}]", verdicts.join(",")),
        ));
    }
    if task.is_none() {
        trace
            .report
            .note("a simulation whose `task_id` is not among the tasks expects nothing");
    }
    if actions.is_some_and(|actions| {
        actions
            .items()
            .iter()
            .any(|it| it.is_set("allow_partial_match"))
    }) {
        trace
            .report
            .note("`allow_partial_match` of an action is not read: its arguments match or do not");
    }
    trace
}

fn message(message: &Node<'_>, conversation: &mut Conversation) {
    conversation.message();
    let at = time_of(message);
    if message.says("role", "tool") {
        match message.list("tool_messages") {
            [] => result(message, at, conversation),
            results => results
                .iter()
                .for_each(|it| result(it, time_of(it).or(at), conversation)),
        }
    } else {
        for it in message.list("tool_calls") {
            call(it, at, conversation);
        }
    }
}

/// A tick of a voice run. Both sides may act in it.
fn tick(tick: &Node<'_>, conversation: &mut Conversation) {
    conversation.message();
    let at = time_of(tick);
    // The benchmark lists the agent's calls in each tick; an empty list shows that it made none.
    if tick.get("agent_tool_calls").is_some_and(Node::is_list) {
        conversation.agent_spoke();
    }
    for key in ["user_tool_calls", "agent_tool_calls"] {
        tick.list(key)
            .iter()
            .for_each(|it| call(it, at, conversation));
    }
    for key in ["user_tool_results", "agent_tool_results"] {
        tick.list(key)
            .iter()
            .for_each(|it| result(it, time_of(it).or(at), conversation));
    }
}

fn call(call: &Node<'_>, at: Option<i128>, conversation: &mut Conversation) {
    conversation.call(TraceCall {
        start: at,
        actor: actor(call),
        ..TraceCall::from_node(call, &["name"], &["arguments"], &["id"])
    });
}

fn result(result: &Node<'_>, at: Option<i128>, conversation: &mut Conversation) {
    let told = CallResult::from_node(result, &["id"], &[], &["content"]);
    conversation.result_at(at, told.failed_if(result.is_set("error")));
}

fn time_of(node: &Node<'_>) -> Option<i128> {
    time::from_iso(node.str_at("timestamp")?)
}

/// The caller, if it isn't the agent.
fn actor(node: &Node<'_>) -> Option<Text<'static>> {
    node.label_at(&["requestor"])
        .filter(|requestor| *requestor != *AGENT)
}

/// The name of the agent in these files.
const AGENT: &str = "assistant";

/// The name of the caller: the agent by default.
fn party(actor: Option<Text<'static>>) -> Text<'static> {
    actor.unwrap_or_else(|| Text::new(AGENT))
}

/// The expected actions, each with its caller if that isn't the agent.
fn expected_actions<'n, 'a>(
    actions: &'n Node<'a>,
    scope: Scope,
) -> impl Iterator<Item = (&'n Node<'a>, Option<Text<'static>>)> {
    let keeps_others = scope.choices.other_actors == OtherActors::Keep;
    let actions = actions.items().iter();
    actions
        .map(|action| (action, actor(action)))
        .filter(move |(_, actor)| keeps_others || actor.is_none())
}

/// The expected calls; other lists are returned as they are, and the case is refused.
fn expected(actions: &Node<'_>, scope: Scope) -> String {
    if !are_plain_calls(actions) {
        return actions.raw().to_owned();
    }
    json::list(|writer| {
        for (action, actor) in expected_actions(actions, scope) {
            let name = action.label_at(&["name"]).unwrap_or_default();
            writer.begin_object().key("name").text(&name);
            let arguments = action.any(&["arguments", "kwargs", "args"]);
            json::raw(writer, "args", arguments.map(Node::raw));
            json::raw(
                writer,
                "compare_args",
                action.get("compare_args").map(Node::raw),
            );
            json::text(writer, "actor", actor.as_ref());
            writer.end_object();
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Choices;
    use crate::tests::shown;

    const FILE: &str = r#"{"tasks":[{"id":"t","evaluation_criteria":{"actions":[
            {"requestor":"user","name":"reboot","arguments":{}},
            {"requestor":"assistant","name":"find","arguments":{"id":7},"compare_args":[]}]}},{"id":"u","evaluation_criteria":null}],
        "simulations":[{"task_id":"t","trial":0,"reward_info":{"reward":1.0,"action_checks":[{"action_match":true},{"action_match":false}]},
            "messages":[{"role":"user","tool_calls":[{"id":"a","name":"reboot","arguments":{},"requestor":"user"}]},
                {"role":"tool","id":"a","content":"ok","requestor":"user","error":false},
                {"role":"assistant","tool_calls":[{"id":"b","name":"find","arguments":{"id":7},"requestor":"assistant"},{"id":"c","name":"look","arguments":{},"requestor":"assistant"}]},
                {"role":"tool","tool_messages":[{"role":"tool","id":"c","content":"no","error":true},{"role":"tool","id":"b","content":"7"}]}]},
            {"task_id":"gone","trial":0,"messages":[]},
            {"task_id":"u","trial":0,"ticks":[{"user_tool_calls":[],"agent_tool_calls":[{"id":"d","name":"find","arguments":{}}],"agent_tool_results":[{"id":"d","content":"7"}]}]}]}"#;

    fn traces(choices: Choices) -> Vec<Trace> {
        let mut found = FoundTraces::new(&choices, &ENTRY);
        let Reading::Traces(_, reader) = ENTRY.reading else {
            unreachable!()
        };
        let mut reader = reader(Scope {
            choices,
            ..Scope::default()
        });
        reader.value(
            &Node::parse(FILE, 512).unwrap(),
            ValuePlace {
                line: 1,
                is_streamed: false,
            },
            &mut found,
        );
        found
            .records
            .into_iter()
            .map(|(_, trace)| trace.unwrap())
            .collect()
    }

    #[test]
    fn calls_of_the_agent_and_of_the_user_are_read() {
        assert_eq!(
            shown("tau2-bench", FILE, Choices::default()),
            [
                r#"reboot({}) a @0 user -> "ok""#,
                r#"find({"id":7}) b @2 group-2 -> "7""#,
                r#"look({}) c @2 group-2 -> "no" error true"#,
                "---",
                "---",
                r#"find({}) d @0 -> "7""#,
            ]
        );
    }

    #[test]
    fn what_is_expected_of_the_user_goes_with_the_users_calls() {
        let all = &traces(Choices::default())[0];
        assert_eq!(
            all.expected.as_deref(),
            Some(
                r#"[{"name":"reboot","args":{},"actor":"user"},{"name":"find","args":{"id":7},"compare_args":[]}]"#
            )
        );
        assert_eq!(
            all.meta.last(),
            Some(&("action_match".to_owned(), "[true,false]".to_owned()))
        );
        let agent = &traces(Choices {
            other_actors: OtherActors::Drop,
            ..Choices::default()
        })[0];
        assert_eq!(
            agent.expected.as_deref(),
            Some(r#"[{"name":"find","args":{"id":7},"compare_args":[]}]"#)
        );
        assert_eq!((agent.calls.len(), agent.report.dropped_count()), (2, 1));
    }

    #[test]
    fn agent_and_user_may_be_cases_of_their_own() {
        let of_agent = Choices {
            scope: CaseScope::Agent,
            ..Choices::default()
        };
        let all = traces(of_agent);
        let told = all.iter().map(|trace| {
            let id = trace.id.as_ref().unwrap().to_string();
            (id, trace.calls.len(), trace.expected.as_deref())
        });
        let find = r#"[{"name":"find","args":{"id":7},"compare_args":[]}]"#;
        let reboot = r#"[{"name":"reboot","args":{}}]"#;
        assert!(told.eq([
            ("t/assistant".to_owned(), 2, Some(find)),
            ("t/user".to_owned(), 1, Some(reboot)),
            ("gone/assistant".to_owned(), 0, None),
            ("u/assistant".to_owned(), 1, None),
        ]));
    }

    #[test]
    fn what_no_task_states_is_not_expected() {
        let all = traces(Choices::default());
        assert_eq!((&all[1].expected, all[1].report.notes.len()), (&None, 1));
        assert_eq!((&all[2].expected, all[2].report.notes.len()), (&None, 0));
    }
}
