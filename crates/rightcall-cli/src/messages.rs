//! Messages to people, on standard error; tables, on standard output.

use std::fmt::Display;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use rightcall::ConfigError;
use rightcall_formats::join::IndexError;
use rightcall_formats::{OpenError, Report};
use rightcall_report::count;
use rightcall_run::{
    ArgumentError, FileError, OutputFile, RunError, SuiteError, printable, screen_text,
};
use rightcall_store::StoreError;

/// What ends the program early.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// Whoever reads standard output has closed it.
    ClosedPipe,
    /// An error and what the user can do.
    Said {
        message: String,
        help: Option<String>,
    },
}

impl Trouble {
    pub(crate) fn new(message: impl Display) -> Self {
        Self::Said {
            message: message.to_string(),
            help: None,
        }
    }

    /// What is wrong, without what can be done.
    pub(crate) fn message(&self) -> &str {
        match self {
            Self::ClosedPipe => "nobody reads",
            Self::Said { message, .. } => message,
        }
    }

    pub(crate) fn with_help(message: impl Display, help: impl Into<String>) -> Self {
        Self::Said {
            message: message.to_string(),
            help: Some(help.into()),
        }
    }
}

impl From<SuiteError> for Trouble {
    fn from(error: SuiteError) -> Self {
        Self::Said {
            message: error.to_string(),
            help: error.help,
        }
    }
}

impl From<ConfigError> for Trouble {
    fn from(error: ConfigError) -> Self {
        let help = matches!(error, ConfigError::UnknownEvaluator { .. })
            .then(|| "`rightcall evaluators` lists them".to_owned());
        Self::Said {
            message: error.to_string(),
            help,
        }
    }
}

impl From<ArgumentError> for Trouble {
    fn from(error: ArgumentError) -> Self {
        match error {
            ArgumentError::Config(error) => error.into(),
            other => Self::with_help(
                other,
                "write `-e EVALUATOR,key=value,…` or `-e '{\"evaluator\": \"…\", …}'`",
            ),
        }
    }
}

impl From<OpenError> for Trouble {
    fn from(error: OpenError) -> Self {
        Self::Said {
            message: error.to_string(),
            help: error.help.map(Into::into),
        }
    }
}

impl From<IndexError> for Trouble {
    fn from(error: IndexError) -> Self {
        match error {
            IndexError::Open(error) => error.into(),
            IndexError::Read(error) => Self::Said {
                message: error.to_string(),
                help: error.help.map(Into::into),
            },
            other => Self::new(other),
        }
    }
}

impl From<RunError> for Trouble {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Open(error) => error.into(),
            RunError::Io(error) => error.into(),
            other => Self::new(other),
        }
    }
}

impl From<StoreError> for Trouble {
    fn from(error: StoreError) -> Self {
        Self::Said {
            help: error.help().map(Into::into),
            message: error.to_string(),
        }
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::ClosedPipe,
            kind => {
                let names_file = error
                    .get_ref()
                    .and_then(|it| it.downcast_ref::<FileError>())
                    .is_some();
                let message = if names_file {
                    error.to_string()
                } else {
                    format!("the results cannot be written: {error}")
                };
                Self::Said {
                    message,
                    help: help_with(kind).map(Into::into),
                }
            }
        }
    }
}

/// What to do where a file cannot be written.
fn help_with(kind: io::ErrorKind) -> Option<&'static str> {
    use io::ErrorKind::{
        FileTooLarge, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull,
    };
    match kind {
        StorageFull | QuotaExceeded | FileTooLarge => {
            Some("what was there before is unchanged; make room, or write elsewhere")
        }
        PermissionDenied | ReadOnlyFilesystem => {
            Some("the file and its folder must be yours to write; or write elsewhere")
        }
        _ => None,
    }
}

/// `error: …`, and what to do.
pub(crate) fn error(message: &str, help: Option<&str>) {
    say(AnsiColor::Red.on_default().bold(), "error", message, help);
}

/// `warning: …`, and what to do.
pub(crate) fn warning(message: &str, help: Option<&str>) {
    say(
        AnsiColor::Yellow.on_default().bold(),
        "warning",
        message,
        help,
    );
}

/// Says what in a file of traces looks like a call and was not read as one, and which calls are of nobody.
pub(crate) fn warn_of_unread(of: &str, report: &Report) {
    for what in report.warnings() {
        let help = "the calls that were read are judged without it; `rightcall formats` says what is read, --input-format names the format";
        warning(&format!("{of}: {what}"), Some(help));
    }
    warn_of_unplaced(of, report);
}

/// Says how many calls of divided runs are of nobody.
fn warn_of_unplaced(of: &str, report: &Report) {
    if report.unplaced > 0 {
        let calls = count(report.unplaced, "call");
        let message = format!(
            "{of}: {calls} of no known agent, node or turn: a case goes by the id of the run alone"
        );
        warning(
            &message,
            Some("`rightcall inspect` with the same --read shows them"),
        );
    }
}

/// Keys of cases for which others may be meant, once each.
pub(crate) fn warn_of_near_keys<'k>(keys: impl IntoIterator<Item = (&'k str, &'k str, u64)>) {
    for (key, meant, cases) in keys {
        let message = format!(
            "`{key}` is no key of a case ({}): what stands under it is not judged",
            count(cases, "case")
        );
        warning(&message, Some(&format!("did you mean `{meant}`?")));
    }
}

/// A line without a head.
pub(crate) fn note(message: &str) {
    // Nobody is left to hear that standard error cannot be written.
    _ = writeln!(anstream::stderr(), "{}", printable(message));
}

/// Lines for people on standard error, in colour if that is wanted there.
pub(crate) fn tell(text: &str) {
    _ = anstream::stderr().write_all(screen_text(text).as_bytes());
}

fn say(style: Style, head: &str, message: &str, help: Option<&str>) {
    let mut stderr = anstream::stderr().lock();
    _ = writeln!(stderr, "{style}{head}{style:#}: {}", printable(message));
    if let Some(help) = help {
        _ = writeln!(stderr, "  help: {}", printable(help));
    }
}

/// Text for people on standard output, in colour if that is wanted there.
pub(crate) fn show(text: &str) -> io::Result<()> {
    let mut stdout = anstream::stdout().lock();
    stdout.write_all(screen_text(text).as_bytes())?;
    stdout.flush()
}

/// The last screen of a command. Who reads no further learns by the exit code how it went.
pub(crate) fn show_last(text: &str) -> io::Result<()> {
    show(text).or_else(|error| {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Ok(())
        } else {
            Err(error)
        }
    })
}

/// Sentences on standard output.
pub(crate) fn state(text: &str) -> io::Result<()> {
    show(
        &text
            .lines()
            .flat_map(|line| [printable(line), "\n".to_owned()])
            .collect::<String>(),
    )
}

/// Text for programs on standard output, byte for byte.
pub(crate) fn give(text: &str) -> io::Result<()> {
    let mut stdout = OutputFile::stdout();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}
