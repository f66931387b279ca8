//! Runs of `LangSmith`, from its exports and as its libraries post them.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};

use rightcall_core::value::{MAX_DEPTH, Text};

use crate::format::{
    Format, FoundTraces, Lists, Priority, Reading, Recognition, TraceReader, ValuePlace,
};
use crate::groups::RecordGroups;
use crate::json;
use crate::messages::json_text;
use crate::node::Node;
use crate::spans::dialects::observations::LANGSMITH;
use crate::spans::{
    Attribute, Attributes, EXPECTATIONS, PROMPT, SpanTraces, TraceSpan, expectation_in, unread,
};
use crate::trace::{Doubt, Scope, Suspect, time};

pub(super) static ENTRY: Format = Format {
    name: "langsmith",
    title: "LangSmith runs",
    summary: "runs with `run_type`, nested or flat, and payloads of `post` and `patch`",
    reads: &[
        ("calls", "runs of type `tool`"),
        ("arguments", "`inputs`; of tools of the AI SDK the first of its two values"),
        ("results", "`outputs`"),
        ("asked for, not run", "`outputs` of runs of type `llm` that no tool run answers"),
        ("calls without other runs", "messages in the `outputs` of a chain, where no run of the trace shows calls"),
        ("question", "`inputs` of the outermost run: what the user says in its messages, else its text or all of it"),
        ("times", "`start_time`, `end_time`"),
        ("errors", "`error`"),
        ("expectations", "`reference_outputs`, if it holds calls"),
    ],
    lacks: &["ids of calls, where tools are called without a message or options of the AI SDK"],
    notes: "Runs as the API lists them, nested under `child_runs` or flat, and the batches that the SDK sends: a patch is put together with
its post by `id` or by `dotted_order`. If `child_run_ids` names runs that are not in the file, calls may be missing, so a run without calls
is not recorded.",
    extensions: &["json", "jsonl"],
    example: r#"{"id":"r2","trace_id":"r1","parent_run_id":"r1","run_type":"tool","name":"find_order","inputs":{"id":7},"outputs":{"output":"shipped"},"start_time":"2025-01-01T00:00:00.000001+00:00","end_time":"2025-01-01T00:00:00.2+00:00","error":null,"dotted_order":"20250101T000000000000Zr1.20250101T000000000001Zr2"}"#,
    priority: Priority::Platform,
    reading: Reading::Traces(
        |value| {
            let record = value.first_record();
            let posted = ["post", "patch"].iter().flat_map(|key| record.list(key)).next();
            let run = posted.unwrap_or(record);
            if posted.is_some() && (run.has("dotted_order") || run.has("trace_id")) {
                return Recognition::Certain;
            }
            Recognition::by_marks(&[
                ("run_type", run.has("run_type")),
                ("dotted_order or parent_run_id", run.has_any(&["dotted_order", "parent_run_id", "child_runs"])),
            ])
        },
        |scope| {
            Box::new(LangSmith {
                scope,
                told: RecordGroups::new(),
                traces: Vec::new(),
                trace_of: HashMap::new(),
                hasher: RandomState::new(),
            })
        },
    ),
};

/// Fields of a run that are stored.
const FIELDS: &[&str] = KNOWN.split_at(12).0;
/// The stored fields, followed by other known ones, which aren't reported as unread.
const KNOWN: [&str; 23] = [
    "id",
    "parent_run_id",
    "dotted_order",
    "name",
    "run_type",
    "inputs",
    "outputs",
    "error",
    "start_time",
    "end_time",
    "child_run_ids",
    "direct_child_run_ids",
    "trace_id",
    "child_runs",
    "events",
    "extra",
    "serialized",
    "manifest",
    "tags",
    "session_name",
    "session_id",
    "feedback_stats",
    // The decisions of an executor of LangChain.js; its models and tools have their own runs.
    "actions",
];
/// The key for stored values that look like unread calls.
const UNREAD: &str = "unread";
/// The key for stored metadata, which name agents and graph nodes.
const METADATA: &str = "metadata";
/// The key for the stored expectation.
const EXPECTED: &str = "expected";
/// Keys that identify a run.
const NAMES: [&str; 2] = ["id", "dotted_order"];

/// A patch completes an earlier post, so the runs of a trace are assembled first.
struct LangSmith {
    scope: Scope,
    /// The records of runs, by trace.
    told: RecordGroups,
    /// The trace ids, as JSON texts.
    traces: Vec<String>,
    /// The trace of each run, by the hashes of its id and of its `dotted_order`; patches may use either.
    trace_of: HashMap<u64, usize>,
    hasher: RandomState,
}

impl LangSmith {
    /// Stores call-like values outside the runs of a payload as a separate run without other fields.
    fn stray(&mut self, value: &Node<'_>, read: &[&str], line: u64) {
        if !unread::in_unknown(value, read).is_empty() {
            let text = format!("{{\"beside\":{}}}", value.raw());
            _ = Node::parse(&text, MAX_DEPTH).map(|run| self.add(&run, None, line));
        }
    }

    fn add(&mut self, value: &Node<'_>, around: Option<&Node<'_>>, line: u64) {
        if value.is_list() || value.text().is_some() {
            value.each_item(&mut |item| {
                if item.is_object() {
                    self.add(item, around, line);
                }
            });
            return;
        }
        // A request of the libraries: new runs, and patches to earlier ones.
        if value.has("post") || value.has("patch") {
            let is_read = |key: &&str| value.get(key).is_none_or(|it| !it.is_object());
            let read: Vec<_> = ["post", "patch"].into_iter().filter(is_read).collect();
            for runs in read.iter().filter_map(|key| value.get(key)) {
                self.add(runs, None, line);
            }
            self.stray(value, &read, line);
            return;
        }
        let names: Vec<_> = NAMES
            .iter()
            .filter_map(|key| value.get(key))
            .map(|name| self.hasher.hash_one(name.raw()))
            .collect();
        let said = value.get("trace_id").or(around);
        // A patch may lack the trace id, so first look up the trace of its run.
        let trace = if let Some(&known) = names.iter().find_map(|name| self.trace_of.get(name)) {
            known
        } else {
            let id = said.or_else(|| value.get("id")).map_or("null", Node::raw);
            let name = self.hasher.hash_one((id, "trace"));
            *self.trace_of.entry(name).or_insert_with(|| {
                self.traces.push(id.to_owned());
                self.traces.len() - 1
            })
        };
        self.trace_of
            .extend(names.into_iter().map(|name| (name, trace)));
        let metadata = value.at(&["extra", METADATA]);
        let holds = |word: &&str| metadata.is_some_and(|it| it.raw().contains(*word));
        let is_read = ["_reason", "_call", "Call"].iter().any(holds);
        let metadata = metadata.filter(|_| is_read || self.scope.choices.has_parts());
        let strange = unread::in_unknown(value, &[&KNOWN[..], &EXPECTATIONS].concat());
        let expected = expectation_in(value);
        let run = json::object(|run| {
            for key in FIELDS {
                json::raw(run, key, value.get(key).map(Node::raw));
            }
            json::raw(run, METADATA, metadata.map(Node::raw));
            json::raw(run, EXPECTED, expected.as_deref());
            if !strange.is_empty() {
                run.key(UNREAD).begin_list();
                for suspect in &strange {
                    run.begin_object().key("looks").str(&suspect.looks);
                    if let Some(name) = &suspect.name {
                        run.key("name").text(name);
                    }
                    run.end_object();
                }
                run.end_list();
            }
        });
        self.told.hold(&trace.to_le_bytes(), line, |out| {
            out.extend((trace as u64).to_le_bytes());
            out.extend_from_slice(run.as_bytes());
        });
        self.told.take_held();
        if let Some(runs) = value.get("child_runs") {
            self.add(runs, said.or_else(|| value.get("id")), line);
        }
    }
}

impl TraceReader for LangSmith {
    fn value(&mut self, value: &Node<'_>, place: ValuePlace, _: &mut FoundTraces) {
        self.add(value, None, place.line);
    }

    fn lists(&self) -> Option<Lists> {
        Some(&[&[&["post"]], &[&["patch"]]])
    }

    fn finish(&mut self, found: &mut FoundTraces) -> bool {
        let Some(group) = found.next_group(&mut self.told) else {
            return false;
        };
        let mut records = group
            .records()
            .filter_map(|record| record.split_first_chunk())
            .peekable();
        let trace = records
            .peek()
            .and_then(|(trace, _)| self.traces.get(u64::from_le_bytes(**trace) as usize));
        let trace = trace.map_or("null", String::as_str);
        let mut spans = SpanTraces::new(self.scope);
        let told = records
            .filter_map(|(_, text)| Node::parse(std::str::from_utf8(text).ok()?, MAX_DEPTH).ok());
        let runs = put_together(told);
        let ids: HashSet<_> = runs
            .iter()
            .filter_map(|run| run.get("id"))
            .map(Node::raw)
            .collect();
        for run in &runs {
            let mut span = span(run, trace);
            span.left_over = missing_children(run, &ids);
            spans.add(&span, group.line);
        }
        while spans.finish(found) {}
        true
    }
}

/// The recorded fields of a run; later values replace earlier ones.
type RunFields<'a> = HashMap<&'static str, Node<'a>>;

/// The runs of a trace, each assembled from all its records.
fn put_together<'a>(told: impl Iterator<Item = Node<'a>>) -> Vec<RunFields<'a>> {
    let mut runs: Vec<RunFields<'a>> = Vec::new();
    let mut known: HashMap<&'a str, usize> = HashMap::new();
    for run in told {
        let names: Vec<_> = NAMES
            .iter()
            .filter_map(|key| run.get(key))
            .map(Node::raw)
            .collect();
        let index = names
            .iter()
            .find_map(|name| known.get(name).copied())
            .unwrap_or(runs.len());
        if index == runs.len() {
            runs.push(HashMap::new());
        }
        runs[index].extend(
            FIELDS
                .iter()
                .copied()
                .chain([UNREAD, METADATA, EXPECTED])
                .filter_map(|key| Some((key, run.get(key)?.clone()))),
        );
        known.extend(names.into_iter().map(|name| (name, index)));
    }
    runs
}

/// Ids of child runs that the trace lacks.
fn missing_children(run: &RunFields<'_>, ids: &HashSet<&str>) -> Vec<String> {
    let named = ["child_run_ids", "direct_child_run_ids"]
        .iter()
        .filter_map(|key| run.get(key))
        .find(|children| !children.items().is_empty());
    let children = named.map_or(&[][..], Node::items).iter();
    children
        .filter(|child| !ids.contains(child.raw()))
        .map(|_| "child runs that are not in the file".to_owned())
        .collect()
}

fn span<'a>(run: &RunFields<'a>, trace: &str) -> TraceSpan<'a> {
    let label = |key: &str| run.get(key).and_then(Node::label);
    let time = |key: &str| run.get(key)?.str().and_then(time::from_iso);
    let named = [
        (LANGSMITH.kind, "run_type"),
        (LANGSMITH.output, "outputs"),
        (METADATA, METADATA),
        (LANGSMITH.input, "inputs"),
    ];
    let of_ai_tool = input_of_ai_tool(run);
    let is_known = |(key, _): &(&str, &str)| of_ai_tool.is_none() || *key != LANGSMITH.input;
    let named = named.into_iter().filter(is_known);
    let mut attributes: Attributes<'a> = named
        .filter_map(|(key, name)| Some((Text::new(key), Attribute::from_node(run.get(name)?))))
        .collect();
    if let Some((input, id, options)) = of_ai_tool {
        attributes.extend([
            (Text::new(LANGSMITH.input), Attribute::from_node(input)),
            (Text::new("gen_ai.tool.call.id"), Attribute::Text(id)),
        ]);
        let messages = options.get("messages").map(Attribute::from_node);
        attributes.extend(messages.map(|messages| (Text::new(PROMPT), messages)));
    }
    TraceSpan {
        trace: Node::parse(trace, MAX_DEPTH)
            .ok()
            .and_then(|trace| trace.label())
            .unwrap_or_default(),
        id: label("id")
            .or_else(|| label("dotted_order"))
            .unwrap_or_default(),
        parent: label("parent_run_id"),
        name: label("name").unwrap_or_default(),
        start: time("start_time"),
        end: time("end_time"),
        error: label("error")
            .filter(|error| !error.is_empty())
            .map(|error| json_text(&error)),
        attributes,
        expected: run.get(EXPECTED).map(|it| it.raw().to_owned()),
        unread: note_irregular(run),
        ..TraceSpan::default()
    }
}

/// The input, the id and the options of a call of the AI SDK, which passes its options to the tool as a second value.
fn input_of_ai_tool<'n, 'a>(
    run: &'n RunFields<'a>,
) -> Option<(&'n Node<'a>, Text<'static>, &'n Node<'a>)> {
    let is_tool = run.get("run_type").and_then(Node::str) == Some("tool");
    match run.get("inputs").filter(|_| is_tool)?.list("args") {
        [input, options] => Some((input, options.label_at(&["toolCallId"])?, options)),
        _ => None,
    }
}

/// Call-like values in a run that aren't read. A run without a type is not read at all.
fn note_irregular(run: &RunFields<'_>) -> Vec<Suspect> {
    let kept = run.get(UNREAD).map_or(&[][..], Node::items).iter();
    let mut strange: Vec<_> = kept
        .filter_map(|suspect| {
            Some(Suspect {
                name: suspect.label_at(&["name"]),
                ..Suspect::new(suspect.str_at("looks")?, Doubt::None)
            })
        })
        .collect();
    if !run.contains_key("run_type") {
        strange.push(Suspect::new("a run without `run_type`", Doubt::None));
    }
    strange
}

#[cfg(test)]
mod tests {
    use crate::tests::{check, evidence};

    fn root(rest: &str) -> String {
        format!(
            r#"{{"id":"r","trace_id":"r","parent_run_id":null,"run_type":"chain","name":"agent","start_time":"2025-01-01T00:00:00","end_time":"2025-01-01T00:00:05",{rest}}}"#
        )
    }

    #[test]
    fn child_runs_that_are_not_in_the_file_are_left_over() {
        let output = r#""outputs":{"output":"a"},"child_runs":null"#;
        let told = |ids: &str| evidence("langsmith", &root(&format!("{output},{ids}")));
        assert_eq!(told(r#""child_run_ids":[]"#), ["silent"]);
        let lost = ["silent", "2 child runs that are not in the file"];
        assert_eq!(told(r#""child_run_ids":["f","g"]"#), lost);
        assert_eq!(
            told(r#""child_run_ids":null,"direct_child_run_ids":["f","g"]"#),
            lost
        );
        let child = r#"{"id":"f","trace_id":"r","parent_run_id":"r","run_type":"llm","name":"m","start_time":"2025-01-01T00:00:01","inputs":{},"outputs":{"generations":[[{"text":"a"}]]}}"#;
        let both = format!(
            "{}\n{child}",
            root(&format!(r#"{output},"child_run_ids":["f"]"#))
        );
        assert_eq!(evidence("langsmith", &both), ["spoke"]);
    }

    #[test]
    fn the_messages_of_a_state_are_the_calls_of_a_run_alone() {
        let user = r#"{"type":"human","content":"find 7"}"#;
        let asks = r#"{"type":"ai","content":"","tool_calls":[{"name":"find","args":{"id":7},"id":"c1","type":"tool_call"}]}"#;
        let answers = r#"{"type":"tool","content":"ok","tool_call_id":"c1","name":"find"}"#;
        let said = r#"{"type":"ai","content":"done"}"#;
        let state = |before: &str, after: &[&str]| {
            root(&format!(
                r#""inputs":{{"messages":[{before}]}},"outputs":{{"messages":[{}]}},"child_runs":null"#,
                after.join(",")
            ))
        };
        let found = [r#"find({"id":7}) c1 @1 -> "ok""#];
        check(
            "langsmith",
            &state(user, &[user, asks, answers, said]),
            &found,
        );
        let wrapped = root(&format!(
            r#""outputs":{{"output":[{user},{asks},{answers}]}}"#
        ));
        check("langsmith", &wrapped, &found);
        // The messages in the input are from earlier turns.
        let before = [user, asks, answers, said].join(",");
        let after = [user, asks, answers, said, user, said];
        check("langsmith", &state(&before, &after), &[]);
        assert_eq!(evidence("langsmith", &state(&before, &after)), ["spoke"]);
        assert_eq!(
            evidence("langsmith", &state(user, &[user, said])),
            ["spoke"]
        );
    }

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
