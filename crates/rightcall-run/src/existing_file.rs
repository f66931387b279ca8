//! A file that already exists at an output path, identified by its first and last bytes.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use rightcall_formats::{Format, Input, Limits, ReadOptions};

use crate::FileError;
use crate::results_file::{is_baseline, is_results};

/// A file that already exists at an output path.
#[derive(Debug)]
pub struct ExistingFile {
    /// Its path.
    pub path: PathBuf,
    /// The first bytes; for a small file, all of it.
    pub head: Vec<u8>,
    /// The last bytes.
    pub tail: Vec<u8>,
}

/// Size of head and tail in bytes.
const SAMPLE: u64 = 1 << 16;

impl ExistingFile {
    /// The file at this path; `None` if no data can be lost: no file, an empty file, a folder or a device.
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

    /// True for a JSON file of cases or traces in this format, compressed or not. False for tables
    /// and results: they may be read as cases too, but hold more than cases.
    pub fn is_of(&self, format: &str) -> bool {
        let mut head = self.head.iter().filter(|byte| !byte.is_ascii_whitespace());
        // The first byte of an object, a list, gzip or zstd.
        let is_json = matches!(head.next(), Some(b'{' | b'[' | 0x1F | 0x28));
        let has_more = is_results(&self.head) || is_baseline(&self.head);
        is_json && !has_more && self.format().is_some_and(|it| it.name == format)
    }

    /// The first line, without bytes that are not text.
    pub fn first_line(&self) -> String {
        let line = self.head.split(|byte| *byte == b'\n').next();
        String::from_utf8_lossy(line.unwrap_or_default()).into_owned()
    }

    /// True if the head contains this text.
    pub fn head_has(&self, text: &str) -> bool {
        has(&self.head, text)
    }

    /// True if the tail contains this text.
    pub fn tail_has(&self, text: &str) -> bool {
        has(&self.tail, text)
    }
}

fn has(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|it| it == text.as_bytes())
}
