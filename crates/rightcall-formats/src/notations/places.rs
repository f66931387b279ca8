//! Positions in a text: starts of lines, white space, special tokens outside the answer.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;

use memchr::memmem;

/// Tokens at the end of a model's output.
const END_TOKENS: [&str; 15] = [
    "<|im_end|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "</s>",
    "<｜end▁of▁sentence｜>",
    "<|END_OF_TURN_TOKEN|>",
    "<|observation|>",
    "<|user|>",
    "<end_of_turn>",
    "<|end|>",
    "<seed:eos>",
    "[e~[",
    "<eos>",
];

/// Tokens around an answer.
const ANSWER_TOKENS: [&str; 4] = [
    "<|START_RESPONSE|>",
    "<|END_RESPONSE|>",
    "<|START_TEXT|>",
    "<|END_TEXT|>",
];

/// Opening and closing tags of reasoning.
pub(super) const REASONING_TAGS: [(&str, &str); 6] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<seed:think>", "</seed:think>"),
    ("<scratch_pad>", "</scratch_pad>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("[THINK]", "[/THINK]"),
];

/// The text without trailing end tokens.
pub(super) fn without_end_tokens(text: &str) -> &str {
    let mut text = text;
    loop {
        let trimmed = text.trim_end();
        let Some(rest) = END_TOKENS.iter().find_map(|it| trimmed.strip_suffix(it)) else {
            return text;
        };
        text = rest;
    }
}

/// A piece of an answer without surrounding answer tokens and white space.
pub(super) fn answer_piece(piece: &str) -> Cow<'_, str> {
    let mut piece = Cow::Borrowed(piece);
    for token in ANSWER_TOKENS {
        if memmem::find(piece.as_bytes(), token.as_bytes()).is_some() {
            piece = Cow::Owned(piece.replace(token, ""));
        }
    }
    match piece {
        Cow::Borrowed(piece) => Cow::Borrowed(piece.trim()),
        Cow::Owned(piece) => Cow::Owned(piece.trim().to_owned()),
    }
}

/// The first offset from `at` on that is neither white space nor an answer token.
pub(super) fn skip_blank(text: &str, at: usize) -> usize {
    let mut at = skip_space(text, at);
    while let Some(token) = ANSWER_TOKENS.iter().find(|it| text[at..].starts_with(**it)) {
        at = skip_space(text, at + token.len());
    }
    at
}

/// True for a text of white space and answer tokens only.
pub(super) fn is_blank(text: &str) -> bool {
    skip_blank(text, 0) == text.len()
}

/// The first offset from `at` on that isn't white space.
pub(super) fn skip_space(text: &str, at: usize) -> usize {
    text.len() - text[at..].trim_start().len()
}

/// The first offset from `at` on with neither white space nor these characters.
pub(super) fn skip_letters(text: &str, at: usize, letters: &[char]) -> usize {
    let is_skipped = |letter: char| letter.is_whitespace() || letters.contains(&letter);
    text.len() - text[at..].trim_start_matches(is_skipped).len()
}

/// True if only spaces and answer tokens precede the offset on its line, or after reasoning.
pub(super) fn starts_line(text: &str, at: usize) -> bool {
    let mut before = text[..at].trim_end_matches([' ', '\t']);
    while let Some(rest) = ANSWER_TOKENS.iter().find_map(|it| before.strip_suffix(it)) {
        before = rest.trim_end_matches([' ', '\t']);
    }
    before.is_empty() || before.ends_with('\n') || ends_reasoning(before, &text[before.len()..])
}

/// True if a text ends with a closing tag of reasoning. Without its opening tag, inside a line and followed by a space, it is only mentioned.
fn ends_reasoning(before: &str, after: &str) -> bool {
    REASONING_TAGS.iter().any(|(opening, closing)| {
        let reasoning = before.strip_suffix(closing);
        reasoning.is_some_and(|it| it.contains(opening) || !after.starts_with([' ', '\t']))
    })
}

/// The rest of the line from an offset.
pub(super) fn rest_of_line(text: &str, at: usize) -> &str {
    let rest = &text[at..];
    let length = memchr::memchr(b'\n', rest.as_bytes());
    &rest[..length.unwrap_or(rest.len())]
}

/// True if the rest of the line is blank.
pub(super) fn ends_line(text: &str, at: usize) -> bool {
    let mut rest = text[at..].trim_start_matches([' ', '\t', '\r']);
    while let Some(after) = ANSWER_TOKENS.iter().find_map(|it| rest.strip_prefix(it)) {
        rest = after.trim_start_matches([' ', '\t', '\r']);
    }
    rest.is_empty() || rest.starts_with('\n')
}

/// The first offset from `at` on that has neither white space nor these characters, or the end of the line.
pub(super) fn skip_on_line(text: &str, at: usize, letters: &[char]) -> usize {
    let is_skipped =
        |letter: char| matches!(letter, ' ' | '\t' | '\r') || letters.contains(&letter);
    text.len() - text[at..].trim_start_matches(is_skipped).len()
}

/// Cached searches in one text: searches at increasing offsets scan the text only once.
#[derive(Debug, Default)]
pub(super) struct Searches(RefCell<Vec<Search>>);

#[derive(Debug)]
struct Search {
    needle: &'static str,
    at_line_start: bool,
    /// The range known to contain no match.
    without: Range<usize>,
}

impl Search {
    fn is_known(&self, from: usize) -> bool {
        (self.without.start..=self.without.end).contains(&from)
    }
}

impl Searches {
    /// The first occurrence of `needle` from `from` on, optionally only at the start of a line.
    pub(super) fn next(
        &self,
        text: &str,
        needle: &'static str,
        at_line_start: bool,
        from: usize,
    ) -> Option<usize> {
        let mut searches = self.0.borrow_mut();
        let is_it = |it: &Search| it.needle == needle && it.at_line_start == at_line_start;
        let known = searches.iter().position(is_it);
        let end = match known.and_then(|known| searches.get(known)) {
            Some(search) if search.is_known(from) => search.without.end,
            search => {
                // From an offset before the known range, scan only up to that range.
                let later = search
                    .map(|it| it.without.clone())
                    .filter(|it| from < it.start);
                let limit = later
                    .as_ref()
                    .map_or(text.len(), |it| text.len().min(it.start + needle.len()));
                let found = find(text, needle, at_line_start, from, limit);
                let found = found.unwrap_or(later.map_or(text.len(), |it| it.end));
                let search = Search {
                    needle,
                    at_line_start,
                    without: from..found,
                };
                match known.and_then(|known| searches.get_mut(known)) {
                    Some(known) => *known = search,
                    None => searches.push(search),
                }
                found
            }
        };
        (end < text.len()).then_some(end)
    }
}

fn find(text: &str, needle: &str, at_line_start: bool, from: usize, to: usize) -> Option<usize> {
    let rest = text.as_bytes().get(from..to)?;
    let mut places = memmem::find_iter(rest, needle.as_bytes()).map(|at| from + at);
    places.find(|at| !at_line_start || starts_line(text, *at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn end_tokens_are_removed_repeatedly() {
        assert_eq!(without_end_tokens("a <|im_end|>\n<|endoftext|> "), "a ");
        assert_eq!(without_end_tokens("a </s> b"), "a </s> b");
        END_TOKENS
            .iter()
            .for_each(|it| assert_eq!(without_end_tokens(it), ""));
    }

    #[test]
    fn tokens_around_answers_are_blank() {
        let text = " <|START_RESPONSE|> a <|END_TEXT|>";
        assert_eq!(
            (skip_blank(text, 0), answer_piece(text).as_ref()),
            (20, "a")
        );
        assert!(is_blank(" <|START_TEXT|>\n<|END_TEXT|>") && !is_blank("<|im_end|>"));
    }

    #[test]
    fn lines_start_after_spaces() {
        let text = "a\n  b c<|START_TEXT|>d";
        assert!(starts_line(text, 0) && starts_line(text, 4) && !starts_line(text, 6));
        assert!(starts_line("<|START_TEXT|>d", 14));
        assert!(ends_line("a  \nb", 1) && !ends_line("a b", 1));
    }

    #[test]
    fn searches_find_what_a_plain_search_finds() {
        let (text, searches) = ("ab ab ba", Searches::default());
        for from in [0, 1, 4, 2, 7, 0] {
            for needle in ["ab", "ba", "x"] {
                let plain = text[from..].find(needle).map(|at| from + at);
                assert_eq!(
                    searches.next(text, needle, false, from),
                    plain,
                    "{needle} {from}"
                );
            }
        }
        assert_eq!(searches.next("ab ab\n ab", "ab", true, 1), Some(7));
    }
}
