//! A case of both runs: what is expected, and what was called before and after.

use rightcall_report::{CaseChange, ComparedEvaluator, printable};
use rightcall_store::History;

use super::side::Side;
use crate::link::Query;
use crate::pages::Missing;

pub(super) struct ComparedCase {
    pub(super) key: String,
    pub(super) drawn: CaseChange,
    /// By evaluator, the address that shows what it made of the case.
    pub(super) tabs: Vec<String>,
    /// The page without the case, and with the one before and after it.
    pub(super) back: String,
    pub(super) previous: Option<String>,
    pub(super) next: Option<String>,
}

impl ComparedCase {
    /// The case of this key, if both runs have it: the trial that got worst, or else best. Of the list that it was opened from, the
    /// keys before and behind it.
    pub(super) fn new(
        history: &History,
        sides: &[Side; 2],
        evaluators: &[ComparedEvaluator],
        (key, around): (&str, [Option<&str>; 2]),
        query: &Query,
    ) -> Result<Option<Self>, Missing> {
        let is_worse = sides[1].mean(key) < sides[0].mean(key);
        let found = |side: &Side, lowest: bool| {
            let Some(number) = side.number(key, lowest) else {
                return Ok(None);
            };
            let run = side.row.number;
            let case = history.case(run, number)?;
            Ok::<_, Missing>(case.map(|case| {
                let trial = case.trial.as_ref();
                let trial = trial.map_or_else(String::new, |it| format!(", trial {it}"));
                let link = format!("/runs/{run}/cases/{number}");
                (case, (format!("run {run}{trial}"), link))
            }))
        };
        let (Some((before, of_before)), Some((after, of_after))) =
            (found(&sides[0], !is_worse)?, found(&sides[1], is_worse)?)
        else {
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
            tabs: (0..drawn.tabs.len()).map(tab).collect(),
            back: query.without(&["case", "by"]).of("/compare"),
            previous: case(around[0]),
            next: case(around[1]),
            drawn,
        }))
    }
}
