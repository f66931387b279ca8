//! Converts plain calls directly to the core's calls.
//!
//! The accepted forms are a subset of those of the reader of cases: each key is a key of a call and
//! occurs once, and values are of Python's own types that exist in JSON. Names, and arguments as
//! JSON, are written to one text that the case borrows from. At any other key or value the walk
//! stops, and the case is written as JSON and parsed. No Python code runs during the walk.

use std::ops::Range;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use rightcall_core::call::{Arguments, Call, CallMetadata, Case, Expectation, Trajectory};
use rightcall_core::expectation::has_matcher_key;
use rightcall_core::value::{HashKey, JsonWriter, Text};
use rightcall_formats::is_tool_name;

use crate::exact;
use crate::incomplete::incomplete;
use crate::walk::let_others_run;

/// A case of walked calls, with the text that it borrows from.
#[derive(Debug)]
pub(crate) struct WalkedCase {
    text: String,
    id: Option<Range<u32>>,
    expected: Option<Vec<WalkedCall>>,
    actual: Option<Vec<WalkedCall>>,
}

/// A call as ranges of the text.
#[derive(Clone, Debug)]
struct WalkedCall {
    name: Range<u32>,
    arguments: Option<Range<u32>>,
    id: Option<Range<u32>>,
    output: Option<Range<u32>>,
}

impl WalkedCase {
    /// The case for two sides; `None` if anything is not plain.
    pub(crate) fn of_sides(
        expected: Option<&Bound<'_, PyAny>>,
        actual: Option<&Bound<'_, PyAny>>,
    ) -> Option<Self> {
        let mut walk = Walk::default();
        let (expected, actual) = (walk.side(expected)?, walk.side(actual)?);
        walk.finish(None, expected, actual)
    }

    /// The case for a dict; `None` if anything in it is not plain.
    pub(crate) fn of_dict(dict: &Bound<'_, PyDict>) -> Option<Self> {
        let mut walk = Walk::default();
        let (mut id, mut expected, mut actual) = (None, None, None);
        // Other threads may change the dict during a pause.
        let entries: Vec<_> = dict.iter().collect();
        for (key, value) in entries {
            match text_of(&key)? {
                "id" => id = Some(walk.text(&value)?),
                "expected" => expected = walk.side(Some(&value))?,
                "actual" => actual = walk.side(Some(&value))?,
                _ => return None,
            }
        }
        // If both sides are missing, the reader decides.
        if expected.is_none() && actual.is_none() {
            return None;
        }
        walk.finish(id, expected, actual)
    }

    /// The case itself.
    pub(crate) fn case(&self, hash_key: HashKey) -> Case<'_> {
        let calls = |calls: &[WalkedCall]| calls.iter().map(|call| self.call(call)).collect();
        Case {
            id: self.id.as_ref().map(|id| Text::new(self.at(id))),
            expected: self
                .expected
                .as_deref()
                .map_or_else(Expectation::default, |expected| {
                    Expectation::from_calls(calls(expected))
                }),
            actual: self.actual.as_deref().map(|actual| Trajectory {
                calls: calls(actual),
                ..Trajectory::default()
            }),
            hash_key,
            ..Case::default()
        }
    }

    /// Its approximate length as JSON.
    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    fn call(&self, walked: &WalkedCall) -> Call<'_> {
        let has_more = walked.id.is_some() || walked.output.is_some();
        let arguments = walked.arguments.as_ref();
        Call {
            name: Text::new(self.at(&walked.name)),
            arguments: arguments.map_or_else(Arguments::default, |it| Arguments::json(self.at(it))),
            metadata: has_more.then(|| {
                Box::new(CallMetadata {
                    id: walked.id.as_ref().map(|id| Text::new(self.at(id))),
                    output: walked.output.as_ref().map(|output| self.at(output).into()),
                    ..CallMetadata::default()
                })
            }),
        }
    }

    fn at(&self, place: &Range<u32>) -> &str {
        &self.text[place.start as usize..place.end as usize]
    }
}

/// A walk over plain objects. Its functions return `None` for anything that is not plain.
struct Walk<'py> {
    /// Names and JSON values in sequence, which is not valid JSON as a whole.
    text: JsonWriter,
    keys: Keys<'py>,
    /// The key objects of the previous call, by field. Calls from the same source share them, so an
    /// identity check is enough.
    fields: [Option<Bound<'py, PyAny>>; 4],
}

/// A field of a call.
#[derive(Clone, Copy)]
enum Field {
    Name,
    Arguments,
    Id,
    Output,
}

const FIELDS: [Field; 4] = [Field::Name, Field::Arguments, Field::Id, Field::Output];

/// The initial capacity, enough for a typical case.
const ROOM: usize = 2560;

/// The nesting depth of a call's members in the text of a case.
const MEMBERS: usize = 4;

impl Default for Walk<'_> {
    fn default() -> Self {
        Self {
            text: JsonWriter::with_capacity(ROOM),
            keys: Keys::default(),
            fields: Default::default(),
        }
    }
}

impl<'py> Walk<'py> {
    fn finish(
        self,
        id: Option<Range<u32>>,
        expected: Option<Vec<WalkedCall>>,
        actual: Option<Vec<WalkedCall>>,
    ) -> Option<WalkedCase> {
        let text = self.text.finish().into_string();
        // In longer texts, `u32` ranges would overflow.
        let is_short = text.len() < u32::MAX as usize;
        let may_hold_matchers = expected.is_some() && has_matcher_key(&text);
        (is_short && !may_hold_matchers).then_some(WalkedCase {
            text,
            id,
            expected,
            actual,
        })
    }

    /// The calls of a side, if there is one.
    #[expect(clippy::option_option, reason = "not plain, or not given")]
    fn side(&mut self, side: Option<&Bound<'py, PyAny>>) -> Option<Option<Vec<WalkedCall>>> {
        let Some(side) = side else { return Some(None) };
        let calls = if let Ok(list) = side.cast::<PyList>() {
            if !matches!(incomplete(Some(side)), Ok(None)) {
                return None;
            }
            self.calls(list.len(), list.iter())
        } else {
            let tuple = side.cast_exact::<PyTuple>().ok()?;
            self.calls(tuple.len(), tuple.iter())
        };
        calls.map(Some)
    }

    fn calls(
        &mut self,
        length: usize,
        items: impl Iterator<Item = Bound<'py, PyAny>>,
    ) -> Option<Vec<WalkedCall>> {
        let mut calls = Vec::with_capacity(length);
        for item in items {
            let before = self.text.len();
            calls.push(match item.cast_exact::<PyDict>() {
                Ok(dict) => self.call(dict)?,
                Err(_) => WalkedCall {
                    name: self.bare_name(&item)?,
                    arguments: None,
                    id: None,
                    output: None,
                },
            });
            let_others_run(item.py(), before, self.text.len());
        }
        Some(calls)
    }

    fn call(&mut self, dict: &Bound<'py, PyDict>) -> Option<WalkedCall> {
        let (mut name, mut arguments, mut id, mut output) = (None, None, None, None);
        for (key, value) in dict {
            match self.field(&key)? {
                Field::Name => name = Some(self.name(&value)?),
                Field::Arguments if arguments.is_none() => {
                    arguments = Some(self.arguments(value.cast_exact().ok()?)?);
                }
                Field::Id => id = Some(self.text(&value)?),
                Field::Output if !value.is_none() => {
                    let start = self.text.next_start();
                    exact::write(&mut self.text, &value, MEMBERS).ok()?;
                    output = Some(self.since(start));
                }
                Field::Arguments | Field::Output => return None,
            }
        }
        Some(WalkedCall {
            name: name?,
            arguments,
            id,
            output,
        })
    }

    fn field(&mut self, key: &Bound<'py, PyAny>) -> Option<Field> {
        let is_known =
            |known: &Option<Bound<'_, PyAny>>| known.as_ref().is_some_and(|it| key.is(it));
        if let Some(place) = self.fields.iter().position(is_known) {
            return FIELDS.get(place).copied();
        }
        let field = match text_of(key)? {
            "name" => Field::Name,
            "args" | "arguments" => Field::Arguments,
            "id" => Field::Id,
            "output" => Field::Output,
            _ => return None,
        };
        self.fields[field as usize] = Some(key.clone());
        Some(field)
    }

    fn arguments(&mut self, dict: &Bound<'py, PyDict>) -> Option<Range<u32>> {
        let start = self.text.next_start();
        self.text.begin_object();
        for (key, value) in dict {
            self.keys.write(&mut self.text, key)?;
            exact::write(&mut self.text, &value, MEMBERS + 1).ok()?;
        }
        self.text.end_object();
        Some(self.since(start))
    }

    /// The name of a tool, unless it is empty or looks like a call.
    fn name(&mut self, object: &Bound<'_, PyAny>) -> Option<Range<u32>> {
        let name = text_of(object)?;
        if name.is_empty() || name.ends_with(')') {
            return None;
        }
        Some(self.add(name))
    }

    /// The name of a tool in place of a call.
    fn bare_name(&mut self, object: &Bound<'_, PyAny>) -> Option<Range<u32>> {
        let name = text_of(object).filter(|name| is_tool_name(name))?;
        Some(self.add(name))
    }

    fn text(&mut self, object: &Bound<'_, PyAny>) -> Option<Range<u32>> {
        text_of(object).map(|text| self.add(text))
    }

    fn add(&mut self, text: &str) -> Range<u32> {
        let start = self.text.next_start();
        self.text.raw(text);
        self.since(start)
    }

    fn since(&self, start: usize) -> Range<u32> {
        start as u32..self.text.len() as u32
    }
}

/// The text of a string of Python's own class, without lone surrogates.
fn text_of<'a>(object: &'a Bound<'_, PyAny>) -> Option<&'a str> {
    object.cast_exact::<PyString>().ok()?.to_str().ok()
}

/// Argument keys that are already in the text, by key object. Calls from the same source share these objects.
#[derive(Default)]
struct Keys<'py>([Option<(Bound<'py, PyAny>, Range<usize>)>; KEYS]);

/// The size of the cache.
const KEYS: usize = 16;

impl<'py> Keys<'py> {
    #[inline]
    fn write(&mut self, text: &mut JsonWriter, key: Bound<'py, PyAny>) -> Option<()> {
        let known = &mut self.0[place_of(key.as_ptr().addr())];
        match known {
            Some((object, place)) if key.is(&*object) => text.key_again(place.clone()),
            _ => {
                let start = text.next_start();
                text.key(text_of(&key)?);
                *known = Some((key, start..text.len()));
            }
        }
        Some(())
    }
}

/// The cache slot for an address.
fn place_of(address: usize) -> usize {
    // Multiplicative hashing with the golden ratio spreads addresses, which are multiples of object sizes.
    ((address as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - KEYS.ilog2())) as usize
}
