//! A run or a file, as a comparison takes it: its scores, and where its cases are in full.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::io;
use std::sync::Arc;

use rightcall_formats::{ReadOptions, read_case};
use rightcall_results::{CaseResult, Cause, RunSummary, causes};
use rightcall_run::{Configured, Observer, Output, Plan, ResultsOptions, RunError, Wants};
use rightcall_stats::{MovedCase, RunScores};
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
    Memory(Vec<Arc<CaseResult>>),
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
        plan: &Plan,
        options: &ResultsOptions,
        observer: &mut dyn Observer,
    ) -> Result<Self, RunError> {
        let mut cases = Vec::new();
        let output: Box<dyn Output + '_> = Box::new(CaseCollector(&mut cases));
        rightcall_run::run(plan, &mut [output], observer)?;
        let scores = RunScores {
            name,
            measures: plan
                .evaluators
                .iter()
                .map(Configured::label)
                .map(ToOwned::to_owned)
                .collect(),
            cases: cases.iter().map(|case| options.scores(case)).collect(),
        };
        Ok(Self {
            scores,
            source: CaseSource::Memory(cases),
        })
    }

    /// The causes that the alignments of a case show, of the trial with the lowest or highest score.
    fn causes(&self, key: &str, lowest: bool) -> BTreeSet<Cause> {
        let found = self.scores.extreme_trial(key, lowest);
        let result = found.and_then(|position| self.case(position));
        result
            .map(|result| case_causes(&result))
            .unwrap_or_default()
    }

    /// The case at a position, with its alignments.
    fn case(&self, position: usize) -> Option<Arc<CaseResult>> {
        match &self.source {
            CaseSource::History {
                history,
                run,
                numbers,
            } => history.case(*run, numbers[position]).ok()?.map(Arc::new),
            CaseSource::Memory(cases) => Some(Arc::clone(&cases[position])),
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
    cause_changes(
        &before.causes(key, !worse),
        &after.causes(key, worse),
        worse,
    )
}

/// The causes that the alignments of a case show.
pub fn case_causes(result: &CaseResult) -> BTreeSet<Cause> {
    let json = result.case.as_ref().map_or("", |kept| kept.json.as_str());
    let Ok(case) = read_case(json, &ReadOptions::default()) else {
        return BTreeSet::new();
    };
    let evaluations = result.evaluations.iter();
    let explanations = evaluations.filter_map(|it| it.explanation.as_ref());
    explanations.flat_map(|it| causes(&case, it)).collect()
}

/// Which causes came and which went, in words: what made a case worse comes first, or what made it better.
pub fn cause_changes<C: Ord + Display>(
    was: &BTreeSet<C>,
    is: &BTreeSet<C>,
    worse: bool,
) -> Vec<String> {
    let new = is.difference(was).map(|cause| format!("now {cause}"));
    let gone = was
        .difference(is)
        .map(|cause| format!("no longer: {cause}"));
    if worse {
        new.chain(gone).collect()
    } else {
        gone.chain(new).collect()
    }
}

/// Keeps all cases.
struct CaseCollector<'c>(&'c mut Vec<Arc<CaseResult>>);

impl Output for CaseCollector<'_> {
    fn wants(&self) -> Wants {
        Wants::everything()
    }

    fn case(&mut self, case: &Arc<CaseResult>, _: &[u8]) -> io::Result<()> {
        self.0.push(Arc::clone(case));
        Ok(())
    }

    fn finish(&mut self, _: &RunSummary) -> io::Result<()> {
        Ok(())
    }
}
