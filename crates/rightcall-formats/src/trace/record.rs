//! One run of an agent, as it was recorded.

use std::collections::BTreeMap;

use rightcall_core::value::Text;

use super::call::TraceCall;
use super::report::Report;
use crate::error::CaseError;
use crate::node::Node;

/// One run of an agent.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// Its id in the input: of a conversation, a trace, a task.
    pub id: Option<Text<'static>>,
    /// The line it begins on, from 1.
    pub line: u64,
    /// The calls, in order.
    pub calls: Vec<TraceCall>,
    /// True for a record with only an expectation: the run is unknown, which differs from a run without calls.
    pub lacks_run: bool,
    /// True if a part of the agent's own turn was read: a message, a model's reply, an empty list of calls. Otherwise a run without calls
    /// counts as not recorded.
    pub agent_spoke: bool,
    /// The reason why calls may be missing, or why there is no run although a record of one was read.
    pub incomplete: Option<String>,
    /// The user's question, as JSON text.
    pub input: Option<String>,
    /// The agent's answer, as JSON text.
    pub output: Option<String>,
    /// The expectation, as the JSON text of a canonical one; only data sets have it.
    pub expected: Option<String>,
    /// True if the expectation may have matchers, as in a case; that of a data set is literal.
    pub expects_as_cases_do: bool,
    /// The trial, as JSON text.
    pub trial: Option<String>,
    /// Labels, as the JSON text of a list.
    pub tags: Option<String>,
    /// Other facts, each as JSON text.
    pub meta: Vec<(String, String)>,
    /// The report on omissions and errors.
    pub report: Report,
    /// For a case: its contents other than its run.
    pub stated: Stated,
    /// The agents, nodes or turns of the run in order, if it is divided by them; includes those without calls.
    pub parts: Vec<Text<'static>>,
    /// The agent, node or turn of each call in the list `expected`; `None` if the data set names none.
    pub expected_parts: Option<Vec<Option<Text<'static>>>>,
    /// The visited nodes or agents, if they are the calls of the run.
    pub visits: Vec<TraceCall>,
}

impl Trace {
    /// Adds those facts that are known.
    pub(crate) fn add_facts<'n, 'a: 'n>(
        &mut self,
        facts: impl IntoIterator<Item = (&'n str, Option<&'n Node<'a>>)>,
    ) {
        let facts = facts.into_iter();
        self.meta
            .extend(facts.filter_map(|(key, fact)| Some((key.to_owned(), fact?.raw().to_owned()))));
    }

    /// Adds the members of an object as facts.
    pub(crate) fn add_members(&mut self, object: &Node<'_>) {
        let members = object.entries().iter();
        self.meta.extend(
            members.map(|(key, value)| (key.to_display().into_owned(), value.raw().to_owned())),
        );
    }

    /// Adds a part of the run, unless it is known already.
    pub(crate) fn add_part(&mut self, name: &Text<'static>) {
        if !self.parts.contains(name) {
            self.parts.push(name.clone());
        }
    }
}

/// The contents of a case other than its run.
#[derive(Clone, Debug, Default)]
pub struct Stated {
    /// True if the case has an expectation.
    pub expects: bool,
    /// Number of expected calls.
    pub expected_calls: u64,
    /// Unknown keys in its calls, with the number of calls that have them.
    pub other_keys: BTreeMap<String, u64>,
    /// Likely misspelled keys of the case, each with the key that may be meant.
    pub near_keys: Vec<(String, &'static str)>,
}

/// A trace or a read error, with its line.
pub type TraceRecord = (u64, Result<Trace, CaseError>);
