//! Names that people write: when two spellings are one, and which known name a misspelt one is near.

/// Spellings that differ in case, `_` and `-` only are one name.
pub(crate) fn folded(name: &str) -> String {
    name.chars()
        .filter(|character| !matches!(character, '_' | '-'))
        .flat_map(char::to_lowercase)
        .collect()
}

/// `; did you mean …?` with the nearest of the known names, or nothing if none is near.
pub(crate) fn did_you_mean<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> String {
    let nearest = rightcall::nearest(name, known);
    rightcall::did_you_mean(&nearest[..nearest.len().min(1)])
}
