//! One run, every door: a file of traces, either side of a case, a key of other tools, a cell of a table. The calls are the same, or each
//! door refuses them.

use rightcall::call::{ArgumentSource, Call, Case};
use rightcall_formats::{FORMATS, Input, Limits, ReadOptions, read_case};

/// What a door makes of a run.
#[derive(Clone, Debug, PartialEq)]
enum Outcome {
    /// The calls, and why some may be missing.
    Read(Vec<String>, Option<String>),
    /// Why there is no run.
    NotRecorded(String),
    /// The format holds what is expected alone.
    NoRun,
    /// Several runs.
    Several,
    Refused(String),
}

impl Outcome {
    /// Without what doors may word in their own way.
    fn kind(&self) -> Self {
        match self {
            Self::Refused(_) => Self::Refused(String::new()),
            other => other.clone(),
        }
    }
}

fn outcome_of(case: &Case<'_>) -> Outcome {
    let incomplete = case.incomplete.as_ref().map(ToString::to_string);
    match (&case.actual, incomplete) {
        (Some(run), incomplete) => Outcome::Read(run.calls.iter().map(show).collect(), incomplete),
        (None, Some(why)) => Outcome::NotRecorded(why),
        (None, None) => Outcome::NoRun,
    }
}

fn show(call: &Call<'_>) -> String {
    let arguments = match call.arguments.source() {
        ArgumentSource::Absent => "?".to_owned(),
        ArgumentSource::Json(json) => json.replace('\n', " "),
        ArgumentSource::Text { text, .. } => format!("text {text}"),
    };
    let metadata = call.metadata();
    let id = metadata.id.as_ref().map(ToString::to_string);
    let output = metadata.output.as_deref().map(|it| it.replace('\n', " "));
    let error = metadata.error.as_deref();
    format!(
        "{}({arguments}) {id:?} -> {output:?} {error:?} {:?}",
        call.name, metadata.executor
    )
}

/// The runs of a file, as the cases that they become.
fn as_file(name: &str, bytes: Vec<u8>) -> Outcome {
    let options = ReadOptions::default();
    let mut input = match Input::from_bytes(name, bytes, Limits::default(), &options) {
        Ok(input) => input,
        Err(error) => return Outcome::Refused(error.to_string()),
    };
    let mut found = Vec::new();
    loop {
        match input.next_block(1 << 20) {
            Ok(Some(block)) => {
                for record in block.records() {
                    let read = record
                        .text
                        .and_then(|text| read_case(text, &options).map(|case| outcome_of(&case)));
                    found.push(read.unwrap_or_else(|error| Outcome::Refused(error.to_string())));
                }
            }
            Ok(None) => break,
            Err(error) => return Outcome::Refused(error.to_string()),
        }
    }
    match found.len() {
        0 => Outcome::Refused("nothing was found".to_owned()),
        1 => found.remove(0),
        _ => Outcome::Several,
    }
}

/// The one JSON value of a file: its document, or its lines as a list.
fn value_of(text: &str) -> Option<String> {
    if serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() {
        return Some(text.to_owned());
    }
    let lines: Vec<_> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let are_values = |line: &&str| serde_json::from_str::<serde::de::IgnoredAny>(line).is_ok();
    lines
        .iter()
        .all(are_values)
        .then(|| format!("[{}]", lines.join(",")))
}

fn as_case(text: &str) -> Outcome {
    match read_case(text, &ReadOptions::default()) {
        Ok(case) => outcome_of(&case),
        Err(error) => Outcome::Refused(error.to_string()),
    }
}

fn as_expected(value: &str) -> Outcome {
    let text = format!(r#"{{"expected":{value},"actual":[]}}"#);
    match read_case(&text, &ReadOptions::default()) {
        Ok(case) => {
            let calls = case.expected.calls.iter().flatten().map(show).collect();
            Outcome::Read(calls, None)
        }
        Err(error) => Outcome::Refused(error.to_string()),
    }
}

fn as_cell(value: &str) -> Outcome {
    let cell = value.replace('"', "\"\"");
    as_file(
        "table.csv",
        format!("id,expected,actual\nc,\"[\"\"x\"\"]\",\"{cell}\"\n").into_bytes(),
    )
}

/// What the doors make of a run, each that differs from the file.
fn differences(name: &str, text: &str) -> Vec<String> {
    let Some(value) = value_of(text) else {
        return Vec::new();
    };
    let file = as_file(name, text.as_bytes().to_vec());
    let doors = [
        (
            "actual",
            as_case(&format!(r#"{{"expected":["x"],"actual":{value}}}"#)),
        ),
        (
            "messages",
            as_case(&format!(r#"{{"expected":["x"],"messages":{value}}}"#)),
        ),
        ("cell", as_cell(&value)),
        ("expected", as_expected(&value)),
    ];
    let agrees = |door: &str, outcome: &Outcome| match (&file, outcome) {
        // A side is one run, and one that is known.
        (Outcome::Several | Outcome::NoRun, Outcome::Refused(_)) => true,
        (Outcome::NotRecorded(_) | Outcome::Read(_, Some(_)), Outcome::Refused(_)) => {
            door == "expected"
        }
        (Outcome::Read(calls, None), Outcome::Refused(_)) if door == "expected" => {
            calls.iter().any(|call| call.contains("(?)"))
        }
        (file, outcome) => file.kind() == outcome.kind(),
    };
    let differ = doors
        .iter()
        .filter(|(door, outcome)| !agrees(door, outcome));
    differ
        .map(|(door, outcome)| format!("{name} as {door}: {outcome:?}\n    in a file: {file:?}"))
        .collect()
}

#[test]
fn the_example_of_each_format_is_read_alike_at_every_door() {
    let traces = FORMATS.iter().filter(|format| format.holds_traces());
    let differ: Vec<_> = traces
        .flat_map(|format| {
            let name = format!("{}.{}", format.name, format.extensions[0]);
            differences(&name, format.example)
        })
        .collect();
    assert!(
        differ.is_empty(),
        "{} differ\n{}",
        differ.len(),
        differ.join("\n")
    );
}
