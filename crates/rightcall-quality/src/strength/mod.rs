//! How strong a suite is: runs that pass are broken as agents break them, and the share that the suite notices is counted.
//!
//! [`OPERATORS`] are the ways in which runs are broken. [`StrengthTest`] breaks a run in each way and has the broken runs judged;
//! [`StrengthReport`] adds up what came of it. A broken run that does what a passing run of the case does is left out: the same calls, in another
//! order within a parallel group, or with a default of a schema written or left out.

mod act;
mod arguments;
mod breaking;
mod change;
mod choice;
mod json;
mod material;
mod mutant;
mod open;
mod operators;
mod proposal;
mod report;
mod subject_run;
mod survivor;
mod tally;

pub use breaking::{BrokenRun, PassingRun, StrengthJudges, StrengthTest, UnbrokenRun};
pub use change::Change;
pub use json::strength_json;
pub use material::Material;
pub use operators::{MutationOperator, OPERATORS, OperatorGroup};
pub use proposal::{Proposal, ProposedSetting, is_fair, proposals};
pub use report::{CandidateName, JudgeName, RunCounts, RunStrength, StrengthReport};
pub use survivor::Survivor;
pub use tally::{CandidateTally, JudgeTally, MutationTally};

use subject_run::SubjectRun;

#[cfg(test)]
mod tests;
