//! What can go wrong on the way from a service to a file.

use std::io;
use std::path::{Path, PathBuf};

/// What ends a fetch before it is whole. What had been written by then stays, and the next fetch goes on from there.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// No service is called so.
    #[error("no service is called `{name}`")]
    UnknownService {
        /// The name.
        name: String,
        /// The names that there are.
        known: String,
    },
    /// A variable of the environment that the service needs is not set.
    #[error("{service} needs the variable {variable}, which is not set")]
    MissingVariable {
        /// The service's name for people.
        service: &'static str,
        /// The variable, or the variables of which one is enough.
        variable: String,
        /// Where its value comes from.
        help: &'static str,
    },
    /// A variable, a filter or a project that cannot be meant so.
    #[error("{what}")]
    Usage {
        /// What is wrong.
        what: String,
        /// What the user can do.
        help: String,
    },
    /// The service does not accept the credentials.
    #[error("{address} refuses the credentials ({status}): {said}")]
    Refused {
        /// Where it was asked, without what was asked.
        address: String,
        /// The status of the answer.
        status: u16,
        /// What the service said, without secrets.
        said: String,
        /// The variables that hold the credentials.
        variables: &'static str,
    },
    /// The service answered with an error.
    #[error("{address} answered {status}: {said}")]
    Status {
        /// Where it was asked.
        address: String,
        /// The status of the answer.
        status: u16,
        /// What the service said, without secrets.
        said: String,
    },
    /// No answer came.
    #[error("{address}: {said}")]
    NoAnswer {
        /// Where it was asked.
        address: String,
        /// Why.
        said: String,
    },
    /// The service asks to wait for longer than anybody would.
    #[error("{address} asks to wait for {seconds} seconds")]
    Busy {
        /// Where it was asked.
        address: String,
        /// For how long.
        seconds: u64,
    },
    /// The answer is not what the public interface of the service says.
    #[error("{address}: the answer is not what was expected: {what}")]
    Answer {
        /// Where it was asked.
        address: String,
        /// What is wrong with it.
        what: String,
    },
    /// The answers hold more than is kept in memory.
    #[error("{address}: expected at most {} MiB {of}, found more", limit >> 20)]
    TooLong {
        /// Where it was asked.
        address: String,
        /// At most this number of bytes.
        limit: u64,
        /// In what.
        of: &'static str,
    },
    /// The service answers with the same again and again.
    #[error("{address}: expected further pages, found {what}")]
    Circle {
        /// Where it was asked.
        address: String,
        /// What came again.
        what: String,
    },
    /// What is there of the file belongs to another question, or was changed.
    #[error("{}: {what}", path.display())]
    OtherPart {
        /// The part.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// The file cannot be written.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

impl FetchError {
    /// What cannot be meant so, and what to do.
    pub(crate) fn usage(what: impl Into<String>, help: impl Into<String>) -> Self {
        let (what, help) = (what.into(), help.into());
        Self::Usage { what, help }
    }

    /// An error of a file.
    pub(crate) fn file(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |error| Self::File { path, error }
    }

    /// What the user can do.
    pub fn help(&self) -> Option<String> {
        let again = || Some("the same command goes on from the last whole page".to_owned());
        match self {
            Self::UnknownService { known, .. } => Some(format!("there are {known}")),
            Self::MissingVariable { help, .. } => Some((*help).to_owned()),
            Self::Usage { help, .. } => Some(help.clone()),
            Self::Refused { variables, .. } => Some(format!("they come from {variables}")),
            Self::Status { status, .. } if *status < 500 && *status != 429 => None,
            Self::Status { .. } | Self::NoAnswer { .. } | Self::Busy { .. } => again(),
            Self::Answer { .. } => {
                Some("what was whole is kept; the same command goes on from there".to_owned())
            }
            Self::TooLong { .. } => Some(
                "ask for less at a time, by --limit, --since and --until, or --filter".to_owned(),
            ),
            Self::Circle { .. } => Some(
                "what came before is kept; the service, or what stands before it, must be repaired"
                    .to_owned(),
            ),
            Self::OtherPart { .. } => {
                Some("--restart begins anew; another -o leaves it as it is".to_owned())
            }
            Self::File { .. } => None,
        }
    }
}
