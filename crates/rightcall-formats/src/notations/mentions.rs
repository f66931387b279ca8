//! Markers without content: mentions in a sentence, or the remains of a cut-off call.

use super::markers::{FUNCTOOLS, Form, Marker, starts_with_end};
use super::xml_tags::tag;

/// Longer words aren't names or tags.
const MAX_WORD: usize = 1000;

/// True if a marker without content is not a mention: it is followed by the end of the text, or by something other than a sentence or
/// punctuation.
pub(super) fn is_unread(text: &str, marker: &Marker, content: usize, begins: bool) -> bool {
    let mut rest = &text[content..];
    // The name of a function is part of its tag.
    if matches!(marker.form, Form::Function | Form::Invoke) {
        rest = tag(rest).map_or(rest, |(_, length)| &rest[length..]);
    }
    let left = rest.trim();
    if left.is_empty() {
        return true;
    }
    if !begins || starts_with_end(left) {
        return false;
    }
    let is_word = left.len() < MAX_WORD && !left.contains(char::is_whitespace);
    if is_word && !left.chars().all(is_punctuation) && !left.starts_with('`') {
        return true;
    }
    let line = rest.trim_start_matches([' ', '\t', '\r']);
    if marker.form == Form::PythonTag {
        return !left.starts_with(is_punctuation);
    }
    !line.starts_with('\n')
        && marker.begin != FUNCTOOLS
        && !line.starts_with(is_punctuation)
        && !is_sentence(line)
}

/// A word of letters, a space and another word.
pub(super) fn is_sentence(line: &str) -> bool {
    let after = line.trim_start_matches(char::is_alphabetic);
    let next = after.trim_start_matches([' ', '\t']);
    after.len() < line.len() && next.len() < after.len() && next.starts_with(char::is_alphanumeric)
}

/// Punctuation that ends a part of a sentence; opening brackets don't.
fn is_punctuation(letter: char) -> bool {
    const OTHERS: &str = ".,;:!?)]}…’”»–—-*";
    OTHERS.contains(letter)
}
