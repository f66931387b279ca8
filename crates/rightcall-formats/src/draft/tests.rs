//! Compares the drafts for the logs of `conformance/maps.jsonl` with their hand-written maps.

mod coarse;
mod endings;
mod flags;
mod groups;
mod objects;
mod records;
mod repeats;
mod roles;
mod shapes;

use std::collections::BTreeMap;

use crate::format::Format;
use crate::input::Input;
use crate::node::Node;
use crate::options::{Limits, ReadOptions};
use crate::trace::{Trace, TraceArguments};

const LOGS: &str = include_str!("../../../../conformance/maps.jsonl");

/// The runs that a format reads from a log; `None` if a part cannot be read.
fn runs(format: &'static Format, name: &str, log: &str) -> Option<Vec<Trace>> {
    let options = ReadOptions {
        format: Some(format),
        ..ReadOptions::default()
    };
    let mut input =
        Input::from_bytes(name, log.as_bytes().to_vec(), Limits::default(), &options).ok()?;
    let mut all = Vec::new();
    while let Some(traces) = input.next_traces().ok()? {
        for (_, trace) in traces {
            all.push(trace.ok()?);
        }
    }
    Some(all)
}

/// The values of a log, sampled as the command does.
fn values(name: &str, log: &str) -> Vec<String> {
    let format = Format::from_map("values.yaml", crate::plain_values::VALUES).unwrap();
    let runs = runs(format, name, log).unwrap();
    runs.into_iter().filter_map(|trace| trace.output).collect()
}

/// A call: name, arguments, output, and true if it failed.
type Shown = (String, Option<String>, Option<String>, bool);

fn shown(trace: &Trace) -> Vec<Shown> {
    let call = |call: &crate::trace::TraceCall| {
        let arguments = match &call.arguments {
            TraceArguments::Absent => None,
            TraceArguments::Json(json) => Some(json.clone()),
            other => Some(format!("{other:?}")),
        };
        let output = call.output.clone().filter(|output| output != "null");
        (call.name.to_string(), arguments, output, call.has_failed())
    };
    trace.calls.iter().map(call).collect()
}

/// The result of a draft, compared with the map of the golden line.
struct Drafted {
    line: usize,
    name: String,
    text: String,
    is_exact: bool,
    has_wrong_call: bool,
    read: Option<Vec<Vec<Shown>>>,
    golden: Vec<Vec<Shown>>,
}

impl Drafted {
    /// A readable report for developers who change the drafting.
    fn shown(&self) -> String {
        let Self {
            line,
            name,
            text,
            read,
            golden,
            ..
        } = self;
        format!("== {line} {name}\n{text}\nread {read:?}\nwant {golden:?}")
    }
}

fn drafts() -> Vec<Drafted> {
    let mut all = Vec::new();
    for (number, line) in LOGS.lines().enumerate() {
        let node = Node::parse(line, 512).unwrap();
        let map = node.get("map").unwrap();
        let is_error = node.get("result").unwrap().has("error");
        let has_calls = node
            .at(&["result", "runs"])
            .is_some_and(|runs| runs.items().iter().any(|run| !run.list("calls").is_empty()));
        if is_error || !has_calls {
            continue;
        }
        let name = format!("input.{}", node.str_at("format").unwrap());
        let log = node.get("input").and_then(Node::text).unwrap().to_string();
        let golden = Format::from_map(&format!("golden-{number}.yaml"), map.raw()).unwrap();
        let golden: Vec<_> = runs(golden, &name, &log)
            .unwrap()
            .iter()
            .map(shown)
            .filter(|calls| !calls.is_empty())
            .collect();
        let drafted = super::draft("draft", &values(&name, &log));
        let text = drafted.unwrap_or_default();
        let read = Format::from_map("draft.yaml", &text)
            .ok()
            .and_then(|format| runs(format, &name, &log));
        let read: Option<Vec<Vec<Shown>>> = read.map(|runs| {
            runs.iter()
                .map(shown)
                .filter(|calls| !calls.is_empty())
                .collect()
        });
        let mut wanted: BTreeMap<(String, Option<String>), usize> = BTreeMap::new();
        for (name, args, ..) in golden.iter().flatten() {
            *wanted.entry((name.clone(), args.clone())).or_default() += 1;
        }
        let is_wrong = |(name, args, ..): &Shown| {
            let remaining = wanted
                .get_mut(&(name.clone(), args.clone()))
                .filter(|remaining| **remaining > 0);
            remaining.map(|remaining| *remaining -= 1).is_none()
        };
        all.push(Drafted {
            line: number + 1,
            name: map.str_at("map").unwrap_or_default().to_owned(),
            has_wrong_call: read.iter().flatten().flatten().any({
                let mut is_wrong = is_wrong;
                move |call| is_wrong(call)
            }),
            is_exact: read.as_ref() == Some(&golden),
            text,
            read,
            golden,
        });
    }
    all
}

#[test]
fn most_drafts_are_exact_and_wrong_ones_have_a_comment() {
    let all = drafts();
    let exact = all.iter().filter(|it| it.is_exact).count();
    // The comment must be on a line that locates calls or their arguments.
    let is_commented = |text: &str| {
        let (_, rules) = text.split_once("call:").unwrap_or_default();
        let rules = rules.split("result:").next().unwrap_or_default();
        let lines = rules
            .lines()
            .map(|line| line.trim_start_matches([' ', '-']));
        let keys = ["when:", "where:", "name:", "args:", "rest:", "# check"];
        let mut lines = lines.filter(|line| keys.iter().any(|key| line.starts_with(key)));
        lines.any(|line| line.contains("# check"))
    };
    let silent: Vec<_> = all
        .iter()
        .filter(|it| it.has_wrong_call && !is_commented(&it.text))
        .map(|it| (it.line, &it.name))
        .collect();
    assert_eq!(silent, []);
    let others: Vec<_> = all
        .iter()
        .filter(|it| !it.is_exact)
        .map(Drafted::shown)
        .collect();
    assert!(
        exact * 10 >= all.len() * 6,
        "{exact} of {}
{}",
        all.len(),
        others.join(
            "
"
        )
    );
}

/// Drafts a map for a log of JSON Lines. Returns the call names that the map reads, by run.
fn names(log: &str) -> Vec<Vec<String>> {
    let text = super::draft("draft", &values("log.jsonl", log)).unwrap();
    let format =
        Format::from_map("draft.yaml", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let runs = runs(format, "log.jsonl", log).unwrap_or_else(|| panic!("{text}"));
    let names = |trace: &Trace| {
        trace
            .calls
            .iter()
            .map(|call| call.name.to_string())
            .collect()
    };
    runs.iter().map(names).collect()
}

#[test]
fn odd_keys_and_values_are_quoted() {
    let calls = r#"[{"kind":"tool","tool":"find","args":{"id":1}},{"kind":"tool","tool":"pay","args":{"id":1}}]"#;
    // A list of runs under a key with a dot.
    let log = format!(
        r#"{{"my.app":{{"runs":[{{"id":"a","log":{calls}}},{{"id":"b","log":{calls}}}]}}}}"#
    );
    assert_eq!(names(&log), [["find", "pay"], ["find", "pay"]]);
    // Kinds that need quotes in YAML, and the reserved words of conditions.
    for kind in [
        "tool ",
        "it's a tool",
        "true",
        "1",
        "tool: x",
        "any",
        "none",
        "a\tb",
    ] {
        let kind = serde_json::to_string(kind).unwrap();
        let log = format!(
            "{{\"run\":\"r\",\"kind\":{kind},\"tool\":\"find\",\"args\":{{\"id\":1}}}}\n\
             {{\"run\":\"r\",\"kind\":{kind},\"tool\":\"pay\",\"args\":{{\"id\":1}}}}\n\
             {{\"run\":\"r\",\"kind\":\"note\",\"text\":\"x\"}}\n"
        );
        assert_eq!(names(&log), [["find", "pay"]], "{kind}");
    }
}

#[test]
fn keys_with_the_prefix_of_the_call_list_are_outside_it() {
    let log = r#"{"id":"r","call":[{"tool":"find","args":{"id":1}}],"callers":{"question":"where is it"}}"#;
    let text = super::draft("draft", &values("log.jsonl", log)).unwrap();
    assert!(text.contains("question: callers.question\n"), "{text}");
}

#[test]
fn repeated_call_ids_get_a_comment() {
    // Each request to the model holds the dialogue so far.
    let call =
        |id: u8| format!(r#"{{"tool":"find","args":{{"id":{id}}},"call_id":"c{id}","got":"x"}}"#);
    let line = |calls: &[u8]| {
        let calls: Vec<_> = calls.iter().map(|id| call(*id)).collect();
        format!(r#"{{"session":"s","dialogue":[{}]}}"#, calls.join(","))
    };
    let repeated = "# check: 3 of 6 calls repeat an id of their run";
    let text = |lines: &[String]| super::draft("draft", &values("log.jsonl", &lines.join("\n")));
    let found = text(&[line(&[1]), line(&[1, 2]), line(&[1, 2, 3])]).unwrap();
    assert!(
        found.contains(&format!("id: call_id  {repeated}")),
        "{found}"
    );
    let found = text(&[line(&[1]), line(&[2, 3])]).unwrap();
    assert!(!found.contains("repeat an id"), "{found}");
    // The same for messages in a known format.
    let message = |id: u8| {
        format!(
            r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"c{id}","type":"function","function":{{"name":"find","arguments":"{{}}"}}}}]}},{{"role":"tool","tool_call_id":"c{id}","content":"x"}}"#
        )
    };
    let line = |calls: &[u8]| {
        let messages: Vec<_> = calls.iter().map(|id| message(*id)).collect();
        format!(r#"{{"session":"s","asked":[{}]}}"#, messages.join(","))
    };
    let found = text(&[line(&[1]), line(&[1, 2]), line(&[1, 2, 3])]).unwrap();
    assert!(
        found.contains(&format!("messages: asked  {repeated}")),
        "{found}"
    );
}

#[test]
fn record_times_are_not_drafted_as_call_ids() {
    let line = |second: u8| {
        format!(
            r#"{{"session":"s","at":"2026-03-01T09:00:0{second}Z","call":{{"tool":"find","args":{{"id":{second}}}}},"usage":{{"output":{second}}}}}"#
        )
    };
    let lines: Vec<_> = (1..5).map(line).collect();
    let text = super::draft("draft", &values("log.jsonl", &lines.join("\n"))).unwrap();
    assert!(!text.contains("id: ^at"), "{text}");
    assert_eq!(names(&lines.join("\n")), [["find", "find", "find", "find"]]);
}
