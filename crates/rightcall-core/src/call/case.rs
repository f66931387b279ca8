//! A case: the expected and the actual calls, and the context shown with its result.

use crate::value::{HashKey, JsonWriter, Text};

use super::{Expectation, Trajectory};

/// One case to evaluate.
#[derive(Clone, Debug, Default)]
pub struct Case<'a> {
    /// Its id; `None` if the input has none.
    pub id: Option<Text<'a>>,
    /// The expectation.
    pub expected: Expectation<'a>,
    /// The run; `None` if it doesn't exist (yet).
    pub actual: Option<Trajectory<'a>>,
    /// The reason why calls of the run may be missing, such as `2 results without a call`. If set,
    /// evaluators can't conclude that a call was not made. Without `actual`, the reason why the run
    /// was not recorded.
    pub incomplete: Option<Text<'a>>,
    /// Both sides in an original's own shape, if the input has it.
    pub native: Option<Native<'a>>,
    /// Labels.
    pub tags: Vec<Text<'a>>,
    /// The repetition (trial) of the case, as JSON text.
    pub trial: Option<&'a str>,
    /// The input to the agent, as JSON text.
    pub input: Option<&'a str>,
    /// The agent's answer, as JSON text.
    pub output: Option<&'a str>,
    /// A description of the case.
    pub description: Option<Text<'a>>,
    /// All other keys with their JSON text.
    pub meta: Vec<(Text<'a>, &'a str)>,
    /// Misspelled keys, and known keys with another shape, each with the probable key.
    pub near_keys: Vec<(Text<'a>, &'static str)>,
    /// The key for hashing arguments of this case.
    pub hash_key: HashKey,
    /// Maximum pairs of arguments that an evaluator compares; `None` for [`MAX_COMPARISONS`].
    pub max_comparisons: Option<u64>,
}

impl Case<'_> {
    /// The run, if it exists and is complete.
    pub fn complete_run(&self) -> Option<&Trajectory<'_>> {
        self.actual.as_ref().filter(|_| self.incomplete.is_none())
    }

    /// Writes the tags as a member, if there are any.
    pub fn write_tags(&self, writer: &mut JsonWriter) {
        if !self.tags.is_empty() {
            writer.key("tags").serialize(&self.tags);
        }
    }

    /// Writes the other keys as an object.
    pub fn write_meta(&self, writer: &mut JsonWriter) {
        writer.begin_object();
        for (key, json) in &self.meta {
            writer.key_text(key).raw(json);
        }
        writer.end_object();
    }
}

/// Default limit on the pairs of arguments that an evaluator compares: some minutes of work on one core. Pairs decided by a faster check,
/// such as equal texts or different names, don't count.
pub const MAX_COMPARISONS: u64 = 2_500_000_000;

/// Both sides of a case as JSON text in an original's own shape.
#[derive(Clone, Debug)]
pub struct Native<'a> {
    /// The shape's name.
    pub shape: Shape,
    /// The expected side.
    pub expected: &'a str,
    /// The actual side.
    pub actual: &'a str,
    /// The settings that the original's call takes in addition to the sides, if the case has them: names and JSON texts.
    pub settings: Vec<(&'static str, &'a str)>,
}

/// The originals with a shape that is read directly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// `tool.name` spans against criteria.
    UiPath,
    /// `DatasetItem`: calls `{name, args}`.
    Axion,
    /// Calls `{tool, args}`.
    Tpmjs,
    /// Calls `{toolName, input}`.
    Evalite,
    /// `LLMTestCase`: calls `{name, input_parameters}`.
    DeepEval,
    /// `MultiTurnSample`: messages against `reference_tool_calls`.
    Ragas,
    /// Messages against messages.
    AgentEvals,
    /// Invocations against invocations.
    Adk,
    /// Trajectories: calls `{tool_name, tool_input}`.
    Vertex,
}
