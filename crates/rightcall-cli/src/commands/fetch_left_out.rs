//! `rightcall fetch` in builds without it: explains how to get it.

use std::ffi::OsString;

use clap::Args;

use crate::exit::Exit;
use crate::messages::Trouble;

#[derive(Debug, Args)]
pub(crate) struct FetchArguments {
    /// Any arguments
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) words: Vec<OsString>,
}

pub(crate) fn fetch(_: FetchArguments) -> Result<Exit, Trouble> {
    Err(Trouble::with_help(
        "`rightcall fetch` is not part of this build",
        "cargo install --path crates/rightcall-cli --profile dist --features columns,fetch",
    ))
}
