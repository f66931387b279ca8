//! The compression of a file, chosen by its name.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::value::RawValue;

/// The compression of a file.
///
/// Each page is compressed by itself, so a file that is cut off after a page is valid: gzip members and Zstandard frames can be
/// concatenated.
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

    /// Writes a page, one record per line. Writes no bytes if there are no records.
    pub(crate) fn write_page<'r>(
        self,
        records: impl Iterator<Item = &'r RawValue>,
        to: impl Write,
    ) -> io::Result<()> {
        let mut records = records.peekable();
        if records.peek().is_none() {
            return Ok(());
        }
        let to = BufWriter::new(to);
        match self {
            Self::Plain => write_lines(records, to)?.flush(),
            Self::Gzip => {
                let encoder = GzEncoder::new(to, Compression::default());
                write_lines(records, encoder)?.finish()?.flush()
            }
            Self::Zstandard => {
                let encoder = zstd::Encoder::new(to, zstd::DEFAULT_COMPRESSION_LEVEL)?;
                write_lines(records, encoder)?.finish()?.flush()
            }
        }
    }
}

/// Writes each record on one line. Line breaks become spaces, which is safe: JSON allows them only between tokens.
fn write_lines<'r, W: Write>(
    records: impl Iterator<Item = &'r RawValue>,
    mut to: W,
) -> io::Result<W> {
    for record in records {
        for (number, part) in record.get().split(['\n', '\r']).enumerate() {
            if number > 0 {
                to.write_all(b" ")?;
            }
            to.write_all(part.as_bytes())?;
        }
        to.write_all(b"\n")?;
    }
    Ok(to)
}
