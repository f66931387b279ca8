//! Counts the calls of each tool.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::ControlFlow;

use crate::call::Count;
use crate::matching::{Interner, Item, NameKey};
use crate::value::{HashKey, Text};

/// Up to this number of names, a linear search is used.
const FEW: usize = 24;

/// The number of calls per name, in order of first appearance.
#[derive(Debug)]
pub(crate) struct NameCounts<'n> {
    counts: Vec<(Text<'n>, usize)>,
    key: HashKey,
    /// Index of the names, built at the first look-up if there are more than `FEW`.
    places: OnceCell<Interner<NameKey<'n>>>,
}

impl<'n> NameCounts<'n> {
    /// Counts the items by name.
    pub(crate) fn new(items: &'n [Item<'_>], key: HashKey) -> Self {
        Self::of(items, |_| None, key)
    }

    /// Counts the items by tool id if they have one, else by name.
    pub(crate) fn by_id(items: &'n [Item<'_>], key: HashKey) -> Self {
        Self::of(items, |item| item.more().tool_id.as_ref(), key)
    }

    fn of<'i>(
        items: &'n [Item<'i>],
        id: impl Fn(&'n Item<'i>) -> Option<&'n Text<'i>>,
        key: HashKey,
    ) -> Self {
        let names = items
            .iter()
            .map(|item| id(item).map_or_else(|| item.name().to_text(), Text::reborrow));
        // In most cases names are already numbered.
        let is_numbered =
            |item: &'n Item<'i>| item.number != Item::UNNUMBERED && id(item).is_none();
        let counts = if items.iter().all(is_numbered) {
            counted(names.zip(items.iter().map(|item| item.number)))
        } else {
            let mut places = Interner::new(key, items.len());
            counted(names.map(|name| {
                let place = places.intern(name_key(&name));
                (name, place)
            }))
        };
        Self {
            counts,
            key,
            places: OnceCell::new(),
        }
    }

    /// The count of a name; `None` if it doesn't occur.
    pub(crate) fn get(&self, name: &[u8]) -> Option<usize> {
        let place = if self.counts.len() > FEW {
            let places = self.places.get_or_init(|| {
                let mut places = Interner::new(self.key, self.counts.len());
                for (name, _) in &self.counts {
                    places.intern(name_key(name));
                }
                places
            });
            places.find(&NameKey::new(0, Cow::Borrowed(name)))? as usize
        } else {
            let mut names = self.counts.iter().map(|(name, _)| name.as_bytes());
            names.position(|known| known == name)?
        };
        Some(self.counts[place].1)
    }

    /// Each name with its count, in order of first appearance.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (&Text<'n>, usize)> {
        self.counts.iter().map(|(name, count)| (name, *count))
    }
}

fn name_key<'n>(name: &Text<'n>) -> NameKey<'n> {
    NameKey::new(0, name.clone().into_bytes())
}

/// Counts numbered names, in order of first appearance.
fn counted<'n>(names: impl Iterator<Item = (Text<'n>, u32)>) -> Vec<(Text<'n>, usize)> {
    let room = names.size_hint().0.min(FEW);
    let (mut counts, mut places) = (Vec::with_capacity(room), Vec::with_capacity(room));
    for (name, number) in names {
        let number = number as usize;
        if number >= places.len() {
            places.resize(number + 1, usize::MAX);
        }
        if places[number] == usize::MAX {
            places[number] = counts.len();
            counts.push((name, 0));
        }
        counts[places[number]].1 += 1;
    }
    counts
}

/// A checked count.
#[derive(Clone, Debug)]
pub(crate) struct CountCheck<'c> {
    pub(crate) count: &'c Count<'c>,
    /// Number of calls found.
    pub(crate) found: usize,
    pub(crate) held: bool,
}

/// The error for an unknown operator.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct UnknownOperator<'c>(pub(crate) Text<'c>);

/// Checks the counts in order, up to the first broken one if `stop_at_broken`. `found` maps a count's name to the number of calls.
///
/// # Errors
/// The first unknown operator reached.
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
        if stop_at_broken && !held {
            ControlFlow::Break(Ok(()))
        } else {
            ControlFlow::Continue(())
        }
    });
    match walk {
        ControlFlow::Break(Err(unknown)) => Err(unknown),
        _ => Ok(checks),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::PreparedCase;
    use crate::call::{Call, Case, Expectation, Operator};

    fn count<'c>(name: &'c str, operator: &'c str, count: i64) -> Count<'c> {
        Count {
            name: name.into(),
            operator: Operator::parse(&operator.into()),
            count: count.into(),
        }
    }

    #[test]
    fn names_are_counted_in_order_of_first_appearance() {
        let items = ["b", "a", "b"].map(|name| Item::from_name(name.into()));
        let counts = NameCounts::new(&items, HashKey(5, 0));
        assert_eq!(
            counts
                .iter()
                .map(|(name, count)| (name.to_string(), count))
                .collect::<Vec<_>>(),
            [("b".into(), 2), ("a".into(), 1)]
        );
        assert_eq!((counts.get(b"a"), counts.get(b"c")), (Some(1), None));
    }

    #[test]
    fn counts_are_checked_in_order() {
        let counts = [
            count("a", "=", 2),
            count("b", ">", 2),
            count("c", "!=", 2),
            count("d", "<=", -1),
        ];
        let held = |stop| {
            check_counts(&counts, |_| 2, stop)
                .map(|checks| checks.iter().map(|check| check.held).collect::<Vec<_>>())
        };
        assert_eq!(held(false), Ok(vec![true, false, false, false]));
        assert_eq!(held(true), Ok(vec![true, false]));
    }

    #[test]
    fn an_unknown_operator_is_an_error_only_if_reached() {
        let counts = [count("a", "=", 1), count("b", "~", 1)];
        assert_eq!(
            check_counts(&counts, |_| 2, false).unwrap_err(),
            UnknownOperator("~".into())
        );
        assert_eq!(check_counts(&counts, |_| 2, true).unwrap().len(), 1);
    }

    proptest! {
        #[test]
        fn counts_equal_a_naive_count(names in prop::collection::vec("[a-h]{1,2}", 0..150), absent in "[a-i]{1,2}") {
            let calls = names.iter().map(|name| Call { name: name.as_str().into(), ..Call::default() }).collect();
            let case = Case { expected: Expectation::from_calls(calls), ..Case::default() };
            let prepared = PreparedCase::new(&case);
            let unnumbered: Vec<_> = names.iter().map(|name| Item::from_name(name.as_str().into())).collect();
            let slow = |name: &str| Some(names.iter().filter(|other| *other == name).count()).filter(|&count| count > 0);
            let firsts: Vec<_> = (0..names.len()).filter(|&at| !names[..at].contains(&names[at])).map(|at| &*names[at]).collect();
            for counts in [NameCounts::new(&prepared.of_expected, case.hash_key), NameCounts::by_id(&unnumbered, case.hash_key)] {
                prop_assert!(counts.iter().map(|(name, _)| name.to_string()).eq(firsts.iter().copied()));
                for name in names.iter().chain([&absent]) {
                    prop_assert_eq!(counts.get(name.as_bytes()), slow(name));
                }
            }
        }
    }
}
