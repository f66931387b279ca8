//! Measures the resource usage of a program from a small process.

use std::path::Path;
use std::process::Command;

use rightcall_bench::Usage;

use crate::process;

/// Runs a program that must succeed. The bench program starts it, because a process's peak memory is at least that of its parent.
pub(crate) fn measure(
    bench: &Path,
    command: &Command,
    keeps_printed: bool,
) -> Result<Usage, String> {
    let mut from = Command::new(bench);
    from.arg("measure")
        .args(keeps_printed.then_some("--keep"))
        .arg("--")
        .arg(command.get_program())
        .args(command.get_args());
    if let Some(folder) = command.get_current_dir() {
        from.current_dir(folder);
    }
    let text = process::printed(&mut from)?;
    serde_json::from_str(&text).map_err(|error| format!("{error} in {text}"))
}
