//! Names that people write: which known name a misspelt one is near.

/// `; did you mean …?` with the nearest of the known names, or nothing if none is near.
pub(crate) fn did_you_mean<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> String {
    let nearest = rightcall::nearest(name, known);
    rightcall::did_you_mean(&nearest[..nearest.len().min(1)])
}
