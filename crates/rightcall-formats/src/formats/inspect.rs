//! Logs of Inspect: a document with `samples`, or the samples one by one, as its archives hold them.

use std::collections::{HashMap, VecDeque};

use rightcall::value::Text;

use crate::format::{EachValue, Format, FoundTraces, Priority, Reading, Recognition, ValuePlace};
use crate::messages::output_of;
use crate::node::Node;
use crate::trace::{
    CallOrder, CallResult, Conversation, Keep, LeftOut, Scope, Trace, TraceArguments, TraceCall,
    each_suspect, look_over, time,
};

pub(super) static ENTRY: Format = Format {
    name: "inspect",
    title: "Inspect logs",
    summary: "`eval` with `samples`, as `.json` and as `.eval`",
    reads: &[
        ("calls", "`tool_calls` of messages, and tool events without a message"),
        ("arguments", "`arguments`; attachments are put in their places"),
        ("results", "messages with the role `tool`; `result` of tool events"),
        ("errors", "`error` of these messages and events"),
        ("times", "`timestamp` and `completed` of tool events"),
        ("sub-agents", "tool events that no message of the sample asked for"),
        ("order", "the start of tool events, else the order of messages"),
    ],
    lacks: &["times, where the log has no events"],
    notes: "Written by Inspect AI, as `.json` and as `.eval`, which is an archive of samples. A sample in an epoch is a trajectory; the epoch is
the trial. Long texts that the log keeps as attachments are put back where they belong.",
    extensions: &["json", "eval"],
    example: r#"{"version":2,"status":"success","eval":{"task":"t"},"samples":[{"id":1,"epoch":1,"messages":[{"role":"assistant","content":"","tool_calls":[{"id":"c1","function":"find_order","arguments":{"id":7},"type":"function"}]},{"role":"tool","tool_call_id":"c1","function":"find_order","content":"shipped"}]}]}"#,
    priority: Priority::Document,
    reading: Reading::Traces(
        |value| {
            if !value.get("eval").is_some_and(Node::is_object) {
                return Recognition::No;
            }
            let is_log = value.has("samples") || value.has("status") || value.has("plan");
            Recognition::by_marks(&[
                ("eval", true),
                ("eval.task", value.at(&["eval", "task"]).is_some()),
                ("version", value.has("version")),
                ("samples or status", is_log),
            ])
        },
        |scope| Box::new(EachValue(scope, read)),
    ),
};

fn read(value: &Node<'_>, scope: Scope, place: ValuePlace, found: &mut FoundTraces) {
    if value.has("epoch") && value.has("messages") {
        found.trace(place.line, sample(value, scope));
    }
    for node in value.list("samples") {
        found.trace(place.line, sample(node, scope));
    }
}

fn sample(sample: &Node<'_>, scope: Scope) -> Trace {
    let attachments = Attachments(sample.get("attachments"));
    let mut conversation = Conversation::new(scope);
    let messages = sample.list("messages").iter();
    messages.for_each(|node| {
        conversation.part(node, |conversation| {
            message(node, &attachments, conversation);
        });
    });
    let known = [
        "messages",
        "events",
        "attachments",
        "store",
        "metadata",
        "output",
        "input",
        "scores",
        "target",
    ];
    let mut trace = conversation.finish_record(sample, &known);
    trace.id = sample.label_at(&["id"]);
    trace.trial = sample.raw_at("epoch");
    trace.input = sample
        .get("input")
        .map(|input| attachments.put_into(input.raw().to_owned()));
    trace.add_facts([("scores", sample.get("scores"))]);
    let mut events = Events::new(&trace, attachments, scope);
    events.add(sample.list("events"), None, &mut trace);
    if scope.choices.order == CallOrder::Start
        && trace
            .calls
            .iter()
            .all(|call| call.start.is_some() && call.parent.is_none())
    {
        trace.calls.sort_by_key(|call| call.start);
    }
    trace
}

fn message(message: &Node<'_>, attachments: &Attachments<'_, '_>, conversation: &mut Conversation) {
    conversation.message();
    if message.says("role", "tool") {
        conversation.result(CallResult {
            id: message.label_at(&["tool_call_id"]),
            name: message.label_at(&["function"]),
            output: message
                .get("content")
                .map(|content| attachments.put_into(output_of(content))),
            error: message.raw_at("error"),
        });
    }
    for call in message.list("tool_calls") {
        conversation.call(self::call(call, attachments));
    }
}

/// A call as messages and events hold it. Arguments that could not be parsed are told by their error.
fn call(node: &Node<'_>, attachments: &Attachments<'_, '_>) -> TraceCall {
    let call = TraceCall::from_node(node, &["function"], &["arguments"], &["id"]);
    let arguments = match call.arguments {
        TraceArguments::Json(json) => TraceArguments::Json(attachments.put_into(json)),
        other => other,
    };
    TraceCall {
        arguments,
        error: node.raw_at("parse_error"),
        ..call
    }
}

/// Adds what tool events know: times, and the calls of sub-agents, which stand in no message of the sample.
struct Events<'n, 'a> {
    by_id: HashMap<Text<'static>, VecDeque<usize>>,
    attachments: Attachments<'n, 'a>,
    scope: Scope,
}

impl<'n, 'a> Events<'n, 'a> {
    fn new(trace: &Trace, attachments: Attachments<'n, 'a>, scope: Scope) -> Self {
        let mut by_id: HashMap<_, VecDeque<_>> = HashMap::new();
        for (index, call) in trace.calls.iter().enumerate() {
            call.id
                .iter()
                .for_each(|id| by_id.entry(id.clone()).or_default().push_back(index));
        }
        Self {
            by_id,
            attachments,
            scope,
        }
    }

    fn add(&mut self, events: &[Node<'_>], parent: Option<usize>, trace: &mut Trace) {
        for event in events {
            match event.str_at("event") {
                Some("tool") => {}
                Some(kind) if !kind.contains("tool") => continue,
                _ => {
                    each_suspect(event, &mut |it| {
                        trace
                            .report
                            .unread(it.looks, 1, "in an event of no kind that is read");
                    });
                    continue;
                }
            }
            look_over(
                event,
                &["arguments", "result", "error", "view", "events"],
                trace,
            );
            let id = event.label_at(&["id"]);
            let known = id.and_then(|id| self.by_id.get_mut(&id)?.pop_front());
            if known.is_none() && self.scope.choices.sub_agents == Keep::Drop {
                trace.report.drop(LeftOut::SubAgent);
                continue;
            }
            let index = known.unwrap_or_else(|| {
                let actor = event.label_at(&["agent"]);
                trace.calls.push(TraceCall {
                    actor,
                    parent,
                    ..call(event, &self.attachments)
                });
                trace.calls.len() - 1
            });
            let call = &mut trace.calls[index];
            call.start = event.get("timestamp").and_then(time::of_log);
            call.end = event.get("completed").and_then(time::of_log);
            let output = || {
                event
                    .get("result")
                    .map(|result| self.attachments.put_into(output_of(result)))
            };
            call.output = call.output.take().or_else(output);
            call.error = call.error.take().or_else(|| event.raw_at("error"));
            self.add(event.list("events"), Some(index), trace);
        }
    }
}

/// Long texts, which stand in the log as `attachment://` with a name.
struct Attachments<'n, 'a>(Option<&'n Node<'a>>);

impl Attachments<'_, '_> {
    /// The JSON text with the attachments that its strings name.
    fn put_into(&self, json: String) -> String {
        const MARK: &str = "\"attachment://";
        let Some(attachments) = self.0.filter(|_| json.contains(MARK)) else {
            return json;
        };
        let mut parts = json.split(MARK);
        let mut whole = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let named = part
                .split_once('"')
                .and_then(|(name, rest)| Some((attachments.get(name)?, rest)));
            match named {
                Some((text, rest)) => whole.extend([text.raw(), rest]),
                None => whole.extend([MARK, part]),
            }
        }
        whole
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::check;

    #[test]
    fn events_tell_times_and_the_calls_of_sub_agents() {
        check(
            "inspect",
            r#"{"version":2,"status":"success","eval":{"task":"t"},"samples":[{"id":"s","epoch":2,
                "messages":[
                 {"role":"assistant","tool_calls":[{"id":"a","function":"ask","arguments":{"text":"attachment://h1"}},{"id":"b","function":"find","arguments":{},"parse_error":"bad"}]},
                 {"role":"tool","tool_call_id":"a","function":"ask","content":"attachment://h2"},
                 {"role":"tool","tool_call_id":"b","function":"find","content":"","error":{"type":"parsing","message":"m"}},
                 {"role":"tool","tool_call_id":"x","function":"find","content":""}],
                "events":[{"event":"model"},
                 {"event":"tool","id":"b","function":"find","arguments":{},"timestamp":"2025-01-01T00:00:00+00:00","completed":"2025-01-01T00:00:01+00:00"},
                 {"event":"tool","id":"a","function":"ask","arguments":{},"result":"y","timestamp":"2025-01-01T00:00:02+00:00","events":[
                   {"event":"tool","id":"c","function":"look","arguments":{"n":1},"result":"z","agent":"helper","timestamp":"2025-01-01T00:00:03+00:00"}]}],
                "attachments":{"h1":"long","h2":"longer"}}]}"#,
            &[
                r#"ask({"text":"long"}) a @0 group-1 -> "longer""#,
                r#"find({}) b @0 group-1 -> "" error {"type":"parsing","message":"m"}"#,
                r#"look({"n":1}) c helper in 0 -> "z""#,
                "1 orphans",
            ],
        );
    }
}
