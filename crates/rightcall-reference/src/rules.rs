//! Rules with arguments once more, by their definition: every way to decide what was not recorded, and every short continuation, is
//! tried.

mod check;
mod generate;
mod meaning;

pub use generate::{RuleCase, generate};
