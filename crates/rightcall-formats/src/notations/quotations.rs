//! Quotations: Markdown fences and code spans. They are not read if there is other text.

use std::cell::Cell;
use std::ops::Range;

use memchr::{memchr2, memmem};

use super::places::{ends_line, starts_line};

/// A fence or a code span.
#[derive(Debug)]
pub(super) struct Quotation {
    /// Its end.
    pub(super) end: usize,
    pub(super) inside: Range<usize>,
    /// False for an unclosed fence.
    pub(super) is_closed: bool,
}

/// Finds quotations in a text, at increasing offsets.
#[derive(Debug, Default)]
pub(super) struct Quotations {
    /// A number of backticks, and the offset from which no line closes a fence of that width.
    unclosed: Cell<Option<(usize, usize)>>,
}

/// The number of backticks at this offset.
pub(super) fn backticks(text: &str, at: usize) -> usize {
    let rest = &text[at..];
    rest.len() - rest.trim_start_matches('`').len()
}

impl Quotations {
    /// The quotation that begins with these backticks.
    pub(super) fn at(&self, text: &str, at: usize) -> Option<Quotation> {
        let width = backticks(text, at);
        let rest = &text.as_bytes()[at + width..];
        let line = memchr2(b'`', b'\n', rest).unwrap_or(rest.len());
        if width >= 3 && starts_line(text, at) && rest.get(line) != Some(&b'`') {
            return Some(self.fence(text, at + width + line, width));
        }
        span(text, at, width)
    }

    /// The fence with its first line ending here.
    fn fence(&self, text: &str, line_end: usize, width: usize) -> Quotation {
        let start = (line_end + 1).min(text.len());
        match self.closing(text, start, width) {
            Some((at, end)) => Quotation {
                end,
                inside: start..at,
                is_closed: true,
            },
            None => Quotation {
                end: text.len(),
                inside: start..text.len(),
                is_closed: false,
            },
        }
    }

    /// The first closing line of a fence from `from` on: the start and end of its backticks.
    fn closing(&self, text: &str, from: usize, width: usize) -> Option<(usize, usize)> {
        let is_known = |(known_width, known_from)| known_width <= width && known_from <= from;
        if self.unclosed.get().is_some_and(is_known) {
            return None;
        }
        let rest = &text[from..];
        let mut at = 0;
        while let Some(found) = memmem::find(&rest.as_bytes()[at..], b"```") {
            let begin = from + at + found;
            let found_width = backticks(text, begin);
            let end = begin + found_width;
            let is_alone = ends_line(text, end) && starts_line(text, begin);
            if found_width >= width && is_alone {
                return Some((begin, end));
            }
            at = end - from;
        }
        self.unclosed.set(Some((width, from)));
        None
    }
}

/// The code span that begins with these backticks; it is closed by the same number on its line.
fn span(text: &str, at: usize, width: usize) -> Option<Quotation> {
    let start = at + width;
    let mut from = start;
    loop {
        let close = from + memchr2(b'`', b'\n', &text.as_bytes()[from..])?;
        let found_width = backticks(text, close);
        if found_width == 0 {
            return None;
        }
        if found_width == width {
            return Some(Quotation {
                end: close + width,
                inside: start..close,
                is_closed: true,
            });
        }
        from = close + found_width;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inside(text: &str) -> Option<&str> {
        let quotations = Quotations::default();
        let at = text.find('`')?;
        let found = quotations.at(text, at).filter(|it| it.is_closed)?;
        text.get(found.inside)
    }

    #[test]
    fn fences_have_their_own_lines() {
        assert_eq!(inside("a\n```json\nb\n```\nc"), Some("b\n"));
        assert_eq!(inside("````\n```\nb\n```\n````"), Some("```\nb\n```\n"));
        assert_eq!(inside("```\nb\n  `````  \nc"), Some("b\n  "));
        assert_eq!(inside("```\nb```\n"), None);
        assert_eq!(inside("a ```\nb\n```"), None);
        assert_eq!(inside("```"), None);
    }

    #[test]
    fn spans_end_on_their_line() {
        assert_eq!(inside("a `b` c"), Some("b"));
        assert_eq!(inside("a ``b`c`` d"), Some("b`c"));
        assert_eq!(inside("```b```"), Some("b"));
        assert_eq!(inside("a `b\nc` d"), None);
        assert_eq!(inside("``a''"), None);
    }
}
