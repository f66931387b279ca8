//! Trajectories of the `ReAct` module of `DSPy`: one object with numbered keys.

use std::collections::BTreeSet;

use rightcall_core::value::Text;

use crate::format::{Format, MessageDialect, Priority, Reading};
use crate::messages::output_of;
use crate::node::Node;
use crate::trace::{CallResult, Conversation, TraceArguments, TraceCall, count_suspects};

static DIALECT: MessageDialect = MessageDialect {
    mark: "tool_name_0",
    decides: is_run,
    owns: is_run,
    // A list holds a run in each item.
    reply: |value| is_run(value).then(|| vec![value]),
    message,
    keys: &["trajectory"],
    ..MessageDialect::BASE
};

pub(super) static ENTRY: Format = Format {
    name: "dspy",
    title: "DSPy trajectories",
    summary: "objects with `tool_name_0` and `tool_args_0`, or such a `trajectory` in a prediction",
    reads: &[
        ("calls", "`tool_name_0`, `tool_name_1`, …"),
        ("arguments", "`tool_args_0`, …"),
        ("results", "`observation_0`, …"),
        ("errors", "an observation that begins with `Execution error in` and the name of the tool"),
        ("question", "`question` of the prediction"),
        ("order", "the numbers; a trajectory that was cut to fit begins later than 0"),
    ],
    lacks: &["ids", "times"],
    notes: "What `dspy.ReAct` returns, as `toDict` gives it, one run an object. The tool `finish` ends the run and is part of the package, so it is
no call of the agent's. The history of a language model holds requests and replies and is read as [`recordings`](recordings.md).",
    extensions: &["json", "jsonl"],
    example: r#"{"trajectory":{"thought_0":"I need the order.","tool_name_0":"find_order","tool_args_0":{"id":7},"observation_0":"shipped","thought_1":"Done.","tool_name_1":"finish","tool_args_1":{},"observation_1":"Completed."},"answer":"It is on its way."}"#,
    priority: Priority::Messages,
    reading: Reading::Messages(&DIALECT),
};

/// The tool by which the package ends a run.
const FINISH: &str = "finish";

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

fn message(value: &Node<'_>, conversation: &mut Conversation) {
    if let Some(question) = value.get("question") {
        conversation.trace().input = Some(output_of(question));
    }
    let trajectory = trajectory(value);
    for number in numbers(trajectory) {
        step(trajectory, number, conversation);
    }
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
    if trajectory.says(&name, FINISH) {
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
