//! A case: what was demanded and what was done, with what a reader of the result wants to see beside it.

use crate::value::{HashKey, JsonWriter, Text};

use super::{Expectation, Trajectory};

/// One case to be judged.
#[derive(Clone, Debug, Default)]
pub struct Case<'a> {
    /// Its name; `None` where the input gave none.
    pub id: Option<Text<'a>>,
    /// What was demanded.
    pub expected: Expectation<'a>,
    /// What was done; `None` where no run is there (yet).
    pub actual: Option<Trajectory<'a>>,
    /// Why calls of the run may be missing, such as `2 results without a call`: no call may be taken for absent. Without `actual`, why
    /// the run was not recorded.
    pub incomplete: Option<Text<'a>>,
    /// The two sides in an original's own shape, where the input had it.
    pub native: Option<Native<'a>>,
    /// Labels.
    pub tags: Vec<Text<'a>>,
    /// Which repetition of the case this is, as JSON text.
    pub trial: Option<&'a str>,
    /// The question put to the agent, as JSON text.
    pub input: Option<&'a str>,
    /// The agent's answer, as JSON text.
    pub output: Option<&'a str>,
    /// What the case is about.
    pub description: Option<Text<'a>>,
    /// All other keys, each with its JSON text.
    pub meta: Vec<(Text<'a>, &'a str)>,
    /// Those of them that are nearly a key with a meaning, or are one in another shape, each with the key that may be meant.
    pub near_keys: Vec<(Text<'a>, &'static str)>,
    /// The key under which arguments of this case are hashed.
    pub hash_key: HashKey,
    /// How many pairs of arguments an evaluator may compare; `None` for [`MAX_COMPARISONS`].
    pub max_comparisons: Option<u64>,
}

impl Case<'_> {
    /// The run, unless there is none or calls of it may be missing.
    pub fn complete_run(&self) -> Option<&Trajectory<'_>> {
        self.actual.as_ref().filter(|_| self.incomplete.is_none())
    }

    /// Writes the tags as a member, where there are any.
    pub fn write_tags(&self, writer: &mut JsonWriter) {
        if !self.tags.is_empty() {
            writer.key("tags").begin_list();
            self.tags.iter().for_each(|tag| _ = writer.text(tag));
            writer.end_list();
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

/// How many pairs of arguments an evaluator compares at most where nothing else is said: some minutes of work on one core. Only pairs
/// that nothing tells sooner are counted, such as equal texts or names.
pub const MAX_COMPARISONS: u64 = 2_500_000_000;

/// The two sides of a case as JSON text in the shape that an original takes.
#[derive(Clone, Debug)]
pub struct Native<'a> {
    /// Whose shape it is.
    pub shape: Shape,
    /// The expected side.
    pub expected: &'a str,
    /// The actual side.
    pub actual: &'a str,
    /// What the original's call takes beside the sides and the case states, as JSON text by name.
    pub settings: Vec<(&'static str, &'a str)>,
}

/// The originals whose own shapes are read as they are.
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
