//! Rules for replacing files. Every file that a command writes is opened here, so no output path
//! can destroy other data.
//!
//! An output replaces only an empty file or an earlier output of its kind. It never replaces a file that the command already reads or
//! writes, even through another name or a link, and never a history.

use std::borrow::Cow;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::OutputFile;
use crate::existing_file::ExistingFile;
use crate::results_file::{is_baseline, is_results};
use crate::what_is::{is_database, what_is};

/// The files that a command reads and writes.
#[derive(Debug, Default)]
pub struct OutputFiles {
    read: Vec<FileIdentity>,
    written: Vec<FileIdentity>,
}

/// A kind of output.
pub struct OutputKind<'k> {
    /// Its name, without an article: `html report`.
    pub name: Cow<'k, str>,
    /// Returns true for an earlier output of this kind.
    pub is_earlier: &'k dyn Fn(&ExistingFile) -> bool,
}

/// A baseline. It may replace results, since they can serve as a baseline too.
pub const BASELINE_FILE: OutputKind<'static> = OutputKind {
    name: Cow::Borrowed("baseline"),
    is_earlier: &|existing| is_baseline(&existing.head) || is_results(&existing.head),
};

impl fmt::Debug for OutputKind<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// Why an output cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// The command reads the file.
    #[error("{} is also an input", .0.display())]
    Input(PathBuf),
    /// Two outputs of the command have the same path.
    #[error("{} is also the file of another output", .0.display())]
    Twice(PathBuf),
    /// The output would replace a file of another kind.
    #[error("{} is {found}, not an earlier {output}", path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// The existing file, with an article.
        found: String,
        /// The output that would replace it.
        output: String,
    },
    /// The file cannot be written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl OutputError {
    /// Suggests what to do.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Self::Input(_) => Some("write the results to another file"),
            Self::Twice(_) => Some("name another file for one of them"),
            Self::Other { .. } => Some("name another file, or delete or move this one first"),
            Self::Io(_) => None,
        }
    }
}

impl OutputFiles {
    /// Starts with the files that the command reads.
    pub fn new<P: AsRef<Path>>(read: impl IntoIterator<Item = P>) -> Self {
        let read = read.into_iter();
        Self {
            read: read
                .filter_map(|path| FileIdentity::of(path.as_ref()))
                .collect(),
            written: Vec::new(),
        }
    }

    /// Opens an output; `-` is standard output.
    ///
    /// # Errors
    /// The output would replace another file, or the file cannot be created.
    pub fn create(
        &mut self,
        path: &Path,
        kind: &OutputKind<'_>,
    ) -> Result<OutputFile, OutputError> {
        if path.as_os_str() == "-" {
            return Ok(OutputFile::stdout());
        }
        self.check(path, kind)?;
        Ok(OutputFile::replacing(path)?)
    }

    /// Opens a file to append to, which others may write to as well.
    ///
    /// # Errors
    /// The command reads the file, or it is a database, or it cannot be written to.
    pub fn append(&mut self, path: &Path) -> Result<OutputFile, OutputError> {
        self.claim(path)?;
        if let Some(existing) = ExistingFile::read(path)?
            && is_database(&existing.head)
        {
            return Err(refused(&existing, "output"));
        }
        Ok(OutputFile::append(path)?)
    }

    /// Checks that an output may be written to this path, if it is written by other means.
    ///
    /// # Errors
    /// The output would replace another file.
    pub fn check(&mut self, path: &Path, kind: &OutputKind<'_>) -> Result<(), OutputError> {
        self.claim(path)?;
        match ExistingFile::read(path)? {
            Some(existing) if !(kind.is_earlier)(&existing) => Err(refused(&existing, &kind.name)),
            _ => Ok(()),
        }
    }

    /// Registers a path as an output, for example a file that is changed in place.
    ///
    /// # Errors
    /// The command reads the file for another purpose, or already writes it.
    pub fn claim(&mut self, path: &Path) -> Result<(), OutputError> {
        let Some(identity) = FileIdentity::of(path) else {
            return Ok(());
        };
        if self.read.contains(&identity) {
            return Err(OutputError::Input(path.to_owned()));
        }
        if self.written.contains(&identity) {
            return Err(OutputError::Twice(path.to_owned()));
        }
        self.written.push(identity);
        Ok(())
    }
}

/// The error for a file that must not be replaced.
fn refused(existing: &ExistingFile, output: &str) -> OutputError {
    OutputError::Other {
        path: existing.path.clone(),
        found: what_is(existing),
        output: output.to_owned(),
    }
}

/// Identifies a file independently of its name.
#[derive(Debug, PartialEq, Eq)]
enum FileIdentity {
    /// An existing file: its device and its inode.
    #[cfg(unix)]
    Node(u64, u64),
    /// A file that does not exist yet, or any file on systems other than Unix.
    Path(PathBuf),
}

impl FileIdentity {
    /// The identity of a file, or of one that may be created at this path; `None` for a folder, a device and the like.
    fn of(path: &Path) -> Option<Self> {
        let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
        match fs::metadata(path) {
            Ok(found) if !found.is_file() => None,
            #[cfg(unix)]
            Ok(found) => {
                use std::os::unix::fs::MetadataExt;
                Some(Self::Node(found.dev(), found.ino()))
            }
            #[cfg(not(unix))]
            Ok(_) => path.canonicalize().ok().map(Self::Path),
            Err(_) => {
                let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
                Some(Self::Path(folder.join(path.file_name()?)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: OutputKind<'static> = OutputKind {
        name: Cow::Borrowed("text"),
        is_earlier: &|existing| existing.head_has("ours"),
    };

    #[test]
    fn only_empty_files_and_earlier_outputs_may_be_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let create = |before: &str| {
            fs::write(&path, before).unwrap();
            OutputFiles::default().create(&path, &TEXT).map(drop)
        };
        assert!(create("").is_ok() && create("ours").is_ok());
        let error = create("theirs").unwrap_err().to_string();
        assert!(
            error.ends_with("out is a text file, not an earlier text"),
            "{error}"
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
    }

    #[test]
    #[cfg(unix)]
    fn inputs_and_other_outputs_are_recognized_by_any_name() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("in"), "ours").unwrap();
        fs::hard_link(at("in"), at("hard")).unwrap();
        std::os::unix::fs::symlink(at("in"), at("soft")).unwrap();
        let mut files = OutputFiles::new([at("in"), at("later")]);
        for name in ["in", "hard", "soft", "./in", "later", "./later"] {
            let error = files.create(&at(name), &TEXT).unwrap_err();
            assert!(matches!(error, OutputError::Input(_)), "{name}: {error}");
            assert!(files.append(&at(name)).is_err());
        }
        files.check(&at("new"), &TEXT).unwrap();
        let error = files.check(&at("./new"), &TEXT).unwrap_err();
        assert!(matches!(error, OutputError::Twice(_)), "{error}");
        assert!(files.create(Path::new("-"), &TEXT).is_ok());
        assert!(files.create(Path::new("/dev/null"), &TEXT).is_ok());
        assert!(files.create(Path::new("/dev/null"), &TEXT).is_ok());
    }
}
