//! The memory of agents of smolagents.

use crate::format::{Format, FoundTraces, Priority, Reading, Recognition, TraceReader, ValuePlace};
use crate::messages::{json_text, output_of};
use crate::node::Node;
use crate::trace::{Conversation, Doubt, Scope, TraceArguments, TraceCall, time};

pub(super) static ENTRY: Format = Format {
    name: "smolagents",
    title: "smolagents memory",
    summary: "steps with `step_number` and `tool_calls`, in a list or one a line, and results of runs with `steps`",
    reads: &[
        ("calls", "`tool_calls[].function` of each step"),
        ("arguments", "`function.arguments`; of agents that write code, the code"),
        ("results", "`observations` of a step with one call"),
        ("ids", "`tool_calls[].id`"),
        ("errors", "`error.message` of a step with one call"),
        ("times", "`timing` of the step"),
        ("question", "`task`"),
        ("order", "the order of steps; calls of one step are parallel"),
    ],
    lacks: &["results and errors of single calls, where a step has several", "calls inside the code that an agent wrote"],
    notes: "What `agent.memory.get_full_steps()` and `get_succinct_steps()` give, and a `RunResult` as JSON. An agent that writes code calls
`python_interpreter`; what its code calls is not taken apart. `final_answer` is a call as any other. Of steps that are lines, one with
`task` or `system_prompt` begins a run.",
    extensions: &["json", "jsonl"],
    example: r#"[{"task":"Where is order 7?","task_images":null},{"step_number":1,"timing":{"start_time":1735689600.0,"end_time":1735689601.0,"duration":1.0},"tool_calls":[{"id":"c1","type":"function","function":{"name":"find_order","arguments":{"id":7}}}],"error":null,"observations":"shipped","is_final_answer":false}]"#,
    priority: Priority::Document,
    reading: Reading::Traces(
        |value| {
            let steps = steps(value).iter().chain(steps(value.first_record()));
            let mut steps = steps.chain(std::iter::once(value));
            Recognition::certain_if(steps.any(is_step))
        },
        |scope| Box::new(Runs { scope, open: None }),
    ),
};

/// The steps of a run, which may be a plain list.
fn steps<'n, 'a>(value: &'n Node<'a>) -> &'n [Node<'a>] {
    if value.is_list() {
        value.items()
    } else {
        value.list("steps")
    }
}

fn is_step(value: &Node<'_>) -> bool {
    value.has("step_number") && value.has("timing")
}

/// A list holds the steps of one run, or runs. Steps may also be lines.
struct Runs {
    scope: Scope,
    /// The current run of step lines, and its first line.
    open: Option<(u64, Conversation)>,
}

impl Runs {
    /// Reads a line: a step, or the header before the steps of a run.
    fn line(&mut self, line: &Node<'_>, place: ValuePlace, found: &mut FoundTraces) {
        if line.has_any(&["task", "system_prompt"]) && !is_step(line) {
            let has_steps = self
                .open
                .as_mut()
                .is_some_and(|(_, run)| run.calls_read() > 0);
            if has_steps {
                self.end(found);
            }
        }
        let (_, run) = self
            .open
            .get_or_insert_with(|| (place.line, Conversation::new(self.scope)));
        item(line, run);
    }

    fn end(&mut self, found: &mut FoundTraces) {
        if let Some((line, run)) = self.open.take() {
            found.trace(line, run.finish());
        }
    }
}

impl TraceReader for Runs {
    fn value(&mut self, value: &Node<'_>, place: ValuePlace, found: &mut FoundTraces) {
        let is_run = |item: &Node<'_>| item.is_list() || item.has("steps");
        if value.items().iter().any(is_run) && self.each_item(value, place, found) {
            return;
        }
        if value.is_object() && !value.has("steps") {
            return self.line(value, place, found);
        }
        let mut conversation = Conversation::new(self.scope);
        for step in steps(value) {
            item(step, &mut conversation);
        }
        found.trace(
            place.line,
            conversation.finish_record(value, &value.keys_of_lists(&["steps"])),
        );
    }

    fn finish(&mut self, found: &mut FoundTraces) -> bool {
        self.end(found);
        false
    }
}

/// Reads a step, or looks at another item of a stream.
fn item(item: &Node<'_>, conversation: &mut Conversation) {
    // A stream has each call and its output before the step that repeats both.
    let is_of_stream = !item.has("step_number") && item.has_any(&["function", "is_final_answer"]);
    if is_of_stream {
        conversation.look(item, 0, Doubt::SameName);
    } else {
        conversation.part(item, |conversation| step(item, conversation));
    }
}

fn step(step: &Node<'_>, conversation: &mut Conversation) {
    if let Some(task) = step.get("task").and_then(Node::text) {
        conversation.trace().input = Some(json_text(task));
    }
    // A step whose tool failed has its call in the model's message alone.
    let asked = step.list_at(&["model_output_message", "tool_calls"]);
    let calls = match step.list("tool_calls") {
        [] => asked,
        calls => calls,
    };
    conversation.message();
    let says = |key: &str| step.get(key).is_some_and(|it| it.raw() != "\"\"");
    // A model that failed gave no output.
    let outputs = ["model_output", "model_output_message"];
    let is_null = |key: &str| step.has(key) && step.get(key).is_none();
    let has_failed = outputs.into_iter().all(is_null);
    if step.get("tool_calls").is_some_and(Node::is_list) && !has_failed
        || outputs.into_iter().any(says)
    {
        conversation.agent_spoke();
    }
    if calls.is_empty() && says("observations") {
        conversation.left_over("a result without a call");
    }
    if calls.is_empty() && says("code_action") {
        conversation.left_over("code that is in no call");
    }
    // With several calls, the output and the error belong to the step, not to a single call.
    let is_only = calls.len() == 1;
    let of_step = |key: &str| step.get(key).filter(|_| is_only).map(output_of);
    let error = step.get("error").filter(|_| is_only);
    let at = |key: &str| step.at(&["timing", key]).and_then(time::from_log);
    for call in calls {
        let function = call.get("function").unwrap_or(call);
        let read = TraceCall::from_node(function, &["name"], &["arguments"], &[]);
        let code = function.get("arguments").and_then(Node::text);
        conversation.call(TraceCall {
            id: call.label_at(&["id"]),
            arguments: match code.filter(|code| !code.as_bytes().starts_with(b"{")) {
                Some(code) => TraceArguments::Free(code.clone().into_owned()),
                None => read.arguments,
            },
            output: of_step("observations"),
            error: error.map(|error| {
                error
                    .get("message")
                    .map_or_else(|| output_of(error), output_of)
            }),
            start: at("start_time"),
            end: at("end_time"),
            name: read.name,
            ..TraceCall::default()
        });
    }
    if calls.len() > 1 && step.has("observations") {
        let note = "the observations of a step with several calls are given to none of them";
        conversation.trace().report.note(note);
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::{check, evidence};

    #[test]
    fn a_step_without_calls_shows_what_the_model_said_or_that_a_call_is_missing() {
        let told = |rest: &str| {
            let step = format!(r#"[{{"step_number":1,"timing":{{"start_time":1.0}},{rest}}}]"#);
            evidence("smolagents", &step)
        };
        assert_eq!(
            told(r#""tool_calls":null,"model_output":"done""#),
            ["spoke"]
        );
        assert_eq!(told(r#""tool_calls":[]"#), ["spoke"]);
        assert_eq!(told(r#""tool_calls":null,"observations":"""#), ["silent"]);
        let lost = ["silent", "1 a result without a call"];
        assert_eq!(told(r#""tool_calls":null,"observations":"x""#), lost);
    }

    #[test]
    fn a_step_is_a_turn_and_what_came_of_it_that_of_its_only_call() {
        let steps = r#"[{"task":"q","task_images":null},
            {"step_number":1,"timing":{"start_time":1.0},"model_input_messages":[{"role":"system","content":[{"type":"text","text":"x"}]}],"tool_calls":[{"id":"a","type":"function","function":{"name":"find","arguments":{"id":7}}}],"model_output_message":{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"find","arguments":{"id":7}}}]},"error":{"type":"AgentToolExecutionError","message":"gone"},"observations":null},
            {"step_number":2,"timing":{"start_time":2.0},"tool_calls":[{"id":"b","type":"function","function":{"name":"python_interpreter","arguments":"print(1)"}}],"error":null,"observations":"1"},
            {"step_number":3,"timing":{"start_time":3.0},"tool_calls":[{"id":"c","type":"function","function":{"name":"find","arguments":{}}},{"id":"d","type":"function","function":{"name":"look","arguments":{}}}],"error":null,"observations":"x\ny"},
            {"step_number":4,"timing":{"start_time":4.0},"tool_calls":null,"error":null}]"#;
        let found = [
            r#"find({"id":7}) a @1 error "gone""#,
            r#"python_interpreter(free "print(1)") b @2 -> "1""#,
            "find({}) c @3 group-3",
            "look({}) d @3 group-3",
        ];
        check("smolagents", steps, &found);
        let run = format!(r#"{{"output":"ok","state":"success","steps":{steps}}}"#);
        check("smolagents", &run, &found);
        // One step a line, without the line breaks of the list.
        let lines = steps.trim_start_matches('[').trim_end_matches(']');
        check("smolagents", &lines.replace("},\n", "}\n"), &found);
    }
}
