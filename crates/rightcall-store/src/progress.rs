//! Progress of a run that is still being recorded.

use rightcall_results::{Scores, Totals};

use crate::error::Result;
use crate::run::{COLUMNS, count};
use crate::{History, RunRow, UnfinishedRun};

impl History {
    /// A run that is still being recorded, with its data so far; `None` if there is no such run, or its process has ended.
    ///
    /// # Errors
    /// The history cannot be read.
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

    /// Means and counts of each evaluator over the cases stored so far, in the order of the suite.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn progress(&self, run: i64) -> Result<Vec<Totals>> {
        let query = "SELECT avg(e.score), count(e.score), count(iif(e.score IS NULL, NULL, e.passed)), count(iif(e.passed, 1, NULL)),
               count(iif(e.outcome = 'error', 1, NULL)), count(iif(e.outcome = 'not_applicable', 1, NULL)),
               count(iif(e.outcome = 'not_applicable' AND NOT e.passed, 1, NULL))
             FROM evaluations AS e JOIN cases AS c ON c.id = e.\"case\" WHERE c.run = ?1 GROUP BY e.position ORDER BY e.position";
        self.rows(query, [run], |row| {
            let mut scores = Scores::default();
            scores.counts = Totals {
                scored: count(row, 1)?,
                judged: count(row, 2)?,
                passed: count(row, 3)?,
                errors: count(row, 4)?,
                not_applicable: count(row, 5)?,
                no_run: count(row, 6)?,
                ..Totals::default()
            };
            Ok(Totals {
                mean: row.get(0)?,
                pass_rate: scores.pass_rate(),
                ..scores.counts
            })
        })
    }

    /// Number of failed cases stored so far.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn failed_so_far(&self, run: i64) -> Result<u64> {
        let query = "SELECT count(*) FROM cases WHERE run = ?1 AND failed";
        Ok(self.row(query, [run], |row| count(row, 0))?.unwrap_or(0))
    }
}
