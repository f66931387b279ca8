//! The fuzz targets, each for a while.
//!
//! What a run finds out about the code is kept in `fuzz/corpus/`, which is not committed; `fuzz/seeds/` is where it begins.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::say;

const USAGE: &str = "usage: cargo xtask fuzz [TARGET] [--seconds N]";

/// Fuzzes one target or all of them, each for `--seconds`; true if nothing was found.
pub(crate) fn run(arguments: &[String]) -> Result<bool, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("the project has no folder")?;
    let targets = targets(root)?;
    let (mut chosen, mut seconds) = (None, 60);
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--seconds" => {
                let number = arguments.next().and_then(|number| number.parse::<u32>().ok()).filter(|number| *number > 0);
                seconds = number.ok_or_else(|| format!("`--seconds` wants a number from 1 on\n\n{USAGE}"))?;
            }
            name if targets.iter().any(|target| target == name) && chosen.is_none() => chosen = Some(name.to_owned()),
            other => return Err(format!("no target is called `{other}`; there are {}\n\n{USAGE}", targets.join(", "))),
        }
    }
    installed()?;
    let mut clean = true;
    for target in targets.iter().filter(|target| chosen.as_ref().is_none_or(|chosen| chosen == *target)) {
        say(&format!("fuzzing {target} for {seconds} seconds"));
        clean &= fuzz(root, target, seconds)?;
    }
    Ok(clean)
}

/// The targets are the files of `fuzz_targets`.
fn targets(root: &Path) -> Result<Vec<String>, String> {
    let folder = root.join("fuzz/fuzz_targets");
    let entries = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut targets: Vec<String> =
        entries.filter_map(|entry| entry.ok()?.path().file_stem()?.to_str().map(str::to_owned)).collect();
    targets.sort();
    Ok(targets)
}

/// Says how to install what is missing.
fn installed() -> Result<(), String> {
    let works = |arguments: &[&str]| Command::new("cargo").args(arguments).output().is_ok_and(|output| output.status.success());
    if !works(&["+nightly", "--version"]) {
        return Err("fuzzing needs a nightly compiler for its sanitizers: rustup toolchain install nightly".to_owned());
    }
    if !works(&["+nightly", "fuzz", "--version"]) {
        return Err("fuzzing needs cargo-fuzz: cargo install cargo-fuzz --locked".to_owned());
    }
    Ok(())
}

fn fuzz(root: &Path, target: &str, seconds: u32) -> Result<bool, String> {
    let folder = |kind: &str| -> PathBuf { root.join("fuzz").join(kind).join(target) };
    let corpus = folder("corpus");
    fs::create_dir_all(&corpus).map_err(|error| format!("{}: {error}", corpus.display()))?;
    // The first folder is the one that is written to.
    let status = Command::new("cargo")
        .current_dir(root)
        .args(["+nightly", "fuzz", "run", target])
        .args([&corpus, &folder("seeds")])
        .arg("--")
        .arg(format!("-max_total_time={seconds}"))
        .args(["-rss_limit_mb=4096", "-timeout=20"])
        .status()
        .map_err(|error| format!("cargo fuzz: {error}"))?;
    Ok(status.success())
}
