//! Evaluators as the user configured them.

use std::borrow::Cow;

use rightcall_core::call::{Case, Trajectory};
use rightcall_core::{
    Ask, ConfigError, Edition, Evaluation, EvaluationError, Evaluator, NotApplicable, Outcome,
    PreparedCase,
};
use rightcall_formats::{ReadOptions, criteria_of, read_case};
use rightcall_results::{EvaluatorHead, EvaluatorSummary};

use crate::EvaluatorArgument;

/// An evaluator with its settings and the user's name for it.
#[derive(Debug)]
pub struct Configured {
    /// The evaluator.
    pub evaluator: Evaluator,
    /// The user's name for it.
    pub name: Option<String>,
    /// The argument of `-e` that selects the same evaluator.
    pub argument: String,
    /// Its weight in the score of a case; 1 unless a suite sets it.
    pub weight: f64,
    /// For eval sets: the id of each case's criteria for this evaluator.
    criteria: Option<String>,
    /// True if it passes and fails cases without a threshold.
    judges_by_itself: bool,
}

impl Configured {
    /// The evaluator that an argument or a suite entry describes.
    ///
    /// # Errors
    /// See [`Evaluator::new`].
    pub fn new(asked: EvaluatorArgument, edition: Option<Edition>) -> Result<Self, ConfigError> {
        let evaluator = Evaluator::new(&asked.id, &asked.settings, edition)?;
        let mut argument = asked.to_argument(evaluator.id());
        // A suite sets the edition outside its entries, but reproducing the scores needs it in the argument.
        if !asked.names_edition() && evaluator.edition() != evaluator.entry().editions[0] {
            argument = asked
                .with_edition(evaluator.edition())
                .to_argument(evaluator.id());
        }
        Ok(Self {
            judges_by_itself: judges_by_itself(&evaluator, &asked),
            evaluator,
            name: asked.name,
            argument,
            weight: 1.0,
            criteria: None,
        })
    }

    /// The same evaluator, with the criteria under this id in each case of an eval set.
    pub(crate) fn judging_by(self, id: &str) -> Self {
        Self {
            criteria: Some(id.to_owned()),
            ..self
        }
    }

    /// The case for this evaluator: unchanged, or in an eval set with the criteria for this
    /// evaluator.
    ///
    /// # Errors
    /// The evaluation of a case without criteria for this evaluator (not applicable), or with
    /// invalid criteria (an error).
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

    /// Evaluates a case.
    pub fn evaluate(&self, case: &Case<'_>, ask: Ask) -> Evaluation {
        self.view(case).map_or_else(
            |evaluation| *evaluation,
            |view| self.evaluator.evaluate(&view, ask),
        )
    }

    /// Evaluates a case that was prepared for all evaluators.
    pub fn evaluate_prepared(&self, prepared: &PreparedCase<'_>, ask: Ask) -> Evaluation {
        match self.view(prepared.case()) {
            Ok(Cow::Borrowed(_)) => self.evaluator.evaluate_prepared(prepared, ask),
            Ok(Cow::Owned(view)) => self.evaluator.evaluate(&view, ask),
            Err(evaluation) => *evaluation,
        }
    }

    /// The header of this evaluator in results, if no other has the same name.
    pub fn head(&self) -> EvaluatorHead {
        EvaluatorHead {
            id: self.evaluator.id().to_owned(),
            name: self.name.clone(),
            label: self.label().to_owned(),
        }
    }

    /// A summary of this evaluator under this label, without scores yet.
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

    /// The display name: the user's name, else the id.
    pub fn label(&self) -> &str {
        self.name.as_deref().unwrap_or(self.evaluator.id())
    }

    /// True if its verdicts decide: the user set a threshold, or the evaluator takes no threshold and returns verdicts.
    pub fn is_decisive(&self) -> bool {
        self.evaluator.threshold().is_some() || self.judges_by_itself
    }
}

/// True if it has no threshold and returns a verdict on an empty case (no calls expected, no calls
/// made) or on the example of its page. If it applies to neither, the example's settings are added
/// where the user set none.
fn judges_by_itself(evaluator: &Evaluator, asked: &EvaluatorArgument) -> bool {
    let entry = evaluator.entry();
    if entry.has_threshold() {
        return false;
    }
    let mut empty = Case {
        actual: Some(Trajectory::default()),
        ..Case::default()
    };
    empty.expected.calls = Some(Vec::new());
    let (expected, actual) = (entry.page.example.expected, entry.page.example.actual);
    let line = format!(r#"{{"expected":{expected},"actual":{actual}}}"#);
    let example = read_case(&line, &ReadOptions::default());
    let cases: Vec<_> = [Ok(empty), example].into_iter().flatten().collect();
    // `None` if it scores no case, else true if it returns a verdict on any.
    let judges = |evaluator: &Evaluator| {
        let evaluations = cases
            .iter()
            .map(|case| evaluator.evaluate(case, Ask::OUTCOME));
        let scored: Vec<_> = evaluations.filter(|it| it.score().is_some()).collect();
        let judges = scored.iter().any(|it| it.passed.is_some());
        (!scored.is_empty()).then_some(judges)
    };
    judges(evaluator)
        .or_else(|| {
            let settings = asked.settings_over(entry.page.example.settings);
            let evaluator = Evaluator::new(entry.id, &settings, Some(evaluator.edition()));
            judges(&evaluator.ok()?)
        })
        .unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_threshold_does_not_decide() {
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
            ("strands/tool-called", true),
            ("strands/any-order-match", false),
            ("vertex/trajectory-exact-match", false),
        ] {
            let configured =
                Configured::new(EvaluatorArgument::parse(argument).unwrap(), None).unwrap();
            assert_eq!(configured.is_decisive(), decides, "{argument}");
        }
    }
}
