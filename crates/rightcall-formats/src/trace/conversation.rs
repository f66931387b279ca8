//! Calls from messages: who reads a message says what it holds, and the rules that all message formats share apply here.

use std::collections::HashMap;

use rightcall::call::Executor;
use rightcall::value::Text;

use super::call::TraceCall;
pub(crate) use super::call_result::CallResult;
use super::choices::{CaseScope, Keep, OtherActors};
use super::early_results::EarlyResults;
use super::open_calls::OpenCalls;
use super::record::Trace;
use super::report::LeftOut;
use super::role::is_of_model;
use super::scope::Scope;
use super::unread::look_over;
use super::unread::looks::{each_suspect, number_of_suspects};
use super::unread::suspect::{Doubt, Suspect, Suspects};
use super::wrappers;
use crate::node::Node;

/// A run that is being read.
#[derive(Debug)]
pub(crate) struct Conversation {
    trace: Trace,
    scope: Scope,
    open: OpenCalls<'static>,
    /// The calls that the numbers of `open` stand for; none for a wrapper.
    targets: Vec<Option<usize>>,
    /// The group of each call.
    groups: Vec<u64>,
    messages: u64,
    group: u64,
    /// The next call begins a group.
    is_fresh: bool,
    /// Parts that have been read: messages, items, lines.
    parts: u64,
    suspects: Suspects,
    early: EarlyResults,
    /// The agent, node or turn of the calls that follow, where the run is divided by such.
    pub(crate) current_part: Option<Text<'static>>,
    /// How many turns of the user have begun.
    turns: u64,
    /// The user has spoken, and nobody since.
    is_turn_new: bool,
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
            group: 0,
            is_fresh: true,
            parts: 0,
            suspects: Suspects::default(),
            early: EarlyResults::default(),
            current_part: None,
            turns: 0,
            is_turn_new: false,
        }
    }

    /// True where it matters which agent, node or turn a call is of.
    pub(crate) fn has_parts(&self) -> bool {
        self.scope.choices.has_parts()
    }

    /// The run goes on in an agent or a node, as far as somebody asks; `None` where it is not told in which.
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

    /// The agent, node or turn that the calls which follow are of, where the run is divided by such.
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

    /// True where agents, or nodes, are the calls of the run.
    pub(crate) fn is_visited(&self, kind: CaseScope) -> bool {
        self.scope.choices.calls.scope() == Some(kind)
    }

    /// A node or an agent that the run went through.
    pub(crate) fn visit(&mut self, visit: TraceCall) {
        self.trace.visits.push(TraceCall {
            part: self.current_part.clone(),
            ..visit
        });
    }

    /// Somebody speaks: the first word of the user after another's begins a turn.
    pub(crate) fn speaks(&mut self, is_user: bool) {
        if is_user && !self.is_turn_new {
            self.turns += 1;
            let turn = self.turns;
            self.set_part(CaseScope::Turn, || Some(Text::from(turn.to_string())));
        }
        self.is_turn_new = is_user;
    }

    /// Reads a part of the run, such as a message; what looks like a call in it and is not read as one is kept in mind.
    pub(crate) fn part<T>(&mut self, node: &Node<'_>, read: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.targets.len();
        self.agent_may_speak(node);
        let answer = read(self);
        self.look(node, self.targets.len() - before, Doubt::None);
        answer
    }

    /// Whether something looked like a call and was not read.
    pub(crate) fn has_suspects(&self) -> bool {
        !self.suspects.is_empty()
    }

    /// How many calls have been read, those that were left out among them.
    pub(crate) fn seen(&self) -> usize {
        self.targets.len()
    }

    /// Whether a call of this id has come.
    pub(crate) fn knows_id(&self, id: &Text<'static>) -> bool {
        self.open.knows_id(id)
    }

    /// Reads an event, which may tell of a call that others tell of too.
    pub(crate) fn event(&mut self, node: &Node<'_>, read: impl FnOnce(&mut Self)) {
        let before = self.targets.len();
        self.agent_may_speak(node);
        read(self);
        self.look(node, self.targets.len() - before, Doubt::SameName);
    }

    /// Looks for calls in what repeats what is read from elsewhere: they count where no call is read at all.
    pub(crate) fn glance(&mut self, node: &Node<'_>) {
        self.parts += 1;
        let place = self.place();
        each_suspect(node, &mut |it| {
            self.suspects.add(Suspect {
                doubt: Doubt::Piece,
                ..it.within(&place)
            });
        });
    }

    /// Something in a part is not as it should be, so that a call may be lost.
    pub(crate) fn strange(&mut self, what: &str) {
        let place = self.place();
        self.suspects
            .add(Suspect::new(what, Doubt::None).within(&place));
    }

    fn place(&self) -> String {
        format!("in part {} of the trajectory", self.parts)
    }

    /// Looks for calls in a part of which so many have been read.
    pub(crate) fn look(&mut self, node: &Node<'_>, calls: usize, doubt: Doubt) {
        self.parts += 1;
        let number = number_of_suspects(node);
        if number == 0 || number <= calls && doubt == Doubt::None {
            return;
        }
        let place = self.place();
        let (mut own, mut others) = (Vec::new(), Vec::new());
        each_suspect(node, &mut |suspect| {
            let is_own = doubt == Doubt::None && !is_of_others(&suspect.place);
            if is_own {
                own.push(suspect);
            } else {
                others.push(suspect);
            }
        });
        if calls > 0 && longest_list(&own) > calls {
            self.strange("a list with more calls than were read");
        }
        if own.len() > calls {
            // Where some were read, the rest may repeat them.
            let (certain, rest): (Vec<_>, Vec<_>) = own
                .into_iter()
                .partition(|it| calls == 0 && it.doubt != Doubt::Piece);
            certain.into_iter().for_each(|it| {
                self.suspects.add(Suspect {
                    doubt,
                    ..it.within(&place)
                });
            });
            others.extend(rest);
        }
        for suspect in others {
            let is_known = suspect
                .name
                .as_ref()
                .is_some_and(|name| self.open.knows_name(name));
            if !is_known && (calls == 0 || suspect.name.is_some()) {
                self.suspects.add(suspect.within(&place));
            }
        }
    }

    fn agent_may_speak(&mut self, node: &Node<'_>) {
        self.trace.agent_spoke = self.trace.agent_spoke || is_of_model(node);
    }

    /// Something of the agent's own turn was read, so that a run without calls is one.
    pub(crate) fn agent_spoke(&mut self) {
        self.trace.agent_spoke = true;
    }

    /// Something that the agent produced was not read, so that calls may be missing: a kind such as `finish reason tool_calls`.
    pub(crate) fn left_over(&mut self, kind: impl Into<String>) {
        let place = self.place();
        self.trace.report.left_over(kind.into(), &place);
    }

    /// What is known of the run beside its calls.
    pub(crate) fn trace(&mut self) -> &mut Trace {
        &mut self.trace
    }

    /// A message begins; its calls are one turn, and one group.
    pub(crate) fn message(&mut self) {
        self.messages += 1;
        self.is_fresh = true;
    }

    /// What follows was not asked for together with what came before.
    pub(crate) fn interrupt(&mut self) {
        self.is_fresh = true;
    }

    /// A call follows that stands beside messages, not in one; with its neighbours it is a message of its own.
    pub(crate) fn item(&mut self) {
        if self.is_fresh {
            self.messages += 1;
        }
    }

    /// A call of an actor who is never the agent: it is left out, also where those of other actors are kept.
    pub(crate) fn call_of_other(&mut self, call: TraceCall) {
        let others = &mut self.scope.choices.other_actors;
        let chosen = std::mem::replace(others, OtherActors::Drop);
        self.call(call);
        self.scope.choices.other_actors = chosen;
    }

    /// A call. Gives its place in the run, `None` for one that is left out or expanded.
    pub(crate) fn call(&mut self, call: TraceCall) -> Option<usize> {
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
        if std::mem::take(&mut self.is_fresh) {
            self.group += 1;
            self.open.begin_group();
        }
        let early = call.id.as_ref().and_then(|id| self.early.take(id));
        self.open.open(call.id.as_ref(), &call.name);
        if early.is_some() {
            self.open.close(self.open.next() - 1);
        }
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
            return Some(self.add(call));
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

    /// A result; one that answers no open call is counted as an orphan. Gives the place of the call that it was given to.
    pub(crate) fn result(&mut self, result: CallResult) -> Option<usize> {
        let Some(number) = self.open.answer(result.id.as_ref(), result.name.as_ref()) else {
            self.keep_early(result);
            return None;
        };
        let index = self.targets[number]?;
        result.give_to(&mut self.trace.calls[index]);
        Some(index)
    }

    /// Keeps a result that no open call asked for: its call may follow.
    fn keep_early(&mut self, result: CallResult) {
        if result.id.as_ref().is_some_and(|id| self.open.knows_id(id)) {
            self.trace.report.drop(LeftOut::RepeatedInHistory);
        } else {
            self.early.keep(self.trace.calls.len(), result);
        }
    }

    /// Counts the results whose calls never came; one that names its tool stands for a call with arguments not recorded.
    fn settle_early(&mut self) {
        let last = Some(self.messages.saturating_sub(1));
        let mut lost = Vec::new();
        for (place, result) in std::mem::take(&mut self.early).rest() {
            self.trace.report.orphans += 1;
            let Some(name) = result.name.clone().filter(|name| !name.is_empty()) else {
                continue;
            };
            let mut call = TraceCall {
                name,
                id: result.id.clone(),
                turn: self.trace.calls.get(place).map_or(last, |next| next.turn),
                ..TraceCall::default()
            };
            result.give_to(&mut call);
            lost.push((place, call));
        }
        if !lost.is_empty() {
            self.insert(lost);
        }
    }

    /// Inserts calls, each a group of its own, before the calls that stand at these places, which ascend.
    fn insert(&mut self, lost: Vec<(usize, TraceCall)>) {
        for call in &mut self.trace.calls {
            call.parent = call
                .parent
                .map(|parent| parent + lost.partition_point(|(place, _)| *place <= parent));
        }
        let calls = std::mem::take(&mut self.trace.calls);
        let mut read = calls.into_iter().zip(std::mem::take(&mut self.groups));
        let mut taken = 0;
        for (place, call) in lost {
            for (call, group) in read.by_ref().take(place - taken) {
                self.trace.calls.push(call);
                self.groups.push(group);
            }
            taken = place;
            self.group += 1;
            self.trace.calls.push(call);
            self.groups.push(self.group);
        }
        for (call, group) in read {
            self.trace.calls.push(call);
            self.groups.push(group);
        }
    }

    /// A result that came at this time.
    pub(crate) fn result_at(&mut self, time: Option<i128>, result: CallResult) -> Option<usize> {
        let place = self.result(result)?;
        self.trace.calls[place].end = time;
        Some(place)
    }

    /// Keeps what the user asked for first.
    pub(crate) fn question(&mut self, question: impl FnOnce() -> Option<String>) {
        self.trace.input = self.trace.input.take().or_else(question);
    }

    /// The run that a record holds, beside members of these names; what looks like a call in other members is told.
    pub(crate) fn finish_record(self, record: &Node<'_>, known: &[&str]) -> Trace {
        let mut trace = self.finish();
        look_over(record, known, &mut trace);
        trace
    }

    /// The run, with its parallel groups named.
    pub(crate) fn finish(mut self) -> Trace {
        self.settle_early();
        self.suspects
            .tell(&mut self.trace.report, !self.targets.is_empty(), |name| {
                self.open.knows_name(name)
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

/// True for a place in messages that a part holds beside its own: what was sent to the model, or said before.
fn is_of_others(place: &str) -> bool {
    ["/messages/", "/request/", "/response/", "/history/"]
        .iter()
        .any(|key| place.contains(key))
}

/// How many calls of a part there are at least, as it may hold them in several places: those in the longest of its lists.
fn longest_list(suspects: &[Suspect]) -> usize {
    let is_item = |step: &str| !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit());
    let list = |suspect: &Suspect| {
        let steps: Vec<&str> = suspect.place.split('/').collect();
        let item = steps.iter().rposition(|step| is_item(step));
        steps[..item.unwrap_or_default()].join("/")
    };
    let lists: Vec<_> = suspects.iter().map(list).collect();
    lists
        .iter()
        .map(|list| lists.iter().filter(|other| *other == list).count())
        .max()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests;
