//! The known tools, with their schemas compiled into validators.

mod definitions;
mod normal;
mod relaxed;
mod schema;

use std::collections::HashMap;
use std::sync::Arc;

use rightcall_formats::ToolCatalogue;

pub use definitions::use_tool_definitions;
pub(crate) use relaxed::{bounds, listed_values, relaxed};
pub(crate) use schema::{Broken, ToolSchema, Violation, short};

use crate::place::Place;

/// Tools by name.
#[derive(Debug, Default)]
pub(crate) struct Toolbox {
    pub(crate) tools: Vec<ToolSchema>,
    by_name: HashMap<String, usize>,
    /// True if expectations may not use any other tool, because the user or the record lists the tools.
    pub(crate) is_complete: bool,
}

impl Toolbox {
    /// The tools of a catalogue that begins on this line of a file. If several have the same name, the first one wins.
    pub(crate) fn new(
        catalogue: &ToolCatalogue,
        file: &Arc<str>,
        line: u64,
        is_complete: bool,
    ) -> Self {
        let mut read = Self {
            is_complete,
            ..Self::default()
        };
        read.add(catalogue, file, line);
        read
    }

    /// Adds the tools of another catalogue.
    pub(crate) fn add(&mut self, catalogue: &ToolCatalogue, file: &Arc<str>, line: u64) {
        for tool in catalogue.tools() {
            let name = tool.name.to_display().into_owned();
            if self.by_name.contains_key(&name) {
                continue;
            }
            let place = Place {
                file: Arc::clone(file),
                line: line + tool.line - 1,
                pointer: tool.pointer.clone(),
            };
            self.by_name.insert(name, self.tools.len());
            self.tools.push(ToolSchema::new(tool, place));
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&ToolSchema> {
        self.by_name.get(name).and_then(|at| self.tools.get(*at))
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|it| it.name.as_str())
    }
}
