//! Builds the calls of a run from messages. Readers report the contents of each message; the rules shared by all message formats are
//! applied here.

use std::collections::{BTreeSet, HashMap, VecDeque};

use rightcall_core::call::Executor;
use rightcall_core::value::Text;

use super::call::TraceCall;
pub(crate) use super::call_result::CallResult;
use super::choices::{CaseScope, Keep, OtherActors};
use super::early_results::EarlyResults;
use super::open_calls::OpenCalls;
use super::record::Trace;
use super::report::LeftOut;
use super::role::{is_of_model, model_text, says_something};
use super::scope::Scope;
use super::unread::looks::{
    NAMES_TOOL, calls_in_words, each_sign_under, each_suspect, each_suspect_under, line_of_tool,
    number_of_suspects,
};
use super::unread::suspect::{Doubt, Suspect, Suspects};
use super::unread::{CONTENTS_AND_CALLS, acts_in_words, look_over};
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
    /// Calls that may repeat an open one: the index of the open call, then their own.
    repeats: Vec<(usize, usize)>,
    /// True if a call that repeats an open one of an earlier message counts once: some logs write a message again while its calls run.
    pub(crate) drops_repeats: bool,
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
            repeats: Vec::new(),
            drops_repeats: false,
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

    /// Notes the speaker: the user's first message after another speaker begins a turn.
    pub(crate) fn speaks(&mut self, is_user: bool) {
        if is_user && !self.is_turn_new {
            self.turns += 1;
            let turn = self.turns;
            self.set_part(CaseScope::Turn, || Some(Text::from(turn.to_string())));
        }
        self.is_turn_new = is_user;
    }

    /// Reads a part of the run, such as a message. Call-like values in it that aren't read as calls are recorded.
    pub(crate) fn part<T>(&mut self, node: &Node<'_>, read: impl FnOnce(&mut Self) -> T) -> T {
        let before = (self.seen(), self.read());
        self.hears_model(node);
        let answer = read(self);
        self.look_beyond(node, before, Doubt::None);
        answer
    }

    /// True if the calls of sub-agents belong to the run.
    pub(crate) fn reads_sub_agents(&self) -> bool {
        self.scope.choices.sub_agents != Keep::Drop
    }

    /// True if something call-like was not read.
    pub(crate) fn has_suspects(&self) -> bool {
        !self.suspects.is_empty()
    }

    /// Call-like values that were not read and have the name of no call; another part of the run may have read them.
    pub(crate) fn unread(&self) -> Vec<Suspect> {
        let is_unread = |it: &&Suspect| it.doubt.is_of_call() && !it.may_repeat(&self.open);
        let found = self.suspects.all().filter(is_unread).cloned();
        found
            .map(|it| Suspect {
                doubt: Doubt::SameName,
                ..it
            })
            .collect()
    }

    /// The number of calls read, including those left out.
    pub(crate) fn seen(&self) -> usize {
        self.targets.len()
    }

    /// The number of calls and results read.
    pub(crate) fn read(&self) -> usize {
        self.targets.len() + self.results
    }

    /// True if there was a call with this id.
    pub(crate) fn knows_id(&self, id: &Text<'static>) -> bool {
        self.open.knows_id(id)
    }

    /// Reads an event, which may repeat a call of other events.
    pub(crate) fn event(&mut self, node: &Node<'_>, read: impl FnOnce(&mut Self)) {
        let before = (self.seen(), self.read());
        self.hears_model(node);
        read(self);
        self.look_beyond(node, before, Doubt::SameName);
    }

    /// Looks for calls in a copy of data read elsewhere: they count only if no call is read at all.
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

    /// Adds a call-like value that was found outside of the parts.
    pub(crate) fn suspect(&mut self, suspect: Suspect) {
        self.suspects.add(suspect);
    }

    /// Looks for calls in a text or a message of the model that is not read.
    pub(crate) fn look_into(&mut self, said: Option<&Node<'_>>) {
        let Some(text) = said.and_then(model_text) else {
            return;
        };
        // An action in JSON may repeat a call that was read.
        let (calls, unread) = if self.seen() == 0 {
            acts_in_words(&text)
        } else {
            calls_in_words(&text)
        };
        let place = self.place();
        calls
            .into_iter()
            .for_each(|it| self.suspects.add(it.within(&place)));
        unread.into_iter().for_each(|kind| self.left_over(kind));
    }

    /// Records an irregular part, in which a call may be lost.
    pub(crate) fn strange(&mut self, what: &str) {
        let place = self.place();
        self.suspects
            .add(Suspect::new(what, Doubt::None).within(&place));
    }

    fn place(&self) -> String {
        format!("in part {} of the trajectory", self.parts)
    }

    /// Looks for more calls in a part after `calls` calls were read from it.
    pub(crate) fn look(&mut self, node: &Node<'_>, calls: usize, doubt: Doubt) {
        let before = self.seen() - calls;
        self.look_beyond(node, (before, self.read() - calls), doubt);
    }

    /// Records a line of a log that may say what a tool did. A line with the type or the role of a tool is no call.
    fn line(&mut self, sign: Suspect) {
        if sign.looks == NAMES_TOOL {
            let place = self.place();
            self.suspects.add(sign.within(&place));
        } else if !sign.may_repeat(&self.open) || self.is_unread_result(&sign) {
            self.left_over(sign.looks);
        }
    }

    /// True for the sign of a result, of a call that has none yet.
    fn is_unread_result(&self, sign: &Suspect) -> bool {
        let is_result = ["result", "output"]
            .iter()
            .any(|it| sign.looks.contains(it));
        is_result && self.open.awaits(sign.id.as_ref(), sign.name.as_ref())
    }

    /// Looks for calls in a part before which this many calls, and calls and results, were read.
    fn look_beyond(&mut self, node: &Node<'_>, (calls, read): (usize, usize), doubt: Doubt) {
        self.parts += 1;
        let (calls, read) = (self.seen() - calls, self.read() - read);
        let number = number_of_suspects(node);
        if number == 0 || number <= calls && doubt == Doubt::None {
            if number + read == 0
                && let Some(sign) = line_of_tool(node)
            {
                self.line(sign);
            }
            return;
        }
        let place = self.place();
        let (mut own, mut others) = (Vec::new(), Vec::new());
        each_suspect(node, &mut |suspect| {
            // A piece of a stream may hold a piece of a text.
            if doubt != Doubt::None && suspect.is_unparsed_text() {
                return;
            }
            // What is not parsed in a text may repeat the calls of its message.
            let is_own = doubt == Doubt::None
                && !is_of_others(&suspect.place)
                && !suspect.is_unparsed_text();
            if matches!(suspect.doubt, Doubt::Number(_)) {
                self.suspects.add(suspect.within(&place));
            } else if is_own {
                own.push(suspect);
            } else {
                others.push(suspect);
            }
        });
        if calls > 0 && longest_list(&own) > calls {
            self.strange("a list with more calls than were read");
        }
        if own.len() > calls {
            // If some were read, the rest may be repetitions.
            let (certain, rest): (Vec<_>, Vec<_>) = own
                .into_iter()
                .partition(|it| calls == 0 && it.doubt.is_of_call());
            certain.into_iter().for_each(|it| {
                self.suspects.add(Suspect {
                    doubt,
                    ..it.within(&place)
                });
            });
            others.extend(rest);
        }
        for suspect in others {
            let is_known = suspect.may_repeat(&self.open);
            if !is_known && (calls == 0 || suspect.name.is_some()) {
                self.suspects.add(suspect.within(&place));
            }
        }
    }

    /// Looks for signs of calls next to the content of a message of the agent.
    pub(crate) fn look_beside(&mut self, message: &Node<'_>) {
        if is_of_model(message) {
            self.look_beside_read(message, &CONTENTS_AND_CALLS);
        }
    }

    /// Looks for signs of calls next to the message in one of the alternatives of a reply.
    pub(crate) fn look_beside_reply(&mut self, choice: &Node<'_>) {
        const READ: [&str; 4] = ["message", "delta", "content", "logprobs"];
        let place = self.place();
        let others = choice.entries().iter();
        for (key, value) in others.filter(|(key, _)| !READ.iter().any(|read| *key == **read)) {
            each_suspect_under(key, value, &mut |it| self.suspects.add(it.within(&place)));
        }
        self.look_beside_read(choice, &READ);
    }

    /// Looks for signs of calls in the usage of a reply.
    pub(crate) fn look_at_usage(&mut self, event: &Node<'_>) {
        for key in ["usage", "usageMetadata"] {
            if let Some(usage) = event.get(key) {
                self.look_under(&Text::new(key), usage);
            }
        }
    }

    fn look_beside_read(&mut self, holder: &Node<'_>, read: &[&str]) {
        let others = holder.entries().iter();
        let others = others.filter(|(key, _)| !read.iter().any(|read| *key == **read));
        for (key, value) in others.filter(|(_, value)| value.is_object() || value.is_list()) {
            self.look_under(key, value);
        }
    }

    fn look_under(&mut self, key: &Text<'_>, value: &Node<'_>) {
        each_sign_under(key, value, &mut |sign| {
            let place = self.place();
            self.suspects.add(sign.within(&place));
        });
    }

    fn hears_model(&mut self, node: &Node<'_>) {
        if (!self.trace.agent_spoke || self.broken_reply.is_some()) && is_of_model(node) {
            self.hears(node);
        }
    }

    /// Hears a message of the agent, which is evidence of its turn unless it is empty.
    pub(crate) fn hears(&mut self, message: &Node<'_>) {
        if (!self.trace.agent_spoke || self.broken_reply.is_some()) && says_something(message) {
            self.agent_spoke();
        }
    }

    /// Records that a part of the agent's own turn was read, so that a run without calls is valid.
    pub(crate) fn agent_spoke(&mut self) {
        self.trace.agent_spoke = true;
        self.broken_reply = None;
    }

    /// Records a reply that failed or was cut, so a call may be missing unless the agent goes on. Example kind: `a reply that failed`.
    pub(crate) fn reply_broke(&mut self, kind: impl Into<String>) {
        self.broken_reply = Some((kind.into(), self.place()));
    }

    /// Records agent output that was not read, so calls may be missing. Example kind: `finish reason tool_calls`.
    pub(crate) fn left_over(&mut self, kind: impl Into<String>) {
        let place = self.place();
        self.trace.report.left_over(kind.into(), &place);
    }

    /// Counts calls that are left out.
    pub(crate) fn drop_all(&mut self, reason: LeftOut, number: usize) {
        (0..number).for_each(|_| self.trace.report.drop(reason));
    }

    /// The facts of the run other than its calls.
    pub(crate) fn trace(&mut self) -> &mut Trace {
        &mut self.trace
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

    /// Adds a result. Without an open call it counts as an orphan. Returns the index of its call.
    pub(crate) fn result(&mut self, mut result: CallResult) -> Option<usize> {
        result.id.take_if(|id| id.is_empty());
        self.results += 1;
        self.last_call = None;
        if let Some(waiting) = &mut self.waiting
            && result.id.is_none()
        {
            waiting.push((None, result));
            return None;
        }
        self.pair(result)
    }

    fn pair(&mut self, result: CallResult) -> Option<usize> {
        let told = self.told_call(&result);
        told.into_iter().for_each(|number| self.open.close(number));
        let open = || self.open.answer(result.id.as_ref(), result.name.as_ref());
        let Some(number) = told.or_else(open) else {
            self.keep_early(result);
            return None;
        };
        let index = self.targets[number]?;
        result.give_to(&mut self.trace.calls[index]);
        Some(index)
    }

    /// The open call with the name and the arguments that a result without an id has.
    fn told_call(&self, result: &CallResult) -> Option<usize> {
        let (name, arguments) = (result.name.as_ref()?, result.arguments.as_ref()?);
        let open = self.open.in_run(name).filter(|_| result.id.is_none());
        let is_told = |call: &TraceCall| call.arguments.is_same(arguments);
        let mut open = open.filter(|&number| {
            self.targets[number].is_some_and(|index| is_told(&self.trace.calls[index]))
        });
        open.next()
    }

    /// Pairs the waiting results in order with the open calls of their names. If there are fewer results, they are those of the last calls.
    fn pair_waiting(&mut self) {
        let waiting = self.waiting.as_mut().map(std::mem::take);
        let mut waiting = VecDeque::from(waiting.unwrap_or_default());
        while let Some((time, result)) = waiting.pop_front() {
            let later = waiting.iter().filter(|(_, it)| it.name == result.name);
            let later = later.count();
            let open = self.open.in_group(result.name.as_ref());
            open.iter()
                .rev()
                .skip(later + 1)
                .for_each(|&number| self.open.close(number));
            let place = self.pair(result);
            if let Some(place) = place {
                self.trace.calls[place].end = time.or(self.trace.calls[place].end);
            }
        }
    }

    /// Keeps a result without an open call, since its call may follow.
    fn keep_early(&mut self, result: CallResult) {
        if result.id.as_ref().is_some_and(|id| self.open.knows_id(id)) {
            self.trace.report.drop(LeftOut::RepeatedInHistory);
        } else {
            self.early.keep(self.trace.calls.len(), result);
        }
    }

    /// Drops calls that a later message repeated, with their id, before the result of the first: one of several was answered.
    fn drop_repeats(&mut self) {
        let mut gone = BTreeSet::new();
        let calls = &mut self.trace.calls;
        for (first, again) in std::mem::take(&mut self.repeats) {
            let is_open = |it: usize| calls[it].output.is_none() && calls[it].error.is_none();
            if is_open(again) && (gone.contains(&first) || !is_open(first)) {
                gone.insert(again);
            }
        }
        if gone.is_empty() {
            return;
        }
        for call in calls.iter_mut() {
            call.parent = call
                .parent
                .map(|parent| parent - gone.range(..=parent).count().min(parent));
        }
        let mut places = (0..).map(|place: usize| !gone.contains(&place));
        let mut same_places = places.clone();
        calls.retain(|_| places.next().unwrap_or(true));
        self.groups.retain(|_| same_places.next().unwrap_or(true));
        for _ in gone {
            self.trace.report.drop(LeftOut::RepeatedInHistory);
        }
    }

    /// Counts the results without a call. One that names its tool becomes a call with unrecorded arguments.
    fn settle_early(&mut self) {
        if self.scope.is_part_of_run {
            let rest = std::mem::take(&mut self.early).rest();
            self.trace
                .open_results
                .extend(rest.map(|(_, result)| result));
            return;
        }
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

    /// Inserts calls, each as a separate group, before the calls at these ascending indices.
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

    /// Adds a result with its time.
    pub(crate) fn result_at(&mut self, time: Option<i128>, result: CallResult) -> Option<usize> {
        let before = self.waiting.as_ref().map_or(0, Vec::len);
        let place = self.result(result);
        if let Some((of_result, _)) = self.waiting.iter_mut().flatten().nth(before) {
            *of_result = time;
        }
        self.trace.calls[place?].end = time;
        place
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

/// True for a place in messages that a part contains in addition to its own: model input, or earlier messages.
fn is_of_others(place: &str) -> bool {
    const OTHERS: [&str; 7] = [
        "/messages/",
        "/request/",
        "/response/",
        "/history/",
        // The reply of a provider, next to its contents in .NET and in Python.
        "/rawRepresentation/",
        "/RawRepresentation/",
        "/raw_representation/",
    ];
    OTHERS.iter().any(|key| place.contains(key))
}

/// The minimum number of calls in a part that may repeat them in several places: the length of its longest list.
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
