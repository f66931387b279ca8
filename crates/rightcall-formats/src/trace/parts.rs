//! Divides runs into cases: the run as a whole, or one case for each agent, node or turn.
//!
//! Readers report the part of each call, and all parts of the run. The rule is the same for all
//! formats. A run `ID` becomes one run `ID/PART` per part in order of appearance, with its calls in
//! order. Calls without a known part stay in a run `ID`. A run without any part is an error, since
//! scoring it as a whole was not requested. The expectation of a data set is divided in the same
//! way, if it names the part of each call.

use std::collections::HashMap;

use rightcall_core::value::{MAX_DEPTH, Text, TextBuilder, Value, decode};

use super::choices::{CallSubject, CaseScope, Choices, Keep};
use super::record::Trace;
use super::report::{LeftOut, Report};
use crate::error::CaseError;
use crate::json;
use crate::node::Node;

/// Divides a run into cases.
pub(crate) fn divided(mut trace: Trace, choices: &Choices) -> Result<Vec<Trace>, CaseError> {
    if let Some(subject) = choices.calls.scope() {
        take_visits(&mut trace, choices, subject)?;
    }
    let Some(key) = choices.scope.key() else {
        return Ok(vec![trace]);
    };
    name_parts(&mut trace, choices.scope, key);
    let expected = ExpectedParts::take(&mut trace);
    if trace.parts.is_empty() {
        return Err(if trace.lacks_run && trace.expected.is_some() {
            expected_as_a_whole(key)
        } else {
            nothing_recorded(&trace, choices.scope, key)
        });
    }
    let names = trace.parts.clone();
    let mut runs = split_calls(trace, key);
    if runs.len() > 1 && runs[0].expected.is_some() {
        let expected = expected.ok_or_else(|| expected_as_a_whole(key))?;
        let rest = runs.len() - names.len();
        for run in &mut runs[..rest] {
            run.expected = Some("[]".to_owned());
        }
        for (run, name) in runs[rest..].iter_mut().zip(&names) {
            run.expected = Some(expected.text_of(name));
        }
    }
    Ok(runs)
}

/// The expected calls of a data set, each with its part.
struct ExpectedParts {
    calls: Vec<(Text<'static>, String)>,
}

impl ExpectedParts {
    /// Takes the expected calls, and adds their parts to the run's parts. `None` unless the data
    /// set names the part of each call.
    fn take(trace: &mut Trace) -> Option<Self> {
        let parts: Option<Vec<_>> = trace.expected_parts.take()?.into_iter().collect();
        let list = Node::parse(trace.expected.as_deref()?, MAX_DEPTH).ok()?;
        let calls = parts?.into_iter().zip(list.items());
        let calls: Vec<_> = calls
            .map(|(part, call)| {
                let text = without_actor(call, &part);
                (part, text)
            })
            .collect();
        calls.iter().for_each(|(part, _)| trace.add_part(part));
        Some(Self { calls })
    }

    /// The expectation of a part, as the text of a list.
    fn text_of(&self, part: &Text<'_>) -> String {
        let own = self.calls.iter().filter(|(name, _)| name == part);
        let texts: Vec<_> = own.map(|(_, text)| text.as_str()).collect();
        format!("[{}]", texts.join(","))
    }
}

/// The text of an expected call. In the agent's own case the actor is dropped.
fn without_actor(call: &Node<'_>, agent: &Text<'_>) -> String {
    if call.label_at(ACTOR).is_none_or(|actor| actor != *agent) {
        return call.raw().to_owned();
    }
    json::object_without(call, ACTOR)
}

/// Keys of the caller of a call.
pub(crate) const ACTOR: &[&str] = &["actor", "requestor"];

/// The id of a part of a run.
pub(crate) fn id_of_part(run: &Text<'_>, part: &Text<'_>) -> Text<'static> {
    let mut id = TextBuilder::default();
    id.push_text(run);
    id.push_str("/");
    id.push_text(part);
    id.finish()
}

/// Replaces the calls by the visited nodes or agents.
fn take_visits(trace: &mut Trace, choices: &Choices, subject: CaseScope) -> Result<(), CaseError> {
    let is_internal = |name: &Text<'_>| {
        choices.calls == CallSubject::Nodes && (*name == *"__start__" || *name == *"__end__")
    };
    let mut visits = std::mem::take(&mut trace.visits);
    if visits.is_empty() {
        let key = subject.key().unwrap_or_default();
        return Err(nothing_recorded(trace, subject, key));
    }
    if choices.internal == Keep::Drop {
        let before = visits.len();
        visits.retain(|visit| !is_internal(&visit.name));
        (visits.len()..before).for_each(|_| trace.report.drop(LeftOut::Internal));
    }
    trace.calls = visits;
    Ok(())
}

/// Adds the parts that only calls name. A recorded caller counts as the agent.
fn name_parts(trace: &mut Trace, scope: CaseScope, key: &str) {
    let mut named = Vec::new();
    for call in &mut trace.calls {
        if scope == CaseScope::Agent {
            call.part = call.part.take().or_else(|| call.actor.clone());
        }
        named.extend(call.part.clone());
    }
    named.iter().for_each(|name| trace.add_part(name));
    // A sub-agent's run may be a separate trajectory that names its agent.
    let own = trace.meta.iter().find(|(known, _)| known == key);
    if let (true, Some((_, json))) = (trace.parts.is_empty(), own) {
        let name = match decode(json) {
            Ok(Value::String(text)) => text.into_owned(),
            _ => Text::from(json.clone()),
        };
        trace
            .calls
            .iter_mut()
            .for_each(|call| call.part = Some(name.clone()));
        trace.parts.push(name);
    }
}

/// One run per part, after one for the calls without a known part.
fn split_calls(mut trace: Trace, key: &str) -> Vec<Trace> {
    let calls = std::mem::take(&mut trace.calls);
    let mut report = std::mem::take(&mut trace.report);
    let names = std::mem::take(&mut trace.parts);
    let places: HashMap<&Text<'_>, usize> = (1..)
        .zip(&names)
        .map(|(place, name)| (name, place))
        .collect();
    let mut runs = vec![trace.clone()];
    runs.extend(names.iter().map(|name| part(&trace, key, name)));
    // For each call, the index of its new run and its index there.
    let mut new_places: Vec<(usize, usize)> = Vec::with_capacity(calls.len());
    for mut call in calls {
        let run = call.part.take().map_or(0, |part| places[&part]);
        new_places.push((run, runs[run].calls.len()));
        call.actor = call
            .actor
            .filter(|actor| run == 0 || *actor != names[run - 1]);
        let around = call.parent.and_then(|parent| new_places.get(parent));
        call.parent = around.filter(|outer| outer.0 == run).map(|outer| outer.1);
        runs[run].calls.push(call);
    }
    if key == "turn" {
        keep_question_and_answer(&mut runs[1..]);
    }
    let unplaced = runs[0].calls.len() as u64;
    report.unplaced += unplaced;
    if unplaced == 0 {
        runs.remove(0);
    }
    runs[0].report = report;
    runs
}

/// The run of a part, without its calls.
fn part(trace: &Trace, key: &str, name: &Text<'static>) -> Trace {
    let json = if key == "turn" {
        name.to_string()
    } else {
        json::written(|writer| _ = writer.text(name))
    };
    let others = trace.meta.iter().filter(|(known, _)| known != key);
    Trace {
        id: trace.id.as_ref().map(|id| id_of_part(id, name)),
        meta: std::iter::once((key.to_owned(), json))
            .chain(others.cloned())
            .collect(),
        report: Report::default(),
        ..trace.clone()
    }
}

/// Keeps the question only in the first turn, and the answer only in the last.
fn keep_question_and_answer(turns: &mut [Trace]) {
    let last = turns.len().saturating_sub(1);
    for (place, turn) in turns.iter_mut().enumerate() {
        turn.input = turn.input.take().filter(|_| place == 0);
        turn.output = turn.output.take().filter(|_| place == last);
    }
}

#[cold]
fn expected_as_a_whole(key: &str) -> CaseError {
    let expected = format!("what is expected of each {key} of this trajectory");
    CaseError::new(expected, "what is expected of it as a whole").help(format!(
        "write what is expected of each {key} into a file of cases, or leave out `scope={key}`"
    ))
}

#[cold]
fn nothing_recorded(trace: &Trace, scope: CaseScope, key: &str) -> CaseError {
    let found = match trace.calls.len() {
        0 => format!("no {key} and no call"),
        1 => format!("one call, and no {key} that it is of"),
        calls => format!("{calls} calls, and no {key} that they are of"),
    };
    let help = match scope {
        CaseScope::Agent => {
            "the trace names no agent; `scope=node` divides graphs by their nodes, `scope=run` judges the run as a whole"
        }
        CaseScope::Node => {
            "the trace names no node of a graph; `scope=agent` divides by agents, `scope=run` judges the run as a whole"
        }
        CaseScope::Turn | CaseScope::Run => {
            "the trace does not tell the turns of its user; `scope=run` judges the run as a whole"
        }
    };
    CaseError::new(format!("the {key} of each call in this trajectory"), found).help(help)
}

#[cfg(test)]
mod tests;
