//! Costs of optimal alignments by two independent implementations: the crate `process_mining` in a separate workspace, and pm4py in a
//! separate environment. Neither is part of a release.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::count::Count;
use crate::files::{make_folder, read};
use crate::install::Venv;
use crate::process::{cargo, printed, succeed, target_folder};
use crate::say;

/// The number of expectations that each implementation aligns.
const CASES: usize = 2_000;

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
    Ok(count.close())
}

/// Parses the costs that a program prints.
fn costs(command: &mut Command) -> Result<Vec<u64>, String> {
    let text = printed(command)?;
    let fault = |error: serde_json::Error| format!("{error} in {text}");
    let printed: Value = serde_json::from_str(&text).map_err(fault)?;
    serde_json::from_value(printed["costs"].clone()).map_err(fault)
}
