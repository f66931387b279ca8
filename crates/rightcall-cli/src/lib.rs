//! The command line of rightcall: reads the arguments, does what one command says, and ends with an exit code.
//!
//! A library, so that packages of other languages bring the same command along.

mod arguments;
mod clock;
mod commands;
mod exit;
mod hint;
mod later;
mod messages;
mod progress;
mod reports;
mod scoring;
mod size;
mod working_copy;

use std::ffi::OsString;

use clap::Parser;

use crate::arguments::{Arguments, Command};
use crate::exit::Exit;
use crate::later::Later;

/// Does what the arguments say, the name of the program first, and gives the exit code: 0 for fine, 1 for a gate that was missed,
/// 2 for wrong usage or something that could not be read.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help is no error, and a closed pipe is no concern of it.
            _ = error.print();
            return if error.use_stderr() { Exit::Wrong as u8 } else { Exit::Fine as u8 };
        }
    };
    let ended = match arguments.command {
        Command::Score(Later(arguments)) => commands::score::score(arguments),
        Command::Run(Later(arguments)) => commands::run::run(arguments),
        Command::Compare(Later(arguments)) => commands::compare::compare(&arguments),
        Command::History(arguments) => commands::history::history(&arguments),
        Command::Explain(Later(arguments)) => commands::explain::explain(&arguments),
        Command::Init(Later(arguments)) => commands::init::init(&arguments),
        Command::Schema(Later(arguments)) => commands::schema::schema(&arguments),
        Command::Evaluators(Later(arguments)) => commands::evaluators::evaluators(&arguments),
        Command::Inspect(Later(arguments)) => commands::inspect::inspect(&arguments),
        Command::Record(Later(arguments)) => commands::record::record(&arguments),
        Command::Review(Later(arguments)) => commands::review::review(&arguments),
        Command::Convert(Later(arguments)) => commands::convert::convert(&arguments),
        Command::Formats(Later(arguments)) => commands::formats::formats(&arguments),
        Command::Report(Later(arguments)) => commands::report::report(&arguments),
        Command::View(Later(arguments)) => commands::view::view(&arguments),
        Command::Completions(Later(arguments)) => commands::completions::completions(&arguments),
    };
    exit::of_result(ended) as u8
}
