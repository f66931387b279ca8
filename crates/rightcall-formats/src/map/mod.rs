//! Maps: trace formats defined as data.
//!
//! A map names the places of calls in a log: the lists and the keys. It is documented in `docs/maps.md`. [`parser`] parses a map into its [`definition`],
//! [`record`] applies it to a record, [`run`] assembles the records of a run, and [`reader`] is the trace reader around them.

mod built_in;
mod condition;
mod definition;
mod ending;
mod histories;
mod history;
mod keys;
mod order;
mod parser;
mod path;
mod place;
mod reader;
mod record;
mod run;
mod schema;
mod tally;
#[cfg(test)]
mod tests;
mod unknown_items;

pub(crate) use built_in::BuiltInMap;
pub(crate) use definition::Map;
pub(crate) use parser::{LARGEST, stem};
pub(crate) use place::{Kept, Memory};
pub use schema::map_schema;
