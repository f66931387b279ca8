//! Accepts the calls of a case as its new expectation, for `view --edit`: shows the change first, then writes it.

use std::sync::Arc;

use askama::Template;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Redirect};
use rightcall_formats::{ReadOptions, read_case};
use rightcall_report::{Lanes, command_line, printable};
use rightcall_results::CaseResult;
use rightcall_run::{ExpectationChange, RewriteError};
use rightcall_store::{History, RunRow};

use super::{Missing, Place, page};
use crate::expectation_files::ExpectationEdit;
use crate::guard::is_of_own_page;

type CaseNumbers = Result<Path<(i64, u64)>, PathRejection>;

#[derive(Template)]
#[template(path = "accept.html")]
struct AcceptPage {
    label: String,
    /// The address of the case.
    case: String,
    file: String,
    changes: Vec<LineChange>,
    /// Values that the form sends back.
    token: String,
    hash: String,
    /// The command that runs the suite again.
    command: String,
}

/// The change of a line. The parts before and after the difference are equal.
struct LineChange {
    line: u64,
    start: String,
    before: String,
    after: String,
    end: String,
    repair: Vec<String>,
    lanes: Vec<Lanes>,
}

/// Shows the change.
pub(crate) async fn proposal(
    State(place): State<Place>,
    numbers: CaseNumbers,
) -> Result<impl IntoResponse, Missing> {
    let (run, number) = numbers?.0;
    let token = place.token.clone().unwrap_or_default();
    let viewed = Arc::clone(&place);
    page(place, move |history| {
        let (proposal, row, judged) = proposal_of(history, run, number)?;
        let words = ["rightcall", "run", &row.about.suite].map(ToOwned::to_owned);
        let words = [&words[..], &viewed.history_words].concat();
        let change = |change| LineChange::new(change, proposal.before(change));
        Ok(AcceptPage {
            label: printable(&judged.name()),
            case: case_address(run, number),
            file: printable(&judged.file),
            changes: proposal.changes().map(change).collect(),
            hash: proposal.hash(),
            token,
            command: command_line(&words),
        })
    })
    .await
}

/// Writes the change, if the request comes from the form of [`proposal`] and the file is still the same.
pub(crate) async fn accept(
    State(place): State<Place>,
    numbers: CaseNumbers,
    headers: HeaderMap,
    form: String,
) -> Result<Redirect, Missing> {
    let (run, number) = numbers?.0;
    let sent = |key: &str| {
        let mut pairs = form_urlencoded::parse(form.as_bytes());
        pairs.find_map(|(known, value)| (known == key).then(|| value.into_owned()))
    };
    if !is_of_own_page(&headers) || sent("token").is_none() || sent("token") != place.token {
        let message = "The request does not come from a page of this viewer. Open the case again.";
        return Err(Missing::Refused(message.to_owned()));
    }
    let hash = sent("file");
    let written = tokio::task::spawn_blocking(move || {
        let history = History::open_to_read(&place.history)?;
        let (proposal, ..) = proposal_of(&history, run, number)?;
        if hash != Some(proposal.hash()) {
            return Err(changed());
        }
        proposal.accept().map_err(|error| match error {
            RewriteError::Changed(_) => changed(),
            error => Missing::Broken(error.to_string()),
        })
    });
    written
        .await
        .map_err(|error| Missing::Broken(error.to_string()))??;
    Ok(Redirect::to(&format!(
        "{}/accept",
        case_address(run, number)
    )))
}

fn changed() -> Missing {
    let message = "The file has changed since the page was opened, so nothing was written. Open the case again to see the change.";
    Missing::Conflict(message.to_owned())
}

/// The change that a case would make, with its run and the case.
fn proposal_of(
    history: &History,
    run: i64,
    number: u64,
) -> Result<(ExpectationEdit, RunRow, CaseResult), Missing> {
    let row = history.run(run)?;
    let case = history.case(run, number)?;
    let case = case.ok_or_else(|| Missing::NotFound(format!("Run {run} has no case {number}.")))?;
    let proposal = ExpectationEdit::new(history.path(), &row, &case).map_err(Missing::Conflict)?;
    Ok((proposal, row, case))
}

fn case_address(run: i64, number: u64) -> String {
    format!("/runs/{run}/cases/{number}")
}

impl LineChange {
    fn new(change: &ExpectationChange, before: &str) -> Self {
        let after = change.text.as_str();
        let pairs = before.char_indices().zip(after.chars());
        let start = pairs
            .take_while(|((_, one), other)| one == other)
            .last()
            .map_or(0, |((at, one), _)| at + one.len_utf8());
        let ends = before[start..]
            .chars()
            .rev()
            .zip(after[start..].chars().rev());
        let end: usize = ends
            .take_while(|(one, other)| one == other)
            .map(|(one, _)| one.len_utf8())
            .sum();
        let part = |text: &str, from: usize| printable(&text[from..text.len() - end]);
        Self {
            line: change.line.unwrap_or_default(),
            start: printable(&before[..start]),
            before: part(before, start),
            after: part(after, start),
            end: printable(&before[before.len() - end..]),
            repair: change.repair.iter().map(|step| printable(step)).collect(),
            lanes: lanes(change),
        }
    }
}

/// The old expectation and the calls in two lanes, by each evaluator that shows a difference.
fn lanes(change: &ExpectationChange) -> Vec<Lanes> {
    let Ok(case) = read_case(&change.shown, &ReadOptions::default()) else {
        return Vec::new();
    };
    case.with_resolved(|case| {
        let explanations = change.explanations(case);
        explanations.iter().map(|it| Lanes::new(case, it)).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn change_is_the_difference_of_two_lines() {
        let change = |before: &str, after: &str| {
            let change = ExpectationChange {
                label: String::new(),
                line: Some(1),
                text: after.to_owned(),
                replaced: None,
                shown: String::new(),
                by: Vec::new(),
                repair: Vec::new(),
            };
            let it = LineChange::new(&change, before);
            [it.start, it.before, it.after, it.end].join("|")
        };
        assert_eq!(change("{a7b}", "{a8b}"), "{a|7|8|b}");
        assert_eq!(change("{aa}", "{aaa}"), "{aa||a|}");
        assert_eq!(change("{ü}", "{ö}"), "{|ü|ö|}");
        assert_eq!(change("", "{}"), "||{}|");
    }
}
