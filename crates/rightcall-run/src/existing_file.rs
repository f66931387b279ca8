//! A file in the place of an output, and its first and last bytes, by which it is known.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use rightcall_formats::{Format, Input, Limits, ReadOptions};

use crate::FileError;
use crate::results_file::{is_baseline, is_results};

/// A file in the place of an output.
#[derive(Debug)]
pub struct ExistingFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its first bytes, all of a small file.
    pub head: Vec<u8>,
    /// Its last bytes.
    pub tail: Vec<u8>,
}

/// Bytes of the head and of the tail.
const SAMPLE: u64 = 1 << 16;

impl ExistingFile {
    /// The file of this name; `None` where nothing can be lost: there is none, it is empty, a folder or a device.
    pub(crate) fn read(path: &Path) -> io::Result<Option<Self>> {
        match fs::metadata(path) {
            Ok(found) if found.is_file() && found.len() > 0 => {}
            _ => return Ok(None),
        }
        let read = || {
            let (mut file, mut head, mut tail) = (File::open(path)?, Vec::new(), Vec::new());
            (&mut file).take(SAMPLE).read_to_end(&mut head)?;
            let length = file.metadata()?.len();
            file.seek(SeekFrom::Start(length.saturating_sub(SAMPLE)))?;
            file.take(SAMPLE).read_to_end(&mut tail)?;
            Ok(Self {
                path: path.to_owned(),
                head,
                tail,
            })
        };
        read().map(Some).map_err(FileError::of(path))
    }

    /// The format of the cases or traces in it, if it holds any.
    pub fn format(&self) -> Option<&'static Format> {
        let opened = Input::open(&self.path, Limits::default(), &ReadOptions::default());
        opened.ok()?.format().ok()?
    }

    /// Whether it is a file of cases or traces of the format of this name, as JSON, packed or not. Tables and results may be read as cases
    /// too, but hold more.
    pub fn is_of(&self, format: &str) -> bool {
        let mut head = self.head.iter().filter(|byte| !byte.is_ascii_whitespace());
        // An object, a list, or what gzip or zstd packed.
        let is_json = matches!(head.next(), Some(b'{' | b'[' | 0x1F | 0x28));
        let has_more = is_results(&self.head) || is_baseline(&self.head);
        is_json && !has_more && self.format().is_some_and(|it| it.name == format)
    }

    /// The first line, without what is no text.
    pub fn first_line(&self) -> String {
        let line = self.head.split(|byte| *byte == b'\n').next();
        String::from_utf8_lossy(line.unwrap_or_default()).into_owned()
    }

    /// Whether the first bytes hold this text.
    pub fn head_has(&self, text: &str) -> bool {
        has(&self.head, text)
    }

    /// Whether the last bytes hold this text.
    pub fn tail_has(&self, text: &str) -> bool {
        has(&self.tail, text)
    }
}

fn has(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|it| it == text.as_bytes())
}
