//! Likely mistakes in how cases are written.

use rightcall_core::call::{ArgumentSource, Call, Case, Executor};
use rightcall_core::expectation::matchers_as_text;
use rightcall_results::{MatcherTexts, NearKeys, RunSummary, StatedOutcomes};

/// Keys for failure of a call, in records that are not canonical calls.
const OUTCOME_KEYS: [&str; 4] = ["is_error", "isError", "status", "success"];

/// Likely mistakes, with the number of cases for each.
#[derive(Debug, Default)]
pub(crate) struct Slips {
    near_keys: NearKeys,
    matcher_texts: MatcherTexts,
    stated_outcomes: StatedOutcomes,
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
        let calls = case.expected.calls.iter().flatten();
        let mut keys: Vec<_> = calls.flat_map(stated_outcomes).collect();
        keys.sort_unstable();
        keys.dedup();
        for key in keys {
            *self.stated_outcomes.entry(key).or_insert(0) += 1;
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
        for (key, cases) in &other.stated_outcomes {
            *self.stated_outcomes.entry(key).or_insert(0) += cases;
        }
    }

    /// Moves the mistakes into a summary.
    pub(crate) fn finish(self, summary: &mut RunSummary) {
        summary.near_keys = self.near_keys;
        summary.matcher_texts = self.matcher_texts;
        summary.stated_outcomes = self.stated_outcomes;
    }
}

/// The keys of an expected call for its outcome. No evaluator compares them.
fn stated_outcomes<'a>(call: &'a Call<'_>) -> impl Iterator<Item = &'static str> + 'a {
    let metadata = call.metadata();
    let others = OUTCOME_KEYS.into_iter();
    let others = others.filter(|key| metadata.other_keys.iter().any(|other| *other == **key));
    let error = metadata.error.as_ref().map(|_| "error");
    let run = (metadata.executor == Executor::Nobody).then_some("run");
    error.into_iter().chain(run).chain(others)
}
