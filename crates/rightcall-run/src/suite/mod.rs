//! Suites: what to score and how good it must be, in YAML or JSON.
//!
//! Paths are relative to the suite. A suite is first checked against its tables ([`keys`]), so that reading it can take its
//! form for granted. Every message names file, line and JSON pointer, and for a misspelt name the nearest.

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
mod rules;
mod schema;
mod uipath;

use std::io;
use std::path::Path;

use rightcall_formats::read_text;
use rightcall_formats::yaml::{self, YamlNode};

use crate::ExpectationRule;

use parse::parse;

pub use definition::{EvalSet, Skipped, Suite, SuiteOptions, text_hash};
pub use fault::SuiteError;
pub use schema::{map_schema, suite_schema};

impl Suite {
    /// Reads a suite.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub fn read(path: &Path, options: &SuiteOptions) -> Result<Self, SuiteError> {
        let directory = path.parent().unwrap_or(Path::new(""));
        let ending = path.extension().and_then(|ending| ending.to_str());
        let text = read_text(path, options.limits.max_document)
            .map_err(|error| unread(&error).in_file(path))?;
        let suite = match ending {
            Some("json") if uipath::is_eval_set(&text) => uipath::suite_of(&text, path, options),
            // Each line of a file of cases may be YAML too, so its end says what it is.
            Some("jsonl" | "ndjson") => {
                parse(&text, directory, options).map_err(|_| file_of_cases())
            }
            _ => parse(&text, directory, options),
        };
        suite.map_err(|fault| fault.in_file(path))
    }
}

/// What is expected of runs, from a file of its own: what stands under `expect:` in a suite.
///
/// # Errors
/// What is wrong with the file, and where.
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

/// The rules for runs that still go on, as settings of the evaluator `constraints`, a JSON text: a file with a list of rules, with these
/// settings, or a suite.
///
/// # Errors
/// What is wrong with the file, and where.
pub fn rules_in(path: &Path, max_document: usize) -> Result<String, SuiteError> {
    only_document(
        path,
        max_document,
        "list of rules or suite",
        rules::rules_of,
    )
}

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

/// A file of cases stands where the suite should.
fn file_of_cases() -> SuiteError {
    SuiteError::of_file("a suite is one object in YAML or JSON, and this is a file of JSON Lines")
        .help("to score a file of cases: rightcall score FILE -e EVALUATOR")
}

#[cfg(test)]
mod tests;
