//! Parquet and Arrow files as JSON records: a row is an object.
//!
//! A crate of its own, so that whoever works on readers does not build Arrow anew. Rows come batch by batch. What the columns of a
//! row mean is not known here: their names are given to the caller, who says under which keys they are written.
//!
//! Features: `arrow` reads the files. Without it, which builds in seconds, a file is still recognised, and [`Rows`] is an error that
//! says how to build with it.

#[cfg(feature = "arrow")]
mod rows;
#[cfg(not(feature = "arrow"))]
mod without;

#[cfg(feature = "arrow")]
pub use rows::Rows;
#[cfg(not(feature = "arrow"))]
pub use without::{Rows, not_built};

/// What rows lie in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// A Parquet file.
    Parquet,
    /// An Arrow file, also called Feather.
    ArrowFile,
    /// A stream of Arrow's messages.
    ArrowStream,
}

/// How many first bytes tell a container.
pub const MARK: usize = 6;

/// Where a column goes in the object of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnKey {
    /// The object inside that of the row; `None` for the row's own.
    pub within: Option<String>,
    /// The key there.
    pub name: String,
    /// A text that holds an object or a list is written as what it holds.
    pub may_hold_json: bool,
}

impl Container {
    /// The container that begins so.
    pub fn of(head: &[u8]) -> Option<Self> {
        match head {
            [b'P', b'A', b'R', b'1', ..] => Some(Self::Parquet),
            [b'A', b'R', b'R', b'O', b'W', b'1', ..] => Some(Self::ArrowFile),
            // The mark of a message; a length follows.
            [0xFF, 0xFF, 0xFF, 0xFF, ..] => Some(Self::ArrowStream),
            _ => None,
        }
    }

    /// True if the file must be at hand as a whole, because what it holds is told at its end.
    pub fn needs_file(self) -> bool {
        self != Self::ArrowStream
    }
}
