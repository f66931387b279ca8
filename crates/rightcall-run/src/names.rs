//! Suggestions for misspelled names.

/// `; did you mean …?` with the nearest known name, or an empty text if none is near.
pub(crate) fn did_you_mean<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> String {
    let nearest = rightcall_core::nearest(name, known);
    rightcall_core::did_you_mean(&nearest[..nearest.len().min(1)])
}
