//! Counts passed and failed checks.

use crate::say;

/// The counts.
#[derive(Default)]
pub(crate) struct Count {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
}

impl Count {
    pub(crate) fn note(&mut self, held: bool) {
        self.add((usize::from(held), usize::from(!held)));
    }

    /// Adds passed and failed checks.
    pub(crate) fn add(&mut self, (passed, failed): (usize, usize)) {
        self.passed += passed;
        self.failed += failed;
    }

    /// Counts one check, and prints the error if it failed.
    pub(crate) fn check(&mut self, what: &str, held: Result<(), String>) {
        self.note(held.is_ok());
        if let Err(error) = held {
            say(&format!("FAIL {what}: {error}"));
        }
    }

    /// Adds the counts of a check that counts itself.
    pub(crate) fn check_all(&mut self, what: &str, counted: Result<(usize, usize), String>) {
        match counted {
            Ok(counted) => self.add(counted),
            Err(error) => self.check(what, Err(error)),
        }
    }

    /// Prints the counts as the last line; true if something passed and nothing failed.
    pub(crate) fn close(&self) -> bool {
        say(&format!("{} passed, {} failed", self.passed, self.failed));
        self.failed == 0 && self.passed > 0
    }
}

/// The peers in the tests of a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PeerScope {
    /// Only what the package's own tests need.
    Ours,
    /// Also the published packages, agent frameworks, Spark and promptfoo.
    Everybody,
}
