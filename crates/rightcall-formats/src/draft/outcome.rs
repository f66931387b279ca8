//! Finds the keys that hold the outcome of calls.

use super::words::{self, ERRORS, FAILED, OUTPUTS, SUCCEEDED};
use crate::node::Node;

/// Where the outcome of a call is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) output: Option<String>,
    pub(super) error: Option<String>,
    /// A path, and its value in calls that failed.
    pub(super) failed: Option<(String, &'static str)>,
    pub(super) end: Option<String>,
    pub(super) unsure: Option<String>,
}

/// Finds the outcome in these fields. Paths in `used` already have another meaning.
pub(super) fn outcome(fields: &[Vec<(String, &Node<'_>)>], used: &[String]) -> Outcome {
    let best = |words: &[&str], fits: &dyn Fn(&Node<'_>) -> bool| {
        let all = fields
            .iter()
            .flatten()
            .filter(|(path, value)| !used.contains(path) && fits(value));
        let ranked = all.filter_map(|(path, _)| Some((words::rank(last_key(path), words)?, path)));
        ranked.min().map(|(_, path)| path.clone())
    };
    let mut found = Outcome {
        error: best(ERRORS, &|_| true),
        end: best(words::ENDS, &|value| {
            crate::trace::time::of_log(value).is_some()
        }),
        ..Outcome::default()
    };
    let output = best(OUTPUTS, &|_| true);
    let values: Vec<&Node<'_>> = fields
        .iter()
        .flatten()
        .filter(|(path, _)| Some(path) == output.as_ref())
        .map(|(_, value)| *value)
        .collect();
    match (&output, inside(&values)) {
        (Some(path), Some((inner, error))) => {
            found.output = inner.map(|inner| format!("{path}.{inner}"));
            found.error = error.map(|error| format!("{path}.{error}")).or(found.error);
            found.unsure = Some("is the output inside of it?".to_owned());
        }
        _ => found.output = output,
    }
    let failed = best(FAILED, &|value| matches!(value.raw(), "true" | "false"));
    let succeeded = best(SUCCEEDED, &|value| matches!(value.raw(), "true" | "false"));
    found.failed = failed
        .map(|path| (path, "true"))
        .or_else(|| succeeded.map(|path| (path, "false")));
    found
}

/// The keys of output and error, if the values have no other keys.
fn inside(values: &[&Node<'_>]) -> Option<(Option<String>, Option<String>)> {
    let (mut output, mut error) = (None, None);
    for value in values {
        if !value.is_object() {
            return None;
        }
        for (key, _) in value.entries() {
            let key = key.as_str()?;
            let of = if words::is_one(key, ERRORS) {
                &mut error
            } else if words::is_one(key, OUTPUTS) {
                &mut output
            } else {
                return None;
            };
            if of.get_or_insert_with(|| key.to_owned()) != key {
                return None;
            }
        }
    }
    (output.is_some() || error.is_some()).then_some((output, error))
}

/// The last key of a path, unquoted.
pub(super) fn last_key(path: &str) -> &str {
    match path.strip_suffix('"') {
        Some(quoted) => quoted.rsplit('"').next().unwrap_or(quoted),
        None => path.rsplit(['.', '^']).next().unwrap_or(path),
    }
}
