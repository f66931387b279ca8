//! Runs: list, find and tag them.

use rightcall_core::value::from_json;
use rightcall_results::{EvaluatorSummary, RunSummary, Totals};
use rusqlite::types::Value;
use rusqlite::{Row, params, params_from_iter};

use crate::conditions::Where;
use crate::error::Result;
use crate::{History, PageRange, StoreError};

/// Facts about a run that are known before it begins. The caller reads the clock and the working copy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewRun {
    /// The identity of the run in all histories: a unique hexadecimal key.
    pub key: String,
    /// When it began, in milliseconds since 1970, UTC.
    pub started: i64,
    /// The suite as the user named it.
    pub suite: String,
    /// Its profile.
    pub profile: Option<String>,
    /// A hash of its text.
    pub suite_hash: String,
    /// The selection of cases in addition to the suite, as text; `None` if all cases are scored.
    pub selection: Option<String>,
    /// Evaluators, gates and other settings: an object as JSON text.
    pub settings: String,
    /// The version of rightcall.
    pub version: String,
    /// The commit of the working copy.
    pub git_commit: Option<String>,
    /// Its branch.
    pub git_branch: Option<String>,
    /// True if the working copy differed from the commit.
    pub git_dirty: bool,
}

/// A run, without its cases.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunRow {
    /// Its number in this history.
    pub number: i64,
    /// The facts known before it began.
    pub about: NewRun,
    /// When it ended; 0 if it has not.
    pub finished: i64,
    /// Cases that were scored.
    pub cases: u64,
    /// Cases that did not pass.
    pub failed: u64,
    /// Stored cases; fewer than `cases` if there were too many.
    pub kept: u64,
    /// Mean of the weighted scores of the cases.
    pub mean: Option<f64>,
    /// Share of the cases with a verdict that passed.
    pub pass_rate: Option<f64>,
    /// Number of gates.
    pub gates: u64,
    /// Gates that failed.
    pub gates_missed: u64,
    /// The summary as JSON text, as `run --format json` prints it.
    pub summary: String,
    /// Its tags, sorted.
    pub tags: Vec<String>,
}

/// A filter for runs; an empty one accepts all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// Runs of this suite, as the user named it.
    pub suite: Option<String>,
    /// Runs of this branch.
    pub branch: Option<String>,
    /// Runs with this tag.
    pub tag: Option<String>,
    /// Runs that began at this time or later, in milliseconds since 1970.
    pub since: Option<i64>,
    /// Runs with a stored case that has a cause with this text in it, ignoring ASCII case.
    pub cause: Option<String>,
}

/// Comparable runs for a trend line: same suite, profile and selection of cases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AlikeRuns {
    /// The suite as the user named it.
    pub suite: String,
    /// Its profile.
    pub profile: Option<String>,
    /// The selection of cases.
    pub selection: Option<String>,
    /// Only runs with a lower number than this.
    pub before: Option<i64>,
}

impl AlikeRuns {
    /// All runs comparable with a run that has not begun yet.
    pub fn of(run: &NewRun) -> Self {
        Self {
            suite: run.suite.clone(),
            profile: run.profile.clone(),
            selection: run.selection.clone(),
            before: None,
        }
    }

    /// The comparable runs before a run.
    pub fn before(run: &RunRow) -> Self {
        Self {
            before: Some(run.number),
            ..Self::of(&run.about)
        }
    }
}

pub(crate) const COLUMNS: &str = "number, key, started, coalesce(finished, 0), suite, profile, suite_hash, selection, settings, version, git_commit,
  git_branch, git_dirty, cases, failed, kept, mean, pass_rate, gates, gates_missed, summary,
  (SELECT json_group_array(tag) FROM (SELECT tag FROM run_tags WHERE run = number ORDER BY tag))";

impl RunRow {
    pub(crate) fn of(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            number: row.get(0)?,
            about: NewRun {
                key: row.get(1)?,
                started: row.get(2)?,
                suite: row.get(4)?,
                profile: row.get(5)?,
                suite_hash: row.get(6)?,
                selection: row.get(7)?,
                settings: row.get(8)?,
                version: row.get(9)?,
                git_commit: row.get(10)?,
                git_branch: row.get(11)?,
                git_dirty: row.get(12)?,
            },
            finished: row.get(3)?,
            cases: count(row, 13)?,
            failed: count(row, 14)?,
            kept: count(row, 15)?,
            mean: row.get(16)?,
            pass_rate: row.get(17)?,
            gates: count(row, 18)?,
            gates_missed: count(row, 19)?,
            summary: row.get::<_, Option<String>>(20)?.unwrap_or_default(),
            tags: texts_of(&row.get::<_, String>(21)?),
        })
    }
}

/// A column with a count.
pub(crate) fn count(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    Ok(row.get::<_, i64>(column)?.try_into().unwrap_or(0))
}

/// The texts of a JSON list from SQLite.
pub(crate) fn texts_of(json: &str) -> Vec<String> {
    from_json(json).unwrap_or_default()
}

impl RunFilter {
    fn conditions(&self) -> Where {
        let mut conditions = Where::default();
        conditions.and("finished IS NOT NULL", []);
        if let Some(suite) = &self.suite {
            conditions.and("suite = ?", [suite.clone().into()]);
        }
        if let Some(branch) = &self.branch {
            conditions.and("git_branch = ?", [branch.clone().into()]);
        }
        if let Some(tag) = &self.tag {
            conditions.and(
                "number IN (SELECT run FROM run_tags WHERE tag = ?)",
                [tag.clone().into()],
            );
        }
        if let Some(since) = self.since {
            conditions.and("started >= ?", [since.into()]);
        }
        if let Some(cause) = &self.cause {
            let holds = "EXISTS (SELECT 1 FROM cases JOIN case_causes ON \"case\" = cases.id
                 WHERE run = runs.number AND counts AND instr(lower(cause), lower(?)) > 0)";
            conditions.and(holds, [cause.clone().into()]);
        }
        conditions
    }
}

/// Condition for finished runs with a suite, a profile and a selection, before a number. These are the first four parameters.
const ALIKE: &str =
    "finished IS NOT NULL AND suite = ?1 AND profile IS ?2 AND selection IS ?3 AND number < ?4";

impl History {
    /// Runs, latest first.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn runs(&self, filter: &RunFilter, page: PageRange) -> Result<Vec<RunRow>> {
        let mut conditions = filter.conditions();
        let query = format!(
            "SELECT {COLUMNS} FROM runs WHERE {} ORDER BY number DESC LIMIT ? OFFSET ?",
            conditions.text()
        );
        conditions
            .values
            .extend([limit(page.limit), limit(page.offset)]);
        self.rows(&query, params_from_iter(conditions.values), RunRow::of)
    }

    /// The last comparable runs, latest first, at most `at_most`.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn alike(&self, which: &AlikeRuns, at_most: u64) -> Result<Vec<RunRow>> {
        let query =
            format!("SELECT {COLUMNS} FROM runs WHERE {ALIKE} ORDER BY number DESC LIMIT ?5");
        let before = which.before.unwrap_or(i64::MAX);
        let values = params![
            which.suite,
            which.profile,
            which.selection,
            before,
            limit(at_most)
        ];
        self.rows(&query, values, RunRow::of)
    }

    /// The default run to compare with: the last comparable one on the same branch, else on any branch.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn run_before(&self, run: &RunRow) -> Result<Option<RunRow>> {
        let query = format!(
            "SELECT {COLUMNS} FROM runs WHERE {ALIKE} ORDER BY git_branch IS ?5 DESC, number DESC LIMIT 1"
        );
        let about = &run.about;
        let values = params![
            about.suite,
            about.profile,
            about.selection,
            run.number,
            about.git_branch
        ];
        self.row(&query, values, RunRow::of)
    }

    /// Number of runs.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn count_runs(&self, filter: &RunFilter) -> Result<u64> {
        let conditions = filter.conditions();
        let query = format!("SELECT count(*) FROM runs WHERE {}", conditions.text());
        let values = params_from_iter(conditions.values);
        let found = self.row(&query, values, |row| count(row, 0))?;
        Ok(found.unwrap_or(0))
    }

    /// The run with this number.
    ///
    /// # Errors
    /// The run does not exist, or the history cannot be read.
    pub fn run(&self, number: i64) -> Result<RunRow> {
        let query =
            format!("SELECT {COLUMNS} FROM runs WHERE number = ?1 AND finished IS NOT NULL");
        self.row(&query, [number], RunRow::of)?
            .ok_or_else(|| StoreError::NoSuchRun(number.to_string()))
    }

    /// The summary of a run.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn summary(&self, run: &RunRow) -> Result<RunSummary> {
        let rows = self.evaluators(run.number)?;
        // If another version wrote the summary, take the evaluators from their rows.
        let mut summary = RunSummary::from_json(&run.summary).unwrap_or_default();
        if summary.evaluators.len() == rows.len() {
            for (evaluator, row) in summary.evaluators.iter_mut().zip(rows) {
                (evaluator.label, evaluator.threshold) = (row.label, row.threshold);
            }
        } else {
            summary.evaluators = rows;
        }
        Ok(RunSummary {
            cases: run.cases,
            ..summary
        })
    }

    /// The results of the evaluators of a run, in the order of its suite.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn evaluators(&self, run: i64) -> Result<Vec<EvaluatorSummary>> {
        let query = "SELECT evaluator, name, label, threshold, mean, pass_rate, scored, passed, not_applicable, errors, histogram
             FROM evaluators WHERE run = ?1 ORDER BY position";
        self.rows(query, [run], |row| {
            Ok(EvaluatorSummary {
                id: row.get(0)?,
                name: row.get(1)?,
                label: row.get(2)?,
                threshold: row.get(3)?,
                totals: Totals {
                    mean: row.get(4)?,
                    pass_rate: row.get(5)?,
                    scored: count(row, 6)?,
                    passed: count(row, 7)?,
                    not_applicable: count(row, 8)?,
                    errors: count(row, 9)?,
                    histogram: from_json(&row.get::<_, String>(10)?).unwrap_or_default(),
                    ..Totals::default()
                },
                ..EvaluatorSummary::default()
            })
        })
    }

    /// The suites of all runs with the number of runs, most frequent first.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn suites(&self) -> Result<Vec<(String, u64)>> {
        let query = "SELECT suite, count(*) AS times FROM runs WHERE finished IS NOT NULL GROUP BY suite ORDER BY times DESC, suite";
        self.counted(query, [])
    }

    /// The branches of all runs with the number of runs, most frequent first.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn branches(&self) -> Result<Vec<(String, u64)>> {
        let query = "SELECT git_branch, count(*) AS times FROM runs WHERE finished IS NOT NULL AND git_branch IS NOT NULL
             GROUP BY git_branch ORDER BY times DESC, git_branch";
        self.counted(query, [])
    }

    /// The tags of all runs with the number of runs, most frequent first.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn run_tags(&self) -> Result<Vec<(String, u64)>> {
        let query =
            "SELECT tag, count(*) AS times FROM run_tags GROUP BY tag ORDER BY times DESC, tag";
        self.counted(query, [])
    }

    pub(crate) fn counted<const N: usize>(
        &self,
        query: &str,
        values: [i64; N],
    ) -> Result<Vec<(String, u64)>> {
        self.rows(query, params_from_iter(values), |row| {
            Ok((row.get(0)?, count(row, 1)?))
        })
    }

    /// Adds a tag to a run.
    ///
    /// # Errors
    /// The run does not exist, or the history cannot be written.
    pub fn tag(&self, run: i64, tag: &str) -> Result<()> {
        self.run(run)?;
        let add = "INSERT OR IGNORE INTO run_tags VALUES (?1, ?2)";
        self.change(add, params![run, tag]).map(drop)
    }

    /// Removes a tag from a run; false if the run does not have it.
    ///
    /// # Errors
    /// The run does not exist, or the history cannot be written.
    pub fn untag(&self, run: i64, tag: &str) -> Result<bool> {
        self.run(run)?;
        let take = "DELETE FROM run_tags WHERE run = ?1 AND tag = ?2";
        Ok(self.change(take, params![run, tag])? > 0)
    }
}

pub(crate) fn limit(number: u64) -> Value {
    Value::Integer(i64::try_from(number).unwrap_or(i64::MAX))
}
