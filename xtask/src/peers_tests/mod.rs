//! `cargo xtask peers-tests`: runs the packages' own tests of their tool call metrics, from a source distribution or a repository.
//!
//! For a package with a drop-in module of ours, the tests run twice in an environment with the
//! package: unchanged, and with their imports changed to our module. For other packages nothing
//! changes, but each call of a metric is recorded with its result. The call becomes a golden line
//! and is judged in the original's own format and as a line of a case file. A test that fails with
//! the package itself is ignored. Any other difference needs a reason in
//! `xtask/peers_tests/peers.jsonl`.

mod checkout;
mod page;
mod runs;

use std::path::Path;

pub(crate) use page::page;
use serde::Deserialize;

use crate::count::{Count, PeerScope};
use crate::process::project_root;
use crate::{node, python, say};

/// A package and its tests of tool call metrics.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Peer {
    /// Its name in the command and in the recording scripts.
    name: String,
    /// The package to install for the tests, or the package that contains them.
    package: String,
    /// The source distribution with the tests; without one, they are in a commit of a repository.
    distribution: Option<String>,
    #[serde(default)]
    url: String,
    #[serde(default)]
    commit: String,
    /// The version of the tests, or the version that the commit declares.
    version: String,
    /// The folders of the tests and their shared files. For a drop-in: the path in the repository,
    /// then the path in a source distribution.
    roots: Vec<String>,
    /// Our module to import from, for packages with a drop-in.
    module: Option<String>,
    /// The package's module to import from; submodules are included.
    #[serde(default)]
    theirs: String,
    /// The file under `xtask/crosscheck` that pins the package.
    pins: String,
    /// Test files and flags for pytest or vitest.
    arguments: Vec<String>,
    /// The counts of the last run. For a drop-in: passed tests, all tests. Otherwise: tests, calls,
    /// equal calls, known differences, calls that can't be compared.
    counts: Vec<usize>,
    /// Parts of names of tests that may fail or have different calls, with the reasons.
    #[serde(default)]
    exceptions: Vec<(String, String)>,
}

/// All peers; those with a drop-in come first.
fn peers() -> Result<Vec<Peer>, String> {
    let lines = include_str!("../../peers_tests/peers.jsonl").lines();
    let peers = lines.map(|line| {
        serde_json::from_str(line).map_err(|error| format!("peers.jsonl: {error} in {line}"))
    });
    peers.collect()
}

/// The outcome of a test, or of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Outcome {
    Passed,
    /// Why it failed.
    Failed(Difference),
    /// With the reason.
    Skipped(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Difference {
    Ours(String),
    /// The test fails with the package itself.
    Package,
}

/// The counts of a peer.
#[derive(Debug, Default)]
struct Tally {
    /// Tests that ran; some may make no call.
    tests: usize,
    passed: usize,
    /// Failures with a known reason, and without.
    explained: usize,
    failed: usize,
    skipped: usize,
}

/// Runs the requested tests; true if nothing failed without a known reason.
///
/// Without a name, our two packages are also tested next to the published ones, which `cargo xtask
/// test` does not do.
pub(crate) fn run(name: Option<&str>) -> Result<bool, String> {
    let (root, mut peers) = (project_root()?, peers()?);
    let mut count = Count::default();
    match name {
        None => {
            python::test(&mut count, PeerScope::Everybody)?;
            node::test(&mut count, PeerScope::Everybody)?;
        }
        Some("all") => {}
        Some("trainers") => {
            python::test_trainers(&mut count)?;
            peers.clear();
        }
        Some(name) => {
            let names: Vec<_> = peers.iter().map(|peer| peer.name.as_str()).collect();
            let names = names.join(", ");
            peers.retain(|peer| peer.name == name);
            if peers.is_empty() {
                return Err(format!("no peer is called `{name}`; there are {names}"));
            }
        }
    }
    let mut lines = Vec::new();
    for peer in &peers {
        say(&format!("== the own tests of {}", peer.name));
        let tally = peer.run(&root, peers.len() == 1);
        lines.push(match &tally {
            Ok(tally) => peer.line(tally),
            Err(message) => format!("{:<18} broke off: {message}", peer.name),
        });
        count.add(tally.map_or((0, 1), |it| (it.passed, it.failed)));
    }
    lines.iter().for_each(|line| say(line));
    Ok(count.close())
}

impl Peer {
    fn run(&self, root: &Path, shows_all: bool) -> Result<Tally, String> {
        let checkout = self.checkout(root)?;
        if let Some(module) = &self.module {
            let outcomes = self.with_drop_in(root, &checkout, module)?;
            let tally = self.tally(outcomes, shows_all);
            let tests = tally.passed + tally.explained + tally.failed;
            return Ok(Tally { tests, ..tally });
        }
        let (tests, outcomes) = self.calls(root, &checkout)?;
        let tally = self.tally(outcomes, shows_all);
        Ok(Tally { tests, ..tally })
    }

    /// Prints the failures, or every outcome, and counts them. If nothing could be compared, the
    /// tests prove nothing, which counts as a failure.
    fn tally(&self, outcomes: Vec<(String, Outcome)>, shows_all: bool) -> Tally {
        let mut tally = Tally::default();
        for (test, outcome) in outcomes {
            let line = match outcome {
                Outcome::Passed => {
                    tally.passed += 1;
                    shows_all.then(|| format!("same     {test}"))
                }
                Outcome::Skipped(reason) => {
                    tally.skipped += 1;
                    shows_all.then(|| format!("skipped  {test}: {reason}"))
                }
                Outcome::Failed(difference) => {
                    let mut known = self.exceptions.iter();
                    let known = known.find(|(part, _)| test.contains(part));
                    let known = known.map(|(_, reason)| reason.as_str());
                    let (found, known) = match difference {
                        Difference::Ours(found) => (found, known),
                        Difference::Package => {
                            let theirs = "it fails with the package itself";
                            (String::new(), known.or(Some(theirs)))
                        }
                    };
                    *known.map_or(&mut tally.failed, |_| &mut tally.explained) += 1;
                    let known = known.unwrap_or("?");
                    // The difference of a call begins with its test.
                    let test = if found.starts_with(&test) { "" } else { &*test };
                    Some(format!("differs  {test} {found}: {known}"))
                }
            };
            line.iter().for_each(|line| say(line));
        }
        if tally.passed == 0 {
            tally.failed += 1;
        }
        tally
    }

    /// The counts in the form of `docs/metrics.md`.
    fn counts(&self, tally: &Tally) -> Vec<usize> {
        let calls = tally.passed + tally.explained + tally.failed + tally.skipped;
        match self.module {
            Some(_) => vec![tally.passed, tally.tests],
            None => [
                [tally.tests, calls, tally.passed].as_slice(),
                &[tally.explained, tally.skipped],
            ]
            .concat(),
        }
    }

    /// The counts as a line, with the page's counts if they differ.
    fn line(&self, tally: &Tally) -> String {
        let (name, found) = (&self.name, self.counts(tally));
        let page = if found == self.counts {
            String::new()
        } else {
            format!("; {found:?} where docs/metrics.md says {:?}", self.counts)
        };
        format!(
            "{name:<18} {} the same, {} different with a known reason, {} without, {} skipped{page}",
            tally.passed, tally.explained, tally.failed, tally.skipped
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_counted_by_kind_and_known_reason() {
        let azure = peers().unwrap().remove(8);
        let known = azure.exceptions[0].0.clone();
        let failed = |what: &str| Outcome::Failed(Difference::Ours(what.to_owned()));
        let outcomes = [
            ("t::same", Outcome::Passed),
            ("t::other", failed("score")),
            (&known, failed("score")),
            ("t::theirs", Outcome::Failed(Difference::Package)),
            ("t::judged", Outcome::Skipped("a model judges".to_owned())),
        ];
        let outcomes = outcomes.map(|(test, outcome)| (test.to_owned(), outcome));
        let tally = Tally {
            tests: 5,
            ..azure.tally(outcomes.into(), false)
        };
        assert_eq!((tally.passed, tally.explained, tally.failed), (1, 2, 1));
        assert_eq!(azure.counts(&tally), [5, 5, 1, 2, 1]);
        assert!(azure.line(&tally).contains("where docs/metrics.md says"));
    }

    #[test]
    fn tests_without_a_comparable_call_fail() {
        let peer = peers().unwrap().remove(0);
        assert_eq!(peer.tally(Vec::new(), false).failed, 1);
    }
}
