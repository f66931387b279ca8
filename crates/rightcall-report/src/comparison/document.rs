//! Comparisons as JSON, for programs.

use rightcall_results::GateResult;
use rightcall_stats::{
    EvaluatorChange, Interval, PairedComparison, Prediction, RunScores, TrialStatistics,
};
use serde::Serialize;

use super::causes::ComparedCause;
use super::compared_run::ComparedRun;
use super::options::ComparisonOptions;
use super::own_results::{ScoredCase, scored_cases};
use super::report::{ComparisonReport, JudgedGate};

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
    #[serde(flatten)]
    own: Option<OwnDocument<'r>>,
}

/// The results of a run of a suite with several runs.
#[derive(Serialize)]
struct OwnDocument<'r> {
    gates: &'r [GateResult],
    scores: Vec<ScoredCase<'r>>,
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
            own: None,
        }
    }
}

#[derive(Serialize)]
struct PairDocument<'c> {
    #[serde(flatten)]
    comparison: ComparisonDocument<'c>,
    causes: Vec<ComparedCause>,
    moved: Vec<MovedDocument<'c>>,
    gates: &'c [JudgedGate<'c>],
}

#[derive(Serialize)]
struct ComparisonDocument<'c> {
    shared: usize,
    only_before: &'c [String],
    only_after: &'c [String],
    /// Trials left out of whole cases, as other evaluators score them in the other run.
    trials_left_out: usize,
    /// Cases with a score before. More of their trials than before have none now.
    no_longer_judged: &'c [String],
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
            trials_left_out: comparison.unlike,
            no_longer_judged: &comparison.no_longer_judged,
            evaluators: comparison.measures.iter().chain(overall).collect(),
        }
    }
}

#[derive(Serialize)]
struct MovedDocument<'c> {
    case: &'c str,
    /// `None` if the case has no score before.
    before: Option<f64>,
    after: f64,
    changes: Vec<String>,
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

/// The document for a single run.
pub fn run_json(run: &RunScores, options: &ComparisonOptions) -> String {
    #[derive(Serialize)]
    struct Nothing {}
    document_json(&[run], options, &[], Nothing {})
}

impl ComparisonReport<'_> {
    /// The comparison as a JSON document.
    pub fn json(&self) -> String {
        let runs: Vec<_> = self.runs.iter().collect();
        if let Some((_, _, comparison)) = self.pair() {
            let moved = comparison.moved.iter().map(|moved| MovedDocument {
                case: &moved.key,
                before: moved.score_before(),
                after: moved.after,
                changes: self.changes_of(moved),
            });
            let pair = PairDocument {
                comparison: ComparisonDocument::new(comparison),
                causes: self.causes(),
                moved: moved.collect(),
                gates: &self.gates,
            };
            return document_json(&runs, self.options, self.own, pair);
        }
        let comparisons = runs.iter().skip(1).zip(&self.comparisons);
        let comparisons = comparisons.map(|(run, comparison)| NamedComparison {
            before: &self.runs[0].name,
            after: &run.name,
            comparison: ComparisonDocument::new(comparison),
        });
        let overview = OverviewDocument {
            comparisons: comparisons.collect(),
        };
        document_json(&runs, self.options, self.own, overview)
    }
}

fn document_json(
    runs: &[&RunScores],
    options: &ComparisonOptions,
    own: &[ComparedRun],
    more: impl Serialize,
) -> String {
    let runs = runs.iter().map(|run| RunDocument::new(run, options));
    let mut runs: Vec<_> = runs.collect();
    for (document, run) in runs.iter_mut().zip(own) {
        let (gates, scores) = (&run.gates[..], scored_cases(run));
        document.own = Some(OwnDocument { gates, scores });
    }
    let document = RunsDocument { runs, more };
    serde_json::to_string(&document)
        .expect("keys are texts, and numbers that are not finite are null")
}
