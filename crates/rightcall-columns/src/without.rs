//! What stands in for the reader where it was not built.

use std::fs::File;
use std::io::{self, Read};

use crate::{ColumnKey, Container};

/// The rows of a file, of which there are none in this build.
#[derive(Debug)]
pub enum Rows {}

impl Rows {
    /// Says that files cannot be read.
    ///
    /// # Errors
    /// Always.
    pub fn from_file(
        _: Container,
        _: File,
        _: impl FnOnce(&[&str]) -> (Vec<ColumnKey>, Option<&'static str>),
    ) -> io::Result<Self> {
        Err(not_built())
    }

    /// Says that streams cannot be read.
    ///
    /// # Errors
    /// Always.
    pub fn from_stream(
        _: impl Read + Send + 'static,
        _: impl FnOnce(&[&str]) -> (Vec<ColumnKey>, Option<&'static str>),
    ) -> io::Result<Self> {
        Err(not_built())
    }
}

impl Iterator for Rows {
    type Item = io::Result<Vec<u8>>;

    fn next(&mut self) -> Option<Self::Item> {
        match *self {}
    }
}

/// The error of whoever asks for Parquet or Arrow.
pub fn not_built() -> io::Error {
    io::Error::new(
        io::ErrorKind::Unsupported,
        "this rightcall was built without Parquet and Arrow: \
`cargo install --path crates/rightcall-cli --profile dist --features columns` builds one with them",
    )
}
