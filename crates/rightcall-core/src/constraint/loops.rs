//! Detects loops: the same tool in a row, two alternating calls, or equal calls with equal results.

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use super::judgement::{Judgement, ObservedValue};
use super::repeats::{call_digest, without_arguments};
use crate::call::Call;
use crate::value::{Digest, HashKey, Syntax, Text, Value, ValueEquality, decode_with};

/// The kind of repetition in a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LoopKind {
    /// Consecutive calls of one tool, with any arguments.
    SameTool,
    /// Two alternating calls.
    Alternating,
    /// An equal call with the same result as the one before.
    SameResult,
}

impl LoopKind {
    pub(super) fn label(self) -> &'static str {
        match self {
            Self::SameTool => "the same tool in a row",
            Self::Alternating => "two calls in turns",
            Self::SameResult => "the same call with the same result",
        }
    }
}

/// The state of loop detection for one kind of loop.
#[derive(Debug)]
pub(crate) struct LoopTracker {
    kind: LoopKind,
    /// The number of iterations that make a loop.
    limit: usize,
    /// The identity of a call: its tool, or its tool and arguments; `None` for a call that equals no call.
    last: Option<u128>,
    before: Option<u128>,
    /// Length of the current row of equal or alternating calls, up to the last call.
    length: usize,
    longest: usize,
    is_broken: bool,
    /// The results of equal calls, in order.
    results: HashMap<u128, Vec<LoopResult>, FixedState>,
    /// The place of each call's result in `results`.
    places: Vec<Option<(u128, usize)>>,
    /// The number of results that certainly end a loop, and the number that may.
    ends: (usize, usize),
}

/// The result of one of several equal calls.
#[derive(Clone, Copy, Debug)]
struct LoopResult {
    call: usize,
    /// `None` if it was not recorded.
    result: Option<u128>,
    /// Length of the row of equal results that ends here: the certain length, and the possible one.
    lengths: (usize, usize),
}

impl LoopTracker {
    pub(crate) fn new(kind: LoopKind, limit: usize) -> Self {
        Self {
            kind,
            limit,
            last: None,
            before: None,
            length: 0,
            longest: 0,
            is_broken: false,
            results: HashMap::default(),
            places: Vec::new(),
            ends: (0, 0),
        }
    }

    /// Processes the next call.
    pub(crate) fn observe(&mut self, call: &Call<'_>, key: HashKey) {
        let identity = self.identity(call, key);
        if self.kind == LoopKind::SameResult {
            let place = identity.map(|identity| (identity, self.add_result(identity, call, key)));
            self.places.push(place);
            return;
        }
        self.length = self.length_with(identity);
        self.longest = self.longest.max(self.iterations(self.length));
        self.is_broken |= self.iterations(self.length) >= self.limit;
        (self.before, self.last) = (self.last, identity);
    }

    /// Updates the result of an earlier call.
    pub(crate) fn revise(&mut self, number: usize, call: &Call<'_>, key: HashKey) {
        let Some(Some((identity, index))) = self.places.get(number).copied() else {
            return;
        };
        if let Some(results) = self.results.get_mut(&identity) {
            results[index].result = result(call, key);
        }
        self.update_lengths(identity, index);
    }

    /// True if `call`, as the next call, would certainly complete a loop.
    pub(crate) fn is_broken_by(&self, call: &Call<'_>, key: HashKey) -> bool {
        self.kind != LoopKind::SameResult
            && self.iterations(self.length_with(self.identity(call, key))) >= self.limit
    }

    /// True if later results matter.
    pub(crate) fn awaits_results(&self) -> bool {
        self.kind == LoopKind::SameResult
    }

    /// True if the run certainly has no loop, and true if the known results show none.
    pub(crate) fn holds(&self) -> (bool, bool) {
        let is_broken = self.is_broken || self.ends.0 > 0;
        (!is_broken && self.ends.1 == 0, !is_broken)
    }

    fn identity(&self, call: &Call<'_>, key: HashKey) -> Option<u128> {
        match self.kind {
            LoopKind::SameTool => {
                let name = Value::String(call.name.clone());
                Digest::from_value(&name, ValueEquality::Json, key).key()
            }
            _ => call_digest(call, key),
        }
    }

    /// The length of the current row after a call with this identity.
    fn length_with(&self, identity: Option<u128>) -> usize {
        let is_known = |it: Option<u128>| identity.is_some() && it.is_some();
        match self.kind {
            LoopKind::SameTool if identity == self.last => self.length + 1,
            LoopKind::Alternating if is_known(self.last) && identity != self.last => {
                if self.before == identity && self.length >= 2 {
                    self.length + 1
                } else {
                    2
                }
            }
            _ => usize::from(identity.is_some()),
        }
    }

    /// The number of iterations in a row: calls, or pairs of alternating calls.
    fn iterations(&self, length: usize) -> usize {
        match self.kind {
            LoopKind::Alternating => length / 2,
            _ => length,
        }
    }

    fn add_result(&mut self, identity: u128, call: &Call<'_>, key: HashKey) -> usize {
        let results = self.results.entry(identity).or_default();
        results.push(LoopResult {
            call: self.places.len(),
            result: result(call, key),
            lengths: (0, 0),
        });
        let index = results.len() - 1;
        self.update_lengths(identity, index);
        index
    }

    /// Recomputes the lengths of rows of equal results from one result on, until they stop changing.
    fn update_lengths(&mut self, identity: u128, from: usize) {
        let Some(results) = self.results.get_mut(&identity) else {
            return;
        };
        for index in from..results.len() {
            let (is_same, may_be_same, before) = match index.checked_sub(1) {
                None => (false, false, (0, 0)),
                Some(before) => {
                    let (one, other) = (results[before].result, results[index].result);
                    let is_known = one.is_some() && other.is_some();
                    (
                        is_known && one == other,
                        !is_known || one == other,
                        results[before].lengths,
                    )
                }
            };
            let lengths = (
                1 + if is_same { before.0 } else { 0 },
                1 + if may_be_same { before.1 } else { 0 },
            );
            let ends = |(sure, may): (usize, usize)| {
                (
                    usize::from(sure >= self.limit),
                    usize::from(may >= self.limit),
                )
            };
            let (old, new) = (ends(results[index].lengths), ends(lengths));
            self.ends.0 = self.ends.0 + new.0 - old.0;
            self.ends.1 = self.ends.1 + new.1 - old.1;
            let is_unchanged = results[index].lengths == lengths;
            results[index].lengths = lengths;
            self.longest = self.longest.max(lengths.0);
            if is_unchanged && index > from {
                break;
            }
        }
    }
}

/// The result of a call: a digest of its output, its error, or both; `None` if neither was recorded.
fn result(call: &Call<'_>, key: HashKey) -> Option<u128> {
    let metadata = call.metadata();
    let output = metadata.recorded_output();
    let error = metadata
        .error
        .as_deref()
        .filter(|_| call.failed() == Some(true));
    let digest = |json: &str| {
        let value = decode_with(json, Syntax::PYTHON).ok()?;
        Digest::from_value(&value, ValueEquality::Json, key).key()
    };
    match (output, error) {
        (Some(output), None) => digest(output),
        (None, Some(error)) => Some(!digest(error)?),
        (Some(output), Some(error)) => digest(&format!("[{output},{error}]")),
        (None, None) => None,
    }
}

/// Judges whether the run has no loop of this kind with `limit` iterations or more.
pub(super) fn judge_loops(
    calls: &[Call<'_>],
    kind: LoopKind,
    limit: usize,
    key: HashKey,
) -> Judgement {
    let mut tracker = LoopTracker::new(kind, limit);
    // The calls that form loops. The first call to reach the limit adds its whole row.
    let mut blamed = Vec::new();
    for (index, call) in calls.iter().enumerate() {
        tracker.observe(call, key);
        let length = tracker.length;
        if tracker.iterations(length) >= limit {
            // If the loop was complete before this call, its earlier calls are already in `blamed`.
            let is_longer = tracker.iterations(length - 1) >= limit;
            let row = if is_longer { 1 } else { length };
            blamed.extend(index + 1 - row..=index);
        }
    }
    let places = tracker.places.iter().flatten();
    let results = places.filter_map(|&(identity, place)| {
        let results = tracker.results.get(&identity)?;
        let length = results[place].lengths.0;
        let row = if length > limit { 1 } else { length };
        (length >= limit).then(|| results[place + 1 - row..=place].iter().map(|it| it.call))
    });
    blamed.extend(results.flatten());
    blamed.sort_unstable();
    blamed.dedup();
    let (is_sure, holds) = tracker.holds();
    if !holds {
        let name = blamed
            .first()
            .map_or(Text::default(), |first| calls[*first].name.reborrow());
        let found = sentence(kind, &name.to_display(), tracker.longest);
        return Judgement::new(false, ObservedValue::Sentence(found.into()), blamed);
    }
    let missing = match kind {
        LoopKind::SameTool => None,
        _ => without_arguments(calls),
    };
    let no_output = || {
        let is_missing = |call: &Call<'_>| result(call, key).is_none();
        calls
            .iter()
            .position(is_missing)
            .map(|call| (call, "output"))
    };
    let missing = missing.or_else(|| (!is_sure).then(no_output).flatten());
    Judgement::new(true, ObservedValue::Calls(tracker.longest), Vec::new()).unless_missing(missing)
}

fn sentence(kind: LoopKind, name: &str, longest: usize) -> String {
    match kind {
        LoopKind::SameTool => format!("`{name}` was called {longest} times in a row"),
        LoopKind::Alternating => format!("`{name}` and another call took turns {longest} times"),
        LoopKind::SameResult => {
            format!("`{name}` was called with the same result {longest} times")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Arguments;
    use crate::constraint::Verdict;

    /// Calls as `name`, `name:arguments` or `name:arguments:output`.
    fn calls(text: &'static str) -> Vec<Call<'static>> {
        let call = |word: &'static str| {
            let mut parts = word.split(':');
            let mut call = Call {
                name: parts.next().unwrap_or_default().into(),
                ..Call::default()
            };
            if let Some(arguments) = parts.next() {
                call.arguments = Arguments::json(arguments);
            }
            call.metadata_mut().output = parts.next().map(Into::into);
            call
        };
        text.split(' ').map(call).collect()
    }

    #[track_caller]
    fn check(kind: LoopKind, limit: usize, run: &'static str, blamed: &[usize]) {
        let judged = judge_loops(&calls(run), kind, limit, HashKey::default());
        let verdict = if blamed.is_empty() {
            Verdict::Held
        } else {
            Verdict::Broken
        };
        assert_eq!(
            (judged.verdict, judged.calls.as_slice()),
            (verdict, blamed),
            "{run}"
        );
    }

    #[test]
    fn one_tool_in_a_row_is_a_loop() {
        check(LoopKind::SameTool, 3, "a b b:1 b:2 c", &[1, 2, 3]);
        check(LoopKind::SameTool, 3, "b b a b b", &[]);
    }

    #[test]
    fn alternating_calls_are_a_loop() {
        check(LoopKind::Alternating, 2, "a:1 b:1 a:1 b:1", &[0, 1, 2, 3]);
        check(LoopKind::Alternating, 2, "a:1 b:1 a:1 b:2", &[]);
        check(LoopKind::Alternating, 2, "a:1 a:1 a:1 a:1", &[]);
        check(
            LoopKind::Alternating,
            2,
            "c:1 a:1 b:1 a:1 b:1 c:1",
            &[1, 2, 3, 4],
        );
    }

    #[test]
    fn polling_with_progress_is_not_a_loop() {
        check(
            LoopKind::SameResult,
            3,
            "a:1:0 b:1:0 a:1:0 a:1:0",
            &[0, 2, 3],
        );
        check(LoopKind::SameResult, 3, "a:1:0 a:1:1 a:1:2 a:1:3", &[]);
        check(LoopKind::SameResult, 3, "a:1:0 a:2:0 a:3:0", &[]);
    }

    #[test]
    fn unrecorded_results_are_not_judged() {
        let judged = |run| judge_loops(&calls(run), LoopKind::SameResult, 3, HashKey::default());
        let missing = Verdict::NotRecorded {
            call: 1,
            field: "output",
        };
        assert_eq!(judged("a:1:0 a:1 a:1:0").verdict, missing);
        assert_eq!(judged("a:1:0 a:1 a:1:1 b:1").verdict, missing);
        assert_eq!(judged("a:1:0 a:1:1 a:1").verdict, Verdict::Held);
    }
}
