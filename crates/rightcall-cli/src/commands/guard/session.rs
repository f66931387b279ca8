//! Stores a session's history in a file, because each hook is a separate process and several may
//! run at once.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rightcall_core::monitor::Guard;
use rightcall_core::value::{JsonText, RawJson, from_json};
use rightcall_run::text_hash;
use rightcall_store::make_folder;
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use crate::messages::Trouble;

/// A locked session. No other process can change it until this is dropped.
pub(super) struct Session {
    path: PathBuf,
    /// The locked file. It is separate from the history file, because saving replaces that file.
    _lock: File,
    pub(super) guard: Guard,
    /// Allowed calls without a result so far.
    waiting: Vec<WaitingCall>,
}

/// An allowed call without a result so far.
#[derive(Serialize, Deserialize)]
struct WaitingCall {
    /// The id of the call, or its name and arguments.
    key: String,
    /// Its index in the run.
    call: usize,
}

#[derive(Serialize, Deserialize)]
struct SessionText<'s> {
    #[serde(borrow)]
    guard: RawJson<'s>,
    waiting: Vec<WaitingCall>,
}

impl Session {
    /// Waits for the lock, then reads the session. `fresh` is the guard for a new session, and has the current rules.
    pub(super) fn open(folder: &Path, id: &str, fresh: Guard) -> Result<Self, Trouble> {
        let name = file_name(id);
        let path = folder.join(format!("{name}.json"));
        make_folder(folder)?;
        let lock = folder.join(format!("{name}.lock"));
        let locked = File::create(&lock).and_then(|file| file.lock().map(|()| file));
        let locked = locked.map_err(|error| failed(&lock, &error))?;
        let mut session = Self {
            path,
            _lock: locked,
            guard: fresh,
            waiting: Vec::new(),
        };
        match fs::read_to_string(&session.path) {
            Ok(text) => session.read(&text)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed(&session.path, &error)),
        }
        Ok(session)
    }

    fn read(&mut self, text: &str) -> Result<(), Trouble> {
        let path = self.path.display().to_string();
        let other = |error: &dyn std::fmt::Display| {
            let help = "delete the file to begin the session anew";
            Trouble::with_help(format!("{path}: {error}"), help)
        };
        let read: SessionText<'_> = from_json(text).map_err(|error| other(&error))?;
        let past = Guard::restore(read.guard.0).map_err(|error| other(&error))?;
        // The rules and options may have changed since the session was saved.
        self.guard = past.under(&self.guard).map_err(|error| other(&error))?;
        self.waiting = read.waiting;
        Ok(())
    }

    /// Records that a call was allowed.
    pub(super) fn await_result(&mut self, key: String, call: usize) {
        self.waiting.push(WaitingCall { key, call });
    }

    /// Removes and returns the index of the allowed call of this result.
    pub(super) fn take_waiting(&mut self, key: &str) -> Option<usize> {
        let place = self.waiting.iter().position(|it| it.key == key)?;
        Some(self.waiting.remove(place).call)
    }

    /// Writes the session atomically.
    pub(super) fn save(self) -> Result<(), Trouble> {
        let snapshot = self.guard.snapshot();
        let text = JsonText::from_type(&SessionText {
            guard: RawJson(snapshot.as_str()),
            waiting: self.waiting,
        });
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let written = NamedTempFile::new_in(folder).and_then(|mut file| {
            file.write_all(text.as_str().as_bytes())?;
            file.persist(&self.path).map_err(|error| error.error)
        });
        written.map_err(|error| failed(&self.path, &error))?;
        Ok(())
    }
}

fn failed(path: &Path, error: &io::Error) -> Trouble {
    let help = "--state FOLDER keeps sessions elsewhere";
    Trouble::with_help(format!("{}: {error}", path.display()), help)
}

/// The name of a session's file. Session ids come from outside, so unusual ones are hashed: an id
/// must not lead to another folder.
fn file_name(id: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if !id.is_empty() && id.len() <= 100 && id.bytes().all(is_plain) {
        id.to_owned()
    } else {
        text_hash(id)
    }
}
