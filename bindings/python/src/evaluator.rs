//! Evaluators, and the shortest way from two lists of calls to an evaluation.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString};
use rightcall::value::{JsonWriter, Syntax, Value, decode_with};
use rightcall::{EVALUATORS, Edition, Evaluator as Core};
use rightcall_run::{Configured, EvaluatorArgument};

use crate::evaluation::Evaluation;
use crate::settings::{default_edition, edition_of, reading};
use crate::subject::Subject;
use crate::{errors, values, walk};

/// An evaluator with its settings: a pure function from a case to an evaluation.
#[pyclass(frozen, module = "rightcall")]
#[derive(Clone, Debug)]
pub(crate) struct Evaluator {
    pub(crate) configured: Arc<Configured>,
    /// How to ask for the same again, a JSON object.
    spec: Arc<str>,
}

impl Evaluator {
    /// The evaluator that a user asked for, with a name or without.
    fn of_asked(py: Python<'_>, asked: &EvaluatorArgument, edition: Option<Edition>) -> PyResult<Self> {
        let configured = Configured::new(asked.clone(), edition).map_err(|error| errors::config(py, &error))?;
        let edition = configured.evaluator.edition();
        let spec = spec_of(asked, configured.evaluator.id(), edition).into();
        Ok(Self { configured: Arc::new(configured), spec })
    }

    /// The evaluator that an argument of a function stands for: one that is made already, an id, `id,key=value`, or a dict with
    /// `evaluator` and settings.
    pub(crate) fn of_object(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = object.py();
        if let Ok(made) = object.cast::<Self>() {
            return Ok(made.get().clone());
        }
        let text = if let Ok(text) = object.cast::<PyString>() {
            text.to_str()?.to_owned()
        } else if object.cast::<PyDict>().is_ok() {
            walk::json_of(object)?
        } else {
            return Err(walk::wrong_type("evaluator", "the id of an evaluator, a dict or an Evaluator", object));
        };
        let asked = EvaluatorArgument::parse(&text).map_err(|error| errors::argument(py, &error))?;
        Self::of_asked(py, &asked, default_edition())
    }

    /// The evaluators of a list, or of a single one.
    pub(crate) fn of_objects(object: &Bound<'_, PyAny>) -> PyResult<Vec<Self>> {
        let is_one = object.cast::<PyString>().is_ok() || object.cast::<PyDict>().is_ok() || object.cast::<Self>().is_ok();
        if is_one {
            return Ok(vec![Self::of_object(object)?]);
        }
        let evaluators = object.try_iter()?.map(|it| Self::of_object(&it?)).collect::<PyResult<Vec<_>>>()?;
        if evaluators.is_empty() {
            return Err(pyo3::exceptions::PyValueError::new_err("evaluators: expected at least one, found none"));
        }
        Ok(evaluators)
    }

    /// The same for a plan, which keeps its own.
    pub(crate) fn again(&self, py: Python<'_>) -> PyResult<Configured> {
        let asked = EvaluatorArgument::parse(&self.spec).map_err(|error| errors::argument(py, &error))?;
        Configured::new(asked, None).map_err(|error| errors::config(py, &error))
    }

    /// What a suite has configured.
    pub(crate) fn of_configured(configured: Configured) -> Self {
        let evaluator = &configured.evaluator;
        let asked = EvaluatorArgument::parse(&configured.argument).ok().map(|asked| (asked, configured.name.clone()));
        let spec = asked.map_or_else(String::new, |(asked, name)| {
            spec_of(&EvaluatorArgument { name: name.or(asked.name.clone()), ..asked }, evaluator.id(), evaluator.edition())
        });
        Self { configured: Arc::new(configured), spec: spec.into() }
    }
}

/// What an evaluator makes of two sides.
fn judge_sides(
    py: Python<'_>,
    configured: Arc<Configured>,
    expected: Option<&Bound<'_, PyAny>>,
    actual: Option<&Bound<'_, PyAny>>,
) -> PyResult<Evaluation> {
    let subject = Subject::of_sides(expected, actual, reading(), py)?;
    Evaluation::asked(py, configured, subject, None)
}

/// The JSON object that asks for an evaluator, its edition included.
fn spec_of(asked: &EvaluatorArgument, id: &str, edition: Edition) -> String {
    let mut writer = JsonWriter::new();
    writer.begin_object().key("evaluator").str(id);
    if let Some(name) = &asked.name {
        writer.key("name").str(name);
    }
    writer.key("edition").str(edition.as_str());
    if let Ok(Value::Object(settings)) = decode_with(&asked.settings, Syntax::PYTHON) {
        for (key, value) in settings.iter().filter(|(key, _)| *key != "edition") {
            writer.key_text(key).value(value);
        }
    }
    writer.end_object();
    writer.finish().into_string()
}

#[pymethods]
impl Evaluator {
    /// An evaluator by its id and settings.
    #[new]
    #[pyo3(signature = (evaluator, /, *, name = None, **settings))]
    fn new(
        py: Python<'_>,
        evaluator: &Bound<'_, PyAny>,
        name: Option<String>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let Ok(id) = evaluator.cast::<PyString>() else {
            let made = Self::of_object(evaluator)?;
            if name.is_none() && settings.is_none() {
                return Ok(made);
            }
            return Err(walk::wrong_type("evaluator", "the id of an evaluator beside settings", evaluator));
        };
        if name.is_none() && settings.is_none() {
            return Self::of_object(evaluator);
        }
        let asked = EvaluatorArgument { id: id.to_str()?.to_owned(), name, settings: walk::settings_json(settings)? };
        Self::of_asked(py, &asked, default_edition())
    }

    /// An evaluator as the original's constructor makes it from `config`: unknown keys are ignored where the original ignores them.
    #[staticmethod]
    #[pyo3(signature = (evaluator, config, /, *, edition = "package"))]
    fn from_config(py: Python<'_>, evaluator: &str, config: &Bound<'_, PyAny>, edition: &str) -> PyResult<Native> {
        let edition = edition_of(Some(edition))?.unwrap_or(Edition::Package);
        let config = walk::json_of(config)?;
        let core = Core::from_config(evaluator, &config, edition).map_err(|error| errors::config(py, &error))?;
        Ok(Native(core))
    }

    /// Judges the calls of one run against what was expected.
    #[pyo3(signature = (*, expected = None, actual = None))]
    fn evaluate(
        &self,
        py: Python<'_>,
        expected: Option<&Bound<'_, PyAny>>,
        actual: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Evaluation> {
        judge_sides(py, Arc::clone(&self.configured), expected, actual)
    }

    /// Judges a case.
    #[pyo3(signature = (case, /))]
    fn evaluate_case(&self, case: &Bound<'_, PyAny>) -> PyResult<Evaluation> {
        let subject = Subject::of_case(case, reading())?;
        let label = subject.label();
        Evaluation::asked(case.py(), Arc::clone(&self.configured), subject, label)
    }

    /// The id.
    #[getter]
    fn id(&self) -> &'static str {
        self.configured.evaluator.id()
    }

    /// The user's name for it, or `None`.
    #[getter]
    fn name(&self) -> Option<&str> {
        self.configured.name.as_deref()
    }

    /// The edition.
    #[getter]
    fn edition(&self) -> &'static str {
        self.configured.evaluator.edition().as_str()
    }

    /// The threshold that the user wrote, or `None`.
    #[getter]
    fn threshold(&self) -> Option<f64> {
        self.configured.evaluator.threshold()
    }

    /// How to ask for the same evaluator again: a dict as in a suite.
    #[getter]
    fn spec<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        values::object_of(py, &self.spec)
    }

    fn __repr__(&self) -> String {
        format!("Evaluator({:?})", self.configured.argument)
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.spec == other.spec
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        self.spec.hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyAny>, (String,)) {
        (py.get_type::<Self>().into_any(), (self.spec.to_string(),))
    }
}

/// An evaluator made from an original's own configuration, which judges what the original judges.
#[pyclass(frozen, module = "rightcall._native")]
#[derive(Debug)]
pub(crate) struct Native(Core);

/// The original's result, whether it passed, the kind of the outcome, and the reason where there is one.
type NativeResult<'py> = (Option<Bound<'py, PyAny>>, Option<bool>, &'static str, Option<String>);

#[pymethods]
impl Native {
    /// What the original would have returned, a dict, and the passed flag; or the outcome and the reason where it raises an error.
    #[pyo3(signature = (expected, actual, /))]
    fn result<'py>(
        &self,
        py: Python<'py>,
        expected: &Bound<'py, PyAny>,
        actual: &Bound<'py, PyAny>,
    ) -> PyResult<NativeResult<'py>> {
        let (expected, actual) = (walk::json_of(expected)?, walk::json_of(actual)?);
        self.result_of_json(py, &expected, &actual)
    }

    /// The same of JSON texts.
    #[pyo3(signature = (expected, actual, /))]
    fn result_of_json<'py>(&self, py: Python<'py>, expected: &str, actual: &str) -> PyResult<NativeResult<'py>> {
        let ask = rightcall::Ask { result: true, ..rightcall::Ask::OUTCOME };
        let evaluation = py.detach(|| self.0.evaluate_native(expected, actual, ask));
        let result = evaluation.result.as_ref().map(|json| values::object_of(py, json.as_str())).transpose()?;
        let told = crate::evaluation::Told::of(&evaluation);
        Ok((result, told.passed, told.outcome.as_str(), told.reason))
    }

    /// Why the score is what it is: what `Evaluation.alignment` gives.
    #[pyo3(signature = (expected, actual, /))]
    fn alignment<'py>(
        &self,
        py: Python<'py>,
        expected: &Bound<'py, PyAny>,
        actual: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (expected, actual) = (walk::json_of(expected)?, walk::json_of(actual)?);
        let ask = rightcall::Ask { explanation: true, ..rightcall::Ask::OUTCOME };
        let explanation = self.0.evaluate_native(&expected, &actual, ask).explanation;
        explanation.map(|it| values::object_of(py, it.to_json().as_str())).transpose()
    }
}

/// Evaluators that were asked for by id and settings, to be asked again.
static MADE: Mutex<Option<HashMap<String, Evaluator>>> = Mutex::new(None);

/// How many are kept.
const KEPT: usize = 256;

/// Judges the calls of one run against what was expected.
#[pyfunction]
#[pyo3(signature = (evaluator, /, *, expected = None, actual = None, **settings))]
pub(crate) fn evaluate(
    py: Python<'_>,
    evaluator: &Bound<'_, PyAny>,
    expected: Option<&Bound<'_, PyAny>>,
    actual: Option<&Bound<'_, PyAny>>,
    settings: Option<&Bound<'_, PyDict>>,
) -> PyResult<Evaluation> {
    let Ok(id) = evaluator.cast::<PyString>() else {
        if settings.is_some() {
            return Err(walk::wrong_type("evaluator", "the id of an evaluator beside settings", evaluator));
        }
        return judge_sides(py, Evaluator::of_object(evaluator)?.configured, expected, actual);
    };
    let last = LAST.lock().unwrap_or_else(PoisonError::into_inner).as_ref().and_then(|last| last.if_asked(id, settings));
    if let Some(configured) = last {
        return judge_sides(py, configured, expected, actual);
    }
    let mut key = String::with_capacity(64);
    key.push_str(id.to_str()?);
    key.push_str(match default_edition() {
        None => "\n",
        Some(Edition::Documented) => "\nd",
        Some(Edition::Package) => "\np",
    });
    if settings.is_some() {
        key.push_str(&walk::settings_json(settings)?);
    }
    let known = MADE.lock().unwrap_or_else(PoisonError::into_inner).as_ref().and_then(|made| made.get(&key).cloned());
    let evaluator = if let Some(known) = known {
        known
    } else {
        let made = Evaluator::new(py, evaluator, None, settings)?;
        let mut all = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        let all = all.get_or_insert_default();
        if all.len() == KEPT {
            all.clear();
        }
        all.insert(key, made.clone());
        made
    };
    *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Last::of(id, settings, &evaluator);
    judge_sides(py, evaluator.configured, expected, actual)
}

/// What was asked last, by the very objects: a loop asks with the same ones again and again.
struct Last {
    /// The id, then names and values of settings.
    asked: Vec<Py<PyAny>>,
    edition: Option<Edition>,
    configured: Arc<Configured>,
}

static LAST: Mutex<Option<Last>> = Mutex::new(None);

impl Last {
    /// `None` where a setting is an object that may change.
    fn of(id: &Bound<'_, PyString>, settings: Option<&Bound<'_, PyDict>>, evaluator: &Evaluator) -> Option<Self> {
        let mut asked = vec![id.clone().into_any().unbind()];
        for (name, value) in settings.into_iter().flatten() {
            let is_fixed = value.is_none()
                || value.is_exact_instance_of::<PyString>()
                || value.is_exact_instance_of::<PyBool>()
                || value.is_exact_instance_of::<PyInt>()
                || value.is_exact_instance_of::<PyFloat>();
            if !is_fixed {
                return None;
            }
            asked.extend([name.unbind(), value.unbind()]);
        }
        Some(Self { asked, edition: default_edition(), configured: Arc::clone(&evaluator.configured) })
    }

    /// The evaluator, if it is asked for again.
    fn if_asked(&self, id: &Bound<'_, PyString>, settings: Option<&Bound<'_, PyDict>>) -> Option<Arc<Configured>> {
        let mut known = self.asked.iter();
        let mut is_next = |object: &Bound<'_, PyAny>| known.next().is_some_and(|known| known.is(object));
        let same = is_next(id) && settings.into_iter().flatten().all(|(name, value)| is_next(&name) && is_next(&value));
        (same && known.next().is_none() && self.edition == default_edition()).then(|| Arc::clone(&self.configured))
    }
}

/// All evaluators: a list of dicts with `id`, `summary`, `aliases`, `editions` and `settings`.
#[pyfunction]
pub(crate) fn evaluators(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let mut writer = JsonWriter::new();
    writer.begin_list();
    for entry in EVALUATORS {
        writer.begin_object().key("id").str(entry.id).key("summary").str(entry.summary).key("aliases").begin_list();
        entry.aliases.iter().for_each(|alias| _ = writer.str(alias));
        writer.end_list().key("editions").begin_list();
        entry.editions.iter().for_each(|edition| _ = writer.str(edition.as_str()));
        writer.end_list().key("settings").begin_list();
        for setting in entry.settings {
            writer.begin_object().key("name").str(setting.name).key("takes").str(&setting.kind.describe().replace('\\', ""));
            writer.key("default").raw(setting.default).key("doc").str(setting.doc).end_object();
        }
        writer.end_list().end_object();
    }
    writer.end_list();
    values::object_of(py, writer.finish().as_str())
}
