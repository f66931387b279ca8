//! A call as text: `refund(id=7, amount=20.0)`, shortened if it is long, with the differences kept visible.

use std::collections::BTreeMap;

use rightcall_core::call::{Arguments, Call, Case};
use rightcall_core::value::{JsonText, Value};
use rightcall_core::{ExpectedList, Explanation};

use crate::text::{cut_end, cut_middle, printable, width};
use crate::variable::named;

/// Minimum width of shortened keys and values, in columns.
const SHORTEST: usize = 7;

/// A call, or the recorded part of one, as text.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Shown {
    pub(crate) name: String,
    /// Arguments by key, each with its JSON text.
    arguments: Vec<(String, String)>,
    has_arguments: bool,
    /// The actual or expected output.
    pub(super) output: Option<String>,
    /// True if the output is shown instead of the arguments.
    shows_output: bool,
}

/// The key of an argument with its value on each side; `None` if the argument is missing.
pub(crate) type DifferingArgument = (String, Option<String>, Option<String>);

impl Shown {
    fn from_call(call: &Call<'_>) -> Self {
        let output = call
            .metadata()
            .output
            .as_deref()
            .map(|output| printable(&super::unquoted(output)));
        Self {
            name: printable(&call.name.to_display()),
            output,
            ..Self::from_arguments(&call.arguments)
        }
    }

    /// A call of a resolved expectation. Remaining variables are shown by name.
    fn from_resolved(call: &Call<'_>) -> Self {
        let mut shown = Self::from_call(call);
        for (_, json) in &mut shown.arguments {
            *json = named(json).into_owned();
        }
        shown
    }

    fn from_arguments(arguments: &Arguments<'_>) -> Self {
        let Some(value) = arguments.to_value() else {
            return Self::default();
        };
        let entries = match &value {
            Value::Object(object) => object
                .iter()
                .map(|(key, value)| (printable(&key.to_display()), json(value)))
                .collect(),
            other => vec![(String::new(), json(other))],
        };
        Self {
            arguments: entries,
            has_arguments: true,
            ..Self::default()
        }
    }

    fn from_name(name: &str) -> Self {
        Self {
            name: printable(name),
            ..Self::default()
        }
    }

    /// True if both have arguments and these differ.
    pub(super) fn differs_in_arguments(&self, other: &Self) -> bool {
        !self.differing_arguments(other).is_empty()
    }

    /// The arguments that differ; empty if one call has no arguments.
    pub(crate) fn differing_arguments<'s>(&'s self, other: &'s Self) -> Vec<DifferingArgument> {
        if !self.has_arguments || !other.has_arguments {
            return Vec::new();
        }
        let by_key = |of: &'s Self| -> BTreeMap<&'s String, &'s String> {
            of.arguments.iter().map(|(key, json)| (key, json)).collect()
        };
        let (own_values, other_values) = (by_key(self), by_key(other));
        let own_keys = self.arguments.iter().map(|(key, _)| key);
        let other_keys = other.arguments.iter().map(|(key, _)| key);
        own_keys
            .chain(other_keys.filter(|key| !own_values.contains_key(key)))
            .filter(|key| own_values.get(key) != other_values.get(key))
            .map(|key| {
                let json = |of: &BTreeMap<_, &String>| of.get(key).map(|it| (*it).clone());
                (key.clone(), json(&own_values), json(&other_values))
            })
            .collect()
    }

    /// The call shortened to this width; `differing` arguments are shortened last.
    pub(super) fn in_columns(&self, differing: &[String], columns: usize) -> String {
        let whole = self.whole();
        if width(&whole) <= columns {
            return whole;
        }
        let differs = |key: &str| differing.iter().any(|it| it == key);
        let all_arguments = |keys: usize, values: usize| {
            self.with_arguments(|key, value| {
                let values = if differs(key) { 2 * values } else { values };
                Some((cut_middle(key, keys), cut_middle(value, values)))
            })
        };
        let only_differing = |most: usize| {
            self.with_arguments(|key, value| {
                differs(key).then(|| (key.to_owned(), cut_middle(value, most)))
            })
        };
        let longest = |cut: &dyn Fn(usize) -> String| {
            (SHORTEST..columns)
                .rev()
                .map(cut)
                .find(|text| width(text) <= columns)
                .ok_or_else(|| self.name_in(&cut(SHORTEST), columns))
        };
        let whole_keys = |values| all_arguments(usize::MAX, values);
        let short_keys = |values| all_arguments(SHORTEST, values);
        match longest(&whole_keys).or_else(|_| longest(&short_keys)) {
            Ok(text) => text,
            Err(text) if differing.is_empty() => text,
            Err(_) => longest(&only_differing).unwrap_or_else(|text| text),
        }
    }

    /// Cuts a call that is too long. Of a long name, cuts the middle, since many names differ at
    /// their end.
    fn name_in(&self, text: &str, columns: usize) -> String {
        if width(&self.name) > columns {
            cut_middle(&self.name, columns)
        } else {
            cut_end(text, columns)
        }
    }

    /// The call without shortening.
    pub(super) fn whole(&self) -> String {
        self.with_arguments(|key, value| Some((key.to_owned(), value.to_owned())))
    }

    /// The text after the name of the call.
    pub(crate) fn after_name(&self) -> String {
        self.whole().split_off(self.name.len())
    }

    /// The call with each argument formatted by `shown`; `None` leaves an argument out.
    fn with_arguments(&self, shown: impl Fn(&str, &str) -> Option<(String, String)>) -> String {
        let mut out = self.name.clone();
        if self.has_arguments {
            let mut parts: Vec<String> = Vec::new();
            for (key, json) in &self.arguments {
                match shown(key, json) {
                    Some((_, value)) if key.is_empty() => parts.push(value),
                    Some((key, value)) => parts.push(format!("{key}={value}")),
                    None if parts.last().is_some_and(|part| part == "…") => {}
                    None => parts.push("…".to_owned()),
                }
            }
            out = format!("{out}({})", parts.join(", "));
        }
        match &self.output {
            Some(output) if self.shows_output => format!("{out} → {output}"),
            _ => out,
        }
    }
}

/// A value on one line.
fn json(value: &Value<'_>) -> String {
    printable(JsonText::from_python_value(value).as_str())
}

/// The expected calls that an evaluator used.
pub(crate) fn expected(case: &Case<'_>, explanation: &Explanation) -> Vec<Shown> {
    let expectation = &case.expected;
    let calls = expectation.calls.iter().flatten();
    let mut shown: Vec<_> = match explanation.list {
        ExpectedList::Calls if expectation.resolution.is_some() => {
            calls.map(Shown::from_resolved).collect()
        }
        ExpectedList::Calls => calls.map(Shown::from_call).collect(),
        ExpectedList::Order => expectation
            .order
            .iter()
            .flatten()
            .map(|name| Shown::from_name(&name.to_display()))
            .collect(),
        ExpectedList::Outputs => match &expectation.outputs {
            Some(outputs) => {
                let output = |it: &rightcall_core::call::ExpectedOutput<'_>| Shown {
                    output: Some(printable(&it.output.to_display())),
                    shows_output: true,
                    ..Shown::from_name(&it.name.to_display())
                };
                outputs.iter().map(output).collect()
            }
            None => calls.filter_map(with_output).collect(),
        },
        ExpectedList::Settings => Vec::new(),
    };
    // Criteria in the settings of an evaluator have no names in the case.
    let number = explanation.tally.expected.max(shown.len());
    shown.extend(
        (shown.len()..number).map(|index| Shown::from_name(&format!("criterion {}", index + 1))),
    );
    shown
}

/// The actual calls; with outputs if these are compared.
pub(crate) fn actual(case: &Case<'_>, explanation: &Explanation) -> Vec<Shown> {
    let calls = case.actual.iter().flat_map(|run| &run.calls);
    let mut shown: Vec<_> = match explanation.list {
        ExpectedList::Outputs => calls
            .map(|call| with_output(call).unwrap_or_else(|| Shown::from_call(call)))
            .collect(),
        _ => calls.map(Shown::from_call).collect(),
    };
    shown.resize_with(explanation.tally.actual.max(shown.len()), || {
        Shown::from_name("(a call)")
    });
    shown
}

/// A call with its output instead of its arguments.
fn with_output(call: &Call<'_>) -> Option<Shown> {
    let output = Some(printable(&super::unquoted(
        call.metadata().output.as_deref()?,
    )));
    Some(Shown {
        output,
        shows_output: true,
        ..Shown::from_name(&call.name.to_display())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(arguments: &str) -> Shown {
        Shown {
            name: "refund".into(),
            ..Shown::from_arguments(&Arguments::json(arguments))
        }
    }

    #[test]
    fn call_is_written_as_code() {
        assert_eq!(
            shown(r#"{"id":7,"note":"a\nb"}"#).whole(),
            r#"refund(id=7, note="a\nb")"#
        );
        assert_eq!(shown("{}").whole(), "refund()");
        assert_eq!(shown("[1]").whole(), "refund([1])");
        assert_eq!(Shown::from_name("refund").whole(), "refund");
    }

    #[test]
    fn differing_arguments_are_shortened_last() {
        let long = shown(
            r#"{"user":"mia_li_3668_and_more","flights":["HAT136","HAT039"],"id":"certificate_7504069","note":"none"}"#,
        );
        let differing = ["id".to_owned()];
        assert_eq!(
            long.in_columns(&differing, 90),
            r#"refund(user="mia_li…_more", flights=["HAT13…T039"], id="certificate_7504069", note="none")"#
        );
        assert_eq!(
            long.in_columns(&differing, 43),
            r#"refund(…, id="certificate_7504069", …)"#
        );
        assert!(long.in_columns(&[], 43).starts_with("refund(user="));
        assert!(width(&long.in_columns(&differing, 12)) <= 12);
    }
}
