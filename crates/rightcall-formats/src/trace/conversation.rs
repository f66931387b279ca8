//! Builds the calls of a run from messages. Readers report the contents of each message; the rules shared by all message formats are
//! applied here: [`results`] pairs calls with results, [`looking`] tells what was not read.

mod looking;
mod results;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use rightcall_core::call::Executor;
use rightcall_core::value::Text;

use super::call::TraceCall;
pub(crate) use super::call_result::CallResult;
use super::choices::{CaseScope, Keep, OtherActors};
use super::early_results::EarlyResults;
use super::open_calls::OpenCalls;
use super::record::Trace;
use super::repeated_records::RepeatedRecords;
use super::report::LeftOut;
use super::scope::Scope;
use super::unread::look_over;
use super::unread::suspect::Suspects;
use super::wrappers;
use crate::node::Node;

/// A run under construction.
#[derive(Debug)]
pub(crate) struct Conversation {
    trace: Trace,
    scope: Scope,
    open: OpenCalls<'static>,
    /// For each number in `open`, the index of its call; `None` for a wrapper.
    targets: Vec<Option<usize>>,
    /// The group of each call.
    groups: Vec<u64>,
    messages: u64,
    /// The number of results so far, with or without a call.
    results: usize,
    group: u64,
    /// True if the next call begins a group.
    is_fresh: bool,
    /// The number of parts read so far: messages, items, lines.
    parts: u64,
    suspects: Suspects,
    early: EarlyResults,
    records: RepeatedRecords,
    /// Calls that may repeat an open one: the index of the open call, then their own.
    repeats: Vec<(usize, usize)>,
    /// True if a call that repeats an open one of an earlier message counts once: some logs write a message again while its calls run.
    pub(crate) drops_repeats: bool,
    /// The result that counts if a call has several.
    pub(crate) counted_result: CountedResult,
    /// The agent, node or turn of the following calls, if the run is divided by it.
    pub(crate) current_part: Option<Text<'static>>,
    /// The session of its messages, if they name one.
    pub(crate) session: Option<Text<'static>>,
    /// The message of the last call, unless a result came after it.
    last_call: Option<u64>,
    /// Results without ids, each with its time, if the latest calls stand in several messages, one after another. They are paired when all
    /// are there.
    waiting: Option<Vec<(Option<i128>, CallResult)>>,
    /// The number of user turns so far.
    turns: u64,
    /// True if the user spoke last.
    is_turn_new: bool,
    /// How the agent's last reply failed or was cut, and its place.
    broken_reply: Option<(String, String)>,
}

/// The result that counts if a call has several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CountedResult {
    /// Later ones repeat it, as in histories.
    First,
    /// Earlier ones report progress, as those of long-running tools.
    Last,
}

/// The error of a call that failed without a message.
pub(crate) fn failed() -> String {
    "true".to_owned()
}

impl Conversation {
    pub(crate) fn new(scope: Scope) -> Self {
        Self {
            trace: Trace::default(),
            scope,
            open: OpenCalls::default(),
            targets: Vec::new(),
            groups: Vec::new(),
            messages: 0,
            results: 0,
            group: 0,
            is_fresh: true,
            parts: 0,
            suspects: Suspects::default(),
            early: EarlyResults::default(),
            records: RepeatedRecords::default(),
            repeats: Vec::new(),
            drops_repeats: false,
            counted_result: CountedResult::First,
            current_part: None,
            session: None,
            last_call: None,
            waiting: None,
            turns: 0,
            is_turn_new: false,
            broken_reply: None,
        }
    }

    /// True if the agent, node or turn of a call is needed.
    pub(crate) fn has_parts(&self) -> bool {
        self.scope.choices.has_parts()
    }

    /// Enters an agent or node, if it is needed; `None` if unknown.
    pub(crate) fn enter(&mut self, kind: CaseScope, name: impl FnOnce() -> Option<Text<'static>>) {
        if self.is_visited(kind) {
            let name = name();
            self.set_part(kind, || name.clone());
            let last = self.trace.visits.last().map(|visit| &visit.name);
            let new = name.filter(|name| !name.is_empty() && last != Some(name));
            new.into_iter().for_each(|name| {
                self.visit(TraceCall {
                    name,
                    ..TraceCall::default()
                });
            });
        } else {
            self.set_part(kind, name);
        }
    }

    /// Sets the agent, node or turn of the following calls, if the run is divided by it.
    pub(crate) fn set_part(
        &mut self,
        kind: CaseScope,
        name: impl FnOnce() -> Option<Text<'static>>,
    ) {
        if self.scope.choices.scope == kind {
            self.current_part = name().filter(|name| !name.is_empty());
            self.current_part
                .iter()
                .for_each(|name| self.trace.add_part(name));
        }
    }

    /// True if agents, or nodes, are the calls of the run.
    pub(crate) fn is_visited(&self, kind: CaseScope) -> bool {
        self.scope.choices.calls.scope() == Some(kind)
    }

    /// Adds a visit of a node or an agent.
    pub(crate) fn visit(&mut self, visit: TraceCall) {
        self.trace.visits.push(TraceCall {
            part: self.current_part.clone(),
            ..visit
        });
    }

    /// Notes the speaker. A message of the user after another speaker begins a turn.
    pub(crate) fn note_speaker(&mut self, is_user: bool) {
        if is_user && !self.is_turn_new {
            self.turns += 1;
            let turn = self.turns;
            self.set_part(CaseScope::Turn, || Some(Text::from(turn.to_string())));
        }
        self.is_turn_new = is_user;
    }

    /// True if the calls of sub-agents belong to the run.
    pub(crate) fn reads_sub_agents(&self) -> bool {
        self.scope.choices.sub_agents != Keep::Drop
    }

    /// The number of calls read, including those left out.
    pub(crate) fn calls_read(&self) -> usize {
        self.targets.len()
    }

    /// The number of calls and results read.
    pub(crate) fn items_read(&self) -> usize {
        self.targets.len() + self.results
    }

    /// True if a call with this id was read.
    pub(crate) fn has_call_id(&self, id: &Text<'static>) -> bool {
        self.open.has_call_id(id)
    }

    /// Counts calls that are left out.
    pub(crate) fn drop_all(&mut self, reason: LeftOut, number: usize) {
        (0..number).for_each(|_| self.trace.report.drop(reason));
    }

    /// The facts of the run other than its calls.
    pub(crate) fn trace(&mut self) -> &mut Trace {
        &mut self.trace
    }

    /// True if a record with an id of its own came before; its calls are counted as dropped.
    pub(crate) fn is_again(&mut self, record: &Node<'_>) -> bool {
        let again = self.records.again(record);
        self.drop_all(LeftOut::RecordedTwice, again.unwrap_or_default());
        again.is_some()
    }

    /// Begins a message; its calls are one turn, and one group.
    pub(crate) fn message(&mut self) {
        self.messages += 1;
        self.is_fresh = true;
    }

    /// Separates the following calls from the group before.
    pub(crate) fn interrupt(&mut self) {
        self.is_fresh = true;
    }

    /// Prepares for a call outside messages; adjacent ones form a separate message.
    pub(crate) fn item(&mut self) {
        if self.is_fresh {
            self.messages += 1;
        }
    }

    /// True if nothing came since the last call: some libraries write parallel calls as messages one after another, before their results.
    fn goes_on(&self) -> bool {
        self.last_call.is_some_and(|last| self.messages <= last + 1)
    }

    /// Adds a call by an actor that is never the agent. It is left out even if calls of other actors are kept.
    pub(crate) fn call_of_other(&mut self, call: TraceCall) {
        let others = &mut self.scope.choices.other_actors;
        let chosen = std::mem::replace(others, OtherActors::Drop);
        self.call(call);
        self.scope.choices.other_actors = chosen;
    }

    /// Adds a call. Returns its index in the run; `None` if it is left out or expanded.
    pub(crate) fn call(&mut self, mut call: TraceCall) -> Option<usize> {
        call.id.take_if(|id| id.is_empty());
        let dropped = match (&call.actor, call.executor) {
            (Some(_), _) if self.scope.choices.other_actors != OtherActors::Keep => {
                Some(LeftOut::OtherActor)
            }
            (_, Executor::Provider) if self.scope.choices.provider == Keep::Drop => {
                Some(LeftOut::ProviderExecuted)
            }
            _ => None,
        };
        self.is_turn_new = false;
        self.broken_reply = None;
        self.pair_waiting();
        if std::mem::take(&mut self.is_fresh) {
            self.group += 1;
            self.waiting = self.goes_on().then(Vec::new);
            if self.waiting.is_none() {
                self.open.begin_group();
            }
        }
        self.last_call = Some(self.messages);
        // The result may precede its call.
        let early = call.id.as_ref().and_then(|id| self.early.take(id));
        let last = self.open.open(call.id.as_ref(), &call.name);
        if early.is_some() {
            self.open.close(self.open.next() - 1);
        }
        let again = last.and_then(|number| self.targets.get(number).copied().flatten());
        let again = again.filter(|&index| {
            let known = &self.trace.calls[index];
            let is_open = known.output.is_none() && known.error.is_none();
            let is_same = known.name == call.name && known.arguments == call.arguments;
            is_open && is_same && self.groups[index] != self.group && self.drops_repeats
        });
        // Drop the call only after opening it, so that its result is not an orphan.
        if let Some(reason) = dropped {
            self.trace.report.drop(reason);
            self.targets.push(None);
            return None;
        }
        if let Some(actor) = &call.actor {
            self.trace.report.keep(actor);
        }
        let inner = if self.scope.choices.wrappers == Keep::Drop {
            wrappers::expanded(&call, self.scope.max_depth)
        } else {
            None
        };
        let Some(calls) = inner else {
            if self.scope.choices.wrappers == Keep::Drop && wrappers::is_wrapper(&call) {
                self.trace.report.note(format!(
                    "`{}` holds no calls that can be read, so it is a call itself",
                    call.name
                ));
            }
            self.targets.push(Some(self.trace.calls.len()));
            let mut call = call;
            early
                .into_iter()
                .for_each(|result| result.give_to(&mut call));
            let index = self.add(call);
            self.repeats.extend(again.map(|first| (first, index)));
            return Some(index);
        };
        self.targets.push(None);
        self.trace.report.note(format!(
            "the result of `{}` belongs to several calls and is given to none",
            call.name
        ));
        calls.into_iter().for_each(|call| _ = self.add(call));
        None
    }

    fn add(&mut self, mut call: TraceCall) -> usize {
        call.turn = call.turn.or(Some(self.messages.saturating_sub(1)));
        call.part = call.part.or_else(|| self.current_part.clone());
        self.groups.push(self.group);
        self.trace.calls.push(call);
        self.trace.calls.len() - 1
    }

    /// Counts a call that a part repeats, so that it isn't searched for in that part.
    pub(crate) fn repeat(&mut self) {
        self.open.open(None, &Text::default());
        self.open.close(self.open.next() - 1);
        self.targets.push(None);
    }

    /// Keeps the first question of the user.
    pub(crate) fn question(&mut self, question: impl FnOnce() -> Option<String>) {
        self.trace.input = self.trace.input.take().or_else(question);
    }

    /// The run of a record with its labels; call-like values under keys other than `known` are reported.
    pub(crate) fn finish_record(self, record: &Node<'_>, known: &[&str]) -> Trace {
        let mut trace = self.finish();
        trace.add_labels(record);
        look_over(record, known, &mut trace);
        trace
    }

    /// The run, with names for its parallel groups.
    pub(crate) fn finish(mut self) -> Trace {
        self.pair_waiting();
        self.drop_repeats();
        if let Some((kind, place)) = self.broken_reply.take() {
            self.trace.report.left_over(kind, &place);
        }
        self.settle_early();
        self.suspects
            .tell(&mut self.trace.report, self.targets.len(), |it| {
                it.may_repeat(&self.open)
            });
        let mut sizes: HashMap<u64, usize> = HashMap::new();
        for group in &self.groups {
            *sizes.entry(*group).or_default() += 1;
        }
        for (call, group) in self.trace.calls.iter_mut().zip(&self.groups) {
            if call.group.is_none() && sizes[group] > 1 {
                call.group = Some(Text::from(format!("group-{group}")));
            }
        }
        self.trace
    }
}
