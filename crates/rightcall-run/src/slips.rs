//! Likely mistakes in how cases are written.

use rightcall_core::call::{ArgumentSource, Case};
use rightcall_core::expectation::matchers_as_text;
use rightcall_results::{MatcherTexts, NearKeys, RunSummary};

/// Likely mistakes, with the number of cases for each.
#[derive(Debug, Default)]
pub(crate) struct Slips {
    near_keys: NearKeys,
    matcher_texts: MatcherTexts,
}

impl Slips {
    /// Adds the mistakes of a case.
    pub(crate) fn add(&mut self, case: &Case<'_>) {
        for (key, meant) in &case.near_keys {
            let key = key.to_display().into_owned();
            self.near_keys.entry(key).or_insert((meant, 0)).1 += 1;
        }
        let tree = case.expected.tree.iter().map(|tree| tree.text());
        let calls = case.expected.calls.iter().flatten();
        let arguments = calls.filter_map(|call| match call.arguments.source() {
            ArgumentSource::Json(json) => Some(json),
            _ => None,
        });
        let texts = tree.chain(arguments).flat_map(matchers_as_text);
        let mut texts: Vec<_> = texts.map(|(_, text)| text).collect();
        texts.sort_unstable();
        texts.dedup();
        for text in texts {
            *self.matcher_texts.entry(text).or_insert(0) += 1;
        }
    }

    /// Adds the mistakes of other cases.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (key, (meant, cases)) in &other.near_keys {
            self.near_keys.entry(key.clone()).or_insert((meant, 0)).1 += cases;
        }
        for (text, cases) in &other.matcher_texts {
            *self.matcher_texts.entry(text).or_insert(0) += cases;
        }
    }

    /// Moves the mistakes into a summary.
    pub(crate) fn finish(self, summary: &mut RunSummary) {
        summary.near_keys = self.near_keys;
        summary.matcher_texts = self.matcher_texts;
    }
}
