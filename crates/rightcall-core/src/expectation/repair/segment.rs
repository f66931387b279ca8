//! Segments of lists, and bounds of rounds.

use std::rc::Rc;

use super::element::{Element, ElementList};

/// A segment of a list, and the calls to repair it for.
pub(super) type Key = (usize, usize, usize, Vec<u16>);

/// Consecutive elements of a list.
#[derive(Clone, Copy)]
pub(super) struct Segment<'l> {
    pub(super) list: &'l Rc<ElementList>,
    pub(super) from: usize,
    pub(super) to: usize,
}

impl<'l> Segment<'l> {
    pub(super) fn whole(list: &'l Rc<ElementList>) -> Self {
        Self {
            list,
            from: 0,
            to: list.elements.len(),
        }
    }

    pub(super) fn elements(self) -> &'l [Element] {
        &self.list.elements[self.from..self.to]
    }

    pub(super) fn key(self, calls: &[u16]) -> Key {
        (self.list.number, self.from, self.to, calls.to_vec())
    }

    pub(super) fn len(self) -> u64 {
        (self.to - self.from) as u64
    }

    /// The location of the segment's first element.
    pub(super) fn pointer(self) -> &'l str {
        self.elements()
            .first()
            .map_or("", |element| &element.pointer)
    }
}

/// How often a round may repeat.
#[derive(Clone, Copy)]
pub(super) struct Rounds {
    pub(super) min: u64,
    pub(super) max: Option<u64>,
    /// Minimum number of rounds tried for a run with calls.
    pub(super) fewest: usize,
}
