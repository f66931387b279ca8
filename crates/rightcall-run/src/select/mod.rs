//! Selects, groups and samples cases, and assigns expectations to them.

mod expectation_rule;
mod filter;
mod grouping;
mod sample;

pub use expectation_rule::ExpectationRule;
pub use filter::Filter;
pub(crate) use filter::meta_value;
pub use grouping::Grouping;
pub(crate) use grouping::NO_VALUE;
pub use sample::{MAX_CASES, Narrowing, Rank, Recording, rank_of};
