//! Symbols for whole calls: two calls with the same symbol are equal.
//!
//! Only calls with the same name need to be distinguished. Calls with identical argument texts are equal. Different texts get fingerprints,
//! mostly computed while reading. Texts with the same fingerprint are compared by quick equality, and only undecided ones by digests. Each
//! text is processed once.

use super::apart::{Apart, next};
use super::arguments::{ArgumentRule, MissingArguments};
use super::item::{ArgumentsRef, Item};
use super::names::NameRule;
use super::rules::{OutputRule, Rules};
use crate::alignment::Symbols;
use crate::value::{HashKey, equals_itself};

/// Symbols for whole calls.
pub(super) enum CallSymbols {
    /// None: calls must be compared.
    None,
    /// Same as the symbols for names.
    Names,
    /// Separate symbols.
    Own(Symbols<'static>),
}

impl CallSymbols {
    /// Symbols for whole calls, if the rules are an equivalence relation and no comparison can fail.
    pub(super) fn new(
        rules: &Rules,
        names: &Symbols<'_>,
        expected: &[Item<'_>],
        actual: &[Item<'_>],
        key: HashKey,
    ) -> Self {
        // A pattern can match two names that are not equal, so this isn't an equivalence.
        if matches!(rules.names, NameRule::Globs) {
            return Self::None;
        }
        let ignores_outputs = rules.outputs == OutputRule::Ignored;
        if rules.arguments == ArgumentRule::Ignored && ignores_outputs {
            return Self::Names;
        }
        // `StatedJsonText` depends on whether the expected call has an output, so it isn't an equivalence either.
        let is_equivalence = (rules.arguments == ArgumentRule::Ignored
            || rules.arguments.is_equality())
            && rules.outputs != OutputRule::StatedJsonText;
        let has_absent = || {
            expected
                .iter()
                .any(|item| matches!(item.arguments(), ArgumentsRef::Absent))
        };
        let can_raise = || {
            expected
                .iter()
                .chain(actual)
                .any(|item| !item.is_blank && item.is_null())
        };
        if !is_equivalence
            || rules.missing == MissingArguments::Wildcard && has_absent()
            || rules.null_arguments_raise && can_raise()
        {
            return Self::None;
        }
        let mut classes = Classes::new(rules, names, expected, actual, key);
        let of_expected = expected
            .iter()
            .zip(&*names.expected)
            .map(|(item, &[first, second])| {
                let symbol = classes.symbol(item, first);
                [
                    symbol,
                    if second == first {
                        symbol
                    } else {
                        classes.symbol(item, second)
                    },
                ]
            });
        let of_expected = of_expected.collect();
        let of_actual = actual
            .iter()
            .zip(&*names.actual)
            .map(|(item, &name)| classes.symbol(item, name));
        let of_actual = of_actual.collect();
        Self::Own(Symbols {
            expected: of_expected,
            actual: of_actual,
            count: classes.count as usize,
        })
    }
}

/// Classes of equal calls in two lists.
struct Classes<'r, 'i> {
    rules: &'r Rules,
    key: HashKey,
    /// The group of each name.
    groups: Vec<CallsOfName<'i>>,
    /// Number of symbols used.
    count: u32,
    /// Distinguishes calls with the same name; `None` until needed.
    apart: Option<Box<Apart<'i>>>,
}

/// The calls with one name.
#[derive(Clone, Copy, Default)]
enum CallsOfName<'i> {
    #[default]
    Empty,
    /// All have the same arguments text as this one, and this symbol.
    OneText(&'i Item<'i>, u32),
    /// All have arguments as JSON text.
    Texts,
    /// Other calls.
    Values,
}

impl<'r, 'i> Classes<'r, 'i> {
    fn new(
        rules: &'r Rules,
        names: &Symbols<'_>,
        expected: &'i [Item<'i>],
        actual: &'i [Item<'i>],
        key: HashKey,
    ) -> Self {
        let mut groups = vec![CallsOfName::Empty; names.count];
        let by_text = decided_by_text(rules);
        let mut add = |name: u32, item: &'i Item<'i>| {
            if let Some(group) = groups.get_mut(name as usize) {
                group.add(item, by_text);
            }
        };
        for (item, &[first, second]) in expected.iter().zip(&*names.expected) {
            add(first, item);
            if second != first {
                add(second, item);
            }
        }
        actual
            .iter()
            .zip(&*names.actual)
            .for_each(|(item, &name)| add(name, item));
        let mut count = 0;
        for group in &mut groups {
            group.decide(&mut count);
        }
        let is_open =
            |group: &CallsOfName<'_>| matches!(group, CallsOfName::Texts | CallsOfName::Values);
        let apart = groups.iter().any(is_open).then(|| {
            Box::new(Apart::new(
                rules.equality,
                key,
                expected.len() + actual.len(),
            ))
        });
        Self {
            rules,
            key,
            groups,
            count,
            apart,
        }
    }

    #[inline]
    fn symbol(&mut self, item: &'i Item<'i>, name: u32) -> u32 {
        match (self.groups.get(name as usize), &mut self.apart) {
            (Some(CallsOfName::OneText(_, symbol)), _) => *symbol,
            (Some(CallsOfName::Texts), Some(apart)) => {
                apart.symbol_of_text(item, name, self.rules, self.key, &mut self.count)
            }
            (Some(CallsOfName::Values), Some(apart)) => {
                apart.symbol_of_value(item, name, self.rules, self.key, || next(&mut self.count))
            }
            _ => Symbols::NONE,
        }
    }
}

/// True if calls with the same name and identical argument texts are equal.
fn decided_by_text(rules: &Rules) -> bool {
    rules.outputs == OutputRule::Ignored && rules.arguments.is_equality()
}

impl<'i> CallsOfName<'i> {
    #[expect(
        clippy::inline_always,
        reason = "a call for each call of a case costs as much as what it adds"
    )]
    #[inline(always)]
    fn add(&mut self, item: &'i Item<'i>, by_text: bool) {
        *self = match *self {
            _ if !by_text || item.text().is_none() => Self::Values,
            Self::Empty => Self::OneText(item, Symbols::NONE),
            Self::OneText(first, symbol) if first.text() == item.text() => {
                Self::OneText(first, symbol)
            }
            Self::OneText(..) | Self::Texts => Self::Texts,
            Self::Values => Self::Values,
        };
    }

    /// Assigns a symbol to a single text, unless the text may not equal itself.
    fn decide(&mut self, count: &mut u32) {
        if let Self::OneText(item, symbol) = self {
            // A plain object has no `NaN`.
            if item.fingerprint().is_some() || item.text().is_some_and(equals_itself) {
                *symbol = next(count);
            } else {
                *self = Self::Texts;
            }
        }
    }
}
