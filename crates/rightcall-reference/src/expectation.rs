//! A reference for expectations in blocks: lists the whole language run by run, and aligns every run with the actual calls, under every
//! assignment of the variables.

mod check;
mod generate;
mod matching;

use std::collections::BTreeSet;

use rightcall_core::value::{Syntax, Value, decode_with};

pub use generate::{ExpectationCase, generate};
use matching::{Assigned, Demand, demands};

/// The maximum number of runs listed.
const MAX_RUNS: usize = 4_000;
/// The maximum number of assignments tried.
const MAX_ASSIGNMENTS: usize = 300;

/// The nearest run: its cost, full pairs, leaves, and the reported pairs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nearest {
    /// The cost.
    pub cost: usize,
    /// Full pairs.
    pub full: usize,
    /// The leaves.
    pub run: Vec<usize>,
    /// Each with true if it is full.
    pub pairs: Vec<(usize, usize, bool)>,
    /// The values of the variables as JSON; `None` if unbound.
    pub variables: Vec<(String, Option<String>)>,
    /// The cost so far, if the run continues.
    pub prefix_cost: usize,
}

type Runs = BTreeSet<Vec<usize>>;

/// Lists the language of elements, up to a length. Leaves are numbered in order.
struct Language {
    leaves: Vec<Demand>,
    longest: usize,
}

impl Language {
    fn sequence(&mut self, value: &Value<'_>) -> Option<Runs> {
        let elements = match value {
            Value::List(elements) => elements.as_slice(),
            other => std::slice::from_ref(other),
        };
        let mut runs = Runs::from([Vec::new()]);
        for element in elements {
            let next = self.element(element)?;
            runs = self.joined(&runs, &next)?;
        }
        Some(runs)
    }

    fn element(&mut self, element: &Value<'_>) -> Option<Runs> {
        if element.as_text().is_some() || element.as_object()?.get_str("name").is_some() {
            self.leaves.push(Demand::of(element));
            return Some(Runs::from([vec![self.leaves.len() - 1]]));
        }
        let block = element.as_object()?;
        let branches = |language: &mut Self, value: &Value<'_>| match value {
            Value::List(items) => items.iter().map(|item| language.sequence(item)).collect(),
            other => Some(vec![language.sequence(other)?]),
        };
        if let Some(inner) = block.get_str("sequence") {
            return self.sequence(inner);
        }
        if let Some(inner) = block.get_str("optional") {
            let mut runs = self.sequence(inner)?;
            runs.insert(Vec::new());
            return Some(runs);
        }
        if let Some(inner) = block.get_str("one_of") {
            let branches: Vec<Runs> = branches(self, inner)?;
            return Some(branches.into_iter().flatten().collect());
        }
        if let Some(inner) = block.get_str("any_order") {
            let branches: Vec<Runs> = branches(self, inner)?;
            let mut runs = Runs::from([Vec::new()]);
            for branch in branches {
                runs = self.shuffled(&runs, &branch)?;
            }
            return Some(runs);
        }
        let round = self.sequence(block.get_str("repeat")?)?;
        let number = |key: &str| {
            block
                .get_str(key)
                .and_then(Value::as_f64)
                .map(|it| it as usize)
        };
        let (min, max) = (
            number("min").unwrap_or(1),
            number("max").unwrap_or(usize::MAX),
        );
        let mut runs = Runs::new();
        let mut so_far = Runs::from([Vec::new()]);
        for rounds in 0..=max.min(min + self.longest) {
            if rounds >= min {
                runs.extend(so_far.iter().cloned());
            }
            so_far = self.joined(&so_far, &round)?;
        }
        (runs.len() <= MAX_RUNS).then_some(runs)
    }

    fn joined(&self, first: &Runs, second: &Runs) -> Option<Runs> {
        let mut runs = Runs::new();
        for one in first {
            for other in second
                .iter()
                .filter(|other| one.len() + other.len() <= self.longest)
            {
                runs.insert([one.as_slice(), other].concat());
            }
        }
        (runs.len() <= MAX_RUNS).then_some(runs)
    }

    fn shuffled(&self, first: &Runs, second: &Runs) -> Option<Runs> {
        let mut runs = Runs::new();
        for one in first {
            for other in second
                .iter()
                .filter(|other| one.len() + other.len() <= self.longest)
            {
                shuffle(one, other, &mut Vec::new(), &mut runs);
                if runs.len() > MAX_RUNS {
                    return None;
                }
            }
        }
        Some(runs)
    }
}

fn shuffle(one: &[usize], other: &[usize], before: &mut Vec<usize>, runs: &mut Runs) {
    if one.is_empty() || other.is_empty() {
        runs.insert([before.as_slice(), one, other].concat());
        return;
    }
    before.push(one[0]);
    shuffle(&one[1..], other, before, runs);
    before.pop();
    before.push(other[0]);
    shuffle(one, &other[1..], before, runs);
    before.pop();
}

/// The nearest run; `None` if the language is too large to list.
pub fn nearest(expected: &str, actual: &str) -> Option<Nearest> {
    let expected = decode_with(expected, Syntax::PYTHON).ok()?;
    let actual = decode_with(actual, Syntax::PYTHON).ok()?;
    let actual: Vec<Demand> = actual.as_list()?.iter().map(Demand::of).collect();
    let leaf_count = count(&expected);
    let mut language = Language {
        leaves: Vec::new(),
        longest: 2 * actual.len() + leaf_count,
    };
    let runs = language.sequence(&expected)?;
    let leaves = language.leaves;
    let assignments = demands::assignments(&leaves, &actual, MAX_ASSIGNMENTS)?;
    let mut best: Option<(Key, Nearest)> = None;
    let mut prefix_cost = usize::MAX;
    for (number, assigned) in assignments.iter().enumerate() {
        for run in &runs {
            prefix_cost = prefix_cost.min(prefix(run, &leaves, &actual, assigned));
            let table = aligned(run, &leaves, &actual, assigned, false);
            let (cost, not_full) = table[0][0];
            let key = (cost, not_full, run.len(), run.clone(), number);
            if best.as_ref().is_none_or(|(known, _)| key < *known) {
                let pairs = pairs(run, &leaves, &actual, assigned, &table);
                let nearest = Nearest {
                    cost,
                    full: pairs.iter().filter(|pair| pair.2).count(),
                    run: run.clone(),
                    pairs,
                    variables: assigned.written(),
                    prefix_cost: 0,
                };
                best = Some((key, nearest));
            }
        }
    }
    best.map(|(_, nearest)| Nearest {
        prefix_cost,
        ..nearest
    })
}

type Key = (usize, usize, usize, Vec<usize>, usize);

fn count(value: &Value<'_>) -> usize {
    match value {
        Value::List(items) => items.iter().map(count).sum(),
        Value::String(_) => 1,
        Value::Object(object) if object.get_str("name").is_some() => 1,
        Value::Object(object) => {
            let min = object.get_str("min").and_then(Value::as_f64).unwrap_or(1.0) as usize;
            let inner = object
                .iter()
                .filter(|(key, _)| *key != "min" && *key != "max");
            min.max(1) * inner.map(|(_, value)| count(value)).sum::<usize>()
        }
        _ => 0,
    }
}

/// For each position in the run and in the actual calls: the cost of the remainders, and the number of actual calls in them that aren't
/// fully paired.
fn aligned(
    run: &[usize],
    leaves: &[Demand],
    actual: &[Demand],
    assigned: &Assigned,
    goes_on: bool,
) -> Vec<Vec<(usize, usize)>> {
    let mut table = vec![vec![(0, 0); actual.len() + 1]; run.len() + 1];
    for at in (0..=run.len()).rev() {
        for call in (0..=actual.len()).rev() {
            if at == run.len() && call == actual.len() {
                continue;
            }
            let mut ways = Vec::new();
            if at < run.len() {
                let (cost, not_full) = table[at + 1][call];
                ways.push((cost + 1, not_full));
            }
            if call < actual.len() {
                let (cost, not_full) = table[at][call + 1];
                ways.push((cost + 1, not_full + 1));
            }
            if at < run.len() && call < actual.len() && leaves[run[at]].name == actual[call].name {
                let (cost, not_full) = table[at + 1][call + 1];
                let waits = goes_on && call + 1 == actual.len();
                let off = usize::from(!leaves[run[at]].holds(&actual[call], assigned, waits));
                ways.push((cost + off, not_full + off));
            }
            table[at][call] = ways.into_iter().min().unwrap_or_default();
        }
    }
    table
}

/// The minimum cost over all prefixes of a run, which may still continue.
fn prefix(run: &[usize], leaves: &[Demand], actual: &[Demand], assigned: &Assigned) -> usize {
    (0..=run.len())
        .map(|end| aligned(&run[..end], leaves, actual, assigned, true)[0][0].0)
        .min()
        .unwrap_or_default()
}

fn pairs(
    run: &[usize],
    leaves: &[Demand],
    actual: &[Demand],
    assigned: &Assigned,
    table: &[Vec<(usize, usize)>],
) -> Vec<(usize, usize, bool)> {
    let (mut at, mut call) = (0, 0);
    let mut pairs = Vec::new();
    while at < run.len() && call < actual.len() {
        let leaf = &leaves[run[at]];
        let full = leaf.holds(&actual[call], assigned, false);
        let (cost, not_full) = table[at + 1][call + 1];
        let off = usize::from(!full);
        if leaf.name == actual[call].name && table[at][call] == (cost + off, not_full + off) {
            pairs.push((at, call, full));
            (at, call) = (at + 1, call + 1);
        } else if table[at][call] == (table[at + 1][call].0 + 1, table[at + 1][call].1) {
            at += 1;
        } else {
            call += 1;
        }
    }
    pairs
}
