//! Suites: what to score and how good it must be, in YAML or JSON.
//!
//! Paths are relative to the suite. A suite is first validated against its tables ([`keys`]), so
//! the parser can rely on its form. Every message has file, line and JSON pointer, and suggests the
//! nearest known name for a misspelled one.

mod check;
mod definition;
mod evaluator;
mod expect;
mod fault;
mod files;
mod filter;
mod gates;
mod keys;
mod members;
mod parse;
mod places;
mod rules;
mod schema;
mod uipath;

use std::io;
use std::path::Path;

use rightcall_formats::read_text;
use rightcall_formats::yaml::{self, YamlNode};

use crate::ExpectationRule;

use parse::parse;

pub use definition::{EvalSet, Suite, SuiteOptions, SuiteReading, text_hash};
pub use fault::SuiteError;
pub use files::{files_like, is_glob};
pub use places::{SuitePlace, SuitePlaces, SuiteTool};
pub use schema::{map_schema, suite_schema};

impl Suite {
    /// Reads a suite.
    ///
    /// # Errors
    /// An error in the suite, with its location.
    pub fn read(path: &Path, options: &SuiteOptions) -> Result<Self, SuiteError> {
        let directory = path.parent().unwrap_or(Path::new(""));
        let ending = path.extension().and_then(|ending| ending.to_str());
        let text = read_text(path, options.limits.max_document)
            .map_err(|error| unread(&error).in_file(path))?;
        let suite = match ending {
            Some("json") if uipath::is_eval_set(&text) => uipath::suite_of(&text, path, options),
            // A line of JSON Lines may be valid YAML too, so the file extension decides.
            Some("jsonl" | "ndjson") => {
                parse(&text, directory, options).map_err(|_| file_of_cases())
            }
            _ => parse(&text, directory, options),
        };
        suite.map_err(|fault| fault.in_file(path))
    }

    /// The errors in a suite and in each of its profiles, without repeats; empty if it can be run
    /// with all of them. Its files need not exist.
    pub fn errors(path: &Path, options: &SuiteOptions) -> Vec<SuiteError> {
        let read = |profile| {
            let options = SuiteOptions {
                profile,
                settings_alone: true,
                ..options.clone()
            };
            Self::read(path, &options).err()
        };
        let mut errors = Vec::new();
        let names = Self::profiles(path, options).into_iter().map(Some);
        for error in std::iter::once(None).chain(names).filter_map(read) {
            if !errors.contains(&error) {
                errors.push(error);
            }
        }
        errors
    }

    /// The names of the profiles of a suite.
    pub fn profiles(path: &Path, options: &SuiteOptions) -> Vec<String> {
        let text = read_text(path, options.limits.max_document).unwrap_or_default();
        let root = YamlNode::parse(&text).ok();
        let profiles = root.as_ref().and_then(|root| root.member("profiles"));
        let profiles = profiles.into_iter().flat_map(YamlNode::members);
        profiles.map(|(key, _)| key.name.clone()).collect()
    }

    /// True if a gate can fail a run; without gates, if an evaluator can.
    pub fn can_fail(&self) -> bool {
        match &self.gates {
            Some(gates) => gates.iter().any(|it| !it.implied && it.can_fail()),
            None => self.evaluators.iter().any(|it| {
                let threshold = it.evaluator.threshold();
                it.is_decisive() && threshold.is_none_or(|it| it > 0.0)
            }),
        }
    }
}

/// The expectations in a separate file, in the form of `expect:` in a suite.
///
/// # Errors
/// An error in the file, with its location.
pub fn expectations_in(
    path: &Path,
    max_document: usize,
) -> Result<Vec<ExpectationRule>, SuiteError> {
    let read = |document: &YamlNode| {
        check::check(document, &keys::ValueType::Expectation)?;
        expect::expected_of(document)
    };
    only_document(
        path,
        max_document,
        "list or object of what is expected",
        read,
    )
}

/// The rules for live runs, as settings of the evaluator `constraints` (JSON text). The file is a
/// list of rules, an object of these settings, or a suite.
///
/// # Errors
/// An error in the file, with its location.
pub fn rules_in(path: &Path, max_document: usize) -> Result<String, SuiteError> {
    only_document(path, max_document, RULES, |document| {
        rules::rules_of(document, path.parent().unwrap_or(Path::new("")))
    })
}

/// The rules for live runs, and a suite's settings for reading traces.
///
/// # Errors
/// An error in the file or in its map, with its location.
pub fn live_rules_in(
    path: &Path,
    max_document: usize,
) -> Result<(String, SuiteReading), SuiteError> {
    only_document(path, max_document, RULES, |document| {
        let directory = path.parent().unwrap_or(Path::new(""));
        let settings = rules::rules_of(document, directory)?;
        Ok((settings, rules::reading_of(document, directory)?))
    })
}

/// The content of a file of rules, for messages.
const RULES: &str = "list of rules or suite";

/// Reads a file with a single document.
fn only_document<T>(
    path: &Path,
    max_document: usize,
    expected: &str,
    read: impl FnOnce(&YamlNode) -> Result<T, SuiteError>,
) -> Result<T, SuiteError> {
    let text = read_text(path, max_document).map_err(|error| unread(&error).in_file(path))?;
    let (mut documents, error) = yaml::documents(&text);
    let only = match error {
        Some(error) => Err(SuiteError::from(error)),
        None => documents
            .pop()
            .filter(|_| documents.is_empty())
            .ok_or_else(|| SuiteError::of_file(format!("expected one {expected}"))),
    };
    only.and_then(|document| read(&document))
        .map_err(|fault| fault.in_file(path))
}

/// The suite could not be read.
fn unread(error: &io::Error) -> SuiteError {
    match error.kind() {
        io::ErrorKind::NotFound => SuiteError::of_file("no such file")
            .help("`rightcall init` writes a suite to start from"),
        io::ErrorKind::IsADirectory => {
            SuiteError::of_file("is a directory").help("name the suite in it")
        }
        io::ErrorKind::InvalidData => {
            SuiteError::of_file("is not UTF-8 text").help("a suite is a file in YAML or JSON")
        }
        io::ErrorKind::FileTooLarge => {
            SuiteError::of_file(error.to_string()).help("--max-document allows larger files")
        }
        _ => SuiteError::of_file(format!("cannot be read: {error}")),
    }
}

/// The error for a file of cases instead of a suite.
fn file_of_cases() -> SuiteError {
    SuiteError::of_file("a suite is one object in YAML or JSON, and this is a file of JSON Lines")
        .help("to score a file of cases: rightcall score FILE -e EVALUATOR")
}

#[cfg(test)]
mod tests;
