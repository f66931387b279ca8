//! Which cases of a run are kept with everything about them, and what is kept of each.
//!
//! A small run is kept whole. Of a large one its failures and a sample are kept, at most so many of each that together they do
//! not exceed the limit. Both are chosen by the hash of a case's name under a fixed key, lowest first: so the choice needs no
//! second pass, is the same for any number of threads, and takes the same cases from every run of the same data.

use std::collections::BinaryHeap;
use std::hash::Hasher;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rightcall::call::{Call, Case};
use rightcall::value::{JsonWriter, Text};
use rightcall::{Ask, Explanation, Outcome};
use rightcall_formats::case_text;
use siphasher::sip::SipHasher13;

use crate::scores::{Mark, Marked};
use crate::{Configured, Plan};

/// How many cases of a run are kept unless a suite says otherwise.
pub const MAX_CASES: usize = 10_000;

/// Chooses the cases that are kept. Workers ask it, and the thread that takes their results narrows it.
#[derive(Debug)]
pub struct Recording {
    limit: usize,
    /// Cases of the sample rank below this.
    sample: AtomicU64,
    /// Failures rank below this.
    failures: AtomicU64,
}

/// The place of a case in the order in which cases are chosen: 63 bits of a hash of its name.
pub type Rank = u64;

const EVERYTHING: Rank = Rank::MAX;

impl Recording {
    /// Keeps at most so many cases.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            sample: AtomicU64::new(EVERYTHING),
            failures: AtomicU64::new(EVERYTHING),
        }
    }

    /// Whether a case may be kept in the end.
    pub fn admits(&self, rank: Rank, failed: bool) -> bool {
        rank < self.sample.load(Ordering::Relaxed)
            || (failed && rank < self.failures.load(Ordering::Relaxed))
    }

    /// The ranks below which a case belongs to the sample, and a failure is kept.
    pub fn bounds(&self) -> (Rank, Rank) {
        (
            self.sample.load(Ordering::Relaxed),
            self.failures.load(Ordering::Relaxed),
        )
    }
}

/// Counts the cases of a run in input order, and narrows the recording as far as they make it necessary.
#[derive(Debug)]
pub struct Narrowing {
    recording: Arc<Recording>,
    cases: usize,
    /// The lowest ranks so far, at most half the limit of each.
    sample: BinaryHeap<Rank>,
    failures: BinaryHeap<Rank>,
}

impl Narrowing {
    /// Narrows this recording.
    pub fn new(recording: Arc<Recording>) -> Self {
        Self {
            recording,
            cases: 0,
            sample: BinaryHeap::new(),
            failures: BinaryHeap::new(),
        }
    }

    /// Notes a case; `None` for one that the recording did not admit any more. True if it has become narrower, so that cases
    /// which were kept before may have to go.
    pub fn note(&mut self, record: Option<(Rank, bool)>) -> bool {
        self.cases += 1;
        let half = self.recording.limit / 2;
        if let Some((rank, failed)) = record {
            keep_lowest(&mut self.sample, rank, half);
            if failed {
                keep_lowest(&mut self.failures, rank, half);
            }
        }
        if self.cases <= self.recording.limit {
            return false;
        }
        let narrowed = [
            (&self.sample, &self.recording.sample),
            (&self.failures, &self.recording.failures),
        ]
        .map(|(heap, bound)| {
            let new = if heap.len() < half {
                EVERYTHING
            } else {
                heap.peek().map_or(0, |highest| highest + 1)
            };
            bound.swap(new, Ordering::Relaxed) != new
        });
        narrowed.contains(&true)
    }
}

fn keep_lowest(heap: &mut BinaryHeap<Rank>, rank: Rank, number: usize) {
    heap.push(rank);
    if heap.len() > number {
        heap.pop();
    }
}

/// A case with everything that people look at.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseRecord {
    /// Its id, or `FILE:LINE`.
    pub label: String,
    /// Its trial as JSON text.
    pub trial: Option<String>,
    /// The file it was read from.
    pub file: String,
    /// The line, from 1.
    pub line: u64,
    /// Its labels.
    pub tags: Vec<String>,
    /// Its other keys, an object as JSON text; `None` if there are none.
    pub meta: Option<String>,
    /// The case, canonical: what was asked, expected and done.
    pub case: String,
    /// Which tools were expected and which were called.
    pub tools: Vec<ToolUse>,
    /// What all evaluators together made of it.
    pub result: ResultRecord,
    /// What each evaluator made of it, in the plan's order.
    pub evaluations: Vec<ResultRecord>,
    /// True if any evaluation did not pass or ended in an error.
    pub failed: bool,
    /// Its place in the order in which cases are chosen.
    pub rank: Rank,
}

/// What came out for a case.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultRecord {
    /// A score, or why there is none.
    pub outcome: RecordedOutcome,
    /// Whether the case passed.
    pub passed: Option<bool>,
    /// The universal alignment as JSON text; `None` for all evaluators together.
    pub alignment: Option<String>,
}

/// A score, or why there is none.
#[derive(Clone, Debug, PartialEq)]
pub enum RecordedOutcome {
    /// A score.
    Scored(f64),
    /// The evaluator does not apply, and why.
    NotApplicable(String),
    /// The evaluation failed, and why.
    Error(String),
}

/// A tool that was expected beside the tool that was called in its place.
///
/// Calls of one name go together. What is left on both sides goes together in order, and the rest alone.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ToolUse {
    /// The tool that was expected.
    pub expected: Option<String>,
    /// The tool that was called.
    pub called: Option<String>,
    /// How often.
    pub times: u64,
}

impl CaseRecord {
    /// The record of a case as it may be seen, if the plan keeps it.
    pub(crate) fn of(
        plan: &Plan,
        case: &Case<'_>,
        place: (&str, u64),
        label: &str,
        marks: &[Mark],
        mark: &Mark,
        has_run: bool,
    ) -> Option<Self> {
        let recording = plan.recording.as_ref()?;
        let rank = rank_of(label, case.trial);
        let failed = marks
            .iter()
            .chain([mark])
            .any(|mark| mark.verdict() == Some(false));
        if !recording.admits(rank, failed) {
            return None;
        }
        let ask = Ask {
            explanation: has_run,
            ..Ask::OUTCOME
        };
        let evaluations =
            plan.evaluators
                .iter()
                .zip(marks)
                .map(|(configured, mark): (&Configured, &Mark)| {
                    let evaluation = configured.evaluate(case, ask);
                    let alignment = evaluation
                        .explanation
                        .as_deref()
                        .map(|it: &Explanation| on_one_line(it.to_json().as_str()));
                    let outcome = match (outcome_of(mark), evaluation.outcome) {
                        // The mark knows the kind of the reason alone.
                        (RecordedOutcome::NotApplicable(_), Outcome::NotApplicable(why)) => {
                            RecordedOutcome::NotApplicable(why.to_string())
                        }
                        (outcome, _) => outcome,
                    };
                    ResultRecord {
                        outcome,
                        passed: mark.passed,
                        alignment,
                    }
                });
        Some(Self {
            label: label.to_owned(),
            trial: case.trial.map(on_one_line),
            file: place.0.to_owned(),
            line: place.1,
            tags: case
                .tags
                .iter()
                .map(|tag| tag.to_display().into_owned())
                .collect(),
            meta: meta_of(case),
            case: case_text(case),
            tools: tools_of(case),
            evaluations: evaluations.collect(),
            result: ResultRecord {
                outcome: outcome_of(mark),
                passed: mark.passed,
                alignment: None,
            },
            failed,
            rank,
        })
    }
}

fn outcome_of(mark: &Mark) -> RecordedOutcome {
    match &mark.outcome {
        Marked::Score(score) => RecordedOutcome::Scored(*score),
        Marked::NotApplicable(why) => RecordedOutcome::NotApplicable(why.clone()),
        Marked::Error(why) => RecordedOutcome::Error(why.clone()),
    }
}

fn on_one_line(json: &str) -> String {
    json.replace(['\n', '\r'], " ")
}

pub(crate) fn meta_of(case: &Case<'_>) -> Option<String> {
    let mut writer = JsonWriter::new();
    writer.begin_object();
    for (key, json) in &case.meta {
        writer.key_text(key).raw(json);
    }
    writer.end_object();
    (!case.meta.is_empty()).then(|| on_one_line(writer.finish().as_str()))
}

/// The key is written down: what is sampled must not change from run to run.
fn rank_of(label: &str, trial: Option<&str>) -> Rank {
    let mut hasher = SipHasher13::new_with_keys(0x7269_6768_7463_616c, 0x6c20_7361_6d70_6c65);
    hasher.write(label.as_bytes());
    hasher.write_u8(0xFF);
    hasher.write(trial.unwrap_or_default().as_bytes());
    hasher.finish() >> 1
}

/// Which tools a case expected and which it called.
pub fn tools_of(case: &Case<'_>) -> Vec<ToolUse> {
    let of_calls = |calls: &[Call<'_>]| {
        calls
            .iter()
            .map(|call| name_of(&call.name))
            .collect::<Vec<_>>()
    };
    let expected = match (&case.expected.calls, &case.expected.order) {
        (Some(calls), _) => of_calls(calls),
        (None, Some(order)) => order.iter().map(name_of).collect(),
        (None, None) => Vec::new(),
    };
    let called = case
        .actual
        .as_ref()
        .map(|run| of_calls(&run.calls))
        .unwrap_or_default();
    tool_uses(expected, called)
}

fn name_of(name: &Text<'_>) -> String {
    name.to_display().into_owned()
}

fn tool_uses(expected: Vec<String>, mut called: Vec<String>) -> Vec<ToolUse> {
    let mut pairs = Vec::with_capacity(expected.len().max(called.len()));
    let mut missed = Vec::new();
    for name in expected {
        match called.iter().position(|it| *it == name) {
            Some(place) => pairs.push((Some(name), Some(called.remove(place)))),
            None => missed.push(name),
        }
    }
    let mut extra = called.into_iter();
    pairs.extend(missed.into_iter().map(|name| (Some(name), extra.next())));
    pairs.extend(extra.map(|name| (None, Some(name))));
    pairs.sort();
    let count = |same: &[(Option<String>, Option<String>)]| {
        let (expected, called) = same[0].clone();
        ToolUse {
            expected,
            called,
            times: same.len() as u64,
        }
    };
    pairs
        .chunk_by(|one, other| one == other)
        .map(count)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_one_name_go_together_and_the_rest_in_order() {
        let of = |expected: &[&str], called: &[&str]| {
            let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
            let uses = tool_uses(owned(expected), owned(called)).into_iter();
            let name = |name: Option<String>| name.unwrap_or_else(|| "–".to_owned());
            uses.map(|it| format!("{}:{} {}", name(it.expected), name(it.called), it.times))
                .collect::<Vec<_>>()
                .join(", ")
        };
        assert_eq!(
            of(&["a", "b", "a"], &["a", "a", "c", "d"]),
            "–:d 1, a:a 2, b:c 1"
        );
        assert_eq!(of(&["a", "b"], &[]), "a:– 1, b:– 1");
        assert_eq!(of(&[], &[]), "");
    }

    fn kept(limit: usize, cases: &[(Rank, bool)]) -> Vec<Rank> {
        let recording = Arc::new(Recording::new(limit));
        let mut narrowing = Narrowing::new(Arc::clone(&recording));
        let mut kept: Vec<(Rank, bool)> = Vec::new();
        for &(rank, failed) in cases {
            let admitted = recording.admits(rank, failed).then_some((rank, failed));
            narrowing.note(admitted);
            kept.extend(admitted);
        }
        kept.retain(|(rank, failed)| recording.admits(*rank, *failed));
        kept.into_iter().map(|(rank, _)| rank).collect()
    }

    #[test]
    fn a_small_run_is_kept_whole_and_of_a_large_one_failures_and_a_sample() {
        let cases: Vec<_> = (0..100)
            .map(|number| (number * 37 % 100, number % 10 == 0))
            .collect();
        assert_eq!(kept(100, &cases).len(), 100);
        let of_large = kept(40, &cases);
        assert!((0..20).all(|rank| of_large.contains(&rank)), "the sample");
        assert!(
            cases
                .iter()
                .all(|(rank, failed)| !failed || of_large.contains(rank)),
            "the failures"
        );
        assert!(of_large.len() <= 40);
        assert!(kept(0, &cases).is_empty());
    }

    #[test]
    fn many_failures_do_not_exceed_the_limit() {
        let cases: Vec<_> = (0..1000)
            .map(|number| (number * 37 % 1000, number % 2 == 0))
            .collect();
        assert!(kept(40, &cases).len() <= 40);
    }
}
