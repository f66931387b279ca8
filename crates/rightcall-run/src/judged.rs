//! Cases that are judged, with what sums over them have to know.

use std::sync::Arc;

use rightcall_formats::Block;
use rightcall_results::{CaseResult, NearKeys, ToolUse};

use crate::Problem;
use crate::findings::CaseFindings;
use crate::rule_names::RuleNames;

/// The cases of consecutive records of one input.
#[derive(Debug)]
pub(crate) struct JudgedBlock {
    pub(crate) file: Arc<str>,
    /// The records; `None` where the input broke off.
    pub(crate) block: Option<Block>,
    pub(crate) bytes_read: u64,
    pub(crate) cases: Vec<JudgedCase>,
    /// What outputs have drawn of the cases.
    pub(crate) drawings: Vec<Drawings>,
    pub(crate) problems: Vec<Problem>,
    /// Cases without a run that were left out.
    pub(crate) without_run: u64,
    /// Trajectories of which nothing is expected.
    pub(crate) without_expectation: u64,
    /// Keys of cases that are nearly others.
    pub(crate) near_keys: NearKeys,
    /// The tools that rules, runs and cases name, where there are rules.
    pub(crate) rule_names: Option<RuleNames>,
}

/// A case with what came out of it, and what sums have to know of it.
#[derive(Debug)]
pub(crate) struct JudgedCase {
    pub(crate) result: Arc<CaseResult>,
    /// `None` for a case without id, which no other can be a duplicate of.
    pub(crate) hash: Option<CaseHash>,
    /// False where a run is missing, and that matters.
    pub(crate) has_run: bool,
    /// False for a case in memory that could not be read.
    pub(crate) is_read: bool,
    /// The groups of the summary that it belongs to.
    pub(crate) groups: Vec<String>,
    /// By gate, the groups that it counts in; `None` for a gate that does not look at it.
    pub(crate) gates: Vec<Option<Vec<String>>>,
    /// What its trials have in common, hashed and in words; `None` where it is no trial of anything.
    pub(crate) trials: Option<(u64, String)>,
    /// What pairs the case with one of the baseline, where there is one.
    pub(crate) pairing: Option<String>,
    /// What the case shows, where somebody will read it.
    pub(crate) findings: Option<Box<CaseFindings>>,
    /// The tools that it expected and called, where an output counts them.
    pub(crate) tools: Vec<ToolUse>,
}

/// What an output has drawn of the cases of a block, one behind the other.
#[derive(Debug, Default)]
pub(crate) struct Drawings {
    pub(crate) bytes: Vec<u8>,
    /// By case, where it ends.
    pub(crate) ends: Vec<usize>,
}

impl Drawings {
    /// What was drawn of a case.
    pub(crate) fn of(&self, case: usize) -> &[u8] {
        let start = case.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[case]]
    }
}

/// The name of a case and its trial, hashed with a key that nobody outside of this process knows: 96 bits, never all of them 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CaseHash(pub(crate) u128);

/// The `n`th line of all inputs together, from 0; it shares an entry of 128 bits with a hash.
pub(crate) type LineNumber = u32;

impl CaseHash {
    /// The key of a 128-bit hash.
    pub(crate) fn new(hash: u128) -> Self {
        Self(hash << LineNumber::BITS >> LineNumber::BITS | 1)
    }
}
