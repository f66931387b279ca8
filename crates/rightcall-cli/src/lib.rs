//! The command line of rightcall: parses the arguments, runs one command, and returns an exit code.
//!
//! It is a library so that the packages for other languages can include the same command.

mod arguments;
mod clock;
mod command_line;
mod commands;
mod completing;
mod conclusion;
mod deferred_arguments;
mod exit;
mod expand;
mod help;
mod hint;
mod history_lookup;
mod interrupt;
mod maps;
mod messages;
mod moved_cases;
mod nothing_selected;
mod problems;
mod progress;
mod reports;
mod running;
mod scoring;
mod size;
mod working_copy;

use std::ffi::OsString;

use anstream::ColorChoice;
use clap::FromArgMatches;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use console::Term;
use rightcall_core::nearest;
use rightcall_report::set_columns;
use rightcall_run::printable;

use crate::command_line::command_line;
use crate::commands::CommandLine;
use crate::exit::Exit;

/// Runs the command line; the first argument is the program's name. Returns the exit code: 0 for
/// success, 1 for a failed gate, 2 for a usage error or unreadable input. While output files are
/// being written, Ctrl-C ends the whole process, not only the command.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    rightcall_run::before_first_unfinished(interrupt::listen);
    set_screen_width();
    force_color();
    #[cfg(feature = "object-store")]
    rightcall_objects::use_object_stores();
    rightcall_quality::use_tool_definitions();
    let words: Vec<OsString> = arguments.into_iter().collect();
    match completing::answer(&words, command_line) {
        Ok(false) => {}
        Ok(true) => return Exit::Success as u8,
        Err(error) => return print_error(&error),
    }
    let words = match expand::expand(words, command_line()) {
        Ok(words) => words,
        Err(trouble) => return exit::of_result(Err(trouble)) as u8,
    };
    let arguments = match read(&words) {
        Ok(arguments) => arguments,
        Err(error) => {
            // clap quotes the invalid words, so parse again with control characters escaped. They
            // must not reach the terminal.
            let shown = words.iter().map(|word| printable(&word.to_string_lossy()));
            let shown: Vec<_> = shown.map(OsString::from).collect();
            let mut error = read(&shown).err().unwrap_or(error);
            advise(&mut error, &shown);
            return print_error(&error);
        }
    };
    if let Some(coloring) = arguments.color {
        ColorChoice::from(coloring).write_global();
    }
    exit::of_result(arguments.command.run()) as u8
}

fn read(words: &[OsString]) -> Result<CommandLine, clap::Error> {
    let matches = command_line().try_get_matches_from(words)?;
    CommandLine::from_arg_matches(&matches)
}

/// Advice for common usage errors: the command, the unknown or missing option, and what to write.
const ADVICE: [(&str, &str, &str); 6] = [
    (
        "score",
        "--evaluator",
        "name one, such as '-e trajectory'; 'rightcall evaluators --choose' helps to choose",
    ),
    (
        "score",
        "--case",
        "'-k TEXT' chooses the cases with this text in their id",
    ),
    (
        "score",
        "--threshold",
        "a threshold belongs to an evaluator: '-e trajectory,threshold=0.8'",
    ),
    (
        "run",
        "--baseline",
        "a baseline is part of the suite: write 'baseline: FILE' there",
    ),
    (
        "guard",
        "--hook",
        "write '--hook' to answer Claude Code, or '-- SERVER' to guard an MCP server",
    ),
    (
        "history prune",
        "--keep",
        "'--keep N' keeps the last N runs, '--before TIME' deletes older ones",
    ),
];

/// Replaces clap's suggestion if another one helps more.
fn advise(error: &mut clap::Error, words: &[OsString]) {
    if let Some(ContextValue::Strings(similar)) = error.get(ContextKind::SuggestedSubcommand)
        && let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand)
    {
        let near = nearest(name, similar.iter().map(String::as_str));
        let near = near.into_iter().map(ToOwned::to_owned).collect();
        error.insert(
            ContextKind::SuggestedSubcommand,
            ContextValue::Strings(near),
        );
        return;
    }
    let option = match (error.get(ContextKind::InvalidArg), error.kind()) {
        (Some(ContextValue::String(option)), ErrorKind::UnknownArgument) => option.clone(),
        (Some(ContextValue::Strings(missing)), ErrorKind::MissingRequiredArgument) => {
            missing.join(" ")
        }
        _ => return,
    };
    let words = words.iter().skip(1).map(|word| word.to_string_lossy());
    let words = words.collect::<Vec<_>>().join(" ") + " ";
    let applies = |(command, name, _): &&(&str, &str, &str)| {
        words.starts_with(&format!("{command} ")) && option.split(' ').any(|it| it == *name)
    };
    if let Some((_, _, advice)) = ADVICE.iter().find(applies) {
        error.remove(ContextKind::SuggestedArg);
        let advice = ContextValue::StyledStrs(vec![StyledStr::from(*advice)]);
        error.insert(ContextKind::Suggested, advice);
    }
}

/// Prints a usage error, or the help text, and returns the exit code.
fn print_error(error: &clap::Error) -> u8 {
    // A closed pipe is not an error here.
    _ = error.print();
    if error.use_stderr() {
        Exit::NotJudged as u8
    } else {
        Exit::Success as u8
    }
}

/// Sets the width of screens to the terminal's width; piped output has 100 columns. `COLUMNS`
/// overrides both.
fn set_screen_width() {
    let from_variable = || std::env::var("COLUMNS").ok()?.parse().ok();
    let from_terminal = || {
        let (_, columns) = Term::stdout().size_checked()?;
        Some(usize::from(columns))
    };
    if let Some(columns) = from_variable().or_else(from_terminal) {
        set_columns(columns);
    }
}

/// Enables colour without a terminal if `FORCE_COLOR` is set, like `CLICOLOR_FORCE`.
fn force_color() {
    let forced = std::env::var_os("FORCE_COLOR");
    if forced.is_some_and(|value| !value.is_empty() && value != "0") {
        ColorChoice::AlwaysAnsi.write_global();
    }
}
