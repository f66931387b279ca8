//! Runs to learn from.

use crate::expectation::{ActualCall, ExpectationError};
use crate::value::Text;

/// Runs of one task. Learning reads each of them several times and keeps none, so they may be outside of memory.
pub trait Runs {
    /// An error of reading a run, or of learning.
    type Error: From<ExpectationError>;

    /// Number of runs.
    fn count(&self) -> usize;

    /// Passes the calls of a run, numbered from 0, to `look`.
    ///
    /// # Errors
    /// The run cannot be read.
    fn with_run<T>(
        &self,
        number: usize,
        look: impl FnOnce(&[ActualCall<'_>]) -> T,
    ) -> Result<T, Self::Error>;

    /// Passes the name of each call of a run to `look`, in order.
    ///
    /// # Errors
    /// The run cannot be read.
    fn with_names(&self, number: usize, look: impl FnMut(&Text<'_>)) -> Result<(), Self::Error> {
        self.with_run(number, |run| {
            run.iter().map(ActualCall::name).for_each(look);
        })
    }
}

/// Runs in memory.
impl Runs for Vec<Vec<ActualCall<'_>>> {
    type Error = ExpectationError;

    fn count(&self) -> usize {
        self.len()
    }

    fn with_run<T>(
        &self,
        number: usize,
        look: impl FnOnce(&[ActualCall<'_>]) -> T,
    ) -> Result<T, Self::Error> {
        Ok(look(&self[number]))
    }
}
