//! The one list of evaluators.
//!
//! The command line, its help, the suite's schema, the reference pages, the bindings and the conformance runner all read
//! it, so an evaluator that is in the list is everywhere.

use std::fmt;

use crate::call::Shape;
use crate::presets::{self, Preset};
use crate::settings::{ConfigError, Setting, Settings, nearest};

/// An evaluator's entry.
#[derive(Debug)]
pub struct Entry {
    /// `system/metric`.
    pub id: &'static str,
    /// Other names it goes by.
    pub aliases: &'static [&'static str],
    /// One line.
    pub summary: &'static str,
    /// The reference page.
    pub page: Page,
    /// Its settings.
    pub settings: &'static [Setting],
    /// Its editions, the default first.
    pub editions: &'static [Edition],
    /// What a case must hold for it.
    pub needs: &'static str,
    /// The original's own shape, which it reads as it is.
    pub shape: Option<Shape>,
    pub(crate) build: Build,
}

/// Makes an evaluator from its settings.
pub(crate) type Build = fn(&Settings<'_>, Edition) -> Result<Box<dyn Preset>, ConfigError>;

/// The written part of a reference page, in Markdown.
#[derive(Debug)]
pub struct Page {
    /// What it measures.
    pub measures: &'static str,
    /// How the score comes about.
    pub formula: &'static str,
    /// When to use it.
    pub use_when: &'static str,
    /// When not to.
    pub not_when: &'static str,
    /// What it cannot do.
    pub limits: &'static str,
    /// When it does not apply to a case.
    pub not_applicable: &'static str,
    /// Each point on which the editions differ; empty where there is one edition.
    pub editions: &'static str,
    /// Each point on which it differs from the package in every edition.
    pub departures: &'static [Departure],
    /// Where the definition comes from.
    pub source: &'static str,
    /// Related evaluators.
    pub related: &'static [&'static str],
    /// An example, which a test runs.
    pub example: Example,
}

/// A point on which an evaluator differs from its package on purpose.
#[derive(Debug)]
pub struct Departure {
    /// The input, or the setting.
    pub point: &'static str,
    /// What the package makes of it.
    pub package: &'static str,
    /// What comes out here.
    pub here: &'static str,
    /// Why.
    pub reason: &'static str,
}

/// An example that a test runs.
#[derive(Debug)]
pub struct Example {
    /// The settings, a JSON object.
    pub settings: &'static str,
    /// `expected` of a canonical case, as JSON.
    pub expected: &'static str,
    /// `actual` of a canonical case, as JSON.
    pub actual: &'static str,
    /// The original's result, as JSON.
    pub result: &'static str,
}

/// What a preset follows where its document and its package differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edition {
    /// The reference document, and the package where that is silent.
    Documented,
    /// The shipping package, bit for bit.
    Package,
}

impl Edition {
    /// The edition of a name.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "documented" => Some(Self::Documented),
            "package" => Some(Self::Package),
            _ => None,
        }
    }

    /// The name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Documented => "documented",
            Self::Package => "package",
        }
    }
}

impl fmt::Display for Edition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Every evaluator, in the order in which lists show them.
pub static EVALUATORS: &[&Entry] = &[
    &presets::uipath::count::ENTRY,
    &presets::uipath::order::ENTRY,
    &presets::uipath::args::ENTRY,
    &presets::uipath::output::ENTRY,
    &presets::axion::ENTRY,
    &presets::evalite::ENTRY,
    &presets::tpmjs::ENTRY,
    &presets::deepeval::ENTRY,
    &presets::ragas::accuracy::ENTRY,
    &presets::ragas::f1::ENTRY,
    &presets::agentevals::ENTRY,
    &presets::adk::ENTRY,
    &presets::tau2::ENTRY,
    &presets::trajectory::ENTRY,
    &presets::constraints::ENTRY,
];

impl Entry {
    /// True if it has a pass mark of its own, which a user's threshold replaces.
    pub fn has_threshold(&self) -> bool {
        self.settings
            .iter()
            .any(|setting| setting.name == "threshold")
    }

    /// The metric without its system.
    fn metric(&self) -> &'static str {
        self.id.rsplit('/').next().unwrap_or(self.id)
    }
}

/// The entry of an id or alias.
///
/// # Errors
/// [`ConfigError::AmbiguousEvaluator`] with the ids where several systems call a metric so, else [`ConfigError::UnknownEvaluator`]
/// with the nearest names.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_name_means_one_evaluator_or_none() {
        for (name, ids) in [
            (
                "tool-correctness",
                ["axion/tool-correctness", "deepeval/tool-correctness"],
            ),
            (
                "tool-call-accuracy",
                ["evalite/tool-call-accuracy", "ragas/tool-call-accuracy"],
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
                format!(
                    "several evaluators are called `{name}`: write `{}` or `{}`",
                    ids[0], ids[1]
                )
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
