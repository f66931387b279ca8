//! How strong a suite is: breaks the runs that pass, and has its evaluators and gates judge the broken ones.
//!
//! `rightcall_quality::strength` breaks runs and counts; here are the judges of a suite, and the evaluators that it could have besides.

mod candidates;
mod judges;
mod runs;
mod suite_strength;

pub use runs::SuiteRuns;
pub use suite_strength::SuiteStrength;
