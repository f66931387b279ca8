//! A comparison as a self-contained HTML file without scripts.

use askama::Template;
use rightcall_stats::PairedComparison;

use super::causes::{ComparedCause, counted_noun};
use super::matrix::Matrix;
use super::pair::changes_listed;
use super::report::ComparisonReport;
use super::scatter::Scatter;
use super::trials::passed_of;
use super::words::{
    ChangeNumbers, change_numbers, changes_of, interval_name, needed_told, score_before, size,
    verdict_words,
};
use crate::gate_words::gates_verdict;
use crate::markup::STYLE;
use crate::text::{capitalized, count, page_text, printable};

/// Maximum number of cases listed in each direction.
const CASES: usize = 200;

#[derive(Template)]
#[template(path = "comparison.html")]
struct ComparisonPage {
    style: &'static str,
    title: String,
    /// The headline.
    head: String,
    facts: String,
    interval: String,
    notes: Vec<String>,
    heads: Vec<String>,
    means: Vec<(String, Vec<(String, bool)>)>,
    changes: Vec<ChangeRow>,
    gates: Vec<(String, String, bool)>,
    causes: Vec<ComparedCause>,
    /// The unit of the causes: `Cases` or `Trials`.
    counted: String,
    scatter: Option<Scatter>,
    moved: Vec<(&'static str, usize, Vec<MovedRow>)>,
    /// For a suite with several runs: their names, and all cases with their results in each.
    own: (Vec<String>, Vec<OwnRow>),
    own_cases: usize,
}

/// A case, and its result in each run; true marks a failure.
type OwnRow = (String, Vec<(String, bool)>);

/// The change of an evaluator's mean or pass rate, formatted for the template.
#[derive(Debug)]
pub struct ChangeRow {
    /// The run that is compared with the first.
    pub run: String,
    /// The evaluator.
    pub label: String,
    /// `mean` or `passed`.
    pub what: &'static str,
    /// Number of cases in both runs.
    pub cases: usize,
    /// The numbers.
    pub numbers: ChangeNumbers,
    /// The verdict.
    pub verdict: String,
    /// The CSS class of the verdict.
    pub class: &'static str,
}

/// The mean of each evaluator in each of several runs, formatted for the template.
#[derive(Debug, Default)]
pub struct RunMeans {
    /// The evaluators.
    pub heads: Vec<String>,
    /// The runs with their means; true marks the best of a column.
    pub rows: Vec<(String, Vec<(String, bool)>)>,
}

struct MovedRow {
    key: String,
    before: String,
    after: String,
    trials: String,
    told: String,
}

impl ComparisonReport<'_> {
    /// The comparison as an HTML file.
    ///
    /// # Errors
    /// The template cannot be rendered.
    pub fn html(&self) -> Result<String, askama::Error> {
        Ok(page_text(&self.page().render()?).into_owned())
    }

    fn page(&self) -> ComparisonPage {
        let is_pair = self.pair().is_some();
        let (failed, gates) = self.gates_failed();
        let gates = gates_verdict(failed, gates).map(|it| it + " · ");
        let gates = gates.unwrap_or_default();
        let head = if is_pair {
            capitalized(&self.moved_sentence())
        } else {
            format!(
                "{} that all have",
                count(self.first().shared as u64, "case")
            )
        };
        let sizes = self.runs.iter();
        let sizes: Vec<_> = sizes
            .map(|run| format!("{}: {}", printable(&run.name), size(run)))
            .collect();
        let RunMeans { heads, rows: means } = if is_pair {
            RunMeans::default()
        } else {
            self.means()
        };
        let needed = needed_told(self.first(), self.options.settings).filter(|_| is_pair);
        ComparisonPage {
            style: STYLE,
            title: self.title(),
            head: gates + &head,
            facts: [sizes, self.about.clone()].concat().join(" · "),
            interval: interval_name(self.options.settings.confidence),
            notes: self
                .notes
                .iter()
                .cloned()
                .chain(needed)
                .map(|it| printable(&it))
                .collect(),
            heads,
            means,
            changes: self.change_rows(),
            gates: self.all_gates(),
            causes: self.causes(),
            counted: capitalized(counted_noun([&self.runs[0], &self.runs[1]])),
            scatter: Scatter::new(self.moved().iter(), |_| None),
            moved: self.moved_groups(),
            own_cases: self.cases_in_runs().len(),
            own: self.own_rows(),
        }
    }

    fn own_rows(&self) -> (Vec<String>, Vec<OwnRow>) {
        let names = self.own.iter().map(|run| printable(&run.scores.name));
        let cases = self.cases_in_runs().into_iter();
        let rows = cases.take(self.options.listed.or(CASES)).map(|case| {
            let cells = case.cells.iter().map(|it| match it {
                Some(it) => (it.text(), it.has_failed()),
                None => ("not in this run".to_owned(), false),
            });
            (printable(case.key), cells.collect())
        });
        (names.collect(), rows.collect())
    }

    /// The mean of each evaluator in each run.
    pub fn means(&self) -> RunMeans {
        let confidence = self.options.settings.confidence;
        let matrix = Matrix::new(&self.runs, &self.comparisons, confidence);
        let rows = matrix.rows.iter().map(|row| {
            let cells = row.cells.iter().map(|it| (it.text(), it.is_best));
            (printable(&row.name), cells.collect())
        });
        RunMeans {
            heads: matrix.columns.iter().map(|it| printable(it)).collect(),
            rows: rows.collect(),
        }
    }

    /// The changes of each evaluator between the first run and each other run.
    pub fn change_rows(&self) -> Vec<ChangeRow> {
        let runs = self.runs[1..].iter().zip(&self.comparisons);
        runs.flat_map(|(run, comparison)| ChangeRow::all(&run.name, comparison))
            .collect()
    }

    fn moved_groups(&self) -> Vec<(&'static str, usize, Vec<MovedRow>)> {
        let listed = self.options.listed.or(CASES);
        let group = self.moved_by_direction().map(|(what, cases)| {
            let rows = cases.iter().take(listed).map(|case| MovedRow {
                key: printable(&case.key),
                before: score_before(case),
                after: format!("{:.3}", case.after),
                trials: if case.trials_before.trials.max(case.trials_after.trials) > 1 {
                    format!(
                        "{} → {}",
                        passed_of(case.trials_before),
                        passed_of(case.trials_after)
                    )
                } else {
                    String::new()
                },
                told: printable(&changes_listed(&self.changes_of(case), self.options.listed)),
            });
            (what, cases.len(), rows.collect())
        });
        group.collect()
    }
}

impl ChangeRow {
    /// All changes in the run with this name.
    pub fn all(run: &str, comparison: &PairedComparison) -> Vec<Self> {
        let changes = comparison.rows().flat_map(|measure| {
            changes_of(measure).map(|(what, change, is_share)| {
                let (style, verdict) = verdict_words(change, false);
                Self {
                    run: printable(run),
                    label: printable(&measure.label),
                    what,
                    cases: change.cases,
                    numbers: change_numbers(change, is_share),
                    class: match style {
                        Some(_) if change.change.estimate < 0.0 => "bad",
                        Some(_) => "good",
                        None => "muted",
                    },
                    verdict,
                }
            })
        });
        changes.collect()
    }
}
