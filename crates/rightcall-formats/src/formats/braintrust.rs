//! Spans of Braintrust, from its exports and its logging libraries.

use std::collections::HashMap;

use rightcall_core::value::{MAX_DEPTH, Text};

use super::platform_span::without_spans;
use crate::format::{
    Format, FoundTraces, Lists, Priority, Reading, Recognition, TraceReader, ValuePlace,
};
use crate::groups::{RecordGroup, RecordGroups};
use crate::json;
use crate::messages::output_of;
use crate::node::Node;
use crate::spans::dialects::observations::BRAINTRUST;
use crate::spans::{Attribute, Attributes, PROMPT, SpanTraces, TraceSpan, expectation_in, unread};
use crate::trace::{Doubt, Scope, Suspect, time};

pub(super) static ENTRY: Format = Format {
    name: "braintrust",
    title: "Braintrust logs and experiments",
    summary: "rows with `span_id`, `root_span_id` and `span_attributes`, in lists, under `events`, `rows`, `data` or `objects`, or one a line",
    reads: &[
        ("calls", "rows whose `span_attributes.type` is `tool`: `metadata[\"gen_ai.tool.name\"]`, else `span_attributes.name`"),
        ("arguments", "`input`; of tools of the AI SDK the first of its two values"),
        ("results", "`output`"),
        ("asked for, not run", "`output` of rows of type `llm` that no tool row answers"),
        ("question", "`input` of the outermost row: what the user says in its messages, else its text or all of it"),
        ("times", "`metrics.start`, `metrics.end`"),
        ("errors", "`error`"),
        ("expectations", "`expected`, if it holds calls"),
        ("ids", "`toolCallId` in the input of tools of the AI SDK"),
    ],
    lacks: &["ids of calls, where tools are called without a message"],
    notes: "What the API and the interface export of logs and experiments, and payloads as the SDK sends them; a row that completes an
earlier one (`_is_merge`) is read with it. The rows of one `root_span_id` are a trajectory. Where a summary of rows says only that there was
an input, the arguments are not recorded.",
    extensions: &["json", "jsonl"],
    example: r#"[{"id":"r1","span_id":"a","root_span_id":"a","span_parents":[],"span_attributes":{"name":"agent","type":"task"},"input":"Where is order 7?","output":"It was shipped."},
 {"id":"r2","span_id":"b","root_span_id":"a","span_parents":["a"],"span_attributes":{"name":"find_order","type":"tool"},"input":{"id":7},"output":"shipped","metrics":{"start":1735689600.5,"end":1735689600.75}}]"#,
    priority: Priority::Platform,
    reading: Reading::Traces(recognise, |scope| {
        Box::new(Rows {
            scope,
            rows: RecordGroups::new(),
        })
    }),
};

/// Keys of row lists in API responses and SDK requests.
const LISTS: &[&str] = &["events", "rows", "data", "objects"];

/// Keys of a row that are read, or that don't affect calls.
const KNOWN: [&str; 19] = [
    "id",
    "span_id",
    "root_span_id",
    "span_parents",
    "span_attributes",
    "name",
    "type",
    "input",
    "output",
    "error",
    "metadata",
    "metrics",
    "created",
    "context",
    "expected",
    "scores",
    "tags",
    "origin",
    "classifications",
];

fn recognise(value: &Node<'_>) -> Recognition {
    let rows = rows(value, SUMMARY_DEPTH);
    if rows.iter().any(|row| is_span(row) || is_ai_tool(row)) {
        return Recognition::Certain;
    }
    let row = value.any(LISTS).unwrap_or(value).first_record();
    Recognition::by_marks(&[
        ("span_id", row.has("span_id")),
        ("root_span_id", row.has("root_span_id")),
        ("span_attributes", row.has("span_attributes")),
    ])
}

/// True for a row with a position in a trace.
fn is_span(row: &Node<'_>) -> bool {
    row.has("span_id")
        && row.has("root_span_id")
        && (row.has("span_attributes") || row.has("span_parents"))
}

/// True for a row without a type, but with the input that the AI SDK passes to a tool.
fn is_ai_tool(row: &Node<'_>) -> bool {
    row.str_at("name").is_some() && row.has("output") && options(row).is_some()
}

/// The options that the AI SDK passes to a tool after its arguments.
fn options<'n, 'a>(row: &'n Node<'a>) -> Option<&'n Node<'a>> {
    match row.list("input") {
        [_, options] if options.has("toolCallId") => Some(options),
        _ => None,
    }
}

/// True for an object, or the JSON text of one.
fn may_be_row(value: &Node<'_>) -> bool {
    value.is_object() || value.str().is_some_and(|text| text.starts_with(['{', '[']))
}

/// The maximum depth of rows in a summary, which has a key for each scenario and role.
const SUMMARY_DEPTH: u8 = 3;

/// The rows in a value.
fn rows<'n, 'a>(value: &'n Node<'a>, depth: u8) -> Vec<&'n Node<'a>> {
    let is_row = value.has_any(&["span_id", "root_span_id", "input", "output"]);
    if is_row || depth == 0 || value.str().is_some() {
        return vec![value];
    }
    let inner = value.inner_list(LISTS);
    let named = inner.entries().iter().map(|(_, value)| value);
    let inner = inner.items().iter().chain(named);
    inner
        .filter(|value| may_be_row(value) || value.items().iter().any(may_be_row))
        .flat_map(|value| rows(value, depth - 1))
        .collect()
}

/// The SDK sends a row when its span begins, and completes it later, so the rows of a trace are assembled first.
struct Rows {
    scope: Scope,
    /// The rows, by trace.
    rows: RecordGroups,
}

impl TraceReader for Rows {
    fn value(&mut self, value: &Node<'_>, place: ValuePlace, _: &mut FoundTraces) {
        let mut hold = |row: &Node<'_>| {
            let trace = row.label_at(&["root_span_id"]).unwrap_or_default();
            let text = row.raw().as_bytes();
            self.rows.hold(trace.as_bytes(), place.line, |out| {
                out.extend_from_slice(text);
            });
        };
        value.each_item(&mut |value| match &rows(value, SUMMARY_DEPTH)[..] {
            [] => hold(value),
            rows => rows.iter().for_each(|row| hold(row)),
        });
        self.rows.take_held();
    }

    fn lists(&self) -> Option<Lists> {
        Some(&[&[LISTS]])
    }

    fn finish(&mut self, found: &mut FoundTraces) -> bool {
        let Some(group) = found.next_group(&mut self.rows) else {
            return false;
        };
        let mut traces = SpanTraces::new(self.scope);
        for text in completed(&group) {
            let Ok(row) = Node::parse(&text, MAX_DEPTH) else {
                continue;
            };
            if !row.is_object() || rows(&row, SUMMARY_DEPTH).is_empty() {
                without_spans(&row, None, group.line, &mut traces);
            } else {
                traces.add(&span(&row), group.line);
            }
        }
        while traces.finish(found) {}
        true
    }
}

/// The texts of the rows in a group, each with the members of later rows that complete it.
fn completed(group: &RecordGroup) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    let mut places: HashMap<Text<'static>, usize> = HashMap::new();
    for text in group
        .records()
        .filter_map(|it| std::str::from_utf8(it).ok())
    {
        let Ok(row) = Node::parse(text, MAX_DEPTH) else {
            continue;
        };
        let id = row.label_at(&["id"]);
        let place = id.as_ref().and_then(|id| places.get(id).copied());
        if let Some(place) = place.filter(|_| row.is_set("_is_merge")) {
            let whole = Node::parse(&rows[place], MAX_DEPTH).map(|it| merged(&it, &row));
            rows[place] = whole.unwrap_or_default();
        } else {
            id.into_iter()
                .for_each(|id| _ = places.insert(id, rows.len()));
            rows.push(text.to_owned());
        }
    }
    rows
}

/// The text of an object with the members of a later one; objects under the same key are merged too.
fn merged(earlier: &Node<'_>, later: &Node<'_>) -> String {
    json::object(|writer| {
        for (key, value) in earlier.entries() {
            let new = member(later, key).filter(|_| *key != *"_is_merge");
            writer.key_text(key).raw(&match new {
                Some(new) if new.is_object() && value.is_object() => merged(value, new),
                Some(new) => new.raw().to_owned(),
                None => value.raw().to_owned(),
            });
        }
        for (key, value) in later.entries() {
            if *key != *"_is_merge" && member(earlier, key).is_none() {
                writer.key_text(key).raw(value.raw());
            }
        }
    })
}

fn member<'n, 'a>(node: &'n Node<'a>, key: &Text<'_>) -> Option<&'n Node<'a>> {
    let mut entries = node.entries().iter();
    entries.find(|(known, _)| known == key).map(|(_, it)| it)
}

fn span<'a>(row: &Node<'a>) -> TraceSpan<'a> {
    if row.is_set("_is_merge") {
        let strange = Suspect::new("a row that completes an earlier one", Doubt::None);
        return TraceSpan {
            trace: row.label_at(&["root_span_id"]).unwrap_or_default(),
            ..TraceSpan::from_suspect(strange)
        };
    }
    let about = row.get("span_attributes").unwrap_or(row);
    let is_tool = about.says("type", "tool") || is_ai_tool(row);
    let name = about.text_at(&["name"]);
    let time = |key: &str| row.at(&["metrics", key]).and_then(time::from_log);
    let created = row.get("created").and_then(time::from_log);
    let mut unread = unread::in_unknown(row, &KNOWN);
    // The options of a tool may be in another form.
    let has_options = |(key, value): &(Text<'_>, Node<'_>)| {
        *key != *"output" && value.raw().contains("toolCallId")
    };
    let may_be_tool = row.has("span_id") || !is_tool && row.entries().iter().any(has_options);
    if may_be_tool && !row.has("span_attributes") && !row.has("type") {
        unread.push(Suspect::new("a row without `span_attributes`", Doubt::None));
    }
    TraceSpan {
        trace: row.label_at(&["root_span_id"]).unwrap_or_default(),
        id: row.label_at(&["span_id", "id"]).unwrap_or_default(),
        parent: row.list("span_parents").first().and_then(Node::label),
        name: name
            .as_str()
            .and_then(|name| name.strip_prefix("tool: ").filter(|_| is_tool))
            .map_or_else(|| name.clone(), |name| Text::from(name.to_owned())),
        start: time("start").or(created),
        end: time("end"),
        error: row.get("error").map(output_of),
        attributes: attributes(row, about, is_tool),
        expected: expectation_in(row),
        unread,
        ..TraceSpan::default()
    }
}

/// The facts of a row, as attributes of the platform.
fn attributes<'a>(row: &Node<'a>, about: &Node<'a>, is_tool: bool) -> Attributes<'a> {
    let mut found = Attributes::in_member(row, "metadata");
    let mut push = |key: &str, value: Attribute<'a>| {
        found.extend([(Text::from(key.to_owned()), value)]);
    };
    for (key, value) in about.entries() {
        let is_about = row.get("span_attributes").is_some() || *key == *"type";
        if let (true, Some(text)) = (is_about, value.text()) {
            let key = format!("span_attributes.{}", key.to_display());
            push(&key, Attribute::Text(text.clone()));
        }
    }
    if is_tool && !about.has("type") {
        push(BRAINTRUST.kind, Attribute::Text(Text::new("tool")));
    }
    if let Some(input) = row.get("input") {
        // JavaScript functions are recorded with their list of arguments.
        let first = match input.items() {
            [only] if only.is_object() => only,
            [first, _] if options(row).is_some() => first,
            _ => input,
        };
        push(
            BRAINTRUST.input,
            Attribute::from_node(if is_tool { first } else { input }),
        );
    }
    if let Some(output) = row.get("output") {
        push(BRAINTRUST.output, Attribute::from_node(output));
    }
    if let Some(options) = options(row) {
        if let Some(id) = options.label_at(&["toolCallId"]) {
            push("gen_ai.tool.call.id", Attribute::Text(id));
        }
        if let Some(messages) = options.get("messages") {
            push(PROMPT, Attribute::from_node(messages));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::tests::check;
    use crate::{Input, Limits, ReadOptions};

    fn row(id: &str, parent: &str, about: &str, rest: &str) -> String {
        format!(
            r#"{{"id":"r{id}","span_id":"{id}","root_span_id":"a","span_parents":["{parent}"],"span_attributes":{about},"created":"2025-01-01T00:00:00Z"{rest}}}"#
        )
    }

    #[test]
    fn rows_of_tools_are_calls_and_those_of_models_tell_what_was_asked_for() {
        let choices = r#"[{"index":0,"message":{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"find","arguments":"{\"id\":7}"}},{"id":"d","type":"function","function":{"name":"look","arguments":"{}"}}]}}]"#;
        let rows = [
            row(
                "a",
                "",
                r#"{"name":"agent","type":"task"}"#,
                r#","input":"q","output":"x""#,
            ),
            row(
                "b",
                "a",
                r#"{"name":"Chat Completion","type":"llm"}"#,
                &format!(
                    r#","input":[{{"role":"user","content":"q"}}],"output":{choices},"metrics":{{"start":1.0,"end":2.0}}"#
                ),
            ),
            row(
                "c",
                "a",
                r#"{"name":"find","type":"tool"}"#,
                r#","input":{"id":7},"output":{"n":1},"error":"late","metrics":{"start":3.0,"end":4.0}"#,
            ),
        ];
        let found = [
            r#"look("{}") d @0 group-1 not run"#,
            r#"find({"id":7}) c @0 group-1 -> {"n":1} error "late""#,
        ];
        check("braintrust", &format!("[{}]", rows.join(",")), &found);
        check("braintrust", &rows.join("\n"), &found);
        let page = format!(r#"{{"events":[{}],"cursor":null}}"#, rows.join(","));
        check("braintrust", &page, &found);
    }

    #[test]
    fn a_row_completes_another_and_is_not_passed_over_in_silence_without_it() {
        let tool = row(
            "b",
            "a",
            r#"{"name":"find","type":"tool"}"#,
            r#","input":{"id":7}"#,
        );
        let rest = r#"{"id":"rb","span_id":"b","root_span_id":"a","_is_merge":true,"output":"x"}"#;
        let rows = format!("{tool}\n{rest}\n");
        check("braintrust", &rows, &[r#"find({"id":7}) -> "x""#]);
        let rows = format!("{tool}\n{}\n", rest.replace("rb", "rc"));
        check("braintrust", &rows, &[r#"find({"id":7})"#]);
        let file = rows.into_bytes();
        let options = ReadOptions::default();
        let mut input = Input::from_bytes("x.jsonl", file, Limits::default(), &options).unwrap();
        let traces = input.next_traces().unwrap().unwrap();
        assert_eq!(traces[0].1.as_ref().unwrap().report.unread_count(), 1);
    }

    #[test]
    fn summaries_of_rows_tell_less() {
        check(
            "braintrust",
            r#"[{"input":null,"metadata":{"operation":"tool"},"name":"agent","output":null},
                {"input":[{"id":7},{"messages":[],"toolCallId":"c"}],"metadata":null,"name":"find","output":"x"}]"#,
            &[r#"find({"id":7}) c -> "x""#],
        );
        check(
            "braintrust",
            r#"{"root":{"name":"r","root_span_id":"1","span_id":"1","span_parents":[],"type":"task"},
                "basic":{"tool":{"error":"gone","has_input":true,"metadata":{"gen_ai.tool.name":"find"},"name":"tool: x/find","root_span_id":"1","span_id":"2","span_parents":["1"],"type":"tool"}}}"#,
            &[r#"find(?) error "gone""#],
        );
    }
}
