//! The runs of a suite, and the material for broken runs.

use std::collections::HashSet;

use rightcall_core::call::Case;
use rightcall_core::value::Text;
use rightcall_formats::{ReadOptions, ToolCatalogue, case_text, read_case};
use rightcall_quality::strength::Material;

/// The runs of a suite, and the material for broken runs. All runs are held in memory, as texts.
#[derive(Debug, Default)]
pub struct SuiteRuns {
    runs: Vec<RecordedRun>,
    /// Cases without a run.
    pub(super) without_run: u64,
    tools: Material,
    known_definitions: HashSet<String>,
}

/// A case with its run.
#[derive(Debug)]
pub(super) struct RecordedRun {
    pub(super) label: String,
    /// The trial as JSON text.
    pub(super) trial: Option<String>,
    /// The case as canonical text.
    pub(super) text: String,
}

/// Keys of a case under which tools are defined.
const TOOLS: [&str; 4] = ["tools", "functions", "available_tools", "tool_definitions"];

impl SuiteRuns {
    /// Adds the definitions of tools in a file.
    pub fn add_tools(&mut self, catalogue: &ToolCatalogue, file: &str) {
        self.tools.add_tools(catalogue, file);
    }

    /// Adds a case with this name, and its tool definitions.
    pub fn add_case(&mut self, case: &Case<'_>, label: &str) {
        self.add_tools_of(case, label);
        if case.actual.is_none() {
            self.without_run += 1;
            return;
        }
        self.runs.push(RecordedRun {
            label: label.to_owned(),
            trial: case.trial.map(str::to_owned),
            text: case_text(case),
        });
    }

    /// True if no case was added, with or without a run.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty() && self.without_run == 0
    }

    /// The number of runs.
    pub fn count(&self) -> usize {
        self.runs.len()
    }

    /// The runs, and the material for broken runs: the tools, and the calls, values and results of all runs.
    pub(super) fn with_material(self, reading: &ReadOptions) -> (Vec<RecordedRun>, Material) {
        // Cases are added last, because calls that differ only in defaults of definitions are the same.
        let mut material = self.tools;
        for (number, run) in self.runs.iter().enumerate() {
            if let Ok(case) = read_case(&run.text, reading) {
                material.add_case(&case, number);
            }
        }
        (self.runs, material)
    }

    /// Adds the tool definitions of a case, unless it shares them with an earlier case.
    fn add_tools_of(&mut self, case: &Case<'_>, label: &str) {
        let is_known = |key: &Text<'_>| TOOLS.iter().any(|it| *key == **it);
        for (_, json) in case.meta.iter().filter(|(key, _)| is_known(key)) {
            if self.known_definitions.insert((*json).to_owned())
                && let Ok(tools) = ToolCatalogue::from_json(json)
            {
                self.tools.add_tools(&tools, label);
            }
        }
    }
}
