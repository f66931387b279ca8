//! The results of a run, as comparisons take them.

use rightcall_run::ResultsOptions;
use rightcall_stats::{Measurement, RunScores, TrialScores};
use rusqlite::params;

use crate::History;
use crate::error::Result;
use crate::run::{count, texts_of};

impl History {
    /// What the evaluators made of the cases of a run, with the number of each case. Of a run of which not all cases are kept, those
    /// of the sample: the failures beyond it would make the run look worse than it was. A case without the values that make
    /// its key is left out.
    ///
    /// # Errors
    /// Where there is no such run, or the history cannot be read.
    pub fn results(&self, run: i64, options: &ResultsOptions) -> Result<(RunScores, Vec<u64>)> {
        let measures: Vec<String> = self
            .evaluators(run)?
            .into_iter()
            .map(|it| it.name.unwrap_or(it.id))
            .collect();
        let mut cases: Vec<(u64, TrialScores)> = Vec::new();
        // Which cases are not meant is known before their evaluations are read.
        let (mut last, mut is_meant) = (None, true);
        let query = "SELECT c.id, c.number, c.label, c.trial, c.meta, c.score, c.passed, c.outcome = 'error',
               e.position, e.score, e.passed, e.outcome = 'error',
               CASE WHEN ?2 THEN (SELECT json_group_array(tag) FROM case_tags WHERE \"case\" = c.id) ELSE '[]' END
             FROM cases AS c LEFT JOIN evaluations AS e ON e.\"case\" = c.id
             WHERE c.run = ?1 AND c.sampled ORDER BY c.number, e.position";
        let wants_tags = options.by.is_some() || !options.only.tags.is_empty();
        self.rows(query, params![run, wants_tags], |row| {
            let id: i64 = row.get(0)?;
            if last != Some(id) {
                last = Some(id);
                let meta: Option<String> = row.get(4)?;
                let scores = TrialScores {
                    label: row.get(2)?,
                    trial: row.get(3)?,
                    overall: judged(row.get(5)?, row.get(6)?, row.get(7)?),
                    values: vec![Measurement::default(); measures.len()],
                    ..TrialScores::default()
                };
                let tags = texts_of(&row.get::<_, String>(12)?);
                let scores = options.place(scores, &tags, meta.as_deref());
                is_meant = scores.is_some();
                let number = count(row, 1)?;
                cases.extend(scores.map(|scores| (number, scores)));
            }
            if !is_meant {
                return Ok(());
            }
            let position: Option<usize> = row
                .get::<_, Option<i64>>(8)?
                .and_then(|it| it.try_into().ok());
            if let (Some(position), Some((_, case))) = (position, cases.last_mut())
                && let Some(value) = case.values.get_mut(position)
            {
                *value = judged(row.get(9)?, row.get(10)?, row.get(11)?);
            }
            Ok(())
        })?;
        let (numbers, cases) = cases.into_iter().unzip();
        Ok((
            RunScores {
                name: format!("run {run}"),
                measures,
                cases,
            },
            numbers,
        ))
    }
}

/// An error is no score, and not passed.
fn judged(score: Option<f64>, passed: Option<bool>, is_error: bool) -> Measurement {
    Measurement {
        score,
        passed: if is_error { Some(false) } else { passed },
    }
}
