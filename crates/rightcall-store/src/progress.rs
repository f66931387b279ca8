//! What a run has come to that is still being written.

use rightcall_results::Totals;

use crate::error::Result;
use crate::run::{COLUMNS, count};
use crate::{History, RunRow, UnfinishedRun};

impl History {
    /// A run that is still being written, with what was written so far; `None` if there is none of this number, or its process has ended.
    ///
    /// # Errors
    /// Where the history cannot be read.
    pub fn run_being_written(&self, number: i64) -> Result<Option<RunRow>> {
        let unfinished = self.unfinished()?;
        let is_meant = |it: &&UnfinishedRun| it.number == number && it.is_being_written;
        let Some(kept) = unfinished.iter().find(is_meant).map(|it| it.kept) else {
            return Ok(None);
        };
        let query = format!("SELECT {COLUMNS} FROM runs WHERE number = ?1 AND finished IS NULL");
        let run = self.row(&query, [number], RunRow::of)?;
        Ok(run.map(|run| RunRow { kept, ..run }))
    }

    /// What each evaluator has made of the cases of a run that are kept so far, in the order of its suite: means and counts.
    ///
    /// # Errors
    /// Where the history cannot be read.
    pub fn progress(&self, run: i64) -> Result<Vec<Totals>> {
        let query = "SELECT avg(e.score), count(e.score), count(e.passed), total(e.passed), total(e.outcome = 'error')
             FROM evaluations AS e JOIN cases AS c ON c.id = e.\"case\" WHERE c.run = ?1 GROUP BY e.position ORDER BY e.position";
        let whole = |number: f64| number as u64;
        self.rows(query, [run], |row| {
            Ok(Totals {
                mean: row.get(0)?,
                scored: count(row, 1)?,
                judged: count(row, 2)?,
                passed: whole(row.get(3)?),
                errors: whole(row.get(4)?),
                ..Totals::default()
            })
        })
    }

    /// How many cases of a run that are kept so far have failed.
    ///
    /// # Errors
    /// Where the history cannot be read.
    pub fn failed_so_far(&self, run: i64) -> Result<u64> {
        let query = "SELECT count(*) FROM cases WHERE run = ?1 AND failed";
        Ok(self.row(query, [run], |row| count(row, 0))?.unwrap_or(0))
    }
}
