//! What passed and what failed.

use crate::say;

/// What was counted.
#[derive(Default)]
pub(crate) struct Count {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
}

impl Count {
    pub(crate) fn note(&mut self, held: bool) {
        self.add((usize::from(held), usize::from(!held)));
    }

    /// Adds what passed and what failed.
    pub(crate) fn add(&mut self, (passed, failed): (usize, usize)) {
        self.passed += passed;
        self.failed += failed;
    }

    /// Notes whether a check held, and says why it did not.
    pub(crate) fn check(&mut self, what: &str, held: Result<(), String>) {
        self.note(held.is_ok());
        if let Err(error) = held {
            say(&format!("FAIL {what}: {error}"));
        }
    }

    /// The same of a check that counts itself.
    pub(crate) fn check_all(&mut self, what: &str, counted: Result<(usize, usize), String>) {
        match counted {
            Ok(counted) => self.add(counted),
            Err(error) => self.check(what, Err(error)),
        }
    }

    /// Says it, on the last line; true if something passed and nothing failed.
    pub(crate) fn close(&self) -> bool {
        say(&format!("{} passed, {} failed", self.passed, self.failed));
        self.failed == 0 && self.passed > 0
    }
}

/// What the packages are tested beside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Company {
    /// What their own tests need.
    Ours,
    /// The published packages, agent frameworks, Spark and promptfoo too.
    Everybody,
}
