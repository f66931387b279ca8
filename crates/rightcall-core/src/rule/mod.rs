//! Rules with arguments: *verify before refund, for the same order*.
//!
//! In the literature, these are Declare constraints (Pesic, van der Aalst, *A declarative approach for flexible business processes
//! management*, 2006), here extended with data.

mod call_pattern;
mod definition;
mod exactly;
mod fit;
mod judge;
mod kind;
mod learn;
mod progress;
mod read;
mod same;
mod same_key;
mod sentence;
mod tracker;
mod verdict;
mod words;

pub(crate) use call_pattern::RuleCall;
pub(crate) use definition::{CallFacts, Rule};
pub use learn::{LearnedRule, LearnedRules, learn_rules};
pub(crate) use read::read_rules;
pub use read::tools_in_rules;
pub use same_key::SameKey;
pub(crate) use tracker::{CallPlaceInRun, RuleTracker};
pub use verdict::RuleVerdict;
