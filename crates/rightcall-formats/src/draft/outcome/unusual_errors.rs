//! Finds errors under unusual keys: those that stand where outputs do not.

use super::{Outcome, last_key};
use crate::draft::words::{self, REASONS};
use crate::node::Node;

/// The fields of one object: paths with values.
type Fields<'n> = Vec<(String, &'n Node<'n>)>;

/// Adds an error that only calls without an output have, or else marks the output if calls lack one. `output` is its path.
pub(super) fn add(fields: &[Fields<'_>], used: &[String], output: &str, found: &mut Outcome) {
    let has = |item: &&Fields<'_>, path: &str| item.iter().any(|(known, _)| known == path);
    let (with, without): (Vec<_>, Vec<_>) = fields.iter().partition(|it| has(it, output));
    let (Some(first), false) = (without.first(), with.is_empty()) else {
        return;
    };
    let is_in_all = |path: &str| without.iter().all(|it| has(it, path));
    let others: Vec<&str> = first
        .iter()
        .filter(|(path, value)| !used.contains(path) && may_be_error(path, value))
        .map(|(path, _)| path.as_str())
        .filter(|path| is_in_all(path))
        .collect();
    let only_without = |path: &&&str| !with.iter().any(|it| has(it, path));
    let best = others.iter().filter(only_without).min_by_key(|it| rank(it));
    if found.error.is_some() {
        return;
    }
    if let Some(path) = best {
        found.error = Some((*path).to_owned());
        found.error_unsure = (!words::says_error(last_key(path)))
            .then_some("it stands where there is no output: is it the error?");
    } else if let (Some(state), Some(path)) = (&found.failed, found.output.as_mut()) {
        let reason = others
            .iter()
            .find(|it| words::is_one(last_key(it), REASONS));
        if let Some(reason) = reason.filter(|it| **it != state.path) {
            *path = format!("{path} | {reason}");
            found.unsure = Some(format!("does `{reason}` say why a call failed?"));
        }
    } else if found.failed.is_none() && !others.is_empty() {
        let (lacking, all) = (without.len(), fields.len());
        let unsure = || format!("{lacking} of {all} have none: did they fail?");
        found.unsure.get_or_insert_with(unsure);
    }
}

/// Adds the reason of calls that all failed.
pub(in crate::draft) fn add_reason(fields: &[Fields<'_>], used: &[String], found: &mut Outcome) {
    let all = fields.iter().flatten();
    let reasons = all.filter(|(path, value)| !used.contains(path) && may_be_error(path, value));
    let best = reasons.map(|(path, _)| path).min_by_key(|path| rank(path));
    let Some(path) = best.filter(|path| found.output.as_ref() != Some(path)) else {
        return;
    };
    found.error = Some(path.clone());
    found.error_unsure = Some("is it the error?");
}

/// Lower for a key that more surely says why a call failed.
fn rank(path: &str) -> (bool, usize) {
    let key = last_key(path);
    let rank = words::rank(key, REASONS);
    (!words::says_error(key), rank.unwrap_or(REASONS.len()))
}

/// True for a member that may hold an error: no flag, no number, and no key that means something else.
fn may_be_error(path: &str, value: &Node<'_>) -> bool {
    let key = last_key(path);
    let others = [
        words::TOOL_NAMES,
        words::KINDS,
        words::IDS,
        words::RUNS,
        words::ORDERS,
        words::TIMES,
        words::STARTS,
        words::ENDS,
        words::MODELS,
        words::STATES,
        words::LEVELS,
        words::NOT_RUN,
        words::PERMITTED,
        words::sure_arguments(),
    ];
    let is_text = value.str().is_some_and(|text| !text.is_empty());
    (is_text || value.is_object()) && !others.iter().any(|words| words::is_one(key, words))
}
