//! Names of cases.

use rightcall_core::call::Case;

/// Names a case.
pub(crate) trait Labelled {
    /// The id, or `FILE:LINE`.
    fn label(&self, file: &str, line: u64) -> String;
}

impl Labelled for Case<'_> {
    fn label(&self, file: &str, line: u64) -> String {
        self.id.as_ref().map_or_else(
            || format!("{file}:{line}"),
            |id| id.to_display().into_owned(),
        )
    }
}
