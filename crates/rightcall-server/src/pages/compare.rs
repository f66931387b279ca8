//! Two runs: what changed for each evaluator, with intervals, and the cases that moved, by what changed in their alignment.

use std::collections::{BTreeMap, BTreeSet};

use askama::Template;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query as Parameters, State};
use axum::response::IntoResponse;
use rightcall_report::{CasePage, case_causes, cause_changes, changes_told, draw_case, printable};
use rightcall_run::ResultsOptions;
use rightcall_stats::{
    ChangeVerdict, ComparisonSettings, MeanChange, MovedCase, PairedComparison, RunScores,
};
use rightcall_store::{History, RunRow};

use super::{Missing, Place, page, percent, score};
use crate::link::Query;

/// Cases that moved which are shown of each direction.
const SHOWN: usize = 200;

pub(crate) async fn compare(
    State(place): State<Place>,
    parameters: Result<Parameters<Vec<(String, String)>>, QueryRejection>,
) -> Result<impl IntoResponse, Missing> {
    let query = Query::new(parameters?.0);
    page(place, move |history| ComparePage::new(history, &query)).await
}

#[derive(Template)]
#[template(path = "compare.html")]
struct ComparePage {
    before: RunRow,
    after: RunRow,
    /// Of which runs a sample is compared.
    samples: Vec<String>,
    shared: usize,
    only: (usize, usize),
    changes: Vec<ChangeView>,
    /// Whether some evaluators have too few cases.
    needed: Option<u64>,
    groups: Vec<Group>,
    /// Which of the cases that moved are listed, where that is not all.
    cut: String,
    worse: usize,
    better: usize,
    /// A case that is looked at on both sides.
    sides: Option<Sides>,
}

struct ChangeView {
    label: String,
    what: &'static str,
    cases: usize,
    before: String,
    after: String,
    change: String,
    interval: String,
    verdict: (&'static str, String),
}

/// Cases that moved in one way.
struct Group {
    title: String,
    class: &'static str,
    cases: Vec<MovedView>,
}

struct MovedView {
    key: String,
    before: String,
    after: String,
    trials: String,
    more: String,
    link: String,
}

struct Sides {
    key: String,
    before: CasePage,
    after: CasePage,
    links: (String, String),
    back: String,
}

/// A run with the results of its cases, and the number of each.
struct Side {
    row: RunRow,
    results: RunScores,
    numbers: Vec<u64>,
}

impl ComparePage {
    fn new(history: &History, query: &Query) -> Result<Self, Missing> {
        let mut picked: Vec<i64> = query
            .all("run")
            .filter_map(|run| run.parse().ok())
            .collect();
        // The older run is the baseline, however they were picked.
        picked.sort_unstable();
        let [before, after] = picked[..] else {
            return Err(Missing::Unclear(
                "Pick two runs to compare, such as /compare?run=1&run=2.".to_owned(),
            ));
        };
        let (before, after) = (Side::new(history, before)?, Side::new(history, after)?);
        let rules = ComparisonSettings::default();
        let comparison = PairedComparison::between(&before.results, &after.results, rules);
        let rows = comparison
            .measures
            .iter()
            .chain((comparison.measures.len() > 1).then_some(&comparison.overall));
        let changes = rows.flat_map(|measure| {
            let of = |what, change: &Option<MeanChange>| {
                change
                    .as_ref()
                    .map(|change| ChangeView::new(&measure.label, what, change))
            };
            [of("mean", &measure.score), of("passed", &measure.passed)]
        });
        let changes: Vec<_> = changes.flatten().collect();
        let all = comparison
            .measures
            .iter()
            .chain([&comparison.overall])
            .flat_map(|it| [&it.score, &it.passed])
            .flatten();
        let needed = all
            .filter(|change| change.verdict == ChangeVerdict::NotEnough)
            .filter_map(|change| change.needed)
            .max();
        let worse = comparison
            .moved
            .iter()
            .filter(|moved| moved.is_worse())
            .count();
        let better = comparison.moved.len() - worse;
        Ok(Self {
            samples: [&before.row, &after.row]
                .into_iter()
                .filter_map(sample)
                .collect(),
            shared: comparison.shared,
            only: (comparison.only.0.len(), comparison.only.1.len()),
            changes,
            needed,
            groups: groups(history, (&before, &after), &comparison.moved, query)?,
            cut: cut(worse, better),
            worse,
            better,
            sides: query
                .get("case")
                .map(|key| Sides::new(history, (&before, &after), key, query))
                .transpose()?
                .flatten(),
            before: before.row,
            after: after.row,
        })
    }
}

impl Side {
    fn new(history: &History, run: i64) -> Result<Self, Missing> {
        let row = history.run(run)?;
        let (results, numbers) = history.results(run, &ResultsOptions::default())?;
        Ok(Self {
            row,
            results,
            numbers,
        })
    }

    /// The number of the trial of a case with the lowest score, or the highest.
    fn number(&self, key: &str, lowest: bool) -> Option<u64> {
        let position = self.results.extreme_trial(key, lowest)?;
        Some(self.numbers[position])
    }

    /// What the alignments of a case show, in words.
    fn causes(&self, history: &History, number: Option<u64>) -> Result<BTreeSet<String>, Missing> {
        let case = number.map(|number| history.case(self.row.number, number));
        let causes = case.transpose()?.flatten().map(|case| case_causes(&case));
        let causes = causes.iter().flatten();
        Ok(causes.map(|it| printable(&it.to_string())).collect())
    }
}

/// That not all cases of a run are compared.
fn sample(run: &RunRow) -> Option<String> {
    let (cases, kept, number) = (run.cases, run.kept, run.number);
    (kept < cases).then(|| format!("Run {number} has {cases} cases, of which {kept} are kept: of these the sample is compared."))
}

/// That the list is cut, and where; nothing where all cases that moved are listed.
fn cut(worse: usize, better: usize) -> String {
    let parts = [(worse, "got worse"), (better, "got better")];
    let parts = parts
        .iter()
        .filter(|(all, _)| *all > SHOWN)
        .map(|(all, what)| format!("{SHOWN} of {all} that {what}"));
    parts.collect::<Vec<_>>().join(" and ")
}

/// The cases that moved, those that got worse first, by the first thing that changed in their alignment.
fn groups(
    history: &History,
    (before, after): (&Side, &Side),
    moved: &[MovedCase],
    query: &Query,
) -> Result<Vec<Group>, Missing> {
    let mut found: BTreeMap<(bool, String), Vec<MovedView>> = BTreeMap::new();
    let (worse, better): (Vec<&MovedCase>, Vec<&MovedCase>) =
        moved.iter().partition(|moved| moved.is_worse());
    for moved in worse
        .into_iter()
        .take(SHOWN)
        .chain(better.into_iter().rev().take(SHOWN))
    {
        let worse = moved.is_worse();
        let was = before.causes(history, before.number(&moved.key, !worse))?;
        let is = after.causes(history, after.number(&moved.key, worse))?;
        let mut said = cause_changes(&was, &is, worse);
        let title = if said.is_empty() {
            "nothing else in the alignment".to_owned()
        } else {
            said.remove(0)
        };
        let view = MovedView {
            key: printable(&moved.key),
            before: score(Some(moved.before)),
            after: score(Some(moved.after)),
            trials: match (moved.trials_before, moved.trials_after) {
                (was, is) if was.trials <= 1 && is.trials <= 1 => String::new(),
                (was, is) => format!(
                    "passed {} of {} → {} of {}",
                    was.passed, was.trials, is.passed, is.trials
                ),
            },
            more: changes_told(&said),
            link: format!(
                "{}#sides",
                query.with("case", Some(&moved.key)).of("/compare")
            ),
        };
        found.entry((!worse, title)).or_default().push(view);
    }
    let group = |((better, title), cases): ((bool, String), Vec<MovedView>)| Group {
        title,
        class: if better { "better" } else { "worse" },
        cases,
    };
    let mut groups: Vec<_> = found.into_iter().map(group).collect();
    groups.sort_by_key(|group| {
        (
            group.class == "better",
            std::cmp::Reverse(group.cases.len()),
        )
    });
    Ok(groups)
}

impl Sides {
    fn new(
        history: &History,
        (before, after): (&Side, &Side),
        key: &str,
        query: &Query,
    ) -> Result<Option<Self>, Missing> {
        let mean = |side: &Side| {
            let scores: Vec<f64> = side
                .results
                .cases
                .iter()
                .filter(|it| it.key == key)
                .filter_map(|it| it.overall.score)
                .collect();
            rightcall_stats::mean(&scores).unwrap_or(0.0)
        };
        let worse = mean(after) < mean(before);
        let drawn = |side: &Side, lowest: bool| -> Result<Option<(CasePage, String)>, Missing> {
            let Some(number) = side.number(key, lowest) else {
                return Ok(None);
            };
            let evaluators = history.evaluators(side.row.number)?;
            let case = history.case(side.row.number, number)?;
            let link = format!("/runs/{}/cases/{number}", side.row.number);
            Ok(case.map(|case| {
                (
                    draw_case(evaluators.iter().map(|it| it.label.as_str()), &case),
                    link,
                )
            }))
        };
        let (Some((before, first)), Some((after, second))) =
            (drawn(before, !worse)?, drawn(after, worse)?)
        else {
            return Ok(None);
        };
        let back = query.without(&["case"]).of("/compare");
        Ok(Some(Self {
            key: printable(key),
            before,
            after,
            links: (first, second),
            back,
        }))
    }
}

impl ChangeView {
    fn new(label: &str, what: &'static str, change: &MeanChange) -> Self {
        let is_share = what == "passed";
        let shown = |number: f64| {
            if is_share {
                percent(Some(number))
            } else {
                score(Some(number))
            }
        };
        let difference = |number: f64| {
            if is_share {
                format!("{:+.1}", number * 100.0)
            } else {
                format!("{number:+.3}")
            }
        };
        let (low, high) = (change.change.low, change.change.high);
        let p = if change.corrected < 0.001 {
            "p < 0.001".to_owned()
        } else {
            format!("p = {:.3}", change.corrected)
        };
        let verdict = match change.verdict {
            ChangeVerdict::Better => ("better", format!("better ({p})")),
            ChangeVerdict::Worse => ("worse", format!("worse ({p})")),
            ChangeVerdict::Same => ("muted", "the same in each case".to_owned()),
            ChangeVerdict::NoDifference => ("muted", format!("no difference shown ({p})")),
            ChangeVerdict::NotEnough => ("muted", format!("not enough cases to tell ({p})")),
        };
        Self {
            label: printable(label),
            what,
            cases: change.cases,
            before: shown(change.before),
            after: shown(change.after),
            change: difference(change.change.estimate),
            interval: if low.is_finite() {
                format!("{} … {}", difference(low), difference(high))
            } else {
                "–".to_owned()
            },
            verdict,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_list_says_what_it_leaves_out() {
        assert_eq!(cut(SHOWN, 0), "");
        assert_eq!(cut(1234, 7), "200 of 1234 that got worse");
        assert_eq!(
            cut(201, 300),
            "200 of 201 that got worse and 200 of 300 that got better"
        );
    }
}
