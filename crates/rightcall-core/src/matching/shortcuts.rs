//! Avoids repeated comparisons if there are many.
//!
//! Calls with identical argument texts that are also equal in every other compared field form a class. Only one pair is compared for any
//! two classes. That changes the speed, not the result.

use std::cell::Cell;

use siphasher::sip128::SipHasher13;

use super::interner::Interner;
use super::item::{ArgumentsRef, Item, ItemOutput};
use crate::alignment::Grade;
use crate::value::python::{push_repr, push_repr_text};
use crate::value::{HashKey, TextBuilder};

/// Number of comparisons after which searching for shortcuts pays off.
pub(super) const MANY: u64 = 4096;

/// Maximum pairs of classes with cached grades: 32 MiB.
const MOST_GRADES: usize = 1 << 21;

/// Classes of the calls in two lists, and cached grades.
pub(super) struct Shortcuts {
    /// The class of each call.
    expected: Vec<u32>,
    actual: Vec<u32>,
    /// The cached grade of each pair of classes, row by row; empty if there are too many pairs.
    grades: Box<[Cell<Option<Grade>>]>,
    /// Number of classes of actual calls.
    width: usize,
}

impl Shortcuts {
    /// Classifies the calls.
    pub(super) fn new(expected: &[Item<'_>], actual: &[Item<'_>], key: HashKey) -> Self {
        let classes = |items: &[Item<'_>]| -> (Vec<u32>, usize) {
            let mut classes = Interner::new(key, items.len());
            let of_items = items
                .iter()
                .map(|item| classes.intern(class_key(item, key)));
            (of_items.collect(), classes.len())
        };
        let ((expected, height), (actual, width)) = (classes(expected), classes(actual));
        let pairs = height.saturating_mul(width);
        let kept = if pairs > MOST_GRADES { 0 } else { pairs };
        Self {
            expected,
            actual,
            grades: vec![Cell::new(None); kept].into(),
            width,
        }
    }

    /// The cached grade of a pair with the same name; empty until a comparison has set it.
    #[inline]
    pub(super) fn grade(&self, expected: usize, actual: usize) -> Option<&Cell<Option<Grade>>> {
        let row = self.expected[expected] as usize * self.width;
        self.grades.get(row + self.actual[actual] as usize)
    }
}

/// A hash of all compared fields of a call.
fn class_key(item: &Item<'_>, key: HashKey) -> u128 {
    let mut out = TextBuilder::default();
    push_repr_text(&item.name().to_text(), &mut out);
    match &item.more().keys {
        None => out.push_str("|-"),
        Some(keys) => keys.iter().for_each(|key| push_repr_text(key, &mut out)),
    }
    out.push_str("|");
    match &item.more().output {
        ItemOutput::Absent => out.push_str("-"),
        ItemOutput::Text(text) => push_repr_text(text, &mut out),
        ItemOutput::Tree(tree) => push_repr(tree, &mut out),
    }
    out.push_str("|");
    match item.arguments() {
        ArgumentsRef::Absent => {}
        ArgumentsRef::Lazy(arguments) => match (arguments.value_json(), arguments.text()) {
            (Some(json), _) => out.push_str(json),
            (None, Some(text)) => {
                out.push_str("|");
                out.push_text(text);
            }
            (None, None) => {}
        },
        ArgumentsRef::Tree(tree) => {
            out.push_str("=");
            push_repr(tree, &mut out);
        }
    }
    SipHasher13::new_with_keys(key.0, key.1)
        .hash(out.finish().as_bytes())
        .as_u128()
}
