//! Files of any size and format, read lazily.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use rightcall_formats::join::IndexError;
use rightcall_formats::{Choices, Input, Limits, ReadError, ReadOptions, RecordContent};

use crate::evaluation::Wanted;
use crate::evaluator::Evaluator;
use crate::progress::Progress;
use crate::reader::format_of;
use crate::results::{OnProblem, Results, Task};
use crate::score::thread_count;
use crate::settings::reading;
use crate::{errors, values};

/// Files of cases or traces. They are read lazily, and no case is kept.
#[pyclass(frozen, module = "rightcall")]
#[derive(Debug)]
pub(crate) struct Scan {
    paths: Vec<PathBuf>,
    traces: Vec<PathBuf>,
    /// Meta keys that distinguish the runs of one case, in addition to `model`.
    identity: Vec<String>,
    options: ReadOptions,
    /// The `progress` argument: true, or a function.
    progress: Option<Py<PyAny>>,
}

#[pymethods]
impl Scan {
    #[new]
    #[pyo3(signature = (paths, /, *, traces, format, choices, map = None, identity = Vec::new(), progress = None))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn new(
        py: Python<'_>,
        paths: Vec<PathBuf>,
        traces: Vec<PathBuf>,
        format: Option<&str>,
        choices: Vec<(String, String)>,
        map: Option<&str>,
        identity: Vec<String>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let mut options = ReadOptions {
            format: format_of(py, format, map)?,
            choices: Choices::default(),
            ..*reading()
        };
        for (key, value) in choices {
            options
                .choices
                .set(&key, &value)
                .map_err(|error| errors::value(py, &error.to_string()))?;
        }
        Ok(Self {
            paths,
            traces,
            identity,
            options,
            progress,
        })
    }

    /// The cases one by one, as dicts.
    fn __iter__(&self, py: Python<'_>) -> PyResult<Cases> {
        let unopened = self.paths.iter().rev().cloned().collect();
        Ok(Cases {
            left: Mutex::new(CasesLeft {
                unopened,
                options: self.options,
                open: None,
                texts: Vec::new(),
            }),
            progress: Progress::start(py, self.progress.as_ref().map(|it| it.bind(py)))?,
        })
    }

    /// Scores the cases, and returns the evaluations one by one while the files are read.
    #[pyo3(signature = (
        evaluators, /, *, threads = None, details = false, alignment = false, skip_invalid = false, progress = None
    ))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn results(
        &self,
        py: Python<'_>,
        evaluators: &Bound<'_, PyAny>,
        threads: Option<usize>,
        details: bool,
        alignment: bool,
        skip_invalid: bool,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Results> {
        let evaluators = Evaluator::of_objects(evaluators)?;
        let configured = evaluators
            .iter()
            .map(|evaluator| evaluator.again(py))
            .collect::<PyResult<Vec<_>>>()?;
        let joined = !self.traces.is_empty();
        // A trace format applies to the traces only; the cases are in another format.
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
            identity: self.identity.clone(),
            evaluators: configured,
            threads: thread_count(threads),
            wanted: Wanted { details, alignment },
            skip_invalid,
            on_problem: if skip_invalid {
                OnProblem::Keep
            } else {
                OnProblem::Raise
            },
            progress: Progress::start(
                py,
                progress.or(self.progress.as_ref().map(|it| it.bind(py))),
            )?,
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

/// The cases of files, read lazily.
#[pyclass(module = "rightcall._native", frozen)]
#[derive(Debug)]
pub(crate) struct Cases {
    left: Mutex<CasesLeft>,
    progress: Progress,
}

#[derive(Debug)]
struct CasesLeft {
    /// Unopened files in reverse order: the next file is the last.
    unopened: Vec<PathBuf>,
    options: ReadOptions,
    open: Option<Input>,
    /// Unread texts in reverse order: the next text is the last.
    texts: Vec<Result<String, Box<ReadError>>>,
}

/// The block size for reading a file, in bytes.
const BLOCK: usize = 1 << 18;

#[pymethods]
impl Cases {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let next = py.detach(|| {
            self.left
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .next()
        });
        match next {
            None => self.progress.close(py).map(|()| None),
            Some(Ok(text)) => {
                self.progress.advance(py, 1)?;
                let case = values::object_of(py, &text)?;
                keep_incomplete(&case)?;
                Ok(Some(case))
            }
            Some(Err(error)) => Err(errors::index(py, error)),
        }
    }
}

/// Turns the run of an incomplete case into an incomplete `rightcall.Calls`, because the run may be
/// judged without the case.
fn keep_incomplete(case: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = case.py();
    let case = case.cast::<PyDict>()?;
    let (key, reason) = (intern!(py, "actual"), intern!(py, "incomplete"));
    if let Some(why) = case.get_item(reason)?
        && let Some(actual) = case.get_item(key)?
    {
        let calls = py
            .import(intern!(py, "rightcall._calls"))?
            .getattr("Calls")?;
        case.set_item(key, calls.call1((actual, PyTuple::empty(py), why))?)?;
    }
    Ok(())
}

impl CasesLeft {
    fn next(&mut self) -> Option<Result<String, IndexError>> {
        loop {
            if let Some(text) = self.texts.pop() {
                return Some(text.map_err(IndexError::from));
            }
            let Some(input) = &mut self.open else {
                match Input::open(&self.unopened.pop()?, Limits::default(), &self.options) {
                    Ok(input) => self.open = Some(input),
                    Err(error) => return Some(Err(error.into())),
                }
                continue;
            };
            match input.next_block(BLOCK) {
                Ok(Some(block)) => {
                    let file = Arc::clone(input.name());
                    let texts = block.records().map(|record| {
                        let text = record.content.and_then(RecordContent::text);
                        let text = text.map(Cow::into_owned);
                        text.map_err(|error| Box::new(error.at(&file, Some(record.place.line))))
                    });
                    self.texts = texts.collect();
                    self.texts.reverse();
                }
                Ok(None) => self.open = None,
                Err(error) => {
                    self.open = None;
                    return Some(Err(Box::new(error).into()));
                }
            }
        }
    }
}
