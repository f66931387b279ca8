//! The meaning of a rule, by enumeration.

use super::generate::{TwinCall, TwinPattern, TwinRule};

/// The maximum number of open questions to enumerate.
const MAX_QUESTIONS: usize = 9;
/// The maximum if continuations are tried for each answer.
const MAX_WATCHED_QUESTIONS: usize = 6;

/// A run with all questions decided.
struct DecidedRun {
    steps: Vec<usize>,
    activations: Vec<bool>,
    targets: Vec<bool>,
    /// For each pair of calls, with the first as an activation: true if it agrees with the second as T, and as another activation.
    with_target: Vec<Vec<bool>>,
    with_activation: Vec<Vec<bool>>,
}

impl DecidedRun {
    fn len(&self) -> usize {
        self.steps.len()
    }

    fn is_before(&self, one: usize, other: usize) -> bool {
        self.steps[one] < self.steps[other]
    }

    /// True if the rule holds, by the table.
    fn holds(&self, rule: &TwinRule) -> bool {
        let n = self.len();
        let is_t = |a: usize, t: usize| self.targets[t] && self.with_target[a][t];
        let other =
            |a: usize, b: usize| a != b && self.activations[b] && self.with_activation[a][b];
        let some_t = |a: usize, is: &dyn Fn(usize) -> bool| (0..n).any(|t| is_t(a, t) && is(t));
        let step_after = |one: usize, later: usize| self.steps[later] == self.steps[one] + 1;
        let holds_for = |a: usize| match rule.key {
            "needs_before" => some_t(a, &|t| self.is_before(t, a)),
            "needs_after" => some_t(a, &|t| self.is_before(a, t)),
            "needs_directly_before" => some_t(a, &|t| step_after(t, a)),
            "needs_directly_after" => some_t(a, &|t| step_after(a, t)),
            "needs_before_each" => some_t(a, &|t| {
                let between =
                    |b: usize| other(a, b) && self.is_before(b, a) && self.is_before(t, b);
                self.is_before(t, a) && !(0..n).any(between)
            }),
            "needs_after_each" => some_t(a, &|t| {
                let between =
                    |b: usize| other(a, b) && self.is_before(a, b) && self.is_before(b, t);
                self.is_before(a, t) && !(0..n).any(between)
            }),
            "needs" => some_t(a, &|t| t != a),
            "excludes" => !some_t(a, &|t| t != a),
            "then_never" => !some_t(a, &|t| self.is_before(a, t)),
            "then_never_directly" => !some_t(a, &|t| step_after(a, t)),
            "never" => false,
            "at_most" => (0..n).filter(|b| other(a, *b)).count() < rule.number,
            key => panic!("{key}"),
        };
        let activations = self.activations.iter().filter(|it| **it).count();
        let in_step = |step: usize| (0..n).any(|t| self.targets[t] && self.steps[t] == step);
        match rule.key {
            "at_least" => activations >= rule.number,
            "exactly" => activations == rule.number,
            "first" => n == 0 || in_step(0),
            "last" => n == 0 || in_step(self.steps[n - 1]),
            _ => (0..n).all(|a| !self.activations[a] || holds_for(a)),
        }
    }
}

/// A decided part, or the index of the open question that decides it.
#[derive(Clone, Copy)]
enum Known {
    Is(bool),
    Question(usize),
}

/// The match of a position: its arguments, and its result.
type PlaceFit = (Known, Known);

/// The open questions of a run: from unrecorded arguments, and from missing results.
struct Questions {
    arguments: usize,
    results: usize,
    activations: Vec<Vec<PlaceFit>>,
    targets: Vec<Vec<PlaceFit>>,
    agreements: [Vec<Vec<Known>>; 2],
}

impl Questions {
    fn new(rule: &TwinRule, calls: &[TwinCall]) -> Self {
        let mut questions = Self {
            arguments: 0,
            results: 0,
            activations: Vec::new(),
            targets: Vec::new(),
            agreements: [Vec::new(), Vec::new()],
        };
        let uses_call = !["first", "last"].contains(&rule.key);
        let uses_target = !["never", "at_most", "at_least", "exactly"].contains(&rule.key);
        for call in calls {
            let call_places = if uses_call { &rule.call[..] } else { &[] };
            let target_places = if uses_target { &rule.target[..] } else { &[] };
            let activations = call_places.iter().map(|it| questions.place(it, call));
            let activations = activations.collect();
            questions.activations.push(activations);
            let targets = target_places.iter().map(|it| questions.place(it, call));
            let targets = targets.collect();
            questions.targets.push(targets);
        }
        let Some((one, other)) = rule.same else {
            let all = vec![vec![Known::Is(true); calls.len()]; calls.len()];
            questions.agreements = [all.clone(), all];
            return questions;
        };
        let mut pairs = vec![vec![None; calls.len()]; calls.len()];
        for (side, key) in [other, one].into_iter().enumerate() {
            for a in 0..calls.len() {
                let mut row = Vec::new();
                for b in 0..calls.len() {
                    row.push(match (value(&calls[a], one), value(&calls[b], key)) {
                        (Found::Lacking, _) | (_, Found::Lacking) => Known::Is(false),
                        (Found::Value(a), Found::Value(b)) => Known::Is(a == b),
                        // One decision for each pair of calls.
                        _ => {
                            let pair = &mut pairs[a.min(b)][a.max(b)];
                            let question = *pair.get_or_insert_with(|| {
                                questions.arguments += 1;
                                questions.arguments - 1
                            });
                            Known::Question(question)
                        }
                    });
                }
                questions.agreements[side].push(row);
            }
        }
        questions
    }

    fn place(&mut self, pattern: &TwinPattern, call: &TwinCall) -> PlaceFit {
        let of = |wanted: Option<bool>, found: Option<bool>| match (wanted, found) {
            (None, _) => Some(true),
            (Some(_), None) => None,
            (Some(wanted), Some(found)) => Some(wanted == found),
        };
        let arguments = match (pattern.k, call.arguments) {
            (None, _) => Some(true),
            (Some(_), None) => None,
            (Some(k), Some([found, _])) => Some(found == Some(k)),
        };
        let results = [
            of(pattern.output, call.output),
            of(pattern.failed, call.failed),
        ];
        let is_named = pattern.name == "*" || pattern.name == call.name;
        if !is_named || arguments == Some(false) || results.contains(&Some(false)) {
            return (Known::Is(false), Known::Is(false));
        }
        let arguments = match arguments {
            None => {
                self.arguments += 1;
                Known::Question(self.arguments - 1)
            }
            Some(it) => Known::Is(it),
        };
        let results = if results.contains(&None) {
            self.results += 1;
            Known::Question(self.results - 1)
        } else {
            Known::Is(true)
        };
        (arguments, results)
    }

    fn decided(&self, steps: &[usize], arguments: usize, results: usize) -> DecidedRun {
        let is = |known: Known, answers: usize| match known {
            Known::Is(it) => it,
            Known::Question(number) => answers >> number & 1 == 1,
        };
        let fits = |places: &Vec<Vec<PlaceFit>>| {
            let fit = |(a, r): &PlaceFit| is(*a, arguments) && is(*r, results);
            places.iter().map(|places| places.iter().any(fit)).collect()
        };
        let agree = |side: usize| {
            let rows = self.agreements[side].iter();
            rows.map(|row| row.iter().map(|it| is(*it, arguments)).collect())
                .collect()
        };
        DecidedRun {
            steps: steps.to_vec(),
            activations: fits(&self.activations),
            targets: fits(&self.targets),
            with_target: agree(0),
            with_activation: agree(1),
        }
    }
}

/// The value under a key.
#[derive(Clone, Copy, PartialEq)]
enum Found {
    NotRecorded,
    Lacking,
    Value(u8),
}

fn value(call: &TwinCall, key: &str) -> Found {
    match call.arguments {
        None => Found::NotRecorded,
        Some([k, j]) => {
            let value = if key == "k" { k } else { j };
            value.map_or(Found::Lacking, Found::Value)
        }
    }
}

/// The step of each call: calls of one group share a step.
fn steps(calls: &[TwinCall]) -> Vec<usize> {
    let mut steps: Vec<usize> = Vec::new();
    for (index, call) in calls.iter().enumerate() {
        let last = index
            .checked_sub(1)
            .map(|before| (steps[before], calls[before].group));
        steps.push(match last {
            None => 0,
            Some((step, group)) if group.is_some() && group == call.group => step,
            Some((step, _)) => step + 1,
        });
    }
    steps
}

/// Too many combinations to try.
pub(super) struct TooMany;

/// True if a rule holds for a complete run; `None` if it depends on open questions.
pub(super) fn held(rule: &TwinRule, calls: &[TwinCall]) -> Result<Option<bool>, TooMany> {
    let questions = Questions::new(rule, calls);
    if questions.arguments + questions.results > MAX_QUESTIONS {
        return Err(TooMany);
    }
    let steps = steps(calls);
    let mut found = [false; 2];
    for arguments in 0..1 << questions.arguments {
        for results in 0..1 << questions.results {
            let holds = questions.decided(&steps, arguments, results).holds(rule);
            found[usize::from(holds)] = true;
        }
    }
    Ok(match found {
        [true, true] => None,
        [_, holds] => Some(holds),
    })
}

/// The verdict on an unfinished run; `None` if it depends on open questions.
pub(super) fn verdict(
    rule: &TwinRule,
    calls: &[TwinCall],
) -> Result<Option<&'static str>, TooMany> {
    let questions = Questions::new(rule, calls);
    if questions.arguments + questions.results > MAX_WATCHED_QUESTIONS {
        return Err(TooMany);
    }
    let steps = steps(calls);
    let mut verdict = None;
    for arguments in 0..1 << questions.arguments {
        let (mut can_keep, mut can_break, mut holds) = (false, false, true);
        for results in 0..1 << questions.results {
            let run = questions.decided(&steps, arguments, results);
            let now = run.holds(rule);
            holds &= now;
            can_keep |= now;
            can_break |= !now;
            for keep in [true, false] {
                let known = if keep { &mut can_keep } else { &mut can_break };
                *known = *known || some_continuation(rule, calls, &run, 2, keep);
            }
        }
        let found = match (can_keep, holds, can_break) {
            (false, ..) => "violated",
            (true, false, _) => "open",
            (true, true, true) => "satisfied_so_far",
            (true, true, false) => "satisfied",
        };
        match verdict {
            Some(known) if known != found => return Ok(None),
            _ => verdict = Some(found),
        }
    }
    Ok(verdict)
}

/// True if a continuation of at most this many calls satisfies or violates the rule.
fn some_continuation(
    rule: &TwinRule,
    calls: &[TwinCall],
    run: &DecidedRun,
    more: usize,
    keep: bool,
) -> bool {
    if run.holds(rule) == keep {
        return true;
    }
    if more == 0 {
        return false;
    }
    let n = run.len();
    let last = run.steps.last().copied();
    // Only the first of the following calls may join the last group.
    let has_joined = n == calls.len() || last == Some(run.steps[calls.len().saturating_sub(1)]);
    let may_join = calls.last().is_some_and(|call| call.group.is_some()) && has_joined;
    let next = last.map_or(0, |last| last + 1);
    let steps = [Some(next), last.filter(|_| may_join)];
    let agreements = if rule.same.is_some() { 1 << n } else { 1 };
    for step in steps.into_iter().flatten() {
        for fits in 0..4 {
            for agrees in 0..agreements {
                let agrees = |call: usize| rule.same.is_none() || agrees >> call & 1 == 1;
                let with = with_call(rule, calls, run, (step, fits), &agrees);
                if some_continuation(rule, calls, &with, more - 1, keep) {
                    return true;
                }
            }
        }
    }
    false
}

/// The run with one more call.
fn with_call(
    rule: &TwinRule,
    calls: &[TwinCall],
    run: &DecidedRun,
    (step, fits): (usize, usize),
    agrees: &dyn Fn(usize) -> bool,
) -> DecidedRun {
    let n = run.len();
    let lacks = |call: usize, key: fn((&'static str, &'static str)) -> &'static str| {
        let of_run = calls.get(call).zip(rule.same);
        of_run.is_some_and(|(call, same)| value(call, key(same)) == Found::Lacking)
    };
    let extended = |values: &[bool], value: bool| [values, &[value]].concat();
    let with = |rows: &[Vec<bool>], key: fn((&'static str, &'static str)) -> &'static str| {
        let mut with: Vec<Vec<bool>> = rows
            .iter()
            .enumerate()
            .map(|(a, row)| extended(row, agrees(a) && !lacks(a, |same| same.0)))
            .collect();
        let last_row = (0..n).map(|b| agrees(b) && !lacks(b, key)).chain([true]);
        with.push(last_row.collect());
        with
    };
    DecidedRun {
        steps: [&run.steps[..], &[step]].concat(),
        activations: extended(&run.activations, fits & 1 == 1),
        targets: extended(&run.targets, fits & 2 == 2),
        with_target: with(&run.with_target, |same| same.1),
        with_activation: with(&run.with_activation, |same| same.0),
    }
}

/// True if no call can be an activation, for a rule that needs one.
pub(super) fn is_vacuous(rule: &TwinRule, calls: &[TwinCall]) -> bool {
    let without = ["never", "at_most", "at_least", "exactly", "first", "last"];
    let questions = Questions::new(rule, calls);
    let may_fit = |(arguments, results): &PlaceFit| {
        !matches!(arguments, Known::Is(false)) && !matches!(results, Known::Is(false))
    };
    !without.contains(&rule.key) && !questions.activations.iter().flatten().any(may_fit)
}
