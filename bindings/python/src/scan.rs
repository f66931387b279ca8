//! Files of any size and any format, read as they are asked for.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::{io, thread};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use rightcall_formats::join::TraceIndex;
use rightcall_formats::{Choices, FORMATS, Input, Limits, OpenError, ReadError, ReadOptions};
use rightcall_results::{CaseResult, EvaluationResult, EvaluatorHead, RunSummary};
use rightcall_run::{
    Configured, FinishedRun, Observer, Output, Plan, Problem, RunError, Traces, Wants,
};

use crate::evaluation::{Evaluation, Label, Source};
use crate::evaluator::Evaluator;
use crate::run::{Row, Run, Wanted, thread_count};
use crate::settings::reading;
use crate::{arrow, errors, values};

/// Files of cases or traces. Nothing is read before it is asked for, and nothing is kept.
#[pyclass(frozen, module = "rightcall")]
#[derive(Debug)]
pub(crate) struct Scan {
    paths: Vec<PathBuf>,
    traces: Vec<PathBuf>,
    options: ReadOptions,
}

#[pymethods]
impl Scan {
    #[new]
    #[pyo3(signature = (paths, /, *, traces, format, choices))]
    fn new(
        paths: Vec<PathBuf>,
        traces: Vec<PathBuf>,
        format: Option<&str>,
        choices: Vec<(String, String)>,
    ) -> PyResult<Self> {
        let mut options = ReadOptions {
            choices: Choices::default(),
            ..*reading()
        };
        for (key, value) in choices {
            options
                .choices
                .set(&key, &value)
                .map_err(|error| PyValueError::new_err(error.to_string()))?;
        }
        if let Some(name) = format {
            let found = FORMATS.iter().copied().find(|format| format.name == name);
            options.format = Some(found.ok_or_else(|| {
                let nearest = rightcall::nearest(name, FORMATS.iter().map(|format| format.name));
                PyValueError::new_err(format!(
                    "no format is called `{name}`{}",
                    rightcall::did_you_mean(&nearest)
                ))
            })?);
        }
        Ok(Self {
            paths,
            traces,
            options,
        })
    }

    /// The cases one by one, as dicts.
    fn __iter__(&self) -> Cases {
        let unopened = self.paths.iter().rev().cloned().collect();
        Cases(Mutex::new(CasesLeft {
            unopened,
            options: self.options,
            open: None,
            texts: Vec::new(),
        }))
    }

    /// Scores the cases, and gives the evaluations one by one while the files are read.
    #[pyo3(signature = (evaluators, /, *, threads = None, details = false, alignment = false, skip_invalid = false))]
    fn results(
        &self,
        py: Python<'_>,
        evaluators: &Bound<'_, PyAny>,
        threads: Option<usize>,
        details: bool,
        alignment: bool,
        skip_invalid: bool,
    ) -> PyResult<Results> {
        let evaluators = Evaluator::of_objects(evaluators)?;
        let configured = evaluators
            .iter()
            .map(|evaluator| evaluator.again(py))
            .collect::<PyResult<Vec<_>>>()?;
        let joined = !self.traces.is_empty();
        // A format of traces is meant for them; the cases are in another.
        let format = self
            .options
            .format
            .filter(|format| !joined || !format.holds_traces());
        let task = Task {
            inputs: self.paths.clone(),
            reading: ReadOptions {
                format,
                ..self.options
            },
            traces: (self.traces.clone(), self.options),
            evaluators: configured,
            threads: thread_count(threads),
            wanted: Wanted { details, alignment },
            skip_invalid,
        };
        task.start(py, |_| {})
    }

    fn __repr__(&self) -> String {
        let paths: Vec<_> = self
            .paths
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        format!("Scan({paths:?})")
    }
}

/// The cases of files, read as they are asked for.
#[pyclass(module = "rightcall._native", frozen)]
#[derive(Debug)]
pub(crate) struct Cases(Mutex<CasesLeft>);

#[derive(Debug)]
struct CasesLeft {
    /// The next last.
    unopened: Vec<PathBuf>,
    options: ReadOptions,
    open: Option<Input>,
    /// The next last.
    texts: Vec<Result<String, ReadError>>,
}

/// Why there is no case.
enum Unread {
    Open(OpenError),
    Read(ReadError),
}

/// What is read of a file at a time.
const BLOCK: usize = 1 << 18;

#[pymethods]
impl Cases {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let next = py.detach(|| self.0.lock().unwrap_or_else(PoisonError::into_inner).next());
        match next {
            None => Ok(None),
            Some(Ok(text)) => values::object_of(py, &text).map(Some),
            Some(Err(Unread::Open(error))) => Err(errors::open(py, error)),
            Some(Err(Unread::Read(error))) => Err(errors::read(py, &error)),
        }
    }
}

impl CasesLeft {
    fn next(&mut self) -> Option<Result<String, Unread>> {
        loop {
            if let Some(text) = self.texts.pop() {
                return Some(text.map_err(Unread::Read));
            }
            let Some(input) = &mut self.open else {
                match Input::open(&self.unopened.pop()?, Limits::default(), &self.options) {
                    Ok(input) => self.open = Some(input),
                    Err(error) => return Some(Err(Unread::Open(error))),
                }
                continue;
            };
            match input.next_block(BLOCK) {
                Ok(Some(block)) => {
                    let file = Arc::clone(input.name());
                    let texts = block.records().map(|record| match &record.text {
                        Ok(text) => Ok((*text).to_owned()),
                        Err(error) => Err(error.clone().at(&file, Some(record.line))),
                    });
                    self.texts = texts.collect();
                    self.texts.reverse();
                }
                Ok(None) => self.open = None,
                Err(error) => {
                    self.open = None;
                    return Some(Err(Unread::Read(error)));
                }
            }
        }
    }
}

/// What is to be scored, by whom.
pub(crate) struct Task {
    pub(crate) inputs: Vec<PathBuf>,
    pub(crate) reading: ReadOptions,
    /// Files of runs, and how they are read.
    pub(crate) traces: (Vec<PathBuf>, ReadOptions),
    pub(crate) evaluators: Vec<Configured>,
    pub(crate) threads: usize,
    pub(crate) wanted: Wanted,
    pub(crate) skip_invalid: bool,
}

impl Task {
    /// Begins to score on a thread of its own; `adjust` completes the plan.
    pub(crate) fn start(self, py: Python<'_>, adjust: impl FnOnce(&mut Plan)) -> PyResult<Results> {
        let limits = Limits::default();
        let (files, reading, threads) = (self.traces.0, self.traces.1, self.threads);
        let mut left_out = 0;
        let traces = if files.is_empty() {
            None
        } else {
            let index = py.detach(|| {
                TraceIndex::build(&files, limits, &reading, threads, |left| {
                    left_out += u64::from(!matches!(
                        left,
                        rightcall_formats::join::LeftOutRun::WithoutId(_)
                    ));
                })
            });
            Some(Traces {
                index: index.map_err(|error| errors::index(py, error))?,
                files,
                reading,
                left_out,
            })
        };
        let mut plan = Plan {
            traces,
            evaluators: self.evaluators,
            threads: self.threads,
            ..Plan::new(self.inputs, self.reading, limits)
        };
        adjust(&mut plan);
        // Few are on their way, so whoever asks slowly keeps the files waiting.
        let (sender, receiver) = sync_channel(4);
        let wanted = self.wanted;
        let evaluators = plan.head("").evaluators.into_iter().map(Arc::new);
        let evaluators = evaluators.collect();
        let worker = thread::spawn(move || {
            let cases = CaseStream {
                sender: sender.clone(),
                wanted,
                waiting: Vec::new(),
            };
            let mut outputs: [Box<dyn Output>; 1] = [Box::new(cases)];
            rightcall_run::run(&plan, &mut outputs, &mut Problems(sender))
        });
        Ok(Results {
            wanted: self.wanted,
            skip_invalid: self.skip_invalid,
            state: Mutex::new(State {
                receiver,
                worker: Some(worker),
                evaluators,
                rows: Vec::new(),
                problems: Vec::new(),
                summary: None,
            }),
        })
    }
}

/// What a run tells while it goes on.
enum Piece {
    Cases(Vec<Arc<CaseResult>>),
    Problem(Box<Problem>),
}

/// Cases that are handed on together.
const TOGETHER: usize = 256;

/// Hands cases on.
struct CaseStream {
    sender: SyncSender<Piece>,
    wanted: Wanted,
    waiting: Vec<Arc<CaseResult>>,
}

impl CaseStream {
    fn send(&mut self) -> io::Result<()> {
        let cases = Piece::Cases(std::mem::take(&mut self.waiting));
        let nobody_listens = |_| io::Error::from(io::ErrorKind::BrokenPipe);
        self.sender.send(cases).map_err(nobody_listens)
    }
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
        self.waiting.push(Arc::clone(case));
        if self.waiting.len() < TOGETHER {
            return Ok(());
        }
        self.send()
    }

    fn finish(&mut self, _: &RunSummary) -> io::Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        self.send()
    }
}

struct Problems(SyncSender<Piece>);

impl Observer for Problems {
    fn problem(&mut self, problem: &Problem) {
        // If nobody listens any more, the output says so.
        _ = self.0.send(Piece::Problem(Box::new(problem.clone())));
    }
}

/// Evaluations, made while they are asked for. Whoever stops asking ends the work.
#[pyclass(frozen, module = "rightcall")]
#[derive(Debug)]
pub(crate) struct Results {
    wanted: Wanted,
    skip_invalid: bool,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    receiver: Receiver<Piece>,
    worker: Option<JoinHandle<Result<FinishedRun, RunError>>>,
    evaluators: Vec<Arc<EvaluatorHead>>,
    /// The next last.
    rows: Vec<Row>,
    problems: Vec<Problem>,
    summary: Option<RunSummary>,
}

impl std::fmt::Debug for Piece {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Piece")
    }
}

impl State {
    /// The next rows, in order; `None` at the end.
    fn next_rows(&mut self) -> Result<Option<Vec<Row>>, RunError> {
        if !self.rows.is_empty() {
            return Ok(Some(self.rows.drain(..).rev().collect()));
        }
        loop {
            match self.receiver.recv() {
                Ok(Piece::Problem(problem)) => self.problems.push(*problem),
                Ok(Piece::Cases(cases)) => {
                    return Ok(Some(
                        cases.iter().flat_map(|case| self.rows_of(case)).collect(),
                    ));
                }
                Err(_) => {
                    if let Some(worker) = self.worker.take() {
                        match worker.join() {
                            Ok(finished) => self.summary = Some(finished?.summary),
                            Err(panic) => std::panic::resume_unwind(panic),
                        }
                    }
                    return Ok(None);
                }
            }
        }
    }

    /// A row for each evaluator of a case.
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
    fn with_state<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut State) -> T + Send) -> T {
        py.detach(|| work(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

#[pymethods]
impl Results {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Evaluation>> {
        let next = self.with_state(py, |state| {
            if state.rows.is_empty() {
                state.rows = state.next_rows()?.unwrap_or_default();
                state.rows.reverse();
            }
            Ok(state.rows.pop())
        });
        let row = next.map_err(|error| errors::run(py, error))?;
        Ok(row.map(|row| Evaluation::new(row.result, Some(row.label), row.source)))
    }

    /// All that is left, with the summary.
    pub(crate) fn collect(&self, py: Python<'_>) -> PyResult<Run> {
        let all = self.with_state(py, |state| {
            let mut rows = Vec::new();
            while let Some(mut more) = state.next_rows()? {
                rows.append(&mut more);
            }
            Ok((
                rows,
                state.summary.clone().unwrap_or_default(),
                std::mem::take(&mut state.problems),
            ))
        });
        let (rows, summary, problems) = all.map_err(|error| errors::run(py, error))?;
        let problems = problems
            .iter()
            .map(|problem| errors::problem(py, problem))
            .collect();
        Ok(Run::new(
            rows,
            summary,
            problems,
            self.skip_invalid,
            self.wanted,
        ))
    }

    /// The evaluations as a stream of Arrow tables, made while it is read.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        slf: &Bound<'py, Self>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        _ = requested_schema;
        let (py, this) = (slf.py(), slf.clone().unbind());
        let wanted = slf.get().wanted;
        let batches = std::iter::from_fn(move || {
            let mut state = this
                .get()
                .state
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            match state.next_rows() {
                Ok(rows) => rows.map(|rows| Ok(arrow::batch_of(&rows, wanted))),
                Err(error) => Some(Err(error.to_string())),
            }
        });
        arrow::stream_of_batches(py, batches)
    }
}
