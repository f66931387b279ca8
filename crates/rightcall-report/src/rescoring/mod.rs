//! The same rows under several settings: the spread of their scores, their agreement, and their differences.

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
