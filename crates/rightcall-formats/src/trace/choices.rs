//! Choices in reading a trace: one switch each, with a default that suits most users.

use rightcall_core::{did_you_mean, nearest};

/// The order of calls that have times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CallOrder {
    /// By start time.
    #[default]
    Start,
    /// By position in the document.
    Document,
}

/// The calls of a trace with spans that count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Evidence {
    /// Executed calls, and requested ones that did not run.
    #[default]
    Both,
    /// Executed calls.
    Ran,
    /// Calls requested by the model.
    Asked,
}

/// Whether calls of some kind are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Kept.
    Keep,
    /// Left out, and counted.
    Drop,
}

/// Whether calls by other actors than the agent are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OtherActors {
    /// Kept if the format also assigns expected calls to an actor, as tau2-bench does.
    #[default]
    Detect,
    /// Left out, and counted.
    Drop,
    /// Kept.
    Keep,
}

/// The meaning of the attribute `tool.id`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToolId {
    /// The tool's id in a `UiPath` trace, else the call's.
    #[default]
    Detect,
    /// The id of the call.
    Call,
    /// The id of the tool.
    Tool,
}

/// The parts of a recorded request and reply that count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Recordings {
    /// The calls of the reply. Those of the request are history, and only count if no reply was recorded.
    #[default]
    Reply,
    /// Both, as one conversation.
    Whole,
}

/// How to treat a run with something call-like but without any call read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnreadCalls {
    /// As an error: unrecognized input is not scored.
    #[default]
    Error,
    /// As a run without calls; the call-like parts are counted.
    Note,
}

/// The part of a trace that makes up one case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CaseScope {
    /// The whole run.
    #[default]
    Run,
    /// The calls of each agent.
    Agent,
    /// The calls in each node of the graph.
    Node,
    /// The calls after each request of the user.
    Turn,
}

impl CaseScope {
    /// The name of the scope, also the key of the meta value with a part's name; `None` for the whole run.
    pub(crate) fn key(self) -> Option<&'static str> {
        match self {
            Self::Run => None,
            Self::Agent => Some("agent"),
            Self::Node => Some("node"),
            Self::Turn => Some("turn"),
        }
    }

    /// The key of a case's expectations per part.
    pub(crate) fn list_key(self) -> Option<&'static str> {
        match self {
            Self::Run => None,
            Self::Agent => Some("agents"),
            Self::Node => Some("nodes"),
            Self::Turn => Some("turns"),
        }
    }
}

/// The meaning of calls in a trajectory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CallSubject {
    /// Tool calls.
    #[default]
    Tools,
    /// Visits of the nodes of a graph.
    Nodes,
    /// Runs of agents.
    Agents,
}

impl CallSubject {
    /// The parts of a run that are its calls; `None` for tool calls.
    pub(crate) fn scope(self) -> Option<CaseScope> {
        match self {
            Self::Tools => None,
            Self::Nodes => Some(CaseScope::Node),
            Self::Agents => Some(CaseScope::Agent),
        }
    }
}

/// How to read a trace if there are several reasonable ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Choices {
    /// The order of calls that have times.
    pub order: CallOrder,
    /// The calls of a trace with spans that count.
    pub evidence: Evidence,
    /// Calls by an agent that is itself a tool of another agent.
    pub sub_agents: Keep,
    /// Calls executed by the model's provider.
    pub provider: Keep,
    /// Calls by other actors than the agent, such as a simulated user.
    pub other_actors: OtherActors,
    /// Calls that a framework made for its own purposes.
    pub internal: Keep,
    /// Calls that contain calls: `Drop` replaces them by the inner ones.
    pub wrappers: Keep,
    /// The meaning of `tool.id`.
    pub tool_id: ToolId,
    /// The parts of a recording that count.
    pub recordings: Recordings,
    /// How to treat a run with something call-like but without any call read.
    pub unread: UnreadCalls,
    /// The part of a trace that makes up one case.
    pub scope: CaseScope,
    /// The meaning of calls in a trajectory.
    pub calls: CallSubject,
    /// Skills loaded by a harness: `Keep` adds a call for each.
    pub skills: Keep,
}

impl Default for Choices {
    fn default() -> Self {
        Self {
            order: CallOrder::default(),
            evidence: Evidence::default(),
            sub_agents: Keep::Keep,
            provider: Keep::Keep,
            other_actors: OtherActors::default(),
            internal: Keep::Drop,
            wrappers: Keep::Drop,
            tool_id: ToolId::default(),
            recordings: Recordings::default(),
            unread: UnreadCalls::default(),
            scope: CaseScope::default(),
            calls: CallSubject::default(),
            skills: Keep::Drop,
        }
    }
}

/// A switch, with its text form.
#[derive(Debug)]
pub struct ReadingChoice {
    /// Its key.
    pub key: &'static str,
    /// Its values, the default first.
    pub values: &'static [&'static str],
    /// Its effect.
    pub doc: &'static str,
    set: fn(&mut Choices, usize),
}

/// All switches.
pub static CHOICES: &[ReadingChoice] = &[
    ReadingChoice {
        key: "order",
        values: &["start", "document"],
        doc: "Calls with times are ordered by start, or as in the document.",
        set: |choices, value| choices.order = [CallOrder::Start, CallOrder::Document][value],
    },
    ReadingChoice {
        key: "evidence",
        values: &["both", "ran", "asked"],
        doc: "Of spans: calls that ran and those asked for and never run, only the former, or what models asked for.",
        set: |choices, value| {
            choices.evidence = [Evidence::Both, Evidence::Ran, Evidence::Asked][value];
        },
    },
    ReadingChoice {
        key: "sub-agents",
        values: &["keep", "drop"],
        doc: "Calls of an agent that is itself a tool of another.",
        set: |choices, value| choices.sub_agents = [Keep::Keep, Keep::Drop][value],
    },
    ReadingChoice {
        key: "provider",
        values: &["keep", "drop"],
        doc: "Calls that ran at the provider of the model: web search, code interpreters.",
        set: |choices, value| choices.provider = [Keep::Keep, Keep::Drop][value],
    },
    ReadingChoice {
        key: "other-actors",
        values: &["detect", "drop", "keep"],
        doc: "Calls by others than the agent, such as a simulated user: `detect` keeps them if the format says whose calls are expected.",
        set: |choices, value| {
            choices.other_actors =
                [OtherActors::Detect, OtherActors::Drop, OtherActors::Keep][value];
        },
    },
    ReadingChoice {
        key: "internal",
        values: &["drop", "keep"],
        doc: "Internal calls of a framework.",
        set: |choices, value| choices.internal = [Keep::Drop, Keep::Keep][value],
    },
    ReadingChoice {
        key: "wrappers",
        values: &["expand", "keep"],
        doc: "Calls that hold calls, such as `parallel`.",
        set: |choices, value| choices.wrappers = [Keep::Drop, Keep::Keep][value],
    },
    ReadingChoice {
        key: "tool-id",
        values: &["detect", "call", "tool"],
        doc: "Whether the attribute `tool.id` names the call or the tool.",
        set: |choices, value| choices.tool_id = [ToolId::Detect, ToolId::Call, ToolId::Tool][value],
    },
    ReadingChoice {
        key: "recordings",
        values: &["reply", "whole"],
        doc: "Of a recorded request and its reply: the reply's calls, or both as one conversation.",
        set: |choices, value| choices.recordings = [Recordings::Reply, Recordings::Whole][value],
    },
    ReadingChoice {
        key: "unread",
        values: &["error", "note"],
        doc: "A call-like value in a run without parsed calls: an error, or a note.",
        set: |choices, value| choices.unread = [UnreadCalls::Error, UnreadCalls::Note][value],
    },
    ReadingChoice {
        key: "scope",
        values: &["run", "agent", "node", "turn"],
        doc: "The scope of a case: a whole run, or the calls of each agent, each node of a graph, or each turn of the user.",
        set: |choices, value| {
            choices.scope = [
                CaseScope::Run,
                CaseScope::Agent,
                CaseScope::Node,
                CaseScope::Turn,
            ][value];
        },
    },
    ReadingChoice {
        key: "calls",
        values: &["tools", "nodes", "agents"],
        doc: "What calls are: those of tools, or the nodes of a graph or the agents that a run went through.",
        set: |choices, value| {
            choices.calls = [CallSubject::Tools, CallSubject::Nodes, CallSubject::Agents][value];
        },
    },
    ReadingChoice {
        key: "skills",
        values: &["off", "on"],
        doc: "Skills that a harness shows as loaded: `on` adds a call of `skill` with its name for each.",
        set: |choices, value| choices.skills = [Keep::Drop, Keep::Keep][value],
    },
];

/// An invalid choice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChoiceError {
    /// No switch has this key.
    #[error("no choice is called `{key}`{suggestion}")]
    Key {
        /// The key.
        key: String,
        /// `; did you mean …`, or empty.
        suggestion: String,
    },
    /// The switch has no such value.
    #[error("`{key}` is one of {values}, not `{value}`")]
    Value {
        /// The key.
        key: &'static str,
        /// The allowed values.
        values: String,
        /// The given value.
        value: String,
    },
}

impl Choices {
    /// True if the agent, node or turn of a call is needed.
    pub(crate) fn has_parts(&self) -> bool {
        self.scope != CaseScope::Run || self.calls != CallSubject::Tools
    }

    /// The non-default choices, each with its key and its value.
    pub fn stated(&self) -> impl Iterator<Item = (&'static str, &'static str)> + '_ {
        CHOICES.iter().filter_map(|choice| {
            let is_made = |value: &usize| {
                let mut same = *self;
                (choice.set)(&mut same, *value);
                same == *self
            };
            let value = (0..choice.values.len()).find(is_made)?;
            (value > 0).then(|| (choice.key, choice.values[value]))
        })
    }

    /// Sets one switch from text.
    ///
    /// # Errors
    /// An unknown key or value.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), ChoiceError> {
        let Some(choice) = CHOICES.iter().find(|choice| choice.key == key) else {
            let suggestion = did_you_mean(&nearest(key, CHOICES.iter().map(|choice| choice.key)));
            return Err(ChoiceError::Key {
                key: key.to_owned(),
                suggestion,
            });
        };
        let Some(value) = choice.values.iter().position(|word| *word == value) else {
            return Err(ChoiceError::Value {
                key: choice.key,
                values: choice.values.join(", "),
                value: value.to_owned(),
            });
        };
        (choice.set)(self, value);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_value_of_each_choice_is_its_default() {
        for choice in CHOICES {
            let mut choices = Choices::default();
            choices.set(choice.key, choice.values[0]).unwrap();
            assert_eq!(choices, Choices::default(), "{}", choice.key);
            assert_eq!(choices.stated().next(), None);
            choices.set(choice.key, choice.values[1]).unwrap();
            assert_ne!(choices, Choices::default(), "{}", choice.key);
            let stated: Vec<_> = choices.stated().collect();
            assert_eq!(stated, [(choice.key, choice.values[1])]);
        }
    }

    #[test]
    fn a_misspelt_choice_is_an_error() {
        let error = Choices::default().set("odrer", "start").unwrap_err();
        assert!(error.to_string().contains("`order`"), "{error}");
        let error = Choices::default().set("order", "end").unwrap_err();
        assert_eq!(
            error.to_string(),
            "`order` is one of start, document, not `end`"
        );
    }
}
