//! The strength of a suite: passing runs are broken by typical errors of agents, and the share that the suite notices is counted.
//!
//! [`OPERATORS`] are the ways to break a run. [`StrengthTest`] applies each one and judges the broken runs; [`StrengthReport`] adds up the
//! results. A broken run with the effect of a passing run of the case is left out: the same calls, perhaps in another order within a
//! parallel group, or with a schema's default written or left out.

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
