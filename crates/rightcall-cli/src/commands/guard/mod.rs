//! `rightcall guard`: checks rules before each call, as a Claude Code hook or between an MCP client and its server.

mod hook;
mod line;
mod proxy;
mod session;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use rightcall_core::monitor::{Guard, GuardMode, GuardOptions};
use rightcall_formats::Limits;
use rightcall_run::rules_in;

use super::suite_file::rules_file;
use crate::exit::Exit;
use crate::messages::Trouble;

#[derive(Debug, Args)]
pub(crate) struct GuardArguments {
    /// The rules: a file with a list of rules, or a suite [default: suite.yaml, here or in evals/]
    #[arg(value_name = "RULES")]
    rules: Option<PathBuf>,
    /// Answer one event of a Claude Code hook, which is read from standard input
    #[arg(long, conflicts_with = "server", required_unless_present = "server")]
    hook: bool,
    /// What happens to a forbidden call
    #[arg(long, value_name = "MODE", value_enum, default_value = "block")]
    mode: Mode,
    /// Stop the run after N refusals of an equal call
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    max_refusals: u32,
    /// The folder with the history of each session [default: .rightcall/guard, next to the rules]
    #[arg(long, value_name = "FOLDER", requires = "hook")]
    state: Option<PathBuf>,
    /// An MCP server that speaks over standard input and output, with its arguments
    #[arg(last = true, value_name = "SERVER")]
    server: Vec<OsString>,
}

/// What happens to a forbidden call.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Mode {
    /// It is refused
    Block,
    /// It passes, with a warning
    Warn,
    /// It passes
    Observe,
}

impl From<Mode> for GuardMode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Block => Self::Block,
            Mode::Warn => Self::Warn,
            Mode::Observe => Self::Observe,
        }
    }
}

pub(crate) fn guard(arguments: &GuardArguments) -> Result<Exit, Trouble> {
    let how = "name a file of rules, or a suite: `rightcall guard RULES`";
    let rules = rules_file(arguments.rules.as_deref(), how)?;
    let settings = rules_in(&rules, Limits::default().max_document)?;
    let options = GuardOptions {
        mode: arguments.mode.into(),
        max_refusals: arguments.max_refusals,
    };
    let guard = Guard::new(&settings, options)?;
    if arguments.hook {
        let beside = || rules.with_file_name(".rightcall").join("guard");
        let folder = arguments.state.clone().unwrap_or_else(beside);
        return hook::answer(guard, &folder);
    }
    proxy::run(guard, &arguments.server)
}
