//! Finds flags next to outputs: keys with a few values that say how calls ended.

use std::collections::BTreeSet;

use super::{State, last_key, one_or_list, written};
use crate::draft::words::{self, CODES, FAILURES, LEVELS, OUTPUTS, STATES};
use crate::node::Node;

/// A key with more values is no flag.
const MOST_VALUES: usize = 4;

/// True if the values of a key are those of a flag: numbers or booleans of two values, or words for states and levels.
pub(super) fn is_flag(values: &[&Node<'_>]) -> bool {
    let distinct: BTreeSet<&str> = values.iter().map(|it| it.raw()).collect();
    let most = if values.iter().all(|it| says_truth(it)) {
        2
    } else {
        MOST_VALUES
    };
    values.len() > 1 && distinct.len() <= most && values.iter().all(|it| is_word(it))
}

fn says_truth(value: &Node<'_>) -> bool {
    words::truth(value).is_some()
}

fn is_word(value: &Node<'_>) -> bool {
    let words = [
        "ok",
        "okay",
        "success",
        "succeeded",
        "passed",
        "fulfilled",
        "resolved",
        "good",
        "info",
        "debug",
        "notice",
    ];
    let text = value.str().unwrap_or_default();
    says_truth(value) || words::is_one(text, &words) || is_failure(value) || is_warning(value)
}

fn is_failure(value: &Node<'_>) -> bool {
    value
        .str()
        .is_some_and(|text| words::is_one(text, FAILURES))
}

fn is_warning(value: &Node<'_>) -> bool {
    let text = value.str().unwrap_or_default();
    words::is_one(text, &["warn", "warning", "critical", "bad"])
}

/// The key of these members of outputs that has a few words as its values, some of them for failures, and the condition of failed calls.
pub(super) fn tag(members: &[(&str, &Node<'_>)]) -> Option<(String, State)> {
    let keys: BTreeSet<&str> = members.iter().map(|(key, _)| *key).collect();
    keys.into_iter().find_map(|key| {
        let values = members.iter().filter(|(known, _)| *known == key);
        let values: Vec<_> = values.map(|(_, value)| *value).collect();
        Some((key.to_owned(), failure(key, &values)?))
    })
}

/// The condition of failed calls by a flag with several values.
pub(super) fn failure(path: &str, values: &[&Node<'_>]) -> Option<State> {
    let distinct: BTreeSet<&str> = values.iter().map(|it| it.raw()).collect();
    if distinct.len() < 2 || !is_flag(values) {
        return None;
    }
    let of = |fails: &dyn Fn(&Node<'_>) -> bool| {
        let failed: Vec<_> = values.iter().copied().filter(|it| fails(it)).collect();
        (!failed.is_empty() && failed.len() < values.len()).then_some(failed)
    };
    // Numbers and booleans under other keys say something else.
    let says_end = [STATES, CODES, LEVELS, OUTPUTS]
        .iter()
        .any(|words| words::is_one(last_key(path), words));
    let is_false = |it: &Node<'_>| words::truth(it) == Some(false);
    let is_boolean = values.iter().any(|it| it.is_false());
    let by_truth = || {
        let is_true = |it: &Node<'_>| words::truth(it) == Some(true);
        let (no, yes) = (of(&is_false)?, of(&is_true)?);
        // Failures are rarer than successes, whether 0 or 1 stands for them.
        Some(if is_boolean || no.len() <= yes.len() {
            no
        } else {
            yes
        })
    };
    let failed = of(&is_failure)
        .or_else(|| of(&is_warning))
        .or_else(|| says_end.then(by_truth).flatten())?;
    Some(State {
        path: path.to_owned(),
        values: one_or_list(written(&failed)),
        unsure: Some("does this mean that the call failed?"),
    })
}
