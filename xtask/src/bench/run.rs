//! Runs the programs of the table in turn, and keeps the median of their figures.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use rightcall_bench::Usage;
use serde_json::Value;

use super::jobs::{FOUR, Job, Part};
use crate::alignments::{Aligner, trees};
use crate::files::{make_folder, remove};
use crate::peers::Peers;
use crate::process::{cargo, failure, output, printed, succeed, target_folder};
use crate::say;

/// Jobs shorter than this, in seconds, run several times in a round. In a single run, warming the caches and other noise would dominate.
const SHORT: f64 = 0.1;
const RUNS_OF_SHORT: usize = 10;

/// The figures of a job on an input: of one run, or medians.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Run {
    pub(super) cases: f64,
    /// CPU time in seconds: of the whole process, or as a peer reports it, without imports. Or thousands of instructions.
    pub(super) cpu: f64,
    /// Wall time in seconds, measured in the same way.
    pub(super) wall: f64,
    /// CPU time of the whole process, in seconds.
    pub(super) process_cpu: f64,
    /// Peak resident memory, in bytes.
    pub(super) peak: f64,
}

impl Run {
    fn median(runs: &[Self]) -> Self {
        let of = |figure: fn(&Self) -> f64| {
            let mut figures: Vec<f64> = runs.iter().map(figure).collect();
            figures.sort_by(f64::total_cmp);
            let last = figures.len() - 1;
            f64::midpoint(figures[last / 2], figures[last.div_ceil(2)])
        };
        Self {
            cases: of(|run| run.cases),
            cpu: of(|run| run.cpu),
            wall: of(|run| run.wall),
            process_cpu: of(|run| run.process_cpu),
            peak: of(|run| run.peak),
        }
    }
}

/// Medians by input and job.
#[derive(Default)]
pub(super) struct Figures(pub(super) BTreeMap<(String, String), Run>);

impl Figures {
    pub(super) fn get(&self, input: &str, job: &str) -> Option<&Run> {
        self.0.get(&(input.to_owned(), job.to_owned()))
    }

    pub(super) fn cpu_per_case(&self, input: &str, job: &str) -> Option<f64> {
        self.get(input, job).map(|run| run.cpu / run.cases)
    }

    /// CPU time per case of one job, relative to another.
    pub(super) fn ratio(&self, input: &str, job: &str, other: &str) -> Option<f64> {
        Some(self.cpu_per_case(input, job)? / self.cpu_per_case(input, other)?)
    }
}

/// The programs of the benchmarks.
pub(super) struct Workshop {
    root: PathBuf,
    programs: PathBuf,
    /// The published packages, if a job needs them.
    pub(super) peers: Option<Peers>,
    /// Another build of the command.
    pub(super) other: Option<PathBuf>,
    /// Counts instructions in place of time.
    pub(super) counts_instructions: bool,
}

impl Workshop {
    /// Builds our programs with the release profile.
    pub(super) fn open(root: &Path) -> Result<Self, String> {
        make_folder(&root.join(".bench"))?;
        let packages = "--package rightcall-cli --package rightcall-bench";
        let build = format!("build --profile dist {packages} --features rightcall-cli/columns");
        succeed(cargo().current_dir(root).args(build.split(' ')))?;
        Ok(Self {
            root: root.to_owned(),
            programs: target_folder(root).join("dist"),
            peers: None,
            other: None,
            counts_instructions: false,
        })
    }

    /// Installs what the programs of these kinds need.
    pub(super) fn prepare(&mut self, kinds: &[&str]) -> Result<(), String> {
        let need = |these: &[&str]| these.iter().any(|kind| kinds.contains(kind));
        if need(&["python", "objects", "spark", "node"]) {
            let peers = Peers::prepare(&self.root)?;
            if need(&["spark"]) {
                peers.add_spark(&self.root)?;
            }
            // Our Python package also scores objects and Spark rows.
            if need(&["objects", "spark"]) {
                crate::python::install_beside(&peers.python.python, "dist")?;
            }
            self.peers = Some(peers);
        }
        if need(&["package"]) {
            crate::node::build_released(&self.root)?;
        }
        if need(&["aligner"]) {
            Aligner::prepare(&self.root)?;
        }
        Ok(())
    }

    /// Runs these jobs of a part on these of its inputs, in turn; returns the medians.
    pub(super) fn measure(
        &self,
        part: &Part,
        jobs: &[&Job],
        inputs: &[&str],
        rounds: usize,
    ) -> Result<Figures, String> {
        let mut runs: BTreeMap<(String, String), Vec<Run>> = BTreeMap::new();
        inputs.iter().try_for_each(|input| self.write(input))?;
        for round in 1..=rounds {
            for input in inputs {
                let place = part.inputs.iter().position(|it| it == input).unwrap_or(0);
                for (name, program, _) in jobs.iter().copied() {
                    let file = self.path(input);
                    let Some(mut command) = self.command(program, place, &file)? else {
                        continue;
                    };
                    self.repeat(name, input, &mut command, &mut runs)?;
                    let others = self
                        .other
                        .iter()
                        .filter(|_| program.starts_with("rightcall "));
                    for other in others {
                        let mut same = Command::new(other);
                        same.args(command.get_args());
                        self.repeat(
                            &format!("{name}, the other build"),
                            input,
                            &mut same,
                            &mut runs,
                        )?;
                    }
                    say(&format!("{round}/{rounds}  {input}: {name}"));
                }
            }
        }
        inputs
            .iter()
            .try_for_each(|input| remove(&self.path(input)))?;
        let median = |(key, runs): (_, Vec<Run>)| (key, Run::median(&runs));
        Ok(Figures(runs.into_iter().map(median).collect()))
    }

    /// Runs a job once, or several times if it is short.
    fn repeat(
        &self,
        name: &str,
        input: &str,
        command: &mut Command,
        runs: &mut BTreeMap<(String, String), Vec<Run>>,
    ) -> Result<(), String> {
        let runs = runs.entry((input.to_owned(), name.to_owned())).or_default();
        let is_rightcall = command.get_args().next().is_some_and(|it| it == "score");
        let once = |command: &mut Command| {
            if self.counts_instructions {
                instructions(command, cases(input))
            } else {
                self.run(command, cases(input), !is_rightcall)
            }
            .map_err(|error| format!("{input}: {name}: {error}"))
        };
        let first = once(command)?;
        let is_short = !self.counts_instructions && first.cpu < SHORT;
        runs.push(first);
        let more = if is_short { RUNS_OF_SHORT - 1 } else { 0 };
        (0..more).try_for_each(|_| once(command).map(|run| runs.push(run)))
    }

    /// Runs a command once. A peer prints its own figures. The bench program starts it, because a process's peak memory is at least that of
    /// its parent.
    fn run(&self, command: &Command, cases: f64, prints_figures: bool) -> Result<Run, String> {
        let mut from = Command::new(self.programs.join("rightcall-bench"));
        from.arg("measure")
            .args(prints_figures.then_some("--keep"))
            .arg("--");
        from.arg(command.get_program()).args(command.get_args());
        if let Some(peers) = &self.peers {
            from.current_dir(&peers.home);
        }
        let text = printed(&mut from)?;
        let used: Usage =
            serde_json::from_str(&text).map_err(|error| format!("{error} in {text}"))?;
        let stated: Value = if prints_figures {
            serde_json::from_str(&used.printed)
                .map_err(|error| format!("{error} in {}", used.printed))?
        } else {
            Value::Null
        };
        Ok(Run {
            cases: stated["cases"].as_f64().unwrap_or(cases),
            cpu: stated["cpu_seconds"]
                .as_f64()
                .unwrap_or(used.cpu.as_secs_f64()),
            wall: stated["wall_seconds"]
                .as_f64()
                .unwrap_or(used.wall.as_secs_f64()),
            process_cpu: used.cpu.as_secs_f64(),
            peak: used.peak as f64,
        })
    }

    fn path(&self, input: &str) -> PathBuf {
        self.root
            .join(".bench")
            .join(input.replace(' ', "-") + ".jsonl")
    }

    /// Writes an input.
    fn write(&self, input: &str) -> Result<(), String> {
        let words: Vec<&str> = input.split(' ').collect();
        let (bench, file) = (self.programs.join("rightcall-bench"), self.path(input));
        if let Some(shape) = words[0].strip_prefix("trees-") {
            return trees(&bench, shape, cases(input) as usize, &file);
        }
        let mut command = Command::new(bench);
        if words[0].starts_with("spans") {
            command
                .arg("write-spans")
                .arg(file)
                .args(["--traces", words[1]]);
            command.args(words[0].ends_with("-document").then_some("--document"));
        } else {
            command.args(["write", words[0]]).arg(file);
            let numbers = words[1..].iter().zip(["--cases", "--calls"]);
            numbers.for_each(|(number, flag)| _ = command.args([flag, number]));
        }
        succeed(&mut command)
    }

    /// The command of a program on the file of an input; `None` if it does not run on it.
    fn command(&self, program: &str, place: usize, file: &Path) -> Result<Option<Command>, String> {
        let program = program.replace("FOUR", FOUR);
        let (kind, rest) = program.split_once(' ').unwrap_or_default();
        if kind == "rightcall" {
            let mut command = Command::new(self.programs.join("rightcall"));
            command.arg("score").arg(file).args(rest.split(' '));
            return Ok(Some(command));
        }
        let (name, limits) = rest.split_once(' ').unwrap_or((rest, "0"));
        let limits: Vec<&str> = limits.split(' ').collect();
        let limit = limits.get(place).or(limits.last()).copied().unwrap_or("0");
        let peers = || self.peers.as_ref().ok_or("the packages are missing");
        let script = |program: &Path, script: &str| {
            let mut command = Command::new(program);
            command.arg(self.root.join("xtask/bench").join(script));
            command
        };
        let mut command = match kind {
            _ if limit == "-" => return Ok(None),
            "bench" => {
                let mut command = Command::new(self.programs.join("rightcall-bench"));
                command.arg(name).arg(file);
                return Ok(Some(command));
            }
            "aligner" => return Ok(Some(Aligner::named(name).command(&self.root, file))),
            "python" | "objects" => script(&peers()?.python.python, "peers.py"),
            "spark" => script(&peers()?.python.python, "spark.py"),
            _ => {
                let mut command = script(Path::new("node"), "peers.mjs");
                command.arg(match kind {
                    "package" => self.root.join("bindings/node"),
                    _ => peers()?.modules.clone(),
                });
                command
            }
        };
        command.arg(name).arg(file);
        match kind {
            "spark" => &mut command,
            "objects" => command.args(["0", "objects", limit]),
            _ => command.arg(limit),
        };
        Ok(Some(command))
    }
}

/// The number of cases of an input; of a whole workload, its own.
fn cases(input: &str) -> f64 {
    let (workload, rest) = input.split_once(' ').unwrap_or((input, ""));
    let number = rest.split(' ').next().and_then(|it| it.parse().ok());
    let own = || rightcall_bench::Workload::named(workload).map(|it| it.cases as f64);
    number.or_else(own).unwrap_or(0.0)
}

/// Counts instructions with valgrind. Other programs do not affect them, so small changes are visible.
fn instructions(command: &Command, cases: f64) -> Result<Run, String> {
    let mut from = Command::new("valgrind");
    from.args([
        "--tool=cachegrind",
        "--cache-sim=no",
        "--cachegrind-out-file=/dev/null",
    ]);
    from.arg(command.get_program()).args(command.get_args());
    let output = output(&mut from).map_err(|error| format!("{error}; is valgrind installed?"))?;
    if !output.status.success() {
        return Err(failure(&from, &output));
    }
    let report = String::from_utf8_lossy(&output.stderr);
    let count =
        total(&report).ok_or_else(|| format!("valgrind reports no instructions:\n{report}"))?;
    Ok(Run {
        cases,
        cpu: count / 1e3,
        ..Run::default()
    })
}

/// The total in a report; its line is `==PID== I   refs:      1,234,567`.
fn total(report: &str) -> Option<f64> {
    let mut lines = report.lines();
    let line = lines.find(|line| line.contains(" I ") && line.contains("refs:"))?;
    line.rsplit(' ').next()?.replace(',', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_medians_and_ratios_are_of_cases() {
        let run = |cases, cpu| Run {
            cases,
            cpu,
            ..Run::default()
        };
        let ours = Run::median(&[1.0, 9.0, 0.9].map(|cpu| run(100.0, cpu)));
        let key = |job: &str| ("w1".to_owned(), job.to_owned());
        let figures = Figures([(key("ours"), ours), (key("peer"), run(20.0, 4.0))].into());
        assert_eq!(figures.ratio("w1", "peer", "ours"), Some(20.0));
        assert_eq!(figures.ratio("w2", "peer", "ours"), None);
    }

    #[test]
    fn the_total_is_read_from_the_report() {
        let report = "==7== Cachegrind, a cache profiler\n==7==\n==7== I   refs:      1,234,567\n";
        assert_eq!(total(report), Some(1_234_567.0));
        assert_eq!(total("==7== nothing"), None);
    }
}
