//! Chooses the case to explain if the user named none: the lowest of a failed gate, the worst, or the one at a line.

use std::io;
use std::sync::Arc;

use rightcall_results::{CaseResult, Worst, worth};
use rightcall_run::{FoundCase, Output, Plan, Wants};

use super::place::CasePlace;
use crate::messages::Trouble;
use crate::problems::ProblemCounter;

/// The place of a case, and the data that distinguish it from others at that place.
#[derive(Clone, Debug)]
pub(super) struct PickedCase {
    pub(super) label: String,
    trial: Option<String>,
    variant: Vec<(String, String)>,
    file: Arc<str>,
    line: u64,
}

impl PickedCase {
    /// True if a case found by name is this one.
    pub(super) fn is(&self, found: &FoundCase) -> bool {
        let is_variant = |variant: &Vec<_>| *variant == self.variant;
        found.trial == self.trial
            && found.variant.as_ref().is_none_or(is_variant)
            && (&*found.file, found.line) == (&*self.file, self.line)
    }
}

/// The case of a plan that needs attention first, or the first one at this line. `None` if there is none.
///
/// If a gate on an evaluator fails, it is the lowest case of that evaluator, else the worst of all.
///
/// With a cause, only cases with this text in one of their causes count.
pub(super) fn pick(
    plan: &Plan,
    place: Option<CasePlace<'_>>,
    cause: Option<&str>,
) -> Result<Option<PickedCase>, Trouble> {
    let mut worst = WorstCases {
        place,
        cause: cause.map(str::to_lowercase),
        evaluators: plan.evaluators.iter().map(|_| Worst::new(1)).collect(),
        whole: Worst::new(1),
    };
    let output: Box<dyn Output + '_> = Box::new(&mut worst);
    let finished = rightcall_run::run(plan, &mut [output], &mut ProblemCounter::default())?;
    let failed = finished.summary.failed_evaluator();
    let failed = failed.and_then(|index| worst.evaluators.get(index));
    let picked = failed.and_then(|worst| worst.iter().next());
    Ok(picked.or(worst.whole.iter().next()).cloned())
}

/// The worst cases: of each evaluator that scored a case below 1, and overall.
struct WorstCases<'p> {
    place: Option<CasePlace<'p>>,
    /// The cause to search for, in lower case.
    cause: Option<String>,
    evaluators: Vec<Worst<PickedCase>>,
    whole: Worst<PickedCase>,
}

impl Output for &mut WorstCases<'_> {
    fn wants(&self) -> Wants {
        Wants {
            shortfall: self.cause.is_some(),
            ..Wants::default()
        }
    }

    fn case(&mut self, case: &Arc<CaseResult>, _: &[u8]) -> io::Result<()> {
        let picked = || PickedCase {
            label: case.label.clone(),
            trial: case.trial.clone(),
            variant: case.variant.clone(),
            file: Arc::clone(&case.file),
            line: case.line,
        };
        if let Some(wanted) = &self.cause {
            let mut causes = case
                .counted_causes()
                .map(|it| it.to_string().to_lowercase());
            if !causes.any(|cause| cause.contains(wanted)) {
                return Ok(());
            }
        }
        match self.place {
            Some(place) if !place.matches(&case.label, case.line) => return Ok(()),
            Some(_) => self.whole.offer(0.0, picked),
            None => self.whole.offer(case.worth(), picked),
        }
        for (worst, result) in self.evaluators.iter_mut().zip(&case.evaluations) {
            if self.place.is_none() && result.score().is_some_and(|score| score < 1.0) {
                worst.offer(worth(result), picked);
            }
        }
        Ok(())
    }
}
