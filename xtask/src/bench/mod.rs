//! `cargo xtask bench` and `cargo xtask bench-peers`: our speed, the speed of other packages, and changes.
//!
//! Figures are CPU times, which other programs disturb less than wall times. They are reported as ratios within one run, which are
//! comparable across machines. All jobs on one input run in turn, short ones several times; this is repeated, and the median counts. Inputs
//! and raw results stay in `.bench`, which is not committed.

mod baseline;
mod comparisons;
mod goals;
mod instructions;
mod job;
mod machine;
mod markdown;
mod measure;
mod packages;
mod page;
mod plan;
mod record;
mod trees;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use self::baseline::{Baseline, COUNT_NOISE, TIME_NOISE, compare};
use self::job::{Job, Program, Workshop};
use self::machine::Machine;
use self::plan::{BY_THE_CLOCK, PARSE, PARTS, Part, in_turn};
use self::record::{Median, PartResults};
use crate::alignments::Aligner;
use crate::files::write;
use crate::peers::Peers;
use crate::process::project_root;
use crate::say;

type Figures = BTreeMap<String, f64>;

/// The number of rounds for each whole process.
const REPETITIONS: usize = 5;

/// Jobs shorter than this, in seconds, run several times in a round. In a single run, warming the caches and other noise would dominate.
const SHORT: f64 = 0.1;
const RUNS_OF_SHORT: usize = 10;

/// What is measured of our own programs.
#[derive(clap::Args)]
pub(crate) struct Own {
    /// Figures whose names hold a text
    #[arg(long, default_value = "")]
    filter: String,
    /// Counts instructions in place of time
    #[arg(long)]
    instructions: bool,
    /// Writes the baseline
    #[arg(long)]
    save: bool,
}

/// Measures our own programs and prints a comparison with the baseline; true when done.
pub(crate) fn own(asked: &Own) -> Result<bool, String> {
    let filter = &asked.filter;
    let root = project_root()?;
    let file = root.join("xtask/bench/baseline.json");
    let baseline = Baseline::read(&file)?;
    let mut measured = Baseline::default();
    if asked.instructions {
        instructions::installed()?;
        measured.instructions = instructions_of(&root, filter)?;
        say(&compare(
            "thousand instructions a case",
            &baseline.instructions,
            &measured.instructions,
            COUNT_NOISE,
        ));
    } else {
        measured.ratios = ratios(&root, filter)?;
        say(&compare(
            "times the bare parse",
            &baseline.ratios,
            &measured.ratios,
            TIME_NOISE,
        ));
    }
    if asked.save {
        baseline.save(measured, &file)?;
        say("xtask/bench/baseline.json is written");
    }
    Ok(true)
}

/// The name of a job's figure.
fn figure_name(job: &Job) -> String {
    format!("{}: {}", job.input.id(), job.name)
}

fn instructions_of(root: &Path, filter: &str) -> Result<Figures, String> {
    let mut jobs = instructions::jobs();
    jobs.retain(|job| figure_name(job).contains(filter));
    let workshop = Workshop::open(root)?;
    let mut figures = Figures::new();
    for jobs in jobs.chunk_by(|one, next| one.input == next.input) {
        workshop.write(&jobs[0].input)?;
        for job in jobs {
            figures.insert(figure_name(job), instructions::count(&workshop, job)?);
        }
        workshop.remove(&jobs[0].input)?;
    }
    Ok(figures)
}

/// Whole processes as multiples of the bare parse of the same input.
fn ratios(root: &Path, filter: &str) -> Result<Figures, String> {
    let mut jobs = plan::own();
    // Measure the bare parse of an input along with any other job on it.
    let wanted = |job: &Job| job.name != PARSE && figure_name(job).contains(filter);
    let inputs: Vec<_> = jobs
        .iter()
        .filter(|job| wanted(job))
        .map(|job| job.input.clone())
        .collect();
    jobs.retain(|job| wanted(job) || (job.name == PARSE && inputs.contains(&job.input)));
    if jobs.is_empty() {
        return Ok(Figures::new());
    }
    let results = run(root, &jobs, REPETITIONS, None)?;
    let medians = results.medians();
    let time = |job: &str, input: &str| medians.get(input, job).map(Median::cpu_per_case);
    let ratio = |job: &Job| {
        let input = job.input.id();
        Some((
            figure_name(job),
            time(&job.name, &input)? / time(PARSE, &input)?,
        ))
    };
    Ok(jobs
        .iter()
        .filter(|job| job.name != PARSE)
        .filter_map(ratio)
        .collect())
}

/// What is measured beside the packages.
#[derive(clap::Args)]
pub(crate) struct BesidePeers {
    /// Parts, all unless said
    #[arg(long, value_delimiter = ',', value_parser = part)]
    only: Option<Vec<&'static Part>>,
    /// Turns of each job
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    reps: u16,
    /// Draws the page and measures nothing
    #[arg(long, conflicts_with = "only")]
    render: bool,
}

/// Measures parts, and writes the page from the results of all parts; true when done.
pub(crate) fn peers(asked: &BesidePeers) -> Result<bool, String> {
    let root = project_root()?;
    let parts = match &asked.only {
        _ if asked.render => Vec::new(),
        Some(parts) => parts.clone(),
        None => PARTS.iter().collect(),
    };
    for part in parts {
        let jobs = (part.jobs)();
        let need = |what: fn(&Program) -> bool| jobs.iter().any(|job| what(&job.program));
        // Our Python package also scores objects and Spark rows.
        let need_ours = need(|it| matches!(it, Program::Objects(..) | Program::Spark(_)));
        let peers = (need_ours || need(|it| matches!(it, Program::Python(..) | Program::Node(..))))
            .then(|| Peers::prepare(&root))
            .transpose()?;
        if let Some(peers) = &peers {
            if need(|it| matches!(it, Program::Spark(_))) {
                peers.add_spark(&root)?;
            }
            if need_ours {
                crate::python::install_beside(&peers.python.python, "dist")?;
            }
        }
        if need(|it| matches!(it, Program::NodePackage(..))) {
            crate::node::build_released(&root)?;
        }
        if need(|it| matches!(it, Program::Alignments(_))) {
            Aligner::prepare(&root)?;
        }
        if part.name == BY_THE_CLOCK {
            machine::settle(goals::IDLE);
        }
        run(&root, &jobs, asked.reps.into(), peers.as_ref())?
            .write(&results_file(&root, part.name))?;
    }
    let mut results = Vec::new();
    for part in &PARTS {
        results.extend(
            PartResults::read(&results_file(&root, part.name))?.map(|results| (part.name, results)),
        );
    }
    write(&root.join("docs/performance.md"), page::page(&results)?)?;
    say("docs/performance.md is drawn");
    Ok(true)
}

fn part(name: &str) -> Result<&'static Part, String> {
    let known = || {
        PARTS
            .iter()
            .map(|part| format!("  {:<8} {}", part.name, part.about))
            .collect::<Vec<_>>()
            .join("\n")
    };
    plan::part(name).ok_or_else(|| format!("no part is called `{name}`; there are\n{}", known()))
}

/// The path of a part's raw results.
fn results_file(root: &Path, part: &str) -> PathBuf {
    root.join(".bench/results").join(part.to_owned() + ".jsonl")
}

/// Runs jobs; those on the same input run in turn.
fn run(
    root: &Path,
    jobs: &[Job],
    repetitions: usize,
    peers: Option<&Peers>,
) -> Result<PartResults, String> {
    let workshop = Workshop::open(root)?;
    let mut results = PartResults {
        machine: Machine::look(root, peers)?,
        runs: Vec::new(),
    };
    for jobs in jobs.chunk_by(in_turn) {
        let mut inputs: Vec<_> = jobs.iter().map(|job| &job.input).collect();
        inputs.dedup();
        inputs.iter().try_for_each(|input| workshop.write(input))?;
        for repetition in 1..=repetitions {
            for job in jobs {
                let name = figure_name(job);
                let mut runs = vec![workshop.run(job, peers)?];
                if runs[0].cpu < SHORT {
                    (1..RUNS_OF_SHORT)
                        .try_for_each(|_| workshop.run(job, peers).map(|run| runs.push(run)))?;
                }
                for run in &runs {
                    let (case, peak) = (run.cpu / run.cases as f64 * 1e6, run.peak as f64 / 1e6);
                    say(&format!(
                        "{repetition}/{repetitions}  {name:<56} {case:>12.2} µs a case {peak:>8.1} MB"
                    ));
                }
                results.runs.extend(runs);
            }
        }
        inputs.iter().try_for_each(|input| workshop.remove(input))?;
    }
    Ok(results)
}
