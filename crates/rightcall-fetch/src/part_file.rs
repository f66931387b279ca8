//! The part of a file that is there while it is being fetched, and what is known of it.
//!
//! `FILE.part` holds whole pages, `FILE.part.json` how long it is and where the next page is. A page is written first, then what is known,
//! in one step: a process that is killed in between leaves bytes behind the length that is known, which are cut off by the next. `FILE`
//! appears when all is there, and nothing is on the disk before the first page.

use std::fs::{self, File, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::own_file::{check_own, open_own, remove_if_there};
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
    /// The part; `None` until there is a page to be written.
    file: Option<File>,
    output: PathBuf,
    pub(crate) state: PartState,
}

impl PartFile {
    /// Goes on with the part of this output, or begins one. Until there is a page, nothing stays on the disk, whatever ends the process.
    ///
    /// # Errors
    /// The part was fetched for another question, was changed, or is being fetched by another process; or it cannot be written.
    pub(crate) fn open(output: &Path, state: PartState, anew: bool) -> Result<Self, FetchError> {
        let part = beside(output, ".part");
        let known = if anew {
            None
        } else {
            read_state(output)?.filter(|known| known.fetched.pages > 0)
        };
        let mut state = known.unwrap_or(state);
        state.fetched.before = state.fetched.traces;
        let is_there = fs::symlink_metadata(&part).is_ok();
        let file = open_locked(&part)?;
        let length = file.metadata().map_err(FetchError::file(&part))?.len();
        let file = if is_there {
            Some(file)
        } else {
            // It can be made.
            fs::remove_file(&part).map_err(FetchError::file(&part))?;
            None
        };
        if length < state.bytes {
            let what = format!("it has {length} bytes, and {} were written", state.bytes);
            return Err(FetchError::OtherPart { path: part, what });
        }
        if state.bytes == 0 {
            let known = beside(output, ".part.json");
            remove_if_there(&known).map_err(FetchError::file(&known))?;
        }
        if let Some(mut file) = file.as_ref() {
            file.set_len(state.bytes)
                .and_then(|()| file.seek(SeekFrom::End(0)))
                .map_err(FetchError::file(&part))?;
        }
        Ok(Self {
            file,
            output: output.to_owned(),
            state,
        })
    }

    /// Writes a page, then that it is there.
    pub(crate) fn append(
        &mut self,
        traces: &[FetchedTrace],
        next: PartState,
    ) -> Result<(), FetchError> {
        let part = beside(&self.output, ".part");
        let mut file = match &self.file {
            Some(file) => file,
            None => self.file.insert(open_locked(&part)?),
        };
        let records = traces.iter().flat_map(|trace| &trace.records);
        let write = || {
            let packing = Packing::of(&self.output);
            packing.write_page(records.map(|record| &**record), file)?;
            file.sync_data()?;
            file.stream_position()
        };
        let bytes = write().map_err(FetchError::file(&part))?;
        self.state = PartState { bytes, ..next };
        self.write_state()
    }

    fn write_state(&self) -> Result<(), FetchError> {
        let path = beside(&self.output, ".part.json");
        let new = beside(&self.output, ".part.json.new");
        let text = serde_json::to_vec(&self.state).map_err(io::Error::from);
        text.and_then(|text| {
            // What a killed fetch has left, or a link.
            remove_if_there(&new)?;
            let mut file = File::create_new(&new)?;
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
        remove_if_there(&beside(&self.output, ".part.json"))
            .and_then(|()| remove_if_there(&beside(&self.output, ".part")))
            .map_err(FetchError::file(&self.output))
    }
}

/// Opens a part, which no other process may fetch.
fn open_locked(part: &Path) -> Result<File, FetchError> {
    let failed = |error| FetchError::File {
        path: part.to_owned(),
        error,
    };
    let file = open_own(part).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            Err(failed(io::Error::other("another process is fetching it")))
        }
        Err(TryLockError::Error(error)) => Err(failed(error)),
    }
}

/// What is known of the part of this output; `None` if there is none.
fn read_state(output: &Path) -> Result<Option<PartState>, FetchError> {
    let path = beside(output, ".part.json");
    let text = match check_own(&path).and_then(|_| fs::read(&path)) {
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
