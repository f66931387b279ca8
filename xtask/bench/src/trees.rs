//! Expectations in blocks (names only), with runs that nearly satisfy them. Optimal alignments are measured on these.

use std::error::Error;
use std::io::{self, Write};

use rightcall_core::expectation::ActualCall;
use rightcall_core::learn::{LearningOptions, learn};
use rightcall_core::value::Text;

use crate::random::Random;

/// The kind of trees in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum TreeShape {
    /// 5 to 15 leaves under all kinds of blocks, with runs of 5 to 30 calls.
    Mixed,
    /// 20 parallel calls, with a run of the same calls in another order.
    ParallelCalls,
    /// Three branches of ten parallel calls each, with a run that mixes them.
    ParallelBranches,
    /// 2,000 calls in sequence, with a run of 2,000 random calls with the same names.
    Sequence,
}

const NAMES: [&str; 8] = [
    "find", "look", "pay", "refund", "mail", "note", "close", "book",
];

/// Writes cases, one a line: `expected`, a list of elements, and `actual`, a list of names.
///
/// # Errors
/// An error of the writer.
pub fn write_trees(shape: TreeShape, cases: usize, out: &mut dyn Write) -> io::Result<()> {
    let mut random = Random::new(24);
    for _ in 0..cases {
        let (expected, run) = match shape {
            TreeShape::Mixed => mixed(&mut random),
            TreeShape::ParallelCalls => parallel_calls(&mut random),
            TreeShape::ParallelBranches => parallel_branches(&mut random),
            TreeShape::Sequence => sequence(&mut random),
        };
        let run = serde_json::Value::from(run);
        writeln!(out, r#"{{"expected":{expected},"actual":{run}}}"#)?;
    }
    Ok(())
}

/// Writes logs of generated trees, one a line: `runs`, lists of names, and `expected`, the elements that we learn from them.
///
/// # Errors
/// An error of the writer, or of a log that nothing is learned from.
pub fn write_logs(logs: usize, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let mut random = Random::new(46);
    for _ in 0..logs {
        let leaves = random.between(2, 12);
        let tree = Tree::of_leaves(leaves, &mut random);
        let count = random.between(5, 50);
        let mut run = || {
            let mut run = Names::new();
            tree.accepted(&mut random, &mut run);
            run
        };
        let runs: Vec<Names> = (0..count).map(|_| run()).collect();
        let calls: Vec<_> = runs.iter().map(|run| run_of(run)).collect();
        let expected = learn(&calls, &LearningOptions::default())?.json;
        let (expected, runs) = (expected.as_str(), serde_json::json!(runs));
        writeln!(out, r#"{{"expected":{expected},"runs":{runs}}}"#)?;
    }
    Ok(())
}

/// Calls without arguments.
pub fn run_of(names: &[String]) -> Vec<ActualCall<'_>> {
    let call = |name| ActualCall::new(Text::new(name), None, None);
    names.iter().map(|name| call(name)).collect()
}

type Names = Vec<String>;

fn parallel_calls(random: &mut Random) -> (String, Names) {
    let mut names: Names = (0..20).map(|number| format!("tool_{number}")).collect();
    let expected = format!("[{{\"any_order\":{}}}]", serde_json::json!(names));
    random.shuffle(&mut names);
    (expected, names)
}

fn parallel_branches(random: &mut Random) -> (String, Names) {
    let branch = |_| (0..10).map(|_| random.choose(&NAMES).to_owned()).collect();
    let mut branches: Vec<Names> = (0..3).map(branch).collect();
    let expected = format!("[{{\"any_order\":{}}}]", serde_json::json!(branches));
    let mut run = Names::new();
    while !branches.is_empty() {
        let next = random.between(0, branches.len() - 1);
        run.push(branches[next].remove(0));
        branches.retain(|branch| !branch.is_empty());
    }
    (expected, run)
}

fn sequence(random: &mut Random) -> (String, Names) {
    let mut names = || -> Names {
        (0..2_000)
            .map(|_| random.choose(&NAMES).to_owned())
            .collect()
    };
    (serde_json::json!(names()).to_string(), names())
}

fn mixed(random: &mut Random) -> (String, Names) {
    let leaves = random.between(5, 15);
    let tree = Tree::of_leaves(leaves, random);
    let mut run = Names::new();
    tree.accepted(random, &mut run);
    disturb(&mut run, random);
    let length = random.between(5, 30);
    run.truncate(length);
    while run.len() < 5 {
        run.push(random.choose(&NAMES).to_owned());
    }
    (format!("[{}]", tree.text()), run)
}

/// Removes, repeats, replaces and swaps some calls; half of the runs are left unchanged.
fn disturb(run: &mut Names, random: &mut Random) {
    if random.percent(50) {
        return;
    }
    for _ in 0..random.between(1, 4) {
        let place = random.between(0, run.len());
        match random.between(0, 3) {
            0 if place < run.len() => drop(run.remove(place)),
            1 if place < run.len() => random.choose(&NAMES).clone_into(&mut run[place]),
            2 if place + 1 < run.len() => run.swap(place, place + 1),
            _ => run.insert(place, random.choose(&NAMES).to_owned()),
        }
    }
}

enum Tree {
    Leaf(&'static str),
    Block(&'static str, Vec<Tree>),
}

impl Tree {
    fn of_leaves(leaves: usize, random: &mut Random) -> Self {
        if leaves == 1 {
            return Self::Leaf(random.choose(&NAMES));
        }
        let kinds = ["sequence", "sequence", "any_order", "one_of"];
        let kind = match random.between(0, 9) {
            8 => return Self::Block("optional", vec![Self::of_leaves(leaves - 1, random)]),
            9 => return Self::Block("repeat", vec![Self::of_leaves(leaves - 1, random)]),
            _ => random.choose(&kinds),
        };
        let mut left = leaves;
        let mut children = Vec::new();
        while left > 0 {
            let part = random.between(1, left.min(leaves - 1));
            children.push(Self::of_leaves(part, random));
            left -= part;
        }
        Self::Block(kind, children)
    }

    fn text(&self) -> String {
        match self {
            Self::Leaf(name) => format!("\"{name}\""),
            Self::Block(kind, children) => {
                let children: Vec<_> = children.iter().map(Self::text).collect();
                format!("{{\"{kind}\":[{}]}}", children.join(","))
            }
        }
    }

    /// Appends one of the runs that the tree accepts.
    fn accepted(&self, random: &mut Random, run: &mut Names) {
        match self {
            Self::Leaf(name) => run.push((*name).to_owned()),
            Self::Block("one_of", children) => {
                let taken = random.between(0, children.len() - 1);
                children[taken].accepted(random, run);
            }
            Self::Block("optional", _) if random.percent(50) => {}
            Self::Block("any_order", children) => {
                let mut order: Vec<usize> = (0..children.len()).collect();
                random.shuffle(&mut order);
                order
                    .iter()
                    .for_each(|&child| children[child].accepted(random, run));
            }
            Self::Block(kind, children) => {
                let rounds = if *kind == "repeat" {
                    random.between(1, 3)
                } else {
                    1
                };
                for _ in 0..rounds {
                    children
                        .iter()
                        .for_each(|child| child.accepted(random, run));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rightcall_core::expectation::ProcessTree;

    use super::*;

    #[test]
    fn all_trees_are_expectations_with_runs_of_the_stated_length() {
        let mut text = Vec::new();
        write_trees(TreeShape::Mixed, 200, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        for line in text.lines() {
            let case: serde_json::Value = serde_json::from_str(line).unwrap();
            assert!(
                ProcessTree::read(&case["expected"].to_string()).is_ok(),
                "{line}"
            );
            assert!((5..=30).contains(&case["actual"].as_array().unwrap().len()));
        }
        assert_eq!(text.lines().count(), 200);
    }
}
