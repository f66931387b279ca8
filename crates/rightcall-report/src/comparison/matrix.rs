//! More than two runs as a matrix: a row for each run, a column for each evaluator, the best values marked.

use rightcall_stats::{Interval, PairedComparison, RunScores};

use crate::text::or_dash;

/// More than two runs as a matrix.
pub(super) struct Matrix {
    /// The column heads.
    pub(super) columns: Vec<String>,
    pub(super) rows: Vec<MatrixRow>,
}

/// A run.
pub(super) struct MatrixRow {
    pub(super) name: String,
    pub(super) cells: Vec<MeanCell>,
}

/// The mean of an evaluator in a run.
pub(super) struct MeanCell {
    pub(super) mean: Option<Interval>,
    /// True if no other run has a higher mean.
    pub(super) is_best: bool,
}

impl MeanCell {
    /// `0.871`.
    pub(super) fn text(&self) -> String {
        or_dash(self.mean.map(|it| format!("{:.3}", it.estimate)))
    }
}

impl Matrix {
    pub(super) fn new(
        runs: &[RunScores],
        comparisons: &[PairedComparison],
        confidence: f64,
    ) -> Self {
        let measures = &comparisons[0].measures;
        let means: Vec<_> = runs.iter().map(|run| run.means(confidence)).collect();
        let mean = |run: usize, column: usize| means[run].get(column).copied().flatten();
        let best = |column: usize| {
            let estimates = (0..runs.len()).filter_map(|run| mean(run, column));
            estimates.map(|it| it.estimate).max_by(f64::total_cmp)
        };
        let best: Vec<_> = (0..measures.len()).map(best).collect();
        let cell = |run: usize, column: usize| {
            let mean = mean(run, column);
            // If all means are equal, none is marked.
            let differs = (0..runs.len()).any(|other| {
                let other = means[other].get(column).copied().flatten();
                other.map(|it| it.estimate) != best[column]
            });
            MeanCell {
                mean,
                is_best: differs && mean.map(|it| it.estimate) == best[column],
            }
        };
        let row = |(number, run): (usize, &RunScores)| MatrixRow {
            name: run.name.clone(),
            cells: (0..measures.len())
                .map(|column| cell(number, column))
                .collect(),
        };
        Self {
            columns: measures.iter().map(|it| it.label.clone()).collect(),
            rows: runs.iter().enumerate().map(row).collect(),
        }
    }
}
