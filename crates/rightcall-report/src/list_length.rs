//! How much of lists is shown.

/// How many members of a list are shown: as many as the user asked for, or as many as usual.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListLength(pub Option<usize>);

impl ListLength {
    pub(crate) fn or(self, usual: usize) -> usize {
        self.0.unwrap_or(usual)
    }
}
