//! Prints messages to standard error, and tables to standard output.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;

use anstyle::{AnsiColor, Style};
use rightcall_core::ConfigError;
use rightcall_formats::join::IndexError;
use rightcall_formats::{OpenError, Report, is_object};
use rightcall_report::count;
use rightcall_report::warnings::{self, Warning};
use rightcall_run::{
    ArgumentError, FileError, OutputError, OutputFile, RunError, SuiteError, printable, screen_text,
};
use rightcall_store::StoreError;

/// A reason to end the program early.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// The reader of standard output has closed it.
    ClosedPipe,
    /// An error, with advice for the user.
    Said {
        message: String,
        help: Option<String>,
    },
}

impl Trouble {
    pub(crate) fn new(message: impl Display) -> Self {
        Self::said(message, None::<String>)
    }

    /// An error message, with advice if there is any.
    pub(crate) fn said(message: impl Display, help: Option<impl Into<String>>) -> Self {
        Self::Said {
            message: message.to_string(),
            help: help.map(Into::into),
        }
    }

    pub(crate) fn with_help(message: impl Display, help: impl Into<String>) -> Self {
        Self::said(message, Some(help))
    }
}

impl From<SuiteError> for Trouble {
    fn from(error: SuiteError) -> Self {
        Self::said(&error, error.help.clone())
    }
}

impl From<ConfigError> for Trouble {
    fn from(error: ConfigError) -> Self {
        let help = match &error {
            ConfigError::UnknownEvaluator { id, .. } => Some(rightcall_core::help_with_id(id)),
            _ => None,
        };
        Self::said(error, help)
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
        let path = error.path.to_string_lossy();
        if path.starts_with("http://") || path.starts_with("https://") {
            let help =
                "download the file first, such as with `curl -O`; s3://, gs:// and az:// are read";
            return Self::with_help(format!("{path}: http is not read"), help);
        }
        if error.help.is_none() && error.cause.is_some() && is_object(&error.path) {
            let help = "are the credentials set, such as AWS_ACCESS_KEY_ID? docs/large-inputs.md lists the variables";
            return Self::with_help(&error, help);
        }
        Self::said(&error, error.help.clone())
    }
}

impl From<IndexError> for Trouble {
    fn from(error: IndexError) -> Self {
        match error {
            IndexError::Open(error) => error.into(),
            IndexError::Read(error) => Self::said(&error, error.help.clone()),
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
        Self::said(&error, error.help())
    }
}

impl From<OutputError> for Trouble {
    fn from(error: OutputError) -> Self {
        match error {
            OutputError::Io(error) => error.into(),
            refused => Self::said(&refused, refused.help()),
        }
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::ClosedPipe,
            kind => {
                let of_file = error
                    .get_ref()
                    .and_then(|it| it.downcast_ref::<FileError>());
                let message = if of_file.is_some() {
                    error.to_string()
                } else {
                    format!("the results cannot be written: {error}")
                };
                let help = match kind {
                    // On standard output, there is no earlier file.
                    kind if of_file.is_none() && help_with(kind) == Some(NO_SPACE) => {
                        Some("make room, or write elsewhere")
                    }
                    kind => help_with(kind),
                };
                Self::said(message, help)
            }
        }
    }
}

const NO_SPACE: &str = "what was there before is unchanged; make room, or write elsewhere";

/// Advice for a file that cannot be written.
pub(crate) fn help_with(kind: io::ErrorKind) -> Option<&'static str> {
    use io::ErrorKind::{
        FileTooLarge, IsADirectory, NotFound, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem,
        StorageFull,
    };
    match kind {
        StorageFull | QuotaExceeded | FileTooLarge => Some(NO_SPACE),
        IsADirectory => Some("name a file in it"),
        NotFound => Some("create the folder first, or write elsewhere"),
        PermissionDenied | ReadOnlyFilesystem => {
            Some("the file and its folder must be yours to write; or write elsewhere")
        }
        _ => None,
    }
}

/// Prints `error: …`, with advice.
pub(crate) fn error(message: &str, help: Option<&str>) {
    say(AnsiColor::Red.on_default().bold(), "error", message, help);
}

/// Prints `warning: …`, with advice.
pub(crate) fn warning(message: &str, help: Option<&str>) {
    say(
        AnsiColor::Yellow.on_default().bold(),
        "warning",
        message,
        help,
    );
}

/// Prints each warning.
pub(crate) fn warn(warnings: impl IntoIterator<Item = Warning>) {
    for it in warnings {
        warning(&it.message, it.help.as_deref());
    }
}

/// Reports call-like parts of trace files that were not parsed as calls, and calls without an
/// agent.
pub(crate) fn warn_of_unread(of: &str, report: &Report) {
    warn(warnings::unread(of, report));
    if let Some(tags) = report.ignored_tags() {
        note(&format!("{of}: {tags}"));
    }
}

/// The first entries, with an ellipsis if there are more: `a, b, …`.
pub(crate) fn first_of(all: &[String], shown: usize, number: u64) -> String {
    let named = &all[..all.len().min(shown)];
    let more = if number > named.len() as u64 {
        ", …"
    } else {
        ""
    };
    format!("{}{more}", named.join(", "))
}

/// ` to FILE`, or nothing for standard output.
pub(crate) fn to_file(output: Option<&Path>) -> String {
    output.map_or_else(String::new, |path| format!(" to {}", path.display()))
}

/// Prints a line without `error:` or `warning:`.
pub(crate) fn note(message: &str) {
    // If standard error cannot be written, there is no other place to report it.
    _ = writeln!(anstream::stderr(), "{}", printable(message));
}

/// Prints text to standard error, with colour if it is enabled there.
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

/// Prints text to standard output, with colour if it is enabled there.
pub(crate) fn show(text: &str) -> io::Result<()> {
    let mut stdout = anstream::stdout().lock();
    stdout.write_all(screen_text(text).as_bytes())?;
    stdout.flush()
}

/// Prints the last screen of a command. A closed pipe is not an error here, because the exit code still reports the result.
pub(crate) fn show_last(text: &str) -> io::Result<()> {
    show(text).or_else(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => Ok(()),
        _ => Err(error),
    })
}

/// Prints plain lines to standard output.
pub(crate) fn state(text: &str) -> io::Result<()> {
    let lines = text.lines().map(|line| printable(line) + "\n");
    show(&lines.collect::<String>())
}

/// Prints text for programs to standard output, byte for byte.
pub(crate) fn give(text: &str) -> io::Result<()> {
    let mut stdout = OutputFile::stdout();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

/// Reports the number of `all` rows without the number of `--against`, if there are any.
pub(crate) fn note_missing_numbers(of: &str, field: &str, missing: usize, all: usize) {
    if missing > 0 {
        let (all, have) = (
            count(all as u64, "row"),
            if missing == 1 { "has" } else { "have" },
        );
        note(&format!(
            "{of}{missing} of {all} {have} no number `{field}`"
        ));
    }
}
