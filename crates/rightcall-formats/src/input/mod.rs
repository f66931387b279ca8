//! Inputs of any size as blocks of records, in order, with bounded memory.
//!
//! JSON Lines are read block by block. A document (a list of cases, or a case over several lines) is held in memory up to a limit; its
//! elements are located with the same reader that reads cases. YAML is handled the same way, after conversion to JSON text. The format of
//! a file is detected from its first values. Records of cases are passed on as texts, traces as the runs that were read from them.

mod answers;
mod archive;
mod begin;
mod block;
mod columns;
mod csv_columns;
mod csv_plain;
mod csv_rows;
mod csv_spans;
mod data_stream;
mod document;
mod ending;
mod layout;
mod lines;
mod many;
mod objects;
mod on_lines;
mod open;
mod pieces;
mod protobuf;
mod source;
mod table_maps;
#[cfg(test)]
mod tests;
mod traces;
mod unpacked;
mod values;
mod whole;
mod yaml;

pub use block::{Block, Record, RecordContent};
pub use ending::has_ending;
pub use many::{Inputs, Piece};
pub use objects::{ObjectStores, is_object, objects_like, use_object_stores};
pub use open::Input;
pub use whole::{read_bytes, read_text};
