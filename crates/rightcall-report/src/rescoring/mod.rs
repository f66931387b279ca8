//! The same rows under several settings: how their scores spread, how far they agree, and where they part.

mod document;
mod html;
mod options;
mod parted;
mod proof;
mod report;
mod rows;
mod screen;

pub use options::RescoringOptions;
pub use proof::{DifferingRow, Proof};
pub use report::RescoringReport;
pub use rows::RescoredRows;

#[cfg(test)]
mod tests;
