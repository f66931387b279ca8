//! The part of a file that is there while it is being fetched, and what is known of it.
//!
//! `FILE.part` holds whole pages, `FILE.part.json` how long it is and where the next page is. A page is written first, then what is known,
//! in one step: who is killed in between leaves bytes behind the length that is known, which are cut off by the next. `FILE` appears when
//! all is there.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rightcall_json::on_one_line;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::packing::Packing;
use crate::{FetchError, FetchedTrace};

/// How far a fetch is, or what it came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fetched {
    /// Traces that were written.
    pub traces: usize,
    /// Lines that were written for them.
    pub records: u64,
    /// Traces that the service lists, and has no more of.
    pub without_records: u64,
    /// Pages that were read.
    pub pages: u64,
    /// Traces that had been written by an earlier fetch, which was stopped.
    #[serde(skip)]
    pub before: usize,
}

/// What is known of a part.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct PartState {
    /// What was asked, with the times that it came to.
    pub(crate) question: Value,
    /// How much of the part is whole.
    pub(crate) bytes: u64,
    #[serde(flatten)]
    pub(crate) fetched: Fetched,
    /// Where the next page is; `None` for the first.
    pub(crate) cursor: Option<String>,
    /// Whether there is no next page.
    pub(crate) is_whole: bool,
    /// The traces of the last page. Pages shift where traces are added, and a trace may come twice.
    pub(crate) last: Vec<String>,
}

/// A file that is being fetched.
pub(crate) struct PartFile {
    file: File,
    output: PathBuf,
    pub(crate) state: PartState,
}

impl PartFile {
    /// Goes on with the part of this output, or begins one.
    ///
    /// # Errors
    /// The part was fetched for another question, was changed, or is being fetched by another process.
    pub(crate) fn open(output: &Path, state: PartState, anew: bool) -> Result<Self, FetchError> {
        let part = beside(output, ".part");
        let mut file = OpenOptions::new()
            .create(true)
            .read(true)
            .write(true)
            .truncate(false)
            .open(&part)
            .map_err(FetchError::file(&part))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(FetchError::File {
                    path: part,
                    error: io::Error::other("another process is fetching it"),
                });
            }
            Err(TryLockError::Error(error)) => return Err(FetchError::File { path: part, error }),
        }
        let known = if anew {
            None
        } else {
            read_state(output)?.filter(|known| known.fetched.pages > 0)
        };
        let mut state = known.unwrap_or(state);
        state.fetched.before = state.fetched.traces;
        let length = file.metadata().map_err(FetchError::file(&part))?.len();
        if length < state.bytes {
            let what = format!("it has {length} bytes, and {} were written", state.bytes);
            return Err(FetchError::OtherPart { path: part, what });
        }
        file.set_len(state.bytes)
            .and_then(|()| file.seek(SeekFrom::End(0)))
            .map_err(FetchError::file(&part))?;
        let this = Self {
            file,
            output: output.to_owned(),
            state,
        };
        this.write_state()?;
        Ok(this)
    }

    /// Writes a page, then that it is there.
    pub(crate) fn append(
        &mut self,
        traces: &[FetchedTrace],
        next: PartState,
    ) -> Result<(), FetchError> {
        let mut page = Vec::new();
        let records = traces.iter().flat_map(|trace| &trace.records);
        for record in records {
            page.extend(on_one_line(record.get()).bytes());
            page.push(b'\n');
        }
        let write = || {
            let packed = Packing::of(&self.output).pack(page)?;
            self.file.write_all(&packed)?;
            self.file.sync_data()?;
            Ok(packed.len() as u64)
        };
        let written = write().map_err(FetchError::file(&beside(&self.output, ".part")))?;
        self.state = PartState {
            bytes: self.state.bytes + written,
            ..next
        };
        self.write_state()
    }

    fn write_state(&self) -> Result<(), FetchError> {
        let path = beside(&self.output, ".part.json");
        let new = beside(&self.output, ".part.json.new");
        let text = serde_json::to_vec(&self.state).map_err(io::Error::from);
        text.and_then(|text| {
            let mut file = File::create(&new)?;
            file.write_all(&text)?;
            file.sync_data()?;
            fs::rename(&new, &path)
        })
        .map_err(FetchError::file(&path))
    }

    /// The file is whole: it gets its name.
    pub(crate) fn finish(self) -> Result<(), FetchError> {
        fs::rename(beside(&self.output, ".part"), &self.output)
            .and_then(|()| fs::remove_file(beside(&self.output, ".part.json")))
            .map_err(FetchError::file(&self.output))
    }

    /// There is nothing to keep.
    pub(crate) fn remove(self) -> Result<(), FetchError> {
        fs::remove_file(beside(&self.output, ".part.json"))
            .and_then(|()| fs::remove_file(beside(&self.output, ".part")))
            .map_err(FetchError::file(&self.output))
    }
}

/// What is known of the part of this output; `None` if there is none.
fn read_state(output: &Path) -> Result<Option<PartState>, FetchError> {
    let path = beside(output, ".part.json");
    let text = match fs::read(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(FetchError::File { path, error }),
    };
    let state = serde_json::from_slice(&text).map_err(|error| FetchError::OtherPart {
        path,
        what: error.to_string(),
    })?;
    Ok(Some(state))
}

/// The question of the part of this output, if there is one that holds a page.
pub(crate) fn question_of(output: &Path) -> Result<Option<Value>, FetchError> {
    Ok(read_state(output)?
        .filter(|state| state.fetched.pages > 0)
        .map(|state| state.question))
}

/// A file whose name is that of another, and more.
fn beside(path: &Path, more: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(more);
    name.into()
}
