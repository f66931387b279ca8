//! `rightcall completions`: what a shell needs to complete the command line.

use clap::{Args, CommandFactory};

use super::CommandLine;
use crate::exit::Exit;
use crate::messages::{Trouble, give};

#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

pub(crate) fn completions(arguments: &CompletionsArguments) -> Result<Exit, Trouble> {
    let mut script = Vec::new();
    clap_complete::generate(
        arguments.shell,
        &mut CommandLine::command(),
        "rightcall",
        &mut script,
    );
    give(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Fine)
}
