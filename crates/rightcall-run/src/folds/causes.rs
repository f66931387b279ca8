//! Counts the causes of failed cases.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rightcall_results::{Cause, CauseCount, Findings};

use super::{Fold, WRITTEN};
use crate::judged::JudgedCase;
use crate::rule_names::MAX_NAMES;

/// Causes by name, each with its number of cases and its first position among all causes.
#[derive(Debug, Default)]
pub(crate) struct Causes {
    fell_short: u64,
    counts: BTreeMap<Cause, (u64, usize, String)>,
    uncounted: bool,
}

impl Fold for Causes {
    type Total = Findings;

    fn add(&mut self, case: &JudgedCase) {
        let Some(findings) = &case.findings else {
            return;
        };
        self.fell_short += u64::from(findings.fell_short);
        for cause in case.result.counted_causes() {
            let seen = self.counts.len();
            if let Some((cases, ..)) = self.counts.get_mut(cause) {
                *cases += 1;
            } else if seen < MAX_NAMES {
                let first = case.result.name();
                self.counts.insert(cause.clone(), (1, seen, first));
            } else {
                self.uncounted = true;
            }
        }
    }

    /// Only the causes.
    fn finish(self) -> Findings {
        let mut causes: Vec<_> = self.counts.into_iter().collect();
        causes.sort_by_key(|(_, (cases, seen, _))| (Reverse(*cases), *seen));
        let more_causes = causes.len().saturating_sub(WRITTEN) as u64;
        causes.truncate(WRITTEN);
        let count = |(cause, (cases, _, first)): (Cause, (u64, usize, String))| CauseCount {
            why: cause.to_string(),
            cases,
            first,
        };
        Findings {
            fell_short: self.fell_short,
            causes: causes.into_iter().map(count).collect(),
            more_causes,
            uncounted_causes: self.uncounted,
            ..Findings::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truncated_list_has_the_number_of_omitted_causes() {
        let mut causes = Causes {
            uncounted: true,
            ..Causes::default()
        };
        for number in 0..WRITTEN + 7 {
            let cause = Cause::NotCalled(format!("{number:03}"));
            causes.counts.insert(cause, (1, number, String::new()));
        }
        let found = causes.finish();
        assert_eq!((found.causes.len(), found.more_causes), (WRITTEN, 7));
        let json = serde_json::to_string(&found).unwrap();
        assert!(
            json.contains(r#"],"more_causes":7,"uncounted_causes":true,"near_names":[]}"#),
            "{json}"
        );
    }

    #[test]
    fn causes_are_sorted_by_number_of_cases_then_by_first_case() {
        let mut causes = Causes::default();
        for (name, cases, seen) in [("a", 2, 1), ("b", 5, 2), ("c", 2, 0)] {
            causes
                .counts
                .insert(Cause::NotCalled(name.into()), (cases, seen, name.into()));
        }
        let found = causes.finish().causes.into_iter();
        let found: Vec<_> = found.map(|count| (count.first, count.cases)).collect();
        assert_eq!(found, [("b".into(), 5), ("c".into(), 2), ("a".into(), 2)]);
    }
}
