//! Compares more than two runs: the mean of each evaluator in each run, and each run with the first.

use std::rc::Rc;

use askama::Template;
use rightcall_report::{
    ChangeRow, ComparisonOptions, ComparisonReport, Incomparable, RunMeans, count, run_told,
};
use rightcall_store::History;

use super::side::{Side, SideName, command};
use crate::link::encoded;
use crate::pages::Missing;
use crate::viewed::Viewed;

/// Maximum number of runs on a page: more do not fit into its table, and each takes time.
const RUNS: usize = 12;

#[derive(Template)]
#[template(path = "several.html")]
pub(super) struct SeveralPage {
    shared: String,
    /// The names of the runs beyond the limit.
    left_out: Vec<String>,
    /// The command that compares all of them.
    command: String,
    /// Facts about each run.
    told: Vec<String>,
    means: RunMeans,
    changes: Vec<ChangeRow>,
    /// Links to the comparison of each other run with the first, with names.
    pairs: Vec<(String, String)>,
}

impl SeveralPage {
    pub(super) fn new(
        history: &Rc<History>,
        viewed: &Viewed,
        picked: &[SideName],
    ) -> Result<Self, Missing> {
        let (all, left_out) = (picked, picked.get(RUNS..).unwrap_or_default());
        let picked = &picked[..picked.len().min(RUNS)];
        let sides: Vec<Side> = picked
            .iter()
            .map(|name| Side::new(history, viewed, name))
            .collect::<Result<_, _>>()?;
        let runs: Vec<_> = sides
            .iter()
            .map(|side| {
                let mut run = side.run.clone();
                run.scores.name.clone_from(&side.name);
                run
            })
            .collect();
        let options = ComparisonOptions::default();
        let report = ComparisonReport::new(&runs, &options).map_err(|why| {
            let why = match why {
                Incomparable::NoCase => "The runs have no case in common.",
                Incomparable::NoEvaluator => "No evaluator has judged all of the runs.",
            };
            Missing::Unclear(why.to_owned())
        })?;
        let address = |name: &SideName| encoded(&name.to_string());
        let first = address(&picked[0]);
        let others = sides.iter().zip(picked).skip(1);
        let pairs = others.map(|(side, name)| {
            let link = format!("/compare?run={first}&run={}", address(name));
            (format!("{} against {}", sides[0].name, side.name), link)
        });
        Ok(Self {
            left_out: left_out.iter().map(SideName::label).collect(),
            command: command(all, viewed),
            shared: count(report.first().shared as u64, "case"),
            told: sides.iter().map(|side| run_told(&side.row)).collect(),
            means: report.means(),
            changes: report.change_rows(),
            pairs: pairs.collect(),
        })
    }
}
