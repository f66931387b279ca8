//! One run of an agent, as it was recorded.

use std::borrow::Cow;

use rightcall_core::expectation::literal;
use rightcall_core::value::Text;

use super::call::TraceCall;
use super::call_result::CallResult;
use super::report::Report;
use crate::catalogue::ToolCatalogue;
use crate::error::CaseError;
use crate::node::Node;
use crate::place::LinePlace;

/// One run of an agent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace {
    /// Its id in the input: of a conversation, a trace, a task.
    pub(crate) id: Option<Text<'static>>,
    /// The line it begins on, from 1.
    pub(crate) line: u64,
    /// The calls, in order.
    pub(crate) calls: Vec<TraceCall>,
    /// True for a record with only an expectation: the run is unknown, which differs from a run without calls.
    pub(crate) lacks_run: bool,
    /// True if a part of the agent's own turn was read: a message, a model's reply, an empty list of calls. Otherwise a run without calls
    /// counts as not recorded.
    pub(crate) agent_spoke: bool,
    /// The reason why calls may be missing, or why there is no run although a record of one was read.
    pub(crate) incomplete: Option<String>,
    /// The user's question, as JSON text.
    pub(crate) input: Option<String>,
    /// The agent's answer, as JSON text.
    pub(crate) output: Option<String>,
    /// The expectation, as the JSON text of a canonical one; only data sets have it.
    pub(crate) expected: Option<String>,
    /// True if the expectation may have matchers, as in a case; an expectation in a data set is literal.
    pub(crate) expects_as_cases_do: bool,
    /// The trial, as JSON text.
    pub(crate) trial: Option<String>,
    /// Labels, as the JSON text of a list.
    pub(crate) tags: Option<String>,
    /// Other facts, each as JSON text.
    pub(crate) meta: Vec<(String, String)>,
    /// Results without a call; other records of the run may have it.
    pub(crate) open_results: Vec<CallResult>,
    /// The report on omissions and errors.
    pub(crate) report: Report,
    /// Likely misspelled keys of the expectation, each with the key that may be meant.
    pub(crate) near_keys: Vec<(String, &'static str)>,
    /// The agents, nodes or turns of the run in order, if it is divided by them; includes those without calls.
    pub(crate) parts: Vec<Text<'static>>,
    /// The agent, node or turn of each call in the list `expected`; `None` if the data set names none.
    pub(crate) expected_parts: Option<Vec<Option<Text<'static>>>>,
    /// The visited nodes or agents, if they are the calls of the run.
    pub(crate) visits: Vec<TraceCall>,
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

    /// Takes the repetition, tags and metadata beside a run, under the keys that a case has for them.
    pub(crate) fn add_labels(&mut self, record: &Node<'_>) {
        let label = |key: &str| record.raw_at(key).filter(|raw| raw != "null");
        self.trial = label("trial").or_else(|| self.trial.take());
        if record.get("tags").is_some_and(Node::is_list) {
            self.tags = label("tags");
        }
        if let Some(meta) = record.get("meta").filter(|it| it.is_object()) {
            self.add_members(meta);
        }
    }

    /// Drops texts of the model that were read as calls, but name none of the agent's tools: they are answers.
    pub(crate) fn drop_answers(&mut self, tools: &ToolCatalogue) {
        let has_tool = |call: &&TraceCall| tools.has(&call.name.to_display());
        let unmarked = self.calls.iter().filter(|call| call.is_unmarked);
        // A text with a call of a known tool is none.
        let turns: Vec<_> = unmarked.filter(has_tool).map(|call| call.turn).collect();
        let is_answer = |call: &TraceCall| call.is_unmarked && !turns.contains(&call.turn);
        if tools.is_empty() || !self.calls.iter().any(is_answer) {
            return;
        }
        let kept: Vec<_> = self.calls.iter().map(|call| !is_answer(call)).collect();
        let place = |parent: usize| kept[..parent].iter().filter(|kept| **kept).count();
        self.calls.retain(|call| !is_answer(call));
        for call in &mut self.calls {
            call.parent = call.parent.map(place);
        }
    }

    /// Escapes the keys of a literal expectation that would be read as matchers.
    pub(crate) fn settle_expectation(&mut self) {
        if let Some(expected) = &mut self.expected
            && !self.expects_as_cases_do
            && let Cow::Owned(escaped) = literal(expected)
        {
            *expected = escaped;
        }
        self.expects_as_cases_do = true;
    }

    /// Adds a part of the run, unless it is known already.
    pub(crate) fn add_part(&mut self, name: &Text<'static>) {
        if !self.parts.contains(name) {
            self.parts.push(name.clone());
        }
    }
}

/// A trace or a read error, with its place.
pub(crate) type TraceRecord = (LinePlace, Result<Trace, CaseError>);
