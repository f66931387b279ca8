//! The results of a run, as comparisons take them.

use rightcall_run::{CaseKey, ResultsOptions, meta_number};
use rightcall_stats::{Measurement, RunScores, TrialScores};

use crate::History;
use crate::error::Result;

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
        let (mut cases, mut numbers): (Vec<TrialScores>, Vec<u64>) = (Vec::new(), Vec::new());
        let mut last = None;
        let query = "SELECT c.id, c.number, c.label, c.trial, c.meta, c.score, c.passed, c.outcome = 'error',
               e.position, e.score, e.passed, e.outcome = 'error'
             FROM cases AS c LEFT JOIN evaluations AS e ON e.\"case\" = c.id
             WHERE c.run = ?1 AND c.sampled ORDER BY c.number, e.position";
        self.rows(query, [run], |row| {
            let id: i64 = row.get(0)?;
            if last != Some(id) {
                last = Some(id);
                let (label, trial): (String, Option<String>) = (row.get(2)?, row.get(3)?);
                let meta: Option<String> = row.get(4)?;
                cases.push(TrialScores {
                    key: key_of(&options.key, &label, trial.as_deref(), meta.as_deref()),
                    overall: judged(row.get(5)?, row.get(6)?, row.get(7)?),
                    field: options
                        .field
                        .as_ref()
                        .and_then(|field| meta_number(meta.as_deref()?, field)),
                    values: vec![Measurement::default(); measures.len()],
                    label,
                    trial,
                });
                numbers.push(crate::run::count(row, 1)?);
            }
            let position: Option<usize> = row
                .get::<_, Option<i64>>(8)?
                .and_then(|it| it.try_into().ok());
            if let (Some(position), Some(case)) = (position, cases.last_mut())
                && let Some(value) = case.values.get_mut(position)
            {
                *value = judged(row.get(9)?, row.get(10)?, row.get(11)?);
            }
            Ok(())
        })?;
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

fn key_of(key: &CaseKey, label: &str, trial: Option<&str>, meta: Option<&str>) -> String {
    key.of(label, trial, meta)
        .unwrap_or_else(|| label.to_owned())
}

/// An error is no score, and not passed.
fn judged(score: Option<f64>, passed: Option<bool>, is_error: bool) -> Measurement {
    Measurement {
        score,
        passed: if is_error { Some(false) } else { passed },
    }
}
