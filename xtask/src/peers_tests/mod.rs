//! `cargo xtask peers-tests PEER DIR`: a package's own tests of its tool call metrics, with only their imports changed.
//!
//! The tests are those of a checkout of the package's repository, copied to a folder under `target` and nowhere else. They run twice
//! beside the installed package: as they are, and with the names that our drop-in module has imported from there. A test that fails
//! with the package itself says nothing of us; any other that fails must have its reason in the table of [`peers`].

mod page;
mod peers;
mod python;
mod vitest;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

pub(crate) use page::page;
use peers::{PEERS, Peer};

use crate::install::make_folder;
use crate::process::project_root;
use crate::say;

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

/// Runs the tests of a peer and prints what came out; true if nothing failed without a known reason.
pub(crate) fn run(peer: &str, checkout: &str) -> Result<bool, String> {
    let names = || {
        PEERS
            .iter()
            .map(|peer| peer.name)
            .collect::<Vec<_>>()
            .join(", ")
    };
    let peer = PEERS
        .iter()
        .find(|it| it.name == peer)
        .ok_or_else(|| format!("no peer is called `{peer}`; there are {}", names()))?;
    let root = project_root()?;
    let checkout = fs::canonicalize(checkout).map_err(|error| format!("{checkout}: {error}"))?;
    let folder = root.join("target/peers-tests").join(peer.name);
    make_folder(&folder)?;
    let (original, ours) = match &peer.runner {
        Runner::Pytest(suite) => suite.run(&root, &checkout, &folder)?,
        Runner::Vitest(suite) => suite.run(&root, &checkout)?,
    };
    Ok(tell(peer, &original, &ours))
}

/// Prints every test with what came out; true if nothing failed without a known reason, and something passed.
fn tell(peer: &Peer, original: &Outcomes, ours: &Outcomes) -> bool {
    let (mut passed, mut failed, mut unknown) = (0, 0, 0);
    for (test, outcome) in ours {
        let reason = peer.reason(test);
        match outcome {
            Outcome::Passed => {
                passed += 1;
                say(&format!("passed   {test}"));
            }
            Outcome::Skipped => say(&format!("skipped  {test}")),
            Outcome::Failed => {
                failed += 1;
                let in_package = original.get(test) == Some(&Outcome::Failed);
                let reason = reason.or(in_package.then_some("it fails with the package itself"));
                unknown += usize::from(reason.is_none());
                say(&format!("failed   {test}: {}", reason.unwrap_or("?")));
            }
        }
    }
    say(&format!("{passed} passed, {failed} failed"));
    if unknown > 0 {
        say(&format!(
            "{unknown} without a reason in xtask/src/peers_tests/peers.rs"
        ));
    }
    unknown == 0 && passed > 0
}

/// Copies a folder with all that is in it.
fn copy_folder(from: &Path, to: &Path) -> Result<(), String> {
    make_folder(to)?;
    let fault = |error: std::io::Error| format!("{}: {error}", from.display());
    for entry in fs::read_dir(from).map_err(fault)? {
        let entry = entry.map_err(fault)?;
        let target = to.join(entry.file_name());
        if entry.file_type().map_err(fault)?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target).map_err(fault)?;
        }
    }
    Ok(())
}
