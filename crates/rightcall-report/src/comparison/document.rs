//! Comparisons for programs, as JSON.

use rightcall_run::ChangeGate;
use rightcall_stats::{
    EvaluatorChange, Interval, MovedCase, PairedComparison, Prediction, RunScores, TrialStatistics,
};
use serde::Serialize;

use super::options::ComparisonOptions;

/// A gate on a change, and how it was judged.
#[derive(Clone, Debug)]
pub struct JudgedGate<'g> {
    /// The gate.
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

#[derive(Serialize)]
struct RunsDocument<'r, T: Serialize> {
    runs: Vec<RunDocument<'r>>,
    #[serde(flatten)]
    more: T,
}

#[derive(Serialize)]
struct RunDocument<'r> {
    name: &'r str,
    cases: usize,
    trials: usize,
    evaluators: Vec<MeanDocument<'r>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repeated: Option<TrialsDocument>,
    #[serde(flatten)]
    predictions: Option<PredictionsDocument<'r>>,
}

#[derive(Serialize)]
struct MeanDocument<'r> {
    evaluator: &'r str,
    mean: Option<Interval>,
}

#[derive(Serialize)]
struct TrialsDocument {
    passed: String,
    #[serde(flatten)]
    statistics: TrialStatistics,
}

#[derive(Serialize)]
struct PredictionsDocument<'r> {
    against: &'r str,
    predictions: Vec<Prediction>,
}

impl<'r> RunDocument<'r> {
    fn new(run: &'r RunScores, options: &'r ComparisonOptions) -> Self {
        let confidence = options.settings.confidence;
        let means = run.measures.iter().zip(run.means(confidence));
        let statistics = run.trial_statistics(options.pass_mark());
        Self {
            name: &run.name,
            cases: run.keys().len(),
            trials: run.cases.len(),
            evaluators: means
                .map(|(evaluator, mean)| MeanDocument { evaluator, mean })
                .collect(),
            repeated: statistics.map(|statistics| TrialsDocument {
                passed: options.pass_mark_text(),
                statistics,
            }),
            predictions: options
                .against
                .as_deref()
                .map(|against| PredictionsDocument {
                    against,
                    predictions: run.predictions(confidence),
                }),
        }
    }
}

#[derive(Serialize)]
struct PairDocument<'c> {
    #[serde(flatten)]
    comparison: ComparisonDocument<'c>,
    moved: Vec<MovedDocument<'c>>,
    gates: Vec<GateDocument>,
}

#[derive(Serialize)]
struct ComparisonDocument<'c> {
    shared: usize,
    only_before: &'c [String],
    only_after: &'c [String],
    evaluators: Vec<&'c EvaluatorChange>,
}

impl<'c> ComparisonDocument<'c> {
    fn new(comparison: &'c PairedComparison) -> Self {
        let (only_before, only_after) = (&comparison.only.0, &comparison.only.1);
        let overall = [&comparison.overall];
        Self {
            shared: comparison.shared,
            only_before,
            only_after,
            evaluators: comparison.measures.iter().chain(overall).collect(),
        }
    }
}

#[derive(Serialize)]
struct MovedDocument<'c> {
    case: &'c str,
    before: f64,
    after: f64,
    changes: Vec<String>,
}

#[derive(Serialize)]
struct GateDocument {
    gate: String,
    found: Option<f64>,
    held: bool,
}

#[derive(Serialize)]
struct OverviewDocument<'c> {
    comparisons: Vec<NamedComparison<'c>>,
}

#[derive(Serialize)]
struct NamedComparison<'c> {
    before: &'c str,
    after: &'c str,
    #[serde(flatten)]
    comparison: ComparisonDocument<'c>,
}

/// One run on its own.
pub fn run_json(run: &RunScores, options: &ComparisonOptions) -> String {
    #[derive(Serialize)]
    struct Nothing {}
    written(&[run], options, Nothing {})
}

/// Two runs; `about` says what changed in the alignment of a case.
pub(super) fn pair_json(
    runs: [&RunScores; 2],
    options: &ComparisonOptions,
    comparison: &PairedComparison,
    about: &dyn Fn(&MovedCase) -> Vec<String>,
    gates: &[JudgedGate<'_>],
) -> String {
    let moved = comparison.moved.iter().map(|moved| MovedDocument {
        case: &moved.key,
        before: moved.before,
        after: moved.after,
        changes: about(moved),
    });
    let gates = gates.iter().map(|judged| GateDocument {
        gate: judged.gate.to_string(),
        found: judged.found,
        held: judged.held,
    });
    let pair = PairDocument {
        comparison: ComparisonDocument::new(comparison),
        moved: moved.collect(),
        gates: gates.collect(),
    };
    written(&runs, options, pair)
}

/// More than two runs, each compared with the first.
pub(super) fn overview_json(
    runs: &[RunScores],
    options: &ComparisonOptions,
    comparisons: &[PairedComparison],
) -> String {
    let comparisons = runs.iter().skip(1).zip(comparisons);
    let comparisons = comparisons.map(|(run, comparison)| NamedComparison {
        before: &runs[0].name,
        after: &run.name,
        comparison: ComparisonDocument::new(comparison),
    });
    let overview = OverviewDocument {
        comparisons: comparisons.collect(),
    };
    written(&runs.iter().collect::<Vec<_>>(), options, overview)
}

fn written(runs: &[&RunScores], options: &ComparisonOptions, more: impl Serialize) -> String {
    let runs = runs.iter().map(|run| RunDocument::new(run, options));
    let document = RunsDocument {
        runs: runs.collect(),
        more,
    };
    serde_json::to_string(&document)
        .expect("keys are texts, and numbers that are not finite are null")
}
