//! Scored cases, with the data that aggregates need.

use std::sync::Arc;

use rightcall_formats::Block;
use rightcall_results::{CaseResult, ToolUse};

use crate::Problem;
use crate::findings::CaseFindings;
use crate::rule_names::RuleNames;
use crate::slips::Slips;

/// The cases of consecutive records of one input.
#[derive(Debug)]
pub(crate) struct JudgedBlock {
    pub(crate) file: Arc<str>,
    /// The records; `None` if the input ended in an error.
    pub(crate) block: Option<Block>,
    pub(crate) bytes_read: u64,
    pub(crate) cases: Vec<JudgedCase>,
    /// The drawings of the cases, one entry for each output.
    pub(crate) drawings: Vec<Drawings>,
    pub(crate) problems: Vec<Problem>,
    /// Cases without a run that were left out.
    pub(crate) without_run: u64,
    /// Trajectories without an expectation.
    pub(crate) without_expectation: u64,
    /// Likely mistakes in the notation of cases.
    pub(crate) slips: Slips,
    /// The names of tools in rules, runs and cases, if there are rules.
    pub(crate) rule_names: Option<RuleNames>,
}

/// A case with its result and the data that aggregates need.
#[derive(Debug)]
pub(crate) struct JudgedCase {
    pub(crate) result: Arc<CaseResult>,
    /// `None` for a case without an id, which can't be a duplicate.
    pub(crate) hash: Option<CaseHash>,
    /// The hash of its question, if that finds its run: no other case can have it.
    pub(crate) question: Option<CaseHash>,
    /// False if a run is missing and required.
    pub(crate) has_run: bool,
    /// False for a case in memory that could not be parsed.
    pub(crate) is_read: bool,
    /// Its groups in the summary.
    pub(crate) groups: Vec<String>,
    /// For each gate, the groups that count the case; `None` if the gate does not cover the case.
    pub(crate) gates: Vec<Option<Vec<String>>>,
    /// Its group of trials, as a hash and as text; `None` for a case that is not a trial.
    pub(crate) trials: Option<(u64, String)>,
    /// The key that pairs the case with its case in the baseline, if there is a baseline.
    pub(crate) pairing: Option<String>,
    /// Findings, if they are reported.
    pub(crate) findings: Option<Box<CaseFindings>>,
    /// Its expected and called tools, if an output counts them.
    pub(crate) tools: Vec<ToolUse>,
}

/// The drawings of an output for the cases of a block, concatenated.
#[derive(Debug, Default)]
pub(crate) struct Drawings {
    pub(crate) bytes: Vec<u8>,
    /// The end of each case.
    pub(crate) ends: Vec<usize>,
}

impl Drawings {
    /// The drawing of a case.
    pub(crate) fn of(&self, case: usize) -> &[u8] {
        let start = case.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[case]]
    }
}

/// The keyed hash of a case's name and trial: 96 bits, never all 0. The key is random and never leaves the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CaseHash(pub(crate) u128);

/// The number of a line in all inputs together, from 1; shares an entry of 128 bits with a hash.
pub(crate) type LineNumber = u32;

impl CaseHash {
    /// Takes 96 bits of a 128-bit hash and sets the lowest, so that no hash is 0.
    pub(crate) fn new(hash: u128) -> Self {
        Self(hash << LineNumber::BITS >> LineNumber::BITS | 1)
    }
}
