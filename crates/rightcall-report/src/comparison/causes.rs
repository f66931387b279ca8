//! Compares the number of cases with each cause in two runs.

use std::collections::{BTreeSet, HashMap};

use rightcall_stats::{PairedComparison, RunScores};
use rightcall_store::StoreError;
use serde::Serialize;

use super::compared_run::ComparedRun;
use crate::list_length::ListLength;
use crate::text::{and_more, left, printable, right, screen_columns, widest, wrap};

/// Default number of causes shown.
pub(super) const CAUSES: usize = 6;

/// The unit of the numbers of causes: trials, if a case of either run has several.
pub fn counted_noun(runs: [&RunScores; 2]) -> &'static str {
    if runs.iter().any(|run| run.most_trials() > 1) {
        "trials"
    } else {
        "cases"
    }
}

/// A cause with its number of failed or low cases in each run. Each trial counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ComparedCause {
    /// The cause, in the wording of pages.
    pub cause: String,
    /// Cases of the first run; with several trials of a case, its trials.
    pub before: usize,
    /// Cases or trials of the second run.
    pub after: usize,
}

impl ComparedCause {
    /// The causes of the cases that two runs share, largest change first; empty if a run has no stored causes.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn between(
        runs: [&ComparedRun; 2],
        comparison: &PairedComparison,
    ) -> Result<Vec<Self>, StoreError> {
        let (before, after) = &comparison.only;
        let counts = [
            runs[0].counted_causes(before)?,
            runs[1].counted_causes(after)?,
        ];
        let [Some(before), Some(after)] = counts else {
            return Ok(Vec::new());
        };
        Ok(Self::from_counts(&before, &after))
    }

    fn from_counts(before: &HashMap<String, usize>, after: &HashMap<String, usize>) -> Vec<Self> {
        let names: BTreeSet<&str> = before
            .keys()
            .chain(after.keys())
            .map(String::as_str)
            .collect();
        let number = |of: &HashMap<String, usize>, name: &str| of.get(name).copied().unwrap_or(0);
        let cause = |name: &str| Self {
            cause: name.to_owned(),
            before: number(before, name),
            after: number(after, name),
        };
        let mut causes: Vec<_> = names.into_iter().map(cause).collect();
        causes.sort_by_key(|it| {
            let size = (it.before.abs_diff(it.after), it.before.max(it.after));
            std::cmp::Reverse(size)
        });
        causes
    }
}

/// Screen rows for the causes with their numbers, and the number of omitted causes.
pub(super) fn causes_screen(causes: &[ComparedCause], listed: ListLength) -> String {
    let shown = &causes[..causes.len().min(listed.or(CAUSES))];
    let names: Vec<_> = shown.iter().map(|it| printable(&it.cause)).collect();
    let columns = widest(&names).clamp(9, screen_columns() - 24);
    let row = |name: &str, before: &str, after: &str| {
        // Causes are never cut, because the next command may need the whole name.
        let lines = wrap(name, columns);
        let (last, above) = lines
            .split_last()
            .map_or(("", &[][..]), |(last, above)| (last, above));
        let above = above.iter().flat_map(|line| ["    ", line, "\n"]);
        let above: String = above.collect();
        let name = left(last, columns);
        format!(
            "{above}    {name}  {}  {}\n",
            right(before, 7),
            right(after, 7)
        )
    };
    let mut out = row("cause", "before", "after");
    for (cause, name) in shown.iter().zip(&names) {
        out += &row(name, &cause.before.to_string(), &cause.after.to_string());
    }
    and_more(&mut out, (causes.len() - shown.len()) as u64);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_with_the_largest_change_come_first() {
        let counts = |counts: [(&str, usize); 3]| {
            let counts = counts.map(|(cause, number)| (cause.to_owned(), number));
            HashMap::from(counts)
        };
        let before = counts([("a", 3), ("b", 9), ("c", 9)]);
        let after = counts([("b", 9), ("c", 2), ("d", 3)]);
        let causes = ComparedCause::from_counts(&before, &after);
        let told: Vec<_> = causes
            .iter()
            .map(|it| (it.cause.as_str(), it.before, it.after))
            .collect();
        assert_eq!(told, [("c", 9, 2), ("a", 3, 0), ("d", 0, 3), ("b", 9, 9)]);
        let screen = causes_screen(&causes, ListLength(Some(1)));
        assert!(screen.ends_with("and 3 more\n"), "{screen}");
    }
}
