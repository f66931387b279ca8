//! Calls that are a name and arguments, judged in the objects that they came in.

use std::sync::OnceLock;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use rightcall::call::{ArgumentStore, Arguments, Call, Case, Expectation, Trajectory};
use rightcall::value::{HashKey, JsonWriter, MAX_DEPTH};

use crate::walk::{self, Plain, Stopped};

/// True where a key begins with `$`, as those of matchers do, or what is nested is too deep to tell. Only JSON is read for these.
fn may_hold_matchers(object: &Bound<'_, PyAny>, depth: usize) -> bool {
    if let Ok(dict) = object.cast::<PyDict>() {
        let is_matcher =
            |key: &Bound<'_, PyAny>| walk::text_of(key).is_some_and(|key| key.starts_with('$'));
        let holds = |value: &Bound<'_, PyAny>| depth == 0 || may_hold_matchers(value, depth - 1);
        dict.iter()
            .any(|(key, value)| is_matcher(&key) || holds(&value))
    } else if let Ok(list) = object.cast::<PyList>() {
        list.iter()
            .any(|item| depth == 0 || may_hold_matchers(&item, depth - 1))
    } else {
        false
    }
}

/// Name and arguments of a call.
type PlainCallParts = (Py<PyString>, Py<PyDict>);

/// The same, for those who hold the interpreter.
type Borrowed<'a> = (&'a Bound<'a, PyString>, &'a Bound<'a, PyDict>);

/// The calls of both sides. Their arguments are compared as dicts, and written as JSON only where that doesn't do.
#[derive(Debug)]
pub(crate) struct PlainCalls {
    /// The expected calls come first.
    calls: Vec<PlainCallParts>,
    /// How many are expected; `None` if that side is not given.
    expected: Option<usize>,
    has_actual: bool,
    /// Under which calls have their arguments.
    arguments_key: &'static str,
    /// JSON, of arguments that were asked for.
    texts: OnceLock<Vec<OnceLock<String>>>,
    /// The first arguments that JSON can't hold, and why.
    unsuited: OnceLock<(usize, Stopped)>,
}

/// More calls are worth the walk to text, which is then judged while other threads of Python go on.
const MOST: usize = 128;

impl PlainCalls {
    /// The calls of two sides that are lists, or not given; `None` where something is not so plain.
    pub(crate) fn of(
        expected: Option<&Bound<'_, PyAny>>,
        actual: Option<&Bound<'_, PyAny>>,
    ) -> Option<Self> {
        let lists = [expected, actual].map(|side| {
            side.map(|side| side.cast_exact::<PyList>())
                .transpose()
                .ok()
        });
        let [expected, actual] = [lists[0]?, lists[1]?];
        let sides = || [expected, actual].into_iter().flatten();
        let count = sides().map(PyListMethods::len).sum();
        if count > MOST {
            return None;
        }
        let mut calls = Vec::with_capacity(count);
        let mut keys = match sides().find_map(|side| side.get_item(0).ok()) {
            Some(first) => Some(Keys::of(&first)?),
            None => None,
        };
        if let Some(keys) = &mut keys {
            sides().try_for_each(|side| keys.add_calls(side, &mut calls))?;
        }
        let expected_calls = expected.map_or(0, PyListMethods::len);
        let py = expected.or(actual).map(Bound::py);
        if py.is_some_and(|py| {
            let mut expected = calls[..expected_calls].iter();
            expected.any(|(_, arguments)| may_hold_matchers(arguments.bind(py), MAX_DEPTH))
        }) {
            return None;
        }
        Some(Self {
            calls,
            expected: expected.map(PyListMethods::len),
            has_actual: actual.is_some(),
            arguments_key: keys.map_or("args", |keys| keys.arguments_text),
            texts: OnceLock::new(),
            unsuited: OnceLock::new(),
        })
    }

    /// The arguments of all calls.
    pub(crate) fn held(&self) -> impl Iterator<Item = &Py<PyDict>> {
        self.calls.iter().map(|(_, arguments)| arguments)
    }

    /// The expected and the actual calls.
    fn sides<'a>(
        &'a self,
        py: Python<'a>,
    ) -> [Option<impl ExactSizeIterator<Item = Borrowed<'a>>>; 2] {
        let (expected, actual) = self.calls.split_at(self.expected.unwrap_or_default());
        let bound = |calls: &'a [PlainCallParts]| {
            calls
                .iter()
                .map(move |(name, arguments)| (name.bind(py), arguments.bind(py)))
        };
        [
            self.expected.map(|_| bound(expected)),
            self.has_actual.then(|| bound(actual)),
        ]
    }

    /// The case, its arguments in here.
    pub(crate) fn case<'a>(&'a self, py: Python<'a>, hash_key: HashKey) -> Case<'a> {
        let mut number = 0;
        let [expected, actual] = self.sides(py).map(|side| {
            side.map(|calls| {
                let mut list = Vec::with_capacity(calls.len());
                list.extend(calls.map(|(name, _)| {
                    let name = walk::text(name);
                    let arguments = Arguments::stored(self, number);
                    number += 1;
                    Call {
                        name,
                        arguments,
                        metadata: None,
                    }
                }));
                list
            })
        });
        Case {
            expected: expected.map_or_else(Expectation::default, Expectation::from_calls),
            actual: actual.map(|calls| Trajectory {
                calls,
                spans: Vec::new(),
            }),
            hash_key,
            ..Case::default()
        }
    }

    /// The case as JSON.
    pub(crate) fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        let mut writer = JsonWriter::new();
        writer.begin_object();
        for (calls, side) in self.sides(py).into_iter().zip(["expected", "actual"]) {
            let Some(calls) = calls else { continue };
            writer.key(side).begin_list();
            for (index, (name, arguments)) in calls.enumerate() {
                walk::write_text(writer.begin_object().key("name"), name)?;
                let written = walk::write(writer.key(self.arguments_key), arguments);
                written.map_err(|stopped| {
                    stopped
                        .under(self.arguments_key)
                        .under(index)
                        .under(side)
                        .into_error(py)
                })?;
                writer.end_object();
            }
            writer.end_list();
        }
        writer.end_object();
        Ok(writer.finish().into_string())
    }

    /// The error of arguments that were asked for and that JSON can't hold, if there was one.
    pub(crate) fn take_error(&mut self, py: Python<'_>) -> Option<PyErr> {
        let (number, stopped) = self.unsuited.take()?;
        let expected = self.expected.unwrap_or_default();
        let (side, index) = if number < expected {
            ("expected", number)
        } else {
            ("actual", number - expected)
        };
        Some(
            stopped
                .under(self.arguments_key)
                .under(index)
                .under(side)
                .into_error(py),
        )
    }

    fn write(&self, number: usize) -> String {
        let mut writer = JsonWriter::new();
        let written = Python::attach(|py| walk::write(&mut writer, self.calls[number].1.bind(py)));
        match written {
            Ok(()) => writer.finish().into_string(),
            Err(stopped) => {
                _ = self.unsuited.set((number, stopped));
                "{}".to_owned()
            }
        }
    }
}

impl ArgumentStore for PlainCalls {
    fn same(&self, one: u32, other: u32) -> Option<bool> {
        let [one, other] = [one, other].map(|number| &self.calls[number as usize].1);
        Python::attach(|py| same_dicts(one.bind(py), other.bind(py), 0))
    }

    fn json(&self, number: u32) -> &str {
        let texts = self
            .texts
            .get_or_init(|| self.calls.iter().map(|_| OnceLock::new()).collect());
        let text = &texts[number as usize];
        // Written outside the lock, since Python may run other threads meanwhile.
        text.get().unwrap_or_else(|| {
            let written = self.write(number as usize);
            text.get_or_init(|| written)
        })
    }
}

/// The keys under which calls have their names and arguments, as the last call had them: calls of one origin share these objects, and
/// need not have their texts compared.
struct Keys<'py> {
    name: Bound<'py, PyAny>,
    arguments: Bound<'py, PyAny>,
    arguments_text: &'static str,
}

impl<'py> Keys<'py> {
    fn of(call: &Bound<'py, PyAny>) -> Option<Self> {
        let (mut name, mut arguments) = (None, None);
        for (key, _) in call.cast_exact::<PyDict>().ok()? {
            match walk::text_of(&key)? {
                "name" => name = Some(key),
                "args" => arguments = Some((key, "args")),
                "arguments" => arguments = Some((key, "arguments")),
                _ => return None,
            }
        }
        let (arguments, arguments_text) = arguments?;
        Some(Self {
            name: name?,
            arguments,
            arguments_text,
        })
    }

    fn add_calls(
        &mut self,
        side: &Bound<'py, PyList>,
        calls: &mut Vec<PlainCallParts>,
    ) -> Option<()> {
        for call in side {
            // To walk over two members costs less than to look each up.
            let mut members = call.cast_into_exact::<PyDict>().ok()?.into_iter();
            if members.len() != 2 {
                return None;
            }
            let ((first, name), (second, arguments)) = (members.next()?, members.next()?);
            if !is_key(&mut self.name, first) || !is_key(&mut self.arguments, second) {
                return None;
            }
            calls.push((
                name.cast_into_exact().ok()?.unbind(),
                arguments.cast_into_exact().ok()?.unbind(),
            ));
        }
        Some(())
    }
}

/// True if a key has the text of a known one, which it then stands for.
#[inline]
fn is_key<'py>(known: &mut Bound<'py, PyAny>, key: Bound<'py, PyAny>) -> bool {
    if key.is(&*known) {
        return true;
    }
    let is_same = walk::text_of(&key).is_some_and(|key| walk::text_of(known) == Some(key));
    if is_same {
        *known = key;
    }
    is_same
}

/// Deeper objects and lists are told apart by their texts.
const DEEPEST: usize = 16;

fn same_dicts(one: &Bound<'_, PyDict>, other: &Bound<'_, PyDict>, depth: usize) -> Option<bool> {
    if one.len() != other.len() {
        return Some(false);
    }
    for (key, value) in one {
        key.cast_exact::<PyString>().ok()?;
        let Some(found) = other.get_item(&key).ok()? else {
            // An integer stands for the text of its digits.
            let has_texts = other
                .keys()
                .iter()
                .all(|key| key.is_exact_instance_of::<PyString>());
            return has_texts.then_some(false);
        };
        if !same_values(&value, &found, depth)? {
            return Some(false);
        }
    }
    Some(true)
}

/// As [`ArgumentStore::same`].
fn same_values(one: &Bound<'_, PyAny>, other: &Bound<'_, PyAny>, depth: usize) -> Option<bool> {
    match (Plain::of(one), Plain::of(other)) {
        (Plain::Text(one), Plain::Text(other)) => Some(one.to_str().ok()? == other.to_str().ok()?),
        (Plain::Integer(one), Plain::Integer(other)) => {
            let (one, other): (i64, i64) = (one.extract().ok()?, other.extract().ok()?);
            // JavaScript rounds what is larger.
            let is_small = |integer: i64| integer.unsigned_abs() < 1 << f64::MANTISSA_DIGITS;
            (one == other || is_small(one) && is_small(other)).then_some(one == other)
        }
        (Plain::Float(one), Plain::Float(other)) => {
            let (one, other) = (one.value(), other.value());
            (!one.is_nan() && !other.is_nan()).then_some(one == other)
        }
        (Plain::Bool(one), Plain::Bool(other)) => Some(one == other),
        (Plain::None, Plain::None) => Some(true),
        (Plain::Dict(one), Plain::Dict(other)) if depth < DEEPEST => {
            same_dicts(one, other, depth + 1)
        }
        (Plain::List(one), Plain::List(other)) if depth < DEEPEST => {
            same_lists(one, other, depth + 1)
        }
        (Plain::None | Plain::Text(_), other) | (other, Plain::None | Plain::Text(_))
            if !matches!(other, Plain::Not) =>
        {
            Some(false)
        }
        // Numbers of two kinds may be equal, and so may lists and objects in JavaScript.
        _ => None,
    }
}

fn same_lists(one: &Bound<'_, PyList>, other: &Bound<'_, PyList>, depth: usize) -> Option<bool> {
    if one.len() != other.len() {
        return Some(false);
    }
    for (one, other) in one.iter().zip(other) {
        if !same_values(&one, &other, depth)? {
            return Some(false);
        }
    }
    Some(true)
}
