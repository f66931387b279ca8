//! Expectations in blocks: several accepted runs, resolved to one.
//!
//! An expectation with blocks or matchers is a *process tree*. Resolving it for a run is an *optimal alignment*: it finds the accepted run
//! nearest to the actual calls. The result is a plain list of concrete calls, which every evaluator can judge like any other list.
//!
//! Sources: van der Aalst, *Process Mining* (2016), for process trees; Adriansyah, *Aligning Observed and Modeled Behavior* (2014), for
//! optimal alignments.

mod actual;
mod alignment;
mod bits;
mod block;
mod block_order;
mod bounds;
mod choices;
mod definite;
mod demand;
mod error;
mod facts;
mod findings;
mod follow;
mod instantiate;
mod known_way;
mod language;
mod literal;
mod matches;
mod name_matching;
mod name_part;
mod name_rest;
mod next;
mod node;
mod number;
mod outline;
mod pattern;
mod pattern_reader;
mod repair;
mod residuals;
mod resolution;
mod resolve;
mod search;
mod states;
mod terms;
mod text_pattern;
mod tree;
mod tree_reader;
mod variables;
mod walk;
mod weight;
mod written;

pub use actual::ActualCall;
pub use alignment::{RunAlignment, RunPair};
pub use choices::{ChosenWay, TreeChoice};
pub use definite::DefiniteCall;
pub use error::ExpectationError;
pub use language::RunLanguage;
pub use literal::{has_matcher_key, literal, matchers_as_text};
pub use next::NextCall;
pub use outline::{OutlineLine, OutlineState};
pub use repair::{Repair, RepairChange};
pub use resolution::{BoundVariable, Resolution, ResolutionPart, ResolvedCall};
pub use tree::ProcessTree;
pub use tree_reader::BLOCKS;

pub(crate) use demand::ValueDemand;
pub(crate) use error::{Result as ReadResult, Under};
pub(crate) use facts::FastMap;
pub(crate) use known_way::KnownWays;
pub(crate) use walk::TreeWalk;
pub(crate) use written::written;
