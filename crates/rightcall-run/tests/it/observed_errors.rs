//! Counts the first difference of wrong runs in public benchmarks from their expectations, by the operators of `rightcall strength`.
//!
//! `cargo test -p rightcall-run --test it observed_errors -- --ignored --nocapture` prints the table of `docs/strength.md`. The data are
//! not part of the project; without them the test does nothing.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::path::Path;

use serde_json::{Map, Value};

const FILES: [&str; 2] = ["tau-bench/pairs.jsonl", "tau2-bench/pairs.jsonl"];

/// The first words of tools that change nothing.
const READING: [&str; 9] = [
    "calculate",
    "can",
    "check",
    "find",
    "get",
    "list",
    "run",
    "search",
    "think",
];

/// A call: its name, its arguments, and whether it failed.
#[derive(Clone, Debug)]
struct Call {
    name: String,
    arguments: Map<String, Value>,
    failed: bool,
}

impl Call {
    fn read(call: &Value) -> Self {
        Self {
            name: call["name"].as_str().unwrap().to_owned(),
            arguments: call["args"].as_object().cloned().unwrap_or_default(),
            failed: call.get("error").is_some_and(|error| *error != Value::Null),
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        self.name == other.name && self.arguments == other.arguments
    }

    fn changes_state(&self) -> bool {
        let first = self.name.split('_').next().unwrap_or_default();
        !READING.contains(&first)
    }
}

/// A wrong run, with its expectation.
struct WrongRun {
    expected: Vec<Call>,
    actual: Vec<Call>,
}

fn calls(list: &Value) -> Vec<Call> {
    list.as_array().unwrap().iter().map(Call::read).collect()
}

/// The wrong runs of a file, and for each tool the arguments that some expected call lacks.
fn read(file: &Path) -> (Vec<WrongRun>, BTreeMap<String, BTreeSet<String>>) {
    let text = fs::read_to_string(file).unwrap();
    let mut keys = BTreeMap::<String, Vec<BTreeSet<String>>>::new();
    let mut wrong = Vec::new();
    for line in text.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let (expected, actual) = (calls(&row["expected"]), calls(&row["actual"]));
        for call in &expected {
            let own = call.arguments.keys().cloned().collect();
            keys.entry(call.name.clone()).or_default().push(own);
        }
        if row["reward"].as_f64().unwrap() < 1.0 {
            wrong.push(WrongRun { expected, actual });
        }
    }
    let optional = keys.into_iter().map(|(name, calls)| {
        let all: BTreeSet<String> = calls.iter().flatten().cloned().collect();
        let is_lacked = |key: &String| calls.iter().any(|call| !call.contains(key));
        (name, all.into_iter().filter(is_lacked).collect())
    });
    (wrong, optional.collect())
}

type Pair<'c> = (Option<&'c Call>, Option<&'c Call>);

/// Pairs calls of equal names, as many as possible in order, and among these as many equal calls as possible.
fn paired<'c>(expected: &'c [Call], actual: &'c [Call]) -> Vec<Pair<'c>> {
    let weight = |one: &Call, other: &Call| {
        if one.name == other.name {
            1_000 + u64::from(one.is_same(other))
        } else {
            0
        }
    };
    let (rows, columns) = (expected.len(), actual.len());
    let mut best = vec![vec![0; columns + 1]; rows + 1];
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            let pair = best[row + 1][column + 1] + weight(&expected[row], &actual[column]);
            let skipped = best[row + 1][column].max(best[row][column + 1]);
            best[row][column] = pair.max(skipped);
        }
    }
    let (mut row, mut column, mut pairs) = (0, 0, Vec::new());
    while row < rows || column < columns {
        let pair = expected.get(row).zip(actual.get(column));
        let own = pair.map_or(0, |(one, other)| weight(one, other));
        if own > 0 && best[row][column] == best[row + 1][column + 1] + own {
            pairs.push((expected.get(row), actual.get(column)));
            (row, column) = (row + 1, column + 1);
        } else if row < rows && (column == columns || best[row][column] == best[row + 1][column]) {
            pairs.push((expected.get(row), None));
            row += 1;
        } else {
            pairs.push((None, actual.get(column)));
            column += 1;
        }
    }
    pairs
}

/// The operator for the first difference of a run; `None` if it has the expected calls.
fn first_difference(
    pairs: &[Pair<'_>],
    optional: &BTreeMap<String, BTreeSet<String>>,
) -> Option<&'static str> {
    let differs = |pair: &Pair<'_>| !matches!(pair, (Some(one), Some(other)) if one.is_same(other));
    let first = pairs.iter().position(differs)?;
    if let (Some(expected), Some(actual)) = pairs[first] {
        return Some(argument_difference(expected, actual, optional));
    }
    let gap = pairs[first..].iter();
    let gap: Vec<_> = gap
        .take_while(|(one, other)| one.is_none() || other.is_none())
        .collect();
    let has = |is: fn(&&Pair<'_>) -> bool| gap.iter().copied().any(|pair| is(&pair));
    Some(
        if has(|(one, _)| one.is_some()) && has(|(_, other)| other.is_some()) {
            "other-tool"
        } else {
            "call-count"
        },
    )
}

fn argument_difference(
    expected: &Call,
    actual: &Call,
    optional: &BTreeMap<String, BTreeSet<String>>,
) -> &'static str {
    let known = optional.get(&expected.name);
    for (key, value) in &expected.arguments {
        match actual.arguments.get(key) {
            None if known.is_some_and(|keys| keys.contains(key)) => {
                return "optional-argument-left-out";
            }
            None => return "required-argument-left-out",
            Some(found) if std::mem::discriminant(found) != std::mem::discriminant(value) => {
                return "argument-type";
            }
            Some(found) if found != value => return "argument-value",
            Some(_) => {}
        }
    }
    "invented-argument"
}

/// The ways of whole runs that apply to a wrong run. `writes` are its calls that change state, `expected` those that should.
fn whole_run(run: &WrongRun, expected: &[Call], writes: &[Call]) -> Vec<&'static str> {
    let text = |call: &Call| format!("{} {:?}", call.name, call.arguments);
    let mut seen = HashSet::new();
    let repeats = run.actual.iter().any(|call| !seen.insert(text(call)));
    let again = |(at, call): (usize, &Call)| {
        call.failed && run.actual[at + 1..].iter().any(|later| later.is_same(call))
    };
    let fails_again = run.actual.iter().enumerate().any(again);
    let pairs = expected.iter().zip(writes);
    let same = pairs.take_while(|(one, other)| one.is_same(other)).count();
    let ways = [
        (repeats, "step-repeated"),
        (same == expected.len() && same < writes.len(), "goes-on"),
        (same == writes.len() && same < expected.len(), "cut-off"),
        (fails_again, "failed-call-again"),
    ];
    ways.into_iter()
        .filter(|(is, _)| *is)
        .map(|(_, way)| way)
        .collect()
}

#[test]
#[ignore = "a measurement over data that are no part of the project"]
#[expect(clippy::print_stdout, reason = "the table is what the test is run for")]
fn observed_errors_by_method() {
    let mut first = BTreeMap::<&str, [usize; 2]>::new();
    let mut whole = BTreeMap::<&str, [usize; 2]>::new();
    for (at, file) in FILES.iter().enumerate() {
        let file = crate::root().join("../shared/data").join(file);
        if !file.exists() {
            return;
        }
        let (wrong, optional) = read(&file);
        for run in &wrong {
            let writes = |calls: &[Call]| -> Vec<Call> {
                let writes = calls.iter().filter(|call| call.changes_state());
                writes.cloned().collect()
            };
            let (expected, actual) = (writes(&run.expected), writes(&run.actual));
            let way = first_difference(&paired(&expected, &actual), &optional);
            first.entry(way.unwrap_or("none")).or_default()[at] += 1;
            for way in whole_run(run, &expected, &actual) {
                whole.entry(way).or_default()[at] += 1;
            }
        }
        println!("{}: {} wrong runs", FILES[at], wrong.len());
    }
    let differing: usize = first
        .iter()
        .filter(|(way, _)| **way != "none")
        .map(|(_, it)| it[0] + it[1])
        .sum();
    println!("\nfirst difference, of {differing} runs that differ");
    for (way, [tau, tau2]) in &first {
        let share = 100.0 * (tau + tau2) as f64 / differing as f64;
        println!("| `{way}` | {tau} | {tau2} | {share:.0} % |");
    }
    println!("\nwrong runs with the error somewhere");
    for (way, [tau, tau2]) in &whole {
        println!("| `{way}` | {tau} | {tau2} |");
    }
}
