//! The demand on the calls of a leaf.

use crate::value::JsonWriter;

use super::pattern::Pattern;

/// A call of a run that a leaf accepts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Occurrence {
    pub(super) leaf: usize,
    /// Its index in the run.
    pub(super) place: usize,
}

/// The demand on a leaf's calls, besides the name.
#[derive(Clone, Debug, Default)]
pub(super) struct LeafDemand {
    pub(super) arguments: Option<Pattern>,
    /// Members of the output.
    pub(super) output: Option<Pattern>,
}

impl LeafDemand {
    /// True if any call is accepted.
    pub(super) fn is_nothing(&self) -> bool {
        self.arguments.is_none() && self.output.is_none()
    }

    /// Writes the members `args` and `output` of a call.
    pub(super) fn write(&self, writer: &mut JsonWriter) {
        if let Some(arguments) = &self.arguments {
            arguments.write(writer.key("args"));
        }
        if let Some(output) = &self.output {
            output.write(writer.key("output"));
        }
    }
}
