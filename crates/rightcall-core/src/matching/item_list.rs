//! The calls of one side, and their names.

use std::sync::OnceLock;

use super::item::Item;
use super::sanitise::is_safe;
use crate::alignment::Symbols;

/// The items of one side.
#[derive(Debug)]
pub(crate) enum Items<'c> {
    Own(Vec<Item<'c>>),
    /// The items of a prepared case.
    Prepared(&'c [Item<'c>], &'c CaseNames<'c>),
}

impl<'c> Items<'c> {
    pub(crate) fn as_slice(&self) -> &[Item<'c>] {
        match self {
            Self::Own(items) => items,
            Self::Prepared(items, _) => items,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.as_slice().len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.as_slice().is_empty()
    }
}

/// The names of a prepared case, numbered.
#[derive(Debug)]
pub(crate) struct CaseNames<'c> {
    /// The distinct names, by number.
    names: Vec<&'c [u8]>,
    symbols: OnceLock<Symbols<'static>>,
    are_safe: OnceLock<bool>,
}

impl<'c> CaseNames<'c> {
    pub(crate) fn new(names: Vec<&'c [u8]>) -> Self {
        Self {
            names,
            symbols: OnceLock::new(),
            are_safe: OnceLock::new(),
        }
    }

    /// The name numbers of the case's calls, as symbols.
    pub(crate) fn symbols(&self, expected: &[Item<'_>], actual: &[Item<'_>]) -> &Symbols<'static> {
        self.symbols
            .get_or_init(|| Item::numbers(expected, actual, self.names.len()))
    }

    /// True if [`sanitise`](super::sanitise) changes none of the names.
    pub(crate) fn are_safe(&self) -> bool {
        *self
            .are_safe
            .get_or_init(|| self.names.iter().all(|name| is_safe(name)))
    }
}

/// A list of items, and their names if known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ItemList<'m, 'c> {
    pub(crate) items: &'m [Item<'c>],
    pub(crate) names: Option<&'m CaseNames<'c>>,
}

impl<'m, 'c> From<&'m Items<'c>> for ItemList<'m, 'c> {
    fn from(items: &'m Items<'c>) -> Self {
        let names = match items {
            Items::Own(_) => None,
            Items::Prepared(_, names) => Some(*names),
        };
        Self {
            items: items.as_slice(),
            names,
        }
    }
}

impl<'m, 'c> From<&'m [Item<'c>]> for ItemList<'m, 'c> {
    fn from(items: &'m [Item<'c>]) -> Self {
        Self { items, names: None }
    }
}

impl<'m, 'c> From<&'m Vec<Item<'c>>> for ItemList<'m, 'c> {
    fn from(items: &'m Vec<Item<'c>>) -> Self {
        Self { items, names: None }
    }
}

impl<'m, 'c, const N: usize> From<&'m [Item<'c>; N]> for ItemList<'m, 'c> {
    fn from(items: &'m [Item<'c>; N]) -> Self {
        Self { items, names: None }
    }
}
