//! Evaluators, and the shortest way from two lists of calls to an evaluation.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString};
use rightcall::value::{JsonWriter, Syntax, Value, decode_with};
use rightcall::{EVALUATORS, Edition, Evaluator as Core};
use rightcall_run::{Configured, EvaluatorArgument};

use crate::evaluation::Evaluation;
use crate::native::Native;
use crate::settings::{default_edition, edition_of};
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
    fn of_asked(
        py: Python<'_>,
        asked: &EvaluatorArgument,
        edition: Option<Edition>,
    ) -> PyResult<Self> {
        let configured =
            Configured::new(asked.clone(), edition).map_err(|error| errors::config(py, &error))?;
        let edition = configured.evaluator.edition();
        let spec = spec_of(asked, configured.evaluator.id(), edition).into();
        Ok(Self {
            configured: Arc::new(configured),
            spec,
        })
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
            return Err(errors::wrong_type(
                "evaluator",
                "the id of an evaluator, a dict or an Evaluator",
                object,
            ));
        };
        let asked =
            EvaluatorArgument::parse(&text).map_err(|error| errors::argument(py, &error))?;
        Self::of_asked(py, &asked, default_edition())
    }

    /// The evaluators of a list, or of a single one.
    pub(crate) fn of_objects(object: &Bound<'_, PyAny>) -> PyResult<Vec<Self>> {
        let is_one = object.cast::<PyString>().is_ok()
            || object.cast::<PyDict>().is_ok()
            || object.cast::<Self>().is_ok();
        if is_one {
            return Ok(vec![Self::of_object(object)?]);
        }
        let evaluators = object
            .try_iter()?
            .map(|it| Self::of_object(&it?))
            .collect::<PyResult<Vec<_>>>()?;
        if evaluators.is_empty() {
            return Err(errors::value(
                object.py(),
                "evaluators: expected at least one, found none",
            ));
        }
        Ok(evaluators)
    }

    /// The same for a plan, which keeps its own.
    pub(crate) fn again(&self, py: Python<'_>) -> PyResult<Configured> {
        configured_of(py, &self.spec)
    }

    /// What a suite has configured.
    pub(crate) fn of_configured(configured: Configured) -> Self {
        let spec = spec_of_configured(&configured).into();
        Self {
            configured: Arc::new(configured),
            spec,
        }
    }
}

/// The evaluator that a spec asks for.
pub(crate) fn configured_of(py: Python<'_>, spec: &str) -> PyResult<Configured> {
    let asked = EvaluatorArgument::parse(spec).map_err(|error| errors::argument(py, &error))?;
    Configured::new(asked, None).map_err(|error| errors::config(py, &error))
}

/// How to ask for an evaluator again.
pub(crate) fn spec_of_configured(configured: &Configured) -> String {
    let evaluator = &configured.evaluator;
    let Ok(asked) = EvaluatorArgument::parse(&configured.argument) else {
        return String::new();
    };
    let name = configured.name.clone().or_else(|| asked.name.clone());
    spec_of(
        &EvaluatorArgument { name, ..asked },
        evaluator.id(),
        evaluator.edition(),
    )
}

/// What an evaluator makes of two sides.
fn judge_sides(
    py: Python<'_>,
    configured: Arc<Configured>,
    expected: Option<&Bound<'_, PyAny>>,
    actual: Option<&Bound<'_, PyAny>>,
) -> PyResult<Evaluation> {
    let subject = Subject::of_sides(expected, actual, py)?;
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
            return Err(errors::wrong_type(
                "evaluator",
                "the id of an evaluator beside settings",
                evaluator,
            ));
        };
        if name.is_none() && settings.is_none() {
            return Self::of_object(evaluator);
        }
        let asked = EvaluatorArgument {
            id: id.to_str()?.to_owned(),
            name,
            settings: walk::settings_json(settings)?,
        };
        Self::of_asked(py, &asked, default_edition())
    }

    /// An evaluator as the original's constructor makes it from `config`: unknown keys are ignored where the original ignores them.
    #[staticmethod]
    #[pyo3(signature = (evaluator, config, /, *, edition = "package"))]
    fn from_config(
        py: Python<'_>,
        evaluator: &str,
        config: &Bound<'_, PyAny>,
        edition: &str,
    ) -> PyResult<Native> {
        let edition = edition_of(py, Some(edition))?.unwrap_or(Edition::Package);
        let config = walk::json_of(config)?;
        let core = Core::from_config(evaluator, &config, edition)
            .map_err(|error| errors::config(py, &error))?;
        Ok(Native(Arc::new(core)))
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
        let subject = Subject::of_case(case)?;
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

/// Evaluators that were asked for by id and settings, to be asked again.
static MADE: Mutex<Option<HashMap<String, Evaluator>>> = Mutex::new(None);

/// How many are kept.
const KEPT: usize = 256;

/// Judges the calls of one run against what was expected.
#[pyfunction]
#[pyo3(signature = (evaluator, /, *, expected = None, actual = None, edition = None, **settings))]
pub(crate) fn evaluate<'py>(
    py: Python<'py>,
    evaluator: &Bound<'py, PyAny>,
    expected: Option<&Bound<'py, PyAny>>,
    actual: Option<&Bound<'py, PyAny>>,
    edition: Option<&Bound<'py, PyAny>>,
    settings: Option<&Bound<'py, PyDict>>,
) -> PyResult<Evaluation> {
    let Ok(id) = evaluator.cast::<PyString>() else {
        if edition.is_some() || settings.is_some() {
            return Err(errors::wrong_type(
                "evaluator",
                "the id of an evaluator beside settings",
                evaluator,
            ));
        }
        return judge_sides(
            py,
            Evaluator::of_object(evaluator)?.configured,
            expected,
            actual,
        );
    };
    let asked = ById {
        id,
        edition,
        settings,
    };
    let last = LAST
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .as_ref()
        .and_then(|last| last.if_asked(&asked));
    if let Some(configured) = last {
        return judge_sides(py, configured, expected, actual);
    }
    let settings = asked.all_settings()?;
    let mut key = String::with_capacity(64);
    key.push_str(id.to_str()?);
    key.push_str(match default_edition() {
        None => "\n",
        Some(Edition::Documented) => "\nd",
        Some(Edition::Package) => "\np",
    });
    if settings.is_some() {
        key.push_str(&walk::settings_json(settings.as_ref())?);
    }
    let known = MADE
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .as_ref()
        .and_then(|made| made.get(&key).cloned());
    let evaluator = if let Some(known) = known {
        known
    } else {
        let made = Evaluator::new(py, evaluator, None, settings.as_ref())?;
        let mut all = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        let all = all.get_or_insert_default();
        if all.len() == KEPT {
            all.clear();
        }
        all.insert(key, made.clone());
        made
    };
    *LAST.lock().unwrap_or_else(PoisonError::into_inner) = asked.remembered(&evaluator);
    judge_sides(py, evaluator.configured, expected, actual)
}

/// An evaluator that is asked for by id.
struct ById<'a, 'py> {
    id: &'a Bound<'py, PyString>,
    /// Apart from the other settings, since many calls give no other.
    edition: Option<&'a Bound<'py, PyAny>>,
    settings: Option<&'a Bound<'py, PyDict>>,
}

impl<'py> ById<'_, 'py> {
    /// The settings with the edition.
    fn all_settings(&self) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(edition) = self.edition else {
            return Ok(self.settings.cloned());
        };
        let all = self
            .settings
            .map_or_else(|| Ok(PyDict::new(edition.py())), PyDictMethods::copy)?;
        all.set_item("edition", edition)?;
        Ok(Some(all))
    }

    /// What is asked for, to be known again; `None` where a setting is an object that may change.
    fn remembered(&self, evaluator: &Evaluator) -> Option<Last> {
        let mut settings = Vec::new();
        for (name, value) in self.settings.into_iter().flatten() {
            settings.push((name.unbind(), fixed(&value)?));
        }
        let edition = match self.edition {
            Some(edition) => Some(fixed(edition)?),
            None => None,
        };
        let (id, configured) = (self.id.clone().unbind(), Arc::clone(&evaluator.configured));
        Some(Last {
            id,
            edition,
            settings,
            default_edition: default_edition(),
            configured,
        })
    }
}

/// An object that can't change.
fn fixed(object: &Bound<'_, PyAny>) -> Option<Py<PyAny>> {
    let is_fixed = object.is_none()
        || object.is_exact_instance_of::<PyString>()
        || object.is_exact_instance_of::<PyBool>()
        || object.is_exact_instance_of::<PyInt>()
        || object.is_exact_instance_of::<PyFloat>();
    is_fixed.then(|| object.clone().unbind())
}

/// What was asked last, by the very objects: a loop asks with the same ones again and again.
struct Last {
    id: Py<PyString>,
    edition: Option<Py<PyAny>>,
    /// Names and values.
    settings: Vec<(Py<PyAny>, Py<PyAny>)>,
    /// Of the process.
    default_edition: Option<Edition>,
    configured: Arc<Configured>,
}

static LAST: Mutex<Option<Last>> = Mutex::new(None);

impl Last {
    /// The evaluator, if it is asked for again.
    fn if_asked(&self, asked: &ById<'_, '_>) -> Option<Arc<Configured>> {
        let mut known = self.settings.iter();
        let mut is_next = |name: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>| {
            known
                .next()
                .is_some_and(|known| known.0.is(name) && known.1.is(value))
        };
        let same = self.id.is(asked.id)
            && self.edition.as_ref().map(Py::as_ptr) == asked.edition.map(Bound::as_ptr)
            && asked
                .settings
                .into_iter()
                .flatten()
                .all(|(name, value)| is_next(&name, &value));
        (same && known.next().is_none() && self.default_edition == default_edition())
            .then(|| Arc::clone(&self.configured))
    }
}

/// All evaluators: a list of dicts with `id`, `summary`, `aliases`, `editions` and `settings`.
#[pyfunction]
pub(crate) fn evaluators(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let mut writer = JsonWriter::new();
    writer.begin_list();
    for entry in EVALUATORS {
        writer
            .begin_object()
            .key("id")
            .str(entry.id)
            .key("summary")
            .str(entry.summary)
            .key("aliases")
            .begin_list();
        entry.aliases.iter().for_each(|alias| _ = writer.str(alias));
        writer.end_list().key("editions").begin_list();
        entry
            .editions
            .iter()
            .for_each(|edition| _ = writer.str(edition.as_str()));
        writer.end_list().key("settings").begin_list();
        for setting in entry.settings {
            writer
                .begin_object()
                .key("name")
                .str(setting.name)
                .key("takes")
                .str(&setting.kind.describe().replace('\\', ""));
            writer
                .key("default")
                .raw(setting.default)
                .key("doc")
                .str(setting.doc)
                .end_object();
        }
        writer.end_list().end_object();
    }
    writer.end_list();
    values::object_of(py, writer.finish().as_str())
}
