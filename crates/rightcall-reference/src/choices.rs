//! Reads choices from bytes.
//!
//! Each byte is one choice. When the bytes run out, the first and simplest option is chosen. So a fuzzer that changes a byte changes one
//! thing, and a test that shortens the bytes simplifies the case.

/// The remaining choices.
#[derive(Debug)]
pub struct Choices<'b>(&'b [u8]);

impl<'b> Choices<'b> {
    /// The choices encoded in these bytes.
    pub fn new(bytes: &'b [u8]) -> Self {
        Self(bytes)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        let Some((&first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        usize::from(first) % limit
    }

    /// True once in `times` times.
    pub fn rarely(&mut self, times: usize) -> bool {
        self.below(times) == times - 1
    }

    /// One of several values.
    pub fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// One of several texts separated by `|`.
    pub fn of<'s>(&mut self, alternatives: &'s str) -> &'s str {
        let alternatives: Vec<&str> = alternatives.split('|').collect();
        self.one(&alternatives)
    }

    /// Up to `most` items, separated by commas.
    pub fn list(&mut self, most: usize, mut item: impl FnMut(&mut Self) -> String) -> String {
        let length = self.below(most + 1);
        let items: Vec<String> = (0..length).map(|_| item(self)).collect();
        items.join(",")
    }
}
