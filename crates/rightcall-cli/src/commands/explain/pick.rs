//! Which case is meant where no name is given: the worst, or that of a line.

use std::io;
use std::sync::Arc;

use rightcall_results::{CaseResult, Worst};
use rightcall_run::{Output, Plan};

use crate::messages::Trouble;
use crate::problems::ProblemCounter;

/// A case by its name and its trial.
pub(super) type CaseName = (String, Option<String>);

/// The worst case of a plan, or the first at this line; `None` where there is none.
pub(super) fn pick(plan: &Plan, line: Option<u64>) -> Result<Option<CaseName>, Trouble> {
    let mut picked = Worst::new(1);
    let output: Box<dyn Output + '_> = Box::new(WorstCase {
        line,
        picked: &mut picked,
    });
    rightcall_run::run(plan, &mut [output], &mut ProblemCounter::default())?;
    Ok(picked.iter().next().cloned())
}

struct WorstCase<'p> {
    line: Option<u64>,
    picked: &'p mut Worst<CaseName>,
}

impl Output for WorstCase<'_> {
    fn case(&mut self, case: &Arc<CaseResult>, _: &[u8]) -> io::Result<()> {
        let worth = match self.line {
            Some(line) if line != case.line => return Ok(()),
            Some(_) => 0.0,
            None => case.worth(),
        };
        self.picked
            .offer(worth, || (case.label.clone(), case.trial.clone()));
        Ok(())
    }
}
