//! `cargo xtask bench` and `cargo xtask bench-peers`: our speed, and that of other packages.
//!
//! Figures are CPU times, which other programs disturb less than wall times, and count as ratios within one run, which are comparable
//! across machines. All jobs of a part run in turn, short ones several times; this is repeated, and the median counts.

mod goals;
mod jobs;
mod page;
mod run;

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::thread::available_parallelism;

use clap::builder::PossibleValuesParser;

use self::goals::goal_table;
use self::jobs::{INSTRUCTIONS, Job, ONLY_GOALS, PARTS, Part, SHORT};
use self::page::{block, part_table, with_block};
use self::run::{Figures, Workshop};
use crate::files::{read, write};
use crate::process::{printed, project_root};
use crate::say;

/// What is measured.
#[derive(clap::Args)]
pub(crate) struct Choice {
    /// Parts
    #[arg(value_parser = PossibleValuesParser::from(PARTS.each_ref().map(|part| part.name)))]
    parts: Vec<String>,
    /// Jobs and inputs with this text in `INPUT: JOB`
    #[arg(long, default_value = "")]
    filter: String,
    /// Turns of each job
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
}

/// How our own programs are measured.
#[derive(clap::Args)]
pub(crate) struct Own {
    #[command(flatten)]
    choice: Choice,
    /// Another build of `rightcall`, which runs in turn with this one
    #[arg(long)]
    other: Option<PathBuf>,
    /// Counts instructions in place of time
    #[arg(long, conflicts_with = "parts")]
    instructions: bool,
}

/// The kinds of programs that are our own and need no package.
const OWN_KINDS: [&str; 2] = ["rightcall", "bench"];

fn kind(job: &Job) -> &'static str {
    job.1.split(' ').next().unwrap_or_default()
}

/// Measures our own programs and prints the tables; true when done.
pub(crate) fn own(asked: Own) -> Result<bool, String> {
    let root = project_root()?;
    let mut workshop = Workshop::open(&root)?;
    workshop.other = asked.other;
    workshop.counts_instructions = asked.instructions;
    let by_default: &[&str] = if asked.instructions {
        &[INSTRUCTIONS]
    } else {
        &SHORT
    };
    let unit = if asked.instructions {
        ("thousand instructions", 1.0)
    } else {
        MICROSECONDS
    };
    let mut all = Figures::default();
    for part in asked.choice.parts(by_default) {
        let (inputs, jobs) = asked
            .choice
            .chosen(part, |job| OWN_KINDS.contains(&kind(job)));
        let figures = workshop.measure(part, &jobs, &inputs, asked.choice.rounds.into())?;
        say(&format!("\n{}\n", part_table(part, &figures, unit)));
        all.0.extend(figures.0);
    }
    say(&goal_table(&all, load(), ""));
    Ok(true)
}

const MICROSECONDS: (&str, f64) = ("µs", 1e6);

/// Measures parts next to the packages and, without a filter, writes their tables into the page; true when done.
pub(crate) fn peers(choice: &Choice) -> Result<bool, String> {
    let root = project_root()?;
    let mut workshop = Workshop::open(&root)?;
    let load = load();
    let parts = choice.parts(&PARTS.each_ref().map(|part| part.name));
    // With a filter, the tables would have gaps.
    let writes = choice.filter.is_empty();
    let chosen = |part| choice.chosen(part, |_| true);
    let jobs = parts.iter().flat_map(|part| chosen(part).1);
    workshop.prepare(&jobs.map(kind).collect::<Vec<_>>())?;
    let file = root.join("docs/performance.md");
    let mut all = Figures::default();
    for part in parts.into_iter().filter(|part| part.name != INSTRUCTIONS) {
        let (inputs, jobs) = chosen(part);
        if jobs.is_empty() {
            continue;
        }
        let figures = workshop.measure(part, &jobs, &inputs, choice.rounds.into())?;
        let text = format!(
            "{}\n\n{}",
            measured(load, choice.rounds)?,
            part_table(part, &figures, MICROSECONDS)
        );
        say(&text);
        if writes && !ONLY_GOALS.contains(&part.name) {
            write(&file, with_block(&read(&file)?, part.name, &text)?)?;
        }
        all.0.extend(figures.0);
    }
    let page = read(&file)?;
    let goals = goal_table(&all, load, block(&page, "goals")?);
    if writes {
        write(&file, with_block(&page, "goals", &goals)?)?;
        say("docs/performance.md is written");
    }
    Ok(true)
}

impl Choice {
    /// The parts that were asked for, else these.
    fn parts(&self, by_default: &[&str]) -> Vec<&'static Part> {
        let is_chosen = |part: &&Part| match &self.parts[..] {
            [] => by_default.contains(&part.name),
            names => names.iter().any(|name| name == part.name),
        };
        PARTS.iter().filter(is_chosen).collect()
    }

    /// The inputs and jobs of a part that pass the filter, and the jobs that those are compared with.
    fn chosen(
        &self,
        part: &'static Part,
        is_kind: fn(&Job) -> bool,
    ) -> (Vec<&'static str>, Vec<&'static Job>) {
        let passes = |input: &str, job: &Job| {
            is_kind(job) && format!("{input}: {}", job.0).contains(&self.filter)
        };
        let mut inputs = part.inputs.to_vec();
        inputs.retain(|input| part.jobs.iter().any(|job| passes(input, job)));
        let mut jobs: Vec<_> = part.jobs.iter().collect();
        jobs.retain(|job| inputs.iter().any(|input| passes(input, job)));
        let compared_with: Vec<_> = jobs.iter().map(|job| job.2).collect();
        let is_needed =
            |job: &&Job| is_kind(job) && (jobs.contains(job) || compared_with.contains(&job.0));
        (inputs, part.jobs.iter().filter(is_needed).collect())
    }
}

/// The line above a table: when and where it was measured.
fn measured(load: f64, rounds: u16) -> Result<String, String> {
    let date = printed(Command::new("date").args(["-u", "+%F"]))?;
    let information = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = information.lines().find_map(|line| {
        line.strip_prefix("model name")?
            .trim_start()
            .strip_prefix(':')
    });
    let cores = available_parallelism().map_or(1, usize::from);
    Ok(format!(
        "Measured {} on {}, {cores} cores; rounds: {rounds}; load before: {load:.1}.",
        date.trim(),
        model.unwrap_or("an unknown processor").trim(),
    ))
}

/// The load average of the last minute; 0 if the system does not report it.
fn load() -> f64 {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ')
        .next()
        .and_then(|text| text.parse().ok())
        .unwrap_or(0.0)
}
