//! A run or a file, as a comparison takes it: its scores, and where its cases are in full.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use rightcall::Explanation;
use rightcall_formats::{ReadOptions, read_case};
use rightcall_run::{
    CaseRecord, Cause, Configured, Observer, Plan, RecordedOutcome, Recording, ResultRecord,
    ResultsOptions, RunError, ScoredBlock, Sink, Summary, causes, meta_number,
};
use rightcall_stats::{Measurement, MovedCase, RunScores, TrialScores};
use rightcall_store::{History, StoreError};

/// A run or a file, as a comparison takes it.
#[derive(Debug)]
pub struct ComparedRun {
    /// What evaluators made of its cases.
    pub scores: RunScores,
    source: CaseSource,
}

/// Where the cases are with their alignments.
#[derive(Debug)]
enum CaseSource {
    /// In the history, by the number of the case.
    History {
        history: History,
        run: i64,
        numbers: Vec<u64>,
    },
    /// Here.
    Memory(Vec<Arc<CaseRecord>>),
    /// Nowhere.
    Nowhere,
}

impl ComparedRun {
    /// Scores of which nothing else is known.
    pub fn from_scores(scores: RunScores) -> Self {
        Self {
            scores,
            source: CaseSource::Nowhere,
        }
    }

    /// A run of the history.
    ///
    /// # Errors
    /// Where there is no such run, or the history cannot be read.
    pub fn from_history(
        history: History,
        run: i64,
        options: &ResultsOptions,
    ) -> Result<Self, StoreError> {
        let (scores, numbers) = history.results(run, options)?;
        let source = CaseSource::History {
            history,
            run,
            numbers,
        };
        Ok(Self { scores, source })
    }

    /// What comes of a plan, under this name. All of its cases are held in memory.
    ///
    /// # Errors
    /// An input that cannot be opened. What cannot be read is told to the observer.
    pub fn from_plan(
        name: String,
        plan: Plan,
        options: &ResultsOptions,
        observer: &mut dyn Observer,
    ) -> Result<Self, RunError> {
        let plan = Plan {
            recording: Some(Arc::new(Recording::new(usize::MAX))),
            ..plan
        };
        let mut records = Vec::new();
        let sink: Box<dyn Sink + '_> = Box::new(RecordCollector(&mut records));
        rightcall_run::run(&plan, &mut [sink], observer)?;
        let scores = RunScores {
            name,
            measures: plan
                .evaluators
                .iter()
                .map(Configured::label)
                .map(ToOwned::to_owned)
                .collect(),
            cases: records.iter().map(|it| trial_of(it, options)).collect(),
        };
        Ok(Self {
            scores,
            source: CaseSource::Memory(records),
        })
    }

    /// The causes that the alignments of a case show, of the trial with the lowest or highest score.
    fn causes(&self, key: &str, lowest: bool) -> BTreeSet<Cause> {
        let found = self.scores.extreme_trial(key, lowest);
        let Some((json, alignments)) = found.and_then(|position| self.alignments(position)) else {
            return BTreeSet::new();
        };
        let Ok(case) = read_case(&json, &ReadOptions::default()) else {
            return BTreeSet::new();
        };
        alignments
            .iter()
            .filter_map(|text| Explanation::from_json(text).ok())
            .flat_map(|explanation| causes(&case, &explanation))
            .collect()
    }

    /// The text of the case at a position, and its alignments.
    fn alignments(&self, position: usize) -> Option<(String, Vec<String>)> {
        match &self.source {
            CaseSource::History {
                history,
                run,
                numbers,
            } => {
                let case = history.case(*run, numbers[position]).ok()??;
                let evaluations = case.evaluations.into_iter();
                Some((
                    case.json,
                    evaluations.filter_map(|it| it.alignment).collect(),
                ))
            }
            CaseSource::Memory(records) => {
                let record = &records[position];
                let evaluations = record.evaluations.iter();
                Some((
                    record.case.clone(),
                    evaluations.filter_map(|it| it.alignment.clone()).collect(),
                ))
            }
            CaseSource::Nowhere => None,
        }
    }
}

/// What changed in the alignment of a case that moved, in words.
pub fn alignment_changes(
    before: &ComparedRun,
    after: &ComparedRun,
    moved: &MovedCase,
) -> Vec<String> {
    let (worse, key) = (moved.is_worse(), &moved.key);
    let (was, is) = (before.causes(key, !worse), after.causes(key, worse));
    let new = is.difference(&was).map(|cause| format!("now {cause}"));
    let gone = was
        .difference(&is)
        .map(|cause| format!("no longer: {cause}"));
    if worse {
        new.chain(gone).collect()
    } else {
        gone.chain(new).collect()
    }
}

fn trial_of(record: &Arc<CaseRecord>, options: &ResultsOptions) -> TrialScores {
    let (trial, meta) = (record.trial.as_deref(), record.meta.as_deref());
    let field = options.field.as_ref();
    TrialScores {
        key: options
            .key
            .of(&record.label, trial, meta)
            .unwrap_or_else(|| record.label.clone()),
        label: record.label.clone(),
        trial: record.trial.clone(),
        values: record.evaluations.iter().map(measurement).collect(),
        overall: measurement(&record.result),
        field: field.and_then(|field| meta_number(meta?, field)),
    }
}

/// An error is no score, and not passed.
fn measurement(result: &ResultRecord) -> Measurement {
    let (score, passed) = match result.outcome {
        RecordedOutcome::Scored(score) => (Some(score), result.passed),
        RecordedOutcome::NotApplicable(_) => (None, result.passed),
        RecordedOutcome::Error(_) => (None, Some(false)),
    };
    Measurement { score, passed }
}

/// Keeps all records.
struct RecordCollector<'r>(&'r mut Vec<Arc<CaseRecord>>);

impl Sink for RecordCollector<'_> {
    fn block(&mut self, scored: &ScoredBlock) -> io::Result<()> {
        self.0.extend(scored.records().flatten().map(Arc::clone));
        Ok(())
    }

    fn finish(&mut self, _: &Summary) -> io::Result<()> {
        Ok(())
    }
}
