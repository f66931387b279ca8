//! The static description of an evaluator: its names, page and settings.

use std::fmt;

use crate::call::Shape;
use crate::recipe::Preset;
use crate::settings::{ConfigError, Setting, Settings};

/// An evaluator's entry.
#[derive(Debug)]
pub struct Entry {
    /// `system/metric`.
    pub id: &'static str,
    /// Alternative names.
    pub aliases: &'static [&'static str],
    /// A one-line summary.
    pub summary: &'static str,
    /// The reference page.
    pub page: Page,
    /// Its settings.
    pub settings: &'static [Setting],
    /// Its editions, the default first.
    pub editions: &'static [Edition],
    /// The required parts of a case.
    pub needs: &'static str,
    /// The original's own shape, if the evaluator reads it directly.
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
    /// How the score is computed.
    pub formula: &'static str,
    /// When to use it.
    pub use_when: &'static str,
    /// When not to use it.
    pub not_when: &'static str,
    /// Its limitations.
    pub limits: &'static str,
    /// When it does not apply to a case.
    pub not_applicable: &'static str,
    /// Each difference between the editions; empty if there is only one.
    pub editions: &'static str,
    /// Each difference from the package that all editions have.
    pub departures: &'static [Departure],
    /// The source of the definition.
    pub source: &'static str,
    /// Related evaluators.
    pub related: &'static [&'static str],
    /// An example, which a test checks.
    pub example: Example,
}

/// An intended difference between an evaluator and its package.
#[derive(Debug)]
pub struct Departure {
    /// The input, or the setting.
    pub point: &'static str,
    /// The package's result.
    pub package: &'static str,
    /// The result here.
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

/// The source that a preset follows if its document and its package differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edition {
    /// The reference document, or the package where the document has no rule.
    Documented,
    /// The published package, exactly.
    Package,
}

impl Edition {
    /// Parses an edition's name.
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

impl Entry {
    /// True if it has its own threshold, which a user's threshold replaces.
    pub fn has_threshold(&self) -> bool {
        self.settings
            .iter()
            .any(|setting| setting.name == "threshold")
    }

    /// The system of the metric; `None` for this project's own evaluators.
    pub fn system(&self) -> Option<&'static str> {
        self.id.split_once('/').map(|(system, _)| system)
    }

    /// The metric without its system.
    pub(crate) fn metric(&self) -> &'static str {
        self.id.rsplit('/').next().unwrap_or(self.id)
    }
}
