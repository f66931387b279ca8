//! Reading the two sides: what a canonical case must hold, and how an original's shape is taken apart.

use crate::call::{Call, Case, Trajectory};
use crate::evaluation::{EvaluationError, NotApplicable, Outcome};
use crate::matching::{Item, Items};
use crate::prepared::PreparedCase;
use crate::settings::describe;
use crate::value::{Object, Syntax, Text, Value, decode_with};

/// The run of a case.
pub(super) fn run<'c>(case: &'c Case<'c>) -> Result<&'c Trajectory<'c>, Outcome> {
    case.actual
        .as_ref()
        .ok_or(Outcome::NotApplicable(NotApplicable::NoRun))
}

/// The calls that a case expects.
pub(super) fn expected_calls<'c>(case: &'c Case<'c>) -> Result<&'c [Call<'c>], Outcome> {
    case.expected
        .calls
        .as_deref()
        .ok_or(Outcome::NotApplicable(NotApplicable::NotExpected {
            what: "calls",
        }))
}

/// Calls in the order that a case states, by name, or that its calls stand in; and whether it was stated.
pub(super) fn expected_order<'c>(case: &'c PreparedCase<'c>) -> Result<(Items<'c>, bool), Outcome> {
    match (&case.expected.order, &case.expected.calls) {
        (Some(order), _) => Ok((
            Items::Own(
                order
                    .iter()
                    .map(|name| Item::of_name(name.reborrow()))
                    .collect(),
            ),
            true,
        )),
        (None, Some(_)) => Ok((case.expected_items(), false)),
        (None, None) => Err(Outcome::NotApplicable(NotApplicable::NotExpected {
            what: "order",
        })),
    }
}

/// Nothing an evaluator compares may be left open by what was expected.
pub(super) fn require_expected_arguments(calls: &[Call<'_>]) -> Result<(), Outcome> {
    match calls
        .iter()
        .enumerate()
        .find(|(_, call)| call.arguments.is_absent())
    {
        None => Ok(()),
        Some((index, call)) => {
            let open = NotApplicable::ExpectedOpen {
                index,
                name: call.name.to_string(),
                field: "args",
            };
            Err(Outcome::NotApplicable(open))
        }
    }
}

/// What was not recorded cannot be judged.
pub(super) fn require_recorded_arguments(calls: &[Call<'_>]) -> Result<(), Outcome> {
    require_recorded(calls, "args", |call| !call.arguments.is_absent())
}

/// What was not recorded cannot be judged.
pub(super) fn require_recorded(
    calls: &[Call<'_>],
    field: &'static str,
    has: impl Fn(&Call<'_>) -> bool,
) -> Result<(), Outcome> {
    match calls.iter().enumerate().find(|(_, call)| !has(call)) {
        None => Ok(()),
        Some((index, call)) => Err(Outcome::NotApplicable(NotApplicable::NotRecorded {
            index,
            name: call.name.to_string(),
            field,
        })),
    }
}

/// A side of an original's shape, decoded.
pub(super) fn side<'s>(side: &'static str, text: &'s str) -> Result<Value<'s>, EvaluationError> {
    decode_with(text, Syntax::PYTHON).map_err(|error| EvaluationError::Shape {
        side,
        pointer: String::new(),
        expected: "JSON",
        found: format!("{} at byte {}", error.found, error.offset),
    })
}

/// A place in a side, for error messages.
#[derive(Clone, Copy)]
pub(super) struct At<'p> {
    side: &'static str,
    parent: Option<&'p At<'p>>,
    step: Step<'p>,
}

#[derive(Clone, Copy)]
enum Step<'p> {
    Root,
    Key(&'p str),
    Index(usize),
}

impl<'p> At<'p> {
    /// The whole side.
    pub(super) const fn root(side: &'static str) -> Self {
        Self {
            side,
            parent: None,
            step: Step::Root,
        }
    }

    /// A member of the value here.
    pub(super) const fn key(&'p self, key: &'p str) -> Self {
        Self {
            side: self.side,
            parent: Some(self),
            step: Step::Key(key),
        }
    }

    /// An item of the list here.
    pub(super) const fn index(&'p self, index: usize) -> Self {
        Self {
            side: self.side,
            parent: Some(self),
            step: Step::Index(index),
        }
    }

    fn pointer(&self) -> String {
        let before = self.parent.map(At::pointer).unwrap_or_default();
        match self.step {
            Step::Root => before,
            Step::Key(key) => format!("{before}/{}", key.replace('~', "~0").replace('/', "~1")),
            Step::Index(index) => format!("{before}/{index}"),
        }
    }

    /// The error for a value that is not what the original takes here.
    pub(super) fn error(
        &self,
        expected: &'static str,
        found: Option<&Value<'_>>,
    ) -> EvaluationError {
        let found = found.map_or_else(|| "nothing".to_owned(), describe);
        EvaluationError::Shape {
            side: self.side,
            pointer: self.pointer(),
            expected,
            found,
        }
    }

    /// The value here as a list.
    pub(super) fn list<'v, 'a>(
        &self,
        value: &'v Value<'a>,
    ) -> Result<&'v [Value<'a>], EvaluationError> {
        value
            .as_list()
            .ok_or_else(|| self.error("a list", Some(value)))
    }

    /// The value here as an object.
    pub(super) fn object<'v, 'a>(
        &self,
        value: &'v Value<'a>,
    ) -> Result<&'v Object<'a>, EvaluationError> {
        value
            .as_object()
            .ok_or_else(|| self.error("an object", Some(value)))
    }

    /// A member that must be a string.
    pub(super) fn text<'v, 'a>(
        &self,
        object: &'v Object<'a>,
        key: &str,
    ) -> Result<&'v Text<'a>, EvaluationError> {
        let value = object.get_str(key);
        value
            .and_then(Value::as_text)
            .ok_or_else(|| self.key(key).error("a string", value))
    }

    /// A member that is a string, null or missing.
    pub(super) fn optional_text<'v, 'a>(
        &self,
        object: &'v Object<'a>,
        key: &str,
    ) -> Result<Option<&'v Text<'a>>, EvaluationError> {
        match object.get_str(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            other => Err(self.key(key).error("a string or null", other)),
        }
    }
}
