//! Which tools, arguments and sequences of tools the cases of a suite test, compared with an agent's tools and actual calls.
//!
//! [`CoverageCounter`] takes a catalogue, cases and runs, and returns a [`Coverage`].

mod counter;
mod demand;
mod found;
mod json;

pub use counter::CoverageCounter;
pub use found::{ArgumentCoverage, Coverage, ToolCoverage, UncoveredPair, ValueCoverage};

#[cfg(test)]
mod tests;
