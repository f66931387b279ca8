//! Rows for the evaluators of Azure AI, and the results of an evaluation.

use rightcall_core::value::{MAX_DEPTH, Text, python};

use super::expected::expected_calls;
use super::recordings;
use crate::case::near;
use crate::catalogue::ToolCatalogue;
use crate::format::{EachValue, Format, FoundTraces, Priority, Reading, Recognition, ValuePlace};
use crate::json;
use crate::messages::{conversations::dialect_of, json_text, speaker::words_of_user};
use crate::node::Node;
use crate::trace::{Conversation, Scope, Trace, count_suspects};

pub(super) static ENTRY: Format = Format {
    name: "azure-rows",
    title: "Azure AI evaluation rows",
    summary: "`query` with `response` or `tool_calls`, and results of evaluations with `rows` of `inputs.…` and `outputs.…`",
    reads: &[
        ("calls", "those of the messages in `response`, of any provider; where it is text, `tool_calls`"),
        ("arguments", "as in the messages"),
        ("results", "those in `response`"),
        ("expected", "`ground_truth` where it is a list of names of tools, also with an object of their parameters beside it"),
        ("ids", "`id`, `line_number`; those of calls as in the messages"),
        ("meta", "numbers under `outputs.…`"),
    ],
    lacks: &["times", "whether a result is an error"],
    notes: "Rows of a data set for the evaluators of tool calls and task navigation, one a line, and the file that `evaluate` writes. A row is a
trajectory; the calls in its `query` were made before, and count only where no reply was kept. Messages alone are
[`azure`](azure.md).",
    extensions: &["jsonl", "json"],
    example: r#"{"query":"Where is order 7?","response":[{"role":"assistant","content":[{"type":"tool_call","tool_call_id":"c1","name":"find_order","arguments":{"id":7}}]},{"role":"tool","tool_call_id":"c1","content":[{"type":"tool_result","tool_result":"shipped"}]}],"tool_definitions":[],"ground_truth":["find_order"]}"#,
    priority: Priority::Document,
    reading: Reading::Traces(
        |value| {
            let is_own = rows(value).iter().any(is_row);
            Recognition::certain_if(is_own)
        },
        |scope| Box::new(EachValue(scope, read)),
    ),
};

/// The rows of a result; a single row is returned unchanged.
fn rows<'n, 'a>(value: &'n Node<'a>) -> &'n [Node<'a>] {
    value.inner_list(&["rows"]).items_or_self()
}

/// Prefixes of the input and output columns of an evaluation.
const COLUMNS: [&str; 2] = ["inputs.", "outputs."];

fn is_row(row: &Node<'_>) -> bool {
    if row.has_any(&["inputs.response", "inputs.tool_calls", "inputs.query"]) {
        return true;
    }
    if row.has("request") || recordings::expects(row) {
        return false;
    }
    let is_defined = row.has("tool_definitions") && (row.has("response") || row.has("tool_calls"));
    let messages: Vec<_> = row.list("response").iter().collect();
    let is_told = !messages.is_empty() && dialect_of(&messages).is_some();
    // An agent without any calls leaves the list empty.
    let are_messages = row.get("response").is_some_and(are_messages);
    row.has("query") && (is_defined || is_told) || are_messages && expected(row).is_some()
}

fn read(value: &Node<'_>, scope: Scope, place: ValuePlace, found: &mut FoundTraces) {
    for row in rows(value) {
        let inputs = inputs(row);
        let inputs = inputs.as_deref().map(|text| Node::parse(text, MAX_DEPTH));
        let inner = match &inputs {
            Some(Ok(inputs)) => inputs,
            _ => row,
        };
        found.trace(place.line, trace(row, inner, scope));
    }
}

/// The input columns of an evaluation, as an object.
fn inputs(row: &Node<'_>) -> Option<String> {
    let column = |key: &Text<'_>| Some(key.as_str()?.strip_prefix(COLUMNS[0])?.to_owned());
    let columns = row.entries().iter();
    let mut columns = columns
        .filter_map(|(key, value)| Some((column(key)?, value)))
        .peekable();
    columns.peek()?;
    Some(json::object(|writer| {
        columns.for_each(|(name, value)| _ = writer.key(&name).raw(value.raw()));
    }))
}

fn are_messages(response: &Node<'_>) -> bool {
    response.is_list() && response.items().iter().all(|message| message.has("role"))
}

/// The run of the agent: the messages of the response, or the calls next to a text response. Earlier calls are in the query, which counts
/// only if no response was recorded.
fn run(inputs: &Node<'_>, scope: Scope) -> Trace {
    let Some(response) = inputs.get("response") else {
        let trace = recordings::recorded(inputs, scope);
        return trace.unwrap_or_default();
    };
    let own = json::object(|writer| {
        let others = inputs.entries().iter();
        let others = others.filter(|(key, _)| *key != *"query" && *key != *"response");
        others.for_each(|(key, value)| _ = writer.key_text(key).raw(value.raw()));
        writer.key("response").raw(response.raw());
    });
    let own = Node::parse(&own, scope.max_depth).ok();
    let trace = own
        .as_ref()
        .and_then(|own| recordings::recorded(own, scope));
    let own = own.as_ref().and_then(|own| own.get("response"));
    let mut trace = trace.unwrap_or_else(|| said(own.unwrap_or(response), inputs, scope));
    // The lists of a row are complete, so an empty one shows that the agent made no calls.
    recordings::note_unknown_parts(inputs.get("query"), scope, &mut trace.report);
    let is_left_empty = |calls: &Node<'_>| calls.is_list() && calls.items().is_empty();
    trace.agent_spoke |=
        are_messages(response) || inputs.get("tool_calls").is_some_and(is_left_empty);
    trace
}

/// A response without calls: messages, or a text.
fn said(response: &Node<'_>, row: &Node<'_>, scope: Scope) -> Trace {
    let mut conversation = Conversation::new(scope);
    for message in response.items() {
        conversation.part(message, Conversation::message);
    }
    let mut trace = conversation.finish();
    trace.add_labels(row);
    trace
}

fn trace(row: &Node<'_>, inputs: &Node<'_>, scope: Scope) -> Trace {
    let mut trace = run(inputs, scope);
    let id = inputs
        .label_at(&["id"])
        .or_else(|| row.label_at(&["line_number"]));
    trace.id = trace.id.take().or(id);
    trace.input = inputs.get("query").and_then(question);
    trace.expected = expected(inputs);
    trace.near_keys = near_keys(inputs);
    for (key, value) in row.entries() {
        let name = key.as_str().filter(|key| key.starts_with(COLUMNS[1]));
        if let Some(name) = name.filter(|_| value.raw().parse::<f64>().is_ok()) {
            trace.meta.push((name.to_owned(), value.raw().to_owned()));
        }
    }
    trace
}

/// Misspelled keys of a row, each with the key that may be meant.
fn near_keys(row: &Node<'_>) -> Vec<(String, &'static str)> {
    const KEYS: [&str; 5] = [
        "query",
        "response",
        "tool_calls",
        "tool_definitions",
        "ground_truth",
    ];
    let mut found = Vec::new();
    for key in row.entries().iter().filter_map(|(key, _)| key.as_str()) {
        let meant = near(key, &KEYS).filter(|meant| !row.has(meant));
        found.extend(meant.map(|meant| (key.to_owned(), meant)));
    }
    found
}

/// The question: a text, or the first message of the user.
fn question(query: &Node<'_>) -> Option<String> {
    let mut said = query.items().iter().filter_map(words_of_user);
    let text = query.text().map(|text| text.clone().into_owned());
    text.or_else(|| said.next()).map(|text| json_text(&text))
}

/// The expected calls of a row: names, or names with parameters (none if a name has no entry). Either may be JSON text. Other lists, and
/// objects with calls, are read as the expectation of a case is.
fn expected(row: &Node<'_>) -> Option<String> {
    let truth = row.get("ground_truth")?;
    let parsed = match truth.str() {
        Some(text) => Some(Node::parse(text, MAX_DEPTH).ok()?),
        None => None,
    };
    let truth = parsed.as_ref().unwrap_or(truth);
    let tools = row.get("tool_definitions").map(Node::raw);
    let tools = tools.and_then(|it| ToolCatalogue::from_json(it).ok());
    let is_other = |it: &Node<'_>| {
        let tools = tools.as_ref().filter(|tools| !tools.is_empty());
        it.str()
            .zip(tools)
            .is_some_and(|(name, tools)| !tools.has(name))
    };
    // Accepted answers are texts too.
    if !truth.items().is_empty() && truth.items().iter().all(is_other) {
        return None;
    }
    let is_structure = |it: &Node<'_>| it.is_list() || it.is_object();
    let has_calls = || {
        let mut members = truth.items().iter();
        let mut named = truth.entries().iter().map(|(_, arguments)| arguments);
        members.any(is_structure) || named.any(Node::is_object) || count_suspects(truth) > 0
    };
    expected_in(truth).or_else(|| has_calls().then(|| truth.raw().to_owned()))
}

fn expected_in(truth: &Node<'_>) -> Option<String> {
    let (names, parameters) = match truth.items() {
        [names, parameters] if names.is_list() && parameters.is_object() => {
            (names.items(), Some(parameters))
        }
        names => (names, None),
    };
    let is_object = |parameters: &Node<'_>| {
        let mut entries = parameters.entries().iter();
        entries.all(|(_, value)| value.is_object())
    };
    if names.is_empty() || !parameters.is_none_or(is_object) {
        return None;
    }
    let call = |name: &'_ Node<'_>| {
        let name = name.text()?;
        let arguments = parameters.map(|parameters| {
            let name = name.trimmed(python::is_space);
            let entries = parameters.entries().iter();
            let mut named = entries.filter(|(key, _)| *key == name);
            named.next_back().map_or("{}", |(_, value)| value.raw())
        });
        Some((name.clone().into_owned(), arguments))
    };
    let calls: Option<Vec<_>> = names.iter().map(call).collect();
    calls.map(expected_calls)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{check, evidence, shown};
    use crate::trace::Choices;

    const ASKS: &str = r#"[{"role":"assistant","content":[{"type":"tool_call","tool_call_id":"b","name":"look","arguments":{}}]},{"role":"tool","tool_call_id":"b","content":[{"type":"tool_result","tool_result":{"n":1}}]}]"#;

    #[test]
    fn the_response_counts_and_calls_beside_one_that_is_text() {
        let history = r#"[{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"find","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"x"}]"#;
        let row = format!(r#"{{"query":{history},"response":{ASKS},"tool_definitions":[]}}"#);
        let found = [r#"look({}) b @0 -> {"n":1}"#];
        check("azure-rows", &row, &found);
        check(
            "azure-rows",
            &format!(r#"{{"query":"q","response":{ASKS}}}"#),
            &found,
        );
        let only_text = format!(
            r#"{{"query":{history},"response":[{{"role":"assistant","content":"done"}}],"tool_definitions":[]}}"#
        );
        let both = shown(
            "azure-rows",
            &format!("{row}\n{only_text}\n"),
            Choices::default(),
        );
        assert_eq!(both.len(), 2);
        let beside = r#"{"query":"q","response":"done","tool_calls":[{"type":"tool_call","tool_call_id":"b","name":"look","arguments":{}}],"tool_definitions":[]}"#;
        check("azure-rows", beside, &["look({}) b @0"]);
        let none =
            r#"{"response":[{"role":"assistant","content":"done"}],"ground_truth":["look"]}"#;
        check("azure-rows", none, &[]);
    }

    #[test]
    fn the_response_is_all_that_the_agent_did() {
        let row = |response: &str, rest: &str| {
            format!(
                r#"{{"id":"r","query":"q","response":{response},"ground_truth":["look"]{rest}}}"#
            )
        };
        let (calls, said) = (
            ASKS,
            r#"[{"role":"assistant","content":[{"type":"text","text":"x"}]}]"#,
        );
        assert_eq!(evidence("azure-rows", &row("[]", "")), ["spoke"]);
        assert_eq!(evidence("azure-rows", &row(said, "")), ["spoke"]);
        let tools = r#","tool_definitions":[]"#;
        assert_eq!(evidence("azure-rows", &row(r#""x""#, tools)), ["silent"]);
        let beside = format!(r#"{tools},"tool_calls":[]"#);
        assert_eq!(evidence("azure-rows", &row(r#""x""#, &beside)), ["spoke"]);
        let without_query = |response: &str| row(response, "").replace(r#""query":"q","#, "");
        let rows = [calls, "[]", said].map(without_query).join("\n");
        check(
            "azure-rows",
            &rows,
            &[r#"look({}) b @0 -> {"n":1}"#, "---", "---"],
        );
        for other in ["user", "system", "tool", "agent", "Assistant"] {
            let of_other = calls.replacen("assistant", other, 1);
            check("azure-rows", &row(&of_other, ""), &["1 of other actors"]);
        }
        // Calls before the question are not part of a text response.
        let history = r#"[{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"find","arguments":"{}"}}]}]"#;
        let row = format!(r#"{{"query":{history},"response":"done","tool_definitions":[]}}"#);
        check("azure-rows", &row, &[]);
    }

    #[test]
    fn keys_that_are_nearly_those_of_a_row_are_kept() {
        let row = r#"{"query":"q","response":[],"ground_truths":["look"],"tool_definitions":[]}"#;
        let row = Node::parse(row, MAX_DEPTH).unwrap();
        let found = near_keys(&row);
        assert_eq!(found, [("ground_truths".to_owned(), "ground_truth")]);
    }

    #[test]
    fn results_of_an_evaluation_hold_the_rows_that_went_in() {
        let text = format!(
            r#"{{"rows":[{{"inputs.query":"q","inputs.response":{ASKS},"inputs.ground_truth":["look"],"outputs.accuracy.score":0.5,"outputs.accuracy.reason":"x","line_number":3}}],"metrics":{{}},"studio_url":null}}"#
        );
        check("azure-rows", &text, &[r#"look({}) b @0 -> {"n":1}"#]);
        let node = Node::parse(&text, MAX_DEPTH).unwrap();
        let row = &rows(&node)[0];
        let inputs = inputs(row).unwrap();
        let inputs = Node::parse(&inputs, MAX_DEPTH).unwrap();
        let trace = trace(row, &inputs, Scope::default());
        assert_eq!(trace.expected.as_deref(), Some(r#"[{"name":"look"}]"#));
        assert_eq!(
            trace.meta,
            [("outputs.accuracy.score".to_owned(), "0.5".to_owned())]
        );
        assert_eq!(trace.id.unwrap().to_string(), "3");
    }

    #[test]
    fn truth_is_names_of_tools_with_or_without_their_parameters() {
        let of = |truth: &str| {
            let row = format!(r#"{{"ground_truth":{truth}}}"#);
            expected(&Node::parse(&row, MAX_DEPTH).unwrap())
        };
        assert_eq!(
            of(r#"[["find","look"],{"find":{"id":7}}]"#).as_deref(),
            Some(r#"[{"name":"find","args":{"id":7}},{"name":"look","args":{}}]"#)
        );
        // Names are trimmed for the lookup; keys of parameters are not.
        assert_eq!(
            of(r#"[[" find","look"],{"find":{"id":7},"look ":{"id":8}}]"#).as_deref(),
            Some(r#"[{"name":" find","args":{"id":7}},{"name":"look","args":{}}]"#)
        );
        assert_eq!(
            of(r#""[\"find\"]""#).as_deref(),
            Some(r#"[{"name":"find"}]"#)
        );
        for other in [r#""It was shipped.""#, "[]", "[1]", r#"{"name":"find"}"#] {
            assert_eq!(of(other), None, "{other}");
        }
        // A case with one of these is refused, or reads its calls.
        for other in [
            r#"[["find"],{"find":7}]"#,
            r#"[{"name":"find","arguments":{}}]"#,
        ] {
            assert_eq!(of(other).as_deref(), Some(other));
        }
    }
}
