//! Deletes runs: one, or many by age and number.

use rusqlite::{TransactionBehavior, params_from_iter};

use crate::error::Result;
use crate::run::limit;
use crate::{History, StoreError};

/// Which runs to delete. Tagged runs are never deleted by age or number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Prune {
    /// Keep this number of runs, the latest ones.
    pub keep: Option<u64>,
    /// Delete runs that began before this time, in milliseconds since 1970.
    pub before: Option<i64>,
}

impl History {
    /// Deletes a run, tagged or not.
    ///
    /// # Errors
    /// The run does not exist, or the history cannot be written.
    pub fn delete(&self, run: i64) -> Result<()> {
        self.run(run)?;
        self.change("DELETE FROM runs WHERE number = ?1", [run])?;
        Ok(())
    }

    /// Deletes runs by age or number, and frees the disk space. Returns the number of deleted runs.
    ///
    /// # Errors
    /// The history cannot be written.
    pub fn prune(&mut self, which: Prune) -> Result<u64> {
        let deleted = self
            .delete_untagged(which)
            .map_err(StoreError::sqlite(self.path()))?;
        if deleted > 0 {
            // Fails while another process writes; a later deletion frees the space then.
            _ = self.connection.execute_batch("VACUUM");
        }
        Ok(deleted as u64)
    }

    fn delete_untagged(&mut self, which: Prune) -> rusqlite::Result<usize> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut deleted = 0;
        let untagged = "finished IS NOT NULL AND number NOT IN (SELECT run FROM run_tags)";
        if let Some(before) = which.before {
            deleted += transaction.execute(
                &format!("DELETE FROM runs WHERE {untagged} AND started < ?1"),
                [before],
            )?;
        }
        if let Some(keep) = which.keep {
            let last =
                "SELECT number FROM runs WHERE finished IS NOT NULL ORDER BY number DESC LIMIT ?1";
            let delete = format!("DELETE FROM runs WHERE {untagged} AND number NOT IN ({last})");
            deleted += transaction.execute(&delete, params_from_iter([limit(keep)]))?;
        }
        transaction.commit()?;
        Ok(deleted)
    }
}
