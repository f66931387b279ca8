//! What an output may replace. Every file that a command writes is opened here, so that no output path can destroy other work.
//!
//! An output replaces an empty file or an earlier output of its kind. It never replaces a file that the command reads or writes
//! already, by whatever name or link, and never a history.

use std::borrow::Cow;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::OutputFile;
use crate::existing_file::ExistingFile;
use crate::results_file::{is_baseline, is_results};
use crate::what_is::{is_database, what_is};

/// The files of a command: those that it reads, and those that it writes.
#[derive(Debug, Default)]
pub struct OutputFiles {
    read: Vec<FileIdentity>,
    written: Vec<FileIdentity>,
}

/// A kind of output.
pub struct OutputKind<'k> {
    /// What it is called, without an article: `html report`.
    pub name: Cow<'k, str>,
    /// Whether a file is an earlier output of this kind.
    pub is_earlier: &'k dyn Fn(&ExistingFile) -> bool,
}

/// A baseline. Results may be one too, so it may replace them.
pub const BASELINE_FILE: OutputKind<'static> = OutputKind {
    name: Cow::Borrowed("baseline"),
    is_earlier: &|existing| is_baseline(&existing.head) || is_results(&existing.head),
};

impl fmt::Debug for OutputKind<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// Why an output is not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// The command reads the file.
    #[error("{}: is an input too", .0.display())]
    Input(PathBuf),
    /// Two outputs of the command have one path.
    #[error("{}: is the file of another output too", .0.display())]
    Twice(PathBuf),
    /// A file of another kind would be lost.
    #[error("{}: is {found}, not an earlier {output}", path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// What it is, with an article.
        found: String,
        /// What would replace it.
        output: String,
    },
    /// The file cannot be written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl OutputError {
    /// What the user can do.
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
    /// The files of a command that reads these.
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
    /// Where another file would be lost, or the file cannot be made.
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

    /// Opens the end of a file, which others write to as well.
    ///
    /// # Errors
    /// Where the command reads the file, it is a database, or cannot be written.
    pub fn append(&mut self, path: &Path) -> Result<OutputFile, OutputError> {
        self.claim(path)?;
        if let Some(existing) = ExistingFile::read(path)?
            && is_database(&existing.head)
        {
            return Err(refused(&existing, "output"));
        }
        Ok(OutputFile::append(path)?)
    }

    /// Checks that an output may be written here, for one that is written by other means.
    ///
    /// # Errors
    /// Where another file would be lost.
    pub fn check(&mut self, path: &Path, kind: &OutputKind<'_>) -> Result<(), OutputError> {
        self.claim(path)?;
        match ExistingFile::read(path)? {
            Some(existing) if !(kind.is_earlier)(&existing) => Err(refused(&existing, &kind.name)),
            _ => Ok(()),
        }
    }

    /// Makes a path that of an output, such as of a file that is changed in place.
    ///
    /// # Errors
    /// Where the command reads the file as something else, or has made it an output already.
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

/// Says that a file is not replaced.
fn refused(existing: &ExistingFile, output: &str) -> OutputError {
    OutputError::Other {
        path: existing.path.clone(),
        found: what_is(existing),
        output: output.to_owned(),
    }
}

/// What tells a file from all others, whatever it is called.
#[derive(Debug, PartialEq, Eq)]
enum FileIdentity {
    /// A file that is there: its device and its number.
    #[cfg(unix)]
    Node(u64, u64),
    /// A file that is not there yet, or one on other systems.
    Path(PathBuf),
}

impl FileIdentity {
    /// That of a file, or of one that may be made here; `None` for a folder, a device and the like.
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
    fn only_empty_files_and_earlier_outputs_are_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let create = |before: &str| {
            fs::write(&path, before).unwrap();
            OutputFiles::default().create(&path, &TEXT).map(drop)
        };
        assert!(create("").is_ok() && create("ours").is_ok());
        let error = create("theirs").unwrap_err().to_string();
        assert!(
            error.ends_with("out: is a text file, not an earlier text"),
            "{error}"
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
    }

    #[test]
    #[cfg(unix)]
    fn inputs_and_other_outputs_are_known_by_any_name() {
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
