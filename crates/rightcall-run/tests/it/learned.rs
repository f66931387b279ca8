//! Checks on public benchmark runs whether learned expectations accept unseen good runs and reject failed ones.
//!
//! `cargo test -p rightcall-run --test it learned -- --ignored --nocapture` prints the table of `docs/learning.md`. The data are not
//! part of the project; without them the test does nothing.

use std::path::{Path, PathBuf};

use rightcall_core::expectation::{ActualCall, ProcessTree};
use rightcall_core::learn::{LearnedArguments, LearningOptions, learn};
use rightcall_formats::{Limits, ReadOptions};
use rightcall_run::{Filter, Observer, Plan, Problem, Selection, Task, TaskGrouping, tasks};

/// Files with several runs of each task, by one or more models.
const FILES: [&[&str]; 3] = [
    &[
        "tau2-bench/gpt-4.1_airline.json",
        "tau2-bench/azure-gpt-4o_airline.json.gz",
        "tau2-bench/qwen2.5-7b_airline.json.gz",
    ],
    &[
        "tau-bench/fork-assertions-a-retail.json.gz",
        "tau-bench/fork-tool-calling-retail.json.gz",
    ],
    &["tau-bench/gpt-4o-airline.tasks-00-34.json"],
];

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data")
}

/// The runs of each task with this reward.
fn runs(files: &[PathBuf], reward: &str) -> Vec<Task> {
    let selection = Selection {
        only: Filter {
            meta: vec![("reward".to_owned(), vec![reward.to_owned()])],
            ..Filter::default()
        },
        ..Selection::default()
    };
    let plan = Plan {
        selection,
        ..Plan::new(files.to_vec(), ReadOptions::default(), Limits::default())
    };
    let found = tasks(&plan, TaskGrouping::default(), &mut Quiet);
    found.expect("the file is read").tasks
}

/// Records that cannot be parsed are skipped.
struct Quiet;

impl Observer for Quiet {
    fn problem(&mut self, _: &Problem) {}
}

#[derive(Default)]
struct Shares {
    /// Unseen good runs: accepted, and tried.
    good: (u64, u64),
    /// Failed runs: rejected, and tried.
    failed: (u64, u64),
}

fn accepts(tree: &ProcessTree, run: &[ActualCall<'static>]) -> bool {
    tree.align(run).is_ok_and(|alignment| alignment.cost == 0)
}

impl Shares {
    /// Leaves out each good run in turn, learns from the others, and tests that run and the failed runs.
    fn add(
        &mut self,
        good: &Task,
        failed: &[Vec<ActualCall<'static>>],
        options: &LearningOptions,
        most: usize,
    ) {
        for left in 0..good.runs.len() {
            let mut seen = good.runs.clone();
            let unseen = seen.remove(left);
            seen.truncate(most);
            let Ok(learned) = learn(&seen, options) else {
                continue;
            };
            let tree = ProcessTree::read(learned.json.as_str()).expect("what was learned is read");
            self.good.0 += u64::from(accepts(&tree, &unseen));
            self.good.1 += 1;
            self.failed.0 += failed.iter().filter(|run| !accepts(&tree, run)).count() as u64;
            self.failed.1 += failed.len() as u64;
        }
    }

    fn balanced(&self) -> f64 {
        let share = |(some, all): (u64, u64)| some as f64 / all.max(1) as f64;
        f64::midpoint(share(self.good), share(self.failed))
    }
}

#[test]
#[ignore = "a measurement over data that are no part of the project"]
#[expect(clippy::print_stdout, reason = "the table is what the test is run for")]
fn learned_expectations_beside_single_runs() {
    let ways: [(&str, usize, LearningOptions); 6] = [
        ("one recorded run, values", 1, LearningOptions::default()),
        (
            "one recorded run, names",
            1,
            of(LearnedArguments::Names, None),
        ),
        (
            "variants 5, values",
            99,
            of(LearnedArguments::Values, Some(5)),
        ),
        (
            "variants 5, names",
            99,
            of(LearnedArguments::Names, Some(5)),
        ),
        ("learned, values", 99, LearningOptions::default()),
        ("learned, names", 99, of(LearnedArguments::Names, None)),
    ];
    let mut shares: Vec<Shares> = ways.iter().map(|_| Shares::default()).collect();
    let mut tasks = 0;
    for files in FILES {
        let files: Vec<_> = files.iter().map(|file| data().join(file)).collect();
        if files.iter().any(|file| !file.exists()) {
            continue;
        }
        let failed = runs(&files, "0.0");
        for good in runs(&files, "1.0")
            .iter()
            .filter(|task| task.runs.len() > 1)
        {
            tasks += 1;
            let failed = failed.iter().find(|task| task.id == good.id);
            let failed = failed.map_or(&[][..], |task| &task.runs);
            for ((_, most, options), shares) in ways.iter().zip(&mut shares) {
                shares.add(good, failed, options, *most);
            }
        }
    }
    println!("{tasks} tasks");
    println!("| expectation from | unseen good runs accepted | failed runs rejected | balanced |");
    println!("| --- | --- | --- | --- |");
    for ((name, ..), shares) in ways.iter().zip(&shares) {
        let Shares { good, failed } = shares;
        println!(
            "| {name} | {} of {} | {} of {} | {:.3} |",
            good.0,
            good.1,
            failed.0,
            failed.1,
            shares.balanced()
        );
    }
}

fn of(arguments: LearnedArguments, variants: Option<usize>) -> LearningOptions {
    LearningOptions {
        arguments,
        variants,
        ..LearningOptions::default()
    }
}
