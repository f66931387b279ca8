//! A repaired part of an expectation, and its cost.

use std::fmt;
use std::rc::Rc;

use super::element::Element;

/// One change to an expectation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepairChange {
    /// The location in the expectation before the repair, an RFC 6901 pointer.
    pub pointer: String,
    /// The change, as a sentence.
    pub what: String,
    /// Number of added and wrapped elements, and widened arguments.
    pub cost: u64,
}

impl fmt::Display for RepairChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.pointer, self.what)
    }
}

/// A part of an expectation that accepts a part of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    pub(super) cost: u64,
    pub(super) elements: Vec<Element>,
    pub(super) changes: Vec<RepairChange>,
}

impl Part {
    /// The order of parts: by cost, then by number of changes.
    pub(super) fn score(&self) -> (u64, usize) {
        (self.cost, self.changes.len())
    }

    /// The part with one more change.
    pub(super) fn changed(mut self, cost: u64, pointer: &str, what: String) -> Self {
        self.cost += cost;
        self.changes.push(RepairChange {
            pointer: pointer.to_owned(),
            what,
            cost,
        });
        self
    }
}

/// The best part so far; on a tie, the first.
#[derive(Debug, Default)]
pub(super) struct BestPart {
    pub(super) part: Option<Rc<Part>>,
}

impl BestPart {
    pub(super) fn offer(&mut self, part: Rc<Part>) {
        let best = self.part.as_ref();
        if best.is_none_or(|best| part.score() < best.score()) {
            self.part = Some(part);
        }
    }

    pub(super) fn cost(&self) -> u64 {
        self.part.as_ref().map_or(u64::MAX, |part| part.cost)
    }
}

/// A part of one unchanged element.
pub(super) fn part_of(element: Element) -> Part {
    Part {
        elements: vec![element],
        ..Part::default()
    }
}

/// A part with the same cost and changes but another element.
pub(super) fn with(part: &Part, element: Element) -> Part {
    Part {
        elements: vec![element],
        ..part.clone()
    }
}

/// Appends a part.
pub(super) fn add(part: &mut Part, other: &Part) {
    part.cost += other.cost;
    part.elements.extend(other.elements.iter().cloned());
    part.changes.extend(other.changes.iter().cloned());
}

/// Two parts joined.
pub(super) fn joined(one: &Part, other: &Part) -> Rc<Part> {
    let mut part = one.clone();
    add(&mut part, other);
    Rc::new(part)
}
