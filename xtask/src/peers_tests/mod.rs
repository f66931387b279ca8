//! `cargo xtask peers-tests`: runs the packages' own tests of their tool call metrics. Either only their imports are changed, or nothing is
//! changed and each call of a metric is judged here as well ([`recorded`]).
//!
//! The tests come from a package's source distribution or from a checkout of its repository, and are copied only to a folder under
//! `target`. Tests with changed imports run twice in an environment with the package: unchanged, and with the names of our drop-in module
//! imported from there. A test that fails with the package itself is ignored. Any other failure needs a reason in the table of [`peers`].

mod checkout;
mod page;
mod peers;
mod python;
mod recorded;
mod vitest;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use checkout::Cloning;
pub(crate) use page::page;
use peers::{DropIn, PEERS, Peer, Runner, Tests};

use crate::count::{Company, Count};
use crate::files::make_folder;
use crate::process::project_root;
use crate::say;

/// The outcome of each test, by name.
type Outcomes = BTreeMap<String, Outcome>;

/// The outcome of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Passed,
    Failed,
    Skipped,
}

impl Outcome {
    /// Parses the word of pytest or vitest; a test that did not finish counts as failed.
    fn of(word: &str) -> Self {
        match word {
            "passed" => Self::Passed,
            "skipped" | "pending" | "todo" | "disabled" => Self::Skipped,
            _ => Self::Failed,
        }
    }
}

/// The outcomes; an error if no test ran.
fn some(outcomes: Outcomes) -> Result<Outcomes, String> {
    let advice = "no test ran: is this a checkout of the package's repository, with its tests?";
    if outcomes.is_empty() {
        return Err(advice.to_owned());
    }
    Ok(outcomes)
}

/// The outcomes of all tests of a peer.
#[derive(Debug, Default)]
struct Tally {
    passed: usize,
    /// Failures with a known reason.
    explained: usize,
    /// Failures without a known reason.
    unexplained: usize,
}

/// Runs the requested tests; true if nothing failed without a known reason.
///
/// Without a name, both packages are also tested against the published ones, which `cargo xtask test` does not do.
pub(crate) fn run(
    peer: Option<&str>,
    checkout: Option<PathBuf>,
    clone: bool,
) -> Result<bool, String> {
    let cloning = if clone { Cloning::Allowed } else { Cloning::No };
    let root = project_root()?;
    let mut count = Count::default();
    match peer {
        None => {
            crate::python::test(&mut count, Company::Everybody)?;
            crate::node::test(&mut count, Company::Everybody)?;
            all(&root, cloning, &mut count);
        }
        Some("all") => all(&root, cloning, &mut count),
        Some("trainers") => crate::python::test_trainers(&mut count)?,
        Some(name) => {
            let peer = find(name)?;
            let checkout = checkout.map_or_else(|| peer.folder(&root, cloning), Ok)?;
            say(&peer.run(&root, &checkout, Shown::Every, &mut count)?);
        }
    }
    Ok(count.close())
}

fn find(name: &str) -> Result<&'static Peer, String> {
    PEERS.iter().find(|peer| peer.name == name).ok_or_else(|| {
        let names: Vec<_> = PEERS.iter().map(|peer| peer.name).collect();
        format!("no peer is called `{name}`; there are {}", names.join(", "))
    })
}

/// Runs the tests of every peer that are available or can be downloaded, and prints a summary at the end.
fn all(root: &Path, cloning: Cloning, count: &mut Count) {
    let mut lines = Vec::new();
    for peer in PEERS {
        let name = peer.name;
        say(&format!("== the own tests of {name}"));
        lines.push(match peer.folder(root, cloning) {
            Err(message) => format!("{name:<18} not run: {message}"),
            Ok(checkout) => peer
                .run(root, &checkout, Shown::Failures, count)
                .unwrap_or_else(|message| {
                    count.note(false);
                    format!("{name:<18} broke off: {message}")
                }),
        });
    }
    say("== the own tests of the packages");
    lines.iter().for_each(|line| say(line));
}

impl Peer {
    /// The folder of the tests; they are downloaded if missing.
    fn folder(&self, root: &Path, cloning: Cloning) -> Result<PathBuf, String> {
        self.source.folder(root, self.name, self.roots, cloning)
    }

    /// Runs the tests, counts, and prints the outcome.
    fn run(
        &self,
        root: &Path,
        checkout: &Path,
        shown: Shown,
        count: &mut Count,
    ) -> Result<String, String> {
        let checkout = fs::canonicalize(checkout)
            .map_err(|error| format!("{}: {error}", checkout.display()))?;
        match &self.tests {
            Tests::DropIn(drop_in) => {
                let tally = of_drop_in(root, self, drop_in, &checkout, shown)?;
                count.add((tally.passed, tally.unexplained));
                Ok(tally.line(self, drop_in.passed))
            }
            Tests::Calls(recorded) => {
                let tally = recorded.run(self, root, &checkout, shown)?;
                tally.count(count);
                Ok(recorded.line(self, tally))
            }
        }
    }
}

/// Which tests to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Every,
    Failures,
}

/// Runs the tests of a peer, and prints them.
fn of_drop_in(
    root: &Path,
    peer: &Peer,
    drop_in: &DropIn,
    checkout: &Path,
    shown: Shown,
) -> Result<Tally, String> {
    let folder = root.join("target/peers-tests").join(peer.name);
    make_folder(&folder)?;
    let tests = found(checkout, peer.roots)?;
    let (original, ours) = match &drop_in.runner {
        Runner::Pytest(suite) => suite.run(root, &tests, &folder, drop_in.module)?,
        Runner::Vitest => vitest::run(root, &tests, drop_in.module)?,
    };
    let mut tally = Tally::default();
    for (test, outcome) in &ours {
        match outcome {
            Outcome::Passed => {
                tally.passed += 1;
                if shown == Shown::Every {
                    say(&format!("passed   {test}"));
                }
            }
            Outcome::Skipped => say(&format!("skipped  {test}")),
            Outcome::Failed => {
                let in_package = original.get(test) == Some(&Outcome::Failed);
                let reason = peer
                    .reason(test)
                    .or(in_package.then_some("it fails with the package itself"));
                *match reason {
                    Some(_) => &mut tally.explained,
                    None => &mut tally.unexplained,
                } += 1;
                say(&format!("failed   {test}: {}", reason.unwrap_or("?")));
            }
        }
    }
    Ok(tally)
}

impl Tally {
    /// The outcome, and the page's figures if they differ.
    fn line(&self, peer: &Peer, (known, of): (usize, usize)) -> String {
        let tests = self.passed + self.explained + self.unexplained;
        let mut parts = vec![format!(
            "{:<18} {} of {tests} passed",
            peer.name, self.passed
        )];
        if self.explained > 0 {
            parts.push(format!("{} not, with a known reason", self.explained));
        }
        if self.unexplained > 0 {
            let list = "xtask/src/peers_tests/peers.rs";
            parts.push(format!("{} not, without one in {list}", self.unexplained));
        }
        if (self.passed, tests) != (known, of) {
            let version = peer.source.version();
            parts.push(format!(
                "where docs/metrics.md says {known} of {of}, for {version}"
            ));
        }
        parts.join(", ")
    }
}

/// The first of these folders that the checkout has.
fn found(checkout: &Path, roots: &[&str]) -> Result<PathBuf, String> {
    let folders = roots.iter().map(|root| checkout.join(root));
    let found = folders.into_iter().find(|folder| folder.is_dir());
    found.ok_or_else(|| {
        let (checkout, roots) = (checkout.display(), roots.join(" or "));
        format!("{checkout}: there is no {roots}; is this a checkout of the package's repository?")
    })
}
