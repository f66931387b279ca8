//! Arguments that are values of another language.

use std::fmt;

/// Keeps the arguments of calls as values of another language, each under a number, so that only those whose text somebody asks for
/// have to be written as JSON.
pub trait ArgumentStore: fmt::Debug + Send + Sync {
    /// Whether two hold the same values of the same types. `Some(false)` means that no language holds them equal; `None`, that their
    /// texts have to tell.
    fn same(&self, one: u32, other: u32) -> Option<bool>;

    /// The JSON text of an object, the same at every call.
    fn json(&self, number: u32) -> &str;
}

/// Arguments in a store.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stored<'a> {
    pub(super) store: &'a dyn ArgumentStore,
    pub(super) number: u32,
}

impl Stored<'_> {
    /// As [`ArgumentStore::same`]; arguments of different stores have to be told apart by their texts.
    pub(crate) fn is_same(self, other: Self) -> Option<bool> {
        if std::ptr::addr_eq(self.store, other.store) {
            self.store.same(self.number, other.number)
        } else {
            None
        }
    }
}
