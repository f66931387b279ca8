//! Cases for which the two editions of an evaluator differ.

use std::collections::BTreeMap;

use rightcall_results::EditionsDiffer;

use super::Fold;
use crate::Investigation;
use crate::judged::JudgedCase;

/// The cases for which editions differ.
pub(crate) struct Editions {
    listed: usize,
    differ: BTreeMap<usize, EditionsDiffer>,
}

impl Editions {
    pub(crate) fn new(investigation: &Investigation) -> Self {
        Self {
            listed: investigation.listed,
            differ: BTreeMap::new(),
        }
    }
}

impl Fold for Editions {
    type Total = Vec<EditionsDiffer>;

    fn add(&mut self, case: &JudgedCase) {
        let found = case.findings.iter().flat_map(|it| &it.differing);
        for (evaluator, own, other) in found {
            let none = || EditionsDiffer {
                evaluator: *evaluator,
                cases: 0,
                first: Vec::new(),
            };
            let differ = self.differ.entry(*evaluator).or_insert_with(none);
            differ.cases += 1;
            if differ.first.len() < self.listed {
                let name = case.result.name();
                differ.first.push((name, own.clone(), other.clone()));
            }
        }
    }

    fn finish(self) -> Vec<EditionsDiffer> {
        self.differ.into_values().collect()
    }
}
