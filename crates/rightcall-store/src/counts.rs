//! Counts over the cases of a run, computed once when it is recorded.

use rusqlite::Connection;

use crate::History;
use crate::error::Result;
use crate::run::count;

/// The number of calls of a tool in place of an expected one, in the stored cases of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolPair {
    /// The tool that was expected; `None` for an extra call.
    pub expected: Option<String>,
    /// The tool that was called; `None` for a missed call.
    pub called: Option<String>,
    /// Number of calls.
    pub times: u64,
    /// Number of cases.
    pub cases: u64,
}

/// Counts tools and tags in the stored cases of a run.
pub(crate) fn insert_counts(connection: &Connection, run: i64) -> rusqlite::Result<()> {
    for (table, count) in [("run_tools", COUNT_TOOLS), ("run_case_tags", COUNT_TAGS)] {
        let insert = format!("INSERT INTO {table} SELECT ?1, * FROM ({count})");
        connection.execute(&insert, [run])?;
    }
    Ok(())
}

const COUNT_TOOLS: &str = "SELECT expected, called, sum(times) AS times, count(*) AS cases
  FROM tools JOIN cases ON cases.id = tools.\"case\" WHERE run = ?1 GROUP BY expected, called";

const COUNT_TAGS: &str = "SELECT tag, count(*) AS cases
  FROM case_tags JOIN cases ON cases.id = case_tags.\"case\" WHERE run = ?1 GROUP BY tag";

impl History {
    /// The pairs of expected and called tools, most frequent first: the cells of a confusion matrix, which also determine precision and
    /// recall of a tool.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn tools(&self, run: i64) -> Result<Vec<ToolPair>> {
        let name = |name: String| Some(name).filter(|name| !name.is_empty());
        let query = "SELECT expected, called, times, cases FROM run_tools
             WHERE run = ?1 ORDER BY times DESC, expected, called";
        self.rows(query, [run], |row| {
            Ok(ToolPair {
                expected: name(row.get(0)?),
                called: name(row.get(1)?),
                times: count(row, 2)?,
                cases: count(row, 3)?,
            })
        })
    }

    /// The models of the stored cases of a run, by name.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn models(&self, run: i64) -> Result<Vec<String>> {
        let query = "SELECT DISTINCT json_extract(meta, '$.model') AS model FROM cases
             WHERE run = ?1 AND json_type(meta, '$.model') = 'text' ORDER BY model LIMIT 20";
        self.rows(query, [run], |row| row.get(0))
    }

    /// The causes in the stored cases of a run with the number of cases, most frequent first.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn cause_counts(&self, run: i64) -> Result<Vec<(String, u64)>> {
        let query =
            "SELECT cause, count(*) AS number FROM cases JOIN case_causes ON \"case\" = cases.id
             WHERE run = ?1 AND counts GROUP BY cause ORDER BY number DESC, cause";
        self.counted(query, [run])
    }

    /// The tags of the cases of a run with the number of cases, most frequent first.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn case_tags(&self, run: i64) -> Result<Vec<(String, u64)>> {
        let query = "SELECT tag, cases FROM run_case_tags WHERE run = ?1 ORDER BY cases DESC, tag";
        self.counted(query, [run])
    }
}
