//! The length of lists.

/// How many items of a list are shown: the number that the user set, or the default of the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListLength(pub Option<usize>);

impl ListLength {
    pub(crate) fn or(self, usual: usize) -> usize {
        self.0.unwrap_or(usual)
    }
}
