//! A run or a file in a comparison: its scores, and where to find its cases in full.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::io;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rightcall_results::{CaseResult, Ending, GateResult, RunSummary};
use rightcall_run::{
    Configured, FinishedRun, Observer, Output, Plan, ResultsOptions, RunError, Wants,
};
use rightcall_stats::{CommonEvaluators, RunScores, TrialIndex, trials_of_both};
use rightcall_store::{History, RunSettings, StoreError};

use crate::explain_command::ExplainCommand;
use crate::run_facts::run_told;

/// A run or a file in a comparison.
#[derive(Clone, Debug)]
pub struct ComparedRun {
    /// The scores of its cases.
    pub scores: RunScores,
    /// Each evaluator with settings and edition, as an argument of `-e`; empty if unknown.
    pub settings: Vec<String>,
    /// Further facts about the run, for people; may be empty.
    pub about: String,
    /// The gates of its suite, if known.
    pub gates: Vec<GateResult>,
    /// True if a gate, a verdict or an input of a run that just ended failed.
    pub has_failed: bool,
    /// The command that explains one of its cases; `None` if no command can.
    pub explain: Option<ExplainCommand>,
    source: CaseSource,
    trials: OnceCell<TrialIndex>,
}

/// Causes by case number: the text of each, and true if it counts.
type KeptCauses = HashMap<u64, Vec<(String, bool)>>;

/// The results of a finished run in the history. They never change, so comparisons share them:
/// reading them takes most of a comparison's time.
#[derive(Debug)]
pub struct StoredScores {
    run: i64,
    scores: RunScores,
    numbers: Vec<u64>,
    causes: OnceLock<KeptCauses>,
}

impl StoredScores {
    /// Reads the results of the selected cases.
    ///
    /// # Errors
    /// The run does not exist, or the history cannot be read.
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

/// Where to find the cases with their alignments.
#[derive(Clone, Debug)]
enum CaseSource {
    /// In the history.
    History(StoredCases),
    /// In memory.
    Memory(Vec<Arc<CaseResult>>),
    /// Not available.
    Nowhere,
}

/// Cases of a stored run: all of them, or a part.
#[derive(Clone, Debug)]
struct StoredCases {
    history: Rc<History>,
    stored: Arc<StoredScores>,
    /// Their numbers in the history.
    numbers: Vec<u64>,
}

impl ComparedRun {
    /// Scores without further data.
    pub fn from_scores(scores: RunScores) -> Self {
        Self {
            scores,
            settings: Vec::new(),
            about: String::new(),
            gates: Vec::new(),
            has_failed: false,
            explain: None,
            source: CaseSource::Nowhere,
            trials: OnceCell::new(),
        }
    }

    /// A run of the history.
    ///
    /// # Errors
    /// The run does not exist, or the history cannot be read.
    pub fn from_history(
        history: Rc<History>,
        run: i64,
        options: &ResultsOptions,
    ) -> Result<Self, StoreError> {
        let stored = StoredScores::read(&history, run, options)?;
        Self::from_stored(history, Arc::new(stored))
    }

    /// A run of the history, with its results already read.
    ///
    /// # Errors
    /// The run does not exist any more, or the history cannot be read.
    pub fn from_stored(
        history: Rc<History>,
        stored: Arc<StoredScores>,
    ) -> Result<Self, StoreError> {
        let row = history.run(stored.run)?;
        let gates = history.summary(&row)?.gates;
        let (scores, numbers) = (stored.scores.clone(), stored.numbers.clone());
        let source = StoredCases {
            history,
            stored,
            numbers,
        };
        Ok(Self {
            settings: RunSettings::from_json(&row.about.settings).into_arguments(),
            about: run_told(&row),
            gates,
            source: CaseSource::History(source),
            ..Self::from_scores(scores)
        })
    }

    /// Scores the cases of a plan, under this name. All cases are held in memory. Also returns the finished run.
    ///
    /// # Errors
    /// An input that cannot be opened. Records that cannot be parsed are reported to the observer.
    pub fn from_plan(
        name: String,
        plan: &Plan,
        options: &ResultsOptions,
        observer: &mut dyn Observer,
    ) -> Result<(Self, FinishedRun), RunError> {
        let cases = CollectedCases::default();
        let finished = rightcall_run::run(plan, &mut [cases.output()], observer)?;
        let run = Self::from_cases(name, &plan.evaluators, &cases, options);
        Ok((run, finished))
    }

    /// Cases that an output received from a run, under this name.
    pub fn from_cases(
        name: String,
        evaluators: &[Configured],
        cases: &CollectedCases,
        options: &ResultsOptions,
    ) -> Self {
        let CollectedRun {
            cases,
            gates,
            has_failed,
        } = cases.take();
        let collected = cases.into_iter();
        let (scores, cases) = collected
            .filter_map(|case| Some((options.scores(&case)?, case)))
            .unzip();
        let label = |it: &Configured| it.label().to_owned();
        Self {
            settings: evaluators.iter().map(|it| it.argument.clone()).collect(),
            gates,
            has_failed,
            source: CaseSource::Memory(cases),
            ..Self::from_scores(RunScores {
                name,
                measures: evaluators.iter().map(label).collect(),
                cases: scores,
            })
        }
    }

    /// Splits the run into one run per side that its cases name, sorted by name. Also returns the
    /// number of cases without a side.
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

    /// The cases at these indices, as a run with this name.
    fn part(&self, name: &str, positions: &[usize]) -> Self {
        let source = match &self.source {
            CaseSource::History(all) => CaseSource::History(StoredCases {
                numbers: positions.iter().map(|at| all.numbers[*at]).collect(),
                ..all.clone()
            }),
            CaseSource::Memory(cases) => {
                CaseSource::Memory(positions.iter().map(|at| Arc::clone(&cases[*at])).collect())
            }
            CaseSource::Nowhere => CaseSource::Nowhere,
        };
        let cases = positions.iter().map(|at| self.scores.cases[*at].clone());
        Self {
            settings: self.settings.clone(),
            about: self.about.clone(),
            source,
            ..Self::from_scores(RunScores {
                name: name.to_owned(),
                measures: self.scores.measures.clone(),
                cases: cases.collect(),
            })
        }
    }

    /// Its gates, each with its name.
    pub(super) fn named_gates(&self) -> impl Iterator<Item = (&str, &GateResult)> {
        self.gates
            .iter()
            .map(|gate| (self.scores.name.as_str(), gate))
    }

    /// The cases in memory with their results; empty for other sources.
    pub(crate) fn kept(&self) -> &[Arc<CaseResult>] {
        match &self.source {
            CaseSource::Memory(cases) => cases,
            _ => &[],
        }
    }

    /// The index of the trials of each case; the cases must not change after the first call.
    pub fn trials(&self) -> &TrialIndex {
        self.trials.get_or_init(|| self.scores.trial_index())
    }

    /// The trials of a case that both runs have and the same evaluators scored, as indices into
    /// each run.
    pub fn alike_trials(runs: [&Self; 2], key: &str) -> [Vec<usize>; 2] {
        Self::trials_of_common_evaluators(runs, key, true)
    }

    /// Like [`alike_trials`](Self::alike_trials). If `only_of_both` is false, trials of only one
    /// run are included, so their causes are not reported as new.
    pub(super) fn trials_of_common_evaluators(
        runs: [&Self; 2],
        key: &str,
        only_of_both: bool,
    ) -> [Vec<usize>; 2] {
        let mut positions = runs.map(|run| run.trials().trials(key).to_vec());
        let trials_at = |positions: &[Vec<usize>; 2]| {
            [0, 1].map(|side| {
                let cases = &runs[side].scores.cases;
                let trials = positions[side].iter().map(|at| &cases[*at]);
                trials.collect::<Vec<_>>()
            })
        };
        let trials = trials_at(&positions);
        let kept = trials_of_both([&trials[0], &trials[1]]);
        if let Some(kept) = kept.filter(|_| only_of_both) {
            for (positions, kept) in positions.iter_mut().zip(&kept) {
                let mut kept = kept.iter();
                positions.retain(|_| kept.next().is_some_and(|it| *it));
            }
        }
        let trials = trials_at(&positions);
        let evaluators = CommonEvaluators::new(&runs[0].scores, &runs[1].scores);
        let kept = evaluators.scored([&trials[0], &trials[1]]);
        [0, 1].map(|side| {
            let all = positions[side].iter().zip(&kept[side]);
            all.filter(|it| *it.1).map(|it| *it.0).collect()
        })
    }

    /// The case numbers in the history; empty for other sources.
    pub fn numbers(&self) -> &[u64] {
        match &self.source {
            CaseSource::History(stored) => &stored.numbers,
            _ => &[],
        }
    }

    /// The case at this index, with its alignments.
    ///
    /// # Errors
    /// The history cannot be read.
    pub(super) fn case(&self, position: usize) -> Result<Option<Arc<CaseResult>>, StoreError> {
        match &self.source {
            CaseSource::History(it) => {
                let case = it.history.case(it.stored.run, it.numbers[position])?;
                Ok(case.map(Arc::new))
            }
            CaseSource::Memory(cases) => Ok(Some(Arc::clone(&cases[position]))),
            CaseSource::Nowhere => Ok(None),
        }
    }

    /// Passes the index and the canonical JSON text of each case to `each`, if cases are available.
    ///
    /// # Errors
    /// The history cannot be read.
    pub(super) fn each_text(&self, mut each: impl FnMut(usize, &str)) -> Result<(), StoreError> {
        match &self.source {
            CaseSource::History(it) => {
                let places = it.numbers.iter().enumerate();
                let places: HashMap<u64, usize> =
                    places.map(|(at, number)| (*number, at)).collect();
                it.history.each_text(it.stored.run, |number, json| {
                    if let Some(at) = places.get(&number) {
                        each(*at, json);
                    }
                })
            }
            CaseSource::Memory(cases) => {
                let kept = cases.iter().enumerate();
                let kept = kept.filter_map(|(at, case)| Some((at, case.case.as_ref()?)));
                kept.for_each(|(at, case)| each(at, &case.json));
                Ok(())
            }
            CaseSource::Nowhere => Ok(()),
        }
    }

    /// The causes of the case at this index, in the wording of pages.
    ///
    /// # Errors
    /// The history cannot be read.
    pub(super) fn causes(&self, position: usize) -> Result<BTreeSet<String>, StoreError> {
        if let CaseSource::History(it) = &self.source {
            let kept = it.stored.causes(&it.history)?;
            let causes = kept.get(&it.numbers[position]).into_iter().flatten();
            return Ok(causes.map(|(cause, _)| cause.clone()).collect());
        }
        let case = self.case(position)?;
        let causes = case.iter().flat_map(|case| &case.causes);
        Ok(causes.map(|it| it.cause.to_string()).collect())
    }

    /// For each cause, the number of failed or low cases, without the cases with a key in `alone`.
    /// `None` if counting would parse every case.
    ///
    /// # Errors
    /// The history cannot be read.
    pub(super) fn counted_causes(
        &self,
        alone: &[String],
    ) -> Result<Option<HashMap<String, usize>>, StoreError> {
        let alone: HashSet<&str> = alone.iter().map(String::as_str).collect();
        let is_shared = |at: &usize| !alone.contains(self.scores.cases[*at].key.as_str());
        let shared = (0..self.scores.cases.len()).filter(is_shared);
        let mut counts: HashMap<String, usize> = HashMap::new();
        let mut add = |cause: &str| match counts.get_mut(cause) {
            Some(number) => *number += 1,
            None => drop(counts.insert(cause.to_owned(), 1)),
        };
        match &self.source {
            CaseSource::History(it) => {
                let kept = it.stored.causes(&it.history)?;
                let causes = shared.filter_map(|at| kept.get(&it.numbers[at]));
                let causes = causes.flatten().filter(|(_, counts)| *counts);
                causes.for_each(|(cause, _)| add(cause));
            }
            CaseSource::Memory(cases) => {
                let causes = shared.flat_map(|at| cases[at].counted_causes());
                causes.for_each(|cause| add(&cause.to_string()));
            }
            CaseSource::Nowhere => return Ok(None),
        }
        Ok(Some(counts))
    }
}

/// Collects the cases of a run, to compare it when it has ended.
#[derive(Clone, Debug, Default)]
pub struct CollectedCases(Arc<Mutex<CollectedRun>>);

#[derive(Debug, Default)]
struct CollectedRun {
    cases: Vec<Arc<CaseResult>>,
    gates: Vec<GateResult>,
    has_failed: bool,
}

impl CollectedCases {
    /// The output that collects them.
    pub fn output(&self) -> Box<dyn Output> {
        Box::new(CaseCollector(self.clone()))
    }

    fn take(&self) -> CollectedRun {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Keeps all cases.
struct CaseCollector(CollectedCases);

impl CaseCollector {
    fn run(&self) -> MutexGuard<'_, CollectedRun> {
        let CollectedCases(run) = &self.0;
        run.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Output for CaseCollector {
    fn wants(&self) -> Wants {
        Wants::everything()
    }

    fn case(&mut self, case: &Arc<CaseResult>, _: &[u8]) -> io::Result<()> {
        self.run().cases.push(Arc::clone(case));
        Ok(())
    }

    fn finish(&mut self, summary: &RunSummary) -> io::Result<()> {
        let mut run = self.run();
        run.gates.clone_from(&summary.gates);
        run.has_failed = summary.ending(false) != Ending::Fine;
        Ok(())
    }
}
