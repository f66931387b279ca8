//! What is known of an evaluator before it is made: its names, its page, its settings.

use std::fmt;

use crate::call::Shape;
use crate::recipe::Preset;
use crate::settings::{ConfigError, Setting, Settings};

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

impl Entry {
    /// True if it has a pass mark of its own, which a user's threshold replaces.
    pub fn has_threshold(&self) -> bool {
        self.settings
            .iter()
            .any(|setting| setting.name == "threshold")
    }

    /// Whose metric it is; `None` for the evaluators of this project, which have no original.
    pub fn system(&self) -> Option<&'static str> {
        self.id.split_once('/').map(|(system, _)| system)
    }

    /// The metric without its system.
    pub(crate) fn metric(&self) -> &'static str {
        self.id.rsplit('/').next().unwrap_or(self.id)
    }
}
