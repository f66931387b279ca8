//! `promptfoo/tool-call-f1`: F1 of the sets of tools.

use super::{EMPTY, INVERSE, sides_of_names, write_pass};
use crate::presets::plain_calls::sides_of_calls;
use crate::presets::prelude::*;
use crate::value::javascript;

pub(crate) static ENTRY: Entry = Entry {
    id: "promptfoo/tool-call-f1",
    aliases: &[],
    summary: "F1 of the sets of tools that were called and expected.",
    page: Page {
        measures: "Whether the set of tools that were called is the set of tools expected, by their exact names; order, repeats and \
arguments play no part.",
        formula: "`precision = common / different tools called`, `recall = common / different tools expected`, `f1 = 2 · precision · \
recall / (precision + recall)`, 0 without a common tool. It passes from `threshold` on, with `inverse` below; the score stays.",
        use_when: "You move from promptfoo's `tool-call-f1` or `not-tool-call-f1`.",
        not_when: "Arguments count (`ragas/tool-call-f1`), or how often a tool is called does (`uipath/tool-call-count`).",
        limits: "Names are compared to the letter, where the `trajectory:` assertions take patterns; space around expected names goes.",
        not_applicable: "The case states neither an order nor calls, or an empty list of them; or there is no run.",
        editions: "",
        departures: &[
            departures::UNKNOWN_SETTINGS,
            departures::THRESHOLD_RANGE,
            departures::REPEATED_KEYS,
            departures::NESTING,
        ],
        source: "Package `promptfoo` 0.123.1, `tool-call-f1` and `not-tool-call-f1`.",
        related: &["ragas/tool-call-f1", "promptfoo/tool-used"],
        example: Example {
            settings: r#"{"threshold":0.8}"#,
            expected: r#"["find","pay"]"#,
            actual: r#"[{"name":"find"},{"name":"find"}]"#,
            result: r#"{"score":0.6666666666666666,"pass":false}"#,
        },
    },
    settings: &[THRESHOLD.setting, INVERSE.setting],
    editions: &[Edition::Package],
    needs: "an expected order, or expected calls; names of the actual calls",
    shape: None,
    build,
};

const THRESHOLD: Number = Number::new("threshold", "1", "The pass mark.");

fn build(settings: &Settings<'_>, _: Edition) -> Made {
    let rules = Rules::from_names(NameRule::Exact);
    let recipe = Recipe {
        empty: EMPTY,
        ..Recipe::new(rules, Align::Distinct, Scoring::F1(Idle::Zero))
    };
    let original = ToolCallF1 {
        threshold: THRESHOLD.read(settings)?,
        inverse: INVERSE.read(settings)?,
    };
    Ok(Composed::preset(recipe, original))
}

#[derive(Debug)]
struct ToolCallF1 {
    threshold: f64,
    inverse: bool,
}

impl ToolCallF1 {
    fn is_met(&self, judged: &Judged<'_, '_, '_>) -> bool {
        (judged.score >= self.threshold) != self.inverse
    }
}

impl Original for ToolCallF1 {
    fn read_case<'c>(&self, recipe: &Recipe, prepared: &'c PreparedCase<'c>) -> Reading<'c> {
        Ok(trimmed(sides_of_names(recipe, prepared)?))
    }

    fn read_native<'c>(&self, expected: &'c str, actual: &'c str) -> Reading<'c> {
        Ok(trimmed(sides_of_calls(expected, actual)?))
    }

    fn write(&self, judged: &Judged<'_, '_, '_>, writer: &mut JsonWriter) {
        write_pass(self.is_met(judged), writer);
    }

    fn passes(&self, judged: &Judged<'_, '_, '_>) -> Option<bool> {
        Some(self.is_met(judged))
    }
}

/// Trims expected names, and drops blank ones.
fn trimmed(sides: Sides<'_>) -> Sides<'_> {
    let trim = |item: &Item<'_>| {
        let name = item.name().to_text();
        let trimmed = name.trimmed(javascript::is_space);
        (trimmed != name || name.is_empty()).then(|| trimmed.into_owned())
    };
    let items = sides.expected.as_slice();
    if items.iter().all(|item| trim(item).is_none()) {
        return sides;
    }
    let kept = items.iter().filter_map(|item| match trim(item) {
        None => Some(item.clone()),
        Some(name) if name.is_empty() => None,
        Some(name) => Some(item.clone().with_name(ItemName::Text(name))),
    });
    let expected = Items::Own(kept.collect());
    Sides { expected, ..sides }
}
