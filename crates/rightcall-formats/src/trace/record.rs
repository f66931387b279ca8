//! One run of an agent, as it was recorded.

use std::collections::BTreeMap;

use rightcall::value::Text;

use super::call::TraceCall;
use super::report::Report;
use crate::error::CaseError;
use crate::node::Node;

/// One run of an agent.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// Its name in the input: the id of a conversation, a trace, a task.
    pub id: Option<Text<'static>>,
    /// The line on which it begins, from 1.
    pub line: u64,
    /// The calls, in order.
    pub calls: Vec<TraceCall>,
    /// True for a record that tells what is expected alone: no run is known, which is another thing than a run without calls.
    pub lacks_run: bool,
    /// True if something of the agent's own turn was read: a message, a model's reply, a list of calls that the source left empty.
    /// Without that, a run without calls is not recorded.
    pub agent_spoke: bool,
    /// Why calls may be missing, or why there is no run though a record of one was read.
    pub incomplete: Option<String>,
    /// The question put to the agent, as JSON text.
    pub input: Option<String>,
    /// The agent's answer, as JSON text.
    pub output: Option<String>,
    /// What was demanded, as the JSON text of a canonical expectation; only data sets say.
    pub expected: Option<String>,
    /// What was demanded may have the matchers of a case; data sets mean it as it stands.
    pub expects_as_cases_do: bool,
    /// Which repetition this is, as JSON text.
    pub trial: Option<String>,
    /// Labels, as the JSON text of a list.
    pub tags: Option<String>,
    /// Other facts, each as JSON text.
    pub meta: Vec<(String, String)>,
    /// What was left out, and what was wrong.
    pub report: Report,
    /// Of a case: what is in it beside its run.
    pub stated: Stated,
    /// The agents, nodes or turns of the run in order, where it is to be divided by them; those without calls too.
    pub parts: Vec<Text<'static>>,
    /// The agent, node or turn of each call in the list `expected`; `None` where the data set names none.
    pub expected_parts: Option<Vec<Option<Text<'static>>>>,
    /// The nodes or agents that the run went through, where they are its calls.
    pub visits: Vec<TraceCall>,
}

impl Trace {
    /// Keeps facts that are known.
    pub(crate) fn add_facts<'n, 'a: 'n>(
        &mut self,
        facts: impl IntoIterator<Item = (&'n str, Option<&'n Node<'a>>)>,
    ) {
        let facts = facts.into_iter();
        self.meta
            .extend(facts.filter_map(|(key, fact)| Some((key.to_owned(), fact?.raw().to_owned()))));
    }

    /// Keeps the members of an object as facts.
    pub(crate) fn add_members(&mut self, object: &Node<'_>) {
        let members = object.entries().iter();
        self.meta.extend(
            members.map(|(key, value)| (key.to_display().into_owned(), value.raw().to_owned())),
        );
    }

    /// A part of the run begins, or goes on.
    pub(crate) fn add_part(&mut self, name: &Text<'static>) {
        if !self.parts.contains(name) {
            self.parts.push(name.clone());
        }
    }
}

/// What a case holds beside its run.
#[derive(Clone, Debug, Default)]
pub struct Stated {
    /// Whether anything is expected.
    pub expects: bool,
    /// Number of calls that are expected.
    pub expected_calls: u64,
    /// Keys without meaning in its calls, with the number of calls that have them.
    pub other_keys: BTreeMap<String, u64>,
    /// Keys of the case that are nearly others, each with the one that may be meant.
    pub near_keys: Vec<(String, &'static str)>,
}

/// A trace, or what could not be read, with its line.
pub type TraceRecord = (u64, Result<Trace, CaseError>);
