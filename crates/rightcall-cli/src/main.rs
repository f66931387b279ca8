//! `rightcall`: scores the tool calls of AI agents.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(rightcall_cli::run(std::env::args_os()))
}
