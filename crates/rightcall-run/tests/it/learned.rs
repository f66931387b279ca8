//! Checks on public benchmark runs whether learned expectations accept unseen good runs and reject failed ones.
//!
//! `cargo test -p rightcall-run --test it learned -- --ignored --nocapture` prints the table of `docs/learning.md`. The data are not
//! part of the project; without them the test does nothing.

use std::path::{Path, PathBuf};

use rightcall_core::expectation::{ActualCall, ProcessTree};
use rightcall_core::learn::{LearnedArguments, LearningOptions, Runs as _, learn};
use rightcall_formats::{Limits, ReadOptions};
use rightcall_run::{Filter, Observer, Plan, Problem, Selection, Task, TaskGrouping, tasks};
use rightcall_stats::bootstrap;

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

/// The runs of a task, in memory.
fn calls(task: &Task) -> Vec<Vec<ActualCall<'static>>> {
    let owned = |run: &[ActualCall<'_>]| run.iter().map(|call| call.clone().into_owned()).collect();
    let run = |number| task.runs.with_run(number, owned);
    let runs = (0..task.runs.count()).map(run);
    runs.collect::<Result<_, _>>().expect("a run is read again")
}

/// Records that cannot be parsed are skipped.
struct Quiet;

impl Observer for Quiet {
    fn problem(&mut self, _: &Problem) {}
}

/// The runs of one task.
#[derive(Clone, Copy, Default)]
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
    fn of(
        good: &[Vec<ActualCall<'static>>],
        failed: &[Vec<ActualCall<'static>>],
        way: &Way,
    ) -> Self {
        let mut shares = Self::default();
        for left in 0..good.len() {
            let mut seen = good.to_vec();
            let unseen = seen.remove(left);
            seen.truncate(way.most);
            let Ok(learned) = learn(&seen, &way.options) else {
                continue;
            };
            let tree = ProcessTree::read(learned.json.as_str()).expect("what was learned is read");
            shares.good.0 += u64::from(accepts(&tree, &unseen));
            shares.good.1 += 1;
            shares.failed.0 += failed.iter().filter(|run| !accepts(&tree, run)).count() as u64;
            shares.failed.1 += failed.len() as u64;
        }
        shares
    }

    /// The sum over tasks.
    fn sum<'s>(tasks: impl Iterator<Item = &'s Self>) -> Self {
        let add = |one: (u64, u64), other: (u64, u64)| (one.0 + other.0, one.1 + other.1);
        tasks.fold(Self::default(), |sum, task| Self {
            good: add(sum.good, task.good),
            failed: add(sum.failed, task.failed),
        })
    }

    /// The mean of both shares; `None` if one has no runs.
    fn balanced(self) -> Option<f64> {
        let share = |(some, all): (u64, u64)| (all > 0).then(|| some as f64 / all as f64);
        Some(f64::midpoint(share(self.good)?, share(self.failed)?))
    }
}

/// A way to get an expectation from runs.
struct Way {
    name: String,
    /// Number of runs that are used.
    most: usize,
    options: LearningOptions,
}

/// One recorded run, variants, and learned expectations, each for every level of arguments.
fn ways() -> Vec<Way> {
    let kinds = [
        ("one recorded run", 1, None, false),
        ("up to five runs as variants", 99, Some(5), false),
        ("learned", 99, None, false),
        ("learned, open repeats", 99, None, true),
    ];
    let levels = [
        ("values", LearnedArguments::Values),
        ("types", LearnedArguments::Types),
        ("names", LearnedArguments::Names),
    ];
    let way = |(kind, most, variants, open_repeats), (level, arguments)| Way {
        name: format!("{kind}, {level}"),
        most,
        options: LearningOptions {
            arguments,
            variants,
            open_repeats,
            ..LearningOptions::default()
        },
    };
    let of_kind = |kind| levels.map(|level| way(kind, level));
    kinds.into_iter().flat_map(of_kind).collect()
}

/// The shares of each task, for each way.
fn measured(ways: &[Way]) -> Vec<Vec<Shares>> {
    let mut measured = Vec::new();
    for files in FILES {
        let files: Vec<_> = files.iter().map(|file| data().join(file)).collect();
        if files.iter().any(|file| !file.exists()) {
            continue;
        }
        let failed = runs(&files, "0.0");
        let good = runs(&files, "1.0");
        for good in good.iter().filter(|task| task.runs.count() > 1) {
            let failed = failed.iter().find(|task| task.id == good.id);
            let failed = failed.map_or_else(Vec::new, calls);
            let good = calls(good);
            measured.push(
                ways.iter()
                    .map(|way| Shares::of(&good, &failed, way))
                    .collect(),
            );
        }
    }
    measured
}

/// Prints the table over these tasks, with 95 % intervals by resampling tasks.
#[expect(clippy::print_stdout, reason = "the table is what the test is run for")]
fn print_table(title: &str, ways: &[Way], tasks: &[&Vec<Shares>]) {
    println!("\n{title}: {} tasks\n", tasks.len());
    println!(
        "| expectation from | unseen good runs accepted | failed runs rejected | mean of both shares |"
    );
    println!("| --- | --- | --- | --- |");
    for (at, way) in ways.iter().enumerate() {
        let of = |drawn: &[usize]| Shares::sum(drawn.iter().map(|task| &tasks[*task][at]));
        let all: Vec<usize> = (0..tasks.len()).collect();
        let Shares { good, failed } = of(&all);
        let mean = bootstrap(tasks.len(), 0.95, |drawn| of(drawn).balanced());
        let mean = mean.map_or_else(String::new, |it| {
            format!("{:.3} ({:.3} to {:.3})", it.estimate, it.low, it.high)
        });
        let (name, good, failed) = (
            &way.name,
            format!("{} of {}", good.0, good.1),
            format!("{} of {}", failed.0, failed.1),
        );
        println!("| {name} | {good} | {failed} | {mean} |");
    }
}

/// Every second task is for choosing a way; the others are for the report.
#[test]
#[ignore = "a measurement over data that are no part of the project"]
#[expect(clippy::print_stdout, reason = "the table is what the test is run for")]
fn learned_expectations_compared_with_single_runs() {
    let ways = ways();
    let measured = measured(&ways);
    let half = |rest: usize| measured.iter().skip(rest).step_by(2).collect::<Vec<_>>();
    let (choosing, held_out) = (half(0), half(1));
    print_table("all", &ways, &measured.iter().collect::<Vec<_>>());
    print_table("for the choice", &ways, &choosing);
    print_table("held out", &ways, &held_out);
    // The best level of each kind in the first half, and how far the last is above the others in the second.
    let of = |tasks: &[&Vec<Shares>], way: usize| {
        Shares::sum(tasks.iter().map(|task| &task[way]))
            .balanced()
            .unwrap_or(0.0)
    };
    let best = |from: usize, to: usize| {
        let better =
            |one: &usize, other: &usize| of(&choosing, *one).total_cmp(&of(&choosing, *other));
        (from..to).max_by(better)
    };
    let (Some(single), Some(variants), Some(learned)) =
        (best(0, 3), best(3, 6), best(6, ways.len()))
    else {
        return;
    };
    for other in [single, variants] {
        let gain = |drawn: &[usize]| {
            let of =
                |way: usize| Shares::sum(drawn.iter().map(|task| &held_out[*task][way])).balanced();
            Some(of(learned)? - of(other)?)
        };
        let (learned, other) = (&ways[learned].name, &ways[other].name);
        match bootstrap(held_out.len(), 0.95, gain) {
            Some(it) => println!(
                "\n{learned} above {other}: {:+.3} ({:+.3} to {:+.3})",
                it.estimate, it.low, it.high
            ),
            None => println!("\n{learned} and {other}: too few runs"),
        }
    }
}
