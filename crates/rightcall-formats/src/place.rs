//! The position of a record in its file.

use crate::node::Node;

/// The start of a record in its file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinePlace {
    /// The line, from 1.
    pub line: u64,
    /// The number of records that begin before it on that line, as in a list on one line.
    pub index: u32,
}

impl LinePlace {
    /// The first record of a line.
    pub fn on_line(line: u64) -> Self {
        Self { line, index: 0 }
    }

    /// Moves to the next record, which begins on this line.
    pub(crate) fn move_to(&mut self, line: u64) -> Self {
        self.move_into(Self::on_line(line))
    }

    /// Moves to the next record, which begins at this place or after it on its line.
    pub(crate) fn move_into(&mut self, at: Self) -> Self {
        let after = if self.line == at.line {
            self.index + 1
        } else {
            0
        };
        *self = Self {
            index: after.max(at.index),
            ..at
        };
        *self
    }

    /// `FILE:LINE`, and for the second record of a line `FILE:LINE#2`.
    pub fn in_file(self, file: &str) -> String {
        match self.index {
            0 => format!("{file}:{}", self.line),
            index => format!("{file}:{}#{}", self.line, u64::from(index) + 1),
        }
    }
}

/// Finds the lines of the parts of a value, given in order.
pub(crate) struct PartLines<'a> {
    text: &'a str,
    /// The line of the value, then of the last part.
    line: u64,
    /// The offset of the last part.
    at: usize,
}

impl<'a> PartLines<'a> {
    /// For a value that begins on this line.
    pub(crate) fn new(value: &Node<'a>, line: u64) -> Self {
        Self {
            text: value.raw(),
            line,
            at: 0,
        }
    }

    /// The line of a part; the line of the part before for one that is decoded from a text.
    pub(crate) fn line_of(&mut self, part: &Node<'_>) -> u64 {
        let at = part
            .raw()
            .as_ptr()
            .addr()
            .wrapping_sub(self.text.as_ptr().addr());
        let passed = self.text.as_bytes().get(self.at..at).unwrap_or_default();
        self.line += memchr::memchr_iter(b'\n', passed).count() as u64;
        self.at += passed.len();
        self.line
    }
}

#[cfg(test)]
mod tests {
    use super::{LinePlace, PartLines};
    use crate::node::Node;

    #[test]
    fn records_of_a_line_are_numbered() {
        let mut place = LinePlace::default();
        let places = [1, 1, 1, 4, 5, 5].map(|line| place.move_to(line).in_file("a.json"));
        assert_eq!(
            places,
            [
                "a.json:1",
                "a.json:1#2",
                "a.json:1#3",
                "a.json:4",
                "a.json:5",
                "a.json:5#2"
            ]
        );
    }

    #[test]
    fn parts_are_on_their_lines() {
        let value = Node::parse("[1,\n 2, [\n3],\n\n{}]", 9).unwrap();
        let mut lines = PartLines::new(&value, 7);
        let found: Vec<_> = value.items().iter().map(|it| lines.line_of(it)).collect();
        assert_eq!(found, [7, 8, 8, 11]);
        let decoded = Node::parse("{}", 9).unwrap();
        assert_eq!(lines.line_of(&decoded), 11);
    }
}
