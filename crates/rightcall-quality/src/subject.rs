//! One record to lint: its expectation, and the tools to check it against.

use std::cell::OnceCell;
use std::fmt::Write as _;
use std::rc::Rc;
use std::sync::Arc;

use rightcall_core::value::pointer::steps;
use rightcall_formats::{CaseError, LinePlace, Record, RecordContent};
use serde_json::{Map, Value};

use crate::expected::{Accepted, Content, Expected, ExpectedArgument, ExpectedCall, sample};
use crate::place::Place;
use crate::tools::{Broken, ToolSchema, Toolbox, Violation};
use crate::values::same;

/// A record to lint.
#[derive(Debug)]
pub(crate) struct Subject {
    pub(crate) file: Arc<str>,
    pub(crate) line: u64,
    /// The number of its file or suite.
    pub(crate) group: usize,
    pub(crate) text: String,
    pub(crate) record: Value,
    pub(crate) id: Option<String>,
    pub(crate) expected: Expected,
    /// The error, if it isn't a case.
    pub(crate) refused: Option<CaseError>,
    /// Possibly misspelled keys, each with the key that is probably meant.
    pub(crate) near_keys: Vec<(String, &'static str)>,
    pub(crate) tools: Option<Rc<Toolbox>>,
    /// Rules that the record suppresses itself.
    pub(crate) ignored: Vec<String>,
    /// True if values are source text of a language such as Java, so their JSON types mean nothing.
    pub(crate) is_source_text: bool,
    /// A cache of `forbidden_values`, which several rules use.
    pub(crate) forbidden: OnceCell<Vec<ForbiddenValue>>,
}

/// An expected value that the schema of its tool rejects.
#[derive(Debug)]
pub(crate) struct ForbiddenValue {
    pub(crate) tool: String,
    /// The argument, with the path inside it.
    pub(crate) argument: String,
    /// The pointer in the record.
    pub(crate) pointer: String,
    /// The pointer of the accepted value that contains it.
    pub(crate) value: String,
    /// True if the argument has another accepted value that the schema allows.
    pub(crate) has_other: bool,
    pub(crate) violation: Violation,
}

impl Subject {
    /// The place of a pointer into the record.
    pub(crate) fn place(&self, pointer: &str) -> Place {
        let record = Record {
            place: LinePlace::on_line(self.line),
            offset: 0,
            content: Ok(RecordContent::of_text(&self.text)),
        };
        Place {
            file: Arc::clone(&self.file),
            line: record.line_of(pointer),
            pointer: pointer.to_owned(),
        }
    }

    /// The called tool, if the catalogue has it.
    pub(crate) fn tool(&self, call: &ExpectedCall) -> Option<&ToolSchema> {
        let tools = self.tools.as_ref()?;
        let unnumbered = || {
            let name = call.unnumbered.as_deref()?;
            // Some files with numbered calls write `_` instead of the dots of a name.
            let is_same = |it: &&ToolSchema| it.name.replace('.', "_") == name;
            tools.get(name).or_else(|| tools.tools.iter().find(is_same))
        };
        tools.get(&call.tool).or_else(unnumbered)
    }

    /// The calls of known tools with arguments, each with its tool and arguments.
    pub(crate) fn known_calls(
        &self,
    ) -> impl Iterator<Item = (&ExpectedCall, &ToolSchema, &[ExpectedArgument])> {
        let calls = self.expected.calls.iter();
        calls.filter_map(|call| Some((call, self.tool(call)?, call.arguments.as_deref()?)))
    }

    /// The expectation as the record writes it.
    pub(crate) fn expectation(&self) -> Option<&Value> {
        self.record.pointer(&self.expected.pointer)
    }

    /// The values that schemas reject.
    pub(crate) fn forbidden_values(&self) -> &[ForbiddenValue] {
        self.forbidden.get_or_init(|| self.find_forbidden_values())
    }

    fn find_forbidden_values(&self) -> Vec<ForbiddenValue> {
        let mut found = Vec::new();
        if self.is_source_text {
            return found;
        }
        for (call, tool, arguments) in self.known_calls() {
            for (value, name) in call.positional.iter().zip(tool.parameters()) {
                forbidden_in(tool, name, value, &mut found);
            }
            // A separate rule reports unknown arguments.
            for argument in arguments.iter().filter(|it| tool.takes(&it.name)) {
                let (before, mut rejected) = (found.len(), 0);
                for value in &argument.accepted {
                    let before_value = found.len();
                    forbidden_in(tool, &argument.name, value, &mut found);
                    rejected += usize::from(found.len() > before_value);
                }
                let is_omitted = !argument.left_out.is_empty() && !tool.is_required(&argument.name);
                let has_other = rejected < argument.accepted.len() || is_omitted;
                found[before..]
                    .iter_mut()
                    .for_each(|it| it.has_other = has_other);
            }
            forbidden_together(call, tool, arguments, &mut found);
        }
        found
    }
}

impl ForbiddenValue {
    /// The name of the argument, without the path inside it.
    pub(crate) fn argument_name(&self) -> &str {
        self.argument.split(['.', '[']).next().unwrap_or_default()
    }
}

/// Collects the schema's violations of all arguments together, if the accepted values are known.
fn forbidden_together(
    call: &ExpectedCall,
    tool: &ToolSchema,
    arguments: &[ExpectedArgument],
    found: &mut Vec<ForbiddenValue>,
) {
    let is_known = |it: &ExpectedArgument| {
        it.left_out.is_empty() && matches!(&it.accepted[..], [only] if only.sample().is_some())
    };
    if call.is_open || !call.positional.is_empty() || !arguments.iter().all(is_known) {
        return;
    }
    let violations = tool.violations(&sample(arguments));
    let violations = violations.into_iter().filter(|it| {
        let is_whole = it.pointer.is_empty();
        // A separate rule reports missing required arguments.
        is_whole && !matches!(it.broken, Broken::Missing | Broken::Unknown)
    });
    found.extend(violations.map(|violation| ForbiddenValue {
        tool: tool.name.clone(),
        argument: String::new(),
        pointer: call.pointer.clone(),
        value: call.pointer.clone(),
        has_other: false,
        violation,
    }));
}

/// True if a violation is of this argument, not of all arguments together.
fn is_of_argument(violation: &Violation, name: &str) -> bool {
    steps(&violation.pointer).next().as_deref() == Some(name)
}

/// Collects the schema violations of one accepted value.
fn forbidden_in(
    tool: &ToolSchema,
    name: &str,
    accepted: &Accepted,
    found: &mut Vec<ForbiddenValue>,
) {
    match &accepted.content {
        Content::Matcher(_) => {}
        Content::Plain(value) => {
            if is_reported_elsewhere(tool, name, value) {
                return;
            }
            let violations = tool.violations(&under(name, value.clone()));
            for violation in violations.into_iter().filter(|it| is_of_argument(it, name)) {
                let rest = after_steps(&violation.pointer, 1);
                let argument = path(&violation.pointer);
                // A call written as text has one pointer for all its parts.
                let pointer = format!("{}{rest}", accepted.pointer);
                found.push(ForbiddenValue {
                    tool: tool.name.clone(),
                    argument,
                    pointer,
                    value: accepted.pointer.clone(),
                    has_other: false,
                    violation,
                });
            }
        }
        Content::Object(members) => {
            forbidden_within(tool, name, accepted, members, &|it| it, 1, found);
        }
        Content::Objects(items) => {
            for (index, members) in items.iter().enumerate() {
                let all = accepted.sample();
                let put = |value: Value| {
                    let mut list = all.clone().unwrap_or_default();
                    list[index] = value;
                    list
                };
                forbidden_within(tool, name, accepted, members, &put, 2, found);
            }
        }
    }
}

/// Collects the violations of an object with accepted values for each member. Each value is tried
/// in an object with the first value of every other member.
fn forbidden_within(
    tool: &ToolSchema,
    name: &str,
    accepted: &Accepted,
    members: &[ExpectedArgument],
    put: &dyn Fn(Value) -> Value,
    depth: usize,
    found: &mut Vec<ForbiddenValue>,
) {
    let base = sample(members);
    let mut push = |violation: Violation, pointer: String| {
        let is_known = found
            .iter()
            .any(|it| it.pointer == pointer && it.violation.broken == violation.broken);
        if !is_known {
            found.push(ForbiddenValue {
                tool: tool.name.clone(),
                argument: path(&violation.pointer),
                pointer,
                value: accepted.pointer.clone(),
                has_other: false,
                violation,
            });
        }
    };
    // Violations of the whole object: missing or unknown members, and its own type.
    let violations = tool.violations(&under(name, put(base.clone())));
    for violation in violations.into_iter().filter(|it| is_of_argument(it, name)) {
        let inner = steps(&violation.pointer).nth(depth);
        let member = members
            .iter()
            .find(|it| Some(it.name.as_str()) == inner.as_deref());
        match member {
            Some(member) if violation.broken == Broken::Unknown => {
                push(violation, member.pointer.clone());
            }
            Some(_) => {}
            None => push(violation, accepted.pointer.clone()),
        }
    }
    for member in members {
        for value in &member.accepted {
            let Some(sample) = value.sample() else {
                continue;
            };
            let mut with = base.clone();
            with[&member.name] = sample;
            for violation in tool.violations(&under(name, put(with))) {
                let is_inside_member =
                    steps(&violation.pointer).nth(depth).as_deref() == Some(&member.name);
                if is_inside_member && violation.broken != Broken::Unknown {
                    let pointer = format!(
                        "{}{}",
                        value.pointer,
                        after_steps(&violation.pointer, depth + 1)
                    );
                    push(violation, pointer);
                }
            }
        }
    }
}

/// True for a value that another rule reports, or a placeholder: the schema's own default, or an
/// enum value that the description quotes.
fn is_reported_elsewhere(tool: &ToolSchema, name: &str, value: &Value) -> bool {
    if tool.default(name).is_some_and(|it| same(it, value)) {
        return true;
    }
    let Some(text) = value.as_str().filter(|it| !it.is_empty()) else {
        return false;
    };
    let lists = tool.property(name).and_then(|it| it["enum"].as_array());
    tool.description_quotes(name, text) && lists.is_some_and(|values| values.contains(value))
}

fn under(name: &str, value: Value) -> Value {
    Value::Object(Map::from_iter([(name.to_owned(), value)]))
}

/// The pointer without its first `count` steps.
fn after_steps(pointer: &str, count: usize) -> &str {
    let mut slashes = pointer.match_indices('/').map(|(at, _)| at);
    slashes.nth(count).map_or("", |at| &pointer[at..])
}

/// A pointer in readable form: `options.tags[0]`.
fn path(pointer: &str) -> String {
    let mut out = String::new();
    for step in steps(pointer) {
        if step.bytes().all(|it| it.is_ascii_digit()) && !out.is_empty() {
            _ = write!(out, "[{step}]");
        } else {
            if !out.is_empty() {
                out.push('.');
            }
            out.push_str(&step);
        }
    }
    out
}
