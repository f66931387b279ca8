//! Parts of lists, and bounds of rounds.

use std::rc::Rc;

use super::element::{Element, ElementList};

/// A part of a list, and the calls that it is repaired for.
pub(super) type Key = (usize, usize, usize, Vec<u16>);

/// Elements of a list, one after another.
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

    /// Where the segment begins.
    pub(super) fn pointer(self) -> &'l str {
        self.elements()
            .first()
            .map_or("", |element| &element.pointer)
    }
}

/// How often a round may come.
#[derive(Clone, Copy)]
pub(super) struct Rounds {
    pub(super) min: u64,
    pub(super) max: Option<u64>,
    /// No fewer are tried for a run that has calls.
    pub(super) fewest: usize,
}
