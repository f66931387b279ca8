//! A case in a list.

use rightcall_core::value::{Text, Value, decode, python};
use rightcall_report::{printable, question_of, score_of};
use rightcall_results::KeptCase;
use rightcall_store::CaseRow;

use super::choice::short;
use super::{score, verdict};
use crate::link::Query;

/// Maximum number of tags and meta values in a row.
const LABELS: usize = 8;

/// A case in a list, formatted for the template.
pub(super) struct CaseView {
    pub(super) label: String,
    pub(super) trial: String,
    pub(super) link: String,
    pub(super) score: String,
    pub(super) verdict: (&'static str, &'static str),
    /// For each evaluator: its name, the score, and the CSS class of the score.
    pub(super) scores: Vec<(String, String, &'static str)>,
    /// Why its score is low or missing.
    pub(super) why: String,
    pub(super) question: String,
    /// Its tags and meta values, each with the address of the cases that have it too.
    pub(super) labels: Vec<(String, String)>,
}

impl CaseView {
    pub(super) fn new(
        (path, query): (&str, &Query),
        evaluators: &[String],
        (at, row): (u64, &CaseRow),
    ) -> Self {
        let CaseRow {
            number,
            result,
            why,
        } = row;
        let query = query.without(&["page"]);
        let sharing =
            |key: &str, value: &str| format!("{}#cases", query.with(key, Some(value)).of(path));
        let tags = result
            .tags
            .iter()
            .map(|tag| (short(tag), sharing("tag", tag)));
        let meta = result
            .case
            .as_ref()
            .map_or_else(Vec::new, |case| meta_pairs(case));
        let meta = meta
            .into_iter()
            .map(|pair| (short(&pair), sharing("meta", &pair)));
        let labels = tags.chain(meta).take(LABELS).collect();
        let scores = result.evaluations.iter().enumerate();
        let scores = scores.map(|(position, result)| {
            let (score, class) = score_of(result);
            let name = evaluators.get(position).cloned();
            (name.unwrap_or_default(), score, class)
        });
        let query = query.with("at", Some(&at.to_string()));
        Self {
            label: printable(&result.label),
            trial: result.trial.as_deref().map(printable).unwrap_or_default(),
            link: query.of(&format!("{path}/cases/{number}")),
            score: score(result.whole.score()),
            verdict: verdict(result.verdict()),
            scores: scores.collect(),
            why: match (why.is_empty(), result.whole.outcome.reason()) {
                (true, Some(reason)) => printable(&reason),
                _ => printable(why),
            },
            question: question_of(result),
            labels,
        }
    }
}

/// The scalar meta values of a case, each as `key=value`.
fn meta_pairs(case: &KeptCase) -> Vec<String> {
    let meta = case.meta.as_deref().and_then(|json| decode(json).ok());
    let members = meta.as_ref().and_then(Value::as_object);
    let pair = |(key, value): &(Text<'_>, Value<'_>)| {
        let value = match value {
            Value::String(text) => text.to_display().into_owned(),
            Value::Bool(value) => value.to_string(),
            Value::List(_) | Value::Object(_) | Value::Null => return None,
            other => python::str(other).to_string(),
        };
        Some(format!("{}={value}", key.to_display()))
    };
    members.into_iter().flatten().filter_map(pair).collect()
}
