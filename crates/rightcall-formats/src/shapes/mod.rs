//! The shapes of other tools: how they are recognized, and how each of their sides is read.
//!
//! A shape yields two results: the sides as the original tool takes them ([`Native`]), for the preset with the tool's own rules, and
//! canonical calls, so that every other evaluator can score the case too. Reading the calls is lenient: the preset reports errors in a
//! shape, in the tool's own words.

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
