//! Rows for the evaluators of Azure AI, and what an evaluation made of them.

use rightcall::value::{MAX_DEPTH, Text};

use super::expected::expected_calls;
use super::recordings;
use crate::format::{EachValue, Format, FoundTraces, Priority, Reading, Recognition, ValuePlace};
use crate::json;
use crate::messages::{conversations::dialect_of, output_of};
use crate::node::Node;
use crate::trace::{Scope, Trace};

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
trajectory; what stands in its `query` was done before, and counts only where no reply was kept. Messages alone are
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

/// The rows of a result; a row alone is its own.
fn rows<'n, 'a>(value: &'n Node<'a>) -> &'n [Node<'a>] {
    value.inner_list(&["rows"]).items_or_self()
}

/// What begins the names of the columns that went into an evaluation, and of those that came out.
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
    let are_messages = messages.iter().all(|message| message.has("role"));
    row.has("query") && (is_defined || is_told)
        || !messages.is_empty() && are_messages && expected(row).is_some()
}

fn read(value: &Node<'_>, scope: Scope, place: ValuePlace, found: &mut FoundTraces) {
    for row in rows(value) {
        let inputs = inputs(row);
        let inputs = inputs.as_deref().map(|text| Node::parse(text, MAX_DEPTH));
        let inner = match &inputs {
            Some(Ok(inputs)) => inputs,
            _ => row,
        };
        if let Some(trace) = trace(row, inner, scope) {
            found.trace(place.line, trace);
        }
    }
}

/// The columns that went into an evaluation, as an object.
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

fn trace(row: &Node<'_>, inputs: &Node<'_>, scope: Scope) -> Option<Trace> {
    let mut trace = recordings::recorded(inputs, scope)?;
    let id = inputs
        .label_at(&["id"])
        .or_else(|| row.label_at(&["line_number"]));
    trace.id = trace.id.take().or(id);
    let query = inputs.get("query").filter(|query| query.text().is_some());
    trace.input = query.map(output_of);
    trace.expected = expected(inputs);
    for (key, value) in row.entries() {
        let name = key.as_str().filter(|key| key.starts_with(COLUMNS[1]));
        if let Some(name) = name.filter(|_| value.raw().parse::<f64>().is_ok()) {
            trace.meta.push((name.to_owned(), value.raw().to_owned()));
        }
    }
    Some(trace)
}

/// The calls that a row expects: names, or names with the parameters of each.
fn expected(row: &Node<'_>) -> Option<String> {
    let truth = row.list("ground_truth");
    let (names, parameters) = match truth {
        [names, parameters] if names.is_list() && parameters.is_object() => {
            (names.items(), Some(parameters))
        }
        names => (names, None),
    };
    if names.is_empty() {
        return None;
    }
    let call = |name: &'_ Node<'_>| {
        let name = name.text()?;
        let arguments = parameters.and_then(|it| it.get(name.as_str()?));
        let arguments = arguments.filter(|it| it.is_object());
        Some((name.clone().into_owned(), arguments.map(Node::raw)))
    };
    let calls: Option<Vec<_>> = names.iter().map(call).collect();
    calls.map(expected_calls)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{check, shown};
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
    fn results_of_an_evaluation_hold_the_rows_that_went_in() {
        let text = format!(
            r#"{{"rows":[{{"inputs.query":"q","inputs.response":{ASKS},"inputs.ground_truth":["look"],"outputs.accuracy.score":0.5,"outputs.accuracy.reason":"x","line_number":3}}],"metrics":{{}},"studio_url":null}}"#
        );
        check("azure-rows", &text, &[r#"look({}) b @0 -> {"n":1}"#]);
        let node = Node::parse(&text, MAX_DEPTH).unwrap();
        let row = &rows(&node)[0];
        let inputs = inputs(row).unwrap();
        let inputs = Node::parse(&inputs, MAX_DEPTH).unwrap();
        let trace = trace(row, &inputs, Scope::default()).unwrap();
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
            Some(r#"[{"name":"find","args":{"id":7}},{"name":"look"}]"#)
        );
        for other in [r#""It was shipped.""#, "[]", "[1]", r#"{"name":"find"}"#] {
            assert_eq!(of(other), None, "{other}");
        }
    }
}
