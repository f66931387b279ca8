//! Inputs that are no JSON but the calls of answers as text, one a line or one over all lines: each becomes a JSON text on its line.

use crate::formats::bfcl::is_answer;
use crate::json::quoted;

/// True if an input that begins so may hold calls as text: a name and a bracket, in a list or a fence or in neither.
pub(super) fn may_begin_with(head: &[u8]) -> bool {
    let is_around = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'`';
    let start = head
        .iter()
        .position(|byte| !is_around(byte))
        .unwrap_or(head.len());
    let is_fenced = head[..start].contains(&b'`');
    let rest = head[start..]
        .strip_prefix(b"[")
        .unwrap_or(&head[start..])
        .trim_ascii_start();
    let name = rest
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'))
        .count();
    is_fenced || name > 0 && rest[name..].trim_ascii_start().first() == Some(&b'(')
}

/// The answers as JSON Lines, each on the line on which it begins; `None` where there are none.
pub(super) fn on_lines(text: &str) -> Option<String> {
    let mut lines = String::with_capacity(text.len() + text.len() / 8);
    if is_answer(text) {
        let before = text.len() - text.trim_start().len();
        lines.extend(text[..before].chars().filter(|letter| *letter == '\n'));
        lines.push_str(&quoted(text.trim()));
        return Some(lines);
    }
    let is_fence = |line: &str| line.starts_with("```") && !line[3..].contains('`');
    let mut has_any = false;
    for line in text.lines().map(str::trim) {
        has_any |= is_answer(line);
        if !line.is_empty() && !is_fence(line) {
            lines.push_str(&quoted(line));
        }
        lines.push('\n');
    }
    has_any.then_some(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_stand_on_their_lines() {
        assert_eq!(
            on_lines("\n f(a='x')\n\nI cannot.\n").as_deref(),
            Some("\n\"f(a='x')\"\n\n\"I cannot.\"\n")
        );
        assert_eq!(
            on_lines("\n```python\n[f(),\n g()]\n```").as_deref(),
            Some("\n\"```python\\n[f(),\\n g()]\\n```\"")
        );
        assert_eq!(
            on_lines("```\nf()\ng()\n```").as_deref(),
            Some("\n\"f()\"\n\"g()\"\n\n")
        );
        assert_eq!(on_lines("I cannot (do) that"), None);
    }

    #[test]
    fn json_and_prose_do_not_begin_like_answers() {
        for text in ["f()", " [ a.b (", "```\nx", "[f(a"] {
            assert!(may_begin_with(text.as_bytes()), "{text}");
        }
        for text in [
            "",
            "{\"f\": 1}",
            "[true, false]",
            "[1]",
            "data: {}",
            "[[",
            "I cannot (do) that",
        ] {
            assert!(!may_begin_with(text.as_bytes()), "{text}");
        }
    }
}
