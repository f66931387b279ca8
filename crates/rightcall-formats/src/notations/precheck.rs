//! Whether a text may hold calls at all: ordinary answers are not read.

use memchr::{memchr_iter, memchr2_iter, memmem};

use super::markers::marker_at;
use super::python_call::called_name;

/// Words without which there is none of some notations.
const WORDS: [&str; 10] = [
    "Action:",
    "tool_code",
    "functions.",
    "functools[",
    "[ARGS]",
    "<|channel|>",
    "<|start|>",
    "<arg_key>",
    "<parameter",
    "✿FUNCTION✿",
];

/// Tokens inside blocks, or of notations that are not parsed.
const TOKENS: [&str; 6] = [
    "<｜tool▁sep｜>",
    "<|tool_call_argument_begin|>",
    "<start_function_call>",
    "<|tool_call>",
    "<steptml:invoke",
    "<|tools_prefix|>",
];

/// False if a text holds no call, and nothing that looks like one.
pub(crate) fn may_hold_calls(text: &str) -> bool {
    let bytes = text.as_bytes();
    let has = |word: &&str| memmem::find(bytes, word.as_bytes()).is_some();
    has_marker(text)
        || WORDS.iter().any(|it| has(it))
        || TOKENS.iter().any(|it| has(it))
        || has_object(text)
        || has_python_call(text)
}

fn has_marker(text: &str) -> bool {
    let mut places = memchr2_iter(b'<', b'[', text.as_bytes());
    places.any(|at| marker_at(text, at).is_some())
}

/// An object with a name, or one that begins a line.
fn has_object(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut braces = memchr_iter(b'{', bytes).peekable();
    if braces.peek().is_none() {
        return false;
    }
    // A name may be written with escapes.
    ["name", "\\", "tool_calls"]
        .iter()
        .any(|it| memmem::find(bytes, it.as_bytes()).is_some())
        || braces.any(|at| text[..at].trim_end_matches([' ', '\t']).ends_with('\n'))
}

/// A Python call in a list, or at the start of a line or of a part.
fn has_python_call(text: &str) -> bool {
    memchr_iter(b'(', text.as_bytes()).any(|at| {
        let is_letter =
            |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.' | '-');
        let before = text[..at].trim_end_matches(is_letter);
        let name = &text[before.len()..];
        let place = before.trim_end_matches([' ', '\t']);
        let begins = place.is_empty() || place.ends_with(['\n', '[', '>', '`', ']']);
        begins && called_name(name).is_some()
    })
}
