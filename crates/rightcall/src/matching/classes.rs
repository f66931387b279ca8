//! Symbols for whole calls: two calls of one symbol are the same call.
//!
//! Only calls of one name are told apart. Calls with the same text as arguments are the same call; other texts have fingerprints, most of
//! them made while they were read; texts of one fingerprint are compared by quick equality; and only what is then left in doubt is told apart by
//! digests. Each text is looked at once.

use smallvec::SmallVec;

use super::arguments::{ArgumentRule, Unasked};
use super::interner::{InternKey, Interner, mark_of};
use super::item::{ArgumentsOf, Item, ItemOutput};
use super::rules::{OutputRule, Rules};
use crate::alignment::Symbols;
use crate::call::Stored;
use crate::value::{
    Digest, Digester, Fingerprint, Fingerprinter, HashKey, Text, Value, ValueEquality,
    equals_itself, quick_equal,
};

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
        let ignores_outputs = rules.outputs == OutputRule::Ignored;
        if rules.arguments == ArgumentRule::Ignored && ignores_outputs {
            return Self::Names;
        }
        let is_equivalence =
            rules.arguments == ArgumentRule::Ignored || rules.arguments.is_equality();
        let has_absent = || {
            expected
                .iter()
                .any(|item| matches!(item.arguments(), ArgumentsOf::Absent))
        };
        let can_raise = || {
            expected
                .iter()
                .chain(actual)
                .any(|item| !item.is_blank && item.is_null())
        };
        if !is_equivalence
            || rules.unasked == Unasked::Nothing && has_absent()
            || rules.null_arguments_raise && can_raise()
        {
            return Self::None;
        }
        if let Some(symbols) = decided_by_text(rules)
            .then(|| symbols_of_stored(names, expected, actual))
            .flatten()
        {
            return Self::Own(symbols);
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

/// What tells calls of one name apart.
struct Apart<'i> {
    fingerprinter: Fingerprinter<'i>,
    digester: Digester<'i>,
    /// The texts that came without a fingerprint, by name, and the symbol of each.
    texts: (Interner<Named<&'i str>>, Vec<u32>),
    /// The fingerprints, by name, and what is known of each.
    fingerprints: (Interner<Named<Fingerprint>>, Vec<SameFingerprint<'i>>),
    /// The values of which there is a digest, by name, and the symbol of each.
    values: (Interner<Named<Values>>, Vec<u32>),
}

/// What has a fingerprint in common.
enum SameFingerprint<'i> {
    /// Texts equal to the first, and their symbol.
    One(&'i Item<'i>, u32),
    /// Others, too; all of them are among the values.
    More,
}

/// Something of a call, and the call's name.
type Named<T> = (u32, T);

/// Digests of arguments and output.
type Values = [u128; 2];

impl InternKey for Named<&str> {
    fn hint(&self) -> u64 {
        mark_of(self.1.as_bytes())
    }
}

impl InternKey for Named<Fingerprint> {
    fn hint(&self) -> u64 {
        self.1.get()
    }
}

impl InternKey for (Named<Text<'static>>, Option<Values>) {
    fn hint(&self) -> u64 {
        mark_of(self.0.1.as_bytes())
    }
}

impl InternKey for Named<Values> {
    fn hint(&self) -> u64 {
        self.1[0] as u64
    }
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

impl<'i> Apart<'i> {
    fn new(equality: ValueEquality, key: HashKey, calls: usize) -> Self {
        Self {
            fingerprinter: Fingerprinter::new(equality),
            digester: Digester::new(equality, key),
            texts: (Interner::new(key, 0), Vec::new()),
            fingerprints: (Interner::new(key, calls), Vec::with_capacity(calls)),
            values: (Interner::new(key, 0), Vec::new()),
        }
    }

    fn symbol_of_text(
        &mut self,
        item: &'i Item<'i>,
        name: u32,
        rules: &Rules,
        key: HashKey,
        count: &mut u32,
    ) -> u32 {
        if let Some(fingerprint) = item
            .fingerprint()
            .filter(|_| Fingerprinter::tells(rules.equality))
        {
            return self.symbol_of_fingerprint(item, (name, fingerprint), rules, key, count);
        }
        let Some(text) = item.text() else {
            return Symbols::NONE;
        };
        let number = self.texts.0.intern((name, text)) as usize;
        if let Some(&symbol) = self.texts.1.get(number) {
            return symbol;
        }
        let fingerprint = self.fingerprinter.of_text(text);
        let equals_nothing =
            self.fingerprinter.saw_nan && item.call_key(rules, key, &mut self.digester).is_none();
        let symbol = if equals_nothing {
            Symbols::NONE
        } else {
            self.symbol_of_fingerprint(item, (name, fingerprint), rules, key, count)
        };
        self.texts.1.push(symbol);
        symbol
    }

    fn symbol_of_fingerprint(
        &mut self,
        item: &'i Item<'i>,
        fingerprint: Named<Fingerprint>,
        rules: &Rules,
        key: HashKey,
        count: &mut u32,
    ) -> u32 {
        let number = self.fingerprints.0.intern(fingerprint) as usize;
        match self.fingerprints.1.get_mut(number) {
            None => {
                let symbol = next(count);
                self.fingerprints.1.push(SameFingerprint::One(item, symbol));
                return symbol;
            }
            Some(same) => {
                if let SameFingerprint::One(first, symbol) = *same {
                    if first.is_quick_equal(item, rules.equality) {
                        return symbol;
                    }
                    *same = SameFingerprint::More;
                    self.symbol_of_value(first, fingerprint.0, rules, key, || symbol);
                }
            }
        }
        self.symbol_of_value(item, fingerprint.0, rules, key, || next(count))
    }

    /// The symbol of an item by its digest; `new` is that of a value that has not come before.
    fn symbol_of_value(
        &mut self,
        item: &'i Item<'i>,
        name: u32,
        rules: &Rules,
        key: HashKey,
        new: impl FnOnce() -> u32,
    ) -> u32 {
        let Some(value) = item.call_key(rules, key, &mut self.digester) else {
            return Symbols::NONE;
        };
        let (values, symbols) = &mut self.values;
        let value = values.intern((name, value)) as usize;
        if value == symbols.len() {
            symbols.push(new());
        }
        symbols[value]
    }
}

/// Symbols for calls whose arguments are all in a store; `None` where it can't tell them apart, or many of one name differ, so that
/// each would be compared again and again.
fn symbols_of_stored<'i>(
    names: &Symbols<'_>,
    expected: &[Item<'i>],
    actual: &[Item<'i>],
) -> Option<Symbols<'static>> {
    const FEW: usize = 4;
    let mut known = vec![SmallVec::<[(Stored<'i>, u32); 1]>::new(); names.count];
    let mut count = 0;
    let mut symbol = |item: &Item<'i>, name: u32| {
        let ArgumentsOf::Lazy(arguments) = item.arguments() else {
            return None;
        };
        let stored = arguments.in_store()?;
        let Some(of_name) = known.get_mut(name as usize) else {
            return Some(Symbols::NONE);
        };
        for &(other, symbol) in &*of_name {
            if other.is_same(stored)? {
                return Some(symbol);
            }
        }
        if of_name.len() == FEW {
            return None;
        }
        let symbol = next(&mut count);
        of_name.push((stored, symbol));
        Some(symbol)
    };
    let of_expected = expected
        .iter()
        .zip(&*names.expected)
        .map(|(item, &[first, second])| {
            let of_first = symbol(item, first)?;
            Some([
                of_first,
                if second == first {
                    of_first
                } else {
                    symbol(item, second)?
                },
            ])
        });
    let of_expected = of_expected.collect::<Option<_>>()?;
    let of_actual = actual
        .iter()
        .zip(&*names.actual)
        .map(|(item, &name)| symbol(item, name))
        .collect::<Option<_>>()?;
    Some(Symbols {
        expected: of_expected,
        actual: of_actual,
        count: count as usize,
    })
}

fn next(count: &mut u32) -> u32 {
    std::mem::replace(count, *count + 1)
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
            Self::OneText(first, symbol) if first.has_text_of(item) => Self::OneText(first, symbol),
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

impl<'c> Item<'c> {
    /// The arguments, if they came as the JSON text of a value other than a string.
    fn text(&self) -> Option<&str> {
        match self.arguments() {
            ArgumentsOf::Lazy(arguments) => arguments.value_json(),
            _ => None,
        }
    }

    /// What equal arguments share, if it is known.
    fn fingerprint(&self) -> Option<Fingerprint> {
        match self.arguments() {
            ArgumentsOf::Lazy(arguments) => arguments.fingerprint(),
            _ => None,
        }
    }

    /// True if two calls that have texts have the same.
    fn has_text_of(&self, other: &Item<'_>) -> bool {
        let differ = self
            .fingerprint()
            .zip(other.fingerprint())
            .is_some_and(|(one, other)| one != other);
        !differ && self.text() == other.text()
    }

    /// True if two calls have texts as arguments that can be seen to be equal.
    fn is_quick_equal(&self, other: &Item<'_>, equality: ValueEquality) -> bool {
        let Some((text, other_text)) = self.text().zip(other.text()) else {
            return false;
        };
        // No member of a plain object is `NaN`.
        let is_plain = other.fingerprint().is_some();
        is_plain && text == other_text || quick_equal(text, other_text, equality) == Some(true)
    }

    /// True for missing arguments and for null.
    pub(super) fn is_null(&self) -> bool {
        match self.arguments() {
            ArgumentsOf::Absent => true,
            ArgumentsOf::Tree(tree) => tree.is_null(),
            ArgumentsOf::Lazy(arguments) => arguments.is_null(),
        }
    }

    /// A number for arguments and output; equal numbers, equal values. `None` for what equals nothing.
    fn call_key(&self, rules: &Rules, key: HashKey, digester: &mut Digester<'c>) -> Option<Values> {
        let arguments = match rules.arguments {
            ArgumentRule::Ignored => 0,
            _ => match self.arguments() {
                ArgumentsOf::Absent => 1,
                ArgumentsOf::Tree(tree) => Digest::of_value(tree, rules.equality, key).key()?,
                ArgumentsOf::Lazy(arguments) => match arguments.digest(digester) {
                    Some(digest) => digest.key()?,
                    None => self
                        .arguments()
                        .to_tree()
                        .map(|tree| Digest::of_value(&tree, rules.equality, key))?
                        .key()?,
                },
            },
        };
        let output = match (&rules.outputs, &self.output) {
            (OutputRule::Ignored, _) => 0,
            (OutputRule::Equal, ItemOutput::Absent) => 1,
            (OutputRule::Equal, ItemOutput::Text(text)) => {
                Digest::of_value(&Value::String(text.reborrow()), rules.equality, key).key()?
            }
            (OutputRule::Equal, ItemOutput::Tree(tree)) => {
                Digest::of_value(tree, rules.equality, key).key()?
            }
        };
        Some([arguments, output])
    }
}

/// Classes of actual calls that Python holds equal: the same name, arguments and output, whatever their kind.
pub(crate) fn value_classes<'i>(items: &'i [Item<'i>], key: HashKey) -> Vec<u32> {
    let rules = Rules {
        outputs: OutputRule::Equal,
        ..Rules::of_arguments(ArgumentRule::Equal, ValueEquality::Python)
    };
    let mut interner = Interner::new(key, items.len());
    let mut digester = Digester::new(rules.equality, key);
    let class = |(index, item): (usize, &'i Item<'i>)| {
        let values = item.call_key(&rules, key, &mut digester);
        // What equals nothing does not equal itself.
        let apart = if values.is_none() { index as u32 } else { 0 };
        interner.intern(((apart, item.name().to_text().into_owned()), values))
    };
    items.iter().enumerate().map(class).collect()
}
