//! Files that are there whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::printable::ResultsOut;

/// Where bytes go: standard output, or a file that appears under its name only when all of it is written.
///
/// What has not been committed is gone when the output is dropped.
#[derive(Debug)]
pub struct Output(Target);

#[derive(Debug)]
enum Target {
    Stdout(BufWriter<ResultsOut>),
    /// A device, a pipe, a file that others write to: it is there already and must not be replaced.
    Special(BufWriter<File>),
    File {
        unfinished: Option<BufWriter<NamedTempFile>>,
        path: PathBuf,
    },
}

const BUFFER: usize = 1 << 16;

impl Output {
    /// Standard output.
    pub fn stdout() -> Self {
        Self(Target::Stdout(BufWriter::with_capacity(BUFFER, ResultsOut::new())))
    }

    /// The file of this name; `-` is standard output.
    ///
    /// # Errors
    /// Where a file cannot be made there, so that a run is not begun in vain.
    pub fn create(path: &Path) -> io::Result<Self> {
        if path.as_os_str() == "-" {
            return Ok(Self::stdout());
        }
        // Through a link to the file itself, which would else be replaced by the link.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        match fs::metadata(&path) {
            Ok(found) if found.is_dir() => return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a directory")),
            Ok(found) if !found.is_file() => {
                let file = OpenOptions::new().write(true).open(&path)?;
                return Ok(Self(Target::Special(BufWriter::with_capacity(BUFFER, file))));
            }
            _ => {}
        }
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if !directory.is_dir() {
            return Err(io::Error::new(io::ErrorKind::NotFound, format!("there is no folder {}", directory.display())));
        }
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // As any new file; the umask takes away what the user does not want.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let unfinished = builder.prefix(".rightcall-").tempfile_in(directory)?;
        Ok(Self(Target::File { unfinished: Some(BufWriter::with_capacity(BUFFER, unfinished)), path }))
    }

    /// The end of this file, which others write to as well.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn append(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().append(true).create(true).open(path)?;
        Ok(Self(Target::Special(BufWriter::with_capacity(BUFFER, file))))
    }

    /// Writes what is left and gives the file its name.
    ///
    /// # Errors
    /// Where that fails; the file of that name is then what it was before.
    pub fn commit(&mut self) -> io::Result<()> {
        self.flush()?;
        if let Target::File { unfinished, path } = &mut self.0
            && let Some(writer) = unfinished.take()
        {
            let file = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
            if let Ok(before) = fs::metadata(&path) {
                fs::set_permissions(file.path(), before.permissions())?;
            }
            file.persist(path).map_err(|error| error.error)?;
        }
        Ok(())
    }

    fn writer(&mut self) -> io::Result<&mut dyn Write> {
        match &mut self.0 {
            Target::Stdout(out) => Ok(out),
            Target::Special(out) => Ok(out),
            Target::File { unfinished, .. } => match unfinished {
                Some(out) => Ok(out),
                None => Err(io::Error::other("the file is finished")),
            },
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer()?.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_appears_only_when_it_is_whole() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("out");
        fs::write(&path, "before").unwrap();
        let mut dropped = Output::create(&path).unwrap();
        dropped.write_all(b"half").unwrap();
        drop(dropped);
        assert_eq!(fs::read_to_string(&path).unwrap(), "before");
        let mut whole = Output::create(&path).unwrap();
        whole.write_all(b"whole").unwrap();
        whole.commit().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "whole");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn where_no_file_can_be_made_it_is_known_at_once() {
        let directory = tempfile::tempdir().unwrap();
        assert!(Output::create(&directory.path().join("missing/out")).is_err());
        assert!(Output::create(directory.path()).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_written_to_as_they_are() {
        let mut null = Output::create(Path::new("/dev/null")).unwrap();
        null.write_all(b"x").unwrap();
        null.commit().unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
