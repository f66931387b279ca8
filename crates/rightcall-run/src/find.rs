//! Finds one case among many.

use std::sync::Arc;

use rightcall_core::call::Case;
use rightcall_core::nearest;
use rightcall_formats::Block;

use crate::case_label::Labelled;
use crate::run::{Records, pieces};
use crate::{FoundCase, Plan, RunError};

/// The result of a search.
#[derive(Clone, Debug, Default)]
pub struct Search {
    /// The case, once for each trial, in input order.
    pub found: Vec<FoundCase>,
    /// The most similar names of other cases, if it was not found.
    pub near: Vec<String>,
}

/// At most this many trials of the case are kept.
const TRIALS: usize = 1000;

/// Searches the inputs of a plan, limited by its filter, for the case with this id, or at this `FILE:LINE` if it has no id.
/// Records that cannot be parsed are skipped.
///
/// # Errors
/// An input that cannot be opened.
pub fn find(plan: &Plan, wanted: &str) -> Result<Search, RunError> {
    let mut search = Search::default();
    // With an expectation for all trajectories, a run without a case is a case too.
    let runs = plan.traces.as_ref().filter(|_| !plan.expected.is_empty());
    let runs = runs.map(|traces| {
        (
            pieces(plan, &traces.files, &traces.reading),
            Records::LoneRuns,
        )
    });
    let cases = (pieces(plan, &plan.inputs, &plan.reading), Records::Cases);
    for (mut inputs, records) in [cases].into_iter().chain(runs) {
        while let Some(piece) = inputs.next_piece()? {
            let (file, before) = (Arc::clone(&piece.file), piece.records_before);
            piece.each_block(|block| {
                for (number, record) in (before..).zip(block.iter().flat_map(Block::records)) {
                    let Ok(content) = record.content else {
                        continue;
                    };
                    let mut kept: Option<Arc<str>> = None;
                    // A record that is not a valid case cannot match.
                    _ = records.read(plan, content, (&file, number), &mut |case| {
                        if !plan.selection.only.admits(case) {
                            return;
                        }
                        let label = case.label(&file, record.place);
                        if label != wanted {
                            search.keep_if_near(wanted, &label);
                            return;
                        }
                        if search.found.len() == TRIALS {
                            return;
                        }
                        if kept.is_none() {
                            kept = content.text().ok().map(|text| text.as_ref().into());
                        }
                        if let Some(text) = &kept {
                            search.found.push(FoundCase {
                                label,
                                trial: case.trial.map(ToOwned::to_owned),
                                variant: Some(plan.variant_of(case)),
                                file: Arc::clone(&file),
                                line: record.place.line,
                                text: Arc::clone(text),
                                number,
                            });
                        }
                    });
                }
            });
        }
    }
    if !search.found.is_empty() {
        search.near.clear();
    }
    Ok(search)
}

impl FoundCase {
    /// True if a case from the same record is this one.
    pub(crate) fn is(&self, plan: &Plan, case: &Case<'_>) -> bool {
        let is_variant = |variant: &Vec<_>| *variant == plan.variant_of(case);
        case.trial == self.trial.as_deref() && self.variant.as_ref().is_none_or(is_variant)
    }
}

impl Search {
    fn keep_if_near(&mut self, wanted: &str, label: &str) {
        if self.found.is_empty() && self.near.iter().all(|near| near != label) {
            let near = nearest(wanted, self.near.iter().map(String::as_str).chain([label]));
            self.near = near.into_iter().map(ToOwned::to_owned).collect();
        }
    }
}
