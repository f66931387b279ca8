//! Mutants: whether a test fails where the code is wrong.
//!
//! cargo-mutants breaks the core in one place at a time, and runs the tests that judge what a case is worth: those of the
//! core, of the readers, of the reference, and the golden cases. A run takes a sample, because all mutants would take hours.
//! The sample is the start of an order that a seed gives, so that a larger one holds the smaller, and a mutant keeps its
//! place in that order when lines above it move.
//!
//! `xtask/mutants.jsonl` says of mutants that no test catches why none has to: the file and the change, the line that is changed,
//! and the reason.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::hash::{Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::str::FromStr;

use serde::Deserialize;
use serde_json::Value;
use siphasher::sip::SipHasher13;

use crate::process::{cargo, output, project_root, succeed};
use crate::say;

const USAGE: &str = "usage: cargo xtask mutants [--sample N] [--seed N] [--shard K/N]";

/// The version of cargo-mutants, because another one makes other mutants.
const VERSION: &str = "27.1.0";

const SOURCE: &str = "crates/rightcall/src";

/// What is mutated, below [`SOURCE`].
const MODULES: [&str; 6] = [
    "matching",
    "alignment",
    "scoring",
    "presets",
    "constraint",
    "similarity",
];

/// A module's least share of the sample.
const AT_LEAST: usize = 20;

/// The tests that a mutant has to get past.
const TEST_PACKAGES: [&str; 4] = [
    "rightcall",
    "rightcall-formats",
    "rightcall-reference",
    "xtask",
];

/// Seconds after which tests hang, where they pass in ten.
const TIMEOUT: &str = "60";

/// The share of the viable mutants to be caught, in per cent.
const WANTED: usize = 90;

/// Tests a sample, or a shard of it, and prints what is known of the whole sample; true if enough of it was caught.
pub(crate) fn run(arguments: &[String]) -> Result<bool, String> {
    let options = Options::parse(arguments)?;
    let root = project_root()?;
    let accepted = Accepted::read(&root)?;
    let tool = Tool::install(&root)?;
    let all = tool.list()?;
    let sample = sample(&all, &options);
    let mut known = Known::read(&tool)?;
    let (shard, shards) = options.shard;
    let open: Vec<_> = sample
        .iter()
        .skip(shard - 1)
        .step_by(shards)
        .copied()
        .filter(|mutant| !known.is_settled(mutant))
        .collect();
    if !open.is_empty() {
        tool.test(&all, &open)?;
        known.gather()?;
    }
    Ok(report(&sample, &known, &accepted))
}

struct Options {
    sample: usize,
    seed: u64,
    /// Which, from 1 on, of how many.
    shard: (usize, usize),
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self, String> {
        let mut options = Self {
            sample: 300,
            seed: 1,
            shard: (1, 1),
        };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let value = arguments.next().map_or("", String::as_str);
            match argument.as_str() {
                "--sample" => options.sample = number(argument, value)?,
                "--seed" => options.seed = number(argument, value)?,
                "--shard" => {
                    let shard = value
                        .split_once('/')
                        .and_then(|(which, of)| Some((which.parse().ok()?, of.parse().ok()?)));
                    let shard = shard.filter(|(which, of)| (1..=*of).contains(which));
                    options.shard = shard.ok_or_else(|| {
                        format!("`--shard` wants K/N, K from 1 to N, found `{value}`")
                    })?;
                }
                other => return Err(format!("mutants has no `{other}`\n\n{USAGE}")),
            }
        }
        Ok(options)
    }
}

fn number<N: FromStr>(option: &str, value: &str) -> Result<N, String> {
    value
        .parse()
        .map_err(|_| format!("`{option}` wants a number, found `{value}`\n\n{USAGE}"))
}

/// One change of the code.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Mutant {
    module: &'static str,
    /// cargo-mutants' name: file, line, column and change.
    name: String,
    /// File and change, as in `alignment/lcs.rs: replace - with + in walk`.
    change: String,
    /// The line that is changed.
    code: String,
    /// A hash of the file, its tests left out.
    file: u64,
}

impl Mutant {
    /// From an item of `cargo mutants --list --json`.
    fn read(item: &Value, root: &Path) -> Option<Self> {
        let (name, file) = (item["name"].as_str()?, item["file"].as_str()?);
        let line = usize::try_from(item["span"]["start"]["line"].as_u64()?).ok()?;
        let source = fs::read_to_string(root.join(file)).ok()?;
        let file = file.strip_prefix(SOURCE)?.trim_start_matches('/');
        let module = MODULES
            .into_iter()
            .find(|module| file.starts_with(module))?;
        let change = name.split_once(": ")?.1;
        let code = source.lines().nth(line.checked_sub(1)?)?.trim().to_owned();
        let mut hasher = SipHasher13::new();
        source.split("#[cfg(test)]").next().hash(&mut hasher);
        Some(Self {
            module,
            name: name.to_owned(),
            change: format!("{file}: {change}"),
            code,
            file: hasher.finish(),
        })
    }

    /// What outcomes are kept by. Tests may change: those that survived are tested again, and no test should be taken away.
    fn key(&self) -> String {
        format!("{:016x} {}", self.file, self.name)
    }

    /// The place in the order that the seed gives. Line numbers have no part in it.
    fn place(&self, seed: u64) -> u64 {
        let mut hasher = SipHasher13::new_with_keys(seed, 0);
        (&self.change, &self.code).hash(&mut hasher);
        hasher.finish()
    }
}

/// The first mutants of each module, and then the first of all.
fn sample<'m>(mutants: &'m [Mutant], options: &Options) -> Vec<&'m Mutant> {
    let mut mutants: Vec<_> = mutants.iter().collect();
    mutants.sort_by_cached_key(|mutant| (mutant.place(options.seed), &mutant.name));
    let mut of_module = HashMap::new();
    let (mut sample, rest): (Vec<_>, Vec<_>) = mutants.into_iter().partition(|mutant| {
        let count = of_module.entry(mutant.module).or_insert(0);
        *count += 1;
        *count <= AT_LEAST
    });
    let more = options.sample.saturating_sub(sample.len());
    sample.extend(rest.into_iter().take(more));
    sample
}

/// cargo-mutants, and where it writes.
struct Tool<'r> {
    root: &'r Path,
    folder: PathBuf,
}

impl<'r> Tool<'r> {
    /// Installs cargo-mutants into `target/mutants` if it is not there.
    fn install(root: &'r Path) -> Result<Self, String> {
        let tool = Self {
            root,
            folder: root.join("target/mutants"),
        };
        let version = output(tool.mutants().arg("--version"));
        if !version.is_ok_and(|output| {
            String::from_utf8_lossy(&output.stdout)
                .trim_end()
                .ends_with(VERSION)
        }) {
            say(&format!(
                "installing cargo-mutants {VERSION} into target/mutants"
            ));
            let mut install = cargo();
            install.args(["install", "--locked", "cargo-mutants", "--version", VERSION]);
            succeed(
                install
                    .arg("--root")
                    .arg(&tool.folder)
                    .arg("--target-dir")
                    .arg(tool.folder.join("build")),
            )?;
        }
        Ok(tool)
    }

    /// What is built from mutants stays apart: it must never be taken for what was built from the code as it is.
    fn mutants(&self) -> Command {
        let mut command = Command::new(self.folder.join("bin/cargo-mutants"));
        command
            .arg("mutants")
            .current_dir(self.root)
            .env("CARGO_TARGET_DIR", self.folder.join("mutated"));
        command.args(["--package", "rightcall"]);
        for module in MODULES {
            command.args([
                "--file",
                &format!("{SOURCE}/{module}.rs"),
                "--file",
                &format!("{SOURCE}/{module}/**"),
            ]);
        }
        command
    }

    /// All mutants of the modules.
    fn list(&self) -> Result<Vec<Mutant>, String> {
        let output = output(self.mutants().args(["--list", "--json"]))?;
        let list: Vec<Value> = serde_json::from_slice(&output.stdout)
            .map_err(|error| format!("cargo mutants --list: {error}"))?;
        list.iter()
            .map(|item| {
                Mutant::read(item, self.root).ok_or_else(|| format!("cargo mutants --list: {item}"))
            })
            .collect()
    }

    /// Tests these of all mutants, each by itself. What is found stands in `mutants.out`.
    fn test(&self, all: &[Mutant], open: &[&Mutant]) -> Result<(), String> {
        // cargo-mutants would try the tests of the mutated package only.
        say("testing the code as it is");
        let mut tests = cargo();
        tests
            .current_dir(self.root)
            .env("CARGO_TARGET_DIR", self.folder.join("build"));
        tests.args(["test", "--quiet", "--profile", "mutants", "--tests"]);
        succeed(
            tests.args(
                TEST_PACKAGES
                    .iter()
                    .flat_map(|package| ["--package", package]),
            ),
        )?;
        // cargo-mutants leaves out what it caught before. (Its regular expressions for names let all deleted fields pass.)
        let chosen: HashSet<&str> = open.iter().map(|mutant| mutant.name.as_str()).collect();
        let others = all
            .iter()
            .map(|mutant| mutant.name.as_str())
            .filter(|name| !chosen.contains(name));
        let others: Vec<&str> = others.collect();
        let results = self.folder.join("mutants.out");
        _ = fs::remove_dir_all(&results);
        fs::create_dir_all(&results).map_err(|error| format!("{}: {error}", results.display()))?;
        write(&results.join("previously_caught.txt"), &others.join("\n"))?;
        write(
            &self.folder.join("tested.txt"),
            &open
                .iter()
                .map(|mutant| mutant.key() + "\n")
                .collect::<String>(),
        )?;
        let mut command = self.mutants();
        command.args([
            "--iterate",
            "--baseline",
            "skip",
            "--timeout",
            TIMEOUT,
            "--profile",
            "mutants",
            "--cargo-arg=--tests",
        ]);
        command
            .args(
                TEST_PACKAGES
                    .iter()
                    .flat_map(|package| ["--test-package", package]),
            )
            .arg("--output")
            .arg(&self.folder);
        let status = command
            .status()
            .map_err(|error| format!("cargo-mutants: {error}"))?;
        // 2: some were missed; 3: a test did not end.
        match status.code() {
            Some(0 | 2 | 3) => Ok(()),
            _ => Err(format!("cargo-mutants: {status}")),
        }
    }
}

/// What became of mutants, kept from run to run as long as their file is the same.
struct Known {
    folder: PathBuf,
    /// By [`Mutant::key`].
    outcomes: BTreeMap<String, String>,
}

impl Known {
    /// What earlier runs found, one that was interrupted among them.
    fn read(tool: &Tool<'_>) -> Result<Self, String> {
        let outcomes = fs::read(tool.folder.join("outcomes.json"))
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let mut known = Self {
            folder: tool.folder.clone(),
            outcomes: outcomes.unwrap_or_default(),
        };
        known.gather()?;
        Ok(known)
    }

    /// Adds what the last run found.
    fn gather(&mut self) -> Result<(), String> {
        let read = |file: &str| fs::read_to_string(self.folder.join(file)).unwrap_or_default();
        let tested = read("tested.txt");
        let keys: HashMap<&str, &str> = tested
            .lines()
            .filter_map(|key| Some((key.split_once(' ')?.1, key)))
            .collect();
        for outcome in ["caught", "missed", "timeout", "unviable"] {
            let names = read(&format!("mutants.out/{outcome}.txt"));
            let keys = names.lines().filter_map(|name| keys.get(name));
            self.outcomes
                .extend(keys.map(|key| ((*key).to_owned(), outcome.to_owned())));
        }
        let text =
            serde_json::to_string_pretty(&self.outcomes).map_err(|error| error.to_string())?;
        write(&self.folder.join("outcomes.json"), &text)
    }

    fn of(&self, mutant: &Mutant) -> Option<&str> {
        self.outcomes.get(&mutant.key()).map(String::as_str)
    }

    /// Whether testing again would tell nothing. A survivor may meet a new test.
    fn is_settled(&self, mutant: &Mutant) -> bool {
        matches!(self.of(mutant), Some("caught" | "timeout" | "unviable"))
    }
}

fn write(file: &Path, text: &str) -> Result<(), String> {
    fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))
}

/// The survivors that are known to be no gap in the tests.
struct Accepted(Vec<Survivor>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Survivor {
    mutant: String,
    code: String,
    reason: String,
}

impl Accepted {
    fn read(root: &Path) -> Result<Self, String> {
        let file = root.join("xtask/mutants.jsonl");
        let text =
            fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let survivors = text
            .lines()
            .map(serde_json::from_str)
            .collect::<Result<_, _>>();
        survivors
            .map(Self)
            .map_err(|error| format!("{}: {error}", file.display()))
    }

    fn reason(&self, mutant: &Mutant) -> Option<&str> {
        let survivor = self
            .0
            .iter()
            .find(|survivor| survivor.mutant == mutant.change && survivor.code == mutant.code);
        survivor.map(|survivor| survivor.reason.as_str())
    }
}

#[derive(Default)]
struct Tally {
    caught: usize,
    missed: usize,
    timeout: usize,
    unviable: usize,
    untested: usize,
}

impl Tally {
    fn of<'m>(mutants: impl Iterator<Item = &'m Mutant>, known: &Known) -> Self {
        let mut tally = Self::default();
        for mutant in mutants {
            *match known.of(mutant) {
                Some("caught") => &mut tally.caught,
                Some("missed") => &mut tally.missed,
                Some("timeout") => &mut tally.timeout,
                Some("unviable") => &mut tally.unviable,
                _ => &mut tally.untested,
            } += 1;
        }
        tally
    }

    /// Caught, and viable. A test that does not end is a test that fails.
    fn share(&self) -> (usize, usize) {
        (
            self.caught + self.timeout,
            self.caught + self.timeout + self.missed,
        )
    }

    fn line(&self, title: &str) -> String {
        let (caught, viable) = self.share();
        let share = if viable == 0 {
            "-".to_owned()
        } else {
            format!("{:.1} %", 100.0 * caught as f64 / viable as f64)
        };
        let Self {
            caught,
            missed,
            timeout,
            unviable,
            untested,
        } = self;
        format!(
            "{title:<12}{caught:>8}{missed:>8}{timeout:>9}{unviable:>10}{untested:>10}{share:>18}"
        )
    }
}

/// Prints a table and the survivors; true if enough of the viable mutants were caught.
fn report(sample: &[&Mutant], known: &Known, accepted: &Accepted) -> bool {
    say("");
    say("module        caught  missed  timeout  unviable  untested  caught of viable");
    for module in MODULES {
        say(&Tally::of(
            sample
                .iter()
                .copied()
                .filter(|mutant| mutant.module == module),
            known,
        )
        .line(module));
    }
    let total = Tally::of(sample.iter().copied(), known);
    say(&total.line("all"));
    let mut survivors: Vec<_> = sample
        .iter()
        .filter(|mutant| known.of(mutant) == Some("missed"))
        .collect();
    survivors.sort();
    for mutant in &survivors {
        say(&format!(
            "\n{}\n    {}\n    {}",
            mutant.name,
            mutant.code,
            accepted.reason(mutant).unwrap_or("NO REASON GIVEN")
        ));
    }
    let unexplained = survivors
        .iter()
        .filter(|mutant| accepted.reason(mutant).is_none())
        .count();
    say(&format!(
        "\n{} survivors, {unexplained} of them without a reason in xtask/mutants.jsonl",
        survivors.len()
    ));
    let (caught, viable) = total.share();
    100 * caught >= WANTED * viable
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mutants() -> Vec<Mutant> {
        let mutant = |number: usize| {
            let module = if number.is_multiple_of(20) {
                "scoring"
            } else {
                "presets"
            };
            let change = format!("{module}/a.rs: change {number}");
            Mutant {
                module,
                name: format!("{module}/a.rs:{number}:1: change {number}"),
                change,
                code: String::new(),
                file: 0,
            }
        };
        (0..800).map(mutant).collect()
    }

    fn changes(mutants: &[Mutant], sample: usize, seed: u64) -> Vec<&str> {
        let sample = super::sample(
            mutants,
            &Options {
                sample,
                seed,
                shard: (1, 1),
            },
        );
        sample
            .into_iter()
            .map(|mutant| mutant.change.as_str())
            .collect()
    }

    #[test]
    fn every_module_has_its_part_in_a_sample() {
        let mutants = mutants();
        let sample = changes(&mutants, 100, 1);
        assert_eq!(sample.len(), 100);
        assert!(
            sample
                .iter()
                .filter(|change| change.starts_with("scoring"))
                .count()
                >= AT_LEAST
        );
    }

    #[test]
    fn a_larger_sample_holds_the_smaller_and_another_seed_gives_another() {
        let mutants = mutants();
        assert_eq!(changes(&mutants, 200, 1)[..100], changes(&mutants, 100, 1));
        assert_ne!(changes(&mutants, 100, 2), changes(&mutants, 100, 1));
    }

    #[test]
    fn the_sample_does_not_depend_on_line_numbers() {
        let mut moved = mutants();
        moved
            .iter_mut()
            .for_each(|mutant| mutant.name.insert(0, 'x'));
        assert_eq!(changes(&moved, 100, 1), changes(&mutants(), 100, 1));
    }

    #[test]
    fn a_test_that_hangs_counts_as_one_that_fails() {
        let tally = Tally {
            caught: 8,
            missed: 1,
            timeout: 1,
            unviable: 5,
            untested: 7,
        };
        assert_eq!(tally.share(), (9, 10));
    }

    #[test]
    fn the_list_of_survivors_can_be_read() {
        let accepted = Accepted::read(&project_root().unwrap()).unwrap();
        assert!(accepted.0.iter().all(|survivor| survivor.reason.len() > 20));
    }
}
