//! Symbols for whole calls: two calls of one symbol are the same call.
//!
//! Only calls of one name are told apart. Calls with the same text as arguments are the same call; other texts have fingerprints, most of
//! them made while they were read; texts of one fingerprint are compared by quick equality; and only what is then left in doubt is told apart by
//! digests. Each text is looked at once.

use super::apart::{Apart, next};
use super::arguments::{ArgumentRule, MissingArguments};
use super::item::{ArgumentsRef, Item};
use super::names::NameRule;
use super::rules::{OutputRule, Rules};
use crate::alignment::Symbols;
use crate::value::{HashKey, equals_itself};

/// Symbols for whole calls.
pub(super) enum CallSymbols {
    /// Calls have to be compared.
    None,
    /// The same as for names.
    Names,
    /// Their own.
    Own(Symbols<'static>),
}

impl CallSymbols {
    /// Symbols, where the rules amount to an equivalence and no comparison can raise an error.
    pub(super) fn new(
        rules: &Rules,
        names: &Symbols<'_>,
        expected: &[Item<'_>],
        actual: &[Item<'_>],
        key: HashKey,
    ) -> Self {
        if matches!(rules.names, NameRule::Globs) {
            return Self::None;
        }
        let ignores_outputs = rules.outputs == OutputRule::Ignored;
        if rules.arguments == ArgumentRule::Ignored && ignores_outputs {
            return Self::Names;
        }
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

/// The classes of the calls of two lists.
struct Classes<'r, 'i> {
    rules: &'r Rules,
    key: HashKey,
    /// By name.
    groups: Vec<Group<'i>>,
    /// Number of symbols given out.
    count: u32,
    /// What tells calls of one name apart, where there are any to be told apart.
    apart: Option<Box<Apart<'i>>>,
}

/// The calls of one name.
#[derive(Clone, Copy, Default)]
enum Group<'i> {
    #[default]
    Empty,
    /// All have the text of this one as arguments, and this symbol.
    OneText(&'i Item<'i>, u32),
    /// All have some text.
    Texts,
    /// Anything else.
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
        let mut groups = vec![Group::Empty; names.count];
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
        let is_open = |group: &Group<'_>| matches!(group, Group::Texts | Group::Values);
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
            (Some(Group::OneText(_, symbol)), _) => *symbol,
            (Some(Group::Texts), Some(apart)) => {
                apart.symbol_of_text(item, name, self.rules, self.key, &mut self.count)
            }
            (Some(Group::Values), Some(apart)) => {
                apart.symbol_of_value(item, name, self.rules, self.key, || next(&mut self.count))
            }
            _ => Symbols::NONE,
        }
    }
}

/// True if calls of one name with the same text as arguments are the same call.
fn decided_by_text(rules: &Rules) -> bool {
    rules.outputs == OutputRule::Ignored && rules.arguments.is_equality()
}

impl<'i> Group<'i> {
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

    /// Gives a symbol to what has one text, unless that could be unequal to itself.
    fn decide(&mut self, count: &mut u32) {
        if let Self::OneText(item, symbol) = self {
            // No member of a plain object is `NaN`.
            if item.fingerprint().is_some() || item.text().is_some_and(equals_itself) {
                *symbol = next(count);
            } else {
                *self = Self::Texts;
            }
        }
    }
}
