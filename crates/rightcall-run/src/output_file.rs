//! Files that are written completely or not at all.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use crate::printable::ResultsOut;
use crate::{Unfinished, temporary};

/// An output: standard output, or a file that gets its name only when it is complete.
///
/// Uncommitted data is lost when the output is dropped. Errors name the file and contain a
/// [`FileError`].
#[derive(Debug)]
pub struct OutputFile {
    target: Target,
    /// The name as the user wrote it.
    name: PathBuf,
}

#[derive(Debug)]
enum Target {
    Stdout(BufWriter<ResultsOut>),
    /// An existing device or pipe, which must not be replaced.
    Special(BufWriter<File>),
    /// Text to append to a file that others write to as well. It is written in one piece.
    End(Vec<u8>),
    File(Option<UnfinishedFile>),
}

#[derive(Debug)]
struct UnfinishedFile {
    writer: BufWriter<File>,
    file: TempPath,
    registered: Unfinished,
    /// The final path.
    path: PathBuf,
    replaces: bool,
}

const BUFFER: usize = 1 << 16;

/// An operation on a file that failed.
#[derive(Debug)]
pub struct FileError {
    path: PathBuf,
    error: io::Error,
}

impl FileError {
    pub(crate) fn of(path: &Path) -> impl Fn(io::Error) -> io::Error {
        move |error| {
            io::Error::new(
                error.kind(),
                Self {
                    path: path.to_owned(),
                    error,
                },
            )
        }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.error)
    }
}

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

impl OutputFile {
    /// Standard output.
    pub fn stdout() -> Self {
        Self {
            target: Target::Stdout(BufWriter::with_capacity(BUFFER, ResultsOut::new())),
            name: PathBuf::from("-"),
        }
    }

    /// Writes the file at this path, and replaces an existing one: for files that are rewritten.
    /// For outputs see [`OutputFiles`](crate::OutputFiles).
    ///
    /// # Errors
    /// The file cannot be created; this fails before the run starts.
    pub fn replacing(path: &Path) -> io::Result<Self> {
        Self::file(path, true)
    }

    /// A new file. Fails if the path exists now or when it is committed.
    ///
    /// # Errors
    /// The file cannot be created.
    pub fn create_new(path: &Path) -> io::Result<Self> {
        Self::file(path, false)
    }

    /// Appends to a file that others may write to as well.
    ///
    /// # Errors
    /// The file cannot be written to.
    pub(crate) fn append(path: &Path) -> io::Result<Self> {
        OpenOptions::new()
            .append(true)
            .create(true)
            .open(path)
            .map_err(FileError::of(path))?;
        Ok(Self {
            target: Target::End(Vec::new()),
            name: path.to_owned(),
        })
    }

    fn file(path: &Path, replaces: bool) -> io::Result<Self> {
        Ok(Self {
            target: Target::of(path, replaces).map_err(FileError::of(path))?,
            name: path.to_owned(),
        })
    }

    /// Writes the remaining data and renames the file to its final name.
    ///
    /// # Errors
    /// A write error; an existing file of that name is then unchanged.
    pub fn commit(&mut self) -> io::Result<()> {
        self.flush()?;
        let committed = match &mut self.target {
            Target::File(unfinished) => unfinished.take().map_or(Ok(()), UnfinishedFile::commit),
            Target::End(text) => append_all(&self.name, &std::mem::take(text)),
            Target::Stdout(_) | Target::Special(_) => Ok(()),
        };
        committed.map_err(FileError::of(&self.name))
    }

    fn writer(&mut self) -> io::Result<&mut dyn Write> {
        match &mut self.target {
            Target::Stdout(out) => Ok(out),
            Target::Special(out) => Ok(out),
            Target::End(text) => Ok(text),
            Target::File(Some(unfinished)) => Ok(&mut unfinished.writer),
            Target::File(None) => Err(io::Error::other("the file is finished")),
        }
    }

    /// The error with the name of the file.
    #[cold]
    fn named(&self, error: io::Error) -> io::Error {
        if let Target::Stdout(_) = self.target {
            error
        } else {
            FileError::of(&self.name)(error)
        }
    }
}

impl Target {
    fn of(path: &Path, replaces: bool) -> io::Result<Self> {
        // Resolve links, or the link itself would be replaced.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        match fs::metadata(&path) {
            Ok(found) if found.is_dir() => {
                return Err(io::Error::new(
                    io::ErrorKind::IsADirectory,
                    "it is a directory, not a file",
                ));
            }
            Ok(found) if !found.is_file() => {
                let file = OpenOptions::new().write(true).open(&path)?;
                return Ok(Self::Special(BufWriter::with_capacity(BUFFER, file)));
            }
            _ => {}
        }
        let directory = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        if !directory.is_dir() {
            return Err(io::Error::new(
                io::ErrorKind::NotFound,
                format!("there is no folder {}", directory.display()),
            ));
        }
        let mut builder = temporary();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // Use the mode of any new file; the umask removes the rest.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let make = |folder: &Path| builder.tempfile_in(folder);
        let (made, registered) =
            Unfinished::make_in(directory, make, |file| file.path().to_owned())?;
        let (file, name) = made.into_parts();
        let writer = BufWriter::with_capacity(BUFFER, file);
        Ok(Self::File(Some(UnfinishedFile {
            writer,
            file: name,
            registered,
            path,
            replaces,
        })))
    }
}

impl UnfinishedFile {
    fn commit(self) -> io::Result<()> {
        let Self {
            writer,
            file,
            registered,
            path,
            replaces,
        } = self;
        writer
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?;
        if replaces && let Ok(before) = fs::metadata(&path) {
            fs::set_permissions(&file, before.permissions())?;
        }
        let renamed = if replaces {
            file.persist(path)
        } else {
            file.persist_noclobber(path)
        };
        renamed.map_err(|error| error.error)?;
        drop(registered);
        Ok(())
    }
}

/// Appends a text to a file completely, or not at all.
fn append_all(path: &Path, text: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    let before = file.metadata()?.len();
    file.write_all(text)
        .inspect_err(|_| _ = file.set_len(before))
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer()
            .and_then(|out| out.write(bytes))
            .map_err(|error| self.named(error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer()
            .and_then(Write::flush)
            .map_err(|error| self.named(error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_appears_only_after_commit() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("out");
        fs::write(&path, "before").unwrap();
        let mut dropped = OutputFile::replacing(&path).unwrap();
        dropped.write_all(b"half").unwrap();
        drop(dropped);
        assert_eq!(fs::read_to_string(&path).unwrap(), "before");
        let mut file = OutputFile::replacing(&path).unwrap();
        file.write_all(b"whole").unwrap();
        file.commit().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "whole");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn unwritable_path_fails_on_open() {
        let directory = tempfile::tempdir().unwrap();
        assert!(OutputFile::replacing(&directory.path().join("missing/out")).is_err());
        assert!(OutputFile::replacing(directory.path()).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_written_directly() {
        let mut null = OutputFile::replacing(Path::new("/dev/null")).unwrap();
        null.write_all(b"x").unwrap();
        null.commit().unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }

    #[test]
    fn append_is_atomic() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("summary");
        fs::write(&path, "others\n").unwrap();
        let mut dropped = OutputFile::append(&path).unwrap();
        dropped.write_all(b"half").unwrap();
        drop(dropped);
        assert_eq!(fs::read_to_string(&path).unwrap(), "others\n");
        let mut file = OutputFile::append(&path).unwrap();
        file.write_all(b"ours\n").unwrap();
        file.commit().unwrap();
        file.commit().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "others\nours\n");
    }

    #[test]
    fn create_new_does_not_replace_a_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("new");
        let mut output = OutputFile::create_new(&path).unwrap();
        output.write_all(b"ours").unwrap();
        fs::write(&path, "theirs").unwrap();
        let error = output.commit().unwrap_err();
        assert!(
            error.to_string().starts_with(&path.display().to_string()),
            "{error}"
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }
}
