//! Parquet and Arrow files as JSON records: a row is an object.
//!
//! This is a separate crate so that work on other readers doesn't build Arrow. Rows are read batch by batch. The crate doesn't know what
//! the columns mean: it passes their names to the caller, which returns the key for each.
//!
//! Features: `arrow` reads the files. Without it, the crate builds in seconds and still recognises the files, but [`Rows`] returns an error
//! that says which feature to build with.

#[cfg(feature = "arrow")]
mod cell;
#[cfg(feature = "arrow")]
mod rows;
#[cfg(not(feature = "arrow"))]
mod without;

#[cfg(feature = "arrow")]
pub use cell::{CellRules, is_null_cell, label_of_cell, text_of_cell, write_cell};
#[cfg(feature = "arrow")]
pub use rows::Rows;
#[cfg(not(feature = "arrow"))]
pub use without::{Rows, not_built};

/// The file type that holds the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// A Parquet file.
    Parquet,
    /// An Arrow file, also called Feather.
    ArrowFile,
    /// A stream of Arrow's messages.
    ArrowStream,
}

/// Number of leading bytes needed to recognise a container.
pub const MARK: usize = 6;

/// Where a column's value is written in the row's object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnKey {
    /// Key of the nested object that holds the value; `None` for the row's own object.
    pub within: Option<String>,
    /// The key in that object.
    pub name: String,
    /// If true, a string that contains a JSON object or list is written as that value, not as a string.
    pub may_hold_json: bool,
}

impl Container {
    /// The container of a file that starts with these bytes.
    pub fn of(head: &[u8]) -> Option<Self> {
        match head {
            [b'P', b'A', b'R', b'1', ..] => Some(Self::Parquet),
            [b'A', b'R', b'R', b'O', b'W', b'1', ..] => Some(Self::ArrowFile),
            // A message's marker; its length follows.
            [0xFF, 0xFF, 0xFF, 0xFF, ..] => Some(Self::ArrowStream),
            _ => None,
        }
    }

    /// True if the reader needs the whole file, because the layout is described at its end.
    pub fn needs_file(self) -> bool {
        self != Self::ArrowStream
    }
}
