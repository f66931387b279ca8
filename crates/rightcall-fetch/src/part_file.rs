//! The partial file of a running fetch, and its state.
//!
//! `FILE.part` has complete pages; `FILE.part.json` has their length and the next page's cursor. A
//! page is written first, then the state, atomically. If the process is killed in between, the next
//! fetch cuts off the bytes beyond the recorded length. `FILE` appears once everything is fetched.
//! Nothing is left on disk before the first page.

use std::fs::{self, File, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::own_file::{check_own, open_own, remove_if_there};
use crate::packing::Packing;
use crate::{FetchError, FetchedTrace};

/// The progress or result of a fetch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fetched {
    /// Traces written.
    pub traces: usize,
    /// Lines written for them.
    pub records: u64,
    /// Traces that the service lists but has no data for.
    pub without_records: u64,
    /// Pages read.
    pub pages: u64,
    /// Traces written by an earlier fetch that was stopped.
    #[serde(skip)]
    pub before: usize,
}

/// The state of a partial file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct PartState {
    /// The query, with its resolved time bounds.
    pub(crate) question: Value,
    /// Length of the complete pages, in bytes.
    pub(crate) bytes: u64,
    #[serde(flatten)]
    pub(crate) fetched: Fetched,
    /// The next page's cursor; `None` for the first page.
    pub(crate) cursor: Option<String>,
    /// True if there is no next page.
    pub(crate) is_whole: bool,
    /// Ids of the traces on the last page. New traces shift pages, so a trace may appear twice.
    pub(crate) last: Vec<String>,
}

/// A partial file being written.
pub(crate) struct PartFile {
    /// The open file; `None` until the first page is written.
    file: Option<File>,
    output: PathBuf,
    pub(crate) state: PartState,
}

impl PartFile {
    /// Resumes the partial file of this output, or starts one.
    ///
    /// # Errors
    /// The partial file belongs to another query, was changed, or is being written by another process; or it can't be written.
    pub(crate) fn open(output: &Path, state: PartState, anew: bool) -> Result<Self, FetchError> {
        let part = with_suffix(output, ".part");
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
            // The file was opened only to test that it can be created, and nothing is left on disk
            // before the first page.
            fs::remove_file(&part).map_err(FetchError::file(&part))?;
            None
        };
        if length < state.bytes {
            let what = format!("it has {length} bytes, and {} were written", state.bytes);
            return Err(FetchError::OtherPart { path: part, what });
        }
        if state.bytes == 0 {
            let known = with_suffix(output, ".part.json");
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

    /// Writes a page, then the new state.
    pub(crate) fn append(
        &mut self,
        traces: &[FetchedTrace],
        next: PartState,
    ) -> Result<(), FetchError> {
        let part = with_suffix(&self.output, ".part");
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
        let path = with_suffix(&self.output, ".part.json");
        let new = with_suffix(&self.output, ".part.json.new");
        let text = serde_json::to_vec(&self.state).map_err(io::Error::from);
        text.and_then(|text| {
            // It may be left from a killed fetch, or be a link.
            remove_if_there(&new)?;
            let mut file = File::create_new(&new)?;
            file.write_all(&text)?;
            file.sync_data()?;
            fs::rename(&new, &path)
        })
        .map_err(FetchError::file(&path))
    }

    /// Gives the complete file its name.
    pub(crate) fn finish(self) -> Result<(), FetchError> {
        fs::rename(with_suffix(&self.output, ".part"), &self.output)
            .and_then(|()| fs::remove_file(with_suffix(&self.output, ".part.json")))
            .map_err(FetchError::file(&self.output))
    }

    /// Removes the files of an empty fetch.
    pub(crate) fn remove(self) -> Result<(), FetchError> {
        remove_if_there(&with_suffix(&self.output, ".part.json"))
            .and_then(|()| remove_if_there(&with_suffix(&self.output, ".part")))
            .map_err(FetchError::file(&self.output))
    }
}

/// Opens and locks a partial file, so that no other process writes it.
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

/// The state of this output's partial file; `None` if there is none.
fn read_state(output: &Path) -> Result<Option<PartState>, FetchError> {
    let path = with_suffix(output, ".part.json");
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

/// The query of this output's partial file, if it holds a page.
pub(crate) fn question_of(output: &Path) -> Result<Option<Value>, FetchError> {
    Ok(read_state(output)?
        .filter(|state| state.fetched.pages > 0)
        .map(|state| state.question))
}

/// `path` with `more` appended to its name.
fn with_suffix(path: &Path, more: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(more);
    name.into()
}
