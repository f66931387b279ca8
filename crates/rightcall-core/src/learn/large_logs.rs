//! Learning from larger generated logs: every run is accepted.
//!
//! `cargo test -p rightcall-core --release large_logs -- --ignored --nocapture` also runs the long ones.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::*;
use crate::expectation::ActualCall;
use crate::value::{Text, decode};

/// Numbers from a seed: splitmix64.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % end as u64) as usize
    }
}

/// A generated tree.
enum Tree {
    Call(String),
    Sequence(Vec<Tree>),
    AnyOrder(Vec<Tree>),
    OneOf(Vec<Tree>),
    Optional(Box<Tree>),
    Repeat(Box<Tree>),
}

impl Tree {
    /// A tree with this number of calls. Some names occur more than once.
    fn grown(leaves: usize, random: &mut Random) -> Self {
        if random.below(6) == 0 {
            let inner = Box::new(Self::block(leaves, random));
            return match random.below(2) {
                0 => Self::Optional(inner),
                _ => Self::Repeat(inner),
            };
        }
        Self::block(leaves, random)
    }

    fn block(leaves: usize, random: &mut Random) -> Self {
        if leaves == 1 {
            return Self::Call(format!("tool_{}", random.below(30)));
        }
        let mut left = leaves;
        let mut children = Vec::new();
        while left > 0 {
            let most = left.min(leaves - 1);
            let taken = 1 + random.below(most);
            children.push(Self::grown(taken, random));
            left -= taken;
        }
        match random.below(4) {
            0 => Self::AnyOrder(children),
            1 => Self::OneOf(children),
            _ => Self::Sequence(children),
        }
    }

    /// The names of an accepted run.
    fn run(&self, random: &mut Random) -> Vec<String> {
        match self {
            Self::Call(name) => vec![name.clone()],
            Self::Sequence(children) => children.iter().flat_map(|it| it.run(random)).collect(),
            Self::OneOf(children) => children[random.below(children.len())].run(random),
            Self::Optional(child) => match random.below(2) {
                0 => Vec::new(),
                _ => child.run(random),
            },
            Self::Repeat(child) => {
                let rounds = 1 + random.below(3);
                (0..rounds).flat_map(|_| child.run(random)).collect()
            }
            Self::AnyOrder(children) => {
                let mut parts: Vec<_> = children.iter().map(|it| it.run(random)).collect();
                let mut run = Vec::new();
                parts.retain(|part| !part.is_empty());
                while !parts.is_empty() {
                    let next = random.below(parts.len());
                    run.push(parts[next].remove(0));
                    parts.retain(|part| !part.is_empty());
                }
                run
            }
        }
    }
}

/// The calls of a run. Arguments have constants, choices, ids and numbers; outputs an id that later calls may take.
fn with_arguments(names: Vec<String>, random: &mut Random) -> Vec<ActualCall<'static>> {
    let ids = [random.below(5), random.below(5)];
    let call = |name: String| {
        let mut args = r#"{"fixed":true"#.to_owned();
        _ = write!(
            args,
            r#","kind":"k{}","id":{}"#,
            random.below(3),
            ids[random.below(2)]
        );
        if random.below(2) == 0 {
            _ = write!(args, r#","order":"ord_{}""#, random.below(1_000));
        }
        args += "}";
        let output = format!(r#"{{"id":{},"at":{}}}"#, ids[0], random.below(100));
        let args = decode(&args).unwrap().into_owned();
        ActualCall::new(Text::from(name), Some(args), Some(&output)).into_owned()
    };
    names.into_iter().map(call).collect()
}

/// Learns from this number of logs, and returns the number of runs.
fn check(logs: u64, arguments: LearnedArguments) -> usize {
    let options = LearningOptions {
        arguments,
        ..LearningOptions::default()
    };
    let mut all = 0;
    for seed in 0..logs {
        let random = &mut Random(seed);
        let leaves = 1 + random.below(20);
        let tree = Tree::grown(leaves, random);
        let count = 5 + random.below(196);
        let mut run = |_| with_arguments(tree.run(random), random);
        let runs: Vec<_> = (0..count).map(&mut run).collect();
        let learned = learn(&runs, &options).unwrap_or_else(|error| panic!("{seed}: {error}"));
        assert!(
            learned.rejected.is_empty(),
            "{seed}: {}",
            learned.json.as_str()
        );
        check_ways(&learned, &runs);
        all += count;
    }
    all
}

/// Checks that each run takes the way that a search finds.
fn check_ways(learned: &LearnedExpectation, runs: &[Vec<ActualCall<'_>>]) {
    let tree = ProcessTree::read(learned.json.as_str()).unwrap();
    let mut searched = BTreeMap::<Vec<u32>, Vec<usize>>::new();
    for (number, run) in runs.iter().enumerate() {
        let way = tree.align(run).unwrap().run;
        searched.entry(way).or_default().push(number);
    }
    assert_eq!(learned.ways, searched.into_iter().collect::<Vec<_>>());
}

#[test]
fn all_runs_of_some_large_logs_are_accepted() {
    check(8, LearnedArguments::Values);
}

#[test]
#[ignore = "takes a minute"]
#[expect(clippy::print_stdout, reason = "the number is a result of the test")]
fn all_runs_of_five_hundred_large_logs_are_accepted() {
    for arguments in [LearnedArguments::Names, LearnedArguments::Values] {
        println!("{arguments:?}: {} runs accepted", check(500, arguments));
    }
}

/// 100,000 runs of 20 calls of a tree with 40 leaves. Measure the time from outside: the test has
/// no clock.
#[test]
#[ignore = "a measurement"]
#[expect(
    clippy::print_stdout,
    reason = "the numbers are the results of the test"
)]
fn measure_a_hundred_thousand_runs() {
    let random = &mut Random(7);
    let tool = |number: usize| Tree::Call(format!("tool_{number}"));
    let block =
        |first: usize, kind: fn(Vec<Tree>) -> Tree| kind(vec![tool(first), tool(first + 1)]);
    let tree = Tree::Sequence(vec![
        Tree::Sequence((0..8).map(tool).collect()),
        block(8, Tree::AnyOrder),
        block(10, Tree::OneOf),
        Tree::Optional(Box::new(tool(12))),
        block(13, Tree::AnyOrder),
        Tree::Repeat(Box::new(tool(15))),
        block(16, Tree::OneOf),
        Tree::Sequence((18..22).map(tool).collect()),
        Tree::Optional(Box::new(tool(22))),
    ]);
    let mut run = |_| with_arguments(tree.run(random), random);
    let runs: Vec<_> = (0..100_000).map(&mut run).collect();
    let calls: usize = runs.iter().map(Vec::len).sum();
    println!("{calls} calls");
    let learned = learn(&runs, &LearningOptions::default()).unwrap();
    assert!(learned.rejected.is_empty());
    println!(
        "{} different ways, {}",
        learned.ways.len(),
        learned.json.as_str()
    );
    let forms = learned.tightenings(&runs).unwrap().into_iter();
    let forms: Vec<_> = forms.map(|it| (it.form, it.rejected.len())).collect();
    println!("{forms:?}");
}
