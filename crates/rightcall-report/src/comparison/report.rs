//! A comparison for all report formats: the runs, their changes, and notes on both sides.

use std::collections::BTreeSet;
use std::fmt::{Display, Write as _};

use rightcall_results::GateResult;
use rightcall_run::ChangeGate;
use rightcall_stats::{MovedCase, PairedComparison, RunScores};
use serde::{Serialize, Serializer};

use super::case_changes::CaseChanges;
use super::causes::ComparedCause;
use super::compared_run::ComparedRun;
use super::options::ComparisonOptions;
use super::overview::overview_screen;
use super::pair::{changes_told, comparison_screen};
use super::run_statistics::run_statistics_screen;
use super::tasks::OtherTasks;
use super::words::{left_out_told, moved_told};
use crate::list_length::ListLength;
use crate::text::{count, printable};

/// Number of case names in a note.
const NAMED: usize = 5;

/// A comparison of two or more runs; the first one is the baseline.
#[derive(Debug)]
pub struct ComparisonReport<'r> {
    /// The runs; more than two are reduced to their common cases.
    pub(crate) runs: Vec<RunScores>,
    pub(crate) options: &'r ComparisonOptions,
    /// Each other run, compared with the first.
    pub(crate) comparisons: Vec<PairedComparison>,
    /// Further facts about each run.
    pub(crate) about: Vec<String>,
    /// Notes on the sides.
    pub(crate) notes: Vec<String>,
    /// The changed questions and expectations of each other run, compared with the first.
    tasks: Vec<OtherTasks>,
    /// If there are two runs, the sources of their full cases.
    sources: Option<[&'r ComparedRun; 2]>,
    pub(crate) gates: Vec<JudgedGate<'r>>,
    /// The gates with the names of their runs: of the second of two runs, or of all runs of a
    /// suite.
    pub(crate) run_gates: Vec<(&'r str, &'r GateResult)>,
    /// The runs of a suite with several runs, to report their own results; empty for other
    /// comparisons.
    pub(crate) own: &'r [ComparedRun],
}

/// A gate on a change, with its result.
#[derive(Clone, Debug, Serialize)]
pub struct JudgedGate<'g> {
    /// The gate.
    #[serde(serialize_with = "serialize_text")]
    pub gate: &'g ChangeGate,
    /// The result of the gate.
    #[serde(flatten, serialize_with = "serialize_result")]
    pub result: GateResult,
}

impl JudgedGate<'_> {
    /// The number found, formatted for people.
    pub fn found_text(&self) -> String {
        let shown = self.result.found.map(|found| self.gate.shown(found));
        let mut text = shown.unwrap_or_else(|| "nothing to judge".to_owned());
        if self.result.no_longer_judged > 0 {
            _ = write!(text, ", {} no longer judged", self.result.no_longer_judged);
        }
        text
    }
}

fn serialize_text<S: Serializer>(text: &impl Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(text)
}

/// Writes the number and whether the gate holds. The condition is in the gate's text.
fn serialize_result<S: Serializer>(result: &GateResult, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct GateDocument {
        found: Option<f64>,
        held: bool,
        no_longer_judged: u64,
    }
    let document = GateDocument {
        found: result.found,
        held: result.held,
        no_longer_judged: result.no_longer_judged,
    };
    document.serialize(serializer)
}

/// Why runs cannot be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Incomparable {
    /// They have no common case.
    NoCase,
    /// They have no common evaluator.
    NoEvaluator,
}

/// True if an evaluator, or all combined, has results on both sides of a case.
fn has_judged(comparison: &PairedComparison) -> bool {
    let all = comparison.measures.iter().chain([&comparison.overall]);
    all.into_iter()
        .any(|measure| measure.score.is_some() || measure.passed.is_some())
}

impl<'r> ComparisonReport<'r> {
    /// Compares the other runs with the first.
    ///
    /// # Errors
    /// They have no common case or evaluator.
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
        // An unreadable history does not fail the notes: it is reported where its cases are read.
        let tasks = OtherTasks::since_first(runs);
        let sources = match runs {
            [before, after] => Some([before, after]),
            _ => None,
        };
        let mut about: Vec<_> = runs.iter().map(|run| run.about.clone()).collect();
        about.retain(|about| !about.is_empty());
        about.dedup();
        Ok(Self {
            about,
            notes: notes(runs, &comparisons, &tasks, options.listed),
            tasks,
            runs: scores,
            options,
            comparisons,
            sources,
            gates: Vec::new(),
            run_gates: match runs {
                [_, after] => after.named_gates().collect(),
                _ => Vec::new(),
            },
            own: &[],
        })
    }

    /// The comparison of the second with the first.
    pub fn first(&self) -> &PairedComparison {
        &self.comparisons[0]
    }

    /// The other runs by name, each with the cases whose question or expectation differs from the
    /// first run's.
    pub fn tasks(&self) -> impl Iterator<Item = (&str, &OtherTasks)> {
        let names = self.runs[1..].iter().map(|run| run.name.as_str());
        names.zip(&self.tasks)
    }

    /// Adds the results of gates.
    #[must_use]
    pub fn with_gates(self, gates: Vec<JudgedGate<'r>>) -> Self {
        Self { gates, ..self }
    }

    /// True for more than two runs.
    pub fn is_of_several(&self) -> bool {
        self.comparisons.len() > 1
    }

    /// The results of the gates.
    pub fn gates(&self) -> &[JudgedGate<'r>] {
        &self.gates
    }

    /// True if all gates hold.
    pub fn holds(&self) -> bool {
        self.gates.iter().all(|gate| gate.result.held)
    }

    /// Runs that cannot be compared with the first, because no case has results on both sides. Each
    /// is paired with the name of the first.
    pub fn unjudged(&self) -> Vec<(&str, &str)> {
        let first = &self.runs[0].name;
        let others = self.runs[1..].iter().zip(&self.comparisons);
        others
            .filter(|(_, comparison)| !has_judged(comparison))
            .map(|(other, _)| (first.as_str(), other.name.as_str()))
            .collect()
    }

    /// The runs, if there are two. Reports list cases only for two runs.
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

    /// The numbers of worse and better cases of two runs, as a sentence.
    pub(crate) fn moved_sentence(&self) -> String {
        moved_told(self.first())
    }

    /// The cases that changed between two runs, worst first.
    pub(crate) fn moved(&self) -> &[MovedCase] {
        self.pair().map_or(&[], |(_, _, it)| &it.moved)
    }

    /// The changed cases in groups: worse, then better, each with the largest change first. Empty
    /// groups are left out.
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
                let details = (&causes[..], &notes[..]);
                let mut screen =
                    comparison_screen((before, after), comparison, self.options, &about, details);
                if let Some(command) = self.explain_worst() {
                    _ = writeln!(screen, "\n  {command}");
                }
                screen
            }
            None => overview_screen(
                &self.runs,
                &self.comparisons,
                self.options.settings.confidence,
                &[&self.about[..], &self.notes].concat(),
            ),
        };
        let own = run_statistics_screen(&runs, self.options);
        let is_pair_apart = self
            .pair()
            .is_some_and(|(_, _, it)| it.only != (Vec::new(), Vec::new()));
        if !own.is_empty() && is_pair_apart {
            screen += "\n  what follows is of all cases of a run, of those in one run alone too\n";
        }
        screen + &own
    }

    /// The command that explains the worst change, by the trial that shows it best.
    fn explain_worst(&self) -> Option<String> {
        let runs @ [_, after] = self.sources?;
        let explain = after.explain.as_ref()?;
        let worst = self.moved().first().filter(|moved| moved.is_worse())?;
        let changes = CaseChanges::between(runs, &worst.key, true).ok()?;
        let [_, shown] = changes.shown_trials(runs).ok()??;
        explain.of(&*after.case(shown).ok()??)
    }

    /// The number of cases with each cause in both runs; empty for more than two runs, or if causes
    /// are not stored.
    pub(super) fn causes(&self) -> Vec<ComparedCause> {
        let sources = self.sources;
        let causes = sources.map(|runs| ComparedCause::between(runs, self.first()));
        causes.and_then(Result::ok).unwrap_or_default()
    }

    /// The changes of a case, as the end of a sentence.
    pub(crate) fn changes_told(&self, moved: &MovedCase) -> String {
        match changes_told(&self.changes_of(moved)) {
            text if text.is_empty() => text,
            text => format!("; {}", printable(&text)),
        }
    }

    /// Describes the changes in the alignments of a case between two runs. Computed on demand,
    /// since a report shows only a few changed cases.
    pub(super) fn changes_of(&self, moved: &MovedCase) -> Vec<String> {
        let changes = self
            .sources
            .map(|runs| CaseChanges::between(runs, &moved.key, moved.is_worse()));
        let changes = changes.and_then(Result::ok).unwrap_or_default().changes;
        changes.iter().map(ToString::to_string).collect()
    }
}

/// Notes for the reader: cases and evaluators on one side only, results on one side only, different settings.
fn notes(
    runs: &[ComparedRun],
    comparisons: &[PairedComparison],
    tasks: &[OtherTasks],
    listed: ListLength,
) -> Vec<String> {
    let [first, others @ ..] = runs else {
        return Vec::new();
    };
    let is_pair = others.len() == 1;
    let mut notes = Vec::new();
    if !is_pair {
        notes.extend(left_out(runs, listed));
    }
    for ((other, comparison), tasks) in others.iter().zip(comparisons).zip(tasks) {
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
        notes.extend(left_out_told(comparison).map(|note| format!("{of}{note}")));
        let lost: Vec<&str> = comparison.no_longer_judged.iter().map(|it| &**it).collect();
        let reason = "no longer judged in all trials, which gates on changes fail for";
        let lost = named_cases(lost.iter(), reason, listed);
        notes.extend(lost.map(|note| format!("{of}{note}")));
        notes.extend(other_expectations(tasks, listed).map(|note| format!("{of}{note}")));
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

/// A note on paired cases with another expectation: their change may not come from the agent.
fn other_expectations(tasks: &OtherTasks, listed: ListLength) -> Option<String> {
    let keys: Vec<&str> = tasks.expectations.iter().map(|it| &**it).collect();
    let note_text = named_cases(keys.iter(), "with another expectation", listed)?;
    Some(format!(
        "{note_text}; their scores may change for the same calls"
    ))
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

/// A note on the cases that are left out because a run lacks them.
fn left_out(runs: &[ComparedRun], listed: ListLength) -> Option<String> {
    let mut keys = runs.iter().map(|run| run.scores.keys());
    let first = keys.next()?;
    let (common, all) = keys.fold((first.clone(), first), |(common, all), keys| {
        (&common & &keys, &all | &keys)
    });
    let left: BTreeSet<&str> = &all - &common;
    named_cases(left.iter(), "not in all of them, left out", listed)
}

/// Notes on evaluators that only one side has.
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

/// Notes on cases of both sides with a result from an evaluator on only one of them.
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
