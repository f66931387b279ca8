//! A run as one file, which is a history with that run alone.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use crate::error::Result;
use crate::run::count;
use crate::{History, Page, RunFilter, StoreError};

/// The columns of a run that are the same in all histories.
const RUN: &str = "key, started, finished, suite, profile, suite_hash, selection, settings, version, git_commit, git_branch,
  git_dirty, cases, failed, kept, mean, pass_rate, gates, gates_missed, summary";

const CASE: &str = "number, label, trial, file, line, score, reason, outcome, passed, failed, worst, rank, sampled, meta";

/// Tables with a row or more for each case, and their columns after the case.
const OF_CASES: [(&str, &str); 5] = [
    ("texts", "json"),
    ("evaluations", "position, outcome, score, passed, reason"),
    ("alignments", "position, json"),
    ("case_tags", "tag"),
    ("tools", "expected, called, times"),
];

const OF_RUNS: [(&str, &str); 2] = [
    ("run_tags", "tag"),
    (
        "evaluators",
        "position, evaluator, name, label, threshold, mean, pass_rate, scored, passed, not_applicable, errors, histogram",
    ),
];

impl History {
    /// Writes a run into a file of its own, over what was there.
    ///
    /// # Errors
    /// Where there is no such run, or the file cannot be written.
    pub fn export(&self, run: i64, to: &Path) -> Result<()> {
        self.run(run)?;
        let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // As any new file; the umask takes away what the user does not want.
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let unfinished = builder.prefix(".rightcall-").suffix(".db").tempfile_in(folder)?.into_temp_path();
        {
            let mut copy = Self::open(&unfinished)?;
            copy_run(&mut copy.connection, self.path(), run)?;
            // One file, without a journal beside it.
            copy.connection.query_row("PRAGMA journal_mode = delete", [], |_| Ok(()))?;
        }
        unfinished.persist(to).map_err(|error| StoreError::Io(error.error))
    }

    /// Takes in the runs of an exported file. Gives their new numbers.
    ///
    /// # Errors
    /// Where the file is no history, or holds a run that is here already; then nothing is taken in.
    pub fn import(&mut self, from: &Path) -> Result<Vec<i64>> {
        if !from.exists() {
            return Err(StoreError::NoHistory { path: from.to_owned() });
        }
        // A copy: it may have to be brought to the newest schema.
        let copy = tempfile::Builder::new().prefix("rightcall-").suffix(".db").tempfile()?.into_temp_path();
        std::fs::copy(from, &copy)?;
        let runs = match Self::open_existing(&copy) {
            Ok(history) => history.runs(&RunFilter::default(), Page::ALL)?,
            Err(StoreError::NotAHistory { .. }) => return Err(StoreError::NotAHistory { path: from.to_owned() }),
            Err(StoreError::Newer { found, known, .. }) => {
                return Err(StoreError::Newer { path: from.to_owned(), found, known });
            }
            Err(error) => return Err(error),
        };
        for run in &runs {
            let here = self.connection.query_row("SELECT number FROM runs WHERE key = ?1", [&run.about.key], |row| row.get(0));
            if let Some(number) = here.optional()? {
                return Err(StoreError::AlreadyThere(number));
            }
        }
        runs.iter().rev().map(|run| copy_run(&mut self.connection, &copy, run.number)).collect()
    }
}

/// Copies a run of another file. Gives its new number.
fn copy_run(into: &mut Connection, from: &Path, run: i64) -> Result<i64> {
    into.execute("ATTACH DATABASE ?1 AS source", [from.to_string_lossy()])?;
    let copied = copy_attached(into, run);
    into.execute_batch("DETACH DATABASE source")?;
    copied
}

fn copy_attached(into: &mut Connection, run: i64) -> Result<i64> {
    let transaction = into.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute(&format!("INSERT INTO main.runs ({RUN}) SELECT {RUN} FROM source.runs WHERE number = ?1"), [run])?;
    let number = transaction.last_insert_rowid();
    for (table, columns) in OF_RUNS {
        let copy = format!("INSERT INTO main.{table} (run, {columns}) SELECT ?2, {columns} FROM source.{table} WHERE run = ?1");
        transaction.execute(&copy, params![run, number])?;
    }
    // Ids of cases move by as much as is taken here.
    let taken = transaction.query_row("SELECT coalesce(max(id), 0) FROM main.cases", [], |row| count(row, 0))?;
    let taken = i64::try_from(taken).unwrap_or(i64::MAX);
    let copy = format!("INSERT INTO main.cases (id, run, {CASE}) SELECT id + ?3, ?2, {CASE} FROM source.cases WHERE run = ?1");
    transaction.execute(&copy, params![run, number, taken])?;
    for (table, columns) in OF_CASES {
        let copy = format!(
            "INSERT INTO main.{table} (\"case\", {columns}) SELECT \"case\" + ?2, {columns} FROM source.{table}
             WHERE \"case\" IN (SELECT id FROM source.cases WHERE run = ?1)"
        );
        transaction.execute(&copy, params![run, taken])?;
    }
    transaction.commit()?;
    Ok(number)
}
