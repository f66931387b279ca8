//! A summary of a trace file: counted calls, omissions and unrecorded facts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use rightcall_core::call::{ArgumentText, Call, Case, Expectation, TextKind, argument_text};

use crate::error::{OpenError, ReadError};
use crate::format::Format;
use crate::input::{Block, Input, RecordContent};
use crate::options::{Limits, ReadOptions};
use crate::trace::{Executor, Report};

/// The summary of a file.
#[derive(Debug, Default)]
pub struct Inspection {
    /// The file as the user named it.
    pub file: Arc<str>,
    /// Its format, if known.
    pub format: Option<&'static Format>,
    /// Number of trajectories.
    pub trajectories: u64,
    /// Number of calls.
    pub calls: u64,
    /// Number of expected calls.
    pub expected_calls: u64,
    /// Trajectories with an expectation.
    pub with_expectation: u64,
    /// Trajectories with a reward.
    pub with_reward: u64,
    /// Trajectories with a question.
    pub with_question: u64,
    /// Unknown keys of calls, with the number of calls that have them.
    pub other_keys: BTreeMap<String, u64>,
    /// Likely misspelled keys of cases, each with the key that may be meant and the number of cases.
    pub near_keys: BTreeMap<String, (&'static str, u64)>,
    /// Number of calls of each tool.
    pub names: BTreeMap<String, u64>,
    /// Calls with a result.
    pub with_result: u64,
    /// Calls that ended in an error.
    pub failed: u64,
    /// Requested calls that did not run.
    pub not_run: u64,
    /// Calls with a text as arguments that contains no value.
    pub invalid_arguments: u64,
    /// The report on omissions.
    pub report: Report,
    /// Parts that could not be read.
    pub errors: Vec<ReadError>,
    lacking: BTreeMap<Fact, Lacking>,
}

/// A fact that a call may record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fact {
    Arguments,
    Output,
    Id,
    Times,
}

/// The calls that lack a fact.
#[derive(Clone, Debug, Default)]
struct Lacking {
    calls: u64,
    names: BTreeSet<String>,
}

/// A fact that a file did not record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotRecorded {
    /// The fact: `arguments`, `outputs`, `call ids`, `times`.
    pub what: &'static str,
    /// The tools without it, if others have it.
    pub of: Vec<String>,
}

impl std::fmt::Display for NotRecorded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.what)?;
        match &self.of[..] {
            [] => Ok(()),
            names if names.len() > 3 => write!(
                f,
                " of {} and {} more",
                names[..3].join(", "),
                names.len() - 3
            ),
            names => write!(f, " of {}", names.join(", ")),
        }
    }
}

/// True for a text as arguments that should hold a value but doesn't: it is cut off, or never was one.
pub fn has_invalid_arguments(call: &Call<'_>) -> bool {
    let is_encoded = call.arguments.text_kind() == Some(TextKind::Encoded);
    let text = call.arguments.text().filter(|_| is_encoded);
    text.is_some_and(|text| argument_text(text).1 == ArgumentText::Invalid)
}

/// The number of stated calls, or else of the names in order.
fn stated_calls(expected: &Expectation<'_>) -> u64 {
    let calls = expected.calls.as_ref().map(Vec::len);
    let in_blocks = expected.tree.as_ref().map(|tree| tree.leaf_count());
    calls
        .or(in_blocks)
        .or(expected.order.as_ref().map(Vec::len))
        .unwrap_or_default() as u64
}

/// The maximum number of errors kept per file; more add no information.
const MAX_ERRORS: usize = 1000;

impl Inspection {
    /// An empty summary of a file.
    pub fn new(file: Arc<str>) -> Self {
        Self {
            file,
            ..Self::default()
        }
    }

    /// Reads a file to its end, and passes each of its cases with its line to `each`.
    ///
    /// # Errors
    /// The file cannot be opened. Errors while reading it are in [`Inspection::errors`].
    pub fn from_file(
        path: &Path,
        limits: Limits,
        options: &ReadOptions,
        each: &mut dyn FnMut(&Case<'_>, u64),
    ) -> Result<Self, OpenError> {
        let mut input = Input::open(path, limits, options)?;
        let mut inspection = Self::new(Arc::clone(input.name()));
        loop {
            match input.next_block(Input::BLOCK) {
                Ok(Some(block)) => inspection.block(&block, options, each),
                Ok(None) => break,
                Err(error) => {
                    inspection.error(error);
                    break;
                }
            }
        }
        // An error in detecting the format is already in the list.
        inspection.format = input.format().unwrap_or_default();
        Ok(inspection)
    }

    /// Facts that the file did not record, for all calls or for those of some tools.
    pub fn not_recorded(&self) -> Vec<NotRecorded> {
        let facts = self.lacking.iter();
        facts
            .map(|(fact, lacking)| NotRecorded {
                what: match fact {
                    Fact::Arguments => "arguments",
                    Fact::Output => "outputs",
                    Fact::Id => "call ids",
                    Fact::Times => "times",
                },
                of: if lacking.calls == self.calls {
                    Vec::new()
                } else {
                    lacking.names.iter().cloned().collect()
                },
            })
            .collect()
    }

    fn error(&mut self, error: ReadError) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(error);
        }
    }

    fn block(
        &mut self,
        block: &Block,
        options: &ReadOptions,
        each: &mut dyn FnMut(&Case<'_>, u64),
    ) {
        for record in block.records() {
            let case = |content: RecordContent<'_>| {
                let case = content.case(options)?;
                self.add(&case);
                if block.report().is_none() {
                    let calls = case.actual.iter().flat_map(|run| &run.calls);
                    let actors = calls.filter_map(|call| call.metadata().actor.as_ref());
                    actors.for_each(|actor| self.report.keep(actor));
                }
                each(&case, record.place.line);
                Ok(())
            };
            if let Err(error) = record.content.clone().and_then(case) {
                self.error(error.in_record(&Arc::clone(&self.file), &record));
            }
        }
        if let Some(report) = block.report() {
            self.report.add(report);
        }
    }

    /// Counts the calls of a case.
    pub fn add(&mut self, case: &Case<'_>) {
        self.trajectories += 1;
        self.expected_calls += stated_calls(&case.expected);
        self.with_expectation += u64::from(!case.expected.is_empty() || case.native.is_some());
        let has = |key: &str| case.meta.iter().any(|(known, _)| *known == *key);
        self.with_reward += u64::from(has("reward"));
        self.with_question += u64::from(case.input.is_some());
        let expected = case.expected.calls.iter().flatten();
        let actual = case.actual.iter().flat_map(|run| &run.calls);
        for key in expected
            .chain(actual.clone())
            .flat_map(|call| &call.metadata().other_keys)
        {
            let key = key.to_display().into_owned();
            *self.other_keys.entry(key).or_default() += 1;
        }
        for (key, meant) in &case.near_keys {
            let key = key.to_display().into_owned();
            self.near_keys.entry(key).or_insert((meant, 0)).1 += 1;
        }
        actual.for_each(|call| self.count(call));
    }

    /// Adds the counts of another part of the same file.
    pub fn append(&mut self, other: Self) {
        for (count, more) in [
            (&mut self.trajectories, other.trajectories),
            (&mut self.calls, other.calls),
            (&mut self.expected_calls, other.expected_calls),
            (&mut self.with_expectation, other.with_expectation),
            (&mut self.with_reward, other.with_reward),
            (&mut self.with_question, other.with_question),
            (&mut self.with_result, other.with_result),
            (&mut self.failed, other.failed),
            (&mut self.not_run, other.not_run),
            (&mut self.invalid_arguments, other.invalid_arguments),
        ] {
            *count += more;
        }
        for (all, more) in [
            (&mut self.other_keys, other.other_keys),
            (&mut self.names, other.names),
        ] {
            for (name, number) in more {
                *all.entry(name).or_default() += number;
            }
        }
        for (key, (meant, cases)) in other.near_keys {
            self.near_keys.entry(key).or_insert((meant, 0)).1 += cases;
        }
        for (fact, lacking) in other.lacking {
            let of = self.lacking.entry(fact).or_default();
            of.calls += lacking.calls;
            of.names.extend(lacking.names);
        }
        self.report.add(&other.report);
        self.errors.extend(other.errors);
    }

    fn count(&mut self, call: &Call<'_>) {
        let (name, metadata) = (call.name.to_string(), call.metadata());
        let has_failed = call.failed() == Some(true);
        let has_result = metadata.recorded_output().is_some();
        let has_run = metadata.executor != Executor::Nobody;
        self.calls += 1;
        self.with_result += u64::from(has_result);
        self.failed += u64::from(has_failed);
        self.not_run += u64::from(!has_run);
        self.invalid_arguments += u64::from(has_invalid_arguments(call));
        for (fact, is_there) in [
            (Fact::Arguments, !call.arguments.is_absent()),
            // A call that did not run has no result, and a failed one may have none.
            (Fact::Output, has_result || has_failed || !has_run),
            (Fact::Id, metadata.id.is_some()),
            (Fact::Times, metadata.start.is_some() || !has_run),
        ] {
            if !is_there {
                let lacking = self.lacking.entry(fact).or_default();
                lacking.calls += 1;
                lacking.names.insert(name.clone());
            }
        }
        *self.names.entry(name).or_default() += 1;
    }
}
