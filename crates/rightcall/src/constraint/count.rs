//! How often each tool is called.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::ControlFlow;

use crate::call::Count;
use crate::matching::{Interner, Item, NameKey};
use crate::value::{HashKey, Text};

/// Up to so many names are looked through one by one.
const FEW: usize = 24;

/// How often each name appears, in order of first appearance.
#[derive(Debug)]
pub(crate) struct NameCounts<'n> {
    counts: Vec<Counted<'n>>,
    key: HashKey,
    /// The names, where they are more than few and one has been looked for, or the case has not numbered them.
    interner: OnceCell<Box<Interner<NameKey<'n>>>>,
}

#[derive(Debug)]
struct Counted<'n> {
    name: Text<'n>,
    /// The number that the case has given to the name, or [`Item::UNNUMBERED`].
    number: u32,
    count: usize,
}

impl<'n> NameCounts<'n> {
    /// Counts what the items are called.
    pub(crate) fn new(items: &'n [Item<'_>], key: HashKey) -> Self {
        Self::of(items, |_| None, key)
    }

    /// Counts the ids of the items that have one, and what the others are called.
    pub(crate) fn by_id(items: &'n [Item<'_>], key: HashKey) -> Self {
        Self::of(items, |item| item.more().tool_id.as_ref(), key)
    }

    fn of<'i>(
        items: &'n [Item<'i>],
        id: impl Fn(&'n Item<'i>) -> Option<&'n Text<'i>>,
        key: HashKey,
    ) -> Self {
        if let Some(counts) = numbered(items, &id) {
            return Self {
                counts,
                key,
                interner: OnceCell::new(),
            };
        }
        let mut interner = Interner::new(key, items.len());
        let mut counts: Vec<Counted<'_>> = Vec::new();
        for item in items {
            let name = id(item).map_or_else(|| item.name().to_text(), Text::reborrow);
            let symbol = interner.intern(name_key(&name)) as usize;
            if symbol == counts.len() {
                counts.push(Counted {
                    name,
                    number: Item::UNNUMBERED,
                    count: 0,
                });
            }
            counts[symbol].count += 1;
        }
        Self {
            counts,
            key,
            interner: OnceCell::from(Box::new(interner)),
        }
    }

    /// How often a name appears; `None` for one that does not.
    pub(crate) fn get(&self, name: &[u8]) -> Option<usize> {
        if self.counts.len() > FEW {
            let place = self
                .interner()
                .find(&NameKey::new(0, Cow::Borrowed(name)))?;
            return Some(self.counts[place as usize].count);
        }
        self.counts
            .iter()
            .find(|known| known.name.as_bytes() == name)
            .map(|known| known.count)
    }

    /// How often the name appears that has a number in the case; `None` where that is not known at once.
    pub(crate) fn of_number(&self, number: u32) -> Option<usize> {
        self.counts
            .iter()
            .take(FEW)
            .find(|known| known.number == number)
            .map(|known| known.count)
    }

    fn interner(&self) -> &Interner<NameKey<'n>> {
        self.interner.get_or_init(|| {
            let mut interner = Interner::new(self.key, self.counts.len());
            for counted in &self.counts {
                interner.intern(name_key(&counted.name));
            }
            Box::new(interner)
        })
    }

    /// Each name with its count, in order of first appearance.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (&Text<'n>, usize)> {
        self.counts
            .iter()
            .map(|counted| (&counted.name, counted.count))
    }
}

fn name_key<'n>(name: &Text<'n>) -> NameKey<'n> {
    NameKey::new(0, name.clone().into_bytes())
}

/// Counts names that the case has numbered; `None` where it has not, or an item goes by its id.
fn numbered<'n, 'i>(
    items: &'n [Item<'i>],
    id: &impl Fn(&'n Item<'i>) -> Option<&'n Text<'i>>,
) -> Option<Vec<Counted<'n>>> {
    const NOWHERE: u32 = u32::MAX;
    let number = |item: &'n Item<'i>| {
        if id(item).is_none() {
            item.number
        } else {
            Item::UNNUMBERED
        }
    };
    let highest = items.iter().map(number).max().unwrap_or_default();
    if highest == Item::UNNUMBERED {
        return None;
    }
    // Where each number is counted.
    let (mut few, mut many) = ([NOWHERE; FEW], Vec::new());
    let places = if (highest as usize) < FEW {
        &mut few[..]
    } else {
        many.resize(highest as usize + 1, NOWHERE);
        &mut many
    };
    let mut counts: Vec<Counted<'_>> = Vec::with_capacity(items.len().min(FEW));
    for item in items {
        let place = &mut places[item.number as usize];
        if *place == NOWHERE {
            *place = counts.len() as u32;
            counts.push(Counted {
                name: item.name().to_text(),
                number: item.number,
                count: 0,
            });
        }
        counts[*place as usize].count += 1;
    }
    Some(counts)
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

/// Checks the counts in their order, up to the first broken one if `stop_at_broken`; `found` gets a count's place and name.
///
/// # Errors
/// The first operator reached that is unknown.
pub(crate) fn check_counts<'c>(
    counts: &'c [Count<'c>],
    found: impl Fn(usize, &Text<'_>) -> usize,
    stop_at_broken: bool,
) -> Result<Vec<CountCheck<'c>>, UnknownOperator<'c>> {
    let mut checks = Vec::with_capacity(counts.len());
    let walk = counts.iter().enumerate().try_for_each(|(index, count)| {
        let found = found(index, &count.name);
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
            check_counts(&counts, |_, _| 2, stop)
                .map(|checks| checks.iter().map(|check| check.held).collect::<Vec<_>>())
        };
        assert_eq!(held(false), Ok(vec![true, false, false, false]));
        assert_eq!(held(true), Ok(vec![true, false]));
    }

    #[test]
    fn an_unknown_operator_counts_only_where_it_is_reached() {
        let counts = [count("a", "=", 1), count("b", "~", 1)];
        assert_eq!(
            check_counts(&counts, |_, _| 2, false).unwrap_err(),
            UnknownOperator("~".into())
        );
        assert_eq!(check_counts(&counts, |_, _| 2, true).unwrap().len(), 1);
    }

    proptest! {
        #[test]
        fn counts_are_those_of_a_slow_count(names in prop::collection::vec("[a-h]{1,2}", 0..150), absent in "[a-i]{1,2}") {
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
            // A case numbers names as they first appear, and the first few are known by that.
            let numbered = NameCounts::new(&prepared.of_expected, case.hash_key);
            for number in 0..=firsts.len() {
                let known = firsts[..firsts.len().min(FEW)].get(number).and_then(|name| slow(name));
                prop_assert_eq!(numbered.of_number(number as u32), known);
            }
        }
    }
}
