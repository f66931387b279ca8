//! Suites from files.

use std::ffi::CString;
use std::path::PathBuf;

use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rightcall_run::{Filter, Selection, Suite as Core, SuiteOptions};

use crate::errors;
use crate::evaluation::Wanted;
use crate::evaluator::Evaluator;
use crate::progress::Progress;
use crate::results::{OnProblem, Task};
use crate::run::Run;
use crate::score::thread_count;
use crate::settings::{default_edition, edition_of, reading};

/// A path, or several.
#[derive(FromPyObject)]
enum Paths {
    One(PathBuf),
    Several(Vec<PathBuf>),
}

impl From<Paths> for Vec<PathBuf> {
    fn from(paths: Paths) -> Self {
        match paths {
            Paths::One(path) => vec![path],
            Paths::Several(paths) => paths,
        }
    }
}

/// A suite file: the cases, evaluators and gates.
#[pyclass(frozen, module = "rightcall")]
#[derive(Debug)]
pub(crate) struct Suite {
    path: PathBuf,
    options: SuiteOptions,
    cases: Vec<PathBuf>,
    traces: Vec<PathBuf>,
    runs: Vec<(String, Vec<PathBuf>)>,
}

impl Suite {
    fn read(&self, py: Python<'_>) -> PyResult<Core> {
        Core::read(&self.path, &self.options).map_err(|error| errors::suite(py, &error))
    }
}

#[pymethods]
impl Suite {
    /// Reads a suite. `edition` overrides the suite's own, `profile` selects one of its profiles.
    #[staticmethod]
    #[pyo3(signature = (path, /, *, edition = None, profile = None))]
    fn load(
        py: Python<'_>,
        path: PathBuf,
        edition: Option<&str>,
        profile: Option<String>,
    ) -> PyResult<Self> {
        let options = SuiteOptions {
            edition: edition_of(py, edition)?.or_else(default_edition),
            profile,
            ..SuiteOptions::default()
        };
        let suite = Core::read(&path, &options).map_err(|error| errors::suite(py, &error))?;
        if let Some(set) = suite
            .eval_set
            .as_ref()
            .filter(|set| !set.skipped.is_empty())
        {
            let text = format!(
                "{}: skipped, as they do not judge tool calls: {}",
                path.display(),
                set.skipped.join(", ")
            );
            // A file name cannot contain a NUL.
            let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
            PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 1)?;
        }
        Ok(Self {
            path,
            options,
            cases: suite.cases,
            traces: suite.traces,
            runs: suite.runs,
        })
    }

    /// Scores the cases of the suite. `text` and `tags` select cases. `traces` are files of runs in place of those of the suite,
    /// `add_traces` in addition to them; each is a path or several.
    #[pyo3(signature = (
        *, text = None, tags = None, traces = None, add_traces = None, threads = None, details = true, alignment = false, skip_invalid = false,
        progress = None
    ))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn run(
        &self,
        py: Python<'_>,
        text: Option<String>,
        tags: Option<Vec<String>>,
        traces: Option<Paths>,
        add_traces: Option<Paths>,
        threads: Option<usize>,
        details: bool,
        alignment: bool,
        skip_invalid: bool,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Run> {
        let mut suite = self.read(py)?;
        if let (None, Some((name, _))) = (&traces, suite.runs.first()) {
            let message = format!(
                "{}: it names several runs: score each, traces=suite.runs[{name:?}]",
                self.path.display()
            );
            return Err(errors::value(py, &message));
        }
        let added = add_traces.map(Vec::from).unwrap_or_default();
        let given = traces.map(Vec::from);
        let of_user: Vec<_> = given.iter().flatten().chain(&added).cloned().collect();
        suite.traces = given.unwrap_or(suite.traces);
        suite.traces.extend(added);
        if suite.eval_set.is_some() && suite.traces.is_empty() {
            let message = format!(
                "{}: an eval set holds no runs: name the files with them, traces=[…]",
                self.path.display()
            );
            return Err(errors::value(py, &message));
        }
        if let Some(missing) = suite
            .cases
            .iter()
            .chain(&suite.traces)
            .find(|file| !file.exists())
        {
            let place = if of_user.contains(missing) {
                String::new()
            } else {
                format!("{} names it: ", self.path.display())
            };
            return Err(errors::no_file(py, missing, &place));
        }
        let reading = suite.reading(*reading());
        let baseline = py.detach(|| suite.read_baseline());
        let baseline = baseline
            .map_err(|error| errors::baseline(py, &error, suite.baseline.as_deref(), &self.path))?;
        let task = Task {
            inputs: suite.cases,
            reading,
            traces: (suite.traces, reading),
            identity: suite.identity,
            evaluators: suite.evaluators,
            threads: thread_count(threads),
            wanted: Wanted { details, alignment },
            skip_invalid,
            on_problem: OnProblem::Keep,
            progress: Progress::start(py, progress)?,
        };
        let results = task.start(py, |plan| {
            plan.gates = suite.gates;
            plan.baseline = baseline;
            plan.redaction = suite.redaction;
            plan.expected = suite.expected;
            plan.case_rule = Some(suite.case_rule);
            plan.trial_group = suite.trial_group;
            plan.selection = Selection {
                text,
                only: Filter {
                    tags: tags.unwrap_or_default(),
                    ..Filter::default()
                },
                ..Selection::default()
            };
        })?;
        results.collect(py)
    }

    /// The evaluators of the suite.
    #[getter]
    fn evaluators(&self, py: Python<'_>) -> PyResult<Vec<Evaluator>> {
        Ok(self
            .read(py)?
            .evaluators
            .into_iter()
            .map(Evaluator::of_configured)
            .collect())
    }

    /// The suite's files of cases.
    #[getter]
    fn cases(&self) -> Vec<PathBuf> {
        self.cases.clone()
    }

    /// The suite's files of runs.
    #[getter]
    fn traces(&self) -> Vec<PathBuf> {
        self.traces.clone()
    }

    /// The suite's files of each named run.
    #[getter]
    fn runs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let runs = PyDict::new(py);
        for (name, files) in &self.runs {
            runs.set_item(name, files)?;
        }
        Ok(runs)
    }

    /// True if the suite redacts arguments.
    #[getter]
    fn redacts(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(!self.read(py)?.redaction.is_empty())
    }

    /// The path of the suite.
    #[getter]
    fn path(&self) -> PathBuf {
        self.path.clone()
    }

    fn __repr__(&self) -> String {
        format!("Suite({:?})", self.path.display().to_string())
    }
}
