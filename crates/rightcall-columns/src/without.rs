//! Replaces the reader in builds without the `arrow` feature.

use std::fs::File;
use std::io::{self, Read};

use crate::{ColumnKey, Container};

/// The rows of a file; never constructed in this build.
#[derive(Debug)]
pub enum Rows {}

impl Rows {
    /// Returns the error that files can't be read in this build.
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

    /// Returns the error that streams can't be read in this build.
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

/// The error for reading Parquet or Arrow in this build.
pub fn not_built() -> io::Error {
    io::Error::new(
        io::ErrorKind::Unsupported,
        "this rightcall was built without Parquet and Arrow: \
`cargo install --path crates/rightcall-cli --profile dist --features columns` builds one with them",
    )
}
