//! What an outcome is worth.
//!
//! Every formula is in f64, in the order of operations that its original has; the order is part of the formula.

mod empty;
mod formula;
mod rounding;

pub(crate) use empty::{EmptyPolicy, Worth};
pub(crate) use formula::{
    Penalised, Scored, Weights, all_or_nothing, f1, mean, precision, recall, weighted,
};
pub(crate) use rounding::Rounding;
