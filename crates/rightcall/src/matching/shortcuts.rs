//! What spares comparisons where there are many of them.
//!
//! Calls whose arguments are the same text, and which are alike in all else that is compared, form a class: of any two classes one pair
//! is compared. And where a rule asks for equal values under keys, each call has a mark of its keys and values, so that a glance at two
//! marks tells most calls that differ. Neither changes what is found, only how soon.

use std::cell::Cell;

use siphasher::sip128::SipHasher13;

use super::arguments::ArgumentRule;
use super::interner::Interner;
use super::item::{ArgumentsRef, Item, ItemOutput};
use super::rules::Rules;
use super::texts::value_text;
use crate::alignment::Grade;
use crate::value::python::{push_repr, push_repr_text, str as python_str};
use crate::value::{Digest, HashKey, Text, TextBuilder, Value};

/// So many comparisons are made before it is worth while to look for shortcuts.
pub(super) const MANY: u64 = 4096;

/// Pairs of classes whose grades are kept: 32 MiB.
const MOST_GRADES: usize = 1 << 21;

/// The shortcuts among the calls of two lists.
pub(super) struct Shortcuts {
    marking: Marking,
    expected: Vec<CallSummary>,
    actual: Vec<CallSummary>,
    /// The grade of each pair of classes, row by row; empty where there are too many.
    grades: Box<[Cell<PairGrade>]>,
    /// Classes of actual calls.
    width: usize,
}

/// What is known of a call.
#[derive(Clone, Copy)]
struct CallSummary {
    class: u32,
    /// True for an expected call that names the keys to be compared.
    names_keys: bool,
    /// `None` where only a comparison tells.
    mark: Option<u128>,
}

/// The grade of a pair of classes.
#[derive(Clone, Copy)]
enum PairGrade {
    Unknown,
    Known(Grade),
}

/// What marks say.
#[derive(Clone, Copy, PartialEq)]
enum Marking {
    Nothing,
    /// Equal arguments have equal marks.
    Same,
    /// The bits of the expected call are among those of the actual one.
    Within,
    /// The bits of the actual call are among those of the expected one; of an expected call that names its keys, as [`Marking::Within`].
    Around,
    /// The two have a bit in common.
    Shared,
}

impl Marking {
    fn of(rule: &ArgumentRule) -> Self {
        match rule {
            ArgumentRule::Equal => Self::Same,
            ArgumentRule::Subset | ArgumentRule::DeepSubset | ArgumentRule::EqualTexts => {
                Self::Within
            }
            ArgumentRule::Superset | ArgumentRule::OwnKeys => Self::Around,
            ArgumentRule::Overlap | ArgumentRule::AsText => Self::Shared,
            ArgumentRule::Ignored
            | ArgumentRule::Paths(_)
            | ArgumentRule::PresentPaths(_)
            | ArgumentRule::Fuzzy { .. }
            | ArgumentRule::JsonText
            | ArgumentRule::Partial(_)
            | ArgumentRule::Accepted(_)
            | ArgumentRule::Near(..)
            | ArgumentRule::PerTool(..) => Self::Nothing,
        }
    }
}

impl Shortcuts {
    /// The shortcuts, or `None` where arguments are objects of someone else's, which may be equal by more than their text.
    pub(super) fn new(
        rules: &Rules,
        expected: &[Item<'_>],
        actual: &[Item<'_>],
        key: HashKey,
    ) -> Option<Self> {
        let is_stored = |item: &Item<'_>| matches!(item.arguments(), ArgumentsRef::Lazy(arguments) if arguments.in_store().is_some());
        if expected.iter().chain(actual).any(is_stored) {
            return None;
        }
        let marking = Marking::of(&rules.arguments);
        let mut marks = Marks { rules, key };
        let known = |items: &[Item<'_>],
                     marks: &mut Marks<'_>,
                     is_expected: bool|
         -> (Vec<CallSummary>, usize) {
            let mut classes = Interner::new(key, items.len());
            let known = items.iter().map(|item| CallSummary {
                class: classes.intern((0, [class_key(item, key), 0])),
                names_keys: item.more().keys.is_some() && rules.arguments == ArgumentRule::OwnKeys,
                mark: if marking == Marking::Nothing {
                    None
                } else {
                    marks.of(item, is_expected)
                },
            });
            let known = known.collect();
            (known, classes.len())
        };
        let (expected, height) = known(expected, &mut marks, true);
        let (actual, width) = known(actual, &mut marks, false);
        let pairs = height.saturating_mul(width);
        let grades =
            vec![Cell::new(PairGrade::Unknown); if pairs > MOST_GRADES { 0 } else { pairs }];
        Some(Self {
            marking,
            expected,
            actual,
            grades: grades.into(),
            width,
        })
    }

    /// Where the grade of a pair is kept, if it is.
    #[inline]
    fn kept(&self, expected: usize, actual: usize) -> Option<&Cell<PairGrade>> {
        if self.grades.is_empty() {
            return None;
        }
        self.grades.get(
            self.expected[expected].class as usize * self.width
                + self.actual[actual].class as usize,
        )
    }

    /// The grade of a pair of one name, where it is known without a comparison.
    #[inline]
    pub(super) fn grade(&self, expected: usize, actual: usize) -> Option<Grade> {
        if let Some(PairGrade::Known(grade)) = self.kept(expected, actual).map(Cell::get) {
            return Some(grade);
        }
        let CallSummary {
            mark, names_keys, ..
        } = self.expected[expected];
        let (left, right) = (mark?, self.actual[actual].mark?);
        let differ = match self.marking {
            Marking::Nothing => false,
            Marking::Same => left != right,
            Marking::Around if !names_keys => right & !left != 0,
            Marking::Within | Marking::Around => left & !right != 0,
            Marking::Shared => left & right == 0 && left | right != 0,
        };
        differ.then_some(Grade::NameOnly)
    }

    /// Keeps what a comparison found.
    pub(super) fn keep(&self, expected: usize, actual: usize, grade: Grade) {
        if let Some(kept) = self.kept(expected, actual) {
            kept.set(PairGrade::Known(grade));
        }
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

/// Makes the marks of calls.
struct Marks<'r> {
    rules: &'r Rules,
    key: HashKey,
}

impl Marks<'_> {
    fn of(&self, item: &Item<'_>, is_expected: bool) -> Option<u128> {
        let tree = item.arguments().to_tree()?;
        if self.rules.arguments == ArgumentRule::Equal {
            return self.digest(&tree);
        }
        // What is no object is compared as a whole.
        let object = tree.as_object()?;
        let named = item
            .more()
            .keys
            .as_deref()
            .filter(|_| is_expected && self.rules.arguments == ArgumentRule::OwnKeys);
        match named {
            None => self.of_members(object.iter().map(|(key, value)| (key, value))),
            // Where none is compared, there is nothing to be told apart.
            Some(keys) => {
                self.of_members(keys.iter().filter_map(|key| Some((key, object.get(key)?))))
            }
        }
    }

    fn of_members<'m>(
        &self,
        mut members: impl Iterator<Item = (&'m Text<'m>, &'m Value<'m>)>,
    ) -> Option<u128> {
        members.try_fold(0, |mark, (key, value)| {
            Some(mark | 1 << (self.of_member(key, value)? % 128))
        })
    }

    /// A number that equal members share; `None` for what equals nothing.
    fn of_member(&self, key: &Text<'_>, value: &Value<'_>) -> Option<u64> {
        let value = match (&self.rules.arguments, value) {
            (ArgumentRule::AsText, value) => self.digest(&Value::String(python_str(value)))?,
            (ArgumentRule::EqualTexts, value) => self.digest(&Value::String(value_text(value)))?,
            // Objects may be equal in part.
            (ArgumentRule::Overlap | ArgumentRule::DeepSubset, Value::Object(_)) => 0,
            (_, value) => self.digest(value)?,
        };
        Some((self.digest(&Value::String(key.reborrow()))? ^ value.rotate_left(64)) as u64)
    }

    fn digest(&self, value: &Value<'_>) -> Option<u128> {
        Digest::from_value(value, self.rules.equality, self.key).key()
    }
}
