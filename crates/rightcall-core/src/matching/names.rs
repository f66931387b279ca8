//! Compares names.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::interner::{Interner, NameKey};
use super::item::{Item, NameRef};
use super::item_list::{CaseNames, ItemList};
use super::sanitise::sanitise;
use crate::alignment::Symbols;
use crate::value::{HashKey, Text};

/// How names are compared.
#[derive(Clone, Debug)]
pub(crate) enum NameRule {
    /// Code point by code point.
    Exact,
    /// After case folding.
    CaseFolded,
    /// After sanitising, see [`sanitise`].
    Sanitised,
    /// By tool id, if the actual call has one: against the expected id, or else the expected name.
    /// Otherwise by sanitised name.
    IdElseSanitised,
    /// Exactly, after replacing aliases.
    Aliased(BTreeMap<String, String>),
    /// Expected names are patterns, see [`Glob`](super::Glob). All names share one symbol, and a comparison decides which match.
    Globs,
}

impl NameRule {
    /// Interns the names of both sides.
    pub(crate) fn symbols<'m>(
        &self,
        expected: ItemList<'m, '_>,
        actual: ItemList<'m, '_>,
        key: HashKey,
    ) -> Symbols<'m> {
        if let (Some(names), Some(_)) = (expected.names, actual.names)
            && self.agrees_with_texts(names)
        {
            return names.symbols(expected.items, actual.items).reborrow();
        }
        let (expected, actual) = (expected.items, actual.items);
        // If no actual call has an id, expected calls need no symbol for theirs.
        let by_id = matches!(self, Self::IdElseSanitised)
            && actual.iter().any(|item| item.more().tool_id.is_some());
        let mut naming = Naming {
            rule: self,
            interner: Interner::new(key, expected.len() + actual.len()),
        };
        let expected = expected
            .iter()
            .map(|item| naming.expected(item, by_id))
            .collect();
        let actual = actual.iter().map(|item| naming.actual(item)).collect();
        Symbols {
            expected,
            actual,
            count: naming.interner.len(),
        }
    }

    /// True if this rule finds the same names equal as a comparison of their texts.
    fn agrees_with_texts(&self, names: &CaseNames<'_>) -> bool {
        match self {
            Self::Exact => true,
            Self::Sanitised | Self::IdElseSanitised => names.are_safe(),
            Self::CaseFolded | Self::Aliased(_) | Self::Globs => false,
        }
    }

    /// The bytes of a name to compare.
    fn key<'t>(&self, name: &'t Text<'_>) -> Cow<'t, [u8]> {
        match self {
            Self::Exact => Cow::Borrowed(name.as_bytes()),
            Self::Globs => Cow::Borrowed(b"*"),
            Self::Sanitised | Self::IdElseSanitised => sanitise(name),
            Self::CaseFolded => match name.as_str() {
                Some(text) => Cow::Owned(text.to_lowercase().into_bytes()),
                None => Cow::Borrowed(name.as_bytes()),
            },
            Self::Aliased(aliases) => match name.as_str().and_then(|text| aliases.get(text)) {
                Some(canonical) => Cow::Owned(canonical.clone().into_bytes()),
                None => Cow::Borrowed(name.as_bytes()),
            },
        }
    }
}

/// Assigns symbols to the names of a case.
struct Naming<'r, 'i> {
    rule: &'r NameRule,
    interner: Interner<NameKey<'i>>,
}

impl<'i> Naming<'_, 'i> {
    fn expected(&mut self, item: &'i Item<'_>, by_id: bool) -> [u32; 2] {
        match item.name() {
            NameRef::Text(name) if by_id && !item.is_blank => {
                let id = item.more().tool_id.as_ref().unwrap_or(name);
                [
                    self.interner
                        .intern(NameKey::new(ID, Cow::Borrowed(id.as_bytes()))),
                    self.interner.intern(NameKey::new(NAME, sanitise(name))),
                ]
            }
            _ => [self.name_symbol(item); 2],
        }
    }

    fn actual(&mut self, item: &'i Item<'_>) -> u32 {
        match (self.rule, &item.more().tool_id) {
            (NameRule::IdElseSanitised, Some(id)) if !item.is_blank => self
                .interner
                .intern(NameKey::new(ID, Cow::Borrowed(id.as_bytes()))),
            _ => self.name_symbol(item),
        }
    }

    /// The symbol of the name alone.
    fn name_symbol(&mut self, item: &'i Item<'_>) -> u32 {
        match item.name() {
            _ if item.is_blank => Symbols::NONE,
            NameRef::Incomparable => Symbols::NONE,
            NameRef::Scalar(json) => self
                .interner
                .intern(NameKey::new(SCALAR, Cow::Borrowed(json.as_bytes()))),
            // Each kind is a separate namespace.
            NameRef::Text(name) => self
                .interner
                .intern(NameKey::new(NAME + item.kind, self.rule.key(name))),
        }
    }
}

const SCALAR: u8 = 0;
const ID: u8 = 1;
const NAME: u8 = 2;

#[cfg(test)]
mod tests {
    use super::*;

    fn item<'c>(name: &'c str, id: Option<&'c str>) -> Item<'c> {
        Item::from_name(name.into()).with_tool_id(id.map(Text::new))
    }

    #[track_caller]
    fn check(rule: &NameRule, expected: Item<'_>, actual: Item<'_>, same: bool) {
        assert_eq!(
            rule.symbols((&[expected]).into(), (&[actual]).into(), HashKey::default())
                .same(0, 0),
            same
        );
    }

    #[test]
    fn tool_id_overrides_the_name() {
        let rule = NameRule::IdElseSanitised;
        check(&rule, item("t-1", None), item("find", Some("t-1")), true);
        check(
            &rule,
            item("find", Some("t-1")),
            item("other", Some("t-1")),
            true,
        );
        check(&rule, item("find", None), item("find", Some("t-1")), false);
        check(
            &rule,
            item("find", Some("t-1")),
            item("find", Some("find")),
            false,
        );
        check(
            &rule,
            item("my tool", Some("t-1")),
            item("my_tool", None),
            true,
        );
    }

    #[test]
    fn other_rules_compare_names() {
        check(&NameRule::Exact, item("a", None), item("A", None), false);
        check(
            &NameRule::CaseFolded,
            item("Größe", None),
            item("GRÖßE", None),
            true,
        );
        check(
            &NameRule::Sanitised,
            item("a b", None),
            item("a_b", Some("id")),
            true,
        );
        let aliases = NameRule::Aliased(BTreeMap::from([("lookup".to_owned(), "find".to_owned())]));
        check(&aliases, item("find", None), item("lookup", None), true);
        check(&aliases, item("lookup", None), item("search", None), false);
        check(
            &NameRule::Exact,
            item("a", None),
            item("a", None).blank_if(true),
            false,
        );
        check(
            &NameRule::Exact,
            item("a", None),
            item("a", None).with_kind(1),
            false,
        );
    }
}
