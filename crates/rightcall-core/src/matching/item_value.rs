//! Compares arguments and outputs of items, if possible without decoding them.

use super::arguments::ArgumentRule;
use super::interner::Interner;
use super::item::{ArgumentsRef, Item, ItemOutput};
use super::rules::{OutputRule, Rules};
use crate::value::{
    Digest, Digester, Fingerprint, Fingerprinter, HashKey, Value, ValueEquality, quick_equal,
};

/// Digests of arguments and output.
pub(super) type ValueDigests = [u128; 2];

impl<'c> Item<'c> {
    /// The JSON text of the arguments, if the text itself is compared.
    pub(super) fn text(&self) -> Option<&str> {
        match self.arguments() {
            ArgumentsRef::Lazy(arguments) => arguments.compared_json(),
            _ => None,
        }
    }

    /// A hash that equal arguments share, if it is known.
    pub(super) fn fingerprint(&self) -> Option<Fingerprint> {
        match self.arguments() {
            ArgumentsRef::Lazy(arguments) => arguments.fingerprint(),
            _ => None,
        }
    }

    /// True if two calls have equal arguments; `None` if their texts alone can't decide.
    pub(crate) fn quick_equal(&self, other: &Item<'_>, equality: ValueEquality) -> Option<bool> {
        let (text, other_text) = self.text().zip(other.text())?;
        let fingerprints = self.fingerprint().zip(other.fingerprint());
        if Fingerprinter::tells(equality) && fingerprints.is_some_and(|(own, other)| own != other) {
            return Some(false);
        }
        // Only a plain object has a fingerprint, and it has no `NaN`.
        if other.fingerprint().is_some() && text == other_text {
            return Some(true);
        }
        quick_equal(text, other_text, equality)
    }

    /// True for missing arguments and for null.
    pub(super) fn is_null(&self) -> bool {
        match self.arguments() {
            ArgumentsRef::Absent => true,
            ArgumentsRef::Tree(tree) => tree.is_null(),
            ArgumentsRef::Lazy(arguments) => arguments.is_null(),
        }
    }

    /// A key of arguments and output: equal keys mean equal values. `None` if one of them, such as `NaN`, equals no value.
    pub(super) fn call_key(
        &self,
        rules: &Rules,
        key: HashKey,
        digester: &mut Digester<'c>,
    ) -> Option<ValueDigests> {
        let arguments = match rules.arguments {
            ArgumentRule::Ignored => 0,
            _ => match self.arguments() {
                ArgumentsRef::Absent => 1,
                ArgumentsRef::Tree(tree) => Digest::from_value(tree, rules.equality, key).key()?,
                ArgumentsRef::Lazy(arguments) => match arguments.digest(digester) {
                    Some(digest) => digest.key()?,
                    None => self
                        .arguments()
                        .to_tree()
                        .map(|tree| Digest::from_value(&tree, rules.equality, key))?
                        .key()?,
                },
            },
        };
        let output = match (&rules.outputs, &self.more().output) {
            (OutputRule::Ignored, _) => 0,
            (_, ItemOutput::Absent) => 1,
            (_, ItemOutput::Text(text)) => {
                Digest::from_value(&Value::String(text.reborrow()), rules.equality, key).key()?
            }
            (_, ItemOutput::Tree(tree)) => Digest::from_value(tree, rules.equality, key).key()?,
        };
        Some([arguments, output])
    }
}

/// Classes of actual calls that are equal in Python: the same name, arguments and output, of any kind.
pub(crate) fn value_classes<'i>(items: &'i [Item<'i>], key: HashKey) -> Vec<u32> {
    let rules = Rules {
        outputs: OutputRule::Equal,
        ..Rules::from_arguments(ArgumentRule::Equal, ValueEquality::Python)
    };
    let mut interner = Interner::new(key, items.len());
    let mut digester = Digester::new(rules.equality, key);
    let class = |(index, item): (usize, &'i Item<'i>)| {
        let values = item.call_key(&rules, key, &mut digester);
        // A value that equals no value gets its own class.
        let own_class = if values.is_none() { index as u32 } else { 0 };
        interner.intern(((own_class, item.name().to_text().into_owned()), values))
    };
    items.iter().enumerate().map(class).collect()
}
