//! What spares comparisons where there are many of them.
//!
//! Calls whose arguments are the same text, and which are alike in all else that is compared, form a class: of any two classes one pair
//! is compared. That does not change what is found, only how soon.

use std::cell::Cell;

use siphasher::sip128::SipHasher13;

use super::interner::Interner;
use super::item::{ArgumentsRef, Item, ItemOutput};
use crate::alignment::Grade;
use crate::value::python::{push_repr, push_repr_text};
use crate::value::{HashKey, TextBuilder};

/// So many comparisons are made before it is worth while to look for shortcuts.
pub(super) const MANY: u64 = 4096;

/// Pairs of classes whose grades are kept: 32 MiB.
const MOST_GRADES: usize = 1 << 21;

/// The shortcuts among the calls of two lists.
pub(super) struct Shortcuts {
    /// The class of each call.
    expected: Vec<u32>,
    actual: Vec<u32>,
    /// The grade of each pair of classes, if it is known, row by row; empty where there are too many.
    grades: Box<[Cell<Option<Grade>>]>,
    /// Classes of actual calls.
    width: usize,
}

impl Shortcuts {
    /// The shortcuts.
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

    /// Where the grade of a pair of one name is kept, once a comparison has found it.
    #[inline]
    pub(super) fn grade(&self, expected: usize, actual: usize) -> Option<&Cell<Option<Grade>>> {
        let row = self.expected[expected] as usize * self.width;
        self.grades.get(row + self.actual[actual] as usize)
    }
}

/// A hash of all of a call that a comparison looks at.
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
