//! The contents of a case table's columns, by name.

use std::collections::BTreeMap;

use csv::StringRecord;
use rightcall_core::value::{Kind, Reader, Syntax, Text, is_json};

use crate::case::expectation;
use crate::detect::Detection;
use crate::json;
use crate::messages::dialects::openai_chat::listed;
use crate::node::Node;
use crate::shapes::formats::sides;
use crate::trace::words::{has_word, is_condition};
use crate::trace::{likely_calls, likely_calls_under};

/// The contents of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Column {
    Id,
    /// A key of a case.
    Key(&'static str),
    /// The question, or a member of it.
    Input(Option<String>),
    /// The expectation, or a member of it.
    Expected(Option<String>),
    /// The expectation if it contains calls, else a reference answer; with the column's name.
    Reference(String),
    /// The run of the agent, or a member of it.
    Run(Option<String>),
    /// The side `actual`.
    Actual,
    /// The run of a model, with the model's name.
    ModelRun(String),
    /// A meta value.
    Meta(String),
    /// An object of meta values.
    MetaObject,
}

/// The columns of a table.
#[derive(Debug)]
pub(super) struct Columns {
    columns: Vec<Column>,
    /// True if the rows have no ids.
    is_numbered: bool,
}

/// The names of a side's columns. `LangSmith` and others write them before a dot and a member's
/// name.
type Prefix = (&'static [&'static str], fn(Option<String>) -> Column);

const SIDES: [Prefix; 3] = [
    (&["input", "inputs"], Column::Input),
    (
        &[
            "expected",
            "reference",
            "reference_output",
            "reference_outputs",
            "expected_output",
        ],
        Column::Expected,
    ),
    (
        &["output", "outputs", "actual", "__providerOutput"],
        Column::Run,
    ),
];

/// The keys of the sides in a case.
const EXPECTED: &str = "expected";
const ACTUAL: &str = "actual";

/// Promptfoo's result columns, which follow the output of a model.
const PROMPTFOO_RESULTS: [&str; 7] = [
    "Status",
    "Score",
    "Named Scores",
    "Grader Reason",
    "Comment",
    "Conversation",
    "Metadata",
];

impl Columns {
    pub(super) fn new(names: &StringRecord) -> Self {
        let plain = |name| str::trim_start_matches(name, '\u{feff}').trim();
        let names: Vec<&str> = names.iter().map(plain).collect();
        let has = |name: &str| names.contains(&name);
        if let Some(columns) = columns_of_shape(&names) {
            return columns;
        }
        let is_promptfoo = names.iter().any(|name| {
            name.starts_with("__expected") || name.starts_with('[') && name.contains("] ")
        });
        let mut columns: Vec<_> = names
            .iter()
            .map(|name| column(name, is_promptfoo))
            .collect();
        let is_expected = |it: &Column| matches!(it, Column::Expected(_) | Column::Reference(_));
        let has_expected = columns.iter().any(is_expected);
        let has_word = |word| {
            names
                .iter()
                .any(|name| name.split('.').next() == Some(word))
        };
        // A LangSmith data set stores the expectation as the outputs of its examples. A table of runs has their times.
        let is_of_runs = ["run_type", "start_time", "end_time", "latency"]
            .iter()
            .any(|it| has(it));
        if !has_expected && !is_of_runs && has_word("inputs") && has_word("outputs") {
            for column in &mut columns {
                if let Column::Run(member) = column {
                    *column = Column::Expected(member.take());
                }
            }
        }
        // In a LangSmith experiment, `id` is the id of a run, so it differs each time.
        if has("example_id")
            && let Some(run) = names.iter().position(|name| *name == "id")
        {
            columns[run] = Column::Meta("run_id".to_owned());
        }
        Self {
            is_numbered: is_promptfoo && !columns.contains(&Column::Id),
            columns,
        }
    }

    /// True if any column holds calls.
    pub(super) fn have_calls(&self) -> bool {
        let holds_calls = |it: &Column| {
            matches!(
                it,
                Column::Expected(_)
                    | Column::Reference(_)
                    | Column::Run(_)
                    | Column::Actual
                    | Column::ModelRun(_)
            ) || matches!(it, Column::Key(key) if is_side(key))
        };
        self.columns.iter().any(holds_calls)
    }

    /// The cases of a row that begins on this line, as JSON texts: one for each model with an answer.
    pub(super) fn cases(&self, row: &StringRecord, line: u64) -> Vec<String> {
        let is_model = |column: &&Column| matches!(column, Column::ModelRun(_));
        let models: Vec<_> = self.columns.iter().filter(is_model).collect();
        if models.is_empty() {
            return vec![self.case(row, line, None)];
        }
        let case = |model| self.case(row, line, Some(model));
        models.into_iter().map(case).collect()
    }

    fn case(&self, row: &StringRecord, line: u64, model: Option<&Column>) -> String {
        let mut case = RowCase::default();
        // Columns after the answer of a model belong to that model.
        let mut current_model = None;
        for (column, cell) in self.columns.iter().zip(row) {
            if matches!(column, Column::ModelRun(_)) {
                current_model = Some(column);
            }
            if !cell.trim().is_empty() && (current_model.is_none() || current_model == model) {
                case.add(column, cell);
            }
        }
        if self.is_numbered {
            // The header is line 1, so rows are numbered from line 2.
            case.id = Some(format!("row-{}", line.saturating_sub(1)));
        }
        case.json()
    }
}

/// True for the key of a side in the shape of another tool.
fn is_side(key: &str) -> bool {
    sides().any(|sides| {
        sides
            .expected
            .iter()
            .chain(sides.actual)
            .any(|side_key| *side_key == key)
    })
}

/// The columns of a table in the shape of another tool; it must have a distinctive side key.
fn columns_of_shape(names: &[&str]) -> Option<Columns> {
    let side_key = |name: &str| {
        let mut keys = sides().flat_map(|sides| sides.expected.iter().chain(sides.actual));
        let is_common = SIDES.iter().any(|(words, _)| words.contains(&name));
        keys.find(|key| **key == name && !is_common).copied()
    };
    names.iter().find_map(|name| side_key(name))?;
    let column = |name: &&str| match (side_key(name), column(name, false)) {
        (Some(key), _) => Column::Key(key),
        // The table has a side of a canonical case too. The reader of cases decides, as for JSON.
        (None, Column::Expected(None)) if *name == EXPECTED => {
            Column::Reference(EXPECTED.to_owned())
        }
        (None, Column::Actual) => Column::Actual,
        (None, Column::Expected(_) | Column::Reference(_) | Column::Run(_)) => {
            Column::Meta((*name).to_owned())
        }
        (None, other) => other,
    };
    Some(Columns {
        columns: names.iter().map(column).collect(),
        is_numbered: false,
    })
}

fn column(name: &str, is_promptfoo: bool) -> Column {
    let (word, member) = name.split_once('.').map_or((name, None), |(word, member)| {
        (word, Some(member.to_owned()))
    });
    if name == ACTUAL {
        return Column::Actual;
    }
    if let Some((_, side)) = SIDES.iter().find(|(words, _)| words.contains(&word)) {
        return match side(member) {
            Column::Expected(None) if name != EXPECTED => Column::Reference(name.to_owned()),
            column => column,
        };
    }
    let meta = |name: &str| Column::Meta(name.to_owned());
    if word == "metadata" || word == "meta" {
        return member.map_or(Column::MetaObject, Column::Meta);
    }
    match name {
        "id" | "example_id" => Column::Id,
        "tags" => Column::Key("tags"),
        "trial" => Column::Key("trial"),
        "description" | "Description" | "__description" => Column::Key("description"),
        _ if name.starts_with("__expected") => Column::Expected(None),
        _ if !is_promptfoo => meta(name),
        _ if PROMPTFOO_RESULTS.contains(&name) || name.starts_with("Metric: ") => meta(name),
        _ if name.starts_with('[') && name.contains("] ") => Column::ModelRun(name.to_owned()),
        _ => match name.strip_prefix("__") {
            Some(rest) => meta(rest.strip_prefix("metadata:").unwrap_or(rest)),
            // All other columns are variables of the prompt.
            None => Column::Input(Some(name.to_owned())),
        },
    }
}

/// The values of a side, or the members of a single value.
#[derive(Default)]
struct RowValue {
    wholes: Vec<String>,
    members: Vec<(String, String)>,
}

impl RowValue {
    fn add(&mut self, member: Option<&String>, json: String) {
        match member {
            Some(member) => self.members.push((member.clone(), json)),
            None if self.wholes.contains(&json) => {}
            None => self.wholes.push(json),
        }
    }

    fn jsons(self) -> Vec<String> {
        if !self.wholes.is_empty() || self.members.is_empty() {
            return self.wholes;
        }
        vec![json::object(|writer| {
            for (key, json) in &self.members {
                writer.key(key).raw(json);
            }
        })]
    }
}

/// The parts of a case read from its cells.
#[derive(Default)]
struct RowCase {
    id: Option<String>,
    keys: Vec<(&'static str, String)>,
    input: RowValue,
    expected: RowValue,
    references: Vec<(String, String)>,
    actual: RowValue,
    run: RowValue,
    meta: BTreeMap<String, String>,
}

impl RowCase {
    fn add(&mut self, column: &Column, cell: &str) {
        match column {
            Column::Id => self.id = Some(cell.to_owned()),
            Column::Key("tags") => self.keys.push(("tags", tags(cell))),
            Column::Key(key) => self.keys.push((key, text_or_structure(cell))),
            Column::Input(member) => self.input.add(member.as_ref(), text_or_structure(cell)),
            Column::Expected(member) => {
                self.expected.add(member.as_ref(), text_or_structure(cell));
            }
            Column::Reference(name) => {
                self.references
                    .push((name.clone(), text_or_structure(cell)));
            }
            Column::Run(member) => self.run.add(member.as_ref(), text_or_structure(cell)),
            // A text is an answer, unless it begins like a structure.
            Column::Actual => match actual(cell.trim()) {
                Some(json) => self.actual.add(None, json),
                None => self.run.add(None, text_or_structure(cell)),
            },
            Column::ModelRun(name) => {
                self.run.add(None, text_or_structure(cell));
                self.meta.insert("model".to_owned(), json::quoted(name));
            }
            Column::Meta(key) => _ = self.meta.insert(key.clone(), any_value(cell)),
            Column::MetaObject => {
                let json = text_or_structure(cell);
                let members = Node::parse(&json, 512).ok();
                let members = members.as_ref().filter(|it| it.is_object());
                let Some(members) = members else {
                    self.meta.insert("metadata".to_owned(), json);
                    return;
                };
                for (key, value) in members.entries() {
                    let key = key.to_display().into_owned();
                    self.meta.insert(key, value.raw().to_owned());
                }
            }
        }
    }

    /// The case as JSON. All values of a side are written, so a case with different ones is
    /// refused.
    fn json(mut self) -> String {
        let calls_or_all = |json: String| calls_in(&json).unwrap_or(json);
        let expected = self.expected.jsons().into_iter();
        let mut expected: Vec<_> = expected.map(calls_or_all).collect();
        for (name, json) in self.references {
            let calls_of_reference = expected.is_empty().then(|| calls_in(&json)).flatten();
            if let Some(calls) = calls_of_reference {
                expected.push(calls);
            } else if expected.is_empty() && is_expectation(&json) {
                expected.push(json);
            } else {
                self.meta.insert(name, json);
            }
        }
        let mut actual = self.actual.jsons();
        let mut answers = Vec::new();
        let is_answered = !actual.is_empty();
        for json in self.run.jsons() {
            // A value without calls is the answer. It doesn't show whether there were any calls.
            match calls_in(&json) {
                Some(calls) if !is_answered => actual.push(calls),
                _ => answers.push(json),
            }
        }
        let input = self.input.jsons();
        json::object(|writer| {
            json::text(writer, "id", self.id.map(Text::from).as_ref());
            for (key, json) in &self.keys {
                writer.key(key).raw(json);
            }
            json::raw(writer, "input", input.last().map(String::as_str));
            for json in &expected {
                writer.key(EXPECTED).raw(json);
            }
            for json in &actual {
                writer.key(ACTUAL).raw(json);
            }
            for json in &answers {
                writer.key("output").raw(json);
            }
            if !self.meta.is_empty() {
                writer.key("meta").begin_object();
                for (key, json) in &self.meta {
                    writer.key(key).raw(json);
                }
                writer.end_object();
            }
        })
    }
}

/// Keys of lists of calls in the output of other tools.
const LISTS: [&str; 8] = [
    "tool_calls",
    "toolCalls",
    "calls",
    "trajectory",
    "expected_tool_calls",
    "expected_trajectory",
    "tools",
    "output",
];

/// The list of calls or messages in a value: the value itself, under a known key, or its only list.
/// A value with messages, in a trace format, or with more calls or conditions outside that list is not
/// changed.
fn calls_in(json: &str) -> Option<String> {
    let value = Node::parse(json, 512).ok()?;
    let has_messages = value.get("messages").is_some_and(Node::is_list);
    let is_trace = || listed(&value).is_none() && Detection::of_traces().value(&value).is_some();
    if value.is_list() || has_messages || is_trace() {
        return Some(json.to_owned());
    }
    let lists = || value.entries().iter().filter(|(_, it)| it.is_list());
    let under_key = LISTS
        .iter()
        .find_map(|name| lists().find(|(key, _)| *key == **name));
    let under_key = under_key.filter(|(key, list)| may_be_calls(key, list));
    let only = || lists().next().filter(|_| lists().nth(1).is_none());
    let found = under_key.or_else(|| only().filter(|(key, list)| holds_calls(key, list)));
    let Some((key, list)) = found else {
        let mut members = value.entries().iter();
        let states = members.any(|(key, it)| is_condition_on_calls(key, it));
        return states.then(|| json.to_owned());
    };
    let mut others = value.entries().iter().filter(|(other, _)| other != key);
    let is_alone = others.all(|(other, it)| {
        !is_condition_on_calls(other, it) && likely_calls_under(other, it.raw(), |_| false) == 0
    });
    Some(if is_alone { list.raw() } else { json }.to_owned())
}

/// True for a list under a known key, unless it is an answer or the definitions of tools.
fn may_be_calls(key: &Text<'_>, list: &Node<'_>) -> bool {
    match key.as_bytes() {
        b"output" => likely_calls(list.raw()) > 0,
        b"tools" => !list.items().iter().any(Node::is_object) || likely_calls(list.raw()) > 0,
        _ => true,
    }
}

/// Words in keys of calls.
const OF_CALLS: [&str; 6] = ["call", "calls", "tool", "toolcalls", "tools", "trajectory"];

/// True for a list of call-like items, or any list under a key for calls. Conditions on calls are none, and neither are their outputs.
fn holds_calls(key: &Text<'_>, list: &Node<'_>) -> bool {
    const OTHERS: [&str; 5] = ["available", "output", "outputs", "result", "results"];
    let name = key.to_display();
    let says = has_word(&name, &OF_CALLS) && !has_word(&name, &OTHERS) && may_be_calls(key, list);
    (says || likely_calls(list.raw()) > 0) && !is_condition(&name)
}

/// True for a list under a key that forbids calls or makes them optional.
fn is_condition_on_calls(key: &Text<'_>, list: &Node<'_>) -> bool {
    let name = key.to_display();
    let is_of_calls = || has_word(&name, &OF_CALLS) || likely_calls(list.raw()) > 0;
    !list.items().is_empty() && is_condition(&name) && is_of_calls()
}

/// True for an expectation, such as an object with counts, or a text of names.
fn is_expectation(json: &str) -> bool {
    let reader = &mut Reader::new(json, Syntax::PYTHON);
    expectation(reader, true).is_ok()
}

/// The run in an `actual` cell: an object or list, also inside a JSON string. A cell that only
/// begins like one is returned too, and refused later.
fn actual(cell: &str) -> Option<String> {
    let inner = Reader::new(cell, Syntax::JSON).string().ok();
    let inner = inner.map(|text| text.to_display().into_owned());
    let cell = inner.as_deref().map_or(cell, str::trim);
    let begins = cell.starts_with(['{', '[']);
    begins.then(|| text_or_structure(cell))
}

/// A cell as JSON: an object or list in JSON or Python notation, else a string.
fn text_or_structure(cell: &str) -> String {
    structure(cell.trim()).unwrap_or_else(|| json::quoted(cell))
}

/// An object or a list in JSON or Python notation.
pub(super) fn structure(cell: &str) -> Option<String> {
    if !cell.starts_with(['{', '[']) {
        return None;
    }
    if is_json(cell, Syntax::JSON) {
        return Some(cell.to_owned());
    }
    json::python_structure(cell)
}

/// A cell as JSON of any kind; meta values may be numbers.
fn any_value(cell: &str) -> String {
    let trimmed = cell.trim();
    let is_scalar = || {
        let kind = Reader::new(trimmed, Syntax::JSON).peek();
        matches!(kind, Ok(Kind::Number | Kind::Bool)) && is_json(trimmed, Syntax::JSON)
    };
    match structure(trimmed) {
        Some(json) => json,
        None if is_scalar() => trimmed.to_owned(),
        None => json::quoted(cell),
    }
}

/// Tags: a list, or words separated by commas.
fn tags(cell: &str) -> String {
    let tags = cell.split(',').map(str::trim).filter(|tag| !tag.is_empty());
    structure(cell.trim())
        .unwrap_or_else(|| json::list(|writer| tags.for_each(|tag| _ = writer.str(tag))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(names: &[&str], cells: &[&str], cases: &[&str]) {
        let columns = Columns::new(&StringRecord::from(names.to_vec()));
        assert_eq!(columns.cases(&StringRecord::from(cells.to_vec()), 2), cases);
    }

    const CALLS: &str = r#"[{"name":"find","args":{"id":7}}]"#;

    #[test]
    fn braintrust_columns_are_read() {
        check(
            &[
                "id",
                "input",
                "expected",
                "output",
                "metadata",
                "tags",
                "scores.f1",
            ],
            &[
                "r1",
                "Refund, please",
                CALLS,
                CALLS,
                r#"{"model":"m","n":1}"#,
                r#"["a"]"#,
                "0.5",
            ],
            &[&format!(
                r#"{{"id":"r1","tags":["a"],"input":"Refund, please","expected":{CALLS},"actual":{CALLS},"meta":{{"model":"m","n":1,"scores.f1":0.5}}}}"#
            )],
        );
    }

    #[test]
    fn list_with_all_calls_of_a_value_is_extracted() {
        let columns = ["expected", "actual", "output"];
        let check = |cell: &str, output: &str| {
            check(
                &columns[..2],
                &["", cell],
                &[&format!(r#"{{"actual":{cell}}}"#)],
            );
            check(
                &[columns[0], columns[2]],
                &["", cell],
                &[&format!("{{{output}}}")],
            );
        };
        let taken = format!(r#""actual":{CALLS}"#);
        check(&format!(r#"{{"calls":{CALLS},"n":1}}"#), &taken);
        check(&format!(r#"{{"steps":{CALLS}}}"#), &taken);
        for whole in [
            format!(r#"{{"calls":[],"steps":{CALLS}}}"#),
            format!(r#"{{"messages":[],"tool_calls":{CALLS}}}"#),
        ] {
            check(&whole, &format!(r#""actual":{whole}"#));
        }
        // A list in an answer is not a list of calls.
        for answer in [r#"{"sources":["a"]}"#, r#"{"rows":[],"n":1}"#] {
            check(answer, &format!(r#""output":{answer}"#));
        }
    }

    #[test]
    fn langsmith_members_and_python_lists_are_read() {
        check(
            &[
                "inputs.question",
                "outputs.messages",
                "reference.tool_calls",
                "feedback.ok",
                "example_id",
                "id",
            ],
            &[
                "Where?",
                "[{'role': 'assistant', 'content': None}]",
                CALLS,
                "1",
                "e1",
                "run-9",
            ],
            &[&format!(
                r#"{{"id":"e1","input":{{"question":"Where?"}},"expected":{CALLS},"actual":{{"messages":[{{"role":"assistant","content":null}}]}},"meta":{{"feedback.ok":1,"run_id":"run-9"}}}}"#
            )],
        );
        // A data set has no runs.
        check(
            &["inputs", "outputs"],
            &[r#"{"q":1}"#, &format!(r#"{{"expected_tools":{CALLS}}}"#)],
            &[&format!(r#"{{"input":{{"q":1}},"expected":{CALLS}}}"#)],
        );
    }

    #[test]
    fn promptfoo_columns_of_models_and_variables_are_read() {
        check(
            &[
                "Description",
                "question",
                "__expected",
                "[openai:gpt-4.1] {{question}}",
                "Status",
                "[qwen] p",
                "Score",
            ],
            &["d", "Where?", CALLS, CALLS, "PASS", "I cannot.", "0"],
            &[
                &format!(
                    r#"{{"id":"row-1","description":"d","input":{{"question":"Where?"}},"expected":{CALLS},"actual":{CALLS},"meta":{{"Status":"PASS","model":"[openai:gpt-4.1] {{{{question}}}}"}}}}"#
                ),
                &format!(
                    r#"{{"id":"row-1","description":"d","input":{{"question":"Where?"}},"expected":{CALLS},"output":"I cannot.","meta":{{"Score":0,"model":"[qwen] p"}}}}"#
                ),
            ],
        );
    }

    #[test]
    fn sides_of_a_case_are_kept_next_to_another_shape() {
        check(
            &["expected", "tools_called"],
            &[CALLS, CALLS],
            &[&format!(r#"{{"tools_called":{CALLS},"expected":{CALLS}}}"#)],
        );
        check(
            &["expected_tools", "tools_called", "expected"],
            &[CALLS, CALLS, "Paris"],
            &[&format!(
                r#"{{"expected_tools":{CALLS},"tools_called":{CALLS},"meta":{{"expected":"Paris"}}}}"#
            )],
        );
    }

    #[test]
    fn cells_without_a_structure_are_text() {
        check(
            &["id", "expected", "note", "reward"],
            &["007", "Paris", "[draft", "01"],
            &[r#"{"id":"007","expected":"Paris","meta":{"note":"[draft","reward":"01"}}"#],
        );
    }
}
