//! The expectation of a record, in any supported shape: calls, with the accepted values of each argument.

mod alternatives;
mod calls;
mod contradiction;
mod named;
mod python;
mod reach;
mod runs;
mod texts;
mod wider;

use std::collections::BTreeMap;

use rightcall_core::value::pointer::child;
use serde_json::{Map, Value};

use crate::values::same;

pub(crate) use calls::has_matcher;
pub(crate) use contradiction::contradiction;
pub(crate) use named::{NamedTool, tools_in_constraints};
pub(crate) use reach::{Unreachable, matches, unreachable};
pub(crate) use wider::accepts_all_of;

/// The expectation of a record.
#[derive(Debug, Default)]
pub(crate) struct Expected {
    pub(crate) shape: ExpectationForm,
    /// Its pointer in the record.
    pub(crate) pointer: String,
    pub(crate) calls: Vec<ExpectedCall>,
    /// The parts that cannot be parsed.
    pub(crate) malformed: Vec<Malformed>,
    /// Tools that the agent only gets in a later turn.
    pub(crate) withheld: BTreeMap<String, usize>,
    /// Tools in conditions other than calls.
    pub(crate) named: Vec<NamedTool>,
}

/// The format of an expectation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ExpectationForm {
    /// The record has no expectation.
    #[default]
    None,
    /// BFCL: each argument has a list of accepted values. `""` among them marks the argument as optional.
    Alternatives,
    /// BFCL's conversations: turns, each a list of calls as Python writes them.
    Texts,
    /// Calls with a name and arguments: canonical cases, tau-bench, and most others.
    Calls,
}

/// An expected call.
#[derive(Debug)]
pub(crate) struct ExpectedCall {
    pub(crate) tool: String,
    /// The name without its number. Older BFCL files append a number to repeated calls of a tool.
    pub(crate) unnumbered: Option<String>,
    pub(crate) pointer: String,
    /// `None` if any arguments are accepted, or if they cannot be parsed.
    pub(crate) arguments: Option<Vec<ExpectedArgument>>,
    /// Values without a name, in order.
    pub(crate) positional: Vec<Accepted>,
    /// The turn, from 0.
    pub(crate) turn: usize,
    /// True if any further arguments are accepted.
    pub(crate) is_open: bool,
}

/// An expected argument.
#[derive(Debug)]
pub(crate) struct ExpectedArgument {
    pub(crate) name: String,
    pub(crate) pointer: String,
    pub(crate) accepted: Vec<Accepted>,
    /// Pointers to the values that mark the argument as optional.
    pub(crate) left_out: Vec<String>,
}

impl ExpectedArgument {
    /// True if exactly this value is accepted.
    pub(crate) fn accepts(&self, value: &Value) -> bool {
        let mut accepted = self.accepted.iter();
        accepted.any(|it| matches!(&it.content, Content::Plain(plain) if same(plain, value)))
    }
}

/// An accepted value.
#[derive(Debug)]
pub(crate) struct Accepted {
    pub(crate) pointer: String,
    pub(crate) content: Content,
}

/// The kind of an accepted value.
#[derive(Debug)]
pub(crate) enum Content {
    /// This value.
    Plain(Value),
    /// An object of accepted values.
    Object(Vec<ExpectedArgument>),
    /// A list of such objects.
    Objects(Vec<Vec<ExpectedArgument>>),
    /// Values that this matcher, or a value with matchers in it, describes.
    Matcher(Value),
}

/// A part that cannot be parsed.
#[derive(Debug)]
pub(crate) struct Malformed {
    pub(crate) pointer: String,
    pub(crate) expected: &'static str,
    pub(crate) found: String,
}

/// Keys under which records have their expectation, most specific first.
const KEYS: [&[&str]; 8] = [
    &["ground_truth"],
    &["possible_answer"],
    &["expected"],
    &["expected_tool_calls"],
    &["expected_tools"],
    &["evaluation_criteria", "actions"],
    &["reference_tool_calls"],
    &["actions"],
];

impl Expected {
    /// Reads the expectation of a record.
    pub(crate) fn of_record(record: &Value) -> Self {
        let mut read = Self::default();
        for path in KEYS {
            let found = path.iter().try_fold(record, |value, key| value.get(key));
            // An empty object counts as no expectation.
            let is_expectation = |value: &&Value| {
                !value.is_null() && value.as_object().is_none_or(|it| !it.is_empty())
            };
            let Some(found) = found.filter(is_expectation) else {
                continue;
            };
            read.pointer = path.iter().fold(String::new(), |at, key| child(&at, key));
            let pointer = read.pointer.clone();
            read.read(found, &pointer);
            read.named = named::named_in(found, &pointer);
            break;
        }
        for key in ["withheld", "missed_function"] {
            read.read_withheld(&record[key]);
        }
        read
    }

    /// The expectation without its parts, for a record that a reader rejects.
    pub(crate) fn unread(self) -> Self {
        Self {
            shape: self.shape,
            pointer: self.pointer,
            ..Self::default()
        }
    }

    fn read(&mut self, value: &Value, pointer: &str) {
        let is_call = |object: &Map<String, Value>| calls::name_of(object).is_some();
        self.shape = match value {
            Value::Array(items) if texts::are_turns(items) => ExpectationForm::Texts,
            Value::Array(items) if alternatives::are_calls(items) => ExpectationForm::Alternatives,
            Value::Object(object)
                if !is_call(object)
                    && !calls::is_block(object)
                    && alternatives::is_numbered(object) =>
            {
                ExpectationForm::Alternatives
            }
            _ => ExpectationForm::Calls,
        };
        match self.shape {
            ExpectationForm::Texts => texts::read(self, value, pointer),
            ExpectationForm::Alternatives => alternatives::read(self, value, pointer),
            ExpectationForm::Calls | ExpectationForm::None => calls::read(self, value, pointer),
        }
    }

    fn read_withheld(&mut self, turns: &Value) {
        for (turn, tools) in turns.as_object().into_iter().flatten() {
            let Ok(turn) = turn.parse::<usize>() else {
                continue;
            };
            let tools = tools.as_array().into_iter().flatten();
            for tool in tools.filter_map(|tool| tool.as_str().or(tool["name"].as_str())) {
                self.withheld.insert(tool.to_owned(), turn);
            }
        }
    }

    fn malformed(&mut self, pointer: &str, expected: &'static str, found: impl Into<String>) {
        self.malformed.push(Malformed {
            pointer: pointer.to_owned(),
            expected,
            found: found.into(),
        });
    }
}

impl ExpectedArgument {
    /// An argument with this one value.
    fn plain(name: &str, pointer: String, value: Value) -> Self {
        Self {
            name: name.to_owned(),
            pointer: pointer.clone(),
            accepted: vec![Accepted {
                pointer,
                content: Content::Plain(value),
            }],
            left_out: Vec::new(),
        }
    }
}

impl Accepted {
    /// A sample of the accepted values: the first of several.
    pub(crate) fn sample(&self) -> Option<Value> {
        match &self.content {
            Content::Plain(value) => Some(value.clone()),
            Content::Object(members) => Some(sample(members)),
            Content::Objects(items) => {
                Some(Value::Array(items.iter().map(|it| sample(it)).collect()))
            }
            Content::Matcher(_) => None,
        }
    }
}

/// An object with a sample value for each of these members.
pub(crate) fn sample(members: &[ExpectedArgument]) -> Value {
    let first = |it: &ExpectedArgument| {
        let value = it.accepted.first()?.sample()?;
        Some((it.name.clone(), value))
    };
    Value::Object(members.iter().filter_map(first).collect())
}

/// The tool names in the `actual` calls of a record.
pub(crate) fn called(record: &Value) -> impl Iterator<Item = &str> {
    let calls = record["actual"].as_array().into_iter().flatten();
    calls.filter_map(|it| it.as_str().or_else(|| calls::name_of(it.as_object()?)))
}

/// The JSON type of a value, as a word for messages.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(number) if number.is_f64() => "a number",
        Value::Number(_) => "an integer",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
