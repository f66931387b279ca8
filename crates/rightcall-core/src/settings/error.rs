//! Errors in evaluator ids and settings, with suggestions for misspelt names.

use crate::value::{JsonText, Value};

/// Why an evaluator can't be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// No evaluator has this id.
    #[error("no evaluator is called `{id}`{}", did_you_mean(.nearest))]
    UnknownEvaluator {
        /// The requested id.
        id: String,
        /// The nearest ids.
        nearest: Vec<&'static str>,
    },
    /// Metrics of several systems have this name.
    #[error("several evaluators are called `{id}`: write {}", quoted(.ids))]
    AmbiguousEvaluator {
        /// The requested name.
        id: String,
        /// The possible ids.
        ids: Vec<&'static str>,
    },
    /// The evaluator doesn't have this setting.
    #[error("{evaluator} has no setting `{setting}`{}", did_you_mean(.nearest))]
    UnknownSetting {
        /// The evaluator.
        evaluator: &'static str,
        /// The given setting, with dots.
        setting: String,
        /// The nearest settings.
        nearest: Vec<&'static str>,
    },
    /// A setting has an invalid value.
    #[error("{evaluator}: `{setting}` takes {expected}, found {found}")]
    BadValue {
        /// The evaluator.
        evaluator: &'static str,
        /// The setting, with dots.
        setting: String,
        /// The accepted values.
        expected: String,
        /// The given value.
        found: String,
    },
    /// The evaluator doesn't have this edition.
    #[error("{evaluator} has no `{edition}` edition; it has {available}")]
    NoSuchEdition {
        /// The evaluator.
        evaluator: &'static str,
        /// The requested edition.
        edition: String,
        /// The available editions.
        available: String,
    },
    /// Settings that exclude each other.
    #[error("{evaluator}: {message}")]
    Conflict {
        /// The evaluator.
        evaluator: &'static str,
        /// The settings, and how to resolve the conflict.
        message: String,
    },
}

/// `; did you mean …?` with the nearest names, or an empty text if there are none.
pub fn did_you_mean(nearest: &[&str]) -> String {
    if nearest.is_empty() {
        String::new()
    } else {
        format!("; did you mean {}?", quoted(nearest))
    }
}

/// `a` or `b`.
fn quoted(names: &[&str]) -> String {
    names
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(" or ")
}

/// At most three names similar to a misspelt one, best first. Shorter names win ties. Empty if no
/// name is similar.
pub fn nearest<'n>(name: &str, among: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    let wanted = folded(name);
    let mut near: Vec<_> = among
        .into_iter()
        .map(|candidate| {
            let tail = candidate.rsplit('/').next().unwrap_or(candidate);
            let similarity =
                |other: &str| strsim::normalized_damerau_levenshtein(&wanted, &folded(other));
            (similarity(candidate).max(similarity(tail)), candidate)
        })
        .filter(|(similarity, _)| *similarity >= 0.6)
        .collect();
    near.sort_by(|a, b| {
        b.0.total_cmp(&a.0)
            .then((a.1.len(), a.1).cmp(&(b.1.len(), b.1)))
    });
    near.dedup_by_key(|(_, candidate)| *candidate);
    // Drop names that are clearly less similar than the best one.
    let best = near.first().map_or(0.0, |(similarity, _)| *similarity);
    near.into_iter()
        .take_while(|(similarity, _)| *similarity >= best - 0.02)
        .take(3)
        .map(|(_, candidate)| candidate)
        .collect()
}

/// The name in lower case, without `_` and `-`.
pub fn folded(name: &str) -> String {
    name.chars()
        .filter(|character| !matches!(character, '_' | '-'))
        .flat_map(char::to_lowercase)
        .collect()
}

/// A short description of a value for messages: `the number 7`, `an object`.
pub fn describe(value: &Value<'_>) -> String {
    let json = || {
        let json = JsonText::from_value(value);
        let short: String = json.as_str().chars().take(40).collect();
        if short.len() < json.as_str().len() {
            format!("{short}…")
        } else {
            short
        }
    };
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(it) => it.to_string(),
        Value::Float(float) if float.is_nan() => "NaN".to_owned(),
        Value::Float(float) if float.is_infinite() => "an infinite number".to_owned(),
        Value::Integer(_) | Value::Float(_) => format!("the number {}", json()),
        Value::String(_) => format!("the text {}", json()),
        Value::List(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::Python(_) => "a Python value".to_owned(),
    }
}
