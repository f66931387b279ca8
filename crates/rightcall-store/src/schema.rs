//! The schema and its versions.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use crate::StoreError;
use crate::error::Result;

/// Each step brings a file one version forward; the first makes it. A step that has been released is never changed.
const MIGRATIONS: &[&str] = &[include_str!("schema.sql")];

/// Marks the file as ours: `rcal`.
const APPLICATION: i64 = 0x7263_616c;

/// Brings the file to the newest version.
pub(crate) fn migrate(connection: &mut Connection, path: &Path) -> Result<()> {
    migrate_through(connection, path, MIGRATIONS)
}

fn migrate_through(connection: &mut Connection, path: &Path, steps: &[&str]) -> Result<()> {
    let known = i64::try_from(steps.len()).unwrap_or(i64::MAX);
    let version = |connection: &Connection| -> rusqlite::Result<(i64, i64)> {
        let of = |name: &str| connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get(0));
        Ok((of("application_id")?, of("user_version")?))
    };
    if version(connection)? == (APPLICATION, known) {
        return Ok(());
    }
    // Only one process migrates; the others find the work done.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let (application, found) = version(&transaction)?;
    let tables: i64 = transaction.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if application != APPLICATION && (application != 0 || tables > 0) {
        return Err(StoreError::NotAHistory { path: path.to_owned() });
    }
    if found > known {
        return Err(StoreError::Newer { path: path.to_owned(), found, known });
    }
    for step in steps.iter().skip(usize::try_from(found).unwrap_or(0)) {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", known)?;
    transaction.commit()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_file_is_brought_forward_and_a_newer_one_refused() {
        let mut connection = Connection::open_in_memory().unwrap();
        let path = Path::new("h.db");
        let steps = ["CREATE TABLE a (x)", "ALTER TABLE a ADD COLUMN y", "INSERT INTO a VALUES (1, 2)"];
        migrate_through(&mut connection, path, &steps[..1]).unwrap();
        migrate_through(&mut connection, path, &steps).unwrap();
        migrate_through(&mut connection, path, &steps).unwrap();
        let y: i64 = connection.query_row("SELECT y FROM a", [], |row| row.get(0)).unwrap();
        assert_eq!(y, 2);
        let refused = migrate_through(&mut connection, path, &steps[..2]);
        assert!(matches!(refused, Err(StoreError::Newer { found: 3, known: 2, .. })));
    }

    #[test]
    fn a_file_of_another_program_is_left_alone() {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE theirs (x)").unwrap();
        let refused = migrate(&mut connection, Path::new("h.db"));
        assert!(matches!(refused, Err(StoreError::NotAHistory { .. })));
    }
}
