//! The trial, if all cases of a run have the same one. It distinguishes no cases then, so names omit it.

use crate::{CaseResult, Findings, RunSummary, Worst};

/// Whether all cases have the same trial and the same variant.
#[derive(Clone, Debug, Default)]
pub struct SameTrial {
    /// True after the first case.
    is_begun: bool,
    /// The trial of all cases; `None` if they differ or have none.
    trial: Option<String>,
    /// The variant of the first case.
    variant: Vec<(String, String)>,
    /// True if a case has another variant.
    has_variants: bool,
}

impl SameTrial {
    /// Adds a case.
    pub fn add(&mut self, case: &CaseResult) {
        if !self.is_begun {
            self.is_begun = true;
            self.trial.clone_from(&case.trial);
            self.variant.clone_from(&case.variant);
            return;
        }
        if self.trial != case.trial {
            self.trial = None;
        }
        self.has_variants |= self.variant != case.variant;
    }

    /// The trial of all cases so far; `None` if they differ, have none, or no case was added.
    pub fn trial(&self) -> Option<&str> {
        self.trial.as_deref()
    }

    /// The name of one of the cases, without the trial if all cases have the same one.
    pub fn name(&self, case: &CaseResult) -> String {
        match self.trial() {
            Some(_) => case.label.clone(),
            None => case.name(),
        }
    }

    /// Shortens the names in a summary of the cases in the same way.
    pub fn shorten_names(&self, summary: &mut RunSummary) {
        let lists = summary.evaluators.iter_mut().map(|it| &mut it.lowest);
        let lists = lists.chain([&mut summary.lowest]);
        for case in lists.flat_map(Worst::iter_mut) {
            if !self.has_variants {
                case.variant.clear();
            }
            if self.trial.is_some() {
                case.trial = None;
            }
        }
        let Some(trial) = self.trial() else { return };
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
