//! Compares the published packages with the command on pairs of real trajectories.
//!
//! Every evaluator of `xtask/crosscheck/evaluators.jsonl` scores every case twice: in the package, driven by the scripts next to that list,
//! and in `rightcall score` with the `package` edition. Scores must be the same f64, and if a package raises an error, we must too. The
//! Python packages run with five hash seeds, because some of them add floats in set order. If a package disagrees with itself, the case is
//! listed and skipped.
//!
//! The packages are installed in `.peers` at pinned versions. Results are parsed with
//! `serde_json`, so that none of our own parsers is involved.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use serde::Deserialize;
use serde_json::Value;

use crate::count::Count;
use crate::peers::{APART, MORE_PINS, NPM_PINS, PACKAGES, Peers, apart};
use crate::process::{cargo, failure, output, printed, project_root};
use crate::{alignments, node_peers, say};

/// The evaluators to compare, one a line: the objects that `rightcall score -e` takes. The peers' scripts build the originals from them.
const EVALUATORS: &str = include_str!("../crosscheck/evaluators.jsonl");

/// `PYTHONHASHSEED` for each run of the Python packages.
const HASH_SEEDS: [&str; 5] = ["0", "1", "2", "3", "4"];

/// Packages, with the program that runs them.
pub(crate) struct Originals<'p> {
    pub(crate) program: Program<'p>,
    /// The prefixes of their evaluators' names.
    pub(crate) systems: Vec<&'static str>,
}

/// A program that runs packages.
#[derive(Clone, Copy)]
pub(crate) enum Program<'p> {
    /// An interpreter with the packages, and the script for it.
    Python(&'p Path, &'static str),
    /// Node, with the folder of their `node_modules`.
    Node(&'p Path),
}

/// The script for the Python packages with these pins.
pub(crate) fn script(pins: &str) -> &'static str {
    match pins {
        MORE_PINS => "more_peers.py",
        apart if APART.contains(&apart) => "more_peers.py",
        _ => "peers.py",
    }
}

/// The default file of cases.
const DEFAULT_PAIRS: &str = "examples/support-agent/cases.jsonl";

/// Compares all evaluators on all files and prints the table; true if nothing differs.
pub(crate) fn run(arguments: &[String]) -> Result<bool, String> {
    let root = project_root()?;
    if arguments == ["--values"] {
        return node_peers::crosscheck(&root);
    }
    if arguments == ["--alignments"] {
        return alignments::crosscheck(&root);
    }
    if arguments == ["--written"] {
        return written(&root);
    }
    let files = pairs_files(arguments, &root)?;
    let peers = Peers::prepare(&root)?;
    let environments = APART.iter().map(|&pins| Ok((pins, apart(&root, pins)?)));
    let environments: Vec<_> = environments.collect::<Result<_, String>>()?;
    let of = |program, has: &dyn Fn(&str) -> bool| {
        let compared = PACKAGES.iter().filter_map(|package| package.crosscheck);
        let systems = compared.filter(|it| has(it.pins)).map(|it| it.system);
        Originals {
            program,
            systems: systems.collect(),
        }
    };
    let mut all = vec![
        of(Program::Python(&peers.python.python, script("")), &|pins| {
            ![MORE_PINS, NPM_PINS].contains(&pins) && !APART.contains(&pins)
        }),
        of(
            Program::Python(&peers.more_python.python, script(MORE_PINS)),
            &|pins| pins == MORE_PINS,
        ),
        of(Program::Node(&peers.modules), &|pins| pins == NPM_PINS),
    ];
    for (pins, venv) in &environments {
        let program = Program::Python(&venv.python, script(pins));
        all.push(of(program, &|it| it == *pins));
    }
    Ok(check(&root, &peers.home, &all, &files)?.close())
}

/// Compares the evaluators of packages on all files, and prints the agreement. The packages run in `home`.
pub(crate) fn check(
    root: &Path,
    home: &Path,
    packages: &[Originals<'_>],
    files: &[PathBuf],
) -> Result<Count, String> {
    let mut count = Count::default();
    let evaluators: Vec<_> = packages.iter().flat_map(Originals::evaluators).collect();
    for file in files {
        say(&file.display().to_string());
        let originals = originals(root, home, packages, file)?;
        let ours = score(root, file, &evaluators)?;
        for name in evaluators.iter().map(|line| name_of(line)) {
            let name = name?;
            let none = Verdicts::new();
            let runs: Vec<&Verdicts> = originals.iter().filter_map(|run| run.get(&name)).collect();
            let comparison = Comparison::of(&runs, ours.get(&name).unwrap_or(&none));
            comparison.print(&name);
            count.add((comparison.agreed, comparison.differences.len()));
        }
    }
    Ok(count)
}

impl Originals<'_> {
    /// The lines of the evaluators to compare.
    fn evaluators(&self) -> Vec<&'static str> {
        let is_one = |line: &&str| {
            let start = |system| format!(r#""evaluator":"{system}/"#);
            let mut systems = self.systems.iter();
            systems.any(|system| line.contains(&start(system)))
        };
        EVALUATORS.lines().filter(is_one).collect()
    }

    /// The commands that score a file: one for each hash seed, or a single one for the npm packages.
    fn commands(&self, root: &Path, file: &Path) -> Vec<Command> {
        let scripts = root.join("xtask/crosscheck");
        let mut commands = Vec::new();
        match self.program {
            Program::Python(interpreter, script) => commands.extend(HASH_SEEDS.map(|seed| {
                let mut command = Command::new(interpreter);
                command.env("PYTHONHASHSEED", seed);
                command.arg(scripts.join(script));
                command
            })),
            Program::Node(modules) => {
                let mut command = Command::new("node");
                command.arg(scripts.join("peers.mjs")).arg(modules);
                commands.push(command);
            }
        }
        for command in &mut commands {
            command.arg(file).args(self.evaluators());
        }
        commands
    }
}

/// Loads the examples that `rightcall convert` writes with the packages that they are for; true if those see the same calls.
fn written(root: &Path) -> Result<bool, String> {
    let peers = Peers::prepare(root)?;
    let (scripts, examples) = (
        root.join("xtask/crosscheck"),
        root.join("crates/rightcall-formats/tests/written"),
    );
    let mut python = Command::new(&peers.python.python);
    python.arg(scripts.join("written.py")).arg(&examples);
    let mut node = Command::new("node");
    node.arg(scripts.join("written.mjs"))
        .args([&peers.modules, &examples]);
    for command in [&mut python, &mut node] {
        // promptfoo prints log lines first.
        let said = printed(command.current_dir(&peers.home))?;
        say(said.lines().last().unwrap_or_default());
    }
    Ok(true)
}

pub(crate) fn pairs_files(arguments: &[String], root: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match (argument.as_str(), arguments.next()) {
            ("--pairs", Some(file)) => files.push(PathBuf::from(file)),
            ("--pairs", None) => return Err("`--pairs` takes a file".to_owned()),
            (other, _) => {
                return Err(format!(
                    "crosscheck takes `--pairs FILE`, `--values`, `--alignments` or `--written`, found `{other}`"
                ));
            }
        }
    }
    let default = root.join(DEFAULT_PAIRS);
    if files.is_empty() && default.is_file() {
        files.push(default);
    }
    if files.is_empty() {
        return Err(
            "no pairs given: cargo xtask crosscheck --pairs FILE, a JSON Lines file of cases \
{\"id\", \"expected\": [{\"name\", \"args\"}], \"actual\": [{\"name\", \"args\"}]}"
                .to_owned(),
        );
    }
    // The peers run in another folder, so the paths must be absolute.
    files
        .iter()
        .map(|file| fs::canonicalize(file).map_err(|error| format!("{}: {error}", file.display())))
        .collect()
}

/// The verdicts from each run of the packages.
fn originals(
    root: &Path,
    home: &Path,
    packages: &[Originals<'_>],
    file: &Path,
) -> Result<Vec<ByEvaluator>, String> {
    let commands = packages.iter().flat_map(|it| it.commands(root, file));
    let mut commands: Vec<_> = commands.collect();
    // The packages leave caches in their working folder, and read settings from there.
    let run = |command: &mut Command| read_verdicts(&printed(command.current_dir(home))?);
    thread::scope(|scope| {
        let running: Vec<_> = commands
            .iter_mut()
            .map(|command| scope.spawn(move || run(command)))
            .collect();
        running
            .into_iter()
            .map(|run| {
                run.join()
                    .unwrap_or_else(|_| Err("a run of the packages panicked".to_owned()))
            })
            .collect()
    })
}

/// The verdicts from `rightcall score`.
fn score(root: &Path, file: &Path, evaluators: &[&str]) -> Result<ByEvaluator, String> {
    let mut command = cargo();
    command
        .args(
            "run --release --quiet --package rightcall-cli --features columns -- score".split(' '),
        )
        .arg(file);
    command.args(evaluators.iter().flat_map(|evaluator| ["-e", evaluator]));
    command
        .args(["--format", "jsonl", "--no-details", "--quiet"])
        .current_dir(root);
    let output = output(&mut command)?;
    // An evaluation error makes the exit code 2, and may match an error of the package.
    if output.stdout.is_empty() {
        return Err(failure(&command, &output));
    }
    read_verdicts(&String::from_utf8_lossy(&output.stdout))
}

/// The result of one case.
#[derive(Clone, Debug)]
enum Verdict {
    Score(f64),
    Error(String),
    NotApplicable(String),
}

impl Verdict {
    /// Scores must be equal to the last bit; any two errors agree. *Not applicable* agrees only with itself: the scripts report it when a
    /// package rejects a case because nothing is expected.
    fn agrees_with(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Score(one), Self::Score(other)) => one == other,
            (Self::Error(_), Self::Error(_)) | (Self::NotApplicable(_), Self::NotApplicable(_)) => {
                true
            }
            _ => false,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Score(score) => write!(out, "{score:?}"),
            Self::Error(reason) => write!(out, "error ({reason})"),
            Self::NotApplicable(reason) => write!(out, "not applicable ({reason})"),
        }
    }
}

/// By case, and by trial if there is one.
type Verdicts = BTreeMap<String, Verdict>;
/// By name of the evaluator.
type ByEvaluator = BTreeMap<String, Verdicts>;

/// A result line of the scripts or of the command line. The scripts put the evaluator's name under `evaluator`.
#[derive(Deserialize)]
struct ResultLine {
    case: String,
    trial: Option<Value>,
    evaluator: String,
    name: Option<String>,
    score: Option<f64>,
    outcome: Option<String>,
    reason: Option<String>,
    error: Option<String>,
}

/// Reads result lines.
fn read_verdicts(text: &str) -> Result<ByEvaluator, String> {
    let mut by_evaluator = ByEvaluator::new();
    for line in text.lines() {
        let fault = |what: &str| format!("{what} in the result line {line}");
        let result: ResultLine =
            serde_json::from_str(line).map_err(|error| fault(&error.to_string()))?;
        let reason = result.reason.unwrap_or_default();
        let verdict = match (result.score, result.outcome.as_deref()) {
            (Some(score), _) => Verdict::Score(score),
            (None, Some("not_applicable")) => Verdict::NotApplicable(reason),
            (None, Some("error")) => Verdict::Error(reason),
            _ => Verdict::Error(
                result
                    .error
                    .ok_or_else(|| fault("no score, no outcome and no error"))?,
            ),
        };
        // The trials of a case have the same id.
        let case = match result.trial {
            None => result.case,
            Some(Value::String(trial)) => format!("{}, trial {trial}", result.case),
            Some(trial) => format!("{}, trial {trial}", result.case),
        };
        let name = result.name.unwrap_or(result.evaluator);
        let verdicts = by_evaluator.entry(name).or_default();
        if verdicts.insert(case, verdict).is_some() {
            return Err(fault("a second result for the same case and evaluator"));
        }
    }
    Ok(by_evaluator)
}

/// The name of an evaluator.
fn name_of(evaluator: &str) -> Result<String, String> {
    let object: Value =
        serde_json::from_str(evaluator).map_err(|error| format!("{evaluator}: {error}"))?;
    let name = object["name"].as_str().map(str::to_owned);
    name.ok_or_else(|| format!("{evaluator}: no `name`"))
}

/// The comparison of one evaluator on one file.
#[derive(Debug, Default)]
struct Comparison {
    agreed: usize,
    differences: Vec<String>,
    /// Cases on which the package disagrees with itself.
    left_out: Vec<String>,
}

impl Comparison {
    /// Compares our verdicts with every run of the package.
    fn of(runs: &[&Verdicts], ours: &Verdicts) -> Self {
        let mut comparison = Self::default();
        let Some(first) = runs.first() else {
            comparison
                .differences
                .push("the package scored nothing".to_owned());
            return comparison;
        };
        for (case, ours) in ours.iter().filter(|(case, _)| !first.contains_key(*case)) {
            comparison.differences.push(format!(
                "{case}: the package scored nothing, rightcall {ours}"
            ));
        }
        for (case, original) in *first {
            let again: Vec<&Verdict> = runs.iter().filter_map(|run| run.get(case)).collect();
            let steady = again.len() == runs.len()
                && again.iter().all(|verdict| verdict.agrees_with(original));
            let ours = ours.get(case);
            let found = ours.map_or_else(|| "nothing".to_owned(), Verdict::to_string);
            if !steady {
                let mut seen: Vec<String> = again.iter().map(ToString::to_string).collect();
                seen.sort();
                seen.dedup();
                comparison.left_out.push(format!(
                    "{case}: the package {}, rightcall {found}",
                    seen.join(" or ")
                ));
            } else if ours.is_some_and(|ours| ours.agrees_with(original)) {
                comparison.agreed += 1;
            } else {
                comparison
                    .differences
                    .push(format!("{case}: the package {original}, rightcall {found}"));
            }
        }
        comparison
    }

    fn print(&self, name: &str) {
        let compared = self.agreed + self.differences.len();
        let left_out = match self.left_out.len() {
            0 => String::new(),
            some => format!(", {some} left out"),
        };
        say(&format!(
            "  {name:<30} {} of {compared} agree{left_out}",
            self.agreed
        ));
        self.left_out
            .iter()
            .for_each(|line| say(&format!("    left out: {line}")));
        self.differences
            .iter()
            .for_each(|line| say(&format!("    differs: {line}")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdicts(score: f64) -> Verdicts {
        Verdicts::from([("a".to_owned(), Verdict::Score(score))])
    }

    #[test]
    fn a_score_that_differs_in_the_last_bit_is_a_difference() {
        let comparison = Comparison::of(&[&verdicts(0.9)], &verdicts(0.9_f64.next_down()));
        assert_eq!((comparison.agreed, comparison.differences.len()), (0, 1));
    }

    #[test]
    fn a_package_that_disagrees_with_itself_is_left_out() {
        let comparison = Comparison::of(
            &[&verdicts(0.9), &verdicts(0.9_f64.next_down())],
            &verdicts(0.9),
        );
        assert_eq!(
            (
                comparison.agreed,
                comparison.differences.len(),
                comparison.left_out.len()
            ),
            (0, 0, 1)
        );
    }

    #[test]
    fn a_case_that_only_one_side_scored_is_a_difference() {
        assert_eq!(
            Comparison::of(&[&verdicts(1.0)], &Verdicts::new())
                .differences
                .len(),
            1
        );
        assert_eq!(
            Comparison::of(&[&Verdicts::new()], &verdicts(1.0))
                .differences
                .len(),
            1
        );
        assert_eq!(Comparison::of(&[], &verdicts(1.0)).differences.len(), 1);
    }

    #[test]
    fn an_error_meets_an_error_and_nothing_else() {
        let error = Verdict::Error("one".to_owned());
        assert!(error.agrees_with(&Verdict::Error("other".to_owned())));
        assert!(!error.agrees_with(&Verdict::Score(0.0)));
        assert!(!error.agrees_with(&Verdict::NotApplicable(String::new())));
    }
}
