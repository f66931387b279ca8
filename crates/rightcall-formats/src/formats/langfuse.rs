//! Exports of Langfuse: traces with their observations.

use rightcall_core::value::{MAX_DEPTH, Text};

use super::platform_span::{METADATA, SpanKeys, lost_spans};
use crate::format::{Format, Priority, Reading, Recognition};
use crate::json;
use crate::messages::json_text;
use crate::node::Node;
use crate::spans::dialects::observations::{
    LANGFUSE, LANGFUSE_CALL_NAMES, LANGFUSE_CALLS, unwrapped,
};
use crate::spans::{
    Attribute, Attributes, Revised, RevisedSpanReader, Revisions, SpanTraces, TraceSpan, unread,
};
use crate::trace::{Doubt, Suspect, failed};

pub(super) static ENTRY: Format = Format {
    name: "langfuse",
    title: "Langfuse traces",
    summary: "traces with `observations`, observations alone, or the batches of its libraries",
    reads: &[
        (
            "calls",
            "observations of type TOOL, those whose `metadata.attributes` tell a tool in any dialect of `otlp`, and those whose output is the message of a tool",
        ),
        ("arguments", "`input`, JSON or text that holds JSON"),
        ("results", "`output`"),
        ("asked for, not run", "`output` of observations of type GENERATION that no tool answers; without calls there, `toolCalls`"),
        ("question", "`input` of the trace, of the outermost observation, or what the user says in that of a GENERATION"),
        ("times", "`startTime`, `endTime`"),
        ("errors", "`level`, `statusMessage`"),
    ],
    lacks: &["the order of calls within a millisecond"],
    notes: "Exports of the interface, answers of the API and its pages, exports to files whose names are in snake_case, or a list of observations. Integrations that know no type TOOL write spans; they are
tools if their metadata or their output say so. Values that are text within text are unpacked. Batches hold events such as `span-create` and
`generation-update`; those of one `id` are one observation.",
    extensions: &["json", "jsonl"],
    example: r#"{"trace":{"id":"t"},"observations":[{"id":"o1","traceId":"t","parentObservationId":null,"type":"TOOL","name":"find_order","startTime":"2025-01-01T00:00:00.000Z","endTime":"2025-01-01T00:00:00.200Z","input":"{\"id\":7}","output":"\"shipped\"","level":"DEFAULT","metadata":"{\"attributes\":{\"gen_ai.tool.name\":\"find_order\"}}"}]}"#,
    priority: Priority::Platform,
    reading: Reading::Traces(
        |value| {
            let record = value.first_record();
            if is_event(record.get("batch").unwrap_or(record).first_record()) {
                return Recognition::Certain;
            }
            if let Some(observations) = record.get("observations").filter(|it| it.is_list()) {
                let is_trace = record.has("trace") || record.has("id") || observations.items().iter().any(|it| it.any(KEYS.trace).is_some());
                return Recognition::by_marks(&[("observations", true), ("trace", is_trace)]);
            }
            let is_kind = |kind: &str| !kind.is_empty() && kind.bytes().all(|byte| byte.is_ascii_uppercase());
            let is_snake = record.has("trace_id") && record.has("start_time") && record.has("parent_observation_id");
            if !(record.has("traceId") && record.has("startTime") || is_snake) {
                return Recognition::No;
            }
            Recognition::by_marks(&[("traceId", true), ("type", record.str_at("type").is_some_and(is_kind))])
        },
        |scope| RevisedSpanReader::boxed(scope, &REVISED),
    ),
};

const KEYS: SpanKeys = SpanKeys {
    trace: &["traceId", "trace_id"],
    id: &["id"],
    parent: &["parentObservationId", "parent_observation_id"],
    name: &["name"],
    start: &["startTime", "start_time"],
    end: &["endTime", "end_time"],
    known: &[
        "type",
        "input",
        "output",
        "metadata",
        "toolCalls",
        "tool_calls",
        "modelParameters",
        "model_parameters",
        "usageDetails",
        "usage_details",
        "costDetails",
        "cost_details",
    ],
};

/// The calls that Langfuse itself finds in an output, as texts, and the names of their tools.
const TOOL_CALLS: [(&str, &[&str]); 2] = [
    (LANGFUSE_CALLS, &["toolCalls", "tool_calls"]),
    (LANGFUSE_CALL_NAMES, &["toolCallNames", "tool_call_names"]),
];

/// Batches of events, as the libraries post them.
static REVISED: Revised = Revised {
    lists: &[&[&["batch"]]],
    hold,
    put_together,
    other: add,
};

/// The kind of thing that an event creates or updates, such as `span`.
fn kind_of<'n>(event: &'n Node<'_>) -> Option<&'n str> {
    let (kind, change) = event.str_at("type")?.rsplit_once('-')?;
    matches!(change, "create" | "update").then_some(kind)
}

fn is_event(value: &Node<'_>) -> bool {
    kind_of(value).is_some() && value.get("body").is_some_and(Node::is_object)
}

fn hold(value: &Node<'_>, line: u64, revisions: &mut Revisions) -> bool {
    if is_event(value) {
        hold_event(value, line, revisions);
        return true;
    }
    let batch = value.get("batch");
    let Some(batch) = batch.filter(|batch| is_event(batch.first_record())) else {
        return false;
    };
    batch.each_item(&mut |event| hold_event(event, line, revisions));
    let members = value.entries().iter().filter(|(key, _)| *key != *"batch");
    members.for_each(|(_, member)| revisions.hold(&Text::default(), OTHER, member, line));
    true
}

/// The kind of values that aren't events about observations.
const OTHER: &str = "other";

fn hold_event(event: &Node<'_>, line: u64, revisions: &mut Revisions) {
    let body = event.get("body").unwrap_or(event);
    let kind = kind_of(event).unwrap_or(OTHER);
    let ids: &[&str] = if kind == "trace" { &["id"] } else { KEYS.trace };
    let trace = body.label_at(ids).unwrap_or_default();
    revisions.hold(&trace, kind, body, line);
}

fn put_together(kind: &str, body: &Node<'_>, line: u64, traces: &mut SpanTraces) {
    match kind {
        "trace" => {
            if let Some(id) = body.label_at(&["id"]) {
                traces.add_about(&id, body, line);
            }
        }
        "score" => {}
        OTHER => {
            let strange = unread::in_unknown(body, &[]);
            if !strange.is_empty() {
                let span = TraceSpan {
                    trace: body.label_at(KEYS.trace).unwrap_or_default(),
                    unread: strange,
                    ..TraceSpan::default()
                };
                traces.add(&span, line);
            }
        }
        _ => observation(body, &Text::default(), Some(kind), line, traces),
    }
}

fn add(value: &Node<'_>, line: u64, traces: &mut SpanTraces) {
    let Some(observations) = value.get("observations") else {
        return observation(value, &Text::default(), None, line, traces);
    };
    let trace = value.get("trace").unwrap_or(value);
    let id = trace.label_at(&["id"]).unwrap_or_default();
    let (mut named, mut first) = (0, None);
    observations.each_item(&mut |node| {
        // A list of traces names the observations by id only.
        if node.text().is_some() {
            named += 1;
            return;
        }
        first = first.take().or_else(|| node.label_at(KEYS.trace));
        observation(node, &id, None, line, traces);
    });
    let is_empty = observations.items().is_empty();
    let of_spans = first.unwrap_or(id);
    if named > 0 || is_empty {
        lost_spans(named, value, Some(of_spans.clone()), line, traces);
    }
    if !is_empty {
        traces.add_about(&of_spans, trace, line);
        traces.look_beside(&of_spans, value, line);
    }
}

/// Reads an observation, which may have its kind from events.
fn observation(
    node: &Node<'_>,
    trace: &Text<'static>,
    kind: Option<&str>,
    line: u64,
    traces: &mut SpanTraces,
) {
    let member = |node: Option<&Node<'_>>| node.map_or_else(|| "null".to_owned(), unwrapped);
    let metadata = member(node.get("metadata"));
    let metadata = Node::parse(&metadata, MAX_DEPTH).ok();
    let attributes = member(
        metadata
            .as_ref()
            .and_then(|metadata| metadata.get("attributes")),
    );
    let attributes = Node::parse(&attributes, MAX_DEPTH).ok();
    let mut attributes = attributes
        .as_ref()
        .map(Attributes::from_object)
        .unwrap_or_default();
    let side = |key| node.get(key).map(Attribute::from_node);
    let kind = kind.map(|kind| Attribute::Text(Text::from(kind.to_uppercase())));
    let has_kind = node.has("type") || kind.is_some();
    attributes.add(LANGFUSE.kind, side("type").or(kind));
    attributes.add(LANGFUSE.input, side("input"));
    attributes.add(LANGFUSE.output, side("output"));
    for (key, keys) in TOOL_CALLS {
        attributes.add(key, node.any(keys).map(Attribute::from_node));
    }
    // The attributes in it were read above.
    let metadata = metadata.as_ref().filter(|it| it.is_object());
    let metadata = metadata.map(|it| json::object_without(it, &["attributes"]));
    attributes.add(METADATA, metadata.map(|it| Attribute::Json(it.into())));
    let message = node
        .any(&["statusMessage", "status_message"])
        .and_then(Node::text)
        .filter(|message| !message.is_empty());
    let mut span = TraceSpan {
        trace: node.label_at(KEYS.trace).unwrap_or_else(|| trace.clone()),
        error: node
            .says("level", "ERROR")
            .then(|| message.map_or_else(failed, json_text)),
        attributes,
        ..KEYS.span(node)
    };
    // Without a type an observation is not read.
    if !has_kind {
        let strange = Suspect::new("an observation without a type", Doubt::None);
        span.unread.push(strange);
    }
    traces.add(&span, line);
}

#[cfg(test)]
mod tests {
    use crate::tests::{check, error_of, evidence};
    use crate::trace::Choices;

    #[test]
    fn a_trace_that_names_its_observations_by_id_alone_is_not_recorded() {
        let trace = |observations: &str| {
            format!(
                r#"{{"id":"t","name":"n","input":"q","output":"x","observations":{observations}}}"#
            )
        };
        assert_eq!(
            evidence("langfuse", &trace(r#"["a","b"]"#)),
            ["silent", "2 spans that are not in the file"]
        );
        assert_eq!(evidence("langfuse", &trace("[]")), ["silent"]);
        let tool = r#"{"id":"a","traceId":"t","type":"TOOL","name":"find","startTime":"2025-01-01T00:00:00.000Z","input":{"id":7}}"#;
        check(
            "langfuse",
            &trace(&format!("[[{tool}]]")),
            &[r#"find({"id":7})"#],
        );
    }

    #[test]
    fn spans_of_older_integrations_are_tools_by_what_they_hold() {
        check(
            "langfuse",
            r#"[{"id":"a","traceId":"t","type":"GENERATION","name":"m","startTime":"2025-01-01T00:00:00.000Z","endTime":"2025-01-01T00:00:00.100Z",
                 "output":"{\"role\":\"assistant\",\"content\":\"\",\"additional_kwargs\":{\"tool_calls\":[{\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"find\",\"arguments\":\"{}\"}},{\"id\":\"d\",\"type\":\"function\",\"function\":{\"name\":\"final\",\"arguments\":\"{}\"}}]}}"},
                {"id":"b","traceId":"t","type":"SPAN","name":"find","startTime":"2025-01-01T00:00:01.000Z","endTime":"2025-01-01T00:00:01.100Z",
                 "input":"{'id': 7}","output":"{\"content\":\"x\",\"type\":\"tool\",\"tool_call_id\":\"c\"}"},
                {"id":"e","traceId":"t","type":"SPAN","name":"look","startTime":"2025-01-01T00:00:02.000Z","level":"ERROR","statusMessage":"gone",
                 "input":{"n":1},"metadata":"{\"attributes\":\"{\\\"openinference.span.kind\\\":\\\"TOOL\\\",\\\"tool.name\\\":\\\"look_up\\\"}\"}"}]"#,
            &[
                r#"final("{}") d @0 group-1 not run"#,
                r#"find("{'id': 7}") c @0 group-1 -> "x""#,
                r#"look_up({"n":1}) error "gone""#,
            ],
        );
    }

    #[test]
    fn tool_calls_of_an_observation_are_texts() {
        let call = r#""{\"id\":\"c\",\"name\":\"find\",\"arguments\":\"{}\",\"type\":\"function\",\"index\":0}""#;
        let observation = |members: &str| {
            format!(
                r#"[{{"id":"a","traceId":"t","type":"GENERATION","name":"m","startTime":"2025-01-01T00:00:00.000Z",{members}}}]"#
            )
        };
        for members in [
            format!(r#""output":"{{}}","toolCalls":[{call}],"toolCallNames":["find"]"#),
            format!(r#""output":null,"tool_calls":[{call}],"tool_call_names":["find"]"#),
            format!(
                r#""output":{{"role":"assistant","tool_calls":[{{"id":"c","type":"function","function":{{"name":"find","arguments":"{{}}"}}}}]}},"toolCalls":[{call}],"toolCallNames":["find"]"#
            ),
        ] {
            check("langfuse", &observation(&members), &[r#"find("{}") c @0"#]);
        }
        let names = observation(r#""output":"x","toolCallNames":["find"]"#);
        assert_eq!(
            evidence("langfuse", &names)[1..],
            ["1 the name of a call without the call"]
        );
    }

    #[test]
    fn exports_to_files_have_names_in_snake_case() {
        check(
            "langfuse",
            r#"{"id":"a","trace_id":"t","type":"TOOL","parent_observation_id":"r","start_time":"2025-01-01 00:00:00.000","end_time":"2025-01-01 00:00:01.000","name":"find","input":"{\"id\":7}","output":null,"level":"ERROR","status_message":"gone"}
{"id":"r","trace_id":"t","type":"SPAN","parent_observation_id":null,"start_time":"2025-01-01 00:00:00.000","end_time":"2025-01-01 00:00:01.000","name":"run"}
"#,
            &[r#"find({"id":7}) error "gone""#],
        );
    }

    #[test]
    fn results_come_from_the_next_input_where_no_tool_is_recorded() {
        check(
            "langfuse",
            r#"{"id":"t","observations":[
                {"id":"a","type":"GENERATION","name":"m","startTime":"2025-01-01T00:00:00.000Z","output":{"generations":[[{"message":{"lc":1,"type":"constructor","id":["x","AIMessage"],"kwargs":{"content":"","tool_calls":[{"name":"find","args":{"id":7},"id":"c"}]}}}]]}},
                {"id":"b","type":"GENERATION","name":"m","startTime":"2025-01-01T00:00:01.000Z","input":[{"role":"assistant","content":"","tool_calls":[{"id":"c","type":"function","function":{"name":"find","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"x"}],"output":"done"}]}"#,
            &[r#"find({"id":7}) c @0 -> "x""#],
        );
    }

    #[test]
    fn a_role_may_be_the_name_of_the_tool_that_answers() {
        check(
            "langfuse",
            r#"{"id":"t","observations":[
                {"id":"a","type":"GENERATION","name":"m","startTime":"2025-01-01T00:00:00.000Z",
                 "input":[{"role":"user","content":"q"},{"role":"tool","content":{"type":"function","function":{"name":"find"}}}],
                 "output":{"role":"assistant","content":"","tool_calls":[{"id":"c","type":"function","function":{"name":"find","arguments":"{}"}}]}},
                {"id":"b","type":"GENERATION","name":"m","startTime":"2025-01-01T00:00:01.000Z",
                 "input":[{"role":"user","content":"q"},{"role":"assistant","content":"","tool_calls":[{"id":"c","type":"function","function":{"name":"find","arguments":"{}"}}]},
                    {"role":"find","content":"x"},{"role":"tool","content":{"type":"function","function":{"name":"find"}}}],"output":"done"}]}"#,
            &[r#"find("{}") c @0 -> "x""#],
        );
    }

    #[test]
    fn events_of_one_id_are_one_observation_in_any_order() {
        let event = |kind: &str, body: &str| {
            format!(
                r#"{{"id":"e","type":"{kind}","timestamp":"x","body":{{"traceId":"t",{body}}}}}"#
            )
        };
        let call = r#"{"id":"c","type":"function","function":{"name":"find","arguments":"{}"}}"#;
        let output = format!(r#""id":"g","output":{{"role":"assistant","tool_calls":[{call}]}}"#);
        let tool = r#""id":"o","type":"TOOL","name":"find","startTime":"2025-01-01T00:00:02Z","input":{},"output":"x""#;
        let begun = r#""id":"g","name":"m","startTime":"2025-01-01T00:00:01Z""#;
        let batch = |events: &[String]| format!(r#"{{"batch":[{}]}}"#, events.join(","));
        let first = batch(&[event("generation-update", &output)]);
        let second = batch(&[
            event("generation-create", begun),
            event("observation-create", tool),
        ]);
        let found = [r#"find({}) c @0 -> "x""#];
        check("langfuse", &format!("{first}\n{second}\n"), &found);
        let lines = [
            event("generation-create", begun),
            event("generation-update", &output),
            event("observation-create", tool),
        ];
        check("langfuse", &lines.join("\n"), &found);
    }

    #[test]
    fn events_of_another_kind_are_looked_at() {
        let said = r#"{"type":"generation-create","body":{"traceId":"t","id":"g","output":{"role":"assistant","content":"x"}}}"#;
        let log = r#"{"type":"sdk-log","body":{"traceId":"t","log":{"tool":"find","args":{}}}}"#;
        let alone = format!(r#"{{"batch":[{said}]}}"#);
        assert_eq!(evidence("langfuse", &alone), ["spoke"]);
        let error = error_of(
            "langfuse",
            &format!(r#"{{"batch":[{said},{log}]}}"#),
            Choices::default(),
        );
        assert!(error.to_string().contains("`tool` with `args`"), "{error}");
    }
}
