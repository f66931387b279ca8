//! What tells the calls of one name apart: fingerprints, quick equality, digests, in this order.

use std::hash::Hash;

use super::arguments::ArgumentRule;
use super::interner::Interner;
use super::item::{Item, ItemOutput};
use super::item_value::Values;
use super::rules::Rules;
use crate::alignment::Symbols;
use crate::value::{Digester, Fingerprint, Fingerprinter, HashKey, ValueEquality};

/// What tells calls of one name apart.
pub(super) struct Apart<'i> {
    fingerprinter: Fingerprinter<'i>,
    digester: Digester<'i>,
    /// The fingerprints, by name, and what is known of each.
    fingerprints: (Interner<Named<Fingerprint>>, Vec<SameFingerprint<'i>>),
    /// The values of which there is a digest, by name, and the symbol of each.
    values: (Interner<Named<Values>>, Vec<u32>),
    /// The outputs that are texts and all that is compared, by name, and the symbol of each.
    outputs: (Interner<Named<&'i [u8]>>, Vec<u32>),
}

/// What has a fingerprint in common.
enum SameFingerprint<'i> {
    /// Texts equal to the first, and their symbol.
    One(&'i Item<'i>, u32),
    /// Others, too; all of them are among the values.
    More,
}

/// Something of a call, and the call's name.
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

    /// The symbol of an item by its digest, or by the text that is compared alone; `new` is that of a value that has not come before.
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

/// The symbol of a key among known ones; `new` is that of a key that has not come before.
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
