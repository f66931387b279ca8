//! Exports and imports runs. An exported run is a history with a single run.

use std::path::Path;

use rightcall_run::{Unfinished, temporary};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params_from_iter};

use crate::error::Result;
use crate::run::count;
use crate::unfinished::delete_abandoned;
use crate::{History, PageRange, RunFilter, StoreError};

/// Tables with rows for each case, then tables with rows for each run.
const CASE_TABLES: [&str; 6] = [
    "texts",
    "evaluations",
    "alignments",
    "case_tags",
    "case_causes",
    "tools",
];
const RUN_TABLES: [&str; 4] = ["run_tags", "run_tools", "run_case_tags", "evaluators"];

/// The result of importing a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Imported {
    /// Imported under this number.
    New(i64),
    /// Already present under this number.
    Known(i64),
}

impl History {
    /// Writes a run to a separate file, which replaces an existing file.
    ///
    /// # Errors
    /// The run does not exist, or the file cannot be written; an existing file is then unchanged.
    pub fn export(&self, run: i64, to: &Path) -> Result<()> {
        self.run(run)?;
        let folder = to
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        let mut builder = temporary();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // Use the mode of any new file; the umask removes the rest.
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        builder.suffix(".db");
        let make = |folder: &Path| builder.tempfile_in(folder);
        let (unfinished, _noted) = Unfinished::make_in(folder, make, |file| file.path().to_owned())
            .map_err(StoreError::io(to))?;
        let mut copy = Connection::open(unfinished.path()).map_err(StoreError::sqlite(to))?;
        // The file is private until it is complete, so it needs no journal, and must stay a single file.
        copy.query_row("PRAGMA journal_mode = off", [], |_| Ok(()))
            .map_err(StoreError::sqlite(to))?;
        crate::schema::migrate(&mut copy, to)?;
        copy_run(&self.connection, &copy, run).map_err(StoreError::sqlite(to))?;
        copy.close()
            .map_err(|(_, error)| StoreError::sqlite(to)(error))?;
        unfinished
            .persist(to)
            .map_err(|error| StoreError::io(to)(error.error))?;
        Ok(())
    }

    /// Imports the runs of another history, such as an exported run. Returns a result for each, oldest first; runs that are present already
    /// stay unchanged. `now` is in milliseconds since 1970.
    ///
    /// # Errors
    /// The file is not a history, or could not be copied completely; nothing is imported then.
    pub fn import(&mut self, from: &Path, now: i64) -> Result<Vec<Imported>> {
        let source = Self::open_to_read(from)?;
        // Read a consistent snapshot: other processes may write to the file.
        let snapshot = source
            .connection
            .unchecked_transaction()
            .map_err(StoreError::sqlite(from))?;
        let runs = source.runs(&RunFilter::default(), PageRange::ALL)?;
        let path = self.path().to_owned();
        let of = StoreError::sqlite(&path);
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(&of)?;
        delete_abandoned(&transaction, &path, now).map_err(&of)?;
        let (mut imported, mut complete) = (Vec::new(), 0);
        for run in runs.iter().rev() {
            let known = "SELECT number FROM runs WHERE key = ?1";
            let known = transaction
                .query_row(known, [&run.about.key], |row| row.get(0))
                .optional()
                .map_err(&of)?;
            imported.push(match known {
                Some(number) => Imported::Known(number),
                None => Imported::New(copy_run(&snapshot, &transaction, run.number).map_err(&of)?),
            });
            let number = imported.last().map_or(0, |it| it.number());
            let kept = "SELECT count(*) FROM cases JOIN runs ON runs.number = run WHERE run = ?1 AND finished IS NOT NULL";
            let kept = transaction
                .query_row(kept, [number], |row| count(row, 0))
                .map_err(&of)?;
            complete += u64::from(kept == run.kept);
        }
        if complete < runs.len() as u64 {
            return Err(StoreError::Incomplete {
                path: from.to_owned(),
                wanted: runs.len() as u64,
                copied: complete,
            });
        }
        transaction.commit().map_err(of)?;
        Ok(imported)
    }
}

impl Imported {
    /// The number of the run here.
    pub fn number(self) -> i64 {
        match self {
            Self::New(number) | Self::Known(number) => number,
        }
    }
}

/// Copies a run from another history. Returns its new number.
fn copy_run(from: &Connection, into: &Connection, run: i64) -> rusqlite::Result<i64> {
    let columns = |table, excluded: [&str; 2]| shared_columns(into, table, excluded);
    let columns_of = |tables: &[&'static str], key| {
        let named = |table: &&'static str| Ok((*table, columns(table, [key; 2])?));
        tables
            .iter()
            .map(named)
            .collect::<rusqlite::Result<Vec<_>>>()
    };
    let copy =
        |(table, columns): &(&str, String), key: &str, old, new: i64| -> rusqlite::Result<()> {
            for mut values in rows(from, columns, table, key, old)? {
                values.insert(0, new.into());
                insert(into, table, &format!("{key}, {columns}"), values)?;
            }
            Ok(())
        };
    let mut number = 0;
    let of_run = columns("runs", ["number"; 2])?;
    for values in rows(from, &of_run, "runs", "number", run)? {
        number = insert(into, "runs", &of_run, values)?;
    }
    for table in columns_of(&RUN_TABLES, "run")? {
        copy(&table, "run", run, number)?;
    }
    let of_case = columns("cases", ["id", "run"])?;
    let case_tables = columns_of(&CASE_TABLES, "case")?;
    // Case ids differ between histories, so rows in other tables get the new id.
    for mut values in rows(from, &format!("id, {of_case}"), "cases", "run", run)? {
        let Value::Integer(old) = std::mem::replace(&mut values[0], number.into()) else {
            continue;
        };
        let new = insert(into, "cases", &format!("run, {of_case}"), values)?;
        for table in &case_tables {
            copy(table, "\"case\"", old, new)?;
        }
    }
    Ok(number)
}

/// The columns of a table, without the excluded ones, which differ between histories.
fn shared_columns(
    connection: &Connection,
    table: &str,
    excluded: [&str; 2],
) -> rusqlite::Result<String> {
    let query =
        "SELECT group_concat(name, ', ') FROM pragma_table_info(?1) WHERE name NOT IN (?2, ?3)";
    connection.query_row(query, [table, excluded[0], excluded[1]], |row| row.get(0))
}

fn rows(
    from: &Connection,
    columns: &str,
    table: &str,
    key: &str,
    id: i64,
) -> rusqlite::Result<Vec<Vec<Value>>> {
    let mut statement =
        from.prepare_cached(&format!("SELECT {columns} FROM {table} WHERE {key} = ?1"))?;
    let width = statement.column_count();
    let rows = statement.query_map([id], |row| {
        (0..width).map(|column| row.get(column)).collect()
    })?;
    rows.collect()
}

fn insert(
    into: &Connection,
    table: &str,
    columns: &str,
    values: Vec<Value>,
) -> rusqlite::Result<i64> {
    let places = vec!["?"; values.len()].join(", ");
    into.prepare_cached(&format!(
        "INSERT INTO {table} ({columns}) VALUES ({places})"
    ))?
    .execute(params_from_iter(values))?;
    Ok(into.last_insert_rowid())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NewRun;
    use crate::record::insert_run;
    use std::fs;

    /// Adds runs without cases.
    fn add_runs(history: &History, from: i64, to: i64) {
        for number in from..=to {
            insert_run(
                &history.connection,
                &NewRun {
                    key: format!("{number:04x}"),
                    ..NewRun::default()
                },
            )
            .unwrap();
            history
                .connection
                .execute(
                    "UPDATE runs SET finished = 1, summary = '{}' WHERE finished IS NULL",
                    [],
                )
                .unwrap();
        }
    }

    #[test]
    fn import_includes_the_write_ahead_log_and_is_idempotent() {
        let folder = tempfile::tempdir().unwrap();
        let live = folder.path().join("live.db");
        let history = History::open(&live).unwrap();
        add_runs(&history, 1, 1);
        history
            .connection
            .execute_batch("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA wal_autocheckpoint = 0")
            .unwrap();
        add_runs(&history, 2, 4);
        // The files of a killed or still running process.
        let found = folder.path().join("found.db");
        for ending in ["", "-wal"] {
            fs::copy(
                format!("{}{ending}", live.display()),
                format!("{}{ending}", found.display()),
            )
            .unwrap();
        }
        for from in [&live, &found] {
            let mut into = History::open(&folder.path().join("into.db")).unwrap();
            add_runs(&into, 9, 9);
            let first = into.import(from, 0).unwrap();
            assert_eq!(first, [2, 3, 4, 5].map(Imported::New));
            assert_eq!(
                into.import(from, 0).unwrap(),
                [2, 3, 4, 5].map(Imported::Known)
            );
            assert_eq!(into.count_runs(&RunFilter::default()).unwrap(), 5);
            drop(into);
            fs::remove_file(folder.path().join("into.db")).unwrap();
        }
        assert_eq!(history.count_runs(&RunFilter::default()).unwrap(), 4);
    }

    #[test]
    fn an_incomplete_run_is_not_imported() {
        let folder = tempfile::tempdir().unwrap();
        let from = folder.path().join("from.db");
        let source = History::open(&from).unwrap();
        add_runs(&source, 1, 2);
        source
            .connection
            .execute("UPDATE runs SET kept = 3 WHERE number = 2", [])
            .unwrap();
        let mut into = History::open(&folder.path().join("into.db")).unwrap();
        let error = into.import(&from, 0).unwrap_err().to_string();
        assert!(
            error.ends_with("from.db: of 2 runs 1 were copied; nothing was taken in"),
            "{error}"
        );
        assert_eq!(into.count_runs(&RunFilter::default()).unwrap(), 0);
    }
}
