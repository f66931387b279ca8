//! The expectation of a case: calls, or an object with several kinds of conditions.

use rightcall_core::call::{Call, Case, Count, Expectation, ExpectedOutput, Operator};
use rightcall_core::expectation::BLOCKS;
use rightcall_core::nearest;
use rightcall_core::value::{Integer, Kind, Reader, Syntax, Text, Value, decode_with};

use crate::error::CaseError;

use super::blocks::{StatedCalls, stated_calls};
use super::call::{CallReading, name_alone};
use super::fault::{Fault, Result, Within};
use super::fields::{items, label};
use super::spelling::{CallField, near, twice};

const MEMBERS: [&str; 5] = ["calls", "order", "counts", "outputs", "constraints"];

const EXPECTATION: &str =
    "a list of calls or an object with `calls`, `order`, `counts`, `outputs` or `constraints`";

/// The members of UiPath's criteria, in both spellings.
const CRITERIA: [&str; 8] = [
    "tool_calls",
    "toolCalls",
    "tool_calls_order",
    "toolCallsOrder",
    "tool_calls_count",
    "toolCallsCount",
    "tool_outputs",
    "toolOutputs",
];

/// The keys an expectation was written with: canonical ones, or those of UiPath's criteria.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wording {
    Canonical,
    Criteria,
}

/// Reads a non-null value of `expected`. With `any_name`, the name of a call may have any key that plainly means it, and criteria may
/// have unknown members, which UiPath ignores.
pub(crate) fn expectation<'a>(
    reader: &mut Reader<'a>,
    any_name: bool,
) -> Result<(Expectation<'a>, Wording)> {
    let reading = CallReading {
        is_expected: true,
        any_name,
    };
    match reader.peek()? {
        Kind::List => {
            let mut expectation = Expectation::default();
            state(&mut expectation, stated_calls(reader, reading)?);
            Ok((expectation, Wording::Canonical))
        }
        Kind::Object => object(reader, reading),
        _ => {
            if let Some(names) = listed_names(reader) {
                reader.string()?;
                return Ok((Expectation::from_calls(names), Wording::Canonical));
            }
            let fault = Fault::unexpected(EXPECTATION, reader);
            Err(fault.help("an expected answer belongs under another key, such as `reference`"))
        }
    }
}

/// Calls from a text of names such as `find_order, refund`, for cells of tables. A text without an underscore may be an answer: `Paris,
/// London`.
fn listed_names<'a>(reader: &Reader<'a>) -> Option<Vec<Call<'a>>> {
    let text = reader.clone().string().ok()?.to_display().into_owned();
    let names = text.split(',').map(str::trim);
    let is_name = |name: &str| {
        name.starts_with(|first: char| first.is_ascii_alphabetic())
            && name
                .chars()
                .all(|it| it.is_ascii_alphanumeric() || "_-.".contains(it))
    };
    (text.contains(',') && text.contains('_') && names.clone().all(is_name)).then(|| {
        let calls = names.map(|name| Call {
            name: Text::from(name.to_owned()),
            ..Call::default()
        });
        calls.collect()
    })
}

/// The key of a case from a UiPath eval set that holds the criteria of each evaluator.
pub(crate) const CRITERIA_KEY: &str = "evaluationCriterias";

/// The criteria that an eval-set case holds for an evaluator, by case-insensitive id. `None` if the evaluator isn't listed; an empty
/// expectation for null, so that the evaluator uses its own defaults.
///
/// # Errors
/// Criteria that cannot be read.
pub fn criteria_of<'a>(
    case: &Case<'a>,
    id: &str,
) -> std::result::Result<Option<Expectation<'a>>, CaseError> {
    let Some((_, criteria)) = case.meta.iter().find(|(key, _)| *key == *CRITERIA_KEY) else {
        return Ok(None);
    };
    let read = || -> Result<Option<Expectation<'a>>> {
        let reader = &mut Reader::new(criteria, Syntax::PYTHON);
        let mut found = None;
        let mut first = reader.enter_object()?;
        while let Some(key) = reader.next_key(&mut first)? {
            if key.to_display().to_lowercase() != id.to_lowercase() {
                reader.raw()?;
            } else if reader.peek()? == Kind::Null {
                reader.null()?;
                found = Some(Expectation::default());
            } else {
                found = Some(expectation(reader, true).within(&key.to_display())?.0);
            }
        }
        Ok(found)
    };
    read().map_err(|fault| fault.into_error(criteria))
}

fn state<'a>(expectation: &mut Expectation<'a>, stated: StatedCalls<'a>) {
    match stated {
        StatedCalls::Calls(calls) => expectation.calls = Some(calls),
        StatedCalls::Tree(tree) => expectation.tree = Some(tree),
    }
}

fn object<'a>(reader: &mut Reader<'a>, reading: CallReading) -> Result<(Expectation<'a>, Wording)> {
    let mut expectation = Expectation::default();
    let mut wording = Wording::Canonical;
    let mut unknown = None;
    // For each member, the key it was read from.
    let mut keys: [Option<Text<'a>>; 5] = Default::default();
    let mut first = reader.enter_object()?;
    while let Some(key) = reader.next_key(&mut first)? {
        let bytes = key.as_bytes();
        let member = match bytes {
            b"calls" | b"tool_calls" | b"toolCalls" => 0,
            b"order" | b"tool_calls_order" | b"toolCallsOrder" => 1,
            b"counts" | b"tool_calls_count" | b"toolCallsCount" => 2,
            b"outputs" | b"tool_outputs" | b"toolOutputs" => 3,
            b"constraints" => 4,
            _ => {
                unknown = unknown.or_else(|| Some(key.clone()));
                if near(&key.to_display(), &CRITERIA).is_some() {
                    return Err(unknown_member(&key));
                }
                reader.raw()?;
                continue;
            }
        };
        if bytes.starts_with(b"tool") {
            wording = Wording::Criteria;
        }
        if reader.peek()? == Kind::Null {
            reader.null()?;
            continue;
        }
        let written = key.to_display();
        if let Some(known) = keys[member].as_ref().filter(|known| **known != key) {
            return Err(twice("what is expected", &known.to_display(), &written));
        }
        match member {
            0 => {
                let stated = list(reader, |reader| stated_calls(reader, reading));
                if let Some(stated) = stated.within(&written)? {
                    state(&mut expectation, stated);
                }
            }
            1 => expectation.order = list(reader, names).within(&written)?,
            2 => expectation.counts = counts(reader).within(&written)?,
            3 => {
                expectation.outputs =
                    list(reader, |reader| outputs(reader, bytes == b"outputs")).within(&written)?;
            }
            _ => expectation.constraints = constraints(reader).within(&written)?,
        }
        keys[member] = Some(key.clone());
    }
    match unknown {
        Some(key) if wording == Wording::Canonical || !reading.any_name => {
            Err(unknown_member(&key))
        }
        _ => Ok((expectation, wording)),
    }
}

/// True for a key that states an expectation.
pub(crate) fn is_member(key: &Text<'_>) -> bool {
    MEMBERS
        .iter()
        .chain(&CRITERIA)
        .any(|member| *key == **member)
}

#[cold]
pub(crate) fn unknown_member(key: &Text<'_>) -> Fault {
    let key = key.to_display();
    let fault = Fault::slip(
        "`calls`, `order`, `counts`, `outputs` or `constraints`",
        format!("the key `{key}`"),
    );
    if BLOCKS.contains(&&*key) {
        return fault.help(format!("write a block in a list: [{{\"{key}\": …}}]"));
    }
    match near(&key, &CRITERIA).or_else(|| nearest(&key, MEMBERS).first().copied()) {
        Some(name) => fault.help(format!("did you mean `{name}`?")),
        None if CallField::of(&key).is_some() => {
            fault.help("write a call in a list: [{\"name\": …, \"args\": …}]")
        }
        None => fault.help("other keys belong next to `expected`, not into it"),
    }
}

/// A list read by `read`; `None` for null.
fn list<'a, T>(
    reader: &mut Reader<'a>,
    read: impl FnOnce(&mut Reader<'a>) -> Result<T>,
) -> Result<Option<T>> {
    match reader.peek()? {
        Kind::Null => Ok(reader.null().map(|()| None)?),
        Kind::List => read(reader).map(Some),
        _ => Err(Fault::unexpected("a list", reader)),
    }
}

/// Conditions for the evaluator `constraints`.
fn constraints<'a>(reader: &mut Reader<'a>) -> Result<Option<&'a str>> {
    match reader.peek()? {
        Kind::Null => Ok(reader.null().map(|()| None)?),
        Kind::Object => Ok(Some(reader.raw()?)),
        _ => Err(Fault::unexpected(
            "an object such as {\"forbidden\": [\"refund\"]}",
            reader,
        )),
    }
}

fn names<'a>(reader: &mut Reader<'a>) -> Result<Vec<Text<'a>>> {
    let mut names = Vec::new();
    items(reader, |reader| {
        if reader.peek()? != Kind::String {
            return Err(Fault::unexpected("the name of a tool", reader));
        }
        names.push(name_alone(reader)?);
        Ok(())
    })?;
    Ok(names)
}

fn counts<'a>(reader: &mut Reader<'a>) -> Result<Option<Vec<Count<'a>>>> {
    match reader.peek()? {
        Kind::Null => return Ok(reader.null().map(|()| None)?),
        Kind::Object => {}
        _ => {
            return Err(Fault::unexpected(
                "an object of tool names and counts",
                reader,
            ));
        }
    }
    let mut counts: Vec<Count<'a>> = Vec::new();
    let mut first = reader.enter_object()?;
    while let Some(name) = reader.next_key(&mut first)? {
        let (operator, count) = count(reader).within(&name.to_display())?;
        counts.push(Count {
            name,
            operator,
            count,
        });
    }
    Ok(Some(counts))
}

const COUNT: &str = "write 1, \">= 1\" or [\">=\", 1]";

/// `1`, `">= 1"` or `[">=", 1]`.
fn count<'a>(reader: &mut Reader<'a>) -> Result<(Operator<'a>, Integer)> {
    match reader.peek()? {
        Kind::Number => Ok((Operator::parse(&Text::new("=")), number(reader.raw()?)?)),
        Kind::String => {
            let text = reader.string()?;
            let written = text.to_display();
            let written = written.trim();
            let digits = written
                .find(|c: char| c.is_ascii_digit() || c == '-')
                .unwrap_or(written.len());
            let (operator, digits) = written.split_at(digits);
            let operator = match operator.trim() {
                "" => Operator::parse(&Text::new("=")),
                known => Operator::parse(&Text::from(known.to_owned())),
            };
            if !operator.is_known() || digits.is_empty() {
                return Err(Fault::new(
                    "an operator and a count",
                    format!("the text \"{written}\""),
                )
                .help(COUNT));
            }
            Ok((operator, number(digits)?))
        }
        Kind::List => {
            let pair =
                || Fault::new("an operator and a count", "a list of another length").help(COUNT);
            let mut first = reader.enter_list()?;
            if !reader.next_item(&mut first)? {
                return Err(pair());
            }
            if reader.peek()? != Kind::String {
                return Err(Fault::unexpected("an operator", reader).help(COUNT)).within_item(0);
            }
            let operator = Operator::parse(&reader.string()?);
            if !reader.next_item(&mut first)? {
                return Err(pair());
            }
            if reader.peek()? != Kind::Number {
                return Err(Fault::unexpected("a count of 0 or more", reader).help(COUNT))
                    .within_item(1);
            }
            let count = number(reader.raw()?).within_item(1)?;
            if reader.next_item(&mut first)? {
                return Err(pair());
            }
            Ok((operator, count))
        }
        _ => Err(Fault::unexpected("a count of 0 or more", reader).help(COUNT)),
    }
}

fn number(digits: &str) -> Result<Integer> {
    match decode_with(digits, Syntax::JSON) {
        Ok(Value::Integer(count)) if !count.is_negative() => Ok(count),
        _ => Err(Fault::new("a count of 0 or more", format!("the number {digits}")).help(COUNT)),
    }
}

/// Expected outputs. Criteria may have more keys, which UiPath judges itself.
fn outputs<'a>(reader: &mut Reader<'a>, is_canonical: bool) -> Result<Vec<ExpectedOutput<'a>>> {
    let mut outputs = Vec::new();
    items(reader, |reader| {
        if reader.peek()? != Kind::Object {
            let expected = "an object with `name` and `output`";
            return Err(Fault::unexpected(expected, reader));
        }
        outputs.push(output(reader, is_canonical)?);
        Ok(())
    })?;
    Ok(outputs)
}

fn output<'a>(reader: &mut Reader<'a>, is_canonical: bool) -> Result<ExpectedOutput<'a>> {
    let (mut name, mut tool_id, mut output) = (None, None, None);
    let mut first = reader.enter_object()?;
    while let Some(key) = reader.next_key(&mut first)? {
        match key.as_bytes() {
            b"name" if reader.peek()? == Kind::String => name = Some(reader.string()?),
            b"name" => return Err(Fault::unexpected("the name of a tool", reader)).within("name"),
            b"output" if reader.peek()? == Kind::String => output = Some(reader.string()?),
            b"output" => {
                return Err(Fault::unexpected("a text", reader)
                    .help("write the output as the text that the tool returned"))
                .within("output");
            }
            b"id" | b"tool_id" => tool_id = label(reader).within(&key.to_display())?,
            _ if is_canonical => {
                let fault = Fault::slip(
                    "`name`, `output` or `tool_id`",
                    format!("the key `{}`", key.to_display()),
                );
                return Err(fault.help("what is demanded of the arguments belongs into `calls`"));
            }
            _ => {
                reader.raw()?;
            }
        }
    }
    let Some(name) = name else {
        return Err(Fault::new("the name of a tool", "nothing")).within("name");
    };
    let Some(output) = output else {
        return Err(Fault::new("the text that the tool returns", "nothing")).within("output");
    };
    Ok(ExpectedOutput {
        name,
        tool_id,
        output,
    })
}
