//! Reads one run through every entry point ("door"): a trace file, either side of a case, a key of other tools, a table cell. The calls
//! are the same, or the entry point refuses them. The table in `docs/testing.md` is generated from it. The tests of the bindings compare
//! the entry points of Python, Node and wasm with files, for the same runs.

#![expect(clippy::unwrap_used, reason = "a file that is missing ends the test")]

use std::cmp::Reverse;
use std::fmt::{self, Write as _};
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::{env, fs};

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use rightcall_core::call::{ArgumentSource, Call, Case, Executor};
use rightcall_formats::join::{TraceIndex, join_actual};
use rightcall_formats::yaml::documents;
use rightcall_formats::{FORMATS, Input, Inspection, Limits, ReadOptions, read_case};
use tempfile::NamedTempFile;

use super::renamed::texts;

/// The result of reading a run through a door.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome {
    /// The calls, and the reason why some may be missing.
    Read(Vec<String>, Option<String>),
    /// The reason why there is no run.
    NotRecorded(String),
    /// The format has only an expectation.
    NoRun,
    /// Several runs.
    Several(Vec<Outcome>),
    Refused(String),
}

impl Outcome {
    /// The outcome without texts that may differ between doors.
    fn kind(&self) -> Self {
        match self {
            Self::Refused(_) => Self::Refused(String::new()),
            other => other.clone(),
        }
    }

    /// The outcome without texts that may differ between doors, and without white space.
    fn spaceless(&self) -> Self {
        match self {
            Self::Read(calls, incomplete) => {
                let calls = calls
                    .iter()
                    .map(|call| call.replace(char::is_whitespace, ""));
                Self::Read(calls.collect(), incomplete.clone())
            }
            other => other.kind(),
        }
    }
}

/// A cell of the table.
impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Read(calls, None) if calls.is_empty() => "no calls",
            Self::Read(_, None) => "calls",
            Self::Read(..) => "calls, incomplete",
            Self::NotRecorded(_) => "not recorded",
            Self::NoRun => "no run",
            Self::Several(_) => "several runs",
            Self::Refused(_) => "error",
        })
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
    let mut shown = format!("{}({arguments})", call.name);
    if let Some(id) = &metadata.id {
        _ = write!(shown, " id {id}");
    }
    if let Some(output) = metadata.output.as_deref() {
        _ = write!(shown, " -> {}", output.replace('\n', " "));
    }
    if let Some(error) = metadata.error.as_deref() {
        _ = write!(shown, " error {error}");
    }
    if metadata.executor != Executor::Agent {
        _ = write!(shown, " run by {:?}", metadata.executor);
    }
    shown
}

/// The runs of a file, as the cases built from them.
pub(super) fn as_file(name: &str, bytes: Vec<u8>) -> Outcome {
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
                    let case = record.content.and_then(|it| it.case(&options));
                    let read = case.map(|case| outcome_of(&case));
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
        _ => Outcome::Several(found),
    }
}

/// A file as one JSON value: its document, or its lines as a list.
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
            // An expectation that only the original tool's evaluator can score has no calls.
            let calls = case.expected.calls.as_ref();
            calls.map_or(Outcome::NoRun, |calls| {
                Outcome::Read(calls.iter().map(show).collect(), None)
            })
        }
        Err(error) => Outcome::Refused(error.to_string()),
    }
}

/// An expectation of `--expect`: a document in JSON or YAML.
fn as_expect_file(value: &str) -> Outcome {
    match documents(value) {
        (documents, None) if documents.len() == 1 => as_expected(&documents[0].to_json()),
        _ => Outcome::Refused("the file is not one document".to_owned()),
    }
}

/// A run of `--traces`, joined to its case.
fn as_joined(value: &str) -> Outcome {
    let text = format!("{{\"id\":\"c\",\"actual\":{value}}}\n");
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    let paths = [file.path().to_owned()];
    let (options, mut left_out) = (ReadOptions::default(), None);
    let index = TraceIndex::build(&paths, Limits::default(), &options, 1, |it| {
        left_out = Some(format!("{it:?}"));
    });
    let index = match index {
        Ok(index) => index,
        Err(error) => return Outcome::Refused(format!("{error:?}")),
    };
    let case = Case::default();
    match index.find(&"c".to_owned().into(), &case).as_deref() {
        Ok([run]) => match read_case(run, &options) {
            Ok(run) => outcome_of(&join_actual(case, run)),
            Err(error) => Outcome::Refused(error.to_string()),
        },
        found => Outcome::Refused(format!("{found:?}, {left_out:?}")),
    }
}

/// A case file is never taken for a trace file, with any kind of runs.
fn as_case_file(value: &str) -> Outcome {
    let text = format!("{{\"expected\":[\"x\"],\"actual\":{value}}}\n");
    let (file, options) = ("cases.jsonl", ReadOptions::default());
    let mut input =
        Input::from_bytes(file, text.clone().into_bytes(), Limits::default(), &options).unwrap();
    let format = input.format().ok().flatten();
    assert!(
        format.is_none_or(|it| !it.holds_traces()),
        "a case is read as {}: {text}",
        format.map_or("nothing", |it| it.name)
    );
    as_file(file, text.into_bytes())
}

fn as_cell(value: &str) -> Outcome {
    let cell = value.replace('"', "\"\"");
    as_file(
        "table.csv",
        format!("id,expected,actual\nc,\"[\"\"x\"\"]\",\"{cell}\"\n").into_bytes(),
    )
}

/// A row of a Parquet file with JSON texts as columns.
fn as_parquet_cell(value: &str) -> Outcome {
    let column = |cell: &str| Arc::new(StringArray::from(vec![cell])) as ArrayRef;
    let columns = [("id", "c"), ("expected", r#"["x"]"#), ("actual", value)];
    let columns = columns.map(|(name, cell)| (name, column(cell)));
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    as_file("table.parquet", bytes)
}

/// A run, and the outcome of each door.
struct Row {
    name: String,
    /// The value in a file, by itself or as the run of a case.
    file: Outcome,
    doors: Vec<(&'static str, Outcome)>,
}

impl Row {
    /// The run of a trace file; `None` if it isn't JSON.
    fn of_trace(name: &str, file_name: &str, text: &str) -> Option<Self> {
        Some(Self {
            name: name.to_owned(),
            file: as_file(file_name, text.as_bytes().to_vec()),
            doors: every_door(&value_of(text)?),
        })
    }

    /// A side in a case.
    fn of_side(name: &str, value: &str) -> Self {
        let case = format!("{{\"expected\":[\"x\"],\"actual\":{value}}}\n");
        Self {
            name: name.to_owned(),
            file: as_file("cases.jsonl", case.into_bytes()),
            doors: every_door(value),
        }
    }

    /// The doors with another outcome than the file.
    fn differences(&self) -> impl Iterator<Item = String> {
        let agrees = |door: &str, outcome: &Outcome| match (&self.file, outcome) {
            // A side must be a single, known run.
            (Outcome::Several(_) | Outcome::NoRun, Outcome::Refused(_)) => true,
            (
                Outcome::NotRecorded(_) | Outcome::Read(_, Some(_)),
                Outcome::Refused(_) | Outcome::NoRun,
            ) => is_of_expectation(door),
            (Outcome::Read(calls, None), Outcome::Refused(_)) if is_of_expectation(door) => {
                calls.iter().any(|call| call.contains("(?)"))
            }
            // YAML rewrites JSON.
            (file, outcome) if door == "`--expect`" => file.spaceless() == outcome.spaceless(),
            (file, outcome) => file.kind() == outcome.kind(),
        };
        let differ = self
            .doors
            .iter()
            .filter(move |(door, outcome)| !agrees(door, outcome));
        differ.map(|(door, outcome)| {
            format!(
                "{} as {door}: {outcome:?}\n    in a file: {:?}",
                self.name, self.file
            )
        })
    }
}

/// The doors that silently read fewer than `calls` calls of a changed file, although the file itself reports a problem.
pub(super) fn silent_doors(name: &str, text: &str, calls: usize) -> Vec<String> {
    let Some(value) = value_of(text) else {
        return Vec::new();
    };
    let file = as_file(name, text.as_bytes().to_vec());
    let is_less = |outcome: &Outcome| match outcome {
        Outcome::Read(found, None) => found.len() < calls && *outcome != file,
        _ => false,
    };
    let doors = doors(&value).into_iter();
    let silent = doors.filter(|(_, outcome)| is_less(outcome));
    silent
        .map(|(door, outcome)| format!("{name} as {door}: {outcome:?}\n    in a file: {file:?}"))
        .collect()
}

/// The outcomes of a case's doors for a value.
fn doors(value: &str) -> Vec<(&'static str, Outcome)> {
    vec![
        (
            "actual",
            as_case(&format!(r#"{{"expected":["x"],"actual":{value}}}"#)),
        ),
        (
            "messages",
            as_case(&format!(r#"{{"expected":["x"],"messages":{value}}}"#)),
        ),
        ("case file", as_case_file(value)),
        ("cell", as_cell(value)),
        ("expected", as_expected(value)),
    ]
}

/// [`doors`], and those too slow to run for each change of a file.
fn every_door(value: &str) -> Vec<(&'static str, Outcome)> {
    let mut doors = doors(value);
    doors.insert(4, ("Parquet cell", as_parquet_cell(value)));
    doors.insert(5, ("`--traces`", as_joined(value)));
    doors.push(("`--expect`", as_expect_file(value)));
    doors
}

/// True for a door to an expectation, which must be known as a whole.
fn is_of_expectation(door: &str) -> bool {
    matches!(door, "expected" | "`--expect`")
}

/// The examples of the trace formats.
fn examples() -> Vec<Row> {
    let traces = FORMATS.iter().filter(|format| format.holds_traces());
    traces
        .filter_map(|format| {
            let file = format!("{}.{}", format.name, format.extensions[0]);
            Row::of_trace(format.name, &file, format.example)
        })
        .collect()
}

/// Files from past findings, each with its name.
pub(super) fn found_files() -> Vec<(String, std::path::PathBuf)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/found");
    let mut files = Vec::new();
    for kind in ["traces", "doors", "cases", "siblings"] {
        files_under(&folder.join(kind), &mut files);
    }
    files.sort();
    let named = |path: std::path::PathBuf| {
        let name = path.strip_prefix(&folder).unwrap().to_str().unwrap();
        (name.replace('\\', "/"), path)
    };
    files.into_iter().map(named).collect()
}

/// The runs in these files: traces, and unknown formats; lists of calls are sides.
fn found() -> Vec<Row> {
    let mut rows = Vec::new();
    for (name, path) in found_files() {
        let text = fs::read_to_string(&path).unwrap();
        let file = path.file_name().unwrap().to_str().unwrap();
        let options = ReadOptions::default();
        let format = Inspection::from_file(&path, Limits::default(), &options, &mut |_, _| {})
            .ok()
            .and_then(|it| it.format);
        if file.starts_with("expect") {
            rows.push(Row::of_side(&name, &text));
        } else if format.is_none_or(rightcall_formats::Format::holds_traces) {
            rows.extend(Row::of_trace(&name, file, &text));
        }
    }
    rows
}

pub(super) fn files_under(folder: &Path, files: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_under(&path, files);
        } else {
            files.push(path);
        }
    }
}

/// Spellings of a call, typos, nulls and duplicates.
#[expect(clippy::too_many_lines, reason = "a list")]
fn spelled() -> Vec<Row> {
    const ARGUMENTS: [&str; 16] = [
        "args",
        "arguments",
        "input",
        "input_parameters",
        "inputParameters",
        "parameters",
        "params",
        "kwargs",
        "tool_input",
        "toolInput",
        "tool_args",
        "toolArgs",
        "arg",
        "Args",
        "tool-input",
        "call_args",
    ];
    const SLIPS: [&str; 8] = [
        "agrs",
        "argz",
        "arguements",
        "paramters",
        "tool_nput",
        "payload",
        "data",
        "result",
    ];
    const NAMES: [&str; 9] = [
        "tool",
        "tool_name",
        "toolName",
        "function",
        "function_name",
        "Name",
        "nmae",
        "title",
        "type",
    ];
    const ODD: [&str; 26] = [
        r#"{"name":"refund","args":null}"#,
        r#"{"name":"refund","args":{"id":7},"arguments":null}"#,
        r#"{"name":"refund","args":{"id":7},"arguments":{"id":7}}"#,
        r#"{"name":"refund","args":{"id":7},"arguments":{"id":8}}"#,
        r#"{"name":"refund","args":null,"input":{"id":7}}"#,
        r#"{"name":"refund","tool":"refund","args":{}}"#,
        r#"{"name":null,"args":{}}"#,
        r#"{"name":null,"tool":"refund","args":{}}"#,
        r#"{"name":"","args":{}}"#,
        r#"{"name":7,"args":{}}"#,
        r#"{"name":{"text":"refund"},"args":{}}"#,
        r#"{"name":["refund"],"args":{}}"#,
        r#"{"name":"refund(id=7)"}"#,
        r#"{"args":{"id":7}}"#,
        r#"{"name":"refund"}"#,
        r#"{"name":"refund","args":[1]}"#,
        r#"{"name":"refund","args":7}"#,
        r#"{"name":"refund","args":"{\"id\":7}"}"#,
        r#"{"name":"refund","args":"id = 7"}"#,
        r#"{"name":"refund","args":""}"#,
        r#"{"function":{"name":"refund","arguments":"{\"id\":7}"}}"#,
        r#"{"function":{"name":"refund","arguments":{"id":7}}}"#,
        r#"{"type":"function","id":"c1","function":{"arguments":"{}"}}"#,
        r#"{"type":"tool_use_block","id":"c1","name":"refund","input":{}}"#,
        "[]",
        "{}",
    ];
    let call = |name: &str, key: &str| format!(r#"[{{"{name}":"refund","{key}":{{"id":7}}}}]"#);
    let rows: Vec<_> = ARGUMENTS
        .iter()
        .chain(&SLIPS)
        .map(|key| (format!("`name` with `{key}`"), call("name", key)))
        .chain(
            NAMES
                .iter()
                .map(|name| (format!("`{name}` with `args`"), call(name, "args"))),
        )
        .chain(
            ODD.iter()
                .map(|odd| (format!("`{odd}`"), format!("[{odd}]"))),
        )
        .collect();
    let mut empty = Row::of_side("an empty list", "[]");
    // An empty list of messages shows nothing of the agent's turn.
    empty.doors.retain(|(door, _)| *door != "messages");
    let rows = rows.iter().map(|(name, value)| Row::of_side(name, value));
    rows.chain([empty]).collect()
}

#[track_caller]
fn assert_alike(rows: &[Row]) {
    let differ: Vec<_> = rows.iter().flat_map(Row::differences).collect();
    assert!(
        differ.is_empty(),
        "{} differ\n{}",
        differ.len(),
        differ.join("\n")
    );
}

#[test]
fn the_example_of_each_format_is_read_alike_at_every_door() {
    assert_alike(&examples());
}

#[test]
fn the_traces_of_tests_are_read_alike_at_every_door() {
    let rows: Vec<_> = texts()
        .iter()
        .filter_map(|(name, text)| Row::of_trace(name, name, text))
        .collect();
    assert_alike(&rows);
}

#[test]
fn what_was_found_is_read_alike_at_every_door() {
    assert_alike(&found());
}

#[test]
fn spellings_are_read_alike_at_every_door() {
    assert_alike(&spelled());
}

/// The rows as a table: the number of runs with the same outcomes, and the first of these runs.
fn table(rows: &[Row]) -> String {
    let mut groups: Vec<(String, &str, usize)> = Vec::new();
    for row in rows {
        let (of_expectation, of_run): (Vec<_>, Vec<_>) = row
            .doors
            .iter()
            .partition(|(door, _)| is_of_expectation(door));
        let cells = [kinds(&of_run), kinds(&of_expectation)].join(" | ");
        let outcomes = format!("{} | {cells}", row.file);
        match groups.iter_mut().find(|(known, ..)| *known == outcomes) {
            Some((.., count)) => *count += 1,
            None => groups.push((outcomes, &row.name, 1)),
        }
    }
    groups.sort_by_key(|(.., count)| Reverse(*count));
    let mut table = String::new();
    for (outcomes, first, count) in groups {
        _ = writeln!(table, "| {count} | {outcomes} | {first} |");
    }
    table
}

/// The different outcomes of these doors.
fn kinds(doors: &[&(&'static str, Outcome)]) -> String {
    let mut kinds: Vec<_> = doors.iter().map(|(_, it)| it.to_string()).collect();
    kinds.dedup();
    kinds.join(" or ")
}

#[test]
fn the_table_of_the_page_is_what_the_doors_make_of_the_runs() {
    const BEGIN: &str = "| runs | file | other doors to a run | doors to an expectation | the first of them |\n| ---: | --- | --- | --- | --- |\n";
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/testing.md");
    let text = fs::read_to_string(&page).unwrap();
    let start = text.find(BEGIN).unwrap() + BEGIN.len();
    let end = start + text[start..].find("\n\n").unwrap() + 1;
    let rows: Vec<_> = [examples(), found(), spelled()]
        .into_iter()
        .flatten()
        .collect();
    let drawn = table(&rows);
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&page, format!("{}{drawn}{}", &text[..start], &text[end..])).unwrap();
    } else {
        assert_eq!(
            &text[start..end],
            drawn,
            "UPDATE_DOCS=1 draws the table anew"
        );
    }
}
