//! A fast check whether a text may contain calls, so that ordinary answers aren't read.

use std::sync::LazyLock;

use memchr::memmem::{self, Finder};
use memchr::{memchr_iter, memchr2_iter};

use super::details;
use super::dspy::NAME_HEADER;
use super::markers::marker_at;
use super::nets::is_tagged_tool;
use super::python_call::{called_name, is_list_of_titles};

/// Words required by some notations.
const WORDS: [&str; 10] = [
    NAME_HEADER,
    "ACTION:",
    "ACTION INPUT:",
    "Act:",
    "Action:",
    "Action input:",
    "Final Answer:",
    "tool_code",
    "functions.",
    "✿FUNCTION✿",
];

/// Tokens other than markers.
const TOKENS: [&str; 18] = [
    details::BEGIN,
    "[ARGS]",
    "[CALL_ID]",
    "<tool_call ",
    "<tool_use>",
    "<|channel|>",
    "<|start|>",
    "<arg_key>",
    "<parameter",
    "<execute_tool>",
    "<|recipient|>",
    "<｜tool▁sep｜>",
    "<|tool▁sep|>",
    "<|tool_call_argument_begin|>",
    "<start_function_call>",
    "<|tool_call>",
    "<steptml:invoke",
    "<|tools_prefix|>",
];

/// False if a text contains neither a call nor anything similar.
pub(crate) fn may_hold_calls(text: &str) -> bool {
    has_token(text)
        || has_word(text)
        || has_object(text)
        || has_python_call(text)
        || is_list_of_titles(text.trim_start())
}

fn has_token(text: &str) -> bool {
    let mut places = memchr2_iter(b'<', b'[', text.as_bytes());
    places.any(|at| {
        let rest = &text[at..];
        let is_token = TOKENS.iter().any(|token| rest.starts_with(token));
        is_token || marker_at(text, at).is_some() || is_tagged_tool(rest)
    })
}

fn has_word(text: &str) -> bool {
    // Preparing a search takes longer than the search of a short text.
    static FINDERS: LazyLock<[Finder<'static>; WORDS.len()]> =
        LazyLock::new(|| WORDS.map(Finder::new));
    FINDERS.iter().any(|it| it.find(text.as_bytes()).is_some()) || has_label(text)
}

/// True for the label of an action with more words: `Action Input:`, `Action 1:`.
fn has_label(text: &str) -> bool {
    static FINDER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("Action "));
    let mut places = FINDER.find_iter(text.as_bytes());
    places.any(|at| {
        let rest = &text[at + "Action ".len()..];
        let rest = rest.strip_prefix("Input").unwrap_or(rest).trim_start();
        let after = rest.trim_start_matches(|it: char| it.is_ascii_digit());
        after.starts_with(':')
    })
}

/// True for an object with a name, an object at the start of a line, or a whole object.
fn has_object(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut braces = memchr_iter(b'{', bytes).peekable();
    if braces.peek().is_none() {
        return false;
    }
    // A name may contain escapes.
    let mut words = [
        "name",
        "\\",
        "tool_calls",
        "action_input",
        "\"tool\"",
        "\"function\"",
        "\"command\"",
    ]
    .into_iter();
    words.any(|word| memmem::find(bytes, word.as_bytes()).is_some())
        || text.trim_start().starts_with('{')
        || braces.any(|at| ends_with_line(&text[..at]))
}

/// True if the white space at the end of a text has a line break.
fn ends_with_line(text: &str) -> bool {
    text[text.trim_end().len()..].contains('\n')
}

/// True for a Python call in a list, or at the start of a line or part.
fn has_python_call(text: &str) -> bool {
    let is_letter = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.' | '-');
    memchr_iter(b'(', text.as_bytes()).any(|at| {
        let before = text[..at].trim_end_matches(is_letter);
        let place = before.trim_end();
        let begins = place.is_empty() || place.ends_with(['[', '>', '`', ']', ',']);
        (begins || ends_with_line(before)) && called_name(&text[before.len()..]).is_some()
    })
}
