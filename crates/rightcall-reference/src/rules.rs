//! A reference for rules with arguments, by definition: tries every way to decide unrecorded values, and every short continuation.

mod check;
mod generate;
mod meaning;

pub use generate::{RuleCase, generate};
