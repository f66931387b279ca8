//! Files with the definitions of tools.

use std::path::{Path, PathBuf};

use rightcall_formats::{Limits, ToolCatalogue, read_text};

use crate::messages::Trouble;

/// The tools in a file.
pub(super) fn tool_catalogue(path: &Path, limits: Limits) -> Result<ToolCatalogue, Trouble> {
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

/// The tools in several files.
pub(super) fn tool_catalogues(paths: &[PathBuf], limits: Limits) -> Result<ToolCatalogue, Trouble> {
    let mut all = ToolCatalogue::default();
    for path in paths {
        all.merge(tool_catalogue(path, limits)?);
    }
    Ok(all)
}
