//! A configured evaluator: a pure function from case to evaluation.

use crate::call::Case;
use crate::entry::{Edition, Entry};
use crate::evaluation::{Ask, Evaluation};
use crate::expectation::written;
use crate::explanation::Costs;
use crate::outcome::{EvaluationError, NotApplicable, Outcome};
use crate::prepared::PreparedCase;
use crate::recipe::{PairDemand, Preset, Source, error_result};
use crate::registry::find;
use crate::settings::{ConfigError, Settings, expected_number, is_spelling};
use crate::value::{HashKey, Object, Syntax, Text, Value, decode_with};

/// An evaluator with its settings.
///
/// ```
/// use rightcall_core::{Ask, Evaluator};
///
/// let evaluator = Evaluator::new("axion/tool-correctness", "{}", None)?;
/// let evaluation = evaluator.evaluate_native(
///     r#"[{"name":"find_order","args":{"id":7}},{"name":"refund","args":{"id":7}}]"#,
///     r#"[{"name":"find_order","args":{"id":7}}]"#,
///     Ask::OUTCOME,
/// );
/// assert_eq!(evaluation.score(), Some(0.5));
/// # Ok::<(), rightcall_core::ConfigError>(())
/// ```
#[derive(Debug)]
pub struct Evaluator {
    entry: &'static Entry,
    edition: Edition,
    preset: Box<dyn Preset>,
    threshold: Option<f64>,
    /// The settings that the preset was built from, for cases with their own settings.
    settings: Object<'static>,
}

impl Evaluator {
    /// An evaluator with a user's settings, a JSON object. Unknown settings and invalid values are errors.
    ///
    /// The settings may include `edition` and `threshold`. `default_edition` applies if the
    /// settings don't include an edition and the evaluator has this one.
    ///
    /// # Errors
    /// The id or a setting is invalid; for an unknown name, the error suggests the nearest one.
    pub fn new(
        id: &str,
        settings: &str,
        default_edition: Option<Edition>,
    ) -> Result<Self, ConfigError> {
        let entry = find(id)?;
        let conflict = |message: String| ConfigError::Conflict {
            evaluator: entry.id,
            message,
        };
        let settings = written(settings).map_err(|error| conflict(format!("settings: {error}")))?;
        let Value::Object(given) = &settings else {
            return Err(conflict(format!(
                "settings are {}, not an object",
                settings.kind()
            )));
        };
        Self::with_settings(entry, given, default_edition)
    }

    fn with_settings(
        entry: &'static Entry,
        given: &Object<'_>,
        default_edition: Option<Edition>,
    ) -> Result<Self, ConfigError> {
        let edition = match given.get_str("edition") {
            None | Some(Value::Null) => default_edition
                .filter(|it| entry.editions.contains(it))
                .unwrap_or(entry.editions[0]),
            Some(named) => named
                .as_text()
                .and_then(|name| Edition::parse(&name.to_display()))
                .filter(|edition| entry.editions.contains(edition))
                .ok_or_else(|| no_such_edition(entry, named))?,
        };
        let preset_settings = given
            .iter()
            .filter(|(key, _)| *key != "edition" && (entry.has_threshold() || *key != "threshold"));
        let preset_settings = Object::new(preset_settings.cloned().collect()).into_owned();
        let settings = Settings::strict(entry.id, &preset_settings, entry.settings)?;
        let all = Settings::lenient(entry.id, given);
        let threshold = all.number("threshold")?;
        if threshold.is_some_and(|threshold| !(0.0..=1.0).contains(&threshold)) {
            let found = all.value("threshold").unwrap_or(&Value::Null);
            let expected = expected_number("threshold").to_owned();
            return Err(all.bad("threshold", expected, found));
        }
        let preset = (entry.build)(&settings, edition)?;
        Ok(Self {
            entry,
            edition,
            // For some originals 0 means their default.
            threshold: threshold.map(|given| preset.threshold().unwrap_or(given)),
            preset,
            settings: preset_settings,
        })
    }

    /// An evaluator as the original's constructor builds it from `config`, a JSON text. Unknown keys are ignored if the original ignores
    /// them.
    ///
    /// # Errors
    /// The original's constructor raises.
    pub fn from_config(id: &str, config: &str, edition: Edition) -> Result<Self, ConfigError> {
        let entry = find(id)?;
        if !entry.editions.contains(&edition) {
            return Err(no_such_edition(entry, &Value::from(edition.as_str())));
        }
        let config = decode_with(config, Syntax::PYTHON).unwrap_or(Value::Null);
        let given = match config {
            Value::Object(object) => object,
            _ => Object::default(),
        };
        let preset = (entry.build)(&Settings::lenient(entry.id, &given), edition)?;
        Ok(Self {
            entry,
            edition,
            preset,
            threshold: None,
            settings: given.into_owned(),
        })
    }

    /// The preset with the case's own settings in place of this evaluator's.
    fn preset_for_case(
        &self,
        stated: &[(&'static str, &str)],
    ) -> Result<Box<dyn Preset>, ConfigError> {
        let mut given: Vec<_> = self.settings.iter().cloned().collect();
        for (name, json) in stated {
            let value = decode_with(json, Syntax::PYTHON)
                .unwrap_or(Value::Null)
                .into_owned();
            let before = given
                .iter()
                .position(|(key, _)| is_spelling(name, &key.to_display()))
                .map(|at| given.remove(at).1);
            let value = match (before, value) {
                (Some(Value::Object(before)), Value::Object(stated)) => {
                    Value::Object(merge(&before, &stated))
                }
                (_, value) => value,
            };
            given.push((Text::from((*name).to_owned()), value));
        }
        let given = Object::new(given);
        let settings = Settings::strict(self.entry.id, &given, self.entry.settings)?;
        (self.entry.build)(&settings, self.edition)
    }

    /// The evaluator's entry in the registry.
    pub fn entry(&self) -> &'static Entry {
        self.entry
    }

    /// The id.
    pub fn id(&self) -> &'static str {
        self.entry.id
    }

    /// The edition.
    pub fn edition(&self) -> Edition {
        self.edition
    }

    /// The threshold in effect if the user set one; `None` for a preset's default.
    pub fn threshold(&self) -> Option<f64> {
        self.threshold
    }

    /// The requirements for a score of 1 on single calls, in any order; `None` if they don't apply
    /// call by call, as for conditions.
    pub fn pair_demand(&self) -> Option<PairDemand> {
        self.preset.demand()
    }

    /// Evaluates a case. A case in the evaluator's own original shape is read as the original reads it, with the settings in the case.
    pub fn evaluate(&self, case: &Case<'_>, ask: Ask) -> Evaluation {
        self.evaluate_prepared(&PreparedCase::new(case), ask)
    }

    /// Like [`evaluate`](Self::evaluate), for several evaluators on the same case.
    pub fn evaluate_prepared(&self, prepared: &PreparedCase<'_>, ask: Ask) -> Evaluation {
        let case = prepared.case();
        if case.expected.tree.is_some() {
            match case.expected.resolution {
                Some(Ok(_)) => {}
                Some(Err(error)) => return failed(format!("what is expected: {error}")),
                None => return self.evaluate_tree(case, ask),
            }
        }
        let is_native = case.native.as_ref().map(|native| native.shape) == self.entry.shape
            && case.native.is_some();
        match &case.incomplete {
            // In its own shape, an original decides itself how to treat missing calls.
            Some(why) if !is_native => self.evaluate_incomplete(prepared, &why.to_display(), ask),
            _ => self.evaluate_resolved(prepared, ask),
        }
    }

    /// Evaluates a run that may lack calls. The result is not applicable if a missing call could lower the score.
    #[cold]
    fn evaluate_incomplete(&self, prepared: &PreparedCase<'_>, why: &str, ask: Ask) -> Evaluation {
        let why = why.to_owned();
        if prepared.case().actual.is_none() {
            return Evaluation::without_score(NotApplicable::RunNotRecorded { why }.into());
        }
        if self.preset.judges_incomplete_runs() {
            return self.evaluate_resolved(prepared, ask);
        }
        let explained = Ask {
            explanation: true,
            ..ask
        };
        let mut evaluation = self.evaluate_resolved(prepared, explained);
        let costs = evaluation.explanation.as_ref().map(|it| it.costs);
        // A missing call may be extra, which can't lower the score if extra calls have no cost.
        let is_settled = match costs {
            // A forbidden call remains forbidden, whatever is missing.
            Some(Costs::NONE) => evaluation.score() == Some(0.0),
            Some(costs) => !costs.extra,
            None => evaluation.score().is_none(),
        };
        if !is_settled {
            return Evaluation::without_score(NotApplicable::RunIncomplete { why }.into());
        }
        evaluation.explanation.take_if(|_| !ask.may_explain());
        evaluation
    }

    fn evaluate_resolved(&self, prepared: &PreparedCase<'_>, ask: Ask) -> Evaluation {
        let case = prepared.case();
        match &case.native {
            Some(native) if Some(native.shape) == self.entry.shape => {
                let source = Source::Native {
                    expected: native.expected,
                    actual: native.actual,
                    hash_key: case.hash_key,
                    max_comparisons: case.max_comparisons,
                };
                if native.settings.is_empty() {
                    return self.finish(&*self.preset, &source, ask);
                }
                match self.preset_for_case(&native.settings) {
                    Ok(preset) => self.finish(&*preset, &source, ask),
                    Err(error) => failed(format!("what the case states beside its calls: {error}")),
                }
            }
            _ => self.finish(&*self.preset, &Source::Case(prepared), ask),
        }
    }

    /// Evaluates a case with several accepted runs by the one nearest to the actual run.
    #[cold]
    fn evaluate_tree(&self, case: &Case<'_>, ask: Ask) -> Evaluation {
        case.with_resolved(|resolved| self.evaluate_prepared(&PreparedCase::new(resolved), ask))
    }

    /// Evaluates two sides given as JSON text in the original's own shape.
    pub fn evaluate_native(&self, expected: &str, actual: &str, ask: Ask) -> Evaluation {
        let source = Source::Native {
            expected,
            actual,
            hash_key: HashKey::default(),
            max_comparisons: None,
        };
        self.finish(&*self.preset, &source, ask)
    }

    fn finish(&self, preset: &dyn Preset, source: &Source<'_>, ask: Ask) -> Evaluation {
        let mut evaluation = match preset.evaluate(source, ask) {
            Ok(judgement) => judgement,
            Err(outcome) => Evaluation::without_score(outcome),
        };
        if let Outcome::Failed(EvaluationError::ErrorResult(message)) = &evaluation.outcome {
            evaluation.result = ask.result.then(|| error_result(message));
        }
        // A preset with its own threshold has already applied it. Otherwise the user's threshold decides, even if the original has a
        // verdict.
        if let (Some(threshold), Some(score), false) = (
            self.threshold,
            evaluation.score(),
            self.entry.has_threshold(),
        ) {
            evaluation.passed = Some(score >= threshold);
        }
        evaluation
    }
}

#[cold]
fn failed(message: String) -> Evaluation {
    Evaluation::without_score(EvaluationError::Raised(message).into())
}

/// Merges two objects. If both have a key, in any spelling, the second object's value is used.
fn merge(first: &Object<'static>, second: &Object<'static>) -> Object<'static> {
    let is_stated = |key: &str| {
        second.iter().any(|(stated, _)| {
            is_spelling(key, &stated.to_display()) || is_spelling(&stated.to_display(), key)
        })
    };
    let kept = first
        .iter()
        .filter(|(key, _)| !is_stated(&key.to_display()));
    Object::new(kept.chain(second).cloned().collect())
}

fn no_such_edition(entry: &'static Entry, named: &Value<'_>) -> ConfigError {
    let available: Vec<_> = entry
        .editions
        .iter()
        .map(|edition| format!("`{edition}`"))
        .collect();
    ConfigError::NoSuchEdition {
        evaluator: entry.id,
        edition: named
            .as_text()
            .map_or_else(|| crate::settings::describe(named), ToString::to_string),
        available: available.join(" and "),
    }
}

#[cfg(test)]
mod tests;
