//! Learned blocks as a user sees them: with matchers and support.

use crate::value::{JsonText, JsonWriter};

/// A learned block, and the number of runs that support it.
#[derive(Clone, Debug)]
pub struct LearnedBlock {
    /// Number of runs that use it.
    pub support: u64,
    /// Its content.
    pub kind: LearnedKind,
}

/// The content of a learned block.
#[derive(Clone, Debug)]
pub enum LearnedKind {
    /// A call, as the JSON text of an element.
    Call {
        /// The tool.
        name: String,
        /// The element: a name, or an object with `args`.
        json: JsonText,
        /// True if an argument is unrestricted.
        is_open: bool,
    },
    /// Elements one after another.
    Sequence(Vec<LearnedBlock>),
    /// Elements in any order.
    AnyOrder(Vec<LearnedBlock>),
    /// Exactly one of the elements.
    OneOf(Vec<LearnedBlock>),
    /// Elements that may be left out.
    Optional(Vec<LearnedBlock>),
    /// Elements that are repeated.
    Repeat {
        /// One round.
        elements: Vec<LearnedBlock>,
        /// Minimum number of rounds.
        min: u64,
        /// Maximum number of rounds; `None` if unbounded.
        max: Option<u64>,
    },
}

/// Elements as JSON text, with the support of each block among this number of runs.
pub(super) fn json_of(elements: &[LearnedBlock], runs: u64) -> JsonText {
    let mut writer = JsonWriter::new();
    writer.list(elements, |writer, it| it.write(runs, writer));
    writer.finish()
}

impl LearnedKind {
    /// The key of a block; `None` for a call.
    pub fn key(&self) -> Option<&'static str> {
        Some(match self {
            Self::Call { .. } => return None,
            Self::Sequence(_) => "sequence",
            Self::AnyOrder(_) => "any_order",
            Self::OneOf(_) => "one_of",
            Self::Optional(_) => "optional",
            Self::Repeat { .. } => "repeat",
        })
    }

    /// The elements of a block; none for a call.
    pub fn elements(&self) -> &[LearnedBlock] {
        match self {
            Self::Call { .. } => &[],
            Self::Sequence(elements)
            | Self::AnyOrder(elements)
            | Self::OneOf(elements)
            | Self::Optional(elements)
            | Self::Repeat { elements, .. } => elements,
        }
    }

    pub(super) fn elements_mut(&mut self) -> &mut [LearnedBlock] {
        match self {
            Self::Call { .. } => &mut [],
            Self::Sequence(elements)
            | Self::AnyOrder(elements)
            | Self::OneOf(elements)
            | Self::Optional(elements)
            | Self::Repeat { elements, .. } => elements,
        }
    }
}

impl LearnedBlock {
    /// The number of calls in it.
    pub(super) fn leaf_count(&self) -> u32 {
        match &self.kind {
            LearnedKind::Call { .. } => 1,
            block => block.elements().iter().map(Self::leaf_count).sum(),
        }
    }

    /// Adds the names of its calls, in written order.
    pub(super) fn add_names<'b>(&'b self, names: &mut Vec<&'b str>) {
        if let LearnedKind::Call { name, .. } = &self.kind {
            names.push(name);
        }
        let elements = self.kind.elements().iter();
        elements.for_each(|it| it.add_names(names));
    }

    /// Drops the demands on arguments and outputs.
    pub(super) fn keep_names(&mut self) {
        if let LearnedKind::Call { name, json, .. } = &mut self.kind {
            *json = JsonText::from_type(name);
        }
        let elements = self.kind.elements_mut().iter_mut();
        elements.for_each(Self::keep_names);
    }

    /// The remark on a block learned from this number of runs: `17 of 20 runs`.
    pub fn note(&self, runs: u64) -> String {
        let noun = if runs == 1 { "run" } else { "runs" };
        format!("{} of {runs} {noun}", self.support)
    }

    /// Writes the block as an element of an expectation.
    fn write(&self, runs: u64, writer: &mut JsonWriter) {
        if let LearnedKind::Call { json, .. } = &self.kind {
            writer.raw(json.as_str());
        }
        let Some(key) = self.kind.key() else { return };
        writer.begin_object().key(key);
        writer.list(self.kind.elements(), |writer, it| it.write(runs, writer));
        if let LearnedKind::Repeat { min, max, .. } = &self.kind {
            writer.key("min").raw(&min.to_string());
            writer.optional("max", *max);
        }
        writer.key("note").str(&self.note(runs));
        writer.end_object();
    }
}
