//! Finds the keys that hold the outcome of calls.

mod flags;
mod unusual_errors;

use std::collections::{BTreeMap, BTreeSet};

pub(super) use unusual_errors::add_reason;

use super::survey::{Spot, key_text};
use super::words::{
    self, CODES, ERRORS, FAILED, FAILURES, NOT_RUN, OUTPUTS, PERMITTED, STATES, SUCCEEDED,
};
use super::yaml::scalar;
use crate::node::Node;

/// The places of a call's outcome.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) output: Option<String>,
    pub(super) error: Option<String>,
    pub(super) error_unsure: Option<&'static str>,
    pub(super) failed: Option<State>,
    pub(super) not_run: Option<State>,
    pub(super) end: Option<String>,
    pub(super) unsure: Option<String>,
}

impl Outcome {
    /// True if it says how a call ended.
    pub(super) fn says_end(&self) -> bool {
        let has_state = self.failed.is_some() || self.not_run.is_some();
        self.output.is_some() || self.error.is_some() || has_state
    }
}

/// The place of a call's state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct State {
    pub(super) path: String,
    /// The values of these calls, as YAML.
    pub(super) values: String,
    pub(super) unsure: Option<&'static str>,
}

/// Finds the outcome in these fields. Paths in `used` already have another meaning.
pub(super) fn outcome(fields: &[Vec<(String, &Node<'_>)>], used: &[String]) -> Outcome {
    let mut by_path: BTreeMap<&String, Vec<&Node<'_>>> = BTreeMap::new();
    for (path, value) in fields.iter().flatten() {
        by_path.entry(path).or_default().push(value);
    }
    let ranked = |words: &[&str], fits: &dyn Fn(&String, &[&Node<'_>]) -> bool| {
        let free = by_path.iter().filter(|(path, _)| !used.contains(path));
        let fitting = free.filter(|(path, values)| fits(path, values));
        let ranked =
            fitting.filter_map(|(path, _)| Some((words::rank(last_key(path), words)?, path)));
        ranked.min().map(|(_, path)| (*path).clone())
    };
    let best: &Best<'_> =
        &|words, fits| ranked(words, &|_, values| values.iter().any(|value| fits(value)));
    let mut found = Outcome {
        end: best(words::ENDS, &|value| {
            crate::trace::time::from_log(value).is_some()
        }),
        ..Outcome::default()
    };
    let values = |path: &str| by_path.get(&path.to_owned()).cloned().unwrap_or_default();
    let state = best(STATES, &is_failure);
    let refusal = best(STATES, &is_refusal).filter(|path| {
        let is_open = |it: &&Node<'_>| it.str().is_some_and(words::is_open);
        let values = values(path);
        values.len() < 2 || !values.iter().all(is_open)
    });
    let may_be_output = |path: &String, values: &[&Node<'_>]| {
        // An empty text in every call is what the model said beside it.
        let is_said = values.len() > 1 && values.iter().all(|it| it.str() == Some(""));
        ![&state, &refusal].contains(&&Some(path.clone())) && !is_said
    };
    let first = ranked(OUTPUTS, &may_be_output);
    let unlike_flag = |path: &String, values: &[&Node<'_>]| {
        may_be_output(path, values) && !flags::is_flag(values)
    };
    let output = ranked(OUTPUTS, &unlike_flag).or_else(|| first.clone());
    if let Some(path) = best(ERRORS, &|_| true) {
        let values = values(&path);
        add_error(path, &values, fields.len(), &mut found);
    }
    let told = EndFields {
        best,
        values: &values,
        path: &|path| path,
    };
    found.failed = told.failure().or(found.failed).or_else(|| told.code());
    found.not_run = told
        .flag(NOT_RUN, true)
        .or_else(|| told.flag(PERMITTED, false))
        .or_else(|| refusal.map(|path| states(&values(&path), path, is_refusal)))
        .map(|state| State {
            unsure: Some("were such calls never made?"),
            ..state
        });
    let is_free = |path: &&String| !used.contains(path) && output.as_ref() != Some(path);
    let mut others = by_path.iter().filter(|(path, _)| is_free(path));
    let flag = others.find_map(|(path, values)| flags::failure(path, values));
    if let Some(path) = &output {
        inside(fields, path.clone(), &mut found);
        unusual_errors::add(fields, used, path, &mut found);
    }
    if found.error.is_none() && found.failed.is_none() && found.not_run.is_none() {
        found.failed = flag;
    }
    if let Some(first) = first.filter(|first| output.as_ref() != Some(first)) {
        let unsure = || format!("or is `{first}` the output?");
        found.unsure.get_or_insert_with(unsure);
    }
    found
}

/// The best path to a value that fits, by the words of its last key.
type Best<'f> = dyn Fn(&[&str], &dyn Fn(&Node<'_>) -> bool) -> Option<String> + 'f;

/// Fields that may say how calls ended.
struct EndFields<'f> {
    best: &'f Best<'f>,
    /// The values at a key or path that `best` returned.
    values: &'f dyn Fn(&str) -> Vec<&'f Node<'f>>,
    /// The path from the call to a key or path that `best` returned.
    path: &'f dyn Fn(String) -> String,
}

impl EndFields<'_> {
    /// The condition that a flag with one of these keys is `marks`.
    fn flag(&self, keys: &[&str], marks: bool) -> Option<State> {
        let key = (self.best)(keys, &|it| words::truth(it).is_some())?;
        flag(&(self.values)(&key), marks, (self.path)(key))
    }

    /// The condition of failed calls by a flag, or else by a state.
    fn failure(&self) -> Option<State> {
        let state = || {
            let key = (self.best)(STATES, &is_failure)?;
            let values = (self.values)(&key);
            Some(states(&values, (self.path)(key), is_failure))
        };
        self.flag(FAILED, true)
            .or_else(|| self.flag(SUCCEEDED, false))
            .or_else(state)
    }

    /// The condition of failed calls by a code.
    fn code(&self) -> Option<State> {
        let key = (self.best)(CODES, &is_code)?;
        code(&(self.values)(&key), (self.path)(key))
    }
}

/// Adds the error at a path. Some logs have a value there for calls without an error too; `all` is the number of calls.
fn add_error(path: String, values: &[&Node<'_>], all: usize, found: &mut Outcome) {
    let is_left_empty = |it: &Node<'_>| it.is_false() || it.str() == Some("");
    let no_errors: Vec<_> = values
        .iter()
        .copied()
        .filter(|it| words::says_no_error(it))
        .filter(|it| !is_left_empty(it))
        .collect();
    let errors = values.iter().filter(|it| !is_left_empty(it)).count();
    if no_errors.is_empty() {
        found.error_unsure =
            (errors == all && all > 1).then_some("every call has one: did all of them fail?");
    } else if values.iter().all(|it| it.is_list()) {
        found.error = Some(format!("{path}[0]"));
        found.error_unsure = Some("is an empty list no error?");
        return;
    } else if no_errors.iter().any(|it| words::is_empty(it)) {
        found.error_unsure = Some("an empty value counts as an error: did such calls fail?");
    } else {
        let others = values.iter().filter(|it| is_left_empty(it));
        let others: Vec<_> = others.copied().chain(no_errors).collect();
        found.failed.get_or_insert(State {
            path,
            values: format!("{{not: [{}, none]}}", written(&others).join(", ")),
            unsure: Some("does any other value mean a failure?"),
        });
        return;
    }
    found.error = Some(path);
}

/// The condition that a value is `marks`, if all values are true or false in some form.
fn flag(values: &[&Node<'_>], marks: bool, path: String) -> Option<State> {
    let truths: Option<Vec<bool>> = values.iter().map(|it| words::truth(it)).collect();
    let (marked, others): (Vec<_>, Vec<_>) = values
        .iter()
        .zip(truths?)
        .partition(|(_, truth)| *truth == marks);
    let values = |all: Vec<(&&Node<'_>, bool)>| {
        written(&all.into_iter().map(|(value, _)| *value).collect::<Vec<_>>())
    };
    let is_plain = others
        .iter()
        .all(|(value, _)| matches!(value.raw(), "true" | "false"));
    let is_all = others.is_empty() && marked.len() > 1;
    Some(State {
        path,
        values: match marked.is_empty() {
            true if is_plain => marks.to_string(),
            true => format!("{{not: [{}, none]}}", values(others).join(", ")),
            false => one_or_list(values(marked)),
        },
        unsure: is_all.then_some(ALL_FAILED),
    })
}

const ALL_FAILED: &str = "did all of these calls fail?";

/// The distinct values, as values of a condition in YAML.
fn written(values: &[&Node<'_>]) -> Vec<String> {
    let value = |value: &&Node<'_>| match value.str() {
        // In conditions `none` means a missing value, so match the text with a pattern.
        Some("none") => "non?".to_owned(),
        Some(text) => scalar(text),
        None => value.raw().to_owned(),
    };
    let distinct: BTreeSet<_> = values.iter().map(value).collect();
    distinct.into_iter().collect()
}

fn one_or_list(values: Vec<String>) -> String {
    match <[String; 1]>::try_from(values) {
        Ok([one]) => one,
        Err(all) => format!("[{}]", all.join(", ")),
    }
}

fn is_code(value: &Node<'_>) -> bool {
    value.whole().is_some()
}

/// A code that is 0 if the call succeeded.
fn code(values: &[&Node<'_>], path: String) -> Option<State> {
    if values.iter().any(|value| is_error_code(value)) {
        return Some(states(values, path, is_failure));
    }
    let is_sure = words::rank(last_key(&path), CODES) < words::rank("code", CODES);
    (is_sure || values.iter().any(|value| value.raw() == "0")).then(|| State {
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

/// True for an HTTP status code of an error.
fn is_error_code(value: &Node<'_>) -> bool {
    let code = value.raw().parse::<u16>();
    code.is_ok_and(|code| (400..600).contains(&code))
}

/// The condition that the value at a path is one of those that `means` accepts.
fn states(values: &[&Node<'_>], path: String, means: fn(&Node<'_>) -> bool) -> State {
    let found: Vec<&Node<'_>> = values.iter().copied().filter(|it| means(it)).collect();
    let are_codes = found.iter().any(|value| is_error_code(value));
    let is_all = found.len() == values.len() && found.len() > 1;
    State {
        path,
        unsure: if are_codes {
            Some("do other codes mean a failure too?")
        } else {
            is_all.then_some(ALL_FAILED)
        },
        values: one_or_list(written(&found)),
    }
}

/// Adds the output at a path. If no error or failure was found elsewhere, also looks for them inside the output.
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
            let inside = |key: &String| format!("{path}.{}", key_text(key));
            found.output = inner.as_ref().map(inside);
            found.unsure = Some("is the output inside of it?".to_owned());
            if let Some(key) = error {
                found.error = None;
                let errors = at_key(&values, &key);
                add_error(inside(&key), &errors, values.len(), found);
            }
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
        Some((*key).to_owned())
    };
    let inside = |key: &String| format!("{path}.{}", key_text(key));
    if let Some(key) = best(ERRORS, &|value| !value.is_null()) {
        let errors = at_key(&values, &key);
        add_error(inside(&key), &errors, values.len(), found);
    }
    let told = EndFields {
        best,
        values: &|key| at_key(&values, key),
        path: &|key| inside(&key),
    };
    let failed = told.failure().or_else(|| told.code());
    let failed = failed.map(|state| State {
        unsure: Some("does the output say that the call failed?"),
        ..state
    });
    found.failed = failed.or(found.failed.take());
    if found.error.is_none() && found.failed.is_none() {
        found.failed = flags::tag(&members).map(|(key, state)| State {
            path: inside(&key),
            ..state
        });
    }
}

/// The outcome of items that are outputs.
pub(super) fn of_items(items: &[&Node<'_>]) -> Outcome {
    let items = items.iter();
    let fields: Vec<_> = items.map(|&it| vec![("$item".to_owned(), it)]).collect();
    let mut found = Outcome::default();
    inside(&fields, "$item".to_owned(), &mut found);
    // Paths begin at the item.
    let own = |path: &mut String| {
        if let Some(rest) = path.strip_prefix("$item.") {
            *path = rest.to_owned();
        }
    };
    found.output.iter_mut().for_each(own);
    found.error.iter_mut().for_each(own);
    found.failed.iter_mut().map(|it| &mut it.path).for_each(own);
    found
}

/// The values under a key, except null.
fn at_key<'n>(values: &[&'n Node<'n>], key: &str) -> Vec<&'n Node<'n>> {
    let found = values.iter().filter_map(|value| value.get(key));
    found.filter(|value| !value.is_null()).collect()
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

/// True for an object with an output, an error or a flag that says how a call ended.
pub(super) fn has_output(spot: &Spot<'_>) -> bool {
    let words = [
        words::OUTPUTS,
        words::ERRORS,
        words::FAILED,
        words::SUCCEEDED,
    ];
    words
        .iter()
        .any(|words| spot.key_of(words, |value| !value.is_null()).is_some())
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
