//! The machine of a measurement: the properties that affect figures, without anything that identifies it.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::files::{read, read_json};
use crate::peers::Peers;
use crate::process::printed;

/// A machine, its tools, and the date.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Machine {
    /// The processor model.
    pub(crate) processor: String,
    /// The number of available processors.
    pub(crate) cores: usize,
    /// The memory in GiB, rounded.
    pub(crate) memory: u64,
    /// The operating system and architecture.
    pub(crate) system: String,
    /// The date in UTC.
    pub(crate) date: String,
    /// The load average of the last minute before the measurement.
    pub(crate) load: f64,
    /// The versions of programs and packages.
    pub(crate) versions: Vec<(String, String)>,
}

impl Machine {
    /// Describes this machine now; package versions only if the packages are installed.
    pub(crate) fn look(root: &Path, peers: Option<&Peers>) -> Result<Self, String> {
        let mut versions = vec![
            ("rightcall".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
            (
                "rustc".to_owned(),
                version(Command::new("rustc").arg("--version"), 1)?,
            ),
        ];
        if let Some(peers) = peers {
            versions.push((
                "Python".to_owned(),
                version(Command::new(&peers.python.python).arg("--version"), 1)?,
            ));
            versions.push((
                "Node".to_owned(),
                version(Command::new("node").arg("--version"), 0)?,
            ));
            versions.extend(pinned(root)?);
        }
        Ok(Self {
            processor: field("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown".to_owned()),
            cores: thread::available_parallelism().map_or(1, usize::from),
            memory: field("/proc/meminfo", "MemTotal")
                .and_then(|text| kibibytes(&text))
                .unwrap_or(0)
                >> 20,
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            date: line(Command::new("date").args(["-u", "+%F"]))?,
            load: load(),
            versions,
        })
    }
}

/// Waits until the load is at most `idle`, for up to three minutes: processes that have just ended still count.
pub(crate) fn settle(idle: f64) {
    let end = Instant::now() + Duration::from_secs(180);
    while load() > idle && Instant::now() < end {
        thread::sleep(Duration::from_secs(1));
    }
}

/// The load average of the last minute; 0 if the system does not report it.
fn load() -> f64 {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ')
        .next()
        .and_then(|text| text.parse().ok())
        .unwrap_or(0.0)
}

/// The value in a `name : value` line.
fn field(file: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let value = text
        .lines()
        .find_map(|line| line.strip_prefix(name)?.trim_start().strip_prefix(':'))?;
    Some(value.trim().to_owned())
}

fn kibibytes(text: &str) -> Option<u64> {
    text.strip_suffix(" kB")?.parse().ok()
}

fn line(command: &mut Command) -> Result<String, String> {
    Ok(printed(command)?.trim().to_owned())
}

fn version(command: &mut Command, word: usize) -> Result<String, String> {
    Ok(line(command)?
        .split(' ')
        .nth(word)
        .unwrap_or_default()
        .trim_start_matches('v')
        .to_owned())
}

/// The measured packages with their pinned versions.
fn pinned(root: &Path) -> Result<Vec<(String, String)>, String> {
    let measured =
        |name: &str| ["uipath", "deepeval", "agentevals", "orjson", "pyspark"].contains(&name);
    let owned = |(name, version): (&str, &str)| (name.to_owned(), version.to_owned());
    let mut versions: Vec<(String, String)> = Vec::new();
    for file in [
        "xtask/crosscheck/requirements.txt",
        "bindings/python/requirements/spark.txt",
    ] {
        let requirements = read(&root.join(file))?;
        let pins = requirements
            .lines()
            .filter_map(|line| line.split_once("=="));
        versions.extend(pins.filter(|(name, _)| measured(name)).map(owned));
    }
    let file = root.join("xtask/crosscheck/package.json");
    let package: serde_json::Value = read_json(&file)?;
    versions.extend(
        package["dependencies"]["evalite"]
            .as_str()
            .map(|version| owned(("evalite", version))),
    );
    Ok(versions)
}
