//! Pairs results with the calls of a run, and keeps those whose calls follow or are missing.

use std::collections::{BTreeSet, VecDeque};

use super::{Conversation, CountedResult};
use crate::trace::call::TraceCall;
use crate::trace::call_result::CallResult;
use crate::trace::report::LeftOut;

impl Conversation {
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
        let told = self.call_with_same_arguments(&result);
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
    fn call_with_same_arguments(&self, result: &CallResult) -> Option<usize> {
        let (name, arguments) = (result.name.as_ref()?, result.arguments.as_ref()?);
        let open = self.open.in_run(name).filter(|_| result.id.is_none());
        let is_told = |call: &TraceCall| call.arguments.is_same(arguments);
        let mut open = open.filter(|&number| {
            self.targets[number].is_some_and(|index| is_told(&self.trace.calls[index]))
        });
        open.next()
    }

    /// Pairs the waiting results in order with the open calls of their names. If there are fewer results, they are those of the last calls.
    pub(super) fn pair_waiting(&mut self) {
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
        let id = result.id.clone().filter(|id| self.open.has_call_id(id));
        let keeps_last = self.counted_result == CountedResult::Last;
        if let Some(id) = id.as_ref().filter(|_| keeps_last) {
            let calls = self.trace.calls.iter_mut().rev();
            let answered = calls.into_iter().find(|call| call.id.as_ref() == Some(id));
            answered
                .into_iter()
                .for_each(|call| result.clone().give_to(call));
        } else if id.is_some() {
            self.trace.report.drop(LeftOut::RepeatedInHistory);
        } else {
            self.early.keep(self.trace.calls.len(), result);
        }
    }

    /// Drops calls that a later message repeated, with their id, before the result of the first: one of several was answered.
    pub(super) fn drop_repeats(&mut self) {
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
    pub(super) fn settle_early(&mut self) {
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
}
