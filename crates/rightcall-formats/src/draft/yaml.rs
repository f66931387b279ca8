//! Texts in YAML.

use crate::json;

/// A text as YAML.
pub(super) fn scalar(text: &str) -> String {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || "_-.^$/* |".contains(letter);
    let is_plain = text
        .starts_with(|first: char| first.is_ascii_alphabetic() || "_^$".contains(first))
        && !text.ends_with(' ')
        && text.chars().all(is_word)
        && !["true", "false", "null", "any", "none"].contains(&text.to_ascii_lowercase().as_str());
    if is_plain {
        text.to_owned()
    } else if text.contains(char::is_control) {
        json::quoted(text)
    } else {
        format!("'{}'", text.replace('\'', "''"))
    }
}
