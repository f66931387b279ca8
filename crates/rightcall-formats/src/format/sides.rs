//! The two sides of a case in the shape of another tool: their keys, and the form of their calls.

use rightcall_core::call::{Shape, Trajectory};

use super::Format;
use crate::case::Fault;

/// The two sides of a shape.
#[derive(Debug)]
pub(crate) struct ShapeSides {
    pub(crate) shape: Shape,
    /// Keys of the expected side, in addition to `expected`.
    pub(crate) expected: &'static [&'static str],
    /// Keys of the actual side, in addition to `actual`.
    pub(crate) actual: &'static [&'static str],
    /// How the shape is recognized if neither `expected` nor `actual` is present.
    pub(crate) recognized_by: RecognizedBy,
    /// Other parameters of the tool's scoring function.
    pub(crate) settings: &'static [&'static str],
    /// The form of the calls on the expected and on the actual side.
    pub(crate) carriers: (Carrier, Carrier),
}

/// How a shape is recognized if neither `expected` nor `actual` is present, strongest evidence last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RecognizedBy {
    /// Not at all: its sides have no distinctive keys.
    Nothing,
    /// By a key of the expected side.
    Expected,
    /// By a key of either side.
    EitherSide,
    /// By a key of either side, if the calls have their arguments under this shape's key.
    Arguments,
}

/// The form of the calls in a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carrier {
    /// UiPath's criteria.
    Criteria,
    /// Spans with attributes.
    Spans,
    /// Chat messages.
    Messages,
    /// The nodes a graph visited.
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

    /// The form on the actual side, if `self` is the form on the expected side.
    pub(crate) fn counterpart(self) -> Self {
        if self == Self::Criteria {
            Self::Spans
        } else {
            self
        }
    }

    /// True if canonical cases may use it too.
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
    /// The same calls, in Ragas' object or list.
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

    /// The keys of the arguments, usual one first.
    pub(crate) fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Axion | Self::Ragas | Self::Tpmjs => &["args"],
            Self::DeepEval => &["input_parameters", "inputParameters"],
            Self::Evalite => &["input"],
            Self::Vertex => &["tool_input"],
        }
    }

    /// True if the original tool skips `null` in a list of calls.
    pub(crate) fn skips_null(self) -> bool {
        matches!(self, Self::Evalite | Self::Tpmjs)
    }

    /// True if `null` is a recorded argument value.
    pub(crate) fn null_is_a_value(self) -> bool {
        matches!(self, Self::Evalite | Self::Tpmjs | Self::Vertex)
    }
}

/// The contents of a side in another format.
#[derive(Debug)]
pub(crate) struct SideRun {
    /// The calls; `None` if the source doesn't show the agent's run.
    pub(crate) run: Option<Trajectory<'static>>,
    /// The reason for missing calls or for a missing run.
    pub(crate) incomplete: Option<String>,
    /// The format it was read in; `None` for an empty list.
    pub(crate) format: Option<&'static Format>,
}

/// Reads sides that aren't a list of calls. An expectation must be readable completely.
pub(crate) trait SideReader {
    /// Reads one run in any trace format.
    ///
    /// # Errors
    /// The value is in no known format, holds several runs, or holds calls that cannot be read.
    fn read(&self, raw: &str, is_expected: bool) -> Result<SideRun, Fault>;

    /// Like `read`, but only if a format is certain of the value.
    fn read_known(&self, raw: &str, is_expected: bool) -> Result<Option<SideRun>, Fault>;

    /// Reads a list of spans, which need at least attributes.
    fn read_spans(&self, raw: &str, is_expected: bool) -> Result<SideRun, Fault>;
}
