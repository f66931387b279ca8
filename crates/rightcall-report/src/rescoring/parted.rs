//! The differences of two settings by cause, with an example of each.

use rightcall_stats::{Parting, PartingKind, SettingPair};
use serde::Serialize;

use super::rows::RescoredRows;

/// The rows with one kind of difference between two settings.
#[derive(Debug, Serialize)]
pub(super) struct PartedRows {
    pub(super) kind: PartingKind,
    /// The number of rows.
    pub(super) rows: usize,
    /// The rows by the first cause under the lower setting, the most frequent cause first.
    pub(super) causes: Vec<PartedCause>,
}

/// Rows that share a cause.
#[derive(Debug, Serialize)]
pub(super) struct PartedCause {
    /// The cause; `None` if the lower setting has none.
    pub(super) cause: Option<String>,
    pub(super) rows: usize,
    pub(super) example: PartedRow,
}

/// A row under two settings.
#[derive(Debug, Serialize)]
pub(super) struct PartedRow {
    pub(super) row: String,
    /// Its scores; `None` if it has none.
    pub(super) first: Option<f64>,
    pub(super) second: Option<f64>,
    /// Why the lower score is low, or why there is none; empty if nothing is known.
    pub(super) why: String,
}

impl PartedRows {
    /// The differences of a pair of settings.
    pub(super) fn of(rows: &RescoredRows, pair: &SettingPair) -> Vec<Self> {
        let partings = pair.partings.iter();
        partings
            .map(|parting| Self {
                kind: parting.kind,
                rows: parting.rows.len(),
                causes: causes(rows, pair, parting),
            })
            .collect()
    }

    /// Describes the kind of difference, with these names of the settings.
    pub(super) fn title(&self, first: &str, second: &str) -> String {
        match self.kind {
            PartingKind::FirstLower => format!("{first} is lower"),
            PartingKind::SecondLower => format!("{second} is lower"),
            PartingKind::FirstPassesAlone => format!("only {first} passes"),
            PartingKind::SecondPassesAlone => format!("only {second} passes"),
            PartingKind::FirstScoresAlone => format!("only {first} has a score"),
            PartingKind::SecondScoresAlone => format!("only {second} has a score"),
        }
    }
}

/// The rows of a parting by cause. The example of each is the row with the largest difference, the first one on a tie.
fn causes(rows: &RescoredRows, pair: &SettingPair, parting: &Parting) -> Vec<PartedCause> {
    let lower = match parting.kind {
        PartingKind::FirstLower
        | PartingKind::SecondPassesAlone
        | PartingKind::SecondScoresAlone => pair.first,
        PartingKind::SecondLower
        | PartingKind::FirstPassesAlone
        | PartingKind::FirstScoresAlone => pair.second,
    };
    let difference = |at: usize| {
        let [one, other] = [pair.first, pair.second].map(|it| rows.score(at, it));
        one.zip(other)
            .map_or(0.0, |(one, other)| (one - other).abs())
    };
    let mut causes: Vec<(Option<String>, usize, usize)> = Vec::new();
    for at in &parting.rows {
        let reason = rows.reason(*at, lower);
        let is_unscored = rows.score(*at, lower).is_none();
        let cause = if is_unscored {
            Some(reason.why.clone())
        } else {
            reason.cause.clone()
        };
        match causes.iter_mut().find(|it| it.0 == cause) {
            Some((_, number, example)) => {
                *number += 1;
                if difference(*at) > difference(*example) {
                    *example = *at;
                }
            }
            None => causes.push((cause, 1, *at)),
        }
    }
    causes.sort_by_key(|(_, number, _)| std::cmp::Reverse(*number));
    let cause = |(cause, number, example): (Option<String>, usize, usize)| PartedCause {
        cause,
        rows: number,
        example: PartedRow {
            row: rows.name(example),
            first: rows.score(example, pair.first),
            second: rows.score(example, pair.second),
            why: rows.reason(example, lower).why.clone(),
        },
    };
    causes.into_iter().map(cause).collect()
}
