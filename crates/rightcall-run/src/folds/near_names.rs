//! Names that were expected but never called, although a similar name was called.

use std::collections::BTreeMap;

use rightcall_core::call::Case;
use rightcall_results::NearName;

use super::Fold;
use crate::findings::{called_names, expected_names};
use crate::judged::JudgedCase;
use crate::rule_names::MAX_NAMES;

/// Minimum similarity of similar names.
const MIN_SIMILARITY: f64 = 0.8;

/// The number of times each name was expected and called.
#[derive(Debug, Default)]
pub(crate) struct NearNames {
    expected: BTreeMap<String, u64>,
    called: BTreeMap<String, u64>,
}

impl NearNames {
    /// Adds the names of a case.
    pub(crate) fn add_case(&mut self, case: &Case<'_>) {
        expected_names(case).for_each(|name| count(&mut self.expected, &name.to_display(), 1));
        called_names(case).for_each(|name| count(&mut self.called, &name.to_display(), 1));
    }

    /// Adds the names from another collection.
    pub(crate) fn merge(&mut self, other: Self) {
        for (names, counts) in [
            (other.expected, &mut self.expected),
            (other.called, &mut self.called),
        ] {
            for (name, number) in names {
                count(counts, &name, number);
            }
        }
    }

    /// Skips names that were called. Returns none if the table of calls is full, because a name may
    /// be missing.
    pub(crate) fn into_near(self) -> Vec<NearName> {
        if self.called.len() >= MAX_NAMES {
            return Vec::new();
        }
        let is_called = |name: &&String| self.called.contains_key(*name);
        let never_called = self
            .expected
            .keys()
            .filter(|name| !is_called(name) && !is_pattern(name));
        never_called
            .filter_map(|name| nearest(name, &self.called))
            .collect()
    }
}

fn count(counts: &mut BTreeMap<String, u64>, name: &str, number: u64) {
    if let Some(count) = counts.get_mut(name) {
        *count += number;
    } else if counts.len() < MAX_NAMES {
        counts.insert(name.to_owned(), number);
    }
}

impl Fold for NearNames {
    type Total = Vec<NearName>;

    fn add(&mut self, case: &JudgedCase) {
        let Some(findings) = &case.findings else {
            return;
        };
        for (names, counts) in [
            (&findings.expected, &mut self.expected),
            (&findings.called, &mut self.called),
        ] {
            names.iter().for_each(|name| count(counts, name, 1));
        }
    }

    fn finish(self) -> Vec<NearName> {
        self.into_near()
    }
}

/// The most similar known name, if one is similar enough.
pub(super) fn nearest(name: &str, known: &BTreeMap<String, u64>) -> Option<NearName> {
    let similarity =
        |called: &str| strsim::normalized_damerau_levenshtein(&folded(name), &folded(called));
    let (_, called, calls) = known
        .iter()
        .map(|(called, calls)| (similarity(called), called, *calls))
        .filter(|(similarity, ..)| *similarity >= MIN_SIMILARITY)
        .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(a.1)))?;
    Some(NearName {
        expected: name.to_owned(),
        called: called.clone(),
        calls,
    })
}

/// The key that is most similar to another, if one is similar enough.
pub(super) fn nearest_key(key: &str, known: &[String]) -> Option<String> {
    let known = known.iter().map(|key| (key.clone(), 1)).collect();
    nearest(key, &known).map(|near| near.called)
}

/// True for a pattern, which cannot be compared with names.
pub(super) fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?'])
}

/// The last part of a name in lower case, without separators, so `shop.findOrder` equals
/// `find_order`.
fn folded(name: &str) -> String {
    rightcall_core::folded(name.rsplit(['.', '/', ':']).next().unwrap_or(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(expected: &[(&str, u64)], called: &[(&str, u64)]) -> NearNames {
        let counts = |of: &[(&str, u64)]| {
            of.iter()
                .map(|(name, count)| ((*name).to_owned(), *count))
                .collect()
        };
        NearNames {
            expected: counts(expected),
            called: counts(called),
        }
    }

    #[test]
    fn uncalled_name_is_paired_with_the_most_similar_one() {
        let of = |expected: &[(&str, u64)], called: &[(&str, u64)]| {
            let near = names(expected, called).finish();
            near.into_iter()
                .map(|it| (it.expected, it.called, it.calls))
                .collect::<Vec<_>>()
        };
        let near = |expected: &str, called: &str, calls| {
            vec![(expected.to_owned(), called.to_owned(), calls)]
        };
        let called = [("find_order", 38), ("find_orders_all", 2), ("refund", 1)];
        assert_eq!(
            of(&[("find_orders", 3), ("refund", 9)], &called),
            near("find_orders", "find_order", 38)
        );
        assert_eq!(
            of(&[("shop.findOrder", 1)], &called),
            near("shop.findOrder", "find_order", 38)
        );
        assert_eq!(of(&[("send_mail", 1)], &called), []);
        assert_eq!(of(&[("find_order", 1)], &[]), []);
        assert_eq!(of(&[("find_order*", 1)], &called), []);
    }
}
