//! Finds the keys that hold the outcome of calls.

use std::collections::BTreeSet;

use super::words::{self, ERRORS, FAILED, FAILURES, OUTPUTS, STATES, SUCCEEDED};
use super::yaml::scalar;
use crate::node::Node;

/// Where the outcome of a call is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) output: Option<String>,
    pub(super) error: Option<String>,
    pub(super) failed: Option<Failure>,
    pub(super) end: Option<String>,
    pub(super) unsure: Option<String>,
}

/// Where a failure is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) path: String,
    /// The values of calls that failed, as YAML.
    pub(super) values: String,
    /// True if these are codes: others may mean a failure too.
    pub(super) are_codes: bool,
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
    let state = best(STATES, &is_failure);
    let output = best(OUTPUTS, &|_| true).filter(|path| state.as_ref() != Some(path));
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
    let by = |path: String, values: &str| Failure {
        path,
        values: values.to_owned(),
        are_codes: false,
    };
    found.failed = failed
        .map(|path| by(path, "true"))
        .or_else(|| succeeded.map(|path| by(path, "false")))
        .or_else(|| state.map(|path| failure(fields, path)));
    found
}

fn is_failure(value: &Node<'_>) -> bool {
    let text = value.str();
    text.is_some_and(|text| words::is_one(text, FAILURES)) || is_error_code(value)
}

/// True for a status code of HTTP that means an error.
fn is_error_code(value: &Node<'_>) -> bool {
    let code = value.raw().parse::<u16>();
    code.is_ok_and(|code| (400..600).contains(&code))
}

/// The failure in the states at a path.
fn failure(fields: &[Vec<(String, &Node<'_>)>], path: String) -> Failure {
    let at_path = fields.iter().flatten().filter(|(known, _)| *known == path);
    let failed: Vec<&Node<'_>> = at_path
        .map(|(_, value)| *value)
        .filter(|value| is_failure(value))
        .collect();
    let state = |value: &&Node<'_>| value.str().map_or_else(|| value.raw().to_owned(), scalar);
    let states: BTreeSet<_> = failed.iter().map(state).collect();
    let states: Vec<_> = states.into_iter().collect();
    Failure {
        path,
        values: match &states[..] {
            [one] => one.clone(),
            all => format!("[{}]", all.join(", ")),
        },
        are_codes: failed.iter().any(|value| is_error_code(value)),
    }
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

#[cfg(test)]
mod tests {
    use rightcall_core::value::MAX_DEPTH;

    use super::*;

    fn failed(records: &[&str]) -> Option<(String, String)> {
        let nodes: Vec<_> = records
            .iter()
            .map(|record| Node::parse(record, MAX_DEPTH).unwrap())
            .collect();
        let fields = nodes.iter().map(|node| {
            let members = node.entries().iter();
            members
                .map(|(key, value)| (key.to_display().into_owned(), value))
                .collect()
        });
        let found = outcome(&fields.collect::<Vec<_>>(), &[]).failed;
        found.map(|it| (it.path, it.values))
    }

    #[test]
    fn a_state_of_failure_says_that_a_call_failed() {
        let ok = r#"{"outcome":"ok","text":"a"}"#;
        let with = |state: &str| format!(r#"{{"outcome":"{state}","text":"a"}}"#);
        let found = |path: &str, value: &str| Some((path.to_owned(), value.to_owned()));
        assert_eq!(failed(&[ok]), None);
        assert_eq!(failed(&[ok, &with("failed")]), found("outcome", "failed"));
        assert_eq!(
            failed(&[ok, &with("timed_out"), &with("FAILED")]),
            found("outcome", "[FAILED, timed_out]")
        );
        assert_eq!(
            failed(&[r#"{"ok":true}"#, &with("failed")]),
            found("ok", "false")
        );
        let codes = [200, 503, 404].map(|code| format!(r#"{{"status":{code},"text":"a"}}"#));
        assert_eq!(failed(&[&codes[0]]), None);
        assert_eq!(
            failed(&codes.each_ref().map(String::as_str)),
            found("status", "[404, 503]")
        );
    }
}
