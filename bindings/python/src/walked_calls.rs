//! Calls given as plain dicts, walked straight into the core's calls.

use std::ops::Range;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyList, PyTuple};
use rightcall::call::{
    ArgumentSource, Arguments, Call, CallMetadata, Case, Expectation, Trajectory, WrittenArguments,
};
use rightcall::expectation::has_matcher_key;
use rightcall::value::{HashKey, JsonWriter, Text};

use crate::walk::{self, Stopped, text_of};

/// Calls that were walked, and what they borrow from.
#[derive(Debug)]
pub(crate) struct ConvertedCase {
    names: String,
    json: String,
    id: Option<Range<u32>>,
    trial: Option<Range<u32>>,
    expected: Option<Vec<WalkedCall>>,
    actual: Option<Vec<WalkedCall>>,
}

#[derive(Clone, Debug)]
pub(crate) struct WalkedCall {
    /// In the names.
    name: Range<u32>,
    arguments: WalkedArguments,
    /// Fields that few calls have.
    more: Option<Box<More>>,
}

#[derive(Clone, Debug, Default)]
enum WalkedArguments {
    #[default]
    Absent,
    /// In the JSON.
    Json(Range<u32>, WrittenArguments),
    /// As text in the names, and as the JSON of that text.
    Text(Range<u32>, Range<u32>),
}

#[derive(Clone, Debug, Default)]
struct More {
    /// In the names.
    id: Option<Range<u32>>,
    tool_id: Option<Range<u32>>,
    group: Option<Range<u32>>,
    actor: Option<Range<u32>>,
    /// In the JSON.
    output: Option<Range<u32>>,
    error: Option<Range<u32>>,
    start: Option<Range<u32>>,
    end: Option<Range<u32>>,
    turn: Option<u64>,
}

impl ConvertedCase {
    /// True where what is expected may hold matchers, for which only JSON is read.
    pub(crate) fn may_hold_matchers(&self) -> bool {
        self.expected.is_some() && has_matcher_key(&self.json)
    }

    pub(crate) fn case(&self, hash_key: HashKey) -> Case<'_> {
        Case {
            id: self.id.as_ref().map(|id| self.text(id)),
            trial: self.trial.as_ref().map(|trial| self.json(trial)),
            expected: self
                .expected
                .as_ref()
                .map_or_else(Expectation::default, |calls| {
                    Expectation::from_calls(self.calls(calls))
                }),
            actual: self.actual.as_ref().map(|calls| Trajectory {
                calls: self.calls(calls),
                spans: Vec::new(),
            }),
            hash_key,
            ..Case::default()
        }
    }

    fn calls<'a>(&'a self, calls: &'a [WalkedCall]) -> Vec<Call<'a>> {
        calls.iter().map(|call| self.call(call)).collect()
    }

    fn call<'a>(&'a self, walked: &'a WalkedCall) -> Call<'a> {
        let arguments = match &walked.arguments {
            WalkedArguments::Absent => Arguments::default(),
            WalkedArguments::Json(json, written) => Arguments::written(self.json(json), *written),
            WalkedArguments::Text(text, json) => Arguments::new(ArgumentSource::Text {
                text: self.text(text),
                json: self.json(json),
            }),
        };
        let mut call = Call {
            name: self.text(&walked.name),
            arguments,
            ..Call::default()
        };
        if let Some(more) = &walked.more {
            let text = |at: &Option<Range<u32>>| at.as_ref().map(|at| self.text(at));
            let json = |at: &Option<Range<u32>>| at.as_ref().map(|at| self.json(at));
            call.metadata = Some(Box::new(CallMetadata {
                id: text(&more.id),
                output: json(&more.output),
                tool_id: text(&more.tool_id),
                error: json(&more.error),
                start: json(&more.start),
                end: json(&more.end),
                turn: more.turn,
                group: text(&more.group),
                actor: text(&more.actor),
                ..CallMetadata::default()
            }));
        }
        call
    }

    fn text(&self, at: &Range<u32>) -> Text<'_> {
        Text::new(&self.names[at.start as usize..at.end as usize])
    }

    fn json(&self, at: &Range<u32>) -> &str {
        &self.json[at.start as usize..at.end as usize]
    }
}

/// The two sides of a case, each with its calls if it was given.
pub(crate) type Sides = (Option<Vec<WalkedCall>>, Option<Vec<WalkedCall>>);

/// What a walk over plain dicts has seen. `None` of its functions stands for what is not so plain.
pub(crate) struct Walk<'py> {
    names: String,
    json: JsonWriter,
    keys: walk::Keys<'py>,
}

/// Room for the arguments of a usual case.
const JSON: usize = 2048;

impl Walk<'_> {
    pub(crate) fn new() -> Self {
        Self {
            names: String::with_capacity(512),
            json: JsonWriter::with_capacity(JSON),
            keys: walk::Keys::default(),
        }
    }
}

/// How far a text of a case may reach, for its ranges to be short.
const LIMIT: usize = u32::MAX as usize;

impl<'py> Walk<'py> {
    pub(crate) fn of_case(dict: &Bound<'py, PyDict>) -> PyResult<Option<ConvertedCase>> {
        let mut walk = Self::new();
        let (mut id, mut trial, mut expected, mut actual) = (None, None, None, None);
        for (key, value) in dict {
            let Some(key) = text_of(&key) else {
                return Ok(None);
            };
            let is_none = value.is_none();
            match key {
                "id" | "trial" if is_none => {}
                "id" => match walk.name(&value) {
                    Some(at) => id = Some(at),
                    None => return Ok(None),
                },
                "trial" => trial = Some(walk.value(&value, "trial")?),
                "expected" => expected = Some(value),
                "actual" => actual = Some(value),
                _ => return Ok(None),
            }
        }
        if expected.is_none() && actual.is_none() {
            return Ok(None);
        }
        let sides = walk.sides(expected.as_ref(), actual.as_ref())?;
        let walked = sides.map(|sides| walk.finish(sides, id, trial));
        Ok(walked.filter(|walked| !walked.may_hold_matchers()))
    }

    pub(crate) fn finish(
        self,
        (expected, actual): Sides,
        id: Option<Range<u32>>,
        trial: Option<Range<u32>>,
    ) -> ConvertedCase {
        ConvertedCase {
            names: self.names,
            json: self.json.finish().into_string(),
            id,
            trial,
            expected,
            actual,
        }
    }

    pub(crate) fn sides(
        &mut self,
        expected: Option<&Bound<'py, PyAny>>,
        actual: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Option<Sides>> {
        let mut sides = [None, None];
        for ((side, name), calls) in [(expected, "expected"), (actual, "actual")]
            .into_iter()
            .zip(&mut sides)
        {
            let Some(side) = side.filter(|side| !side.is_none()) else {
                continue;
            };
            match self.calls(side) {
                Ok(Some(walked)) => *calls = Some(walked),
                Ok(None) => return Ok(None),
                Err(stopped) => return Err(stopped.under(name).into_error(side.py())),
            }
        }
        let [expected, actual] = sides;
        let is_small = self.json.len() < LIMIT && self.names.len() < LIMIT;
        Ok(is_small.then_some((expected, actual)))
    }

    fn calls(&mut self, side: &Bound<'py, PyAny>) -> Result<Option<Vec<WalkedCall>>, Stopped> {
        if let Ok(list) = side.cast::<PyList>() {
            self.items(list.len(), list.iter())
        } else if let Ok(tuple) = side.cast_exact::<PyTuple>() {
            self.items(tuple.len(), tuple.iter())
        } else {
            Ok(None)
        }
    }

    fn items(
        &mut self,
        length: usize,
        items: impl Iterator<Item = Bound<'py, PyAny>>,
    ) -> Result<Option<Vec<WalkedCall>>, Stopped> {
        let mut calls = Vec::with_capacity(length);
        for (index, item) in items.enumerate() {
            let call = match item
                .cast_exact::<PyDict>()
                .or_else(|_| item.cast::<PyDict>())
            {
                Ok(dict) => self.call(dict).map_err(|stopped| stopped.under(index))?,
                Err(_) => self.name(&item).map(|name| WalkedCall {
                    name,
                    arguments: WalkedArguments::Absent,
                    more: None,
                }),
            };
            match call {
                Some(call) => calls.push(call),
                None => return Ok(None),
            }
        }
        Ok(Some(calls))
    }

    fn call(&mut self, dict: &Bound<'py, PyDict>) -> Result<Option<WalkedCall>, Stopped> {
        let mut name = None;
        let mut arguments = WalkedArguments::Absent;
        let mut more = None;
        for (key, value) in dict {
            let Some(key) = text_of(&key) else {
                return Ok(None);
            };
            match key {
                "name" => {
                    let Some(at) = self.name(&value) else {
                        return Ok(None);
                    };
                    name = Some(at);
                    continue;
                }
                "args" | "arguments" => {
                    let Some(found) = self.arguments(value, key)? else {
                        return Ok(None);
                    };
                    arguments = found;
                    continue;
                }
                // Messages and spans have the first four, and few calls the others: what they are is for the reader to say.
                "attributes" | "role" | "tool_calls" | "content" | "compare_args" | "parent"
                | "run" => return Ok(None),
                _ => {}
            }
            if value.is_none() {
                continue;
            }
            let more: &mut More = more.get_or_insert_with(Box::default);
            let text = match key {
                "id" | "call_id" | "tool_call_id" => Some(&mut more.id),
                "tool_id" => Some(&mut more.tool_id),
                "group" => Some(&mut more.group),
                "actor" => Some(&mut more.actor),
                _ => None,
            };
            if let Some(text) = text {
                let Some(at) = self.name(&value) else {
                    return Ok(None);
                };
                *text = Some(at);
                continue;
            }
            let json = match key {
                "output" => &mut more.output,
                "error" => &mut more.error,
                "start" => &mut more.start,
                "end" => &mut more.end,
                "turn" => {
                    let turn = value
                        .cast_exact::<PyInt>()
                        .ok()
                        .and_then(|turn| turn.extract().ok());
                    let Some(turn) = turn else { return Ok(None) };
                    more.turn = Some(turn);
                    continue;
                }
                _ => continue,
            };
            let start = self.json.next_start();
            walk::write(&mut self.json, &value).map_err(|stopped| stopped.under(key))?;
            *json = Some(short(start, self.json.len()));
        }
        Ok(name.map(|name| WalkedCall {
            name,
            arguments,
            more,
        }))
    }

    /// Copies a text; `None` for anything else.
    fn name(&mut self, object: &Bound<'_, PyAny>) -> Option<Range<u32>> {
        let text = text_of(object)?;
        let start = self.names.len();
        self.names.push_str(text);
        Some(short(start, self.names.len()))
    }

    fn arguments(
        &mut self,
        object: Bound<'py, PyAny>,
        key: &str,
    ) -> Result<Option<WalkedArguments>, Stopped> {
        let start = self.json.next_start();
        let object = match object.cast_into::<PyDict>() {
            Ok(dict) => {
                let written = walk::write_arguments(&mut self.json, &mut self.keys, &dict)
                    .map_err(|stopped| stopped.under(key))?;
                return Ok(Some(WalkedArguments::Json(
                    short(start, self.json.len()),
                    written,
                )));
            }
            Err(other) => other.into_inner(),
        };
        if object.is_none() {
            return Ok(Some(WalkedArguments::Absent));
        }
        let Some(text) = self.name(&object) else {
            return Ok(None);
        };
        walk::write(&mut self.json, &object)?;
        Ok(Some(WalkedArguments::Text(
            text,
            short(start, self.json.len()),
        )))
    }

    fn value(&mut self, object: &Bound<'_, PyAny>, key: &str) -> PyResult<Range<u32>> {
        let start = self.json.next_start();
        walk::write(&mut self.json, object)
            .map_err(|stopped| stopped.under(key).into_error(object.py()))?;
        Ok(short(start, self.json.len()))
    }
}

fn short(start: usize, end: usize) -> Range<u32> {
    start as u32..end as u32
}
