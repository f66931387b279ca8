//! A run or a file, as a comparison takes it: its scores, and where its cases are in full.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};
use std::io;
use std::rc::Rc;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rightcall_results::{CaseResult, GateResult};
use rightcall_run::{Configured, Observer, Output, Plan, ResultsOptions, RunError, Wants};
use rightcall_stats::{RunScores, TrialIndex};
use rightcall_store::{History, RunSettings, StoreError};

use crate::run_facts::run_told;

/// A run or a file, as a comparison takes it.
#[derive(Clone, Debug)]
pub struct ComparedRun {
    /// What evaluators made of its cases.
    pub scores: RunScores,
    /// Each evaluator with its settings and edition, as `-e` takes it; empty where that is not known.
    pub settings: Vec<String>,
    /// What else is known of the run, for people; empty where nothing is.
    pub about: String,
    /// The gates of its suite, where they are known.
    pub gates: Vec<GateResult>,
    source: CaseSource,
    trials: OnceCell<TrialIndex>,
}

/// Causes in words, by the number of the case, each with whether it counts.
type KeptCauses = HashMap<u64, Vec<(String, bool)>>;

/// The results of a finished run in the history. They never change, so comparisons can share them: to read them takes most of the time
/// of a comparison.
#[derive(Debug)]
pub struct StoredScores {
    run: i64,
    scores: RunScores,
    numbers: Vec<u64>,
    causes: OnceLock<KeptCauses>,
}

impl StoredScores {
    /// Reads the results of the cases that the options choose.
    ///
    /// # Errors
    /// Where there is no such run, or the history cannot be read.
    pub fn read(history: &History, run: i64, options: &ResultsOptions) -> Result<Self, StoreError> {
        let (scores, numbers) = history.results(run, options)?;
        Ok(Self {
            run,
            scores,
            numbers,
            causes: OnceLock::new(),
        })
    }

    /// The causes of all cases of the run, read once.
    fn causes(&self, history: &History) -> Result<&KeptCauses, StoreError> {
        if let Some(known) = self.causes.get() {
            return Ok(known);
        }
        let causes = history.causes(self.run)?;
        Ok(self.causes.get_or_init(|| causes))
    }
}

/// Where the cases are with their alignments.
#[derive(Clone, Debug)]
enum CaseSource {
    /// In the history, by the number of the case.
    History {
        history: Rc<History>,
        stored: Arc<StoredScores>,
        /// Those of this run, which may be a part.
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
            settings: Vec::new(),
            about: String::new(),
            gates: Vec::new(),
            source: CaseSource::Nowhere,
            trials: OnceCell::new(),
        }
    }

    /// A run of the history.
    ///
    /// # Errors
    /// Where there is no such run, or the history cannot be read.
    pub fn from_history(
        history: Rc<History>,
        run: i64,
        options: &ResultsOptions,
    ) -> Result<Self, StoreError> {
        let stored = StoredScores::read(&history, run, options)?;
        Self::from_stored(history, Arc::new(stored))
    }

    /// A run of the history of which the results were read before.
    ///
    /// # Errors
    /// Where there is no such run any more, or the history cannot be read.
    pub fn from_stored(
        history: Rc<History>,
        stored: Arc<StoredScores>,
    ) -> Result<Self, StoreError> {
        let row = history.run(stored.run)?;
        let gates = history.summary(&row)?.gates;
        let (scores, numbers) = (stored.scores.clone(), stored.numbers.clone());
        let source = CaseSource::History {
            history,
            stored,
            numbers,
        };
        Ok(Self {
            settings: RunSettings::from_json(&row.about.settings).into_arguments(),
            about: run_told(&row),
            gates,
            source,
            ..Self::from_scores(scores)
        })
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
        let cases = CollectedCases::default();
        rightcall_run::run(plan, &mut [cases.output()], observer)?;
        Ok(Self::from_cases(name, &plan.evaluators, &cases, options))
    }

    /// Cases that a run has given to an output, under this name.
    pub fn from_cases(
        name: String,
        evaluators: &[Configured],
        cases: &CollectedCases,
        options: &ResultsOptions,
    ) -> Self {
        let meant = cases.take().into_iter();
        let (scores, cases) = meant
            .filter_map(|case| Some((options.scores(&case)?, case)))
            .unzip();
        let label = |it: &Configured| it.label().to_owned();
        Self {
            settings: evaluators.iter().map(|it| it.argument.clone()).collect(),
            source: CaseSource::Memory(cases),
            ..Self::from_scores(RunScores {
                name,
                measures: evaluators.iter().map(label).collect(),
                cases: scores,
            })
        }
    }

    /// One run for each side that its cases name, by name, and how many cases name none.
    pub fn split(&self) -> (Vec<Self>, usize) {
        let cases = &self.scores.cases;
        let sides: BTreeSet<&String> = cases.iter().flat_map(|case| &case.sides).collect();
        let runs = sides.into_iter().map(|side| {
            let positions = 0..cases.len();
            let positions: Vec<usize> = positions
                .filter(|at| cases[*at].sides.contains(side))
                .collect();
            self.part(side, &positions)
        });
        let without = cases.iter().filter(|case| case.sides.is_empty()).count();
        (runs.collect(), without)
    }

    /// The cases at these positions, as a run of this name.
    fn part(&self, name: &str, positions: &[usize]) -> Self {
        let source = match &self.source {
            CaseSource::History {
                history,
                stored,
                numbers,
            } => CaseSource::History {
                history: Rc::clone(history),
                stored: Arc::clone(stored),
                numbers: positions.iter().map(|at| numbers[*at]).collect(),
            },
            CaseSource::Memory(cases) => {
                CaseSource::Memory(positions.iter().map(|at| Arc::clone(&cases[*at])).collect())
            }
            CaseSource::Nowhere => CaseSource::Nowhere,
        };
        let cases = positions.iter().map(|at| self.scores.cases[*at].clone());
        Self {
            settings: self.settings.clone(),
            about: self.about.clone(),
            gates: Vec::new(),
            source,
            ..Self::from_scores(RunScores {
                name: name.to_owned(),
                measures: self.scores.measures.clone(),
                cases: cases.collect(),
            })
        }
    }

    /// Where the trials of its cases stand, which are the same from now on.
    pub fn trials(&self) -> &TrialIndex {
        self.trials.get_or_init(|| self.scores.trial_index())
    }

    /// The numbers of its cases in the history; none where they are elsewhere.
    pub fn numbers(&self) -> &[u64] {
        match &self.source {
            CaseSource::History { numbers, .. } => numbers,
            _ => &[],
        }
    }

    /// The case at a position, with its alignments.
    ///
    /// # Errors
    /// Where the history cannot be read.
    pub(super) fn case(&self, position: usize) -> Result<Option<Arc<CaseResult>>, StoreError> {
        match &self.source {
            CaseSource::History {
                history,
                stored,
                numbers,
            } => Ok(history.case(stored.run, numbers[position])?.map(Arc::new)),
            CaseSource::Memory(cases) => Ok(Some(Arc::clone(&cases[position]))),
            CaseSource::Nowhere => Ok(None),
        }
    }

    /// The causes of the case at a position, in the words that pages show.
    ///
    /// # Errors
    /// Where the history cannot be read.
    pub(super) fn causes(&self, position: usize) -> Result<BTreeSet<String>, StoreError> {
        if let CaseSource::History {
            history,
            stored,
            numbers,
        } = &self.source
        {
            let kept = stored.causes(history)?;
            let causes = kept.get(&numbers[position]).into_iter().flatten();
            return Ok(causes.map(|(cause, _)| cause.clone()).collect());
        }
        let case = self.case(position)?;
        let causes = case.iter().flat_map(|case| &case.causes);
        Ok(causes.map(|it| it.cause.to_string()).collect())
    }

    /// How many of the cases that an evaluator failed, or scored below 1, show each cause; `None` where that is not known without reading
    /// each case.
    ///
    /// # Errors
    /// Where the history cannot be read.
    pub(super) fn counted_causes(&self) -> Result<Option<HashMap<String, usize>>, StoreError> {
        let mut counts: HashMap<String, usize> = HashMap::new();
        let mut add = |cause: &str| match counts.get_mut(cause) {
            Some(number) => *number += 1,
            None => drop(counts.insert(cause.to_owned(), 1)),
        };
        match &self.source {
            CaseSource::History {
                history,
                stored,
                numbers,
            } => {
                let kept = stored.causes(history)?;
                let causes = numbers.iter().filter_map(|number| kept.get(number));
                let causes = causes.flatten().filter(|(_, counts)| *counts);
                causes.for_each(|(cause, _)| add(cause));
            }
            CaseSource::Memory(cases) => {
                let causes = cases.iter().flat_map(|case| case.counted_causes());
                causes.for_each(|cause| add(&cause.to_string()));
            }
            CaseSource::Nowhere => return Ok(None),
        }
        Ok(Some(counts))
    }
}

/// The cases of a run, to be compared when it has ended.
#[derive(Clone, Debug, Default)]
pub struct CollectedCases(Arc<Mutex<Vec<Arc<CaseResult>>>>);

impl CollectedCases {
    /// The output that takes them.
    pub fn output(&self) -> Box<dyn Output> {
        Box::new(CaseCollector(self.clone()))
    }

    fn take(&self) -> Vec<Arc<CaseResult>> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Keeps all cases.
struct CaseCollector(CollectedCases);

impl Output for CaseCollector {
    fn wants(&self) -> Wants {
        Wants::everything()
    }

    fn case(&mut self, case: &Arc<CaseResult>, _: &[u8]) -> io::Result<()> {
        let CollectedCases(cases) = &self.0;
        let mut cases = cases.lock().unwrap_or_else(PoisonError::into_inner);
        cases.push(Arc::clone(case));
        Ok(())
    }
}
