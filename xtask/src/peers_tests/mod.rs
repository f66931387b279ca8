//! `cargo xtask peers-tests`: the packages' own tests of their tool call metrics, with only their imports changed, or with nothing changed
//! and each call of a metric judged here as well ([`recorded`]).
//!
//! The tests are those of a package's source distribution or of a checkout of its repository, copied to a folder under `target` and
//! nowhere else. Those with changed imports run twice beside the installed package: as they are, and with the names that our drop-in module has imported
//! from there. A test that fails with the package itself says nothing of us; any other that fails must have its reason in the table of [`peers`].

mod checkout;
mod page;
mod peers;
mod python;
mod recorded;
mod recorded_peers;
mod vitest;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use checkout::Cloning;
pub(crate) use page::page;
use peers::{Exception, PEERS, Peer};
use recorded::Recorded;
use recorded_peers::RECORDED;

use crate::files::make_folder;
use crate::process::project_root;
use crate::say;
use crate::test::{Company, Count};

/// What came out of each test, by its name.
type Outcomes = BTreeMap<String, Outcome>;

/// What came out of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Passed,
    Failed,
    Skipped,
}

/// What runs the tests of a peer.
#[derive(Debug)]
enum Runner {
    /// pytest, in an environment with the package.
    Pytest(python::Suite),
    /// vitest, in the project of the npm package that has the published ones.
    Vitest(vitest::Suite),
}

/// What came out of all tests of a peer.
#[derive(Debug, Default)]
struct Tally {
    passed: usize,
    /// Failed for a reason that is known.
    explained: usize,
    /// Failed for no reason that is known.
    unexplained: usize,
}

/// Runs the tests that are asked for; true if nothing failed without a known reason.
///
/// Without a name, both packages are tested beside the published ones too, as `cargo xtask test` tests them alone.
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
        Some(name) => {
            let suite = find(name)?;
            let checkout = checkout.map_or_else(|| suite.folder(&root, cloning), Ok)?;
            say(&suite.run(&root, &checkout, Shown::Every, &mut count)?);
        }
    }
    Ok(count.close() && count.passed > 0)
}

/// The own tests of a package, and what they are held to.
#[derive(Clone, Copy, Debug)]
enum OwnTests {
    /// Our drop-ins in place of the package.
    DropIns(&'static Peer),
    /// The calls that the tests make of the package.
    Calls(&'static Recorded),
}

fn suites() -> impl Iterator<Item = OwnTests> {
    let drop_ins = PEERS.iter().map(OwnTests::DropIns);
    drop_ins.chain(RECORDED.iter().map(OwnTests::Calls))
}

fn find(name: &str) -> Result<OwnTests, String> {
    suites().find(|suite| suite.name() == name).ok_or_else(|| {
        let names: Vec<_> = suites().map(OwnTests::name).collect();
        format!("no peer is called `{name}`; there are {}", names.join(", "))
    })
}

/// Runs the tests of every peer that are here or can be brought, and says at last what came out of each.
fn all(root: &Path, cloning: Cloning, count: &mut Count) {
    let mut lines = Vec::new();
    for suite in suites() {
        let name = suite.name();
        say(&format!("== the own tests of {name}"));
        lines.push(match suite.folder(root, cloning) {
            Err(message) => format!("{name:<18} not run: {message}"),
            Ok(checkout) => suite
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

impl OwnTests {
    fn name(self) -> &'static str {
        match self {
            Self::DropIns(peer) => peer.name,
            Self::Calls(peer) => peer.name,
        }
    }

    fn folder(self, root: &Path, cloning: Cloning) -> Result<PathBuf, String> {
        match self {
            Self::DropIns(peer) => peer.folder(root, cloning),
            Self::Calls(peer) => peer.folder(root, cloning),
        }
    }

    /// Runs the tests, counts, and says what came out.
    fn run(
        self,
        root: &Path,
        checkout: &Path,
        shown: Shown,
        count: &mut Count,
    ) -> Result<String, String> {
        let checkout = fs::canonicalize(checkout)
            .map_err(|error| format!("{}: {error}", checkout.display()))?;
        match self {
            Self::DropIns(peer) => {
                let tally = of_peer(root, peer, &checkout, shown)?;
                count.add((tally.passed, tally.unexplained));
                Ok(tally.line(peer))
            }
            Self::Calls(peer) => {
                let tally = peer.run(root, &checkout, shown)?;
                tally.count(count);
                Ok(peer.line(tally))
            }
        }
    }
}

impl Peer {
    fn folder(&self, root: &Path, cloning: Cloning) -> Result<PathBuf, String> {
        let roots = match &self.runner {
            Runner::Pytest(suite) => suite.roots,
            Runner::Vitest(suite) => suite.roots,
        };
        self.source
            .folder(root, self.name, &roots[..1], roots, cloning)
    }
}

/// Which tests are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Every,
    Failures,
}

/// Runs the tests of a peer, and names them.
fn of_peer(root: &Path, peer: &Peer, checkout: &Path, shown: Shown) -> Result<Tally, String> {
    let folder = root.join("target/peers-tests").join(peer.name);
    make_folder(&folder)?;
    let (original, ours) = match &peer.runner {
        Runner::Pytest(suite) => suite.run(root, checkout, &folder)?,
        Runner::Vitest(suite) => suite.run(root, checkout)?,
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
    /// What came out, and what the page says where that is something else.
    fn line(&self, peer: &Peer) -> String {
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
        if (self.passed, tests) != peer.passed {
            let (known, of) = peer.passed;
            let version = peer.source.version();
            parts.push(format!(
                "where docs/peers-tests.md says {known} of {of}, for {version}"
            ));
        }
        parts.join(", ")
    }
}

/// The first of some folders that a checkout has.
fn found(checkout: &Path, roots: &[&str]) -> Result<PathBuf, String> {
    let folders = roots.iter().map(|root| checkout.join(root));
    let found = folders.into_iter().find(|folder| folder.is_dir());
    found.ok_or_else(|| {
        let (checkout, roots) = (checkout.display(), roots.join(" or "));
        format!("{checkout}: there is no {roots}; is this a checkout of the package's repository?")
    })
}
