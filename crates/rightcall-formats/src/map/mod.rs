//! Maps: a format of traces as data.
//!
//! A map names the places of calls in a log: which list, which keys. `docs/maps.md` is its page. [`definition`] reads a map, [`record`]
//! finds what a record holds of a run by it, [`run`] puts the records of a run together, and [`reader`] is the reader of traces around
//! them.

mod built_in;
mod condition;
mod definition;
mod keys;
mod order;
mod path;
mod place;
mod reader;
mod record;
mod run;
mod schema;
mod tally;
#[cfg(test)]
mod tests;

pub(crate) use built_in::BuiltInMap;
pub(crate) use definition::{LARGEST, Map, stem};
pub(crate) use place::{Kept, Memory};
pub use schema::map_schema;
