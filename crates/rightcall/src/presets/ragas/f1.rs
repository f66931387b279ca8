//! `ragas/tool-call-f1`: F1 of the sets of calls.

use crate::alignment::{Comparison, distinct};
use crate::call::Shape;
use crate::evaluation::{Ask, Evaluation, EvaluationError, Outcome};
use crate::matching::{ArgumentRule, Rules};
use crate::presets::explain::explain_part;
use crate::presets::rendering::{Layout, evaluation};
use crate::presets::{Preset, Source, departures};
use crate::registry::{Edition, Entry, Example, Page};
use crate::scoring::{Rounding, f1, precision, recall};
use crate::settings::{ConfigError, Settings};
use crate::value::ValueEquality;

pub(crate) static ENTRY: Entry = Entry {
    id: "ragas/tool-call-f1",
    aliases: &[],
    summary: "F1 of the sets of calls, arguments included.",
    page: Page {
        measures: "Whether the set of calls made is the set of calls expected; repeats count once, order plays no part.",
        formula: "`precision = common / different actual calls`, `recall = common / different expected calls`, `f1 = 2 · precision · \
recall / (precision + recall)`, rounded to four decimals as Python rounds. Both lists empty: 0.",
        use_when: "It matters which calls were made, not how often.",
        not_when: "Repeats matter (`tpmjs/tool-call-accuracy-score`), or nothing expected and nothing done should be right: it scores 0.",
        limits: "Arguments are equal or not; `1`, `1.0` and `true` are one value, as in Python.",
        not_applicable: "The case states no calls, an expected call states no arguments, there is no run, or a call was recorded \
without arguments.",
        editions: "",
        departures: &[
            departures::NULL_LISTS,
            departures::NAN_WITHIN,
            departures::REPEATED_KEYS,
            departures::NESTING,
        ],
        source: "Package `ragas` 0.4.3.",
        related: &["ragas/tool-call-accuracy", "tpmjs/tool-call-accuracy-score"],
        example: Example {
            settings: "{}",
            expected: r#"[{"name":"find","args":{"id":7}},{"name":"pay","args":{"id":7}}]"#,
            actual: r#"[{"name":"find","args":{"id":7}},{"name":"find","args":{"id":7.0}}]"#,
            result: r#"{"score":0.6667}"#,
        },
    },
    settings: &[],
    editions: &[Edition::Package],
    needs: "expected calls with arguments; names and arguments of the actual calls",
    shape: Some(Shape::Ragas),
    build,
};

#[expect(clippy::unnecessary_wraps, reason = "the registry's signature")]
fn build(_: &Settings<'_>, _: Edition) -> Result<Box<dyn Preset>, ConfigError> {
    Ok(Box::new(ToolCallF1 {
        rules: Rules::of_arguments(ArgumentRule::Equal, ValueEquality::Python),
    }))
}

#[derive(Debug)]
struct ToolCallF1 {
    rules: Rules,
}

impl Preset for ToolCallF1 {
    fn evaluate(&self, source: &Source<'_>, ask: Ask) -> Result<Evaluation, Outcome> {
        let (expected, actual) = super::read(source, true)?;
        let matcher = source.matcher(&self.rules, &expected, &actual);
        let calls = matcher
            .calls()
            .ok_or_else(|| EvaluationError::Raised("calls cannot be told apart".to_owned()))?;
        let sets = distinct(calls);
        let common = sets.alignment.pairs.len() as f64;
        let scored = f1(
            precision(common, sets.actual_classes),
            recall(common, sets.expected_classes),
        )
        .rounded(Rounding::Python4);
        let looked_at = (expected.len(), actual.len());
        let explain = || explain_part(&matcher, &sets.alignment, looked_at, &sets.duplicates);
        Ok(evaluation(scored, None, ask, Layout::Flat, |_| {}, explain))
    }
}
