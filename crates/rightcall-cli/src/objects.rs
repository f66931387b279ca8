//! Globs over object stores, which no shell expands.

use std::ffi::OsString;
use std::path::Path;

use rightcall_formats::{is_object, objects_like};

use crate::messages::Trouble;

/// The words of a command line with the objects that their globs match, as a shell does it with files.
pub(crate) fn expand(words: Vec<OsString>) -> Result<Vec<OsString>, Trouble> {
    let mut expanded = Vec::with_capacity(words.len());
    for word in words {
        match word.to_str().filter(|word| is_object(Path::new(word))) {
            Some(glob) => expanded.extend(objects_like(glob)?.into_iter().map(OsString::from)),
            None => expanded.push(word),
        }
    }
    Ok(expanded)
}
