//! Logs of Inspect: a document with `samples`, or single samples as in its archives.

use std::collections::{HashMap, HashSet, VecDeque};

use rightcall_core::value::Text;

use crate::format::{EachValue, Format, FoundTraces, Priority, Reading, Recognition, ValuePlace};
use crate::messages::ending::note_reason;
use crate::messages::in_text::pass_over_content;
use crate::messages::output_of;
use crate::messages::parts::pass_over;
use crate::node::Node;
use crate::trace::{
    CallOrder, CallResult, Conversation, Keep, LeftOut, Scope, Trace, TraceArguments, TraceCall,
    each_suspect, look_around, look_over, time,
};

pub(super) static ENTRY: Format = Format {
    name: "inspect",
    title: "Inspect logs",
    summary: "`eval` with `samples`, as `.json` and as `.eval`",
    reads: &[
        ("calls", "`tool_calls` of messages, their parts of type `tool_use` that the provider ran, tool events without a message, and `output` of model events where no message has the call"),
        ("arguments", "`arguments`; attachments are put in their places"),
        ("results", "messages with the role `tool`; `result` of tool events"),
        ("errors", "`error` of these messages and events"),
        ("times", "`timestamp` and `completed` of tool events"),
        ("sub-agents", "tool events that no message of the sample asked for"),
        ("meta values", "`scores`, `target`, and the members of `metadata`"),
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
    if value.has("epoch") && value.has_any(&["messages", "events", "input"]) {
        found.trace(place.line, sample(value, scope));
    }
    if let Some(samples) = value.get("samples") {
        samples.each_item(&mut |node| {
            let mut trace = sample(node, scope);
            look_around(value, &mut trace);
            found.trace(place.line, trace);
        });
    }
}

fn sample(sample: &Node<'_>, scope: Scope) -> Trace {
    let attachments = Attachments(sample.get("attachments"));
    let mut conversation = Conversation::new(scope);
    let messages = sample.list("messages");
    let replies = Replies::of(sample);
    let has_replies = messages.iter().any(|it| it.says("role", "assistant"));
    if !has_replies {
        // Some logs have the model's messages only in events.
        for reply in &replies.all {
            conversation.part(reply, |conversation| {
                message(reply, &attachments, conversation);
            });
        }
    }
    for node in messages {
        conversation.part(node, |conversation| {
            let id = node.label_at(&["tool_call_id"]);
            let unknown = id.filter(|id| !conversation.has_call_id(id));
            // The messages may have only the result of a call.
            if let Some(asked) = unknown.and_then(|id| replies.call(&id)) {
                conversation.message();
                conversation.call(call(asked, &attachments));
            }
            message(node, &attachments, conversation);
        });
    }
    replies.tell_reasons(&mut conversation);
    if !has_replies && replies.all.is_empty() && sample.has("output") {
        conversation.left_over("messages that are not in the file");
    }
    let mut known = sample.keys_of_lists(&["messages", "events"]);
    known.extend([
        "attachments",
        "store",
        "metadata",
        "output",
        "input",
        "scores",
        "target",
    ]);
    let mut trace = conversation.finish_record(sample, &known);
    trace.id = sample.label_at(&["id"]);
    trace.trial = sample.raw_at("epoch");
    trace.input = sample
        .get("input")
        .map(|input| attachments.put_into(input.raw().to_owned()));
    trace.add_facts([
        ("scores", sample.get("scores")),
        ("target", sample.get("target")),
    ]);
    if let Some(metadata) = sample.get("metadata") {
        trace.add_members(metadata);
    }
    let mut events = InspectEvents::new(&trace, attachments, scope);
    events.add(sample.list("events"), None, &mut trace);
    events.add_asked(&replies, &mut trace);
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

/// The replies of models, from model events.
struct Replies<'n, 'a> {
    /// The messages of the first choices.
    all: Vec<&'n Node<'a>>,
    /// The stop reasons of the replies, each with true if the reply has calls.
    reasons: Vec<(&'n str, bool)>,
}

impl<'n, 'a> Replies<'n, 'a> {
    fn of(sample: &'n Node<'a>) -> Self {
        let mut found = Self {
            all: Vec::new(),
            reasons: Vec::new(),
        };
        found.add(sample.list("events"));
        // The output repeats the last reply; one without a reply is a placeholder.
        let last = sample.list_at(&["output", "choices"]).first();
        let is_unmet = |(reason, has_calls): &(&str, bool)| reason.contains("tool") && !has_calls;
        found
            .reasons
            .extend(last.and_then(reason_of).filter(is_unmet));
        found
    }

    fn add(&mut self, events: &'n [Node<'a>]) {
        for event in events {
            self.add(event.list("events"));
            let choices = event.list_at(&["output", "choices"]);
            // The output of a model that failed is a placeholder.
            let is_reply = event.says("event", "model") && event.get("error").is_none();
            let Some(choice) = choices.first().filter(|_| is_reply) else {
                continue;
            };
            let message = choice.get("message");
            self.all.extend(message);
            self.reasons.extend(reason_of(choice));
        }
    }

    fn calls(&self) -> impl Iterator<Item = &'n Node<'a>> {
        self.all.iter().flat_map(|reply| reply.list("tool_calls"))
    }

    fn call(&self, id: &Text<'_>) -> Option<&'n Node<'a>> {
        self.calls()
            .find(|call| call.label_at(&["id"]).as_ref() == Some(id))
    }

    /// A reply that stopped for any other reason than tool calls shows that the agent spoke; one that stopped for calls must have some.
    fn tell_reasons(&self, conversation: &mut Conversation) {
        for (reason, has_calls) in &self.reasons {
            note_reason(reason, usize::from(*has_calls), conversation);
        }
    }
}

/// The stop reason of a reply, and true if it has calls.
fn reason_of<'n>(choice: &'n Node<'_>) -> Option<(&'n str, bool)> {
    let message = choice.get("message");
    let has_calls = message.is_some_and(|it| !it.list("tool_calls").is_empty());
    Some((choice.str_at("stop_reason")?, has_calls))
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
            ..CallResult::default()
        });
    }
    for call in message.list("tool_calls") {
        conversation.call(self::call(call, attachments));
    }
    let is_said = message.says("role", "assistant");
    if let Some(content) = message.get("content").filter(|_| is_said) {
        pass_over_content(content, conversation);
    }
    for part in message.list("content") {
        if !part.says("type", "tool_use") || !part.has("tool_type") {
            if is_said {
                pass_over(part, conversation);
            }
            continue;
        }
        let call = TraceCall::from_node(part, &["name"], &["arguments"], &["id"]);
        conversation.call(TraceCall {
            output: part.get("result").map(output_of),
            error: part.get("error").filter(|it| !it.is_null()).map(output_of),
            ..call.by_provider_if(true)
        });
    }
}

/// A call in a message or an event. Arguments that failed to parse come with an error.
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

/// Adds data from tool events: times, and the calls of sub-agents, which are in no message of the sample.
struct InspectEvents<'n, 'a> {
    by_id: HashMap<Text<'static>, VecDeque<usize>>,
    /// The ids of all calls of messages and of tool events.
    known: HashSet<Text<'static>>,
    attachments: Attachments<'n, 'a>,
    scope: Scope,
}

impl<'n, 'a> InspectEvents<'n, 'a> {
    fn new(trace: &Trace, attachments: Attachments<'n, 'a>, scope: Scope) -> Self {
        let mut by_id: HashMap<_, VecDeque<_>> = HashMap::new();
        for (index, call) in trace.calls.iter().enumerate() {
            call.id
                .iter()
                .for_each(|id| by_id.entry(id.clone()).or_default().push_back(index));
        }
        Self {
            known: by_id.keys().cloned().collect(),
            by_id,
            attachments,
            scope,
        }
    }

    /// Adds calls that models requested and that are neither in a message nor in a tool event.
    fn add_asked(&self, replies: &Replies<'_, '_>, trace: &mut Trace) {
        let is_known = |node: &&Node<'_>| {
            let id = node.label_at(&["id"]);
            id.is_some_and(|id| self.known.contains(&id))
        };
        let asked = replies.calls().filter(|node| !is_known(node));
        let asked = asked.map(|node| call(node, &self.attachments));
        // Calls without ids can't be matched, and they are in the messages too.
        trace.calls.extend(asked.filter(|call| call.id.is_some()));
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
            let mut known = event.keys_of_lists(&["events"]);
            known.extend(["arguments", "result", "error", "view"]);
            look_over(event, &known, trace);
            let id = event.label_at(&["id"]);
            self.known.extend(id.clone());
            let known = id.and_then(|id| self.by_id.get_mut(&id)?.pop_front());
            // A call that is in no message was made by a sub-agent.
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
            call.start = event.get("timestamp").and_then(time::from_log);
            call.end = event.get("completed").and_then(time::from_log);
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

/// Long texts, replaced in the log by `attachment://` and a name.
struct Attachments<'n, 'a>(Option<&'n Node<'a>>);

impl Attachments<'_, '_> {
    /// Replaces references to attachments in a JSON text.
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
    use crate::node::Node;
    use crate::tests::{check, evidence};
    use crate::trace::Scope;

    fn log(sample: &str) -> String {
        format!(
            r#"{{"version":2,"status":"success","eval":{{"task":"t"}},"samples":[{{"id":1,"epoch":1,"input":"q",{sample}}}]}}"#
        )
    }

    const ASKS: &str = r#"{"role":"assistant","content":"","tool_calls":[{"id":"a","function":"find","arguments":{"id":7},"type":"function"}]}"#;
    const ANSWERS: &str = r#"{"role":"tool","tool_call_id":"a","function":"find","content":"x"}"#;

    fn model(message: &str, reason: &str) -> String {
        format!(
            r#"{{"event":"model","input":[],"output":{{"choices":[{{"message":{message},"stop_reason":"{reason}"}}]}}}}"#
        )
    }

    #[test]
    fn scores_the_target_and_metadata_are_facts_of_the_run() {
        let rest = format!(
            r#""messages":[{ASKS},{ANSWERS}],"target":"shipped","metadata":{{"level":2}},"scores":{{"match":{{"value":"C"}}}}"#
        );
        let node = log(&rest);
        let node = Node::parse(&node, 64).unwrap();
        let sample = &node.list("samples")[0];
        let trace = super::sample(sample, Scope::default());
        let expected = [
            ("scores", r#"{"match":{"value":"C"}}"#),
            ("target", r#""shipped""#),
            ("level", "2"),
        ];
        let meta: Vec<_> = trace
            .meta
            .iter()
            .map(|(key, json)| (key.as_str(), json.as_str()))
            .collect();
        assert_eq!(meta, expected);
    }

    #[test]
    fn calls_may_be_in_the_events_of_models_alone() {
        let said = r#"{"role":"assistant","content":"done"}"#;
        let events = [model(ASKS, "tool_calls"), model(said, "stop")].join(",");
        let found = [r#"find({"id":7}) a @0"#];
        let answered = [r#"find({"id":7}) a @0 -> "x""#];
        check("inspect", &log(&format!(r#""events":[{events}]"#)), &found);
        let only_results = format!(r#""messages":[{ANSWERS}],"events":[{events}]"#);
        check("inspect", &log(&only_results), &answered);
        let lost = format!(r#""messages":[{said},{ANSWERS}],"events":[{events}]"#);
        let answered = [r#"find({"id":7}) a @1 -> "x""#];
        check("inspect", &log(&lost), &answered);
        let lost = format!(r#""messages":[{said}],"events":[{events}]"#);
        check("inspect", &log(&lost), &[r#"find({"id":7}) a"#]);
    }

    #[test]
    fn a_sample_without_messages_and_one_with_results_alone_show_no_turn() {
        let told = |sample: &str| evidence("inspect", &log(sample));
        assert_eq!(told(r#""target":"""#), ["silent"]);
        let output = r#""output":{"choices":[{"message":{"role":"assistant","content":"x"},"stop_reason":"stop"}]}"#;
        assert_eq!(
            told(output),
            ["silent", "1 messages that are not in the file"]
        );
        assert_eq!(told(&format!(r#""messages":[{ANSWERS}]"#))[0], "silent");
        let ended = |reason| told(&format!(r#""events":[{}]"#, model("null", reason)));
        assert_eq!(ended("stop"), ["spoke"]);
        assert_eq!(
            ended("tool_calls"),
            ["silent", "1 finish reason `tool_calls` without a call"]
        );
    }

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
                // Only its result is present.
                r#"find(?) x @3 -> """#,
                r#"look({"n":1}) c helper in 0 -> "z""#,
                "1 orphans",
            ],
        );
    }

    #[test]
    fn parts_hold_the_calls_that_the_provider_ran() {
        check(
            "inspect",
            &log(
                r#""messages":[{"role":"assistant","content":[{"type":"tool_use","tool_type":"web_search","id":"w","name":"web_search","arguments":"{\"query\":\"q\"}","result":"x","error":null},{"type":"text","text":"a"}]}]"#,
            ),
            &[r#"web_search("{\"query\":\"q\"}") w @0 by provider -> "x""#],
        );
    }
}
