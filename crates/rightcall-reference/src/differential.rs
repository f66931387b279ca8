//! Runs the engine and the reference on the same case.

use rightcall_core::value::{Syntax, Value, decode_with};
use rightcall_core::{Ask, Edition, Evaluation, EvaluationError, Evaluator, Outcome};

use crate::cases::case;
use crate::choices::Choices;
use crate::{Reference, score};

/// A case in the original tool's shape, with all parts as JSON text.
#[derive(Clone, Debug)]
pub struct Case {
    /// The evaluator.
    pub evaluator: &'static str,
    /// The settings for the original's constructor.
    pub config: String,
    /// The expected side.
    pub expected: String,
    /// The actual side.
    pub actual: String,
}

impl Case {
    /// The case generated from these bytes.
    ///
    /// # Panics
    /// If no row generates cases for the evaluator.
    pub fn from_bytes(evaluator: &'static str, bytes: &[u8]) -> Self {
        let [config, expected, actual] = case(evaluator, &mut Choices::new(bytes));
        Self {
            evaluator,
            config,
            expected,
            actual,
        }
    }

    /// The reference's result.
    pub fn reference(&self) -> Reference {
        let sides = [&self.config, &self.expected, &self.actual]
            .map(|text| decode_with(text, Syntax::PYTHON));
        let [Ok(config), Ok(expected), Ok(actual)] = sides else {
            return Reference::Unknown;
        };
        score(self.evaluator, &config, &expected, &actual)
    }

    /// The engine's result.
    ///
    /// # Errors
    /// The engine contradicts itself.
    pub fn engine(&self) -> Result<Reference, String> {
        let Ok(evaluator) = Evaluator::from_config(self.evaluator, &self.config, Edition::Package)
        else {
            return Ok(Reference::Raised);
        };
        let evaluation = evaluator.evaluate_native(&self.expected, &self.actual, Ask::ALL);
        let bare = evaluator.evaluate_native(&self.expected, &self.actual, Ask::OUTCOME);
        if evaluation.outcome != bare.outcome {
            return Err(format!(
                "what is asked changes the outcome: {:?}, {:?}",
                evaluation.outcome, bare.outcome
            ));
        }
        Ok(match &evaluation.outcome {
            Outcome::Scored(score) if result_score(&evaluation) != Some(score.get()) => {
                return Err(format!(
                    "the score is {score:?}, the result {:?}",
                    evaluation.result
                ));
            }
            Outcome::Scored(score) => Reference::Score(score.get()),
            Outcome::Failed(EvaluationError::NotFinite) => Reference::Score(f64::NAN),
            Outcome::Failed(EvaluationError::ErrorResult(_)) => Reference::ErrorResult,
            Outcome::Failed(_) => Reference::Raised,
            Outcome::NotApplicable(_) => Reference::Unknown,
        })
    }

    /// The engine's result, compared with the reference's if that is known.
    ///
    /// # Errors
    /// Both results, if they differ, or the engine contradicts itself.
    pub fn check(&self) -> Result<Reference, String> {
        let reference = self.reference();
        let engine = self
            .engine()
            .map_err(|error| format!("{error}: {self:#?}"))?;
        match (reference, engine) {
            (Reference::Unknown, _) => Ok(engine),
            (Reference::Score(left), Reference::Score(right))
                if left.is_nan() && right.is_nan() =>
            {
                Ok(engine)
            }
            _ if reference == engine => Ok(engine),
            _ => Err(format!(
                "the reference says {reference:?}, the engine {engine:?}: {self:#?}"
            )),
        }
    }
}

fn result_score(evaluation: &Evaluation) -> Option<f64> {
    match evaluation
        .result
        .as_ref()?
        .to_value()
        .as_object()?
        .get_str("score")?
    {
        Value::Bool(score) => Some(f64::from(u8::from(*score))),
        score => score.as_f64(),
    }
}
