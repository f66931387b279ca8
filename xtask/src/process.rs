//! Runs external programs.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::say;

/// The folder of the project.
pub(crate) fn project_root() -> Result<PathBuf, String> {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map(Path::to_owned)
        .ok_or_else(|| "the project has no folder".to_owned())
}

/// The cargo that started xtask.
pub(crate) fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs a program that must succeed.
pub(crate) fn succeed(command: &mut Command) -> Result<(), String> {
    printed(command).map(drop)
}

/// The standard output of a program that must succeed.
pub(crate) fn printed(command: &mut Command) -> Result<String, String> {
    let output = output(command)?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(failure(command, &output))
    }
}

/// Runs a program and shows its output; true if it succeeds.
pub(crate) fn passes(command: &mut Command) -> Result<bool, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command.stdin(Stdio::null()).status();
    status
        .map(|status| status.success())
        .map_err(|error| format!("{program}: {error}"))
}

/// Runs a program; any exit code is accepted.
pub(crate) fn output(command: &mut Command) -> Result<Output, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{program}: {error}"))
}

/// The error for a failed program: its standard error, or its standard output if that is empty.
pub(crate) fn failure(command: &Command, output: &Output) -> String {
    let program = command.get_program().to_string_lossy();
    let stream = [&output.stderr, &output.stdout]
        .into_iter()
        .find(|text| !text.trim_ascii().is_empty());
    let stream = stream.map_or_else(String::new, |text| {
        String::from_utf8_lossy(text).into_owned()
    });
    format!("{program}: {}\n{}", output.status, stream.trim_end())
}

/// Cargo's target folder.
pub(crate) fn target_folder(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from)
}

/// Builds the command and returns its path. It has the features of the workspace's tests, so
/// nothing is compiled twice.
pub(crate) fn built(root: &Path) -> Result<PathBuf, String> {
    let build = "build --quiet --package rightcall-cli --features columns,fetch,object-store,workspace-hack";
    succeed(cargo().args(build.split(' ')))?;
    Ok(target_folder(root).join("debug/rightcall"))
}

/// Runs checks whose last line is `N passed, N failed`, and shows their other output.
pub(crate) fn counted(command: &mut Command) -> Result<(usize, usize), String> {
    let output = output(command)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let (before, last) = text
        .trim_end()
        .rsplit_once('\n')
        .unwrap_or(("", text.trim_end()));
    if !before.is_empty() {
        say(before);
    }
    let counts = last
        .strip_suffix(" failed")
        .and_then(|counts| counts.split_once(" passed, "));
    let counts =
        counts.and_then(|(passed, failed)| Some((passed.parse().ok()?, failed.parse().ok()?)));
    counts.ok_or_else(|| format!("{last}\n{}", failure(command, &output)))
}
