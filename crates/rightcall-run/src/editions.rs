//! The other edition of an evaluator, and whether it says something else.

use rightcall::{Evaluator, Outcome};

use crate::{Configured, EvaluatorArgument};

impl Configured {
    /// The same evaluator in the edition that it does not follow; `None` where it has but one.
    pub fn in_other_edition(&self) -> Option<Evaluator> {
        let own = self.evaluator.edition();
        let other = self
            .evaluator
            .entry()
            .editions
            .iter()
            .copied()
            .find(|edition| *edition != own)?;
        let asked = EvaluatorArgument::parse(&self.argument)
            .ok()?
            .with_edition(other);
        Evaluator::new(&asked.id, &asked.settings, None).ok()
    }
}

/// True if two outcomes are the same to whoever reads scores: the words of errors and reasons do not count.
pub fn is_same_outcome(left: &Outcome, right: &Outcome) -> bool {
    match (left, right) {
        (Outcome::Scored(left), Outcome::Scored(right)) => left == right,
        (Outcome::NotApplicable(_), Outcome::NotApplicable(_))
        | (Outcome::Failed(_), Outcome::Failed(_)) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use rightcall::Edition;

    use super::*;

    fn other(argument: &str) -> Option<Edition> {
        let configured =
            Configured::new(EvaluatorArgument::parse(argument).unwrap(), None).unwrap();
        configured.in_other_edition().map(|it| it.edition())
    }

    #[test]
    fn an_evaluator_of_two_editions_has_another() {
        assert_eq!(
            other("uipath/tool-call-order,strict=true"),
            Some(Edition::Package)
        );
        assert_eq!(
            other("uipath/tool-call-order,edition=package"),
            Some(Edition::Documented)
        );
        assert_eq!(other("trajectory"), None);
    }
}
