//! How often each tool is called.

use std::borrow::Cow;
use std::ops::ControlFlow;

use crate::call::Count;
use crate::matching::{Interner, Item, NameKey, mark_of};
use crate::value::{HashKey, Text};

/// Up to so many names are looked through one by one.
const FEW: usize = 24;

/// How often each name appears, in order of first appearance.
#[derive(Debug)]
pub(crate) struct NameCounts<'n> {
    counts: Vec<Counted<'n>>,
    /// The names, unless they are few and numbered.
    interner: Option<Box<Interner<NameKey<'n>>>>,
}

#[derive(Debug)]
struct Counted<'n> {
    name: Text<'n>,
    /// Tells most names apart.
    mark: u64,
    count: usize,
}

impl<'n> Counted<'n> {
    fn new(name: Text<'n>) -> Self {
        Self { mark: mark_of(name.as_bytes()), name, count: 0 }
    }
}

impl<'n> NameCounts<'n> {
    /// Counts what the items are called.
    pub(crate) fn new(items: &'n [Item<'_>], key: HashKey) -> Self {
        Self::of(items, |_| None, key)
    }

    /// Counts the ids of the items that have one, and what the others are called.
    pub(crate) fn by_id(items: &'n [Item<'_>], key: HashKey) -> Self {
        Self::of(items, |item| item.tool_id.as_ref(), key)
    }

    fn of<'i>(items: &'n [Item<'i>], id: impl Fn(&'n Item<'i>) -> Option<&'n Text<'i>>, key: HashKey) -> Self {
        Self::numbered(items, &id).unwrap_or_else(|| {
            let mut interner = Interner::new(key, items.len());
            let mut counts: Vec<Counted<'_>> = Vec::new();
            for item in items {
                let name = id(item).map_or_else(|| item.name().to_text(), Text::reborrow);
                let symbol = interner.intern(NameKey::new(0, name.clone().into_bytes())) as usize;
                if symbol == counts.len() {
                    counts.push(Counted::new(name));
                }
                counts[symbol].count += 1;
            }
            Self { counts, interner: Some(Box::new(interner)) }
        })
    }

    /// Counts few names that the case has numbered.
    fn numbered<'i>(items: &'n [Item<'i>], id: &impl Fn(&'n Item<'i>) -> Option<&'n Text<'i>>) -> Option<Self> {
        // Where each number is counted.
        let mut places = [usize::MAX; FEW];
        let mut counts: Vec<Counted<'_>> = Vec::with_capacity(items.len().min(FEW));
        for item in items {
            let place = places.get_mut(item.number as usize).filter(|_| id(item).is_none())?;
            if *place == usize::MAX {
                *place = counts.len();
                counts.push(Counted::new(item.name().to_text()));
            }
            counts[*place].count += 1;
        }
        Some(Self { counts, interner: None })
    }

    /// How often a name appears; `None` for one that does not.
    pub(crate) fn get(&self, name: &[u8]) -> Option<usize> {
        if let Some(interner) = &self.interner {
            return Some(self.counts[interner.find(&NameKey::new(0, Cow::Borrowed(name)))? as usize].count);
        }
        let mark = mark_of(name);
        let known = self.counts.iter().find(|known| known.mark == mark && known.name.as_bytes() == name);
        known.map(|known| known.count)
    }

    /// Each name with its count, in order of first appearance.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (&Text<'n>, usize)> {
        self.counts.iter().map(|counted| (&counted.name, counted.count))
    }
}

/// A count that was checked.
#[derive(Clone, Debug)]
pub(crate) struct CountCheck<'c> {
    pub(crate) count: &'c Count<'c>,
    /// Number of calls found.
    pub(crate) found: usize,
    pub(crate) held: bool,
}

/// An operator that is none was met.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct UnknownOperator<'c>(pub(crate) Text<'c>);

/// Checks the counts in their order, up to the first broken one if `stop_at_broken`.
///
/// # Errors
/// The first operator reached that is unknown.
pub(crate) fn check_counts<'c>(
    counts: &'c [Count<'c>],
    found: impl Fn(&Text<'_>) -> usize,
    stop_at_broken: bool,
) -> Result<Vec<CountCheck<'c>>, UnknownOperator<'c>> {
    let mut checks = Vec::with_capacity(counts.len());
    let walk = counts.iter().try_for_each(|count| {
        let found = found(&count.name);
        let Some(held) = count.operator.holds(&found.into(), &count.count) else {
            return ControlFlow::Break(Err(UnknownOperator(count.operator.text().clone())));
        };
        checks.push(CountCheck { count, found, held });
        if stop_at_broken && !held { ControlFlow::Break(Ok(())) } else { ControlFlow::Continue(()) }
    });
    match walk {
        ControlFlow::Break(Err(unknown)) => Err(unknown),
        _ => Ok(checks),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Operator;

    fn count<'c>(name: &'c str, operator: &'c str, count: i64) -> Count<'c> {
        Count { name: name.into(), operator: Operator::parse(&operator.into()), count: count.into() }
    }

    #[test]
    fn names_are_counted_in_order_of_first_appearance() {
        let items = ["b", "a", "b"].map(|name| Item::of_name(name.into()));
        let counts = NameCounts::new(&items, HashKey(5, 0));
        assert_eq!(
            counts.iter().map(|(name, count)| (name.to_string(), count)).collect::<Vec<_>>(),
            [("b".into(), 2), ("a".into(), 1)]
        );
        assert_eq!((counts.get(b"a"), counts.get(b"c")), (Some(1), None));
    }

    #[test]
    fn counts_are_checked_in_order() {
        let counts = [count("a", "=", 2), count("b", ">", 2), count("c", "!=", 2), count("d", "<=", -1)];
        let held =
            |stop| check_counts(&counts, |_| 2, stop).map(|checks| checks.iter().map(|check| check.held).collect::<Vec<_>>());
        assert_eq!(held(false), Ok(vec![true, false, false, false]));
        assert_eq!(held(true), Ok(vec![true, false]));
    }

    #[test]
    fn an_unknown_operator_counts_only_where_it_is_reached() {
        let counts = [count("a", "=", 1), count("b", "~", 1)];
        assert_eq!(check_counts(&counts, |_| 2, false).unwrap_err(), UnknownOperator("~".into()));
        assert_eq!(check_counts(&counts, |_| 2, true).unwrap().len(), 1);
    }
}
