//! Files with the definitions of tools.

use std::path::Path;

use rightcall_formats::{Format, Input, Limits, OpenError, ReadOptions, ToolCatalogue, read_text};

use crate::messages::Trouble;

/// The tools in a file that the user named.
pub(super) fn catalogue(path: &Path, limits: Limits) -> Result<ToolCatalogue, Trouble> {
    let text = read_text(path, limits.max_document)
        .map_err(|error| Trouble::new(format!("{}: {error}", path.display())))?;
    ToolCatalogue::from_text(&text).map_err(|error| {
        Trouble::with_help(
            format!(
                "{}: expected {}, found {}",
                path.display(),
                error.expected,
                error.found
            ),
            "name a file with the tools as a provider, MCP's `tools/list` or a trace has them",
        )
    })
}

/// The tools that are defined in a file of traces, if there are any.
pub(super) fn found_tools(path: &Path, limits: Limits) -> Option<ToolCatalogue> {
    let text = read_text(path, limits.max_document).ok()?;
    ToolCatalogue::from_text(&text).ok()
}

/// The tools that are defined in a file, if it holds traces. Standard input, which can be read only once, is left alone.
///
/// # Errors
/// The file cannot be opened.
pub(super) fn tools_of_traces(
    path: &Path,
    limits: Limits,
    reading: &ReadOptions,
) -> Result<Option<ToolCatalogue>, OpenError> {
    if path == Path::new("-") {
        return Ok(None);
    }
    let mut input = Input::open(path, limits, reading)?;
    let holds_traces = input
        .format()
        .is_ok_and(|it| it.is_some_and(Format::holds_traces));
    Ok(holds_traces.then(|| found_tools(path, limits)).flatten())
}
