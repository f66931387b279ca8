//! Evaluators, and the fastest way to evaluate two lists of calls.

use std::sync::Arc;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use rightcall_core::value::{JsonWriter, Syntax, Value, decode_with};
use rightcall_core::{EVALUATORS, Edition, Evaluator as Core};
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
    /// A JSON object that creates the same evaluator again.
    spec: Arc<str>,
}

impl Evaluator {
    /// Creates an evaluator, in the edition of the process unless the user names one.
    fn from_argument(py: Python<'_>, asked: &EvaluatorArgument) -> PyResult<Self> {
        let configured = configured(py, asked.clone(), default_edition())?;
        let evaluator = &configured.evaluator;
        let spec = spec_of(asked, evaluator.id(), evaluator.edition()).into();
        Ok(Self {
            configured: Arc::new(configured),
            spec,
        })
    }

    /// The evaluator for a function argument: an existing one, or a new one for an id or a dict.
    pub(crate) fn of_object(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        match object.cast::<Self>() {
            Ok(made) => Ok(made.get().clone()),
            Err(_) => Self::from_argument(object.py(), &argument_of(object, None, None)?),
        }
    }

    /// The evaluators of a list, or of a single one.
    pub(crate) fn of_objects(object: &Bound<'_, PyAny>) -> PyResult<Vec<Self>> {
        let is_one = object.cast::<PyString>().is_ok()
            || object.cast::<PyDict>().is_ok()
            || object.cast::<Self>().is_ok();
        if is_one {
            return Ok(vec![Self::of_object(object)?]);
        }
        let evaluators = errors::items_of("evaluators", "names, dicts or Evaluators", object)?
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

    /// A new instance, since each plan needs its own.
    pub(crate) fn again(&self, py: Python<'_>) -> PyResult<Configured> {
        configured_of(py, &self.spec)
    }

    /// The evaluator that a suite has configured.
    pub(crate) fn of_configured(configured: Configured) -> Self {
        let spec = spec_of_configured(&configured).into();
        Self {
            configured: Arc::new(configured),
            spec,
        }
    }
}

/// Parses an evaluator argument: an id with separate name and settings, an id with settings after
/// commas, or a dict with `evaluator` and settings.
fn argument_of(
    object: &Bound<'_, PyAny>,
    name: Option<String>,
    settings: Option<&Bound<'_, PyDict>>,
) -> PyResult<EvaluatorArgument> {
    let py = object.py();
    let has_settings = name.is_some() || settings.is_some();
    let text = match object.cast::<PyString>() {
        Ok(id) if has_settings || is_bare(id.to_str()?) => {
            return Ok(EvaluatorArgument {
                id: id.to_str()?.to_owned(),
                name,
                settings: walk::settings_json(settings)?,
            });
        }
        Ok(text) => text.to_str()?.to_owned(),
        Err(_) if !has_settings && object.cast::<PyDict>().is_ok() => walk::json_of(object)?,
        Err(_) => {
            let expected = if has_settings {
                "the id of an evaluator beside settings"
            } else {
                "the id of an evaluator, a dict or an Evaluator"
            };
            return Err(errors::wrong_type("evaluator", expected, object));
        }
    };
    EvaluatorArgument::parse(&text).map_err(|error| errors::argument(py, &error))
}

/// True for an id without settings.
fn is_bare(text: &str) -> bool {
    let is_of_ids = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'_');
    text.bytes().all(is_of_ids)
}

fn configured(
    py: Python<'_>,
    asked: EvaluatorArgument,
    edition: Option<Edition>,
) -> PyResult<Configured> {
    Configured::new(asked, edition).map_err(|error| errors::config(py, &error))
}

/// Creates the evaluator of a spec.
pub(crate) fn configured_of(py: Python<'_>, spec: &str) -> PyResult<Configured> {
    let asked = EvaluatorArgument::parse(spec).map_err(|error| errors::argument(py, &error))?;
    configured(py, asked, None)
}

/// The spec that creates an evaluator again.
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

/// Evaluates two sides.
fn judge_sides(
    py: Python<'_>,
    configured: Arc<Configured>,
    expected: Option<&Bound<'_, PyAny>>,
    actual: Option<&Bound<'_, PyAny>>,
) -> PyResult<Evaluation> {
    let subject = Subject::of_sides(py, expected, actual)?;
    Evaluation::evaluate(py, configured, subject)
}

/// The spec as a JSON object, with the edition.
fn spec_of(asked: &EvaluatorArgument, id: &str, edition: Edition) -> String {
    let mut writer = JsonWriter::new();
    writer.begin_object().key("evaluator").str(id);
    writer.optional("name", asked.name.as_ref());
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
    /// Creates an evaluator by id and settings.
    #[new]
    #[pyo3(signature = (evaluator, /, *, name = None, **settings))]
    fn new(
        py: Python<'_>,
        evaluator: &Bound<'_, PyAny>,
        name: Option<String>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        if name.is_none() && settings.is_none() {
            return Self::of_object(evaluator);
        }
        Self::from_argument(py, &argument_of(evaluator, name, settings)?)
    }

    /// Creates an evaluator from the configuration of the original's constructor. Unknown keys are ignored if the original ignores them.
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
        let subject = Subject::of_case(case)?.alone();
        Evaluation::evaluate(case.py(), Arc::clone(&self.configured), subject)
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

    /// The threshold in effect if the user set one, or `None`.
    #[getter]
    fn threshold(&self) -> Option<f64> {
        self.configured.evaluator.threshold()
    }

    /// A dict, as in a suite, that creates the same evaluator again.
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

/// Judges the calls of one run against what was expected.
#[pyfunction]
#[pyo3(signature = (evaluator, /, *, expected = None, actual = None, edition = None, **settings))]
pub(crate) fn evaluate(
    py: Python<'_>,
    evaluator: &Bound<'_, PyAny>,
    expected: Option<&Bound<'_, PyAny>>,
    actual: Option<&Bound<'_, PyAny>>,
    edition: Option<&Bound<'_, PyAny>>,
    settings: Option<Bound<'_, PyDict>>,
) -> PyResult<Evaluation> {
    let mut settings = settings;
    if let Some(edition) = edition {
        let all = settings.get_or_insert_with(|| PyDict::new(py));
        all.set_item(intern!(py, "edition"), edition)?;
    }
    let made = evaluator.cast::<Evaluator>().ok();
    let configured = if let Some(made) = made.filter(|_| settings.is_none()) {
        Arc::clone(&made.get().configured)
    } else {
        let asked = argument_of(evaluator, None, settings.as_ref())?;
        Arc::new(configured(py, asked, default_edition())?)
    };
    judge_sides(py, configured, expected, actual)
}

/// All evaluators: a list of dicts with `id`, `summary`, `aliases`, `editions` and `settings`.
#[pyfunction]
pub(crate) fn evaluators(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let mut writer = JsonWriter::new();
    writer.list(EVALUATORS, |writer, entry| {
        writer.begin_object().key("id").str(entry.id);
        writer.key("summary").str(entry.summary);
        writer.key("aliases").strs(entry.aliases);
        let editions = entry.editions.iter().map(|edition| edition.as_str());
        writer.key("editions").strs(editions).key("settings");
        writer.list(entry.settings, |writer, setting| {
            let takes = setting.kind.describe().replace('\\', "");
            writer.begin_object().key("name").str(setting.name);
            writer.key("takes").str(&takes);
            writer.key("default").raw(setting.default);
            writer.key("doc").str(setting.doc).end_object();
        });
        writer.end_object();
    });
    values::object_of(py, writer.finish().as_str())
}
