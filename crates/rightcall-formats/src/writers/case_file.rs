//! A file of cases being written: the cases in sequence, followed by their shared parts.

use std::collections::HashMap;
use std::hash::Hasher;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};

use siphasher::sip128::{Hasher128, SipHasher13};

use super::writer::{Writer, WrittenCase};

/// Writes cases to a file. Memory use doesn't grow with their number, except for an index of shared parts.
#[derive(Debug)]
pub struct CaseFile<W> {
    writer: &'static Writer,
    out: W,
    cases: u64,
    shared: Shared,
}

/// Parts shared by several cases and written once. They follow the cases, so they are buffered in a temporary file.
#[derive(Debug, Default)]
struct Shared {
    /// The digest of each key's text.
    digests: HashMap<u128, u128>,
    waiting: Option<BufWriter<std::fs::File>>,
}

impl<W: Write> CaseFile<W> {
    /// A file of cases in this format. The output is empty before the first case.
    pub fn new(writer: &'static Writer, out: W) -> Self {
        Self {
            writer,
            out,
            cases: 0,
            shared: Shared::default(),
        }
    }

    /// Adds a case. Returns false if it is left out, because its shared part differs from an earlier one with the same key.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn add(&mut self, case: &WrittenCase) -> io::Result<bool> {
        let frame = &self.writer.frame;
        if let Some((key, text)) = &case.shared
            && !self.shared.add(key, text, frame.between)?
        {
            return Ok(false);
        }
        let before = if self.is_empty() {
            frame.opening
        } else {
            frame.between
        };
        self.out.write_all(before.as_bytes())?;
        self.out.write_all(case.text.as_bytes())?;
        self.cases += 1;
        Ok(true)
    }

    /// Number of cases.
    pub fn len(&self) -> u64 {
        self.cases
    }

    /// True before the first case.
    pub fn is_empty(&self) -> bool {
        self.cases == 0
    }

    /// Writes the end of the file, if there are cases, and returns the output.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        if !self.is_empty() {
            let frame = &self.writer.frame;
            self.out.write_all(frame.shared.as_bytes())?;
            self.shared.copy_to(&mut self.out)?;
            self.out.write_all(frame.closing.as_bytes())?;
        }
        Ok(self.out)
    }
}

impl Shared {
    /// Stores a text under a new key; false if the key has another text.
    fn add(&mut self, key: &str, text: &str, between: &str) -> io::Result<bool> {
        let digest = digest(text);
        if let Some(known) = self.digests.get(&self::digest(key)) {
            return Ok(*known == digest);
        }
        let is_first = self.waiting.is_none();
        let waiting = match &mut self.waiting {
            Some(waiting) => waiting,
            None => self.waiting.insert(BufWriter::new(tempfile::tempfile()?)),
        };
        if !is_first {
            waiting.write_all(between.as_bytes())?;
        }
        waiting.write_all(text.as_bytes())?;
        self.digests.insert(self::digest(key), digest);
        Ok(true)
    }

    fn copy_to(self, out: &mut impl Write) -> io::Result<()> {
        let Some(waiting) = self.waiting else {
            return Ok(());
        };
        let mut file = waiting
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?;
        file.seek(SeekFrom::Start(0))?;
        io::copy(&mut file, out).map(drop)
    }
}

fn digest(text: &str) -> u128 {
    let mut hasher = SipHasher13::new();
    hasher.write(text.as_bytes());
    hasher.finish128().as_u128()
}
