//! What is a matter of opinion when a trace is read: one switch each, with the default that most people mean.

use rightcall::{did_you_mean, nearest};

/// The order of calls that have times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CallOrder {
    /// By when they began.
    #[default]
    Start,
    /// As they stand in the document.
    Document,
}

/// Which calls of a trace with spans count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Evidence {
    /// Those that ran, and those that the model asked for and nobody ran.
    #[default]
    Both,
    /// Those that ran.
    Ran,
    /// Those that the model asked for.
    Asked,
}

/// Whether calls of some kind stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// They stay.
    Keep,
    /// They are left out, and counted.
    Drop,
}

/// Whether calls of somebody else than the agent stay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OtherActors {
    /// They stay where the format also says which calls are expected of whom, as tau2-bench does.
    #[default]
    Detect,
    /// They are left out, and counted.
    Drop,
    /// They stay.
    Keep,
}

/// What the attribute `tool.id` means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToolId {
    /// The tool where the trace is one of `UiPath`, else the call.
    #[default]
    Detect,
    /// The call.
    Call,
    /// The tool.
    Tool,
}

/// Which parts of a recorded request and its reply count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Recordings {
    /// The calls of the reply; those of the request are history, and count only where no reply was kept.
    #[default]
    Reply,
    /// Both, as one conversation.
    Whole,
}

/// What to make of a run of which no call was read, although something in it looks like one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnreadCalls {
    /// It is an error: what was not understood is not scored.
    #[default]
    Error,
    /// It is a run without calls, and what looks like calls is counted.
    Note,
}

/// What of a trace is one case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CaseScope {
    /// The whole run.
    #[default]
    Run,
    /// What each agent did.
    Agent,
    /// What was done in each node of the graph.
    Node,
    /// What followed each request of the user.
    Turn,
}

impl CaseScope {
    /// The word for it, and the key of the meta value that names the part; `None` for the whole run.
    pub(crate) fn key(self) -> Option<&'static str> {
        match self {
            Self::Run => None,
            Self::Agent => Some("agent"),
            Self::Node => Some("node"),
            Self::Turn => Some("turn"),
        }
    }

    /// The key under which a case says what is expected of each part.
    pub(crate) fn list_key(self) -> Option<&'static str> {
        match self {
            Self::Run => None,
            Self::Agent => Some("agents"),
            Self::Node => Some("nodes"),
            Self::Turn => Some("turns"),
        }
    }
}

/// What the calls of a trajectory are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CallSubject {
    /// Calls of tools.
    #[default]
    Tools,
    /// Visits of the nodes of a graph.
    Nodes,
    /// Runs of agents.
    Agents,
}

impl CallSubject {
    /// The parts of a run that are taken for its calls; `None` where its calls are those of tools.
    pub(crate) fn scope(self) -> Option<CaseScope> {
        match self {
            Self::Tools => None,
            Self::Nodes => Some(CaseScope::Node),
            Self::Agents => Some(CaseScope::Agent),
        }
    }
}

/// How a trace is read where opinions differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Choices {
    /// The order of calls that have times.
    pub order: CallOrder,
    /// Which calls of a trace with spans count.
    pub evidence: Evidence,
    /// Calls that an agent makes which is itself a tool of another.
    pub sub_agents: Keep,
    /// Calls that ran at the provider of the model.
    pub provider: Keep,
    /// Calls of somebody else than the agent, such as a simulated user.
    pub other_actors: OtherActors,
    /// Calls that a framework made up for its own ends.
    pub internal: Keep,
    /// Calls that hold calls: `Drop` puts the inner ones in their place.
    pub wrappers: Keep,
    /// What `tool.id` means.
    pub tool_id: ToolId,
    /// What of a recording counts.
    pub recordings: Recordings,
    /// What to make of a run of which no call was read, although something in it looks like one.
    pub unread: UnreadCalls,
    /// What of a trace is one case.
    pub scope: CaseScope,
    /// What the calls of a trajectory are.
    pub calls: CallSubject,
    /// Skills that a harness loads: `Keep` adds a call for each.
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

/// A switch as people set it.
#[derive(Debug)]
pub struct ReadingChoice {
    /// Its key.
    pub key: &'static str,
    /// Its values, the default first.
    pub values: &'static [&'static str],
    /// What it decides.
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

/// A choice that nobody offers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChoiceError {
    /// No switch has this key.
    #[error("no choice is called `{key}`{suggestion}")]
    Key {
        /// The key.
        key: String,
        /// `; did you mean …`, or nothing.
        suggestion: String,
    },
    /// The switch has no such value.
    #[error("`{key}` is one of {values}, not `{value}`")]
    Value {
        /// The key.
        key: &'static str,
        /// What it can be.
        values: String,
        /// What was asked for.
        value: String,
    },
}

impl Choices {
    /// True where it matters which agent, node or turn a call is of.
    pub(crate) fn has_parts(&self) -> bool {
        self.scope != CaseScope::Run || self.calls != CallSubject::Tools
    }

    /// The choices that are not the default, each with its key and its value.
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

    /// Sets one switch by its words.
    ///
    /// # Errors
    /// A key or a value that there is not.
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
