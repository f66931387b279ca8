//! Checks on public benchmark runs whether learned expectations accept unseen good runs and reject failed ones.
//!
//! Settings of `learn` are chosen on every other task, and all ways are reported for the remaining tasks.
//!
//! `cargo test -p rightcall-run --test it learned -- --ignored --nocapture` prints the table of `docs/learning.md`. The data are not
//! part of the project; without them the test does nothing.

use std::path::{Path, PathBuf};

use rightcall::expectation::{ActualCall, ProcessTree};
use rightcall::learn::{LearnedArguments, LearningOptions, learn};
use rightcall_formats::{Limits, ReadOptions};
use rightcall_run::{
    Filter, HeldOut, Observer, Plan, Problem, Selection, Task, TaskGrouping, tasks,
};

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

#[derive(Clone, Copy, Default)]
struct Shares {
    /// Unseen good runs that were accepted.
    good: HeldOut,
    /// Failed runs that were accepted.
    failed: HeldOut,
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
            self.good.tried += 1;
            self.good.accepted += u64::from(accepts(&tree, &unseen));
            self.failed.tried += failed.len() as u64;
            self.failed.accepted += failed.iter().filter(|run| accepts(&tree, run)).count() as u64;
        }
    }

    /// The mean of the share of good runs accepted and the share of failed runs rejected.
    fn balanced(&self) -> f64 {
        let share = |it: HeldOut| it.accepted as f64 / it.tried.max(1) as f64;
        f64::midpoint(share(self.good), 1.0 - share(self.failed))
    }

    /// The cells of the table.
    fn row(&self) -> String {
        let cell = |it: HeldOut| {
            let (low, high) = it.interval();
            let [low, high] = [low, high].map(|it| (it * 100.0).round());
            format!("{} of {} ({low} to {high} %)", it.accepted, it.tried)
        };
        let rejected = HeldOut {
            accepted: self.failed.tried - self.failed.accepted,
            ..self.failed
        };
        format!(
            "{} | {} | {:.3}",
            cell(self.good),
            cell(rejected),
            self.balanced()
        )
    }
}

/// A way to make an expectation from runs.
struct Way {
    name: &'static str,
    /// The number of runs that it sees.
    most: usize,
    options: LearningOptions,
    /// True if it is one of the settings to choose from.
    is_choice: bool,
}

fn ways() -> Vec<Way> {
    use LearnedArguments::{Names, Types, Values};
    let way = |name, most, options, is_choice| Way {
        name,
        most,
        options,
        is_choice,
    };
    let open = |arguments| LearningOptions {
        open_repeats: true,
        ..of(arguments, None)
    };
    vec![
        way("one recorded run, values", 1, of(Values, None), false),
        way("one recorded run, names", 1, of(Names, None), false),
        way(
            "up to five runs as variants, values",
            99,
            of(Values, Some(5)),
            false,
        ),
        way(
            "up to five runs as variants, names",
            99,
            of(Names, Some(5)),
            false,
        ),
        way("learned, values", 99, of(Values, None), true),
        way("learned, types", 99, of(Types, None), true),
        way("learned, names", 99, of(Names, None), true),
        way("learned, values, open repeats", 99, open(Values), true),
        way("learned, types, open repeats", 99, open(Types), true),
        way("learned, names, open repeats", 99, open(Names), true),
    ]
}

#[test]
#[ignore = "a measurement over data that are no part of the project"]
#[expect(clippy::print_stdout, reason = "the table is what the test is run for")]
fn learned_expectations_beside_single_runs() {
    let ways = ways();
    // Of each way: the tasks to choose from, and the tasks to report.
    let mut shares = vec![[Shares::default(); 2]; ways.len()];
    let mut tasks = 0;
    for files in FILES {
        let files: Vec<_> = files.iter().map(|file| data().join(file)).collect();
        if files.iter().any(|file| !file.exists()) {
            continue;
        }
        let failed = runs(&files, "0.0");
        let good = runs(&files, "1.0");
        for good in good.iter().filter(|task| task.runs.len() > 1) {
            let failed = failed.iter().find(|task| task.id == good.id);
            let failed = failed.map_or(&[][..], |task| &task.runs);
            for (way, shares) in ways.iter().zip(&mut shares) {
                shares[tasks % 2].add(good, failed, &way.options, way.most);
            }
            tasks += 1;
        }
    }
    println!("{tasks} tasks");
    for half in 0..2 {
        println!(
            "| expectation from | unseen good runs accepted | failed runs rejected | mean of both shares |"
        );
        println!("| --- | --- | --- | --- |");
        for (way, shares) in ways.iter().zip(&shares) {
            println!("| {} | {} |", way.name, shares[half].row());
        }
    }
    let choices = ways.iter().zip(&shares).filter(|(way, _)| way.is_choice);
    let best = choices
        .rev()
        .max_by(|(_, one), (_, other)| one[0].balanced().total_cmp(&other[0].balanced()));
    println!("chosen: {}", best.map_or("", |(way, _)| way.name));
}

fn of(arguments: LearnedArguments, variants: Option<usize>) -> LearningOptions {
    LearningOptions {
        arguments,
        variants,
        ..LearningOptions::default()
    }
}
