//! Recognizes the shape of a value. In a list, the first decisive item among the first items counts.

use rightcall_core::call::Shape;
use rightcall_core::value::{Kind, Reader, Syntax, SyntaxError, Text};

use super::formats::sides;
use super::graphs::is_graph;
use crate::case::{CallField, is_type_of_call, tells_of_parts};
use crate::format::{CallDialect, Carrier, Recognition, RecognizedBy, SAMPLE, ShapeSides};
use crate::node::Node;

/// `Certain` for a record of this shape, or a list of them.
pub(crate) fn recognise(value: &Node<'_>, shape: Shape) -> Recognition {
    let record = value.first_record();
    let side = |key: &str, looks_like: fn(&str) -> Option<Carrier>| {
        record.get(key).and_then(|side| looks_like(side.raw()))
    };
    let found = if record.has("expected") || record.has("actual") {
        pair(side("expected", expected), side("actual", actual))
    } else {
        let entries: Vec<_> = record
            .entries()
            .iter()
            .map(|(key, node)| (key.reborrow(), node.raw()))
            .collect();
        by_keys(&entries).map(|(sides, _)| sides.shape)
    };
    Recognition::certain_if(found == Some(shape))
}

/// `Certain` for a canonical case, or a list of them; other allowed keys of a case don't matter.
pub(crate) fn recognise_case(value: &Node<'_>) -> Recognition {
    const OTHER_KEYS: [&str; 7] = [
        "id",
        "tags",
        "trial",
        "input",
        "output",
        "description",
        "meta",
    ];
    let record = value.first_record();
    let is_other = |key: &Text<'_>| OTHER_KEYS.iter().any(|name| *key == **name);
    let has_parts = || {
        let lists = ["agents", "nodes", "turns"].into_iter();
        lists.filter_map(|key| record.get(key)).any(tells_of_parts)
    };
    if record.has("expected") || record.has("actual") || has_parts() {
        Recognition::Certain
    } else if record.is_object() && record.entries().iter().all(|(key, _)| is_other(key)) {
        Recognition::Possible
    } else {
        Recognition::No
    }
}

/// True for a record with the run of a case, or with both its sides, the run in any format. Spans of Braintrust and Weave have an
/// expectation too.
pub(crate) fn has_both_sides(value: &Node<'_>) -> bool {
    let record = value.first_record();
    let is_span = record.has_any(&["span_id", "spanId", "op_name"]);
    record.has("actual") && !is_span
        || record.has("expected") && record.has("messages")
        || record.get("expected").is_some() && !is_span
}

/// The likely form of `expected`.
pub(super) fn expected(raw: &str) -> Option<Carrier> {
    of_demands(raw).unwrap_or_default().or_else(|| actual(raw))
}

/// The likely form of `actual`.
pub(super) fn actual(raw: &str) -> Option<Carrier> {
    let reader = &mut reader(raw);
    match reader.peek().ok()? {
        Kind::List => of_items(reader).ok()?,
        Kind::Object => {
            let keys = Keys::read(reader).ok()?;
            let is_messages = keys.has(&["role", "tool_calls", "messages"]);
            let graph = || is_graph(raw).then_some(Carrier::Graph);
            is_messages.then_some(Carrier::Messages).or_else(graph)
        }
        _ => None,
    }
}

/// The shape of a case with sides in these forms; `None` if they don't belong together.
pub(super) fn pair(expected: Option<Carrier>, actual: Option<Carrier>) -> Option<Shape> {
    let carriers = (expected?, actual?);
    sides()
        .find(|sides| sides.carriers == carriers)
        .map(|sides| sides.shape)
}

/// The shape indicated by the keys of a record without `expected` and `actual`, and true if both sides are in that shape's form.
pub(super) fn by_keys(entries: &[(Text<'_>, &str)]) -> Option<(&'static ShapeSides, bool)> {
    let value = |names: &[&str]| {
        entries
            .iter()
            .rfind(|(key, _)| names.iter().any(|name| key == name))
            .map(|(_, raw)| *raw)
    };
    let has_arguments = |sides: &ShapeSides| {
        [sides.expected, sides.actual]
            .iter()
            .filter_map(|keys| value(keys))
            .any(|raw| holds_arguments(raw, sides).unwrap_or_default())
    };
    let is_told = |sides: &&ShapeSides| match sides.recognized_by {
        RecognizedBy::Nothing => false,
        RecognizedBy::Expected => value(sides.expected).is_some(),
        RecognizedBy::EitherSide => [sides.expected, sides.actual]
            .iter()
            .any(|it| value(it).is_some()),
        RecognizedBy::Arguments => has_arguments(sides),
    };
    let mut all: Vec<_> = sides().collect();
    all.sort_by_key(|sides| std::cmp::Reverse(sides.recognized_by));
    let found = all.iter().copied().find(is_told)?;
    // If another shape has the same keys, calls without arguments may belong to either.
    let has_twin = all
        .iter()
        .any(|other| other.shape != found.shape && other.expected == found.expected);
    Some((found, !has_twin || has_arguments(found)))
}

fn reader(raw: &str) -> Reader<'_> {
    Reader::new(raw, Syntax::PYTHON)
}

/// The likely form of an object with conditions.
fn of_demands(raw: &str) -> Result<Option<Carrier>, SyntaxError> {
    const CRITERIA: [&str; 8] = [
        "tool_calls_order",
        "toolCallsOrder",
        "tool_calls_count",
        "toolCallsCount",
        "tool_calls",
        "toolCalls",
        "tool_outputs",
        "toolOutputs",
    ];
    let reader = &mut reader(raw);
    if reader.peek()? != Kind::Object {
        return Ok(None);
    }
    let keys = Keys::read(reader)?;
    let is = |names: &[&str], carrier| keys.place(names).map(|place| (place, carrier));
    let found = [
        is(&CRITERIA, Carrier::Criteria),
        is(
            &["reference_tool_calls"],
            Carrier::Calls(CallDialect::Ragas),
        ),
    ];
    let last = found.into_iter().flatten().max_by_key(|(place, _)| *place);
    Ok(last
        .filter(|_| !keys.has(&["role"]))
        .map(|(_, carrier)| carrier))
}

/// True if a call of the list has arguments under this shape's key.
fn holds_arguments(raw: &str, sides: &ShapeSides) -> Result<bool, SyntaxError> {
    let Carrier::Calls(dialect) = sides.carriers.0 else {
        return Ok(false);
    };
    let mut found = false;
    each_item(raw, |keys| {
        found |= keys.is_some_and(|keys| keys.has(dialect.arguments()));
        true
    })?;
    Ok(found)
}

/// True for a list of calls without any arguments, as `DeepEval`'s may be.
pub(super) fn leaves_arguments_open(raw: &str) -> bool {
    let is_open =
        |keys: &Keys<'_>| keys.has(&["name"]) && keys.has_arguments_of(CallDialect::DeepEval);
    let mut are_open = true;
    let is_list = each_item(raw, |keys| {
        are_open &= keys.is_some_and(|keys| is_open(&keys));
        are_open
    });
    are_open && is_list.unwrap_or(false)
}

/// Passes the keys of each list item (`None` if it isn't an object) until `each` returns false; returns false for other values.
fn each_item<'a>(
    raw: &'a str,
    mut each: impl FnMut(Option<Keys<'a>>) -> bool,
) -> Result<bool, SyntaxError> {
    let reader = &mut reader(raw);
    if reader.peek()? != Kind::List {
        return Ok(false);
    }
    let mut first = reader.enter_list()?;
    while reader.next_item(&mut first)? {
        let keys = if reader.peek()? == Kind::Object {
            Some(Keys::read(reader)?)
        } else {
            reader.raw()?;
            None
        };
        if !each(keys) {
            break;
        }
    }
    Ok(true)
}

fn of_items(reader: &mut Reader<'_>) -> Result<Option<Carrier>, SyntaxError> {
    let (mut first, mut looked_at) = (reader.enter_list()?, 0);
    // Calls of one shape, as long as no item contradicts that.
    let (mut calls, mut is_of_one_shape) = (None, true);
    while looked_at < SAMPLE && reader.next_item(&mut first)? {
        looked_at += 1;
        match reader.peek()? {
            Kind::Object => {}
            kind => {
                is_of_one_shape &= kind == Kind::Null;
                reader.raw()?;
                continue;
            }
        }
        let keys = Keys::read(reader)?;
        match keys.carrier() {
            Some(Carrier::Calls(dialect)) => {
                is_of_one_shape &= *calls.get_or_insert(dialect) == dialect;
            }
            Some(carrier) if calls.is_none() => return Ok(Some(carrier)),
            _ => is_of_one_shape &= !keys.is_call_in_other_words() && !keys.has_other_type,
        }
    }
    Ok(calls.filter(|_| is_of_one_shape).map(Carrier::Calls))
}

/// The keys of an object.
struct Keys<'a> {
    keys: Vec<Text<'a>>,
    /// True if it is a part, an event or a result.
    has_other_type: bool,
}

impl<'a> Keys<'a> {
    fn read(reader: &mut Reader<'a>) -> Result<Self, SyntaxError> {
        let (mut keys, mut has_other_type) = (Vec::new(), false);
        let mut first = reader.enter_object()?;
        while let Some(key) = reader.next_key(&mut first)? {
            let raw = reader.raw()?;
            if key == *"type" {
                has_other_type = !is_type_of_call(raw);
            }
            // An event about a call has the whole call in place of its name.
            has_other_type |= key == *"tool" && raw.starts_with('{');
            keys.push(key);
        }
        Ok(Self {
            keys,
            has_other_type,
        })
    }

    /// The position of the last key among these names.
    fn place(&self, names: &[&str]) -> Option<usize> {
        let is_one = |key: &Text<'_>| names.iter().any(|name| *key == **name);
        self.keys.iter().rposition(is_one)
    }

    fn has(&self, names: &[&str]) -> bool {
        self.place(names).is_some()
    }

    /// True if arguments are only under the keys of this dialect.
    fn has_arguments_of(&self, dialect: CallDialect) -> bool {
        let is_own = |key: &Text<'_>| dialect.arguments().iter().any(|own| *key == **own);
        let is_other =
            |key: &Text<'_>| CallField::of(&key.to_display()) == Some(CallField::Arguments);
        self.keys.iter().all(|key| is_own(key) || !is_other(key))
    }

    /// The dialect that uses this key for the name of a call; many use `name`.
    fn dialect(&self) -> Option<CallDialect> {
        [
            CallDialect::Evalite,
            CallDialect::Tpmjs,
            CallDialect::DeepEval,
        ]
        .into_iter()
        .find(|dialect| self.has(&[dialect.name()]))
    }

    fn carrier(&self) -> Option<Carrier> {
        if self.has(&["name"]) && self.has(&["args", "arguments"]) {
            None
        } else if self.has(&["intermediate_data", "intermediateData"]) {
            Some(Carrier::Invocations)
        } else if self.has(&["attributes"]) {
            Some(Carrier::Spans)
        } else if self.has(&["role", "tool_calls"])
            || self.has(&["type"]) && self.has(&["content", "data", "kwargs"])
        {
            Some(Carrier::Messages)
        } else {
            let dialect = self.dialect().filter(|_| !self.is_call_in_other_words())?;
            let is_told = if dialect == CallDialect::DeepEval {
                self.has(dialect.arguments())
            } else {
                // A part of a message of the AI SDK, or an item of OpenAI's agents, is read with all that it says.
                let is_part =
                    self.has(&["type"]) && self.has(&["toolCallId", "rawItem", "raw_item"]);
                !self.has(&["name"]) && !self.has_other_type && !is_part
            };
            is_told.then_some(Carrier::Calls(dialect))
        }
    }

    /// True for a call with the name key of one shape and the arguments key of another, such as `{toolName, args}`. It is valid in
    /// neither, and reading it as one of them would lose its arguments.
    fn is_call_in_other_words(&self) -> bool {
        self.dialect()
            .is_some_and(|dialect| !self.has_arguments_of(dialect))
    }
}
