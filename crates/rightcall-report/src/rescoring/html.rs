//! Rescored rollouts as one HTML file without scripts or other files.

use askama::Template;
use rightcall_stats::Interval;

use super::parted::{PartedCause, PartedRows};
use super::report::RescoringReport;
use super::screen::{ends, equal_groups, signed, signed_ends};
use crate::markup::STYLE;
use crate::numbers::number;
use crate::text::{page_text, printable};

/// Maximum number of causes listed for each kind of difference of two settings.
const SHOWN: usize = 50;

#[derive(Template)]
#[template(path = "rescoring.html")]
struct RescoringPage {
    style: &'static str,
    title: String,
    head: String,
    interval: String,
    mark: String,
    spreads: Vec<SpreadRow>,
    pairs: Vec<PairRow>,
    against: Option<String>,
    predictions: Vec<PredictionRow>,
    partings: Vec<PartingPart>,
    gaps: Vec<GapRow>,
}

struct SpreadRow {
    setting: String,
    counts: [String; 3],
    mean: String,
    interval: String,
    deviation: String,
    within: String,
    equal: String,
    example: String,
}

struct PairRow {
    first: String,
    second: String,
    rows: usize,
    tau_b: [String; 2],
    kappa: [String; 2],
}

struct PredictionRow {
    setting: String,
    rows: usize,
    auc: [String; 2],
    spearman: [String; 2],
}

struct PartingPart {
    title: String,
    heads: [String; 2],
    rows: Vec<PartingRow>,
    more: usize,
}

struct PartingRow {
    rows: usize,
    cause: String,
    example: String,
    scores: [String; 2],
    why: String,
}

struct GapRow {
    setting: String,
    kind: &'static str,
    rows: usize,
    reason: String,
    example: String,
}

impl RescoringReport<'_> {
    /// The rollouts as one HTML file.
    ///
    /// # Errors
    /// The page cannot be rendered.
    pub fn html(&self) -> Result<String, askama::Error> {
        Ok(page_text(&self.page().render()?).into_owned())
    }

    fn page(&self) -> RescoringPage {
        RescoringPage {
            style: STYLE,
            title: printable(self.name),
            head: self.head(),
            interval: self.interval_name(),
            mark: self.options.mark_text(),
            spreads: self.spread_rows(),
            pairs: self.pair_rows(),
            against: self.options.against_text().map(|it| printable(&it)),
            predictions: self.prediction_rows(),
            partings: self.parting_parts(),
            gaps: self.gap_rows(),
        }
    }

    fn spread_rows(&self) -> Vec<SpreadRow> {
        let row = |(at, spread): (usize, &rightcall_stats::SettingSpread)| {
            let (not_applicable, errors) = self.unscored(at);
            SpreadRow {
                setting: printable(&spread.setting),
                counts: [spread.rows, not_applicable, errors].map(|it| it.to_string()),
                mean: number(spread.mean.map(|it| it.estimate)),
                interval: ends(spread.mean),
                deviation: number(spread.deviation),
                within: number(spread.within_groups),
                equal: equal_groups(spread),
                example: printable(spread.equal_example.as_deref().unwrap_or_default()),
            }
        };
        self.spreads.iter().enumerate().map(row).collect()
    }

    fn pair_rows(&self) -> Vec<PairRow> {
        let pairs = self.pairs.iter().map(|(pair, _)| PairRow {
            first: printable(self.setting(pair.first)),
            second: printable(self.setting(pair.second)),
            rows: pair.rows,
            tau_b: with_ends(pair.tau_b),
            kappa: with_ends(pair.kappa),
        });
        pairs.collect()
    }

    fn prediction_rows(&self) -> Vec<PredictionRow> {
        let predictions = self.predictions.iter().map(|it| PredictionRow {
            setting: printable(&it.label),
            rows: it.trials,
            auc: [number(it.auc.map(|it| it.estimate)), ends(it.auc)],
            spearman: with_ends(it.spearman),
        });
        predictions.collect()
    }

    fn parting_parts(&self) -> Vec<PartingPart> {
        let mut parts = Vec::new();
        for (pair, parted) in &self.pairs {
            let heads = [pair.first, pair.second].map(|at| printable(self.setting(at)));
            parts.extend(parted.iter().map(|it| self.parting_part(it, heads.clone())));
        }
        parts
    }

    fn parting_part(&self, parted: &PartedRows, heads: [String; 2]) -> PartingPart {
        let listed = parted.causes.len().min(self.options.listed.or(SHOWN));
        let [first, second] = &heads;
        let row = |it: &PartedCause| PartingRow {
            rows: it.rows,
            cause: printable(it.cause.as_deref().unwrap_or("no cause known")),
            example: printable(&it.example.row),
            scores: [it.example.first, it.example.second].map(number),
            why: printable(&it.example.why),
        };
        PartingPart {
            title: format!(
                "{first} and {second}: {}, {} rows",
                parted.title(first, second),
                parted.rows
            ),
            rows: parted.causes[..listed].iter().map(row).collect(),
            more: parted.causes.len() - listed,
            heads,
        }
    }

    fn gap_rows(&self) -> Vec<GapRow> {
        let gaps = self.gaps().map(|(setting, gap)| GapRow {
            setting: printable(setting),
            kind: if gap.is_error {
                "error"
            } else {
                "not applicable"
            },
            rows: gap.rows,
            reason: printable(&gap.reason),
            example: printable(&self.rows.name(gap.example)),
        });
        gaps.collect()
    }
}

/// A number that may be negative, and the ends of its interval.
fn with_ends(interval: Option<Interval>) -> [String; 2] {
    let estimate = interval.map_or_else(|| "–".to_owned(), |it| signed(it.estimate));
    [estimate, signed_ends(interval)]
}
