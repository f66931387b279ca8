//! Compares our scores with another tool's scores.

use std::path::Path;

use rightcall_formats::ValuesError;
use rightcall_report::{Proof, RescoredRows, count};
use rightcall_run::written_scores;

use super::RescoreArguments;
use super::outputs::{RescoreFormat, RescoringFile};
use crate::exit::Exit;
use crate::messages::{Trouble, error};

/// Compares the scores of the setting with the scores in a file.
pub(super) fn prove(
    rows: &RescoredRows,
    results: &Path,
    arguments: &RescoreArguments,
    file: RescoringFile,
) -> Result<Exit, Trouble> {
    let written = written_scores(
        results,
        arguments.score.as_deref(),
        arguments.input.limits(),
    )?;
    let proof = Proof::new(
        rows,
        results.display().to_string(),
        &written,
        arguments.tolerance,
    );
    file.write(|format| match format {
        RescoreFormat::Table => Ok(proof.screen(arguments.lists.length())),
        _ => Ok(proof.json() + "\n"),
    })?;
    if !proof.is_complete() {
        let unpaired = proof.only_here.len() + proof.only_there.len();
        error(
            &format!(
                "{} without a partner (exit code 2)",
                count(unpaired as u64, "row")
            ),
            Some(
                "rows pair by `id` and `trial`; a file without trials has the rows of an id in the order of the rollouts",
            ),
        );
        return Ok(Exit::NotJudged);
    }
    Ok(if proof.holds() {
        Exit::Success
    } else {
        Exit::Failed
    })
}

impl From<ValuesError> for Trouble {
    fn from(error: ValuesError) -> Self {
        match error {
            ValuesError::Open(error) => error.into(),
            ValuesError::Read(error) => Self::said(&error, error.help.clone()),
        }
    }
}
