//! The traces of an agent's runs, in a private temporary file of this process: two processes on one
//! suite do not interfere. Runs end in any order and are scored in theirs.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rightcall_run::{Unfinished, temporary};
use tempfile::TempPath;

/// A file with a trace a line.
pub(super) struct Traces {
    folder: PathBuf,
    file: File,
    pub(super) path: TempPath,
    _noted: Unfinished,
    /// The offset and length of each trace, by the number of its run.
    places: BTreeMap<usize, (u64, u64)>,
    length: u64,
}

impl Traces {
    pub(super) fn make(folder: &Path) -> io::Result<Self> {
        // Only the user can read it, like all temporary files.
        let make = |folder: &Path| temporary().suffix(".jsonl").tempfile_in(folder);
        let (made, noted) = Unfinished::make_in(folder, make, |file| file.path().to_owned())?;
        let (file, path) = made.into_parts();
        Ok(Self {
            folder: folder.to_owned(),
            file,
            path,
            _noted: noted,
            places: BTreeMap::new(),
            length: 0,
        })
    }

    /// Adds the trace of the run with this number.
    pub(super) fn add(&mut self, number: usize, trace: &str) -> io::Result<()> {
        self.file.write_all(format!("{trace}\n").as_bytes())?;
        let length = trace.len() as u64 + 1;
        self.places.insert(number, (self.length, length));
        self.length += length;
        Ok(())
    }

    /// The same traces in the order of their runs.
    pub(super) fn in_order(mut self) -> io::Result<Self> {
        if self.places.values().is_sorted() {
            return Ok(self);
        }
        let ordered = Self::make(&self.folder)?;
        let mut out = BufWriter::new(&ordered.file);
        for (from, length) in self.places.values() {
            self.file.seek(SeekFrom::Start(*from))?;
            io::copy(&mut Read::by_ref(&mut self.file).take(*length), &mut out)?;
        }
        out.flush()?;
        drop(out);
        Ok(ordered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_are_in_the_order_of_their_runs() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let mut traces = Traces::make(folder.path())?;
        for (number, trace) in [(10, "ten"), (2, "two"), (0, "")] {
            traces.add(number, trace)?;
        }
        let traces = traces.in_order()?;
        assert_eq!(std::fs::read_to_string(&traces.path)?, "\ntwo\nten\n");
        let files = std::fs::read_dir(folder.path())?;
        assert_eq!(files.count(), 1);
        Ok(())
    }
}
