//! Tests of the public API, with cases as users write them.

mod columns;
mod departures;
mod doors;
mod editions;
mod explanations;
mod found;
mod found_files;
mod moved_calls;
mod originals;
mod questions;
mod recorders;
mod registry;
mod renamed;
mod several_agents;
mod traces;
mod written_files;
