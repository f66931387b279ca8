//! A case, read as far as a single pass allows.

use rightcall_core::call::{Call, Case, Trajectory};
use rightcall_core::value::{Kind, MAX_DEPTH, Reader, Syntax, Text, ValueEquality};

use super::call::{self, CallReading};
use super::expectation::{Wording, expectation};
use super::fault::{Fault, Result, Within, given_twice};
use super::fields::{self, items, label, recorded};
use super::parts::tells_of_parts;
use super::spelling::{letters, near, twice};
use crate::node::Node;

/// A case, as far as the single pass over its text could read it.
#[derive(Debug, Default)]
pub(crate) struct Draft<'a> {
    pub(crate) case: Case<'a>,
    pub(crate) expected: CaseSide<'a>,
    pub(crate) actual: CaseSide<'a>,
    /// The key of the run if it is not under `actual`.
    pub(crate) run_key: Option<Text<'a>>,
}

/// One side of a case.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum CaseSide<'a> {
    /// Missing or null.
    #[default]
    Missing,
    /// Read into the case.
    Read {
        /// Its text.
        raw: &'a str,
        /// The keys used in the text.
        wording: Wording,
    },
    /// Not in canonical form.
    Foreign {
        /// Its text.
        raw: &'a str,
    },
}

impl<'a> Draft<'a> {
    /// Reads the text of a case. With `sides_as_text`, both sides are kept as text because they are in another shape.
    pub(crate) fn read(text: &'a str, max_depth: usize, sides_as_text: bool) -> Result<Self> {
        let syntax = Syntax {
            max_depth: max_depth.min(MAX_DEPTH),
            ..Syntax::PYTHON
        };
        let reader = &mut Reader::new(text, syntax);
        let mut draft = Self::default();
        if reader.peek()? != Kind::Object {
            return Err(Fault::unexpected("a case, which is an object", reader)
                .help("a case looks like {\"id\": …, \"expected\": […], \"actual\": […]}"));
        }
        let mut first = reader.enter_object()?;
        while let Some(key) = reader.next_key(&mut first)? {
            draft.entry(key, reader, text, sides_as_text)?;
        }
        reader.end()?;
        Ok(draft)
    }

    /// Reads the expectation.
    pub(crate) fn expect(
        &mut self,
        reader: &mut Reader<'a>,
        text: &'a str,
        as_text: bool,
    ) -> Result<()> {
        if !matches!(self.expected, CaseSide::Missing) {
            return Err(given_twice("expected"));
        }
        self.expected = side(reader, text, as_text, |reader| {
            let (expected, wording) = expectation(reader, false)?;
            self.case.expected = expected;
            Ok(wording)
        })?;
        Ok(())
    }

    fn entry(
        &mut self,
        key: Text<'a>,
        reader: &mut Reader<'a>,
        text: &'a str,
        sides_as_text: bool,
    ) -> Result<()> {
        let case = &mut self.case;
        match key.as_bytes() {
            b"id" => case.id = label(reader).within("id")?,
            b"expected" => self.expect(reader, text, sides_as_text)?,
            b"actual" => {
                if !matches!(self.actual, CaseSide::Missing) {
                    return Err(given_twice("actual"));
                }
                self.actual = side(reader, text, sides_as_text, |reader| {
                    case.actual = Some(run(reader, false)?);
                    Ok(Wording::Canonical)
                })?;
            }
            b"tags" => case.tags = tags(reader).within("tags")?,
            b"trial" => case.trial = recorded(reader)?,
            b"incomplete" => case.incomplete = fields::text(reader).within("incomplete")?,
            b"input" => case.input = recorded(reader)?,
            b"output" => case.output = recorded(reader)?,
            b"description" => case.description = fields::text(reader).within("description")?,
            b"meta" if reader.peek()? == Kind::Object => {
                let mut first = reader.enter_object()?;
                while let Some(key) = reader.next_key(&mut first)? {
                    // Other columns of a table are here.
                    let meant = key_meant_by(&key.to_display());
                    let meant = meant.filter(|it| matches!(*it, "expected" | "actual"));
                    case.near_keys.extend(meant.map(|it| (key.clone(), it)));
                    case.meta.push((key, reader.raw()?));
                }
            }
            b"agents" | b"nodes" | b"turns" => {
                let raw = reader.raw()?;
                refuse_parts(&key, raw)?;
                case.meta.push((key, raw));
            }
            _ => {
                let raw = reader.raw()?;
                let written = key.to_display();
                let meant = key_meant_by(&written).or_else(|| member_of_expected(&written, raw));
                case.near_keys
                    .extend(meant.map(|meant| (key.clone(), meant)));
                if raw.starts_with(['[', '{']) && case.meta.iter().any(|(it, _)| *it == key) {
                    return Err(given_twice(&key.to_display()));
                }
                case.meta.push((key, raw));
            }
        }
        Ok(())
    }
}

/// Refuses expectations per agent, node or turn: these become separate cases only on request.
#[cold]
fn refuse_parts(key: &Text<'_>, raw: &str) -> Result<()> {
    let key = key.to_display();
    let part = key.trim_end_matches('s');
    if !Node::parse(raw, MAX_DEPTH).is_ok_and(|list| tells_of_parts(&list)) {
        return Ok(());
    }
    Err(Fault::slip(
        "one case",
        format!("what is expected of each {part}, under `{key}`"),
    )
    .help(format!(
        "`--read scope={part}`, in suites `read: {{scope: {part}}}`, makes a case of each {part}"
    )))
}

/// Keys of a case that misspelled keys are compared with.
const KEYS: [&str; 8] = [
    "expected",
    "actual",
    "tags",
    "trial",
    "input",
    "output",
    "description",
    "meta",
];

/// The key of a case that `key` was probably meant to be: a typo, or the word of another format.
#[cold]
pub fn key_meant_by(key: &str) -> Option<&'static str> {
    match letters(key).as_str() {
        "expectedcalls"
        | "expectedtools"
        | "expectedtoolcalls"
        | "expectedtoolnames"
        | "expectedtrajectory"
        | "goldcalls"
        | "goldencalls"
        | "referencetoolcalls"
        | "referencetrajectory"
        | "referenceoutputs"
        | "expectation"
        | "expectations" => Some("expected"),
        "actualcalls" | "toolscalled" | "actualtoolcalls" => Some("actual"),
        _ => near(key, &KEYS),
    }
}

/// The member of `expected` that a key beside it was probably meant to be.
#[cold]
fn member_of_expected(key: &str, value: &str) -> Option<&'static str> {
    match (key, value.as_bytes().first()?) {
        ("constraints", b'{') => Some("expected.constraints"),
        ("forbidden" | "forbidden_tools" | "forbidden_calls", b'[') => {
            Some("expected.constraints.forbidden")
        }
        ("counts", b'{') => Some("expected.counts"),
        ("order", b'[') => Some("expected.order"),
        _ => None,
    }
}

/// True for a key that may hold an expectation.
pub(crate) fn may_hold_expectation(key: &Text<'_>) -> bool {
    const BEGINNINGS: [&str; 11] = [
        "answer_calls",
        "answers",
        "expect",
        "gold",
        "ground",
        "ideal",
        "label",
        "refer",
        "reward_model",
        "solution",
        "target",
    ];
    let key = key.to_display().to_lowercase();
    BEGINNINGS.iter().any(|begin| key.starts_with(begin)) || key.ends_with("_expected")
}

/// The run of a case. With `any_name`, keys of calls may be any that plainly mean the same field.
pub(crate) fn run<'a>(reader: &mut Reader<'a>, any_name: bool) -> Result<Trajectory<'a>> {
    if reader.peek()? != Kind::List {
        let help = match reader.peek()? {
            _ if call::is_json_text(reader) => call::WITHOUT_QUOTES,
            Kind::Object | Kind::String => {
                "write a call in a list: [{\"name\": \"find_order\", \"args\": {\"id\": 7}}]"
            }
            _ => "if there was no run, leave the key out",
        };
        return Err(Fault::unexpected("a list of calls, spans or messages", reader).help(help));
    }
    Ok(Trajectory {
        calls: call::calls(
            reader,
            CallReading {
                is_expected: false,
                any_name,
            },
        )?,
        spans: Vec::new(),
    })
}

/// Reads a side with `read`. If that fails, the side is kept as text for the shape readers.
fn side<'a>(
    reader: &mut Reader<'a>,
    text: &'a str,
    as_text: bool,
    read: impl FnOnce(&mut Reader<'a>) -> Result<Wording>,
) -> Result<CaseSide<'a>> {
    if reader.peek()? == Kind::Null {
        reader.null()?;
        return Ok(CaseSide::Missing);
    }
    if as_text {
        return Ok(CaseSide::Foreign { raw: reader.raw()? });
    }
    let start = reader.clone();
    match read(reader) {
        Ok(wording) => Ok(CaseSide::Read {
            raw: text
                .get(start.offset()..reader.offset())
                .unwrap_or_default(),
            wording,
        }),
        Err(fault) if fault.is_syntax() => Err(fault),
        Err(fault) if fault.is_of_expectation() => Err(fault).within("expected"),
        // Drop the error for now: it is reported only if no shape can read the side either.
        Err(_) => {
            *reader = start;
            Ok(CaseSide::Foreign { raw: reader.raw()? })
        }
    }
}

pub(crate) fn tags<'a>(reader: &mut Reader<'a>) -> Result<Vec<Text<'a>>> {
    let mut tags = Vec::new();
    match reader.peek()? {
        Kind::Null => reader.null()?,
        Kind::String => tags.push(reader.string()?),
        Kind::List => items(reader, |reader| {
            let tag = label(reader)?.ok_or_else(|| Fault::new("a text", "null"))?;
            tags.push(tag);
            Ok(())
        })?,
        _ => return Err(Fault::unexpected("a list of texts", reader)),
    }
    Ok(tags)
}

/// Drops near keys that a shape has used, and other formats' words for a side that is already present. An expectation under such a key
/// must not differ.
#[cold]
pub(crate) fn settle_near_keys(case: &mut Case<'_>) -> Result<()> {
    let stated = case.expected.calls.as_ref();
    for (key, meant) in &case.near_keys {
        let mut members = case.meta.iter().filter(|(known, _)| known == key);
        // A typo gets a warning.
        let is_alias = *meant == "expected" && near(&key.to_display(), &KEYS).is_none();
        let raw = members.next().map(|(_, raw)| *raw).filter(|_| is_alias);
        let other =
            raw.and_then(|raw| expectation(&mut Reader::new(raw, Syntax::PYTHON), true).ok());
        // An empty list may be the default of a column.
        let other = other.and_then(|(other, _)| other.calls);
        let other = other.filter(|other| !other.is_empty());
        if let (Some(stated), Some(other)) = (stated, other)
            && !are_equal(stated, &other)
        {
            return Err(twice("what is expected", "expected", &key.to_display()));
        }
    }
    let (has_expected, has_actual) = (
        !case.expected.is_empty() || case.native.is_some(),
        case.actual.is_some(),
    );
    let meta = &case.meta;
    case.near_keys.retain(|(key, meant)| {
        let has_side = *meant == "expected" && has_expected || *meant == "actual" && has_actual;
        meta.iter().any(|(known, _)| known == key)
            && (!has_side || near(&key.to_display(), &KEYS).is_some())
    });
    Ok(())
}

/// True for lists of calls with equal names and arguments.
fn are_equal(calls: &[Call<'_>], others: &[Call<'_>]) -> bool {
    let is_same = |(call, other): (&Call<'_>, &Call<'_>)| {
        let arguments = (call.arguments.to_value(), other.arguments.to_value());
        let are_same = match arguments {
            (Some(one), Some(other)) => ValueEquality::Json.equal(&one, &other),
            (one, other) => one.is_none() && other.is_none(),
        };
        call.name == other.name && are_same
    };
    calls.len() == others.len() && calls.iter().zip(others).all(is_same)
}
