//! Cases, filtered, sorted and paged in the database.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use rightcall_core::{EvaluationError, Explanation, Outcome};
use rightcall_formats::{ReadOptions, read_case};
use rightcall_results::{CaseResult, EvaluationResult, KeptCase, tags_of};
use rusqlite::{Row, params, params_from_iter};

use crate::case_filter::{CaseFilter, CaseOrder, IdRange};
use crate::conditions::Where;
use crate::error::Result;
use crate::run::{count, limit};
use crate::{History, PageRange, StoreError};

/// One page of the cases that a filter accepts.
#[derive(Clone, Debug, Default)]
pub struct CaseList {
    /// Number of cases that the filter accepts.
    pub total: u64,
    /// The cases of the page.
    pub cases: Vec<CaseRow>,
}

/// A case of a run, with its number.
#[derive(Clone, Debug)]
pub struct CaseRow {
    /// Its position in the input, from 1; identifies it within the run.
    pub number: u64,
    /// The result. Lists omit alignments, and all parts of the case that they don't show.
    pub result: CaseResult,
    /// The reason for a low score, in one sentence.
    pub why: String,
}

const COLUMNS: &str = "id, number, label, trial, file, line, score, reason, outcome, passed";

/// Further columns for lists.
const LIST_COLUMNS: &str = "why, question, meta, expectation";

/// A case without its text, and its row id.
fn row_of(row: &Row<'_>) -> rusqlite::Result<(i64, u64, CaseResult)> {
    let file: String = row.get(4)?;
    let result = CaseResult {
        label: row.get(2)?,
        trial: row.get(3)?,
        variant: Vec::new(),
        file: file.into(),
        line: count(row, 5)?,
        whole: result_of(row, 6)?,
        tags: Vec::new(),
        evaluations: Vec::new(),
        causes: Vec::new(),
        case: None,
    };
    Ok((row.get(0)?, count(row, 1)?, result))
}

/// A case for a list, and its row id.
fn list_row_of(row: &Row<'_>) -> rusqlite::Result<(i64, CaseRow)> {
    let (id, number, mut result) = row_of(row)?;
    result.case = Some(Arc::new(KeptCase {
        meta: row.get(12)?,
        question: row.get(11)?,
        expectation: row.get(13)?,
        ..KeptCase::default()
    }));
    let row = CaseRow {
        number,
        result,
        why: row.get(10)?,
    };
    Ok((id, row))
}

/// The result in the columns score, reason, outcome and passed.
fn result_of(row: &Row<'_>, first: usize) -> rusqlite::Result<EvaluationResult> {
    let (score, reason): (_, Option<String>) = (row.get(first)?, row.get(first + 1)?);
    let (outcome, reason): (String, _) = (row.get(first + 2)?, reason.unwrap_or_default());
    let outcome = Outcome::from_parts(&outcome, score, reason);
    let unknown = || EvaluationError::Raised("the history holds no such outcome".to_owned());
    Ok(EvaluationResult::new(
        outcome.unwrap_or_else(|| Outcome::Failed(unknown())),
        row.get(first + 3)?,
    ))
}

impl History {
    /// A page of the cases of a run.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn cases(
        &self,
        run: i64,
        filter: &CaseFilter,
        order: CaseOrder,
        page: PageRange,
    ) -> Result<CaseList> {
        let (total, part) = self.part(run, filter, order, page)?;
        let cases = self.cases_of(&part)?;
        Ok(CaseList { total, cases })
    }

    /// The cases with these ids, for lists, in this order. Deleted ids are skipped.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn cases_of(&self, ids: &[i64]) -> Result<Vec<CaseRow>> {
        let query = format!("SELECT {COLUMNS}, {LIST_COLUMNS} FROM cases WHERE id = ?1");
        let mut cases = Vec::new();
        for id in ids {
            if let Some((id, mut case)) = self.row(&query, [*id], list_row_of)? {
                case.result.evaluations = self.evaluations(id)?;
                case.result.tags = self.tags(id)?;
                cases.push(case);
            }
        }
        Ok(cases)
    }

    /// The ids on a page of the cases that a filter accepts, sorted.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn case_ids(
        &self,
        run: i64,
        filter: &CaseFilter,
        order: CaseOrder,
        page: PageRange,
    ) -> Result<Vec<i64>> {
        let ids = if filter.needs_other_tables() {
            self.ids_of(run)?
        } else {
            None
        };
        let conditions = filter.conditions(run, ids);
        self.page_of("id", &conditions, order, page, |row| row.get(0))
    }

    /// The number of cases and the row ids on a page. A filter on other tables finds all cases in one query, since counting separately
    /// would search twice.
    fn part(
        &self,
        run: i64,
        filter: &CaseFilter,
        order: CaseOrder,
        page: PageRange,
    ) -> Result<(u64, Vec<i64>)> {
        if filter.needs_other_tables() {
            let found = self.case_ids(run, filter, order, PageRange::ALL)?;
            let as_usize = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
            let part = found
                .iter()
                .skip(as_usize(page.offset))
                .take(as_usize(page.limit));
            return Ok((found.len() as u64, part.copied().collect()));
        }
        let conditions = filter.conditions(run, None);
        let counted = format!("SELECT count(*) FROM cases WHERE {}", conditions.text());
        let values = params_from_iter(conditions.values.iter().cloned());
        let total = self.row(&counted, values, |row| count(row, 0))?;
        let part = self.page_of("id", &conditions, order, page, |row| row.get(0))?;
        Ok((total.unwrap_or(0), part))
    }

    /// The numbers on a page of the cases of a run, without counting all of them.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn case_numbers(
        &self,
        run: i64,
        filter: &CaseFilter,
        order: CaseOrder,
        page: PageRange,
    ) -> Result<Vec<u64>> {
        // A text search reads all cases, so use the range of ids.
        let ids = match &filter.text {
            Some(_) => self.ids_of(run)?,
            None => None,
        };
        let conditions = filter.conditions(run, ids);
        self.page_of("number", &conditions, order, page, |row| count(row, 0))
    }

    /// One column of the cases on a page.
    fn page_of<T>(
        &self,
        column: &str,
        conditions: &Where,
        order: CaseOrder,
        page: PageRange,
        read: fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>> {
        let query = format!(
            "SELECT {column} FROM cases WHERE {} ORDER BY {} LIMIT ? OFFSET ?",
            conditions.text(),
            order.columns()
        );
        let values = conditions.values.iter().cloned();
        let values = values.chain([limit(page.limit), limit(page.offset)]);
        self.rows(&query, params_from_iter(values), read)
    }

    /// The smallest and the largest id of the cases of a run; `None` without cases.
    fn ids_of(&self, run: i64) -> Result<Option<IdRange>> {
        let query = "SELECT min(id), max(id) FROM cases WHERE run = ?1";
        let range: Option<(Option<i64>, Option<i64>)> =
            self.row(query, [run], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(range.and_then(|(first, last)| first.zip(last)))
    }

    fn tags(&self, case: i64) -> Result<Vec<String>> {
        let query = "SELECT tag FROM case_tags WHERE \"case\" = ?1 ORDER BY tag";
        self.rows(query, [case], |row| row.get(0))
    }

    fn evaluations(&self, case: i64) -> Result<Vec<EvaluationResult>> {
        let query = "SELECT score, reason, outcome, passed FROM evaluations WHERE \"case\" = ?1 ORDER BY position";
        self.rows(query, [case], |row| result_of(row, 0))
    }

    /// A case with all stored data; `None` if it is not stored.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn case(&self, run: i64, number: u64) -> Result<Option<CaseResult>> {
        let query = format!("SELECT {COLUMNS} FROM cases WHERE run = ?1 AND number = ?2");
        let number = i64::try_from(number).unwrap_or(i64::MAX);
        let Some((id, _, result)) = self.row(&query, [run, number], row_of)? else {
            return Ok(None);
        };
        self.whole_case(id, result).map(Some)
    }

    /// Passes each stored case of a run to `each`, with all stored data, in input order.
    ///
    /// # Errors
    /// The history cannot be read, or `each` fails.
    pub fn each_case<E: From<StoreError>>(
        &self,
        run: i64,
        mut each: impl FnMut(&Arc<CaseResult>) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let query = format!(
            "SELECT {COLUMNS} FROM cases WHERE run = ?1 AND number > ?2 ORDER BY number LIMIT 500"
        );
        let mut last = 0;
        loop {
            let rows = self.rows(&query, params![run, last], row_of)?;
            let Some((_, end, _)) = rows.last() else {
                return Ok(());
            };
            last = i64::try_from(*end).unwrap_or(i64::MAX);
            for (id, _, result) in rows {
                each(&Arc::new(self.whole_case(id, result)?))?;
            }
        }
    }

    /// The name and the canonical JSON text of each stored case of a run, in input order.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn case_texts(&self, run: i64) -> Result<Vec<(String, String)>> {
        let query = "SELECT label, json FROM cases JOIN texts ON texts.\"case\" = cases.id WHERE run = ?1 ORDER BY number";
        self.rows(query, [run], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    /// Passes the number and the canonical JSON text of each stored case of a run to `each`.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn each_text(&self, run: i64, mut each: impl FnMut(u64, &str)) -> Result<()> {
        let query = "SELECT number, json FROM cases JOIN texts ON texts.\"case\" = cases.id WHERE run = ?1 ORDER BY number";
        self.rows(query, [run], |row| {
            each(count(row, 0)?, row.get_ref(1)?.as_str()?);
            Ok(())
        })?;
        Ok(())
    }

    /// Adds the text of a case, its alignments, and the reasons for its scores.
    fn whole_case(&self, id: i64, result: CaseResult) -> Result<CaseResult> {
        let query = "SELECT json FROM texts WHERE \"case\" = ?1";
        let json: Option<String> = self.row(query, [id], |row| row.get(0))?;
        let json = json.unwrap_or_default();
        // Stored text parses unless the file is damaged; an empty case is better than no report then.
        let case = read_case(&json, &ReadOptions::default()).unwrap_or_default();
        let mut evaluations = self.evaluations(id)?;
        for (position, evaluation) in evaluations.iter_mut().enumerate() {
            let query = "SELECT json FROM alignments WHERE \"case\" = ?1 AND position = ?2";
            let alignment: Option<String> =
                self.row(query, params![id, position as i64], |row| row.get(0))?;
            let explanation = alignment.and_then(|json| Explanation::from_json(&json).ok());
            evaluation.explanation = explanation.map(Box::new);
        }
        let mut causes = Vec::new();
        let kept = case.with_resolved(|case| {
            for evaluation in &mut evaluations {
                evaluation.explain(case);
                evaluation.add_causes(&mut causes, case);
            }
            KeptCase::new(case, String::new())
        });
        Ok(CaseResult {
            tags: tags_of(&case),
            evaluations,
            causes,
            case: Some(Arc::new(KeptCase { json, ..kept })),
            ..result
        })
    }

    /// The numbers of the cases with this name in a run, one for each trial.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn cases_called(&self, run: i64, label: &str) -> Result<Vec<u64>> {
        let trials = self.trials_called(run, label)?;
        Ok(trials.into_iter().map(|(number, _)| number).collect())
    }

    /// The cases with this name in a run, each with its number and its trial as JSON text.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn trials_called(&self, run: i64, label: &str) -> Result<Vec<(u64, Option<String>)>> {
        // The `+` keeps SQLite from scanning the whole run in number order.
        let query =
            "SELECT number, trial FROM cases WHERE run = ?1 AND label = ?2 ORDER BY +number";
        self.rows(query, params![run, label], |row| {
            Ok((count(row, 0)?, row.get(1)?))
        })
    }

    /// The numbers of the cases of a run that expect or call a tool.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn cases_with_tool(&self, run: i64, tool: &str) -> Result<HashSet<u64>> {
        let Some((first, last)) = self.ids_of(run)? else {
            return Ok(HashSet::new());
        };
        let query = "SELECT number FROM cases WHERE run = ?1 AND +id IN
             (SELECT \"case\" FROM tools WHERE \"case\" BETWEEN ?3 AND ?4 AND (expected = ?2 OR called = ?2))";
        let numbers = self.rows(query, params![run, tool, first, last], |row| count(row, 0))?;
        Ok(numbers.into_iter().collect())
    }

    /// The causes of each case by case number, in the wording of pages, each with true if it
    /// counts. Cases without causes are left out.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn causes(&self, run: i64) -> Result<HashMap<u64, Vec<(String, bool)>>> {
        let query =
            "SELECT number, cause, counts FROM case_causes JOIN cases ON cases.id = \"case\"
             WHERE run = ?1 ORDER BY \"case\", cause";
        let mut causes: HashMap<u64, Vec<(String, bool)>> = HashMap::new();
        self.rows(query, [run], |row| {
            let cause = (row.get(1)?, row.get(2)?);
            causes.entry(count(row, 0)?).or_default().push(cause);
            Ok(())
        })?;
        Ok(causes)
    }

    /// The last run of a suite with cases at this line of a file, and their numbers. `file` is the
    /// path shown on screens, or the end of it. `record` is the number of a record in the line,
    /// from 1; `None` for all.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn case_at(
        &self,
        suite: Option<&str>,
        file: &str,
        line: u64,
        record: Option<u32>,
    ) -> Result<Option<(i64, Vec<u64>)>> {
        let query = "SELECT run, c.number FROM cases AS c JOIN runs ON runs.number = c.run
             WHERE finished IS NOT NULL AND (?1 IS NULL OR suite = ?1) AND line = ?2
               AND (file = ?3 OR substr(file, -length(?3) - 1) = '/' || ?3 OR substr(?3, -length(file) - 1) = '/' || file)
               AND (?4 IS NULL OR label LIKE '%:' || ?2 || '#' || ?4)
             ORDER BY run DESC, c.number LIMIT 1000";
        let line = i64::try_from(line).unwrap_or(i64::MAX);
        let places: Vec<(i64, u64)> =
            self.rows(query, params![suite, line, file, record], |row| {
                Ok((row.get(0)?, count(row, 1)?))
            })?;
        let Some((run, _)) = places.first().copied() else {
            return Ok(None);
        };
        let numbers = places.iter().filter(|(case_run, _)| *case_run == run);
        Ok(Some((run, numbers.map(|(_, number)| *number).collect())))
    }

    /// Name and trial of the cases of a suite that failed in their last run: the last run of all
    /// cases, updated by later runs of selected cases.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn open_failures(
        &self,
        suite: &str,
        profile: Option<&str>,
    ) -> Result<HashSet<(String, Option<String>)>> {
        let runs = "SELECT number, selection IS NULL FROM runs
             WHERE finished IS NOT NULL AND suite = ?1 AND profile IS ?2 ORDER BY number DESC";
        let runs: Vec<(i64, bool)> = self.rows(runs, params![suite, profile], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
        let query = "SELECT label, trial, failed FROM cases WHERE run = ?1";
        let (mut seen, mut failed) = (HashSet::new(), HashSet::new());
        for (run, is_whole) in runs {
            let cases: Vec<((String, Option<String>), bool)> = self.rows(query, [run], |row| {
                Ok(((row.get(0)?, row.get(1)?), row.get(2)?))
            })?;
            for (case, has_failed) in cases {
                if seen.insert(case.clone()) && has_failed {
                    failed.insert(case);
                }
            }
            if is_whole {
                break;
            }
        }
        Ok(failed)
    }

    /// Name and trial of the stored cases of a run with this cause.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn cases_with_cause(
        &self,
        run: i64,
        cause: &str,
    ) -> Result<HashSet<(String, Option<String>)>> {
        let query = "SELECT label, trial FROM cases JOIN case_causes ON \"case\" = cases.id
             WHERE run = ?1 AND counts AND cause = ?2";
        let rows = self.rows(query, params![run, cause], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
        Ok(rows.into_iter().collect())
    }

    /// Name and trial of the failed cases of a run.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn failed_cases(&self, run: i64) -> Result<HashSet<(String, Option<String>)>> {
        let query = "SELECT label, trial FROM cases WHERE run = ?1 AND failed";
        Ok(self
            .rows(query, [run], |row| Ok((row.get(0)?, row.get(1)?)))?
            .into_iter()
            .collect())
    }
}
