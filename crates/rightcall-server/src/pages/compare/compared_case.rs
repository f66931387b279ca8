//! A case of both runs: what is expected, and what was called before and after.

use rightcall_report::{CaseChange, CaseChanges, ComparedEvaluator, count, printable};
use rightcall_store::History;

use super::side::Side;
use crate::link::Query;
use crate::pages::{Missing, score};

pub(super) struct ComparedCase {
    pub(super) key: String,
    /// Of several trials: the means before and after, of how many trials.
    pub(super) means: Option<String>,
    pub(super) drawn: CaseChange,
    /// By evaluator, the address that shows what it made of the case.
    pub(super) tabs: Vec<String>,
    /// The page without the case, and with the one before and after it.
    pub(super) back: String,
    pub(super) previous: Option<String>,
    pub(super) next: Option<String>,
}

impl ComparedCase {
    /// The case of this key, if both runs have it: the pair of trials that tells best how it moved. Of the list that it was opened from, the
    /// keys before and behind it.
    pub(super) fn new(
        history: &History,
        sides: &[Side; 2],
        evaluators: &[ComparedEvaluator],
        (key, around): (&str, [Option<&str>; 2]),
        query: &Query,
    ) -> Result<Option<Self>, Missing> {
        let means = sides.each_ref().map(|side| side.mean(key));
        let is_worse = means[1] < means[0];
        let runs = sides.each_ref().map(|side| &side.run);
        let Some(told) = CaseChanges::between(runs, key, is_worse)?.told else {
            return Ok(None);
        };
        let found = |side: usize| {
            let (side, position) = (&sides[side], told[side]);
            let (run, number) = (side.row.number, side.run.numbers()[position]);
            let case = history.case(run, number)?;
            Ok::<_, Missing>(case.map(|case| {
                let trial = case.trial.as_ref();
                let trial = trial.map_or_else(String::new, |it| format!(", trial {it}"));
                let link = format!("/runs/{run}/cases/{number}");
                (case, (format!("run {run}{trial}"), link))
            }))
        };
        let (Some((before, of_before)), Some((after, of_after))) = (found(0)?, found(1)?) else {
            return Ok(None);
        };
        let chosen = query.number("by").or(query.number("of"));
        let chosen = chosen.map(|position| position as usize);
        let heads = [of_before, of_after];
        let Some(drawn) = CaseChange::new(evaluators, chosen, [&before, &after], heads) else {
            return Ok(None);
        };
        let address = |query: &Query| format!("{}#case", query.of("/compare"));
        let tab = |position: usize| address(&query.with("by", Some(&position.to_string())));
        let case = |key: Option<&str>| key.map(|key| address(&query.with("case", Some(key))));
        Ok(Some(Self {
            key: printable(key),
            means: means_told(sides, key),
            tabs: (0..drawn.tabs.len()).map(tab).collect(),
            back: query.without(&["case", "by"]).of("/compare"),
            previous: case(around[0]),
            next: case(around[1]),
            drawn,
        }))
    }
}

/// `mean of 3 trials 0.889 → mean of 3 trials 0.611`; nothing where each run has one trial.
fn means_told(sides: &[Side; 2], key: &str) -> Option<String> {
    let told = sides.each_ref().map(|side| {
        let trials = side.run.trials().trials(&side.run.scores, key).len();
        (
            trials,
            format!(
                "mean of {} {}",
                count(trials as u64, "trial"),
                score(side.mean(key))
            ),
        )
    });
    let [(before, was), (after, is)] = told;
    (before > 1 || after > 1).then(|| format!("{was} → {is}"))
}
