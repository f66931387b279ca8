//! An evaluator as a user asked for it.

use std::borrow::Cow;

use rightcall::call::{Case, Trajectory};
use rightcall::{
    Ask, ConfigError, Edition, Evaluation, EvaluationError, Evaluator, NotApplicable, Outcome,
    PreparedCase,
};
use rightcall_formats::{ReadOptions, criteria_of, read_case};
use rightcall_results::{EvaluatorHead, EvaluatorSummary};

use crate::EvaluatorArgument;

/// An evaluator with its settings and the name that the user gave it.
#[derive(Debug)]
pub struct Configured {
    /// The evaluator.
    pub evaluator: Evaluator,
    /// The user's name for it.
    pub name: Option<String>,
    /// How to ask for the same evaluator with `-e`.
    pub argument: String,
    /// Its part in the score of a case; 1 unless a suite says otherwise.
    pub weight: f64,
    /// The id under which the cases of an eval set state the criteria that this evaluator judges by, each for itself.
    criteria: Option<String>,
}

impl Configured {
    /// The evaluator that an argument or an entry of a suite describes.
    ///
    /// # Errors
    /// See [`Evaluator::new`].
    pub fn new(asked: EvaluatorArgument, edition: Option<Edition>) -> Result<Self, ConfigError> {
        let evaluator = Evaluator::new(&asked.id, &asked.settings, edition)?;
        let mut argument = asked.to_argument(evaluator.id());
        // The edition of a suite has no place in its entries, yet the same scores need it.
        if !asked.names_edition() && evaluator.edition() != evaluator.entry().editions[0] {
            argument = asked
                .with_edition(evaluator.edition())
                .to_argument(evaluator.id());
        }
        Ok(Self {
            evaluator,
            name: asked.name,
            argument,
            weight: 1.0,
            criteria: None,
        })
    }

    /// The same evaluator, which judges each case by the criteria that an eval set states for this id.
    pub(crate) fn judging_by(self, id: &str) -> Self {
        Self {
            criteria: Some(id.to_owned()),
            ..self
        }
    }

    /// The case as this evaluator is to see it: as it is, or in an eval set with its own criteria.
    ///
    /// # Errors
    /// What comes of a case that does not ask for this evaluator, or whose criteria cannot be read.
    pub fn view<'c, 'a>(&self, case: &'c Case<'a>) -> Result<Cow<'c, Case<'a>>, Box<Evaluation>> {
        let Some(id) = &self.criteria else {
            return Ok(Cow::Borrowed(case));
        };
        match criteria_of(case, id) {
            Ok(Some(expected)) => Ok(Cow::Owned(Case {
                expected,
                native: None,
                ..case.clone()
            })),
            Ok(None) => Err(Box::new(Evaluation::without_score(Outcome::NotApplicable(
                NotApplicable::NotAsked,
            )))),
            Err(error) => {
                let message = format!("its criteria in the eval set: {error}");
                Err(Box::new(Evaluation::without_score(Outcome::Failed(
                    EvaluationError::Raised(message),
                ))))
            }
        }
    }

    /// What it makes of a case.
    pub fn evaluate(&self, case: &Case<'_>, ask: Ask) -> Evaluation {
        self.view(case).map_or_else(
            |evaluation| *evaluation,
            |view| self.evaluator.evaluate(&view, ask),
        )
    }

    /// What it makes of a case that has been prepared for all evaluators.
    pub fn evaluate_prepared(&self, prepared: &PreparedCase<'_>, ask: Ask) -> Evaluation {
        match self.view(prepared.case()) {
            Ok(Cow::Borrowed(_)) => self.evaluator.evaluate_prepared(prepared, ask),
            Ok(Cow::Owned(view)) => self.evaluator.evaluate(&view, ask),
            Err(evaluation) => *evaluation,
        }
    }

    /// What results call it, where no other evaluator is called the same.
    pub fn head(&self) -> EvaluatorHead {
        EvaluatorHead {
            id: self.evaluator.id().to_owned(),
            name: self.name.clone(),
            label: self.label().to_owned(),
        }
    }

    /// It in a summary, under this label, without scores yet.
    pub fn unscored(&self, label: String) -> EvaluatorSummary {
        EvaluatorSummary {
            id: self.evaluator.id().to_owned(),
            name: self.name.clone(),
            label,
            threshold: self.evaluator.threshold(),
            is_decisive: self.is_decisive(),
            ..EvaluatorSummary::default()
        }
    }

    /// What people call it: the user's name, else the id.
    pub fn label(&self) -> &str {
        self.name.as_deref().unwrap_or(self.evaluator.id())
    }

    /// True if its verdicts are the user's will: by a threshold that the user wrote, or by an evaluator that knows none.
    pub fn is_decisive(&self) -> bool {
        self.evaluator.threshold().is_some()
            || (!self.evaluator.entry().has_threshold() && self.judges_by_itself())
    }

    /// True if it gives a verdict: where nothing is expected and nothing was done, or on the example of its page.
    fn judges_by_itself(&self) -> bool {
        let example = &self.evaluator.entry().page.example;
        let line = format!(
            r#"{{"expected":{},"actual":{}}}"#,
            example.expected, example.actual
        );
        let case = read_case(&line, &ReadOptions::default());
        let judges = |case: &Case<'_>| {
            let evaluation = self.evaluator.evaluate(case, Ask::OUTCOME);
            evaluation.passed.is_some()
        };
        let mut nothing = Case {
            actual: Some(Trajectory::default()),
            ..Case::default()
        };
        nothing.expected.calls = Some(Vec::new());
        judges(&nothing) || case.is_ok_and(|case| judges(&case))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_default_threshold_decides_nothing() {
        for (argument, decides) in [
            ("uipath/tool-call-order", false),
            ("uipath/tool-call-order,threshold=0.5", true),
            ("axion/tool-correctness", false),
            ("axion/tool-correctness,threshold=0.5", true),
            ("deepeval/tool-correctness", false),
            ("adk/trajectory", false),
            ("agentevals/trajectory-match", true),
            ("tau2/action-check", true),
            ("promptfoo/tool-used", true),
            ("promptfoo/tool-call-f1", false),
            ("bfcl/ast-checker", true),
            ("mastra/trajectory-accuracy", false),
            ("trajectory", false),
            ("fitness", true),
            ("mlflow/tool-call-correctness", true),
            ("azure/task-navigation-efficiency", true),
            ("azure/task-navigation-efficiency,score=f1", false),
            ("strands/tool-called,tool_name=a", true),
            ("strands/any-order-match", false),
            ("vertex/trajectory-exact-match", false),
        ] {
            let configured =
                Configured::new(EvaluatorArgument::parse(argument).unwrap(), None).unwrap();
            assert_eq!(configured.is_decisive(), decides, "{argument}");
        }
    }
}
