//! `rightcall completions`: prints a shell's completion script.

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::completing::{script, shells};
use crate::exit::Exit;
use crate::messages::{Trouble, give};

#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    /// The shell
    #[arg(value_parser = PossibleValuesParser::new(shells().map(|shell| shell.name())))]
    pub(crate) shell: String,
}

pub(crate) fn completions(arguments: &CompletionsArguments) -> Result<Exit, Trouble> {
    if let Some(shell) = shells().find(|shell| shell.name() == arguments.shell) {
        give(&script(shell)?)?;
    }
    Ok(Exit::Success)
}
