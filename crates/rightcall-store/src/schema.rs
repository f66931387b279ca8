//! The schema and its migrations.

use std::borrow::Cow;
use std::path::Path;
use std::sync::OnceLock;

use rusqlite::{Connection, TransactionBehavior};

use crate::StoreError;
use crate::error::Result;

/// Each step migrates a file by one version; the first creates it. A released step must never change.
const MIGRATIONS: &[&str] = &[include_str!("schema.sql")];

/// The application id of the file: `rcal`.
const APPLICATION: i64 = 0x7263_616c;

/// The version of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    /// An empty file.
    None,
    /// A history of an earlier version.
    Older,
    /// A history of this version.
    Known,
}

/// The version of a file. Does not change the file.
pub(crate) fn version(connection: &Connection, path: &Path) -> Result<Version> {
    version_among(connection, path, MIGRATIONS).map(|(version, _)| version)
}

fn version_among(connection: &Connection, path: &Path, steps: &[&str]) -> Result<(Version, usize)> {
    let known = i64::try_from(steps.len()).unwrap_or(i64::MAX);
    // A single statement sees a consistent state even while another process creates the file.
    let query = "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema) FROM pragma_application_id, pragma_user_version";
    let (application, found, tables): (i64, i64, i64) = connection
        .query_row(query, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .map_err(StoreError::sqlite(path))?;
    if application != APPLICATION && (application != 0 || tables > 0) {
        return Err(StoreError::NotAHistory {
            path: path.to_owned(),
        });
    }
    if found > known {
        return Err(StoreError::Newer {
            path: path.to_owned(),
            found,
            known,
        });
    }
    let damaged = |what: String| StoreError::Damaged {
        path: path.to_owned(),
        what,
    };
    let Ok(known_steps) = usize::try_from(found) else {
        return Err(damaged(format!("its schema has the version {found}")));
    };
    if let Some(object) = foreign_object(connection, steps).map_err(StoreError::sqlite(path))? {
        return Err(damaged(format!("it holds {object}")));
    }
    let version = match application {
        APPLICATION if found == known => Version::Known,
        APPLICATION => Version::Older,
        _ => Version::None,
    };
    Ok((version, known_steps))
}

/// Kind and name of an object in the file that our schema lacks. A foreign trigger, for example, would run on each write.
fn foreign_object(connection: &Connection, steps: &[&str]) -> rusqlite::Result<Option<String>> {
    let objects = objects_of(connection)?;
    if objects.is_empty() {
        return Ok(None);
    }
    let ours = objects_created_by(steps)?;
    let foreign = objects.into_iter().find(|object| !ours.contains(object));
    Ok(foreign.map(|(kind, name)| format!("the {kind} `{name}`, which is not ours")))
}

/// The objects that the steps create. Those of the real steps are cached, since a viewer opens its file for each page.
fn objects_created_by(steps: &[&str]) -> rusqlite::Result<Cow<'static, [(String, String)]>> {
    static CREATED: OnceLock<Vec<(String, String)>> = OnceLock::new();
    let is_ours = steps == MIGRATIONS;
    if let Some(ours) = CREATED.get().filter(|_| is_ours) {
        return Ok(Cow::Borrowed(ours));
    }
    let made = Connection::open_in_memory()?;
    steps.iter().try_for_each(|step| made.execute_batch(step))?;
    let objects = objects_of(&made)?;
    Ok(if is_ours {
        Cow::Borrowed(CREATED.get_or_init(|| objects))
    } else {
        Cow::Owned(objects)
    })
}

/// Kinds and names of the objects in a schema, without those that SQLite creates itself.
fn objects_of(connection: &Connection) -> rusqlite::Result<Vec<(String, String)>> {
    let query = "SELECT type, name FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
    let mut statement = connection.prepare(query)?;
    let objects = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    objects.collect()
}

/// Migrates the file to the latest version.
pub(crate) fn migrate(connection: &mut Connection, path: &Path) -> Result<()> {
    migrate_through(connection, path, MIGRATIONS)
}

fn migrate_through(connection: &mut Connection, path: &Path, steps: &[&str]) -> Result<()> {
    if version_among(connection, path, steps)?.0 == Version::Known {
        return Ok(());
    }
    // Only one process migrates; others find the file up to date.
    let of = StoreError::sqlite(path);
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(&of)?;
    let (_, found) = version_among(&transaction, path, steps)?;
    let bring_forward = || {
        steps
            .iter()
            .skip(found)
            .try_for_each(|step| transaction.execute_batch(step))?;
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", steps.len() as i64)
    };
    bring_forward().map_err(&of)?;
    transaction.commit().map_err(of)
}

#[cfg(test)]
mod tests {
    use rightcall_results::{COLUMNS, ColumnType};

    use super::*;
    use crate::History;

    /// The table and column that stores a column of results. The tables are normalised: data of a case is stored once, not for each
    /// evaluator. Details of the original metrics are not stored.
    fn place_of(column: &str) -> Option<(&str, &str)> {
        Some(match column {
            "details" => return None,
            "case" => ("cases", "label"),
            "trial" | "file" | "line" => ("cases", column),
            "evaluator" | "name" => ("evaluators", column),
            "outcome" | "score" | "passed" | "reason" => ("evaluations", column),
            "tags" => ("case_tags", "tag"),
            "alignment" => ("alignments", "json"),
            other => panic!("the column {other} has no place in the history"),
        })
    }

    #[test]
    fn every_column_of_results_is_stored_with_its_type() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection, Path::new("h.db")).unwrap();
        for column in &COLUMNS {
            let Some((table, name)) = place_of(column.name) else {
                continue;
            };
            let query = "SELECT type, \"notnull\" FROM pragma_table_info(?1) WHERE name = ?2";
            let (kind, is_required): (String, bool) = connection
                .query_row(query, [table, name], |row| Ok((row.get(0)?, row.get(1)?)))
                .unwrap();
            let (wanted, may_be_missing) = match column.kind {
                ColumnType::Text { nullable } => ("TEXT", nullable),
                ColumnType::Number => ("REAL", true),
                ColumnType::Flag => ("INTEGER", true),
                ColumnType::Count => ("INTEGER", false),
                ColumnType::Texts => ("TEXT", false),
            };
            assert_eq!(kind, wanted, "{}", column.name);
            assert!(is_required || may_be_missing, "{}", column.name);
        }
    }

    #[test]
    fn older_files_are_migrated_and_newer_ones_rejected() {
        let mut connection = Connection::open_in_memory().unwrap();
        let path = Path::new("h.db");
        let steps = [
            "CREATE TABLE a (x)",
            "ALTER TABLE a ADD COLUMN y",
            "INSERT INTO a VALUES (1, 2)",
        ];
        migrate_through(&mut connection, path, &steps[..1]).unwrap();
        migrate_through(&mut connection, path, &steps).unwrap();
        migrate_through(&mut connection, path, &steps).unwrap();
        let y: i64 = connection
            .query_row("SELECT y FROM a", [], |row| row.get(0))
            .unwrap();
        assert_eq!(y, 2);
        let refused = migrate_through(&mut connection, path, &steps[..2]);
        assert!(matches!(
            refused,
            Err(StoreError::Newer {
                found: 3,
                known: 2,
                ..
            })
        ));
    }

    #[test]
    fn reading_neither_creates_nor_migrates_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("h.db");
        let refused = |path: &Path| History::open_to_read(path).unwrap_err();
        assert!(matches!(refused(&path), StoreError::NoHistory { .. }));
        assert!(!path.exists());
        std::fs::write(&path, "").unwrap();
        assert!(matches!(refused(&path), StoreError::NotAHistory { .. }));
        assert!(matches!(
            History::open_existing(&path),
            Err(StoreError::NotAHistory { .. })
        ));
        assert_eq!(std::fs::read(&path).unwrap(), b"");
        for (application, version, theirs, wanted) in [
            (APPLICATION, 0, false, "older"),
            (APPLICATION, 999, true, "newer"),
            (7, 1, true, "other"),
            (APPLICATION, 0, true, "damaged"),
            (APPLICATION, -1, false, "damaged"),
            (APPLICATION, i64::from(i32::MIN), true, "damaged"),
        ] {
            std::fs::write(&path, "").unwrap();
            let connection = Connection::open(&path).unwrap();
            if theirs {
                connection.execute_batch("CREATE TABLE theirs (x)").unwrap();
            }
            connection
                .pragma_update(None, "application_id", application)
                .unwrap();
            connection
                .pragma_update(None, "user_version", version)
                .unwrap();
            drop(connection);
            let before = std::fs::read(&path).unwrap();
            match (History::open_to_read(&path), wanted) {
                (Ok(history), "older") => {
                    assert_eq!(history.count_runs(&crate::RunFilter::default()).unwrap(), 0);
                }
                (Err(StoreError::Newer { .. }), "newer")
                | (Err(StoreError::NotAHistory { .. }), "other") => {}
                (Err(error @ StoreError::Damaged { .. }), "damaged") => {
                    assert!(!error.to_string().contains("CREATE"), "{error}");
                }
                (found, wanted) => panic!("{wanted}: {found:?}"),
            }
            assert_eq!(std::fs::read(&path).unwrap(), before);
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn foreign_schema_objects_are_rejected_and_never_run() {
        let folder = tempfile::tempdir().unwrap();
        for foreign in [
            "CREATE TRIGGER steal AFTER INSERT ON runs BEGIN DELETE FROM runs; END",
            "CREATE VIEW shown AS SELECT * FROM runs",
            "CREATE TABLE theirs (x)",
            "CREATE UNIQUE INDEX one_suite ON runs (suite)",
            "DROP TABLE tools; CREATE VIEW tools AS SELECT 1",
            "CREATE VIRTUAL TABLE words USING fts5 (word)",
        ] {
            let path = folder.path().join("h.db");
            drop(History::open(&path).unwrap());
            let connection = Connection::open(&path).unwrap();
            connection.execute_batch(foreign).unwrap();
            drop(connection);
            for opened in [History::open(&path), History::open_to_read(&path)] {
                let error = opened.map(drop).unwrap_err().to_string();
                assert!(error.contains("which is not ours"), "{foreign}: {error}");
            }
            let mut into = History::open(&folder.path().join("into.db")).unwrap();
            assert!(into.import(&path, 0).is_err(), "{foreign}");
            drop(into);
            for name in ["h.db", "h.db-wal", "h.db-shm"] {
                _ = std::fs::remove_file(folder.path().join(name));
            }
        }
        // A trigger that is added while the history is open does not run either.
        let path = folder.path().join("h.db");
        let history = History::open(&path).unwrap();
        let trigger = "CREATE TRIGGER late AFTER INSERT ON runs BEGIN DELETE FROM runs; END";
        Connection::open(&path)
            .unwrap()
            .execute_batch(trigger)
            .unwrap();
        crate::record::insert_run(&history.connection, &crate::NewRun::default()).unwrap();
        let count = history
            .connection
            .query_row("SELECT count(*) FROM runs", [], |row| row.get(0));
        assert_eq!(count, Ok(1));
    }

    #[test]
    fn a_missing_table_is_damage_and_errors_show_no_sql() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("h.db");
        drop(History::open(&path).unwrap());
        Connection::open(&path)
            .unwrap()
            .execute_batch("DROP TABLE runs")
            .unwrap();
        let history = History::open_to_read(&path).unwrap();
        let error = history
            .count_runs(&crate::RunFilter::default())
            .unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. }), "{error:?}");
        let error = error.to_string();
        assert!(error.ends_with("no such table: runs"), "{error}");
    }

    #[test]
    fn a_history_opened_for_reading_rejects_writes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("h.db");
        drop(History::open(&path).unwrap());
        let before = std::fs::read(&path).unwrap();
        let mut history = History::open_to_read(&path).unwrap();
        assert_eq!(history.count_runs(&crate::RunFilter::default()).unwrap(), 0);
        assert!(matches!(
            history.prune(crate::Prune {
                keep: Some(0),
                before: None
            }),
            Err(StoreError::ReadOnly { .. })
        ));
        drop(history);
        assert_eq!(std::fs::read(&path).unwrap(), before);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn files_of_other_programs_are_not_changed() {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE theirs (x)").unwrap();
        let refused = migrate(&mut connection, Path::new("h.db"));
        assert!(matches!(refused, Err(StoreError::NotAHistory { .. })));
    }
}
