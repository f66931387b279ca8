//! Costs of optimal alignments by two independent implementations: the crate `process_mining` in a separate workspace, and pm4py in a
//! separate environment. Neither is part of a release. Also compares the precision of learned expectations with pm4py's inductive miner.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::count::Count;
use crate::files::{make_folder, read};
use crate::install::Venv;
use crate::process::{cargo, printed, succeed, target_folder};
use crate::say;

/// The number of expectations that each implementation aligns.
const CASES: usize = 2_000;

/// The number of logs that both miners learn from.
const LOGS: usize = 100;

/// The independent implementations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aligner {
    /// The crate.
    ProcessMining,
    /// The package.
    Pm4py,
}

impl Aligner {
    /// The one of a name, as a benchmark calls it.
    pub(crate) fn named(name: &str) -> Self {
        match name {
            "pm4py" => Self::Pm4py,
            _ => Self::ProcessMining,
        }
    }

    /// Builds the crate's program, or installs the package.
    pub(crate) fn prepare(root: &Path) -> Result<(), String> {
        let folder = root.join("xtask/alignments");
        let requirements = folder.join("requirements.txt");
        Venv::with(&environment(root), &requirements, &["--no-deps"])?;
        let mut build = cargo();
        build
            .args("build --quiet --release --locked --target-dir".split(' '))
            .arg(target(root));
        succeed(build.current_dir(folder))
    }

    /// The command that aligns a file of trees and runs, and prints the costs.
    pub(crate) fn command(self, root: &Path, file: &Path) -> Command {
        match self {
            Self::ProcessMining => {
                let mut command = Command::new(target(root).join("release/alignments"));
                command.arg(file);
                command
            }
            Self::Pm4py => {
                let mut command = Command::new(environment(root).join("bin/python"));
                command
                    .arg(root.join("xtask/alignments/optimal.py"))
                    .arg(file);
                command
            }
        }
    }
}

fn environment(root: &Path) -> PathBuf {
    root.join(".peers/alignments")
}

fn target(root: &Path) -> PathBuf {
    root.join("target/alignments")
}

/// Writes a file of trees and runs.
pub(crate) fn trees(bench: &Path, shape: &str, cases: usize, file: &Path) -> Result<(), String> {
    let mut command = Command::new(bench);
    command
        .arg("write-trees")
        .arg(file)
        .args(["--shape", shape, "--cases", &cases.to_string()]);
    succeed(&mut command)
}

/// Compares our costs with theirs; true if all are equal.
pub(crate) fn crosscheck(root: &Path) -> Result<bool, String> {
    Aligner::prepare(root)?;
    let build = "build --quiet --release --package rightcall-bench";
    succeed(cargo().current_dir(root).args(build.split(' ')))?;
    let bench = target_folder(root).join("release/rightcall-bench");
    let folder = root.join(".peers/trees");
    make_folder(&folder)?;
    let file = folder.join("trees.jsonl");
    trees(&bench, "mixed", CASES, &file)?;
    let ours = costs(Command::new(&bench).arg("resolve").arg(&file))?;
    let text = read(&file)?;
    let mut count = Count::default();
    for (name, aligner) in [
        ("process_mining", Aligner::ProcessMining),
        ("pm4py", Aligner::Pm4py),
    ] {
        let theirs = costs(&mut aligner.command(root, &file))?;
        if theirs.len() != ours.len() {
            return Err(format!("{name} gave {} costs", theirs.len()));
        }
        for ((line, ours), theirs) in text.lines().zip(&ours).zip(&theirs) {
            count.note(ours == theirs);
            if ours != theirs {
                say(&format!("{name}: {theirs}, ours: {ours}: {line}"));
            }
        }
    }
    count.note(precision(root, &bench, &folder.join("logs.jsonl"))?);
    Ok(count.close())
}

/// Learns from generated logs, by us and by pm4py, and prints the precision of both by pm4py's alignments; true if our mean is not below.
fn precision(root: &Path, bench: &Path, file: &Path) -> Result<bool, String> {
    let mut write = Command::new(bench);
    write.arg("write-logs").arg(file);
    succeed(write.args(["--logs", &LOGS.to_string()]))?;
    let mut command = Command::new(environment(root).join("bin/python"));
    command
        .arg(root.join("xtask/alignments/precision.py"))
        .arg(file);
    let printed = parsed(&mut command)?;
    let of = |name| numbers::<f64>(&printed, name);
    let (ours, theirs) = (of("ours")?, of("theirs")?);
    if ours.len() != LOGS || theirs.len() != LOGS {
        return Err(format!("pm4py judged {} of {LOGS} logs", ours.len()));
    }
    let mean = |all: &[f64]| all.iter().sum::<f64>() / LOGS as f64;
    let above = |one: &[f64], other: &[f64]| {
        let pairs = one.iter().zip(other);
        pairs.filter(|(one, other)| **one > **other + 1e-9).count()
    };
    say("| miner | mean precision | higher on |");
    say("| --- | --- | --- |");
    for (name, own, other) in [("rightcall", &ours, &theirs), ("pm4py", &theirs, &ours)] {
        let (mean, above) = (mean(own), above(own, other));
        say(&format!("| {name} | {mean:.3} | {above} of {LOGS} logs |"));
    }
    Ok(mean(&ours) >= mean(&theirs))
}

/// Parses the costs that a program prints.
fn costs(command: &mut Command) -> Result<Vec<u64>, String> {
    numbers(&parsed(command)?, "costs")
}

/// Parses the JSON that a program prints.
fn parsed(command: &mut Command) -> Result<Value, String> {
    let text = printed(command)?;
    serde_json::from_str(&text).map_err(|error| format!("{error} in {text}"))
}

/// The list of numbers under a key.
fn numbers<N: DeserializeOwned>(printed: &Value, key: &str) -> Result<Vec<N>, String> {
    serde_json::from_value(printed[key].clone()).map_err(|error| format!("{error} in {printed}"))
}
