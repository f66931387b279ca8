//! A benchmark job: a program and its input.

use std::path::{Path, PathBuf};
use std::process::Command;

use rightcall_bench::Workload;
use serde_json::Value;

use super::measure::measure;
use super::record::Run;
use crate::alignments::{Aligner, trees};
use crate::files::{make_folder, remove};
use crate::peers::Peers;
use crate::process::{cargo, succeed, target_folder};

/// A generated input file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Input {
    /// The workload. `spans` is an OpenTelemetry export with traces as cases; `trees` holds expectations in blocks.
    pub(crate) workload: &'static str,
    /// The number of cases, if not the workload's default.
    pub(crate) cases: Option<usize>,
    /// The number of calls in a case, if not the workload's default.
    pub(crate) calls: Option<usize>,
}

impl Input {
    /// A workload with its default size.
    pub(crate) fn whole(workload: &'static str) -> Self {
        Self {
            workload,
            cases: None,
            calls: None,
        }
    }

    /// A workload with this number of cases.
    pub(crate) fn cases(workload: &'static str, cases: usize) -> Self {
        Self {
            workload,
            cases: Some(cases),
            calls: None,
        }
    }

    /// A workload with this number of cases and of calls in each.
    pub(crate) fn long(workload: &'static str, cases: usize, calls: usize) -> Self {
        Self {
            workload,
            cases: Some(cases),
            calls: Some(calls),
        }
    }

    /// The number of cases.
    pub(crate) fn count(&self) -> usize {
        self.cases
            .or_else(|| Some(Workload::named(self.workload)?.cases))
            .unwrap_or(0)
    }

    /// A unique name.
    pub(crate) fn id(&self) -> String {
        let part = |what: &str, number: Option<usize>| {
            number.map_or_else(String::new, |number| format!("-{number}{what}"))
        };
        format!(
            "{}{}{}",
            self.workload,
            part("cases", self.cases),
            part("calls", self.calls)
        )
    }
}

/// The program of a job.
#[derive(Clone, Debug)]
pub(crate) enum Program {
    /// `rightcall score` with these arguments.
    Rightcall(Vec<String>),
    /// A subcommand of the bench program.
    Bench(&'static str),
    /// A peer of `peers.py` on this number of cases; 0 means all.
    Python(&'static str, usize),
    /// The same with all cases in memory before the clock starts, scored this many times. Our own package is one of these peers.
    Objects(&'static str, usize),
    /// A peer of `spark.py`.
    Spark(&'static str),
    /// A peer of `peers.mjs` on this number of cases; 0 means all.
    Node(&'static str, usize),
    /// Our npm package, driven by the same script.
    NodePackage(&'static str, usize),
    /// Optimal alignments by another implementation.
    Alignments(Aligner),
}

/// A program on an input.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    /// The name in the results.
    pub(crate) name: String,
    pub(crate) input: Input,
    pub(crate) program: Program,
}

impl Job {
    /// A job of this name.
    pub(crate) fn new(name: impl Into<String>, input: &Input, program: Program) -> Self {
        Self {
            name: name.into(),
            input: input.clone(),
            program,
        }
    }
}

/// The folders and programs of the benchmarks.
pub(crate) struct Workshop {
    root: PathBuf,
    /// The folder of inputs and results.
    folder: PathBuf,
    programs: PathBuf,
}

impl Workshop {
    /// Builds our programs with the release profile.
    pub(crate) fn open(root: &Path) -> Result<Self, String> {
        let folder = root.join(".bench");
        make_folder(&folder.join("inputs"))?;
        make_folder(&folder.join("results"))?;
        let packages = "--package rightcall-cli --package rightcall-bench";
        let build = format!("build --profile dist {packages} --features rightcall-cli/columns");
        succeed(cargo().current_dir(root).args(build.split(' ')))?;
        Ok(Self {
            root: root.to_owned(),
            folder,
            programs: target_folder(root).join("dist"),
        })
    }

    /// The path of the command.
    pub(crate) fn rightcall(&self) -> PathBuf {
        self.programs.join("rightcall")
    }

    /// The path of the bench program.
    pub(crate) fn bench(&self) -> PathBuf {
        self.programs.join("rightcall-bench")
    }

    /// The path of an input.
    pub(crate) fn path(&self, input: &Input) -> PathBuf {
        self.folder.join("inputs").join(input.id() + ".jsonl")
    }

    /// Writes an input.
    pub(crate) fn write(&self, input: &Input) -> Result<(), String> {
        let mut command = Command::new(self.bench());
        if let Some(shape) = input.workload.strip_prefix("spans") {
            command
                .arg("write-spans")
                .arg(self.path(input))
                .args(["--traces", &input.count().to_string()]);
            command.args((shape == "-document").then_some("--document"));
            return succeed(&mut command);
        }
        if let Some(shape) = input.workload.strip_prefix("trees-") {
            return trees(&self.bench(), shape, input.count(), &self.path(input));
        }
        command
            .args(["write", input.workload])
            .arg(self.path(input));
        for (flag, number) in [("--cases", input.cases), ("--calls", input.calls)] {
            command.args(
                number
                    .iter()
                    .flat_map(|number| [flag.to_owned(), number.to_string()]),
            );
        }
        succeed(&mut command)
    }

    /// Deletes an input: all of them together would take gigabytes.
    pub(crate) fn remove(&self, input: &Input) -> Result<(), String> {
        remove(&self.path(input))
    }

    /// The command that runs a Python peer on a file.
    fn python(&self, peers: &Peers, peer: &str, file: &Path) -> Command {
        let mut command = Command::new(&peers.python.python);
        command
            .arg(self.root.join("xtask/bench/peers.py"))
            .arg(peer)
            .arg(file)
            .current_dir(&peers.home);
        command
    }

    /// Runs a job once.
    pub(crate) fn run(&self, job: &Job, peers: Option<&Peers>) -> Result<Run, String> {
        let file = self.path(&job.input);
        let missing = || format!("{} needs the packages", job.name);
        let (command, keeps_printed) = match &job.program {
            Program::Rightcall(arguments) => (self.score(&file, arguments), false),
            Program::Bench(name) => {
                let mut command = Command::new(self.bench());
                command.arg(name).arg(&file);
                (command, true)
            }
            Program::Python(peer, limit) => {
                let mut command = self.python(peers.ok_or_else(missing)?, peer, &file);
                command.arg(limit.to_string());
                (command, true)
            }
            Program::Objects(peer, rounds) => {
                let mut command = self.python(peers.ok_or_else(missing)?, peer, &file);
                command.args(["0", "objects"]).arg(rounds.to_string());
                (command, true)
            }
            Program::Spark(way) => {
                let peers = peers.ok_or_else(missing)?;
                let mut command = Command::new(&peers.python.python);
                command
                    .arg(self.root.join("xtask/bench/spark.py"))
                    .arg(way)
                    .arg(&file);
                command.current_dir(&peers.home);
                (command, true)
            }
            Program::Node(peer, limit) => {
                let peers = peers.ok_or_else(missing)?;
                let mut command = self.node(&peers.modules, peer, &file, *limit);
                command.current_dir(&peers.home);
                (command, true)
            }
            Program::Alignments(aligner) => (aligner.command(&self.root, &file), true),
            Program::NodePackage(peer, limit) => (
                self.node(&self.root.join("bindings/node"), peer, &file, *limit),
                true,
            ),
        };
        let used = measure(&self.bench(), &command, keeps_printed)?;
        let stated: Value = if keeps_printed {
            serde_json::from_str(&used.printed)
                .map_err(|error| format!("{}: {error} in {}", job.name, used.printed))?
        } else {
            Value::Null
        };
        let bytes = file
            .metadata()
            .map_err(|error| format!("{}: {error}", file.display()))?
            .len();
        Ok(Run {
            job: job.name.clone(),
            input: job.input.id(),
            bytes,
            cases: stated["cases"].as_u64().unwrap_or(job.input.count() as u64),
            cpu: stated["cpu_seconds"]
                .as_f64()
                .unwrap_or(used.cpu.as_secs_f64()),
            wall: stated["wall_seconds"]
                .as_f64()
                .unwrap_or(used.wall.as_secs_f64()),
            process_cpu: used.cpu.as_secs_f64(),
            peak: used.peak,
        })
    }

    fn node(&self, modules: &Path, peer: &str, file: &Path, limit: usize) -> Command {
        let mut command = Command::new("node");
        command
            .arg(self.root.join("xtask/bench/peers.mjs"))
            .arg(modules)
            .arg(peer)
            .arg(file)
            .arg(limit.to_string());
        command
    }

    fn score(&self, file: &Path, arguments: &[String]) -> Command {
        let mut command = Command::new(self.rightcall());
        command.arg("score").arg(file).args(arguments);
        command
    }
}
