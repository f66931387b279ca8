//! Decompression of zstd, if this build supports it.

use std::io::{self, Read};

/// Decompresses zstd data.
#[cfg(feature = "archives")]
pub(super) fn unpacked<'r>(packed: impl Read + Send + 'r) -> io::Result<Box<dyn Read + Send + 'r>> {
    Ok(Box::new(zstd::stream::read::Decoder::new(packed)?))
}

/// The error for builds without zstd.
#[cfg(not(feature = "archives"))]
pub(super) fn unpacked<'r>(_: impl Read + Send + 'r) -> io::Result<Box<dyn Read + Send + 'r>> {
    let told = "packed with zstd, which this build cannot unpack";
    Err(io::Error::new(io::ErrorKind::Unsupported, told))
}
