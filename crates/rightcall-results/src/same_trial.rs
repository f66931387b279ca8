//! The trial that all cases of a run are of: it says nothing of any of them, and people read names without it.

use crate::{CaseResult, Findings, RunSummary};

/// Whether all cases are of one trial.
#[derive(Clone, Debug, Default)]
pub struct SameTrial {
    /// The trial of the first case.
    first: Option<Option<String>>,
    differ: bool,
}

impl SameTrial {
    /// Adds a case.
    pub fn add(&mut self, case: &CaseResult) {
        match &self.first {
            None => self.first = Some(case.trial.clone()),
            Some(first) => self.differ |= *first != case.trial,
        }
    }

    /// The trial of all cases so far; `None` where there are several, or none at all.
    pub fn trial(&self) -> Option<&str> {
        self.first.as_ref()?.as_deref().filter(|_| !self.differ)
    }

    /// The name of one of the cases, without a trial that all of them have.
    pub fn name(&self, case: &CaseResult) -> String {
        match self.trial() {
            Some(_) => case.label.clone(),
            None => case.name(),
        }
    }

    /// Has a summary of the cases name them so.
    pub fn shorten_names(&self, summary: &mut RunSummary) {
        let Some(trial) = self.trial() else { return };
        let lists = summary.evaluators.iter_mut().map(|it| &mut it.lowest);
        let lists = lists.chain([&mut summary.lowest]);
        lists
            .flat_map(|it| it.iter_mut())
            .for_each(|case| case.trial = None);
        let ending = format!(" (trial {trial})");
        for name in summary.findings.iter_mut().flat_map(names) {
            if let Some(label) = name.strip_suffix(&ending) {
                *name = label.to_owned();
            }
        }
    }
}

/// The names of cases in findings.
fn names(findings: &mut Findings) -> impl Iterator<Item = &mut String> {
    let of_causes = findings.causes.iter_mut().map(|cause| &mut cause.first);
    let differing = findings.editions.iter_mut().flat_map(|it| &mut it.first);
    of_causes.chain(differing.map(|(name, ..)| name))
}
