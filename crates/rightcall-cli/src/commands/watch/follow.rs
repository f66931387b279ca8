//! Reads new lines of a growing file, and of a file that replaces it.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use crate::messages::{Trouble, note};
use crate::size;

/// The maximum number of bytes to read from standard input at once.
const CHUNK: usize = 64 * 1024;

pub(super) struct Follower {
    source: Source,
    /// The incomplete last line.
    rest: Vec<u8>,
}

enum Source {
    File {
        path: PathBuf,
        file: Option<(File, FileIdentity)>,
        read: u64,
    },
    /// Standard input, read by another thread; `None` after its end.
    Stdin(Option<Receiver<Vec<u8>>>),
}

/// Identifies a file independent of its path.
#[derive(PartialEq, Eq)]
struct FileIdentity(u64, u64);

impl FileIdentity {
    #[cfg(unix)]
    fn of(metadata: &fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self(metadata.dev(), metadata.ino())
    }

    /// On other systems, a replacement is detected only if the new file is shorter.
    #[cfg(not(unix))]
    fn of(_: &fs::Metadata) -> Self {
        Self(0, 0)
    }
}

impl Follower {
    pub(super) fn new(path: &Path) -> Self {
        let source = if path == Path::new("-") {
            Source::Stdin(Some(stdin()))
        } else {
            if !path.exists() {
                note(&format!(
                    "{}: no such file yet; waiting for it, Ctrl-C ends it",
                    path.display()
                ));
            }
            Source::File {
                path: path.to_owned(),
                file: None,
                read: 0,
            }
        };
        Self {
            source,
            rest: Vec::new(),
        }
    }

    /// Returns the whole lines added since the last call, or `None` at the end of standard input. A file never ends.
    pub(super) fn lines(&mut self, max_line: usize) -> Result<Option<Vec<u8>>, Trouble> {
        let mut has_ended = false;
        let came = match &mut self.source {
            Source::Stdin(receiver) => {
                let Some(from) = receiver else {
                    return Ok(None);
                };
                if let Ok(mut bytes) = from.recv() {
                    bytes.extend(from.try_iter().flatten());
                    bytes
                } else {
                    *receiver = None;
                    has_ended = true;
                    Vec::new()
                }
            }
            Source::File { path, file, read } => {
                let (bytes, is_replaced) = new_bytes(path, file, read).map_err(|error| {
                    Trouble::new(format!("{}: cannot be read: {error}", path.display()))
                })?;
                has_ended = is_replaced;
                bytes
            }
        };
        self.rest.extend(came);
        let whole = self.rest.iter().rposition(|byte| *byte == b'\n');
        let rest = self.rest.split_off(whole.map_or(0, |at| at + 1));
        let mut lines = std::mem::replace(&mut self.rest, rest);
        if has_ended && !self.rest.is_empty() {
            lines.append(&mut self.rest);
            lines.push(b'\n');
        }
        if self.rest.len() > max_line {
            let message = format!("a line of more than {}", size::text(max_line));
            return Err(Trouble::with_help(message, "--max-line allows longer ones"));
        }
        Ok(Some(lines))
    }

    /// Pauses before the next read of a file. Reading standard input blocks, so it needs no pause.
    pub(super) fn wait(&self, pause: Duration) {
        if matches!(self.source, Source::File { .. }) {
            thread::sleep(pause);
        }
    }
}

/// The new bytes of a file, and whether another file has replaced it.
fn new_bytes(
    path: &Path,
    file: &mut Option<(File, FileIdentity)>,
    read: &mut u64,
) -> io::Result<(Vec<u8>, bool)> {
    if file.is_none() {
        match File::open(path) {
            Ok(opened) => {
                let identity = FileIdentity::of(&opened.metadata()?);
                (*file, *read) = (Some((opened, identity)), 0);
            }
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok((Vec::new(), false)),
            Err(error) => return Err(error),
        }
    }
    let Some((open, identity)) = file else {
        return Ok((Vec::new(), false));
    };
    // Check for a replacement first: the last bytes of the old file are then read below.
    let is_replaced = match fs::metadata(path) {
        Ok(now) => FileIdentity::of(&now) != *identity || now.len() < *read,
        // The file was moved away, and the next one does not exist yet.
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        Err(error) => return Err(error),
    };
    let mut bytes = Vec::new();
    *read += open.read_to_end(&mut bytes)? as u64;
    if is_replaced {
        *file = None;
    }
    Ok((bytes, is_replaced))
}

/// Reads standard input on another thread, so that all waiting input is returned at once.
fn stdin() -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut stdin = io::stdin().lock();
        let mut chunk = vec![0; CHUNK];
        loop {
            match stdin.read(&mut chunk) {
                Ok(0) => return,
                Ok(read) if sender.send(chunk[..read].to_vec()).is_ok() => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                _ => return,
            }
        }
    });
    receiver
}
