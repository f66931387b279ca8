//! Runs of `LangSmith`, as its exports hold them and as its libraries post them.

use std::collections::HashMap;

use rightcall::value::{MAX_DEPTH, Text};

use crate::format::{Format, Found, Place, Reading, Recognition, Scope, TraceReader};
use crate::messages::json_text;
use crate::node::Node;
use crate::shapes::first_record;
use crate::spans::dialects::observations::LANGSMITH;
use crate::spans::{Attribute, Attributes, Span, SpanTraces};
use crate::trace::time;

pub(super) static ENTRY: Format = Format {
    name: "langsmith",
    title: "LangSmith runs",
    summary: "runs with `run_type`, nested or flat, and payloads of `post` and `patch`",
    reads: &[
        ("calls", "runs of type `tool`"),
        ("arguments", "`inputs`"),
        ("results", "`outputs`"),
        ("asked for, not run", "`outputs` of runs of type `llm` that no tool run answers"),
        ("times", "`start_time`, `end_time`"),
        ("errors", "`error`"),
    ],
    lacks: &["ids of calls, where tools are called without a message"],
    notes: "Runs as the API lists them, nested under `child_runs` or flat, and the batches that the SDK sends: a patch is put together with
its post by `id` or by `dotted_order`.",
    extensions: &["json", "jsonl"],
    example: r#"{"id":"r2","trace_id":"r1","parent_run_id":"r1","run_type":"tool","name":"find_order","inputs":{"id":7},"outputs":{"output":"shipped"},"start_time":"2025-01-01T00:00:00.000001+00:00","end_time":"2025-01-01T00:00:00.2+00:00","error":null,"dotted_order":"20250101T000000000000Zr1.20250101T000000000001Zr2"}"#,
    recognise: |value| {
        let record = first_record(value);
        let posted = ["post", "patch"].iter().flat_map(|key| record.list(key)).next();
        let run = posted.unwrap_or(record);
        if posted.is_some() && (run.has("dotted_order") || run.has("trace_id")) {
            return Recognition::Certain;
        }
        let place = ["dotted_order", "parent_run_id", "child_runs"];
        Recognition::by_marks(&[
            ("run_type", run.has("run_type")),
            ("dotted_order or parent_run_id", place.iter().any(|key| run.has(key))),
        ])
    },
    reading: Reading::Traces(|scope| Box::new(LangSmith { scope, runs: Vec::new(), known: HashMap::new() })),
};

/// What is kept of a run.
const FIELDS: [&str; 10] =
    ["id", "trace_id", "parent_run_id", "dotted_order", "name", "run_type", "inputs", "outputs", "error", "start_time"];
const END: &str = "end_time";

/// A patch completes a run that was posted before, so runs are put together first.
struct LangSmith {
    scope: Scope,
    runs: Vec<Run>,
    /// Runs by id and by `dotted_order`, which patches may name instead.
    known: HashMap<String, usize>,
}

/// The JSON text of each field.
struct Run {
    line: u64,
    fields: HashMap<&'static str, String>,
}

impl LangSmith {
    fn add(&mut self, value: &Node<'_>, trace: Option<&Node<'_>>, line: u64) {
        if value.is_list() {
            value.items().iter().for_each(|item| self.add(item, trace, line));
            return;
        }
        if value.has("post") || value.has("patch") {
            ["post", "patch"].iter().flat_map(|key| value.list(key)).for_each(|run| self.add(run, None, line));
            return;
        }
        let keys: Vec<_> = ["id", "dotted_order"].iter().filter_map(|key| value.get(key)).map(|it| it.raw().to_owned()).collect();
        let known = keys.iter().find_map(|key| self.known.get(key).copied());
        let index = known.unwrap_or(self.runs.len());
        if known.is_none() {
            self.runs.push(Run { line, fields: HashMap::new() });
        }
        let fields = &mut self.runs[index].fields;
        for key in FIELDS.into_iter().chain([END]) {
            if let Some(field) = value.get(key) {
                fields.insert(key, field.raw().to_owned());
            }
        }
        let trace = value.get("trace_id").or(trace).or_else(|| value.get("id"));
        if let Some(trace) = trace {
            fields.entry("trace_id").or_insert_with(|| trace.raw().to_owned());
        }
        self.known.extend(keys.into_iter().map(|key| (key, index)));
        value.list("child_runs").iter().for_each(|run| self.add(run, trace, line));
    }
}

impl TraceReader for LangSmith {
    fn value(&mut self, value: &Node<'_>, place: Place, _: &mut Found) {
        self.add(value, None, place.line);
    }

    fn finish(&mut self, found: &mut Found) {
        let mut traces = SpanTraces::new(self.scope);
        for Run { line, fields } in &self.runs {
            let field = |key: &str| Node::parse(fields.get(key)?, MAX_DEPTH).ok();
            let label = |key: &str| field(key).and_then(|node| node.label());
            let time = |key: &str| field(key)?.str().and_then(time::of_iso);
            let named = [(LANGSMITH.kind, "run_type"), (LANGSMITH.input, "inputs"), (LANGSMITH.output, "outputs")];
            let attributes =
                named.into_iter().filter_map(|(key, name)| Some((Text::new(key), Attribute::of(&field(name)?)))).collect();
            traces.add(
                &Span {
                    trace: label("trace_id").unwrap_or_default(),
                    id: label("id").or_else(|| label("dotted_order")).unwrap_or_default(),
                    parent: label("parent_run_id"),
                    name: label("name").unwrap_or_default(),
                    start: time("start_time"),
                    end: time(END),
                    error: label("error").filter(|error| !error.is_empty()).map(|error| json_text(&error)),
                    attributes: Attributes(attributes),
                    events: Vec::new(),
                },
                *line,
            );
        }
        self.runs.clear();
        traces.finish(found);
    }
}

#[cfg(test)]
mod tests {
    use crate::messages::check;

    #[test]
    fn a_patch_completes_the_run_it_names_by_id_or_by_order() {
        check(
            "langsmith",
            r#"{"post":[
                 {"id":"m","trace_id":"t","dotted_order":"1m","run_type":"llm","name":"model","inputs":{},"outputs":{},"start_time":"2025-01-01T00:00:00+00:00"},
                 {"id":"f","trace_id":"t","dotted_order":"1m.2f","run_type":"tool","name":"find","inputs":{"input":"{'id': 7}"},"start_time":"2025-01-01T00:00:01+00:00"}],
                "patch":[
                 {"id":"m","outputs":{"choices":[{"message":{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"find","arguments":"{\"id\": 7}"}}]}}]}},
                 {"dotted_order":"1m.2f","outputs":{"output":{"content":"x","type":"tool","tool_call_id":"c"}},"error":"late"}]}"#,
            &[r#"find("{'id': 7}") c @0 -> "x" error "late""#],
        );
    }

    #[test]
    fn nested_runs_are_one_trace() {
        check(
            "langsmith",
            r#"{"id":"r","run_type":"chain","name":"agent","start_time":"2025-01-01T00:00:00","child_runs":[
                 {"id":"f","parent_run_id":"r","run_type":"tool","name":"find","inputs":{"id":7},"outputs":{"output":"x"},"start_time":"2025-01-01T00:00:01"}]}"#,
            &[r#"find({"id":7}) -> "x""#],
        );
    }
}
