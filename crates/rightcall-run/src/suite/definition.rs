//! A suite as it was written.

use std::hash::Hasher;
use std::path::PathBuf;

use rightcall::Edition;
use rightcall_formats::join::Join;
use rightcall_formats::{Format, Limits, ReadOptions};
use siphasher::sip128::{Hasher128, SipHasher13};

use crate::results_file::{ResultsError, ResultsOptions, read_results};
use crate::{Baseline, CaseRule, Configured, ExpectationRule, Gate, Redaction};

/// A suite as it was written.
#[derive(Debug, Default)]
pub struct Suite {
    /// The files of cases, in the order of the suite; those of a glob by name.
    pub cases: Vec<PathBuf>,
    /// The files of traces.
    pub traces: Vec<PathBuf>,
    /// The suite names traces and no cases: `cases` holds them, and each run is a case.
    pub runs_are_cases: bool,
    /// Files of traces that are scored one after the other and compared, by name, in the order of the suite.
    pub runs: Vec<(String, Vec<PathBuf>)>,
    /// Meta keys that tell the runs of one case apart, beside `model`.
    pub identity: Vec<String>,
    /// The evaluators.
    pub evaluators: Vec<Configured>,
    /// The gates, which alone decide where there is a list of them, even an empty one; `None` where verdicts decide.
    pub gates: Option<Vec<Gate>>,
    /// What is expected of trajectories that have no expectation of their own.
    pub expected: Vec<ExpectationRule>,
    /// What a case comes to.
    pub case_rule: CaseRule,
    /// The meta key that trials of a case share; `None` where they share the id.
    pub trial_group: Option<String>,
    /// The file with the results that gates on changes compare with.
    pub baseline: Option<PathBuf>,
    /// What may not be seen of the cases.
    pub redaction: Redaction,
    /// How many cases of a run the history keeps.
    pub max_cases: usize,
    /// A hash of the text of the suite, in hexadecimal digits: whether two runs were of the same suite.
    pub hash: String,
    /// By what runs are joined with cases, where the suite says so.
    pub join: Option<Join>,
    /// How traces are read where opinions differ.
    pub read: Vec<(String, String)>,
    /// The format of the map by which traces are read.
    pub map: Option<&'static Format>,
    /// What there is to say where the suite is an eval set of `UiPath`.
    pub eval_set: Option<EvalSet>,
}

/// What there is to say of a suite that is an eval set of `UiPath`.
#[derive(Debug)]
pub struct EvalSet {
    /// The evaluators that do not judge tool calls.
    pub skipped: Vec<Skipped>,
}

/// An evaluator of an eval set that is not run.
#[derive(Debug)]
pub struct Skipped {
    /// Its id.
    pub id: String,
    /// Of what kind it is.
    pub kind: String,
}

/// What the user chose beside the suite.
#[derive(Clone, Debug, Default)]
pub struct SuiteOptions {
    /// Goes before the edition that the suite names.
    pub edition: Option<Edition>,
    /// The profile.
    pub profile: Option<String>,
    /// How large files may be.
    pub limits: Limits,
    /// True if the evaluators and other settings alone are used: the suite needs no files of cases, and those that it names are not
    /// looked for.
    pub settings_alone: bool,
}

impl Suite {
    /// These options with what the suite says of reading its traces.
    pub fn reading(&self, options: ReadOptions) -> ReadOptions {
        let mut choices = options.choices;
        for (key, value) in &self.read {
            // Checked where the suite was parsed.
            _ = choices.set(key, value);
        }
        ReadOptions {
            format: options.format.or(self.map),
            choices,
            join: self.join.unwrap_or(options.join),
            ..options
        }
    }

    /// The results that gates on changes compare with; `None` where no gate asks for them.
    ///
    /// # Errors
    /// Where the file cannot be read or holds something else.
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

/// A hash of a text, in hexadecimal digits, the same on every machine: equal texts have equal hashes, and others practically never.
pub fn text_hash(text: &str) -> String {
    let mut hasher = SipHasher13::new();
    hasher.write(text.as_bytes());
    format!("{:032x}", hasher.finish128().as_u128())
}
