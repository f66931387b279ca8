//! Files of any size and format, read lazily.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use rightcall_core::value::{Syntax, decode_with};
use rightcall_formats::join::IndexError;
use rightcall_formats::{
    CaseError, Choices, Input, Limits, ReadError, ReadOptions, RecordContent, read_case,
};

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
    texts: Vec<Result<CaseOfFile, Box<ReadError>>>,
}

/// The text of a case with its place.
#[derive(Debug)]
struct CaseOfFile {
    text: String,
    file: Arc<str>,
    line: u64,
}

impl CaseOfFile {
    /// The case as a dict; an error if the text is none.
    fn dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let case = values::object_of(py, &self.text)?;
        case.cast_into().map_err(|_| {
            let error = match read_case(&self.text, reading()) {
                Err(error) => error,
                // Objects have a limit that the judgement of a text has not: the digits of an integer.
                Ok(_) => CaseError {
                    pointer: String::new(),
                    expected: "a case that can be a dict".into(),
                    found: match decode_with(&self.text, Syntax::PYTHON) {
                        Err(error) => error.to_string(),
                        Ok(_) => "another value".to_owned(),
                    },
                    help: Some("`rightcall.score(scan, …)` judges it".into()),
                },
            };
            errors::read(py, &error.at(&self.file, Some(self.line)))
        })
    }
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
            Some(Ok(case)) => {
                self.progress.advance(py, 1)?;
                let case = case.dict(py)?;
                keep_incomplete(&case)?;
                Ok(Some(case.into_any()))
            }
            Some(Err(error)) => Err(errors::index(py, error)),
        }
    }
}

/// Turns the run of an incomplete case into an incomplete `rightcall.Calls`, because the run may be
/// judged without the case.
fn keep_incomplete(case: &Bound<'_, PyDict>) -> PyResult<()> {
    let py = case.py();
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
    fn next(&mut self) -> Option<Result<CaseOfFile, IndexError>> {
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
                        let (file, line) = (Arc::clone(&file), record.place.line);
                        match record.content.and_then(RecordContent::text) {
                            Ok(text) => Ok(CaseOfFile {
                                text: text.into_owned(),
                                file,
                                line,
                            }),
                            Err(error) => Err(Box::new(error.at(&file, Some(line)))),
                        }
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
