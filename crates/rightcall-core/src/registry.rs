//! The list of evaluators.
//!
//! The command line, its help, the suite schema, the reference pages, the bindings and the conformance runner all read this list, so an
//! evaluator is available everywhere once it is listed.

use crate::entry::Entry;
pub use crate::presets::EVALUATORS;
use crate::settings::{ConfigError, nearest};

/// The entry of an id or alias.
///
/// # Errors
/// [`ConfigError::AmbiguousEvaluator`] with the possible ids if several systems have a metric of this name, otherwise
/// [`ConfigError::UnknownEvaluator`] with the nearest names.
pub fn find(id: &str) -> Result<&'static Entry, ConfigError> {
    EVALUATORS
        .iter()
        .copied()
        .find(|entry| entry.id == id || entry.aliases.contains(&id))
        .ok_or_else(|| {
            let ids: Vec<_> = EVALUATORS
                .iter()
                .filter(|entry| entry.metric() == id)
                .map(|entry| entry.id)
                .collect();
            if ids.len() > 1 {
                return ConfigError::AmbiguousEvaluator {
                    id: id.to_owned(),
                    ids,
                };
            }
            let names = EVALUATORS
                .iter()
                .flat_map(|entry| std::iter::once(entry.id).chain(entry.aliases.iter().copied()));
            ConfigError::UnknownEvaluator {
                id: id.to_owned(),
                nearest: nearest(id, names),
            }
        })
}

/// The evaluators of a system, such as `deepeval`.
pub fn of_system(system: &str) -> Vec<&'static Entry> {
    let is_of = |entry: &&'static Entry| entry.system() == Some(system);
    EVALUATORS.iter().copied().filter(is_of).collect()
}

/// Help for an unknown id: the evaluators of a system, if it is a system's name.
pub fn help_with_id(id: &str) -> String {
    let ids: Vec<_> = of_system(id)
        .iter()
        .map(|entry| format!("`{}`", entry.id))
        .collect();
    if ids.is_empty() {
        "`rightcall evaluators` lists them".to_owned()
    } else {
        format!("the evaluators of `{id}` are: {}", ids.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_are_unique_or_an_error() {
        let of_accuracy = [
            "evalite/tool-call-accuracy",
            "ragas/tool-call-accuracy",
            "mastra/tool-call-accuracy",
        ];
        for (name, ids, written) in [
            (
                "tool-correctness",
                &["axion/tool-correctness", "deepeval/tool-correctness"][..],
                "`axion/tool-correctness` or `deepeval/tool-correctness`",
            ),
            (
                "tool-call-accuracy",
                &of_accuracy,
                "`evalite/tool-call-accuracy` or `ragas/tool-call-accuracy` or `mastra/tool-call-accuracy`",
            ),
        ] {
            let error = find(name).unwrap_err();
            assert_eq!(
                error,
                ConfigError::AmbiguousEvaluator {
                    id: name.into(),
                    ids: ids.to_vec()
                }
            );
            assert_eq!(
                error.to_string(),
                format!("several evaluators are called `{name}`: write {written}")
            );
        }
        assert_eq!(
            find("tool-call-order").unwrap().id,
            "uipath/tool-call-order"
        );
        assert_eq!(
            find("toolCallAccuracy").unwrap().id,
            "evalite/tool-call-accuracy"
        );
        for entry in EVALUATORS {
            for alias in entry.aliases {
                let others = || EVALUATORS.iter().filter(|other| other.id != entry.id);
                assert!(
                    others()
                        .all(|other| other.metric() != *alias && !other.aliases.contains(alias)),
                    "{alias}"
                );
            }
        }
    }
}
