//! What zstd packed, where this build can unpack it.

use std::io::{self, Read};

/// The data that zstd packed.
#[cfg(feature = "archives")]
pub(super) fn unpacked<'r>(packed: impl Read + Send + 'r) -> io::Result<Box<dyn Read + Send + 'r>> {
    Ok(Box::new(zstd::stream::read::Decoder::new(packed)?))
}

/// Says that they are lost on this build.
#[cfg(not(feature = "archives"))]
pub(super) fn unpacked<'r>(_: impl Read + Send + 'r) -> io::Result<Box<dyn Read + Send + 'r>> {
    let told = "packed with zstd, which this build cannot unpack";
    Err(io::Error::new(io::ErrorKind::Unsupported, told))
}
