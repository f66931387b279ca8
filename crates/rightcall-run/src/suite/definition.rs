//! Parsed suites.

use std::hash::Hasher;
use std::mem;
use std::path::PathBuf;

use rightcall_core::Edition;
use rightcall_formats::join::Join;
use rightcall_formats::{Format, Limits, ReadOptions};
use siphasher::sip128::{Hasher128, SipHasher13};

use crate::results_file::{ResultsError, ResultsOptions, read_results};
use crate::{Baseline, CaseRule, Configured, ExpectationRule, Gate, Redaction};

/// A parsed suite.
#[derive(Debug, Default)]
pub struct Suite {
    /// The files of cases, in the order of the suite; the matches of a glob are sorted by name.
    pub cases: Vec<PathBuf>,
    /// The files of traces.
    pub traces: Vec<PathBuf>,
    /// True if the suite names traces but no cases. `cases` then holds the traces, and each run is
    /// a case.
    pub runs_are_cases: bool,
    /// Named lists of trace files that are scored separately and compared, in the order of the suite.
    pub runs: Vec<(String, Vec<PathBuf>)>,
    /// Meta keys that distinguish the runs of a case, in addition to `model`.
    pub identity: Vec<String>,
    /// The evaluators.
    pub evaluators: Vec<Configured>,
    /// The gates. If set, even to an empty list, only gates decide whether the run passes; with `None`, verdicts do.
    pub gates: Option<Vec<Gate>>,
    /// Expectations for trajectories without one.
    pub expected: Vec<ExpectationRule>,
    /// How to combine the evaluations of a case.
    pub case_rule: CaseRule,
    /// The meta key that trials of a case share; `None` if they share the id.
    pub trial_group: Option<String>,
    /// The file of results that gates on changes compare the run with.
    pub baseline: Option<PathBuf>,
    /// Values to hide in the cases.
    pub redaction: Redaction,
    /// Number of cases that the history stores for each run.
    pub max_cases: usize,
    /// A hash of the text of the suite in hexadecimal, to see whether two runs used the same suite.
    pub hash: String,
    /// The key that matches runs to cases, if the suite sets it.
    pub join: Option<Join>,
    /// Options for reading traces, where a format allows several readings.
    pub read: Vec<(String, String)>,
    /// The format defined by the suite's map for traces.
    pub map: Option<&'static Format>,
    /// Details of an eval set of `UiPath`; `None` for other suites.
    pub eval_set: Option<EvalSet>,
}

/// A suite's settings for reading its traces.
#[derive(Clone, Debug, Default)]
pub struct SuiteReading {
    /// Choices for ambiguous parts of a format, by key.
    pub choices: Vec<(String, String)>,
    /// The key that matches runs to cases.
    pub join: Option<Join>,
    /// The format that its map defines.
    pub map: Option<&'static Format>,
}

impl SuiteReading {
    /// The settings of a suite.
    pub fn of(suite: &Suite) -> Self {
        Self {
            choices: suite.read.clone(),
            join: suite.join,
            map: suite.map,
        }
    }
}

/// Details of a suite that is an eval set of `UiPath`.
#[derive(Debug)]
pub struct EvalSet {
    /// Evaluators that were skipped because they do not score tool calls, each as `ID (KIND)`.
    pub skipped: Vec<String>,
}

/// Options that the user sets for a suite.
#[derive(Clone, Debug, Default)]
pub struct SuiteOptions {
    /// Overrides the edition in the suite.
    pub edition: Option<Edition>,
    /// The profile.
    pub profile: Option<String>,
    /// Size limits for files.
    pub limits: Limits,
    /// True if only the evaluators and other settings are used. The suite then needs no files of
    /// cases, and the files that it names are not looked up.
    pub settings_alone: bool,
}

impl Suite {
    /// Replaces the files of runs, unless `instead` is empty, and adds others. Returns the replaced files.
    ///
    /// Without files of cases, each run is a case: one expectation applies to all runs, or there
    /// are only rules.
    pub fn take_traces(&mut self, instead: &[PathBuf], added: &[PathBuf]) -> Vec<PathBuf> {
        if self.runs_are_cases {
            self.traces = mem::take(&mut self.cases);
        }
        let mut replaced = Vec::new();
        if !instead.is_empty() {
            replaced = mem::replace(&mut self.traces, instead.to_vec());
            replaced.extend(mem::take(&mut self.runs).into_iter().flat_map(|(_, it)| it));
        }
        self.traces.extend_from_slice(added);
        if self.cases.is_empty() && self.runs.is_empty() {
            self.cases = mem::take(&mut self.traces);
        }
        replaced
    }

    /// The read options, extended by the suite's.
    pub fn reading(&self, options: ReadOptions) -> ReadOptions {
        let mut choices = options.choices;
        for (key, value) in &self.read {
            // Validated when the suite was parsed.
            _ = choices.set(key, value);
        }
        ReadOptions {
            format: options.format.or(self.map),
            choices,
            join: self.join.unwrap_or(options.join),
            ..options
        }
    }

    /// The results that gates on changes compare the run with; `None` if no gate needs them.
    ///
    /// # Errors
    /// The file cannot be read, or does not hold valid results.
    pub fn read_baseline(&self) -> Result<Option<Baseline>, ResultsError> {
        let path = self.baseline.as_ref().filter(|_| {
            self.gates
                .iter()
                .flatten()
                .any(|gate| gate.statistic.is_of_change())
        });
        let results = path
            .map(|path| read_results(path, &ResultsOptions::default()))
            .transpose()?;
        Ok(results.map(|results| Baseline {
            results: Some(results),
            ..Baseline::default()
        }))
    }
}

/// A hash of a text in hexadecimal, the same on every machine. Different texts practically never
/// share a hash.
pub fn text_hash(text: &str) -> String {
    let mut hasher = SipHasher13::new();
    hasher.write(text.as_bytes());
    format!("{:032x}", hasher.finish128().as_u128())
}
