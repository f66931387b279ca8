//! How a file is packed, as its name says.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::value::RawValue;

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

    /// Writes a page, a record a line; of no records, nothing.
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

/// Each record on one line: line ends are between its parts alone, and become spaces.
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
