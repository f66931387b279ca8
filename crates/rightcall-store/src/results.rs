//! The results of a run, for comparisons.

use std::collections::HashMap;

use rightcall_run::{Grouping, ResultsOptions};
use rightcall_stats::{Measurement, RunScores, TrialScores};
use rusqlite::{Row, params};

use crate::History;
use crate::error::Result;
use crate::run::{count, texts_of};

/// The verdict on a case; an error counts as failed.
const VERDICT: &str = "CASE outcome WHEN 'error' THEN 0 ELSE passed END";

impl History {
    /// The scores of the cases of a run, with the number of each case. If not all cases are stored, only the sample is used: the additional
    /// failures would make the run look worse than it was. A case that lacks a value of its key is identified by its name.
    ///
    /// # Errors
    /// The run does not exist, or the history cannot be read.
    pub fn results(&self, run: i64, options: &ResultsOptions) -> Result<(RunScores, Vec<u64>)> {
        let measures: Vec<String> = self
            .evaluators(run)?
            .into_iter()
            .map(|it| it.name.unwrap_or(it.id))
            .collect();
        let mut keys = options.by.iter().flat_map(Grouping::keys);
        let wants_tags = keys.any(|key| key == "tag") || !options.only.tags.is_empty();
        let query = format!("SELECT id, number, label, trial, meta, score, {VERDICT},
               CASE WHEN ?2 THEN (SELECT json_group_array(tag) FROM case_tags WHERE \"case\" = id) END
             FROM cases WHERE run = ?1 AND sampled ORDER BY number");
        let (mut numbers, mut cases, mut places) = (Vec::new(), Vec::new(), HashMap::new());
        self.rows(&query, params![run, wants_tags], |row| {
            let meta = row.get_ref(4)?.as_str_or_null()?;
            let scores = TrialScores {
                label: row.get(2)?,
                trial: row.get(3)?,
                overall: judged(row, 5)?,
                values: vec![Measurement::default(); measures.len()],
                ..TrialScores::default()
            };
            let tags = row.get_ref(7)?.as_str_or_null()?.map(texts_of);
            if let Some(scores) = options.place(scores, &tags.unwrap_or_default(), meta) {
                places.insert(row.get(0)?, cases.len());
                numbers.push(count(row, 1)?);
                cases.push(scores);
            }
            Ok(())
        })?;
        self.add_values(&places, &mut cases)?;
        Ok((
            RunScores {
                name: format!("run {run}"),
                measures,
                cases,
            },
            numbers,
        ))
    }

    /// Adds the evaluators' scores to cases; `places` maps ids to indices. Scans the rows once in storage order, which is several times
    /// faster than looking them up by case.
    fn add_values(&self, places: &HashMap<i64, usize>, cases: &mut [TrialScores]) -> Result<()> {
        let (Some(first), Some(last)) = (places.keys().min(), places.keys().max()) else {
            return Ok(());
        };
        let query = format!(
            "SELECT \"case\", position, score, {VERDICT} FROM evaluations
             WHERE \"case\" BETWEEN ?1 AND ?2"
        );
        self.rows(&query, [first, last], |row| {
            let position = usize::try_from(row.get::<_, i64>(1)?).unwrap_or(usize::MAX);
            let place = places.get(&row.get(0)?);
            let case = place.and_then(|place| cases.get_mut(*place));
            if let Some(value) = case.and_then(|case| case.values.get_mut(position)) {
                *value = judged(row, 2)?;
            }
            Ok(())
        })?;
        Ok(())
    }
}

/// A score, and the verdict in the next column.
fn judged(row: &Row<'_>, column: usize) -> rusqlite::Result<Measurement> {
    Ok(Measurement {
        score: row.get(column)?,
        passed: row.get(column + 1)?,
    })
}
