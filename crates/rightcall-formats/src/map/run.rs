//! Assembles the records of a run: their order, their steps, and the results of the calls.

use std::collections::{HashMap, HashSet, VecDeque};

use rightcall_core::call::Executor;
use rightcall_core::value::Text;

use super::definition::{Fact, Map};
use super::histories::drop_repeated;
use super::order::sort;
use super::place::parting;
use super::record::{Findings, FoundCall, FoundResult};
use crate::error::CaseError;
use crate::trace::{Conversation, Scope, Trace, TraceArguments, TraceCall};

/// A run with all its records read.
#[derive(Debug, Default)]
pub(super) struct Run {
    pub(super) id: Option<Text<'static>>,
    /// The line of its first record.
    pub(super) line: u64,
    pub(super) records: Vec<Findings>,
    /// The first record that could not be read: its line, and the error.
    pub(super) error: Option<(u64, CaseError)>,
}

impl Run {
    /// Converts the run to a trace.
    ///
    /// # Errors
    /// A record could not be read, or the records cannot be sorted; with the line.
    pub(super) fn into_trace(self, map: &Map, scope: Scope) -> Result<Trace, (u64, CaseError)> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let records = sort(self.records, |record| record.order.as_ref());
        let mut records = records.map_err(|error| (self.line, error.help(map.place_of_order())))?;
        let mut conversation = Conversation::new(scope);
        let mut suspects = Vec::new();
        for record in &mut records {
            suspects.append(&mut record.suspects);
        }
        for suspect in suspects {
            let calls = records.iter().flat_map(|record| &record.calls);
            // It may repeat a call that was read, but not if its arguments differ.
            if let Some(name) = suspect.other_call(calls.map(|found| &found.call)) {
                conversation.left_over(format!("a call of `{name}` that no rule reads"));
            } else {
                conversation.suspect(suspect.within("in a record of the run"));
            }
        }
        drop_repeated(&mut records);
        adopt_results(&mut records);
        let steps = steps(&records);
        let (mut calls, mut results) = (Vec::new(), Vec::new());
        for (place, record) in records.iter_mut().enumerate() {
            let of_record = |call| Call {
                record: place,
                found: call,
                is_answered: false,
            };
            calls.extend(std::mem::take(&mut record.calls).into_iter().map(of_record));
            let of_record = |result| (place, result);
            results.extend(
                std::mem::take(&mut record.results)
                    .into_iter()
                    .map(of_record),
            );
        }
        let orphans = pair(&mut calls, results);
        let is_empty = calls.is_empty();
        let mut last = None;
        for (call, step) in calls.into_iter().zip(steps) {
            if last.replace(step) != Some(step) {
                conversation.message();
            }
            // The conversation assigns turn and group from the steps.
            conversation.call(TraceCall {
                turn: None,
                group: None,
                ..call.found.call
            });
        }
        let mut trace = conversation.finish();
        trace.report.orphans += orphans;
        for record in &records {
            trace.report.add(&record.report);
        }
        trace.incomplete = trace.report.gaps();
        // Without calls, the run counts only if its records show that it is complete.
        if is_empty {
            let is_complete = trace.incomplete.is_none() && shows_that_it_is_complete(&records);
            trace.agent_spoke = is_complete;
            trace.lacks_run = !is_complete;
            let why = if map.is_built_in {
                NOT_SPOKEN
            } else {
                NOT_FINISHED
            };
            trace.incomplete = trace
                .incomplete
                .or_else(|| (!is_complete).then(|| why.to_owned()));
        }
        add_facts(&mut trace, self.id, &mut records, map);
        Ok(trace)
    }
}

/// The reason why a run without calls is not recorded.
const NOT_FINISHED: &str =
    "no record shows that the run was complete; `finished` of the map says which ones do";

/// The same reason, for a built-in format.
const NOT_SPOKEN: &str = "nothing of the agent's own turn was read";

/// True if a run without calls is complete: it has finished, or every record could have held calls.
fn shows_that_it_is_complete(records: &[Findings]) -> bool {
    let may_hold_calls = |record: &Findings| {
        let leads_to_step = !record.steps.is_empty() || record.step_value.is_some();
        record.begins_step || leads_to_step || record.has_empty_list
    };
    records.iter().any(|record| record.is_finished) || records.iter().all(may_hold_calls)
}

/// The step of each call, as a number.
fn steps(records: &[Findings]) -> Vec<usize> {
    let mut count = 0;
    let mut next = || {
        count += 1;
        count
    };
    let (mut all, mut current) = (Vec::new(), None);
    let mut of_value: Option<(&str, usize)> = None;
    for record in records {
        if record.begins_step {
            current = Some(next());
        }
        of_value = record.step_value.as_deref().map(|value| match of_value {
            Some((before, step)) if before == value => (value, step),
            _ => (value, next()),
        });
        let mut of_items: HashMap<usize, usize> = HashMap::new();
        let mut of_turns: HashMap<u64, usize> = HashMap::new();
        for FoundCall { call, way } in &record.calls {
            let item = record.steps.iter().position(|step| way.starts_with(step));
            all.push(match (call.turn, item, of_value) {
                (Some(turn), ..) => *of_turns.entry(turn).or_insert_with(&mut next),
                (_, Some(item), _) => *of_items.entry(item).or_insert_with(&mut next),
                (_, _, Some((_, step))) => step,
                _ => current.unwrap_or_else(&mut next),
            });
        }
    }
    all
}

/// A call in a run.
struct Call {
    record: usize,
    found: FoundCall,
    /// True once a result is paired with it.
    is_answered: bool,
}

impl Call {
    /// True if a result without an id may belong to it.
    fn is_open(&self) -> bool {
        let call = &self.found.call;
        let has_ended = call.output.is_some() || call.has_failed();
        !self.is_answered && !has_ended && call.executor != Executor::Nobody
    }

    /// True if it precedes a result.
    fn is_before(&self, (record, result): &(usize, FoundResult)) -> bool {
        if self.record != *record {
            return self.record < *record;
        }
        // Items of one list are in list order; otherwise the call precedes the result.
        match parting(&self.found.way, &result.way) {
            Some((call, result)) if call.is_item => call < result,
            _ => true,
        }
    }

    fn take(&mut self, result: FoundResult) {
        self.is_answered = true;
        let call = &mut self.found.call;
        call.output = result.output.or(call.output.take());
        if let Some(ending) = result.ending {
            call.error = Some(ending.into_error(call.error.take()));
        }
        call.end = result.end.or(call.end);
        if result.is_not_run {
            call.executor = Executor::Nobody;
        }
    }
}

/// Turns results into calls if their calls are not recorded, but their names and arguments are: some logs have only what finished.
fn adopt_results(records: &mut [Findings]) {
    let all = || records.iter().flat_map(|record| &record.calls);
    let ids: HashSet<_> = all().filter_map(|it| it.call.id.clone()).collect();
    let mut open: HashMap<Text<'static>, usize> = HashMap::new();
    for record in records {
        for FoundCall { call, .. } in &record.calls {
            *open.entry(call.name.clone()).or_default() += 1;
        }
        for result in std::mem::take(&mut record.results) {
            let is_of_call = match (&result.id, &result.name) {
                (Some(id), _) if ids.contains(id) => true,
                (_, Some(name)) => match open.get_mut(name) {
                    Some(count) if result.id.is_none() && *count > 0 => {
                        *count -= 1;
                        true
                    }
                    _ => false,
                },
                _ => true,
            };
            if is_of_call || result.arguments.is_none() {
                record.results.push(result);
            } else {
                record.calls.push(result.into_call());
            }
        }
        record.calls.sort_by(|one, other| one.way.cmp(&other.way));
    }
}

/// Pairs results with calls; returns the number of unpaired results.
fn pair(calls: &mut [Call], results: Vec<(usize, FoundResult)>) -> u64 {
    let mut by_id: HashMap<Text<'static>, VecDeque<usize>> = HashMap::new();
    let mut by_name: HashMap<Text<'static>, VecDeque<usize>> = HashMap::new();
    for (place, call) in calls.iter().enumerate() {
        let call = &call.found.call;
        if let Some(id) = &call.id {
            by_id.entry(id.clone()).or_default().push_back(place);
        }
        by_name
            .entry(call.name.clone())
            .or_default()
            .push_back(place);
    }
    let mut all: VecDeque<usize> = (0..calls.len()).collect();
    let mut orphans = 0;
    for result in results {
        let call = match (&result.1.id, &result.1.name) {
            (Some(id), _) => by_id.get_mut(id).and_then(|queue| {
                while queue.front().is_some_and(|&place| calls[place].is_answered) {
                    queue.pop_front();
                }
                queue.pop_front()
            }),
            (None, Some(name)) => by_name
                .get_mut(name)
                .and_then(|queue| open(queue, calls, &result)),
            (None, None) => open(&mut all, calls, &result),
        };
        match call {
            Some(place) => calls[place].take(result.1),
            None => orphans += 1,
        }
    }
    orphans
}

/// The oldest open call in a queue that precedes a result, if possible one with the arguments that the result repeats.
fn open(
    queue: &mut VecDeque<usize>,
    calls: &[Call],
    result: &(usize, FoundResult),
) -> Option<usize> {
    while queue.front().is_some_and(|&place| !calls[place].is_open()) {
        queue.pop_front();
    }
    let before = queue
        .iter()
        .copied()
        .take_while(|&place| calls[place].record <= result.0)
        .filter(|&place| calls[place].is_open() && calls[place].is_before(result));
    // Calls of one tool may run at the same time; a result that repeats the arguments says whose it is.
    let arguments = result.1.arguments.as_ref();
    let arguments = arguments.filter(|it| **it != TraceArguments::Absent);
    let is_its =
        |&place: &usize| arguments.is_some_and(|it| it.is_same(&calls[place].found.call.arguments));
    before
        .clone()
        .find(is_its)
        .or_else(|| before.clone().next())
}

/// Adds the facts of the case; for each fact, the first value found.
fn add_facts(trace: &mut Trace, run: Option<Text<'static>>, records: &mut [Findings], map: &Map) {
    let mut first = |fact: Fact| {
        records
            .iter_mut()
            .find_map(|record| record.facts[fact as usize].take())
    };
    trace.trial = first(Fact::Trial);
    trace.input = first(Fact::Question);
    trace.output = first(Fact::Output);
    trace.expected = first(Fact::Expected);
    trace.expects_as_cases_do = true;
    trace.tags = first(Fact::Tags).map(|tags| {
        if tags.starts_with('[') {
            tags
        } else {
            format!("[{tags}]")
        }
    });
    for (key, fact) in [("model", Fact::Model), ("agent", Fact::Agent)] {
        trace
            .meta
            .extend(first(fact).map(|json| (key.to_owned(), json)));
    }
    for (place, (name, _)) in map.meta.iter().enumerate() {
        let value = records
            .iter_mut()
            .find_map(|record| record.meta[place].take());
        trace.meta.extend(value.map(|json| (name.clone(), json)));
    }
    trace.id = records
        .iter_mut()
        .find_map(|record| record.id.take())
        .or(run);
}
