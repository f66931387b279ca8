//! Reads cases and traces: bytes to records, records to cases.
//!
//! An [`Input`] gives the records of a file of any size in blocks, with bounded memory; [`read_case`] makes one record a
//! case; [`join`] finds the run of a case in other files. Everything a case holds borrows from the text of its record.

pub mod join;

mod case;
mod error;
mod input;
mod options;
mod shapes;

pub use case::read_case;
pub use error::{CaseError, Location, OpenError, ReadError};
pub use input::{Block, Input, Record};
pub use options::{INPUT_FORMATS, InputFormat, Limits, ReadOptions};
