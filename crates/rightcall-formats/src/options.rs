//! How records are read, and how large they may be.

use rightcall::value::{HashKey, MAX_DEPTH};

/// How one record becomes a case.
#[derive(Clone, Copy, Debug)]
pub struct ReadOptions {
    /// The shape of the records; `None` recognises each by its keys.
    pub format: Option<InputFormat>,
    /// Nesting up to this depth, itself at most [`MAX_DEPTH`].
    pub max_depth: usize,
    /// The key under which arguments are hashed.
    pub hash_key: HashKey,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { format: None, max_depth: MAX_DEPTH, hash_key: HashKey::default() }
    }
}

/// What an input may ask of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The longest line, in bytes.
    pub max_line: usize,
    /// The deepest nesting.
    pub max_depth: usize,
    /// The largest document that is not JSON Lines, in bytes.
    pub max_document: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_line: 64 << 20, max_depth: MAX_DEPTH, max_document: 1 << 30 }
    }
}

/// A shape that records come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InputFormat {
    /// Canonical cases.
    Cases,
    /// Criteria and spans of UiPath.
    UiPath,
    /// Dataset items of Axion.
    Axion,
    /// Calls of tpmjs.
    Tpmjs,
    /// Calls of Evalite.
    Evalite,
    /// Test cases of DeepEval.
    DeepEval,
    /// Multi-turn samples of Ragas.
    Ragas,
    /// Messages of agentevals.
    AgentEvals,
    /// Invocations of ADK.
    Adk,
}

/// All formats, in the order in which they are listed to people.
pub static INPUT_FORMATS: &[InputFormat] = &[
    InputFormat::Cases,
    InputFormat::UiPath,
    InputFormat::Axion,
    InputFormat::Tpmjs,
    InputFormat::Evalite,
    InputFormat::DeepEval,
    InputFormat::Ragas,
    InputFormat::AgentEvals,
    InputFormat::Adk,
];

impl InputFormat {
    /// The format of this name.
    pub fn parse(name: &str) -> Option<Self> {
        INPUT_FORMATS.iter().copied().find(|format| format.name() == name)
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cases => "cases",
            Self::UiPath => "uipath",
            Self::Axion => "axion",
            Self::Tpmjs => "tpmjs",
            Self::Evalite => "evalite",
            Self::DeepEval => "deepeval",
            Self::Ragas => "ragas",
            Self::AgentEvals => "agentevals",
            Self::Adk => "adk",
        }
    }

    /// What its records hold, in a few words.
    pub fn summary(self) -> &'static str {
        match self {
            Self::Cases => "canonical cases: `expected` and `actual` calls `{name, args}`",
            Self::UiPath => "`expected` criteria such as `toolCallsOrder`, `actual` spans",
            Self::Axion => "`expected_tools` and `tools_called`, calls `{name, args}`",
            Self::Tpmjs => "`expected` and `actual`, calls `{tool, args}`",
            Self::Evalite => "`expectedCalls` and `actualCalls`, calls `{toolName, input}`",
            Self::DeepEval => "`expected_tools` and `tools_called`, calls `{name, input_parameters}`",
            Self::Ragas => "`reference_tool_calls` and the messages of `user_input`",
            Self::AgentEvals => "`reference_outputs` and `outputs`, both messages",
            Self::Adk => "`expected` and `actual` invocations with `intermediate_data`",
        }
    }
}
