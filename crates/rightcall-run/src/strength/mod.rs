//! The strength of a suite: breaks its passing runs, and judges the broken ones with its evaluators and gates.
//!
//! `rightcall_quality::strength` breaks runs and counts. This module has the judges of a suite, and the evaluators that it could add.

mod candidates;
mod judges;
mod runs;
mod suite_strength;

pub use runs::SuiteRuns;
pub use suite_strength::SuiteStrength;
