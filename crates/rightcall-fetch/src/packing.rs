//! How a file is packed, as its name says.

use std::io::{self, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

/// How a file is packed.
///
/// Each page is packed by itself, so that a file that is cut off behind one is whole: members of gzip and frames of Zstandard may follow
/// one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    Plain,
    Gzip,
    Zstandard,
}

impl Packing {
    pub(crate) fn of(path: &Path) -> Self {
        let ends_in = |ending: &str| {
            let found = path.extension().and_then(|it| it.to_str());
            found.is_some_and(|found| found.eq_ignore_ascii_case(ending))
        };
        if ends_in("gz") {
            Self::Gzip
        } else if ends_in("zst") {
            Self::Zstandard
        } else {
            Self::Plain
        }
    }

    /// A page as it is written; of nothing, nothing.
    pub(crate) fn pack(self, page: Vec<u8>) -> io::Result<Vec<u8>> {
        match self {
            Self::Gzip if !page.is_empty() => {
                let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
                encoder.write_all(&page)?;
                encoder.finish()
            }
            Self::Zstandard if !page.is_empty() => {
                zstd::encode_all(&page[..], zstd::DEFAULT_COMPRESSION_LEVEL)
            }
            _ => Ok(page),
        }
    }
}
