//! Run steps of the `OpenAI` Assistants API, and the runs themselves.

use std::collections::HashSet;

use rightcall_core::value::Text;

use crate::format::{Format, FoundTraces, Priority, Reading, Recognition, TraceReader, ValuePlace};
use crate::messages::{json_text, output_of};
use crate::node::Node;
use crate::trace::{Conversation, Doubt, Scope, TraceArguments, TraceCall, time};

pub(super) static ENTRY: Format = Format {
    name: "run-steps",
    title: "OpenAI Assistants run steps",
    summary: "`object: thread.run.step` with `step_details`, and runs with `required_action`",
    reads: &[
        ("calls", "`step_details.tool_calls[]`; of runs `required_action.submit_tool_outputs.tool_calls[]`, unless a step tells of them"),
        ("arguments", "`function.arguments`, `code_interpreter.input`"),
        ("results", "`function.output`, `code_interpreter.outputs`, `file_search.results`"),
        ("ids", "`id` of a call; `run_id` of the trajectory"),
        ("times", "`created_at`, `completed_at` of the step"),
        ("errors", "`last_error.message` of a step with one call"),
        ("order", "`created_at` of the steps; calls of one step are parallel"),
    ],
    lacks: &["arguments of file searches", "whether a result is an error"],
    notes: "Pages of steps as the API lists them, the newest first, the steps one a line, and the streamed events of a run. Each run is a trajectory. The
same step may come several times as it goes on; the last counts. Code interpreter and file search run at the provider.",
    extensions: &["json", "jsonl"],
    example: r#"{"object":"list","data":[{"id":"step_1","object":"thread.run.step","created_at":1735689600,"completed_at":1735689601,"run_id":"run_1","thread_id":"thread_1","type":"tool_calls","status":"completed","step_details":{"type":"tool_calls","tool_calls":[{"id":"c1","type":"function","function":{"name":"find_order","arguments":"{\"id\": 7}","output":"shipped"}}]}}],"has_more":false}"#,
    priority: Priority::Document,
    reading: Reading::Traces(
        |value| {
            let record = value.first_record();
            let record = record.inner(&["data"]);
            let is_step = record.says("object", "thread.run.step");
            let is_run = record.says("object", "thread.run") && (record.has("required_action") || record.has("assistant_id"));
            if is_step && record.has("step_details") || is_run {
                return Recognition::Certain;
            }
            if is_step {
                return Recognition::by_marks(&[("object: thread.run.step", true), ("step_details", false)]);
            }
            Recognition::No
        },
        |scope| Box::new(Steps { scope, runs: Vec::new() }),
    ),
};

/// Collects the steps of each run until the end.
struct Steps {
    scope: Scope,
    runs: Vec<Run>,
}

struct Run {
    id: Text<'static>,
    line: u64,
    /// Steps with their ids, in order of appearance.
    steps: Vec<(Text<'static>, Step)>,
    /// The calls that the run is waiting for.
    required: Vec<TraceCall>,
    others: Conversation,
}

/// A step with its calls.
struct Step {
    created: i128,
    calls: Vec<TraceCall>,
}

impl Steps {
    fn run(&mut self, id: Text<'static>, line: u64) -> &mut Run {
        let known = self.runs.iter().position(|run| run.id == id);
        let place = known.unwrap_or(self.runs.len());
        if place == self.runs.len() {
            self.runs.push(Run {
                id,
                line,
                steps: Vec::new(),
                required: Vec::new(),
                others: Conversation::new(self.scope),
            });
        }
        &mut self.runs[place]
    }

    /// Reads a step, a run, or a part of one.
    fn item(&mut self, value: &Node<'_>, line: u64) {
        // An event has its name next to the data.
        let inner = value.inner(&["data"]);
        if inner.says("object", "thread.run.step") || inner.has("step_details") {
            let run = self.run(inner.label_at(&["run_id"]).unwrap_or_default(), line);
            let id = inner.label_at(&["id"]).unwrap_or_default();
            let step = step(inner, &mut run.others);
            match run.steps.iter_mut().find(|(known, _)| *known == id) {
                Some((_, known)) => *known = step,
                None => run.steps.push((id, step)),
            }
        } else if inner.says("object", "thread.run") {
            let run = self.run(inner.label_at(&["id"]).unwrap_or_default(), line);
            let calls = inner.list_at(&["required_action", "submit_tool_outputs", "tool_calls"]);
            let others = &mut run.others;
            let required: Vec<_> = calls.iter().filter_map(|it| call(it, others)).collect();
            if !calls.is_empty() {
                run.required = required;
            } else if inner.says("status", "requires_action") {
                let lost = "status `requires_action` without a call";
                run.others.left_over(lost);
            }
            run.others.glance(inner);
        } else {
            // Thread messages and step deltas go to their run.
            let run = inner.label_at(&["run_id"]);
            let run = run.or_else(|| self.runs.last().map(|run| run.id.clone()));
            let run = self.run(run.unwrap_or_default(), line);
            if inner.says("role", "assistant") {
                run.others.agent_spoke();
            }
            match inner.str_at("object") {
                Some(_) => run.others.glance(inner),
                None => run.others.look(inner, 0, Doubt::SameName),
            }
        }
    }
}

impl TraceReader for Steps {
    fn value(&mut self, value: &Node<'_>, place: ValuePlace, _: &mut FoundTraces) {
        value.each_item(&mut |item| self.item(item, place.line));
    }

    fn finish(&mut self, found: &mut FoundTraces) -> bool {
        for mut run in std::mem::take(&mut self.runs) {
            run.steps.sort_by_key(|(_, step)| step.created);
            let mut conversation = run.others;
            conversation.trace().id = Some(run.id).filter(|id| !id.is_empty());
            let steps = run.steps.into_iter().map(|(_, step)| step.calls);
            let mut ids = HashSet::new();
            for calls in steps.chain([run.required]) {
                conversation.message();
                for call in calls {
                    if call.id.as_ref().is_none_or(|id| ids.insert(id.clone())) {
                        conversation.call(call);
                    }
                }
            }
            found.trace(run.line, conversation.finish());
        }
        false
    }
}

fn step(step: &Node<'_>, others: &mut Conversation) -> Step {
    let calls = step.list_at(&["step_details", "tool_calls"]);
    let at = |key: &str| step.get(key).and_then(time::from_log);
    let error = step
        .at(&["last_error", "message"])
        .filter(|_| calls.len() == 1);
    let details = step.at(&["step_details", "type"]).and_then(Node::str);
    let list = step.at(&["step_details", "tool_calls"]);
    if details == Some("message_creation") || list.is_some_and(Node::is_list) {
        others.agent_spoke();
    } else {
        if details == Some("tool_calls") {
            others.left_over("a step of tool calls without a call");
        }
        others.look(step, 0, Doubt::None);
    }
    let calls = calls.iter().filter_map(|it| call(it, others));
    Step {
        created: at("created_at").unwrap_or_default(),
        calls: calls
            .map(|call| TraceCall {
                start: at("created_at"),
                end: at("completed_at"),
                error: error.map(output_of),
                ..call
            })
            .collect(),
    }
}

fn call(node: &Node<'_>, others: &mut Conversation) -> Option<TraceCall> {
    let id = node.label_at(&["id"]);
    if let Some(function) = node.get("function") {
        return Some(TraceCall {
            id,
            output: function.get("output").map(output_of),
            ..TraceCall::from_node(function, &["name"], &["arguments"], &[])
        });
    }
    let kind = node.str_at("type").unwrap_or_default();
    let Some(inner) = node
        .get(kind)
        .filter(|_| matches!(kind, "code_interpreter" | "file_search" | "retrieval"))
    else {
        others.note_irregular("a call of a kind that is not known");
        return None;
    };
    Some(TraceCall {
        id,
        name: Text::from(kind.to_owned()),
        arguments: match inner.get("input").and_then(Node::text) {
            Some(code) => TraceArguments::Json(format!("{{\"code\":{}}}", json_text(code))),
            None => TraceArguments::Absent,
        },
        output: inner.any(&["outputs", "results"]).map(output_of),
        ..TraceCall::default().by_provider_if(true)
    })
}

#[cfg(test)]
mod tests {
    use crate::tests::{check, evidence};

    fn step(id: &str, at: u64, calls: &str) -> String {
        format!(
            r#"{{"id":"{id}","object":"thread.run.step","created_at":{at},"run_id":"r","type":"tool_calls","status":"completed","step_details":{{"type":"tool_calls","tool_calls":[{calls}]}}}}"#
        )
    }

    #[test]
    fn steps_are_turns_in_the_order_in_which_they_were_made() {
        let find = r#"{"id":"a","type":"function","function":{"name":"find","arguments":"{}","output":"x"}}"#;
        let code = r#"{"id":"b","type":"code_interpreter","code_interpreter":{"input":"1+1","outputs":[{"type":"logs","logs":"2"}]}}"#;
        let said = r#"{"id":"m","object":"thread.run.step","created_at":9,"run_id":"r","type":"message_creation","step_details":{"type":"message_creation","message_creation":{"message_id":"x"}}}"#;
        let found = [
            r#"find("{}") a @0 -> "x""#,
            r#"code_interpreter({"code":"1+1"}) b @1 by provider -> [{"type":"logs","logs":"2"}]"#,
        ];
        let page = format!(
            r#"{{"object":"list","data":[{said},{},{}],"has_more":false}}"#,
            step("2", 2, code),
            step("1", 1, find)
        );
        check("run-steps", &page, &found);
        let begun = step(
            "1",
            1,
            r#"{"id":"a","type":"function","function":{"name":"find","arguments":"","output":null}}"#,
        );
        let lines = [begun, step("1", 1, find), step("2", 2, code)];
        check("run-steps", &lines.join("\n"), &found);
        let events =
            lines.map(|step| format!(r#"{{"event":"thread.run.step.completed","data":{step}}}"#));
        check("run-steps", &events.join("\n"), &found);
    }

    #[test]
    fn a_message_of_the_assistant_is_a_turn_and_a_run_that_waits_has_calls() {
        let said = r#"{"id":"m","object":"thread.run.step","created_at":9,"run_id":"r","type":"message_creation","step_details":{"type":"message_creation","message_creation":{"message_id":"x"}}}"#;
        let run = |status: &str| {
            format!(r#"{{"id":"r","object":"thread.run","assistant_id":"x","status":"{status}"}}"#)
        };
        assert_eq!(evidence("run-steps", said), ["spoke"]);
        assert_eq!(evidence("run-steps", &step("1", 1, "")), ["spoke"]);
        assert_eq!(evidence("run-steps", &run("completed")), ["silent"]);
        assert_eq!(
            evidence("run-steps", &run("requires_action")),
            ["silent", "1 status `requires_action` without a call"]
        );
    }

    #[test]
    fn what_a_run_waits_for_was_asked_for() {
        let run = r#"{"id":"r","object":"thread.run","assistant_id":"x","required_action":{"type":"submit_tool_outputs","submit_tool_outputs":{"tool_calls":[{"id":"a","type":"function","function":{"name":"find","arguments":"{}"}}]}}}"#;
        check("run-steps", run, &[r#"find("{}") a @0"#]);
    }
}
