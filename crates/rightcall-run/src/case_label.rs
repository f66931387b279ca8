//! Names of cases.

use rightcall_core::call::Case;
use rightcall_formats::LinePlace;

/// Names a case.
pub(crate) trait Labelled {
    /// The id, or the place.
    fn label(&self, file: &str, place: LinePlace) -> String;
}

impl Labelled for Case<'_> {
    fn label(&self, file: &str, place: LinePlace) -> String {
        self.id
            .as_ref()
            .map_or_else(|| place.in_file(file), |id| id.to_display().into_owned())
    }
}
