//! Errors of fetching traces into a file.

use std::io;
use std::path::{Path, PathBuf};

/// An error that stops a fetch. The pages written so far are kept, and the next fetch continues after them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// No service has this name.
    #[error("no service is called `{name}`")]
    UnknownService {
        /// The name.
        name: String,
        /// The known names.
        known: String,
    },
    /// A required environment variable is not set.
    #[error("{service} needs the variable {variable}, which is not set")]
    MissingVariable {
        /// The service's display name.
        service: &'static str,
        /// The variable, or alternatives, one of them required.
        variable: String,
        /// Where to find its value.
        help: &'static str,
    },
    /// An invalid variable, filter or project.
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
        /// The requested address, without its query.
        address: String,
        /// The HTTP status.
        status: u16,
        /// The service's message, without secrets.
        said: String,
        /// The variables that hold the credentials.
        variables: &'static str,
    },
    /// The service returned an error.
    #[error("{address} answered {status}: {said}")]
    Status {
        /// The requested address.
        address: String,
        /// The HTTP status.
        status: u16,
        /// The service's message, without secrets.
        said: String,
    },
    /// The service did not answer.
    #[error("{address}: {said}")]
    NoAnswer {
        /// The requested address.
        address: String,
        /// Why.
        said: String,
    },
    /// The service requests a longer wait than is acceptable.
    #[error("{address} asks to wait for {seconds} seconds")]
    Busy {
        /// The requested address.
        address: String,
        /// The requested wait, in seconds.
        seconds: u64,
    },
    /// The response does not match the service's public API.
    #[error("{address}: the answer is not what was expected: {what}")]
    Answer {
        /// The requested address.
        address: String,
        /// What is wrong with the response.
        what: String,
    },
    /// The responses exceed the memory limit.
    #[error("{address}: expected at most {} MiB {of}, found more", limit >> 20)]
    TooLong {
        /// The requested address.
        address: String,
        /// The limit, in bytes.
        limit: u64,
        /// The scope of the limit: one response, or a page of traces.
        of: &'static str,
    },
    /// The service keeps sending the same data.
    #[error("{address}: expected further pages, found {what}")]
    Circle {
        /// The requested address.
        address: String,
        /// What is repeated.
        what: String,
    },
    /// The partial file belongs to another query, or was changed.
    #[error("{}: {what}", path.display())]
    OtherPart {
        /// The partial file.
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
    /// An invalid usage, and how to correct it.
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
