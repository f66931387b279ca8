//! The two sides of a case in an original's own shape: where they stand, and what carries their calls.

use rightcall::call::{Shape, Trajectory};

use super::Format;
use crate::case::Fault;

/// The two sides of a shape.
#[derive(Debug)]
pub(crate) struct ShapeSides {
    pub(crate) shape: Shape,
    /// Keys of the expected side, beside `expected`.
    pub(crate) expected: &'static [&'static str],
    /// Keys of the actual side, beside `actual`.
    pub(crate) actual: &'static [&'static str],
    /// What tells the shape where there is neither `expected` nor `actual`.
    pub(crate) told_by: ToldBy,
    /// What the original's call takes beside the sides.
    pub(crate) settings: &'static [&'static str],
    /// What carries the calls on the expected and on the actual side.
    pub(crate) carriers: (Carrier, Carrier),
}

/// What tells a shape where there is neither `expected` nor `actual`, the most telling last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ToldBy {
    /// Nothing: its sides have no keys of their own.
    Nothing,
    /// A key of the expected side.
    Expected,
    /// A key of either side.
    EitherSide,
    /// A key of either side, with calls whose arguments stand as in this shape.
    Arguments,
}

/// What carries calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carrier {
    /// UiPath's criteria.
    Criteria,
    /// Spans with attributes.
    Spans,
    /// Chat messages.
    Messages,
    /// The nodes that a graph went through.
    Graph,
    /// Invocations of ADK.
    Invocations,
    /// A list of calls.
    Calls(CallDialect),
}

impl Carrier {
    /// Lists of calls in one dialect on both sides.
    pub(crate) const fn both(calls: CallDialect) -> (Self, Self) {
        (Self::Calls(calls), Self::Calls(calls))
    }

    /// What carries the calls on the actual side where this does on the expected one.
    pub(crate) fn counterpart(self) -> Self {
        if self == Self::Criteria {
            Self::Spans
        } else {
            self
        }
    }

    /// True if canonical cases may hold it too.
    pub(crate) fn is_canonical(self) -> bool {
        matches!(
            self,
            Self::Criteria | Self::Spans | Self::Messages | Self::Graph
        )
    }
}

/// The keys of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallDialect {
    /// `{name, args}`; ADK too.
    Axion,
    /// The same in the object or list that Ragas has them in.
    Ragas,
    /// `{name, input_parameters}`.
    DeepEval,
    /// `{toolName, input}`.
    Evalite,
    /// `{tool, args}`.
    Tpmjs,
    /// `{tool_name, tool_input}`.
    Vertex,
}

impl CallDialect {
    /// The key of the name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Axion | Self::Ragas | Self::DeepEval => "name",
            Self::Evalite => "toolName",
            Self::Tpmjs => "tool",
            Self::Vertex => "tool_name",
        }
    }

    /// The keys of the arguments, the usual one first.
    pub(crate) fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Axion | Self::Ragas | Self::Tpmjs => &["args"],
            Self::DeepEval => &["input_parameters", "inputParameters"],
            Self::Evalite => &["input"],
            Self::Vertex => &["tool_input"],
        }
    }

    /// True if a call that says `null` has recorded an argument.
    pub(crate) fn null_is_a_value(self) -> bool {
        matches!(self, Self::Evalite | Self::Tpmjs | Self::Vertex)
    }
}

/// What a foreign side holds.
#[derive(Debug)]
pub(crate) struct SideRun {
    /// The calls; `None` if the source does not show what the agent did.
    pub(crate) run: Option<Trajectory<'static>>,
    /// Why calls may be missing, or why there is no run.
    pub(crate) incomplete: Option<String>,
    /// The format in which it was read; `None` for an empty list.
    pub(crate) format: Option<&'static Format>,
}

/// Reads sides that are no list of calls. What is expected must be known as a whole.
pub(crate) trait SideReader {
    /// Reads one run in any format of traces.
    ///
    /// # Errors
    /// The value is in no format that is known, holds several runs, or holds calls that cannot be read.
    fn read(&self, raw: &str, is_expected: bool) -> Result<SideRun, Fault>;

    /// The same if a format is certain of the value.
    fn read_known(&self, raw: &str, is_expected: bool) -> Result<Option<SideRun>, Fault>;

    /// Reads a list of spans, each at least with attributes.
    fn read_spans(&self, raw: &str, is_expected: bool) -> Result<SideRun, Fault>;
}
