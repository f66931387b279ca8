//! Finds the keys that hold the outcome of calls.

use std::collections::BTreeSet;

use super::survey::key_text;
use super::words::{self, CODES, ERRORS, FAILED, FAILURES, NOT_RUN, OUTPUTS, STATES, SUCCEEDED};
use super::yaml::scalar;
use crate::node::Node;

/// Where the outcome of a call is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) output: Option<String>,
    pub(super) error: Option<String>,
    pub(super) failed: Option<State>,
    pub(super) not_run: Option<State>,
    pub(super) end: Option<String>,
    pub(super) unsure: Option<String>,
}

/// Where the state of a call is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct State {
    pub(super) path: String,
    /// The values of these calls, as YAML.
    pub(super) values: String,
    pub(super) unsure: Option<&'static str>,
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
    let refusal = best(STATES, &is_refusal);
    let output =
        best(OUTPUTS, &|_| true).filter(|path| ![&state, &refusal].contains(&&Some(path.clone())));
    let failed = flag(FAILED, "true", &best).or_else(|| flag(SUCCEEDED, "false", &best));
    found.failed = failed
        .or_else(|| state.map(|path| states(fields, path, is_failure)))
        .or_else(|| code(fields, &best));
    found.not_run = flag(NOT_RUN, "true", &best)
        .or_else(|| refusal.map(|path| states(fields, path, is_refusal)))
        .map(|state| State {
            unsure: Some("were such calls never made?"),
            ..state
        });
    if let Some(path) = output {
        inside(fields, path, &mut found);
    }
    found
}

/// The best path to a value that fits, by the words of its last key.
type Best<'f> = dyn Fn(&[&str], &dyn Fn(&Node<'_>) -> bool) -> Option<String> + 'f;

/// A key that is true or false.
fn flag(words: &[&str], value: &str, best: &Best<'_>) -> Option<State> {
    let path = best(words, &|it| matches!(it.raw(), "true" | "false"))?;
    Some(State {
        path,
        values: value.to_owned(),
        unsure: None,
    })
}

/// A code that is 0 if the call succeeded.
fn code(fields: &[Vec<(String, &Node<'_>)>], best: &Best<'_>) -> Option<State> {
    let path = best(CODES, &|value| value.whole().is_some())?;
    let mut values = fields.iter().flatten().filter(|(known, _)| *known == path);
    let is_sure = words::rank(last_key(&path), CODES) < words::rank("code", CODES);
    (is_sure || values.any(|(_, value)| value.raw() == "0")).then(|| State {
        path,
        values: "{not: [0, none]}".to_owned(),
        unsure: Some("does any other code mean a failure?"),
    })
}

fn is_refusal(value: &Node<'_>) -> bool {
    value.str().is_some_and(words::is_not_run)
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

/// The states at a path that mean this.
fn states(
    fields: &[Vec<(String, &Node<'_>)>],
    path: String,
    means: fn(&Node<'_>) -> bool,
) -> State {
    let at_path = fields.iter().flatten().filter(|(known, _)| *known == path);
    let found: Vec<&Node<'_>> = at_path
        .map(|(_, value)| *value)
        .filter(|value| means(value))
        .collect();
    let state = |value: &&Node<'_>| value.str().map_or_else(|| value.raw().to_owned(), scalar);
    let states: BTreeSet<_> = found.iter().map(state).collect();
    let states: Vec<_> = states.into_iter().collect();
    let are_codes = found.iter().any(|value| is_error_code(value));
    State {
        path,
        values: match &states[..] {
            [one] => one.clone(),
            all => format!("[{}]", all.join(", ")),
        },
        unsure: are_codes.then_some("do other codes mean a failure too?"),
    }
}

/// Adds the output at a path, and the error and the failure inside it if there are none beside it.
fn inside(fields: &[Vec<(String, &Node<'_>)>], path: String, found: &mut Outcome) {
    let at_path = fields.iter().flatten().filter(|(known, _)| *known == path);
    let mut values: Vec<&Node<'_>> = at_path.map(|(_, value)| *value).collect();
    let mut path = path;
    match envelope(&values) {
        Some((Some(inner), None)) => {
            path = format!("{path}.{}", key_text(&inner));
            values = values.iter().filter_map(|it| it.get(&inner)).collect();
            found.output = Some(path.clone());
            found.unsure = Some("is the output inside of it?".to_owned());
        }
        Some((inner, error)) => {
            let inside = |key: String| format!("{path}.{}", key_text(&key));
            found.output = inner.map(inside);
            found.error = error.map(inside).or(found.error.take());
            found.unsure = Some("is the output inside of it?".to_owned());
            return;
        }
        None => found.output = Some(path.clone()),
    }
    if found.error.is_some() || found.failed.is_some() {
        return;
    }
    let members = values.iter().flat_map(|value| value.entries());
    let members: Vec<_> = members
        .filter_map(|(key, value)| Some((key.as_str()?, value)))
        .collect();
    let best: &Best<'_> = &|words, fits| {
        let all = members.iter().filter(|(_, value)| fits(value));
        let ranked = all.filter_map(|(key, _)| Some((words::rank(key, words)?, key)));
        let (_, key) = ranked.min()?;
        Some(format!("{path}.{}", key_text(key)))
    };
    found.error = best(ERRORS, &|value| !value.is_null());
    let failed = flag(FAILED, "true", best).or_else(|| flag(SUCCEEDED, "false", best));
    found.failed = failed.map(|state| State {
        unsure: Some("does the output say that the call failed?"),
        ..state
    });
}

/// The keys of output and error, if the values have no other keys.
fn envelope(values: &[&Node<'_>]) -> Option<(Option<String>, Option<String>)> {
    let (mut output, mut error) = (None, None);
    for value in values {
        if !value.is_object() {
            return None;
        }
        for (key, value) in value.entries() {
            let key = key.as_str()?;
            let is_flag = matches!(value.raw(), "true" | "false");
            let of = if words::is_one(key, ERRORS) {
                &mut error
            } else if words::is_one(key, OUTPUTS) || !is_flag && words::is_one(key, SUCCEEDED) {
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
