//! Results of `AgentExecutor`: pairs of an action and its observation.

use crate::messages::output_of;
use crate::node::Node;
use crate::trace::{Conversation, TraceArguments, TraceCall};

const STEPS: [&str; 2] = ["intermediate_steps", "intermediateSteps"];

/// True for a result with steps that are read, or with none.
pub(super) fn is_result(value: &Node<'_>) -> bool {
    let steps = value.any(&STEPS).filter(|steps| steps.is_list());
    value.has("output") && steps.is_some_and(|steps| steps.items().iter().all(is_step))
}

fn is_step(step: &Node<'_>) -> bool {
    let (action, _) = parts(step);
    action.is_some_and(|it| it.str_at("tool").is_some() && input(it).is_some())
}

/// The action and the observation of a step: a pair in Python, an object in JavaScript.
fn parts<'n, 'a>(step: &'n Node<'a>) -> (Option<&'n Node<'a>>, Option<&'n Node<'a>>) {
    match step.items() {
        [action, observation] => (Some(action.inner(&["kwargs"])), Some(observation)),
        _ => (step.get("action"), step.get("observation")),
    }
}

fn input<'n, 'a>(action: &'n Node<'a>) -> Option<&'n Node<'a>> {
    action.any(&["tool_input", "toolInput"])
}

pub(super) fn read(result: &Node<'_>, conversation: &mut Conversation) {
    for step in result.any_list(&STEPS) {
        let (Some(action), observation) = parts(step) else {
            continue;
        };
        conversation.message();
        conversation.call(TraceCall {
            name: action.name_at(&["tool"]).unwrap_or_default(),
            arguments: input(action).map_or(TraceArguments::Absent, |input| match input.text() {
                // A tool with one parameter takes its value alone.
                Some(text) => TraceArguments::Free(text.clone().into_owned()),
                None => TraceArguments::from_node(input),
            }),
            id: action.label_at(&["tool_call_id", "toolCallId"]),
            output: observation.map(output_of),
            ..TraceCall::default()
        });
    }
    conversation.agent_spoke();
}

#[cfg(test)]
mod tests {
    use crate::tests::{check, evidence};

    #[test]
    fn steps_are_calls_with_results() {
        check(
            "langchain",
            r#"{"input":"q","output":"y","intermediate_steps":[[{"tool":"add","tool_input":{"a":1},"log":"l","type":"AgentAction"},"3"],[{"tool":"look","tool_input":"x","log":"l"},null]]}"#,
            &[r#"add({"a":1}) @0 -> "3""#, r#"look(free "x") @1 -> null"#],
        );
        check(
            "langchain",
            r#"{"input":"q","output":"y","intermediateSteps":[{"action":{"tool":"add","toolInput":{"a":1},"toolCallId":"c","log":"l"},"observation":"3"}]}"#,
            &[r#"add({"a":1}) c @0 -> "3""#],
        );
        let none = r#"{"input":"q","output":"y","intermediate_steps":[]}"#;
        assert_eq!(evidence("langchain", none), ["spoke"]);
    }
}
