//! Evaluations of files, computed lazily.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::{io, thread};

use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use rightcall_formats::join::{LeftOutRun, RunIdentity};
use rightcall_formats::{Limits, ReadOptions};
use rightcall_report::warnings::{self, Warning};
use rightcall_results::{CaseResult, EvaluationResult, EvaluatorHead, RunSummary};
use rightcall_run::{
    Configured, FinishedRun, Investigation, Observer, Output, Plan, Problem, RunError, Traces,
    Wants,
};

use crate::evaluation::{Evaluation, Source, Wanted};
use crate::progress::Progress;
use crate::run::{Row, Run};
use crate::subject::Label;
use crate::{arrow, errors};

/// The inputs, evaluators and settings of a run.
pub(crate) struct Task {
    pub(crate) inputs: Vec<PathBuf>,
    pub(crate) reading: ReadOptions,
    /// Files of runs, and how to read them.
    pub(crate) traces: (Vec<PathBuf>, ReadOptions),
    /// Meta keys that distinguish the runs of one case, in addition to `model`.
    pub(crate) identity: Vec<String>,
    pub(crate) evaluators: Vec<Configured>,
    pub(crate) threads: usize,
    pub(crate) wanted: Wanted,
    pub(crate) skip_invalid: bool,
    pub(crate) on_problem: OnProblem,
    pub(crate) progress: Progress,
}

/// How to handle a line that cannot be scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnProblem {
    /// Raise an exception in its place.
    Raise,
    /// Add it to the problems of the run.
    Keep,
}

impl Task {
    /// Starts to score on a separate thread; `adjust` completes the plan.
    pub(crate) fn start(self, py: Python<'_>, adjust: impl FnOnce(&mut Plan)) -> PyResult<Results> {
        let limits = Limits::default();
        // No result contains the question.
        let without_questions = |reading| ReadOptions {
            questions: false,
            ..reading
        };
        let (files, reading, threads) = (
            self.traces.0,
            without_questions(self.traces.1),
            self.threads,
        );
        let mut problems = Vec::new();
        let identity = RunIdentity::new(self.identity.iter().cloned());
        let mut warnings = Vec::new();
        let hear = |left| match Warning::of_left_out(&left) {
            Some(warning) => warnings.push(warning),
            None => problems.extend(problem_of(left)),
        };
        let traces = py.detach(|| Traces::open(files, reading, limits, &identity, threads, hear));
        let traces = traces.map_err(|error| errors::index(py, error))?;
        if let (OnProblem::Raise, Some(first)) = (self.on_problem, problems.first()) {
            return Err(errors::problem(py, first));
        }
        let mut plan = Plan {
            traces,
            identity: self.identity,
            evaluators: self.evaluators,
            threads: self.threads,
            investigation: Some(Investigation::names()),
            ..Plan::new(self.inputs, without_questions(self.reading), limits)
        };
        adjust(&mut plan);
        // A small buffer: a slow consumer blocks the reading of files.
        let (sender, receiver) = sync_channel(4);
        let wanted = self.wanted;
        let evaluators = plan.head("").evaluators.into_iter().map(Arc::new);
        let evaluators = evaluators.collect();
        let worker = thread::spawn(move || {
            let pieces = Arc::new(Mutex::new(EventSender {
                sender,
                waiting: Vec::new(),
            }));
            let cases = CaseStream {
                pieces: Arc::clone(&pieces),
                wanted,
            };
            let mut outputs: [Box<dyn Output>; 1] = [Box::new(cases)];
            let finished = rightcall_run::run(&plan, &mut outputs, &mut Problems(pieces))?;
            warnings.extend(warnings::warnings(&plan, &finished));
            Ok((finished, warnings))
        });
        Ok(Results {
            wanted: self.wanted,
            skip_invalid: self.skip_invalid,
            progress: self.progress,
            state: Mutex::new(IterationState {
                receiver: Some(receiver),
                worker: Some(worker),
                on_problem: self.on_problem,
                evaluators,
                rows: Vec::new(),
                fresh: 0,
                problems,
                ended: None,
            }),
        })
    }
}

/// The error for a run in the trace files. A run without an id is ignored: it matches no case.
fn problem_of(left_out: LeftOutRun) -> Option<Problem> {
    match left_out {
        LeftOutRun::Unreadable(error) => Some(Problem::Unreadable(error)),
        LeftOutRun::Duplicate { id, first, again } => Some(Problem::Duplicate {
            id,
            trial: None,
            first: Some(first),
            again,
        }),
        _ => None,
    }
}

/// An event of a run in progress.
enum RunEvent {
    Cases(Vec<Arc<CaseResult>>),
    Problem(Box<Problem>),
}

/// The number of cases that are sent together.
const CHUNK: usize = 256;

/// Sends the events in order.
struct EventSender {
    sender: SyncSender<RunEvent>,
    waiting: Vec<Arc<CaseResult>>,
}

impl EventSender {
    fn send_cases(&mut self) -> io::Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let cases = RunEvent::Cases(std::mem::take(&mut self.waiting));
        let nobody_listens = |_| io::Error::from(io::ErrorKind::BrokenPipe);
        self.sender.send(cases).map_err(nobody_listens)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct CaseStream {
    pieces: Arc<Mutex<EventSender>>,
    wanted: Wanted,
}

impl Output for CaseStream {
    fn wants(&self) -> Wants {
        Wants {
            details: self.wanted.details,
            explanation: self.wanted.alignment,
            ..Wants::default()
        }
    }

    fn case(&mut self, case: &Arc<CaseResult>, _: &[u8]) -> io::Result<()> {
        let mut pieces = locked(&self.pieces);
        pieces.waiting.push(Arc::clone(case));
        if pieces.waiting.len() < CHUNK {
            return Ok(());
        }
        pieces.send_cases()
    }

    fn finish(&mut self, _: &RunSummary) -> io::Result<()> {
        locked(&self.pieces).send_cases()
    }
}

struct Problems(Arc<Mutex<EventSender>>);

impl Observer for Problems {
    fn problem(&mut self, problem: &Problem) {
        let mut pieces = locked(&self.0);
        // If the receiver is gone, the output reports it.
        _ = pieces.send_cases();
        _ = pieces
            .sender
            .send(RunEvent::Problem(Box::new(problem.clone())));
    }
}

/// Evaluations, computed lazily. If iteration stops, so does the work.
#[pyclass(frozen, module = "rightcall")]
#[derive(Debug)]
pub(crate) struct Results {
    wanted: Wanted,
    skip_invalid: bool,
    progress: Progress,
    state: Mutex<IterationState>,
}

/// The results of a run and its warnings.
type FinishedWork = Result<(FinishedRun, Vec<Warning>), RunError>;

#[derive(Debug)]
struct IterationState {
    /// `None` after the last event.
    receiver: Option<Receiver<RunEvent>>,
    on_problem: OnProblem,
    worker: Option<JoinHandle<FinishedWork>>,
    evaluators: Vec<Arc<EvaluatorHead>>,
    /// In reverse order: the next row is the last.
    rows: Vec<Row>,
    /// The number of cases that were not reported as progress yet.
    fresh: usize,
    problems: Vec<Problem>,
    /// The summary of the run and its warnings, set at the end.
    ended: Option<(RunSummary, Vec<Warning>)>,
}

impl std::fmt::Debug for RunEvent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Piece")
    }
}

/// Why iteration stops with an error.
enum IterationError {
    Run(RunError),
    Problem(Box<Problem>),
}

impl From<RunError> for IterationError {
    fn from(error: RunError) -> Self {
        Self::Run(error)
    }
}

impl IterationError {
    fn into_error(self, py: Python<'_>) -> PyErr {
        match self {
            Self::Run(error) => errors::run(py, error),
            Self::Problem(problem) => errors::problem(py, &problem),
        }
    }
}

impl IterationState {
    /// The next rows in order; `None` at the end.
    fn next_rows(&mut self) -> Result<Option<Vec<Row>>, IterationError> {
        if !self.rows.is_empty() {
            return Ok(Some(self.rows.drain(..).rev().collect()));
        }
        loop {
            let Some(receiver) = &self.receiver else {
                return Ok(None);
            };
            match receiver.recv() {
                Ok(RunEvent::Problem(problem)) if self.on_problem == OnProblem::Raise => {
                    self.receiver = None;
                    return Err(IterationError::Problem(problem));
                }
                Ok(RunEvent::Problem(problem)) => self.problems.push(*problem),
                Ok(RunEvent::Cases(cases)) => {
                    self.fresh += cases.len();
                    return Ok(Some(
                        cases.iter().flat_map(|case| self.rows_of(case)).collect(),
                    ));
                }
                Err(_) => {
                    if let Some(worker) = self.worker.take() {
                        match worker.join() {
                            Ok(finished) => {
                                let (finished, warnings) = finished?;
                                self.ended = Some((finished.summary, warnings));
                            }
                            Err(panic) => std::panic::resume_unwind(panic),
                        }
                    }
                    return Ok(None);
                }
            }
        }
    }

    /// The rows of a case, one for each evaluator.
    fn rows_of(&self, case: &CaseResult) -> Vec<Row> {
        let row = |(evaluator, result): (&Arc<EvaluatorHead>, _)| Row {
            label: Label {
                case: case.label.clone(),
                trial: case.trial.clone(),
            },
            result: EvaluationResult::clone(result),
            source: Source::Kept(Arc::clone(evaluator)),
        };
        self.evaluators
            .iter()
            .zip(&case.evaluations)
            .map(row)
            .collect()
    }
}

impl Results {
    fn with_state<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut IterationState) -> T + Send,
    ) -> T {
        py.detach(|| work(&mut locked(&self.state)))
    }

    /// The next rows. Also reports progress.
    fn next_rows(&self, py: Python<'_>) -> PyResult<Option<Vec<Row>>> {
        let next = self.with_state(py, |state| {
            let rows = state.next_rows()?;
            Ok::<_, IterationError>((rows, std::mem::take(&mut state.fresh)))
        });
        let next = next.map_err(|broken| broken.into_error(py));
        // Let Ctrl-C interrupt while waiting for more rows.
        py.check_signals()?;
        match next {
            Ok((Some(rows), cases)) => {
                self.progress.advance(py, cases)?;
                Ok(Some(rows))
            }
            Ok((None, _)) => self.progress.close(py).map(|()| None),
            Err(error) => self.progress.close(py).and(Err(error)),
        }
    }
}

#[pymethods]
impl Results {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Evaluation>> {
        let waiting = self.with_state(py, |state| state.rows.pop());
        let row = match waiting {
            Some(row) => Some(row),
            None => self.next_rows(py)?.and_then(|mut rows| {
                rows.reverse();
                let first = rows.pop();
                self.with_state(py, |state| state.rows = rows);
                first
            }),
        };
        Ok(row.map(Row::into_evaluation))
    }

    /// All remaining evaluations, with the summary.
    pub(crate) fn collect(&self, py: Python<'_>) -> PyResult<Run> {
        let mut rows = Vec::new();
        while let Some(mut more) = self.next_rows(py)? {
            rows.append(&mut more);
        }
        let ended = self.with_state(py, |state| state.ended.clone());
        let (summary, warnings) = ended.unwrap_or_default();
        let problems = self.problems(py);
        Ok(Run::new(
            rows,
            &summary,
            &warnings,
            problems,
            self.skip_invalid,
            self.wanted,
        ))
    }

    /// The errors so far, as exceptions. Without `skip_invalid` they are raised instead.
    #[getter]
    fn problems(&self, py: Python<'_>) -> Vec<Py<PyAny>> {
        let problems = self.with_state(py, |state| state.problems.clone());
        problems
            .iter()
            .map(|problem| errors::problem(py, problem).into_value(py).into_any())
            .collect()
    }

    /// The evaluations as a stream of Arrow tables, computed while it is read.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        slf: &Bound<'py, Self>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        _ = requested_schema;
        let (py, this) = (slf.py(), slf.clone().unbind());
        let wanted = slf.get().wanted;
        let batches = std::iter::from_fn(move || {
            Python::attach(|py| match this.get().next_rows(py) {
                Ok(rows) => rows.map(|rows| Ok(py.detach(|| arrow::batch_of(&rows, wanted)))),
                Err(error) => Some(Err(error.value(py).to_string())),
            })
        });
        arrow::stream_of_batches(py, batches)
    }
}
