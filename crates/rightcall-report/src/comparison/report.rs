//! A comparison as every report tells it: what was compared, what changed, and what a reader should know of both sides.

use std::collections::BTreeSet;
use std::fmt::Display;

use rightcall_results::GateResult;
use rightcall_run::ChangeGate;
use rightcall_stats::{MovedCase, PairedComparison, RunScores};
use serde::{Serialize, Serializer};

use super::case_changes::CaseChanges;
use super::causes::ComparedCause;
use super::compared_run::ComparedRun;
use super::options::ComparisonOptions;
use super::overview::overview_screen;
use super::own::own_screen;
use super::pair::{changes_told, comparison_screen};
use super::words::moved_told;
use crate::list_length::ListLength;
use crate::text::{count, printable};

/// Names of cases that a note lists.
const NAMED: usize = 5;

/// A comparison of two runs or more; the first is what the others are compared with.
#[derive(Debug)]
pub struct ComparisonReport<'r> {
    /// The runs; of more than two, what all have in common.
    pub(crate) runs: Vec<RunScores>,
    pub(crate) options: &'r ComparisonOptions,
    /// Each run but the first against it.
    pub(crate) comparisons: Vec<PairedComparison>,
    /// What is known of each run beside its results.
    pub(crate) about: Vec<String>,
    /// What a reader should know of the sides.
    pub(crate) notes: Vec<String>,
    /// Of two, where their cases are in full.
    sources: Option<[&'r ComparedRun; 2]>,
    pub(crate) gates: Vec<JudgedGate<'r>>,
    /// The gates of the last of two runs.
    pub(crate) run_gates: &'r [GateResult],
}

/// A gate on a change, and how it was judged.
#[derive(Clone, Debug, Serialize)]
pub struct JudgedGate<'g> {
    /// The gate.
    #[serde(serialize_with = "serialize_text")]
    pub gate: &'g ChangeGate,
    /// The number found.
    pub found: Option<f64>,
    /// Whether it holds.
    pub held: bool,
}

impl JudgedGate<'_> {
    /// The number found, as people read it.
    pub fn found_text(&self) -> String {
        let shown = self.found.map(|found| self.gate.shown(found));
        shown.unwrap_or_else(|| "nothing to judge".to_owned())
    }
}

fn serialize_text<S: Serializer>(text: &impl Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(text)
}

/// Why runs cannot be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Incomparable {
    /// They have no case in common.
    NoCase,
    /// No evaluator has judged all of them.
    NoEvaluator,
}

/// Whether any evaluator, or all together, judged a case on both sides.
fn has_judged(comparison: &PairedComparison) -> bool {
    let all = comparison.measures.iter().chain([&comparison.overall]);
    all.into_iter()
        .any(|measure| measure.score.is_some() || measure.passed.is_some())
}

impl<'r> ComparisonReport<'r> {
    /// Compares runs with the first of them.
    ///
    /// # Errors
    /// Where they have nothing in common.
    pub fn new(
        runs: &'r [ComparedRun],
        options: &'r ComparisonOptions,
    ) -> Result<Self, Incomparable> {
        let mut scores: Vec<RunScores> = runs.iter().map(|run| run.scores.clone()).collect();
        if scores.len() > 2 && !RunScores::keep_common(&mut scores) {
            return Err(Incomparable::NoCase);
        }
        let comparisons = PairedComparison::with_first(&scores, options.settings);
        if comparisons.iter().any(|it| it.shared == 0) {
            return Err(Incomparable::NoCase);
        }
        if comparisons.iter().any(|it| it.measures.is_empty()) {
            return Err(Incomparable::NoEvaluator);
        }
        let sources = match runs {
            [before, after] => Some([before, after]),
            _ => None,
        };
        let mut about: Vec<_> = runs.iter().map(|run| run.about.clone()).collect();
        about.retain(|about| !about.is_empty());
        about.dedup();
        Ok(Self {
            about,
            notes: notes(runs, options.listed),
            runs: scores,
            options,
            comparisons,
            sources,
            gates: Vec::new(),
            run_gates: match runs {
                [_, after] => &after.gates,
                _ => &[],
            },
        })
    }

    /// The comparison of the second with the first.
    pub fn first(&self) -> &PairedComparison {
        &self.comparisons[0]
    }

    /// Adds what was made of gates.
    #[must_use]
    pub fn with_gates(self, gates: Vec<JudgedGate<'r>>) -> Self {
        Self { gates, ..self }
    }

    /// Whether more than two are compared.
    pub fn is_of_several(&self) -> bool {
        self.comparisons.len() > 1
    }

    /// What was made of gates.
    pub fn gates(&self) -> &[JudgedGate<'r>] {
        &self.gates
    }

    /// Whether all gates hold.
    pub fn holds(&self) -> bool {
        self.gates.iter().all(|gate| gate.held)
    }

    /// Sides of which nothing can be compared with the first, because no case was judged on both: the names, with that of the first.
    pub fn unjudged(&self) -> Vec<(&str, &str)> {
        let first = &self.runs[0].name;
        let others = self.runs[1..].iter().zip(&self.comparisons);
        others
            .filter(|(_, comparison)| !has_judged(comparison))
            .map(|(other, _)| (first.as_str(), other.name.as_str()))
            .collect()
    }

    /// Whether these are two, whose cases are told one by one.
    pub(crate) fn pair(&self) -> Option<(&RunScores, &RunScores, &PairedComparison)> {
        match (&self.runs[..], &self.comparisons[..]) {
            ([before, after], [comparison]) => Some((before, after, comparison)),
            _ => None,
        }
    }

    /// `gpt-4.1 against qwen`, `gpt-4.1 against 3 others`.
    pub(crate) fn title(&self) -> String {
        let first = printable(&self.runs[0].name);
        match &self.runs[1..] {
            [other] => format!("{first} against {}", printable(&other.name)),
            others => format!("{first} against {} others", others.len()),
        }
    }

    /// How many cases got worse and how many better, of two.
    pub(crate) fn moved_told(&self) -> String {
        moved_told(MovedCase::by_direction(self.moved()).map(|it| it.len()))
    }

    /// The cases that moved between two, worst first.
    pub(crate) fn moved(&self) -> &[MovedCase] {
        self.pair().map_or(&[], |(_, _, it)| &it.moved)
    }

    /// The same in groups: those that got worse, then those that got better, each from what moved most. None is empty.
    pub(super) fn moved_by_direction(
        &self,
    ) -> impl Iterator<Item = (&'static str, Vec<&MovedCase>)> {
        let directions = MovedCase::by_direction(self.moved());
        let groups = ["worse", "better"].into_iter().zip(directions);
        groups.filter(|(_, cases)| !cases.is_empty())
    }

    /// The screen.
    pub fn screen(&self) -> String {
        let runs: Vec<&RunScores> = self.runs.iter().collect();
        let mut screen = match self.pair() {
            Some((before, after, comparison)) => {
                let about = |moved: &MovedCase| self.changes_of(moved);
                let notes = [&self.about[..], &self.notes].concat();
                let causes = self.causes();
                let told = (&causes[..], &notes[..]);
                comparison_screen((before, after), comparison, self.options, &about, told)
            }
            None => overview_screen(
                &self.runs,
                &self.comparisons,
                self.options.settings.confidence,
                &[&self.about[..], &self.notes].concat(),
            ),
        };
        let own = own_screen(&runs, self.options);
        let is_pair_apart = self
            .pair()
            .is_some_and(|(_, _, it)| it.only != (Vec::new(), Vec::new()));
        if !own.is_empty() && is_pair_apart {
            screen += "\n  what follows is of all cases of a run, of those in one run alone too\n";
        }
        screen + &own
    }

    /// How many cases of both runs show each cause; none of more than two runs, or where the causes are not known.
    pub(super) fn causes(&self) -> Vec<ComparedCause> {
        let causes = self.sources.map(ComparedCause::between);
        causes.and_then(Result::ok).unwrap_or_default()
    }

    /// What changed in a case, as the end of a sentence.
    pub(crate) fn changes_told(&self, moved: &MovedCase) -> String {
        match changes_told(&self.changes_of(moved)) {
            told if told.is_empty() => told,
            told => format!("; {}", printable(&told)),
        }
    }

    /// What changed in the alignments of a case of two runs, in words. It is looked up when it is asked for: of many cases that moved
    /// few are told.
    pub(super) fn changes_of(&self, moved: &MovedCase) -> Vec<String> {
        let changes = self
            .sources
            .map(|runs| CaseChanges::between(runs, &moved.key, moved.is_worse()));
        let changes = changes.and_then(Result::ok).unwrap_or_default().changes;
        changes.iter().map(ToString::to_string).collect()
    }
}

/// What a reader should know: cases and evaluators of one side alone, cases judged on one side alone, other settings.
fn notes(runs: &[ComparedRun], listed: ListLength) -> Vec<String> {
    let [first, others @ ..] = runs else {
        return Vec::new();
    };
    let is_pair = others.len() == 1;
    let mut notes = Vec::new();
    if !is_pair {
        notes.extend(left_out(runs, listed));
    }
    for other in others {
        let (before, after) = (&first.scores, &other.scores);
        if is_pair {
            let (keys_before, keys_after) = (before.keys(), after.keys());
            let (gone, new) = (
                keys_before.difference(&keys_after),
                keys_after.difference(&keys_before),
            );
            notes.extend(named_cases(gone, "only before", listed));
            notes.extend(named_cases(new, "only after", listed));
        }
        let of = if is_pair {
            String::new()
        } else {
            format!("{}: ", after.name)
        };
        notes.extend(evaluators_alone(before, after, &of));
        for (position, measure) in before.measures.iter().enumerate() {
            let Some(place) = after.measure(measure) else {
                continue;
            };
            notes.extend(judged_alone((before, position), (after, place), &of));
            let settings = (first.settings.get(position), other.settings.get(place));
            if let (Some(was), Some(is)) = settings
                && was != is
            {
                notes.push(format!(
                    "{of}{measure} has other settings: {was} before, {is} after"
                ));
            }
        }
    }
    notes
}

/// `30 cases only after: 1, 2, 3, … and 27 more`.
fn named_cases<'k>(
    keys: impl Iterator<Item = &'k &'k str>,
    what: &str,
    listed: ListLength,
) -> Option<String> {
    let keys: Vec<&&str> = keys.collect();
    let named = keys.iter().take(listed.or(NAMED));
    let named: Vec<_> = named.map(|key| printable(key)).collect();
    let (all, named) = (keys.len(), super::trials::listed(&named, keys.len()));
    (all > 0).then(|| format!("{} {what}{named}", count(all as u64, "case")))
}

/// How many cases are not compared, as some of several runs lack them.
fn left_out(runs: &[ComparedRun], listed: ListLength) -> Option<String> {
    let mut keys = runs.iter().map(|run| run.scores.keys());
    let first = keys.next()?;
    let (common, all) = keys.fold((first.clone(), first), |(common, all), keys| {
        (&common & &keys, &all | &keys)
    });
    let left: BTreeSet<&str> = &all - &common;
    named_cases(left.iter(), "not in all of them, left out", listed)
}

/// Evaluators that only one side has.
fn evaluators_alone(before: &RunScores, after: &RunScores, of: &str) -> Vec<String> {
    let mut notes = Vec::new();
    for (one, other, side) in [(before, after, "before"), (after, before, "after")] {
        let names = one
            .measures
            .iter()
            .filter(|name| other.measure(name).is_none());
        let names: Vec<_> = names.map(|name| printable(name)).collect();
        if !names.is_empty() {
            notes.push(format!("{of}only {side} judged by {}", names.join(", ")));
        }
    }
    notes
}

/// Cases of both sides of which an evaluator has judged but one.
fn judged_alone(
    (before, of_before): (&RunScores, usize),
    (after, of_after): (&RunScores, usize),
    of: &str,
) -> Vec<String> {
    let judged = |run: &RunScores, position: usize| -> (BTreeSet<String>, BTreeSet<String>) {
        let (mut all, mut judged) = (BTreeSet::new(), BTreeSet::new());
        for case in &run.cases {
            all.insert(case.key.clone());
            let value = case.values.get(position).copied().unwrap_or_default();
            if value.score.is_some() {
                judged.insert(case.key.clone());
            }
        }
        (all, judged)
    };
    let (all_before, judged_before) = judged(before, of_before);
    let (all_after, judged_after) = judged(after, of_after);
    let alone = |one: &BTreeSet<String>, other: &BTreeSet<String>, has: &BTreeSet<String>| {
        one.iter()
            .filter(|key| !other.contains(*key) && has.contains(*key))
            .count()
    };
    let measure = &before.measures[of_before];
    [
        (alone(&judged_before, &judged_after, &all_after), "before"),
        (alone(&judged_after, &judged_before, &all_before), "after"),
    ]
    .into_iter()
    .filter(|(cases, _)| *cases > 0)
    .map(|(cases, side)| {
        format!(
            "{of}{measure} has a score of {} only {side}",
            count(cases as u64, "case")
        )
    })
    .collect()
}
