//! One thing to measure: a program on an input.

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

/// A case file that the generator writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Input {
    /// The workload, or `spans` for an export of OpenTelemetry, whose cases are traces, or `trees` for expectations in blocks.
    pub(crate) workload: &'static str,
    /// Number of cases, if not the workload's own.
    pub(crate) cases: Option<usize>,
    /// Calls of a case, if not the workload's own.
    pub(crate) calls: Option<usize>,
}

impl Input {
    /// A workload as it is.
    pub(crate) fn whole(workload: &'static str) -> Self {
        Self {
            workload,
            cases: None,
            calls: None,
        }
    }

    /// A workload of so many cases.
    pub(crate) fn cases(workload: &'static str, cases: usize) -> Self {
        Self {
            workload,
            cases: Some(cases),
            calls: None,
        }
    }

    /// A workload of so many cases of so many calls.
    pub(crate) fn long(workload: &'static str, cases: usize, calls: usize) -> Self {
        Self {
            workload,
            cases: Some(cases),
            calls: Some(calls),
        }
    }

    /// How many cases it holds.
    pub(crate) fn count(&self) -> usize {
        self.cases
            .or_else(|| Some(Workload::named(self.workload)?.cases))
            .unwrap_or(0)
    }

    /// A name that no other input has.
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

/// What runs.
#[derive(Clone, Debug)]
pub(crate) enum Program {
    /// `rightcall score` with these arguments.
    Rightcall(Vec<String>),
    /// A command of the bench program.
    Bench(&'static str),
    /// A peer of `peers.py` on so many cases; 0 is all.
    Python(&'static str, usize),
    /// The same with all cases in memory before the time begins, scored so many times over; our own package is a peer too.
    Objects(&'static str, usize),
    /// A way of `spark.py` to score rows on Spark.
    Spark(&'static str),
    /// A peer of `peers.mjs` on so many cases; 0 is all.
    Node(&'static str, usize),
    /// Our npm package, which the same script drives.
    NodePackage(&'static str, usize),
    /// Optimal alignments by somebody else.
    Alignments(Aligner),
}

/// A program on an input.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    /// What the results call it.
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

/// Where everything is.
pub(crate) struct Workshop {
    root: PathBuf,
    /// What is measured lies here, and what came out.
    folder: PathBuf,
    programs: PathBuf,
}

impl Workshop {
    /// Builds our programs as they are released.
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

    /// The command line.
    pub(crate) fn rightcall(&self) -> PathBuf {
        self.programs.join("rightcall")
    }

    /// The bench program.
    pub(crate) fn bench(&self) -> PathBuf {
        self.programs.join("rightcall-bench")
    }

    /// Where an input is.
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

    /// Takes an input away again: together they would fill gigabytes.
    pub(crate) fn remove(&self, input: &Input) -> Result<(), String> {
        remove(&self.path(input))
    }

    /// A package of Python on a file.
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
