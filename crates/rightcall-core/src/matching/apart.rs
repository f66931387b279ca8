//! Distinguishes calls with the same name by fingerprints, then quick equality, then digests.

use std::hash::Hash;

use super::arguments::ArgumentRule;
use super::interner::Interner;
use super::item::{Item, ItemOutput};
use super::item_value::ValueDigests;
use super::rules::Rules;
use crate::alignment::Symbols;
use crate::value::{Digester, Fingerprint, Fingerprinter, HashKey, ValueEquality};

/// Distinguishes calls with the same name.
pub(super) struct Apart<'i> {
    fingerprinter: Fingerprinter<'i>,
    digester: Digester<'i>,
    /// Fingerprints per name, and the state of each.
    fingerprints: (Interner<Named<Fingerprint>>, Vec<SameFingerprint<'i>>),
    /// Digests per name, and the symbol of each.
    values: (Interner<Named<ValueDigests>>, Vec<u32>),
    /// Outputs per name, if only the output is compared and it is a text, and the symbol of each.
    outputs: (Interner<Named<&'i [u8]>>, Vec<u32>),
}

/// The items with one fingerprint.
enum SameFingerprint<'i> {
    /// All are equal to this first one and have this symbol.
    One(&'i Item<'i>, u32),
    /// There are different ones; all are in `values`.
    More,
}

/// A key together with the number of the call's name.
pub(super) type Named<T> = (u32, T);

impl<'i> Apart<'i> {
    pub(super) fn new(equality: ValueEquality, key: HashKey, calls: usize) -> Self {
        Self {
            fingerprinter: Fingerprinter::new(equality),
            digester: Digester::new(equality, key),
            fingerprints: (Interner::new(key, calls), Vec::with_capacity(calls)),
            values: (Interner::new(key, 0), Vec::new()),
            outputs: (Interner::new(key, 0), Vec::new()),
        }
    }

    pub(super) fn symbol_of_text(
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
        let fingerprint = self.fingerprinter.of_text(text);
        if self.fingerprinter.saw_nan && item.call_key(rules, key, &mut self.digester).is_none() {
            return Symbols::NONE;
        }
        self.symbol_of_fingerprint(item, (name, fingerprint), rules, key, count)
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
                    if first.quick_equal(item, rules.equality) == Some(true) {
                        return symbol;
                    }
                    *same = SameFingerprint::More;
                    self.symbol_of_value(first, fingerprint.0, rules, key, || symbol);
                }
            }
        }
        self.symbol_of_value(item, fingerprint.0, rules, key, || next(count))
    }

    /// The symbol of an item by its digest, or by its output if only that is compared. `new` is the symbol of a new value.
    pub(super) fn symbol_of_value(
        &mut self,
        item: &'i Item<'i>,
        name: u32,
        rules: &Rules,
        key: HashKey,
        new: impl FnOnce() -> u32,
    ) -> u32 {
        if rules.arguments == ArgumentRule::Ignored
            && let ItemOutput::Text(text) = &item.more().output
        {
            return symbol_of(&mut self.outputs, (name, text.as_bytes()), new);
        }
        match item.call_key(rules, key, &mut self.digester) {
            Some(value) => symbol_of(&mut self.values, (name, value), new),
            None => Symbols::NONE,
        }
    }
}

/// The next symbol.
pub(super) fn next(count: &mut u32) -> u32 {
    std::mem::replace(count, *count + 1)
}

/// The symbol of a known key, or `new` if the key is new.
fn symbol_of<K: Eq + Hash>(
    (known, symbols): &mut (Interner<K>, Vec<u32>),
    key: K,
    new: impl FnOnce() -> u32,
) -> u32 {
    let number = known.intern(key) as usize;
    if number == symbols.len() {
        symbols.push(new());
    }
    symbols[number]
}
