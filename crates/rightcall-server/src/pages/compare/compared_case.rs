//! A case of both runs: the expected calls, and the calls before and after.

use rightcall_report::{CaseChange, CaseChanges, ComparedEvaluator, ComparedRun, count, printable};
use rightcall_store::History;

use super::is_in_time;
use super::side::Side;
use crate::link::Query;
use crate::pages::{Missing, score};

pub(super) struct ComparedCase {
    pub(super) key: String,
    /// With several trials: the means before and after, with the number of trials.
    pub(super) means: Option<String>,
    pub(super) drawn: CaseChange,
    /// For each evaluator, the address of its comparison on the case.
    pub(super) tabs: Vec<String>,
    /// The page without the case, and with the previous or the next one.
    pub(super) back: String,
    pub(super) previous: Option<String>,
    pub(super) next: Option<String>,
}

impl ComparedCase {
    /// The case with this key, if both runs have it. Shows the pair of trials with the clearest
    /// change. `around` holds the previous and the next key in the list.
    pub(super) fn new(
        history: &History,
        sides: &[Side; 2],
        evaluators: &[ComparedEvaluator],
        (key, around): (&str, [Option<&str>; 2]),
        query: &Query,
    ) -> Result<Option<Self>, Missing> {
        let runs = sides.each_ref().map(|side| &side.run);
        let trials = ComparedRun::alike_trials(runs, key);
        let means = [0, 1].map(|side| sides[side].mean(&trials[side]));
        let is_worse = means[1] < means[0];
        let Some(shown) = CaseChanges::between(runs, key, is_worse)?.shown_trials(runs)? else {
            return Ok(None);
        };
        let found = |side: usize| {
            let (side, position) = (&sides[side], shown[side]);
            let (run, number) = (side.row.number, side.run.numbers()[position]);
            let case = history.case(run, number)?;
            Ok::<_, Missing>(case.map(|case| {
                let trial = case.trial.as_ref();
                let trial = trial.map_or_else(String::new, |it| format!(", trial {it}"));
                let link = format!("/runs/{run}/cases/{number}");
                (case, (format!("{}{trial}", side.name), link))
            }))
        };
        let (Some((before, of_before)), Some((after, of_after))) = (found(0)?, found(1)?) else {
            return Ok(None);
        };
        let chosen = query.number("by").or(query.number("of"));
        let chosen = chosen.map(|position| position as usize);
        let (heads, is_in_time) = ([of_before, of_after], is_in_time(sides));
        let Some(drawn) = CaseChange::new(evaluators, chosen, [&before, &after], heads, is_in_time)
        else {
            return Ok(None);
        };
        let address = |query: &Query| format!("{}#case", query.of("/compare"));
        let tab = |position: usize| address(&query.with("by", Some(&position.to_string())));
        let case = |key: Option<&str>| key.map(|key| address(&query.with("case", Some(key))));
        Ok(Some(Self {
            key: printable(key),
            means: means_text(trials.each_ref().map(Vec::len), means),
            tabs: (0..drawn.tabs.len()).map(tab).collect(),
            back: query.without(&["case", "by"]).of("/compare"),
            previous: case(around[0]),
            next: case(around[1]),
            drawn,
        }))
    }
}

/// `mean of 3 trials 0.889 → mean of 3 trials 0.611`; `None` if each run has one trial, or no trials can be compared.
fn means_text(trials: [usize; 2], means: [Option<f64>; 2]) -> Option<String> {
    let text = |side: usize| {
        let trials = count(trials[side] as u64, "trial");
        format!("mean of {trials} {}", score(means[side]))
    };
    let is_shown = trials != [1, 1] && !trials.contains(&0);
    is_shown.then(|| format!("{} → {}", text(0), text(1)))
}
