//! Files of any size and any format, read as they are asked for.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::{io, thread};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use rightcall::value::{Kind as JsonKind, Reader, Syntax, SyntaxError};
use rightcall_formats::join::TraceIndex;
use rightcall_formats::{Choices, FORMATS, Input, Limits, OpenError, ReadError, ReadOptions};
use rightcall_run::{
    Configured, JsonLines, Observer, Plan, Problem, RunError, ScoredBlock, Sink, Summary, Traces,
    Wanted as WantedLines,
};

use crate::evaluation::{Asked, Evaluation, Kind, Label, Source, Told};
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
                        rightcall_formats::join::LeftOut::WithoutId(_)
                    ));
                })
            });
            Some(Traces {
                index: index.map_err(|error| errors::index(py, error))?,
                files,
                reading,
            })
        };
        let asked = self.evaluators.iter().map(|configured| {
            Arc::new(Asked {
                id: configured.evaluator.id().to_owned(),
                name: configured.name.clone(),
            })
        });
        let asked: Vec<_> = asked.collect();
        let lines = JsonLines {
            details: self.wanted.details,
            explained: self.wanted.alignment,
        };
        let mut plan = Plan {
            traces,
            evaluators: self.evaluators,
            wanted: WantedLines {
                json: Some(lines),
                csv: None,
            },
            threads: self.threads,
            ..Plan::new(self.inputs, self.reading, limits)
        };
        adjust(&mut plan);
        // Few are on their way, so whoever asks slowly keeps the files waiting.
        let (sender, receiver) = sync_channel(4);
        let worker = thread::spawn(move || {
            let mut sinks: [Box<dyn Sink>; 1] = [Box::new(Rows {
                sender: sender.clone(),
            })];
            let mut summary = rightcall_run::run(&plan, &mut sinks, &mut Problems(sender))?;
            summary.unreadable += left_out;
            Ok(summary)
        });
        Ok(Results {
            wanted: self.wanted,
            skip_invalid: self.skip_invalid,
            state: Mutex::new(State {
                receiver,
                worker: Some(worker),
                asked,
                rows: Vec::new(),
                problems: Vec::new(),
                summary: None,
            }),
        })
    }
}

/// What a run tells while it goes on.
enum Piece {
    Lines(Vec<u8>),
    Problem(Box<Problem>),
}

/// Hands the lines of results on.
struct Rows {
    sender: SyncSender<Piece>,
}

impl Sink for Rows {
    fn block(&mut self, scored: &ScoredBlock) -> io::Result<()> {
        let nobody_listens = |_| io::Error::from(io::ErrorKind::BrokenPipe);
        if scored.json().is_empty() {
            Ok(())
        } else {
            self.sender
                .send(Piece::Lines(scored.json().to_vec()))
                .map_err(nobody_listens)
        }
    }

    fn finish(&mut self, _: &Summary) -> io::Result<()> {
        Ok(())
    }
}

struct Problems(SyncSender<Piece>);

impl Observer for Problems {
    fn problem(&mut self, problem: &Problem) {
        // If nobody listens any more, the sink says so.
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
    worker: Option<JoinHandle<Result<Summary, RunError>>>,
    asked: Vec<Arc<Asked>>,
    /// The next last.
    rows: Vec<Row>,
    problems: Vec<Problem>,
    summary: Option<Summary>,
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
                Ok(Piece::Lines(lines)) => {
                    let rows: Vec<_> = lines
                        .split(|&byte| byte == b'\n')
                        .filter_map(|line| self.row_of(line))
                        .collect();
                    if !rows.is_empty() {
                        return Ok(Some(rows));
                    }
                }
                Err(_) => {
                    if let Some(worker) = self.worker.take() {
                        match worker.join() {
                            Ok(summary) => self.summary = Some(summary?),
                            Err(panic) => std::panic::resume_unwind(panic),
                        }
                    }
                    return Ok(None);
                }
            }
        }
    }

    /// A result line as a row; `None` for a line about the case as a whole.
    fn row_of(&self, line: &[u8]) -> Option<Row> {
        let line = std::str::from_utf8(line)
            .ok()
            .filter(|line| !line.is_empty())?;
        read_row(line, &self.asked).ok().flatten()
    }
}

/// Reads a result line.
fn read_row(line: &str, asked: &[Arc<Asked>]) -> Result<Option<Row>, SyntaxError> {
    let reader = &mut Reader::new(line, Syntax::PYTHON);
    let mut told = Told {
        outcome: Kind::Scored,
        score: None,
        reason: None,
        passed: None,
    };
    let (mut case, mut trial, mut id, mut name, mut details, mut alignment) =
        (String::new(), None, None, None, None, None);
    let text = |reader: &mut Reader<'_>| reader.string().map(|text| text.to_display().into_owned());
    let mut first = reader.enter_object()?;
    while let Some(key) = reader.next_key(&mut first)? {
        match key.as_bytes() {
            b"case" => case = text(reader)?,
            b"evaluator" => id = Some(text(reader)?),
            b"name" => name = Some(text(reader)?),
            b"trial" => trial = Some(reader.raw()?.to_owned()),
            b"score" => told.score = reader.raw()?.parse().ok(),
            b"outcome" => {
                told.outcome = if text(reader)? == "error" {
                    Kind::Error
                } else {
                    Kind::NotApplicable
                };
            }
            b"reason" => told.reason = Some(text(reader)?),
            b"passed" => told.passed = Some(reader.raw()? == "true"),
            b"details" => details = Some(reader.raw()?.to_owned()),
            b"alignment" => alignment = Some(reader.raw()?.to_owned()),
            _ if reader.peek()? == JsonKind::Null => reader.null()?,
            _ => drop(reader.raw()?),
        }
    }
    let Some(evaluator) = asked
        .iter()
        .find(|asked| Some(&asked.id) == id.as_ref() && asked.name == name)
    else {
        return Ok(None);
    };
    let source = Source::Kept {
        evaluator: Arc::clone(evaluator),
        details,
        alignment,
    };
    Ok(Some(Row {
        label: Label { case, trial },
        told,
        source,
    }))
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
        Ok(row.map(|row| Evaluation::new(row.told, Some(row.label), row.source)))
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
