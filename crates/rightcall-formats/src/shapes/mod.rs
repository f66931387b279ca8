//! The shapes of the field: how they are recognised, and how each side of them is read.
//!
//! Two things come of a shape: the sides as the original takes them ([`Native`]), which its preset reads by the original's
//! own rules, and canonical calls, so that every other evaluator can judge the case too. Reading the calls is lenient:
//! what is wrong in a shape is for its preset to say, in the original's words.

mod calls;
mod find_run;
pub(crate) mod formats;
mod graphs;

mod recognise;
mod settle;
mod spans;
#[cfg(test)]
mod tests;

pub(crate) use find_run::{find_run, look_over};
pub(crate) use recognise::{has_both_sides, recognise, recognise_case};
pub(crate) use settle::settle;
