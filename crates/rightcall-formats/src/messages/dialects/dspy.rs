//! Trajectories of the `ReAct` module of `DSPy`: one object with numbered keys.

use std::collections::BTreeSet;

use rightcall_core::value::Text;

use super::openai_chat;
use crate::format::{Format, MessageDialect, Priority, Reading};
use crate::messages::in_text::read_said;
use crate::messages::output_of;
use crate::node::Node;
use crate::notations::DSPY_END;
use crate::trace::{CallResult, Conversation, TraceArguments, TraceCall, count_suspects};

static DIALECT: MessageDialect = MessageDialect {
    mark: "tool_name_0",
    decides: is_prediction,
    owns: |value| is_prediction(value) && !is_exchange(value),
    is_message: is_exchange,
    begins_run: |value| is_exchange(value) && !goes_on(value),
    // A list of predictions holds a run in each item.
    reply: |value| is_prediction(value).then(|| vec![value]),
    message,
    keys: &["trajectory", "outputs"],
    ..MessageDialect::BASE
};

pub(super) static ENTRY: Format = Format {
    name: "dspy",
    title: "DSPy trajectories",
    summary: "objects with `tool_name_0` and `tool_args_0`, or such a `trajectory` in a prediction",
    reads: &[
        ("calls", "`tool_name_0`, `tool_name_1`, …; `tool_calls` of an output of the class `ToolCalls`"),
        ("arguments", "`tool_args_0`, …; `args`"),
        ("results", "`observation_0`, …"),
        ("errors", "an observation that begins with `Execution error in` and the name of the tool"),
        ("question", "`question` of the prediction"),
        ("order", "the numbers; a trajectory that was cut to fit begins later than 0"),
    ],
    lacks: &["ids", "times"],
    notes: "What `dspy.ReAct` returns, as `toDict` gives it, one run an object. The tool `finish` ends the run and is part of the package, so it is
no call of the agent's. Of entries of a language model's history the fields `next_tool_name` and `next_tool_args` count, or their calls; an entry whose request has no steps
begins a run. An entry without the text of its reply is a [recording](recordings.md).",
    extensions: &["json", "jsonl"],
    example: r#"{"trajectory":{"thought_0":"I need the order.","tool_name_0":"find_order","tool_args_0":{"id":7},"observation_0":"shipped","thought_1":"Done.","tool_name_1":"finish","tool_args_1":{},"observation_1":"Completed."},"answer":"It is on its way."}"#,
    priority: Priority::Messages,
    reading: Reading::Messages(&DIALECT),
};

fn trajectory<'n, 'a>(value: &'n Node<'a>) -> &'n Node<'a> {
    value.inner(&["trajectory"])
}

/// The numbers of the steps, in order.
fn numbers(trajectory: &Node<'_>) -> BTreeSet<u64> {
    let number = |key: &Text<'_>| {
        let key = key.as_str()?;
        let mut members = ["tool_name_", "tool_args_", "observation_"].into_iter();
        members.find_map(|member| key.strip_prefix(member)?.parse().ok())
    };
    let keys = trajectory.entries().iter();
    keys.filter_map(|(key, _)| number(key)).collect()
}

fn is_run(value: &Node<'_>) -> bool {
    let trajectory = trajectory(value);
    let has = |member: &str, number: u64| trajectory.has(&format!("{member}_{number}"));
    let mut numbers = numbers(trajectory).into_iter();
    numbers.any(|number| {
        has("tool_name", number) && (has("tool_args", number) || has("observation", number))
    })
}

/// True for a prediction with calls (a trajectory, or calls for the caller to run), and for an exchange of a model's history.
fn is_prediction(value: &Node<'_>) -> bool {
    is_run(value) || tool_calls(value).is_some() || is_exchange(value)
}

/// True for an entry of a model's history whose outputs hold the whole reply.
fn is_exchange(value: &Node<'_>) -> bool {
    let outputs = value.list("outputs");
    value.has("model_type") && !outputs.is_empty() && !outputs.iter().any(Node::is_null)
}

/// True for a request with the steps of the run so far.
fn goes_on(exchange: &Node<'_>) -> bool {
    let has_steps = |message: &Node<'_>| {
        let text = message.str_at("content");
        message.says("role", "user") && text.is_some_and(|text| text.contains("tool_name_"))
    };
    exchange.list("messages").iter().any(has_steps)
}

/// Reads the outputs of a model: texts, or objects with a text and calls.
fn outputs(exchange: &Node<'_>, conversation: &mut Conversation) {
    conversation.message();
    conversation.agent_spoke();
    for output in exchange.list("outputs") {
        let text = output.get("text").unwrap_or(output);
        text.str()
            .into_iter()
            .for_each(|text| read_said(text, conversation));
        openai_chat::calls(output, conversation);
    }
}

/// The calls in an output of the class `ToolCalls`, which has no other member.
fn tool_calls<'n, 'a>(value: &'n Node<'a>) -> Option<&'n Node<'a>> {
    let is_call = |call: &Node<'_>| call.str_at("name").is_some() && call.has("args");
    value
        .entries()
        .iter()
        .find_map(|(_, output)| match output.entries() {
            [(key, calls)] if key == "tool_calls" => {
                let items = calls.items();
                (!items.is_empty() && items.iter().all(is_call)).then_some(calls)
            }
            _ => None,
        })
}

fn message(value: &Node<'_>, conversation: &mut Conversation) {
    if is_exchange(value) {
        return outputs(value, conversation);
    }
    if let Some(calls) = tool_calls(value) {
        conversation.message();
        for call in calls.items() {
            conversation.call(TraceCall::from_node(call, &["name"], &["args"], &["id"]));
        }
    }
    if let Some(question) = value.get("question") {
        conversation.trace().input = Some(output_of(question));
    }
    let trajectory = trajectory(value);
    for number in numbers(trajectory) {
        step(trajectory, number, conversation);
    }
    conversation.look_into(value.any(&["answer", "response"]));
    let others = value.entries().iter();
    let mut others = others.filter(|(_, other)| !std::ptr::eq(other, trajectory));
    if !std::ptr::eq(value, trajectory) && others.any(|(_, other)| count_suspects(other) > 0) {
        conversation.left_over("calls next to the trajectory");
    }
}

fn step(trajectory: &Node<'_>, number: u64, conversation: &mut Conversation) {
    let [name, arguments, observation] =
        ["tool_name", "tool_args", "observation"].map(|key| format!("{key}_{number}"));
    conversation.message();
    if trajectory.says(&name, DSPY_END) {
        return conversation.agent_spoke();
    }
    if !trajectory.has_any(&[&name, &arguments]) {
        return conversation.left_over("an observation without a call");
    }
    let mut call = TraceCall::from_node(trajectory, &[&name], &[&arguments], &[]);
    if !trajectory.has(&arguments) {
        call.arguments = TraceArguments::Absent;
    }
    let error = format!("Execution error in {}: ", call.name.to_display());
    conversation.call(call);
    if let Some(output) = trajectory.get(&observation) {
        let has_failed = output.str().is_some_and(|text| text.starts_with(&error));
        let result = CallResult {
            output: Some(output_of(output)),
            ..CallResult::default()
        };
        conversation.result(result.failed_if(has_failed));
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::{check, evidence};

    #[test]
    fn numbered_keys_are_calls_in_order() {
        let run = r#"{"thought_2":"","tool_name_2":"look","tool_args_2":{},"observation_2":"Execution error in look: gone","thought_10":"","tool_name_10":"find","tool_args_10":{"id":7},"observation_10":[1],"tool_name_11":"finish","tool_args_11":{},"observation_11":"Completed."}"#;
        let calls = [
            r#"look({}) @0 -> "Execution error in look: gone" error true"#,
            r#"find({"id":7}) @1 -> [1]"#,
        ];
        check("dspy", run, &calls);
        let prediction = format!(r#"{{"trajectory":{run},"reasoning":"r","answer":"a"}}"#);
        check("dspy", &prediction, &calls);
        let both = [&calls[..], &["---"], &calls].concat();
        check("dspy", &format!("{prediction}\n{prediction}\n"), &both);
        check("dspy", &format!("[{prediction},{prediction}]"), &both);
    }

    #[test]
    fn a_run_that_only_finished_has_no_calls() {
        let run = r#"{"trajectory":{"thought_0":"","tool_name_0":"finish","tool_args_0":{},"observation_0":"Completed."},"answer":"a"}"#;
        assert_eq!(evidence("dspy", run), ["spoke"]);
    }

    #[test]
    fn an_output_may_be_calls() {
        check(
            "dspy",
            r#"{"outputs":{"tool_calls":[{"name":"find","args":{"id":7}}]},"answer":"a"}"#,
            &[r#"find({"id":7}) @0"#],
        );
    }

    #[test]
    fn what_is_lost_is_reported() {
        let run = |members: &str| {
            format!(
                r#"{{"trajectory":{{"tool_name_0":"find","tool_args_0":{{}},"observation_0":"x"{members}}},"answer":"a"}}"#
            )
        };
        check(
            "dspy",
            &run(r#","tool_name_1":"look""#),
            &[r#"find({}) @0 -> "x""#, "look(?) @1"],
        );
        assert_eq!(
            evidence("dspy", &run(r#","observation_1":"y""#))[1..],
            ["1 an observation without a call"]
        );
        let beside = run("").replace(
            r#""answer":"a""#,
            r#""steps":[{"tool_name":"look","args":{}}]"#,
        );
        assert_eq!(
            evidence("dspy", &beside)[1..],
            ["1 calls next to the trajectory"]
        );
    }
}
