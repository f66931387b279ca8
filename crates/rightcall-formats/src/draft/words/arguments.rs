//! Words of keys that hold arguments.

use super::{ARGUMENTS, is_known, is_one, rank, spaced};

/// The keys of arguments that hold little else.
pub(in crate::draft) fn sure_arguments() -> &'static [&'static str] {
    let sure = rank("input", ARGUMENTS).unwrap_or_default();
    &ARGUMENTS[..sure]
}

/// True for a key that may hold a list of positional arguments.
pub(in crate::draft) fn is_positional(key: &str) -> bool {
    let words = spaced(key);
    let mut words = words.split(' ');
    words.any(|word| word.contains("arg") || word.starts_with("pos") || word == "param")
        || is_one(key, ARGUMENTS)
}

/// True for a column that holds one argument, such as `arg_city`.
pub(in crate::draft) fn is_column_of_arguments(key: &str) -> bool {
    let column = key.split_once(['_', '.', '-']);
    column.is_some_and(|(of, name)| {
        !name.is_empty()
            && !is_known(key)
            && !is_one(key, ARGUMENTS)
            && (is_one(of, sure_arguments()) || is_one(&format!("{of}s"), sure_arguments()))
    })
}
