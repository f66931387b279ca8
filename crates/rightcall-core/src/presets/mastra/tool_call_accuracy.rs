//! `mastra/tool-call-accuracy`: whether the right tools were called, and in order.

use super::{names, write_names};
use crate::presets::plain_calls::sides_of_calls;
use crate::presets::prelude::*;
use crate::recipe::{expected_order, not_expected, trajectory};

pub(crate) static ENTRY: Entry = Entry {
    id: "mastra/tool-call-accuracy",
    aliases: &[],
    summary: "Whether each expected tool was called, first calls in the expected order.",
    page: Page {
        measures: "Whether the expected tools were called in the expected order, with other calls between them, or with `strictMode` \
these tools in this order and nothing else. Arguments are not looked at, nor calls without a name.",
        formula: "1 or 0. Of each expected tool the *first* call counts: these must exist, and each must come after that of the tool \
before. With `strictMode` the lists of names are the same. No call, or nothing expected: 0.",
        use_when: "You move from Mastra's `createToolCallAccuracyScorerCode`.",
        not_when: "A tool is expected twice, or calls may repeat (`trajectory` with `mode: in_order`).",
        limits: "A tool that is expected twice is never found twice, since its first call answers both. A call that comes too early \
spoils the order although the tool is called again. Nothing expected and nothing done scores 0, as in the original.",
        not_applicable: "The case states neither an order nor calls, or there is no run.",
        editions: "",
        departures: &[
            departures::UNKNOWN_SETTINGS,
            departures::REPEATED_KEYS,
            departures::NESTING,
        ],
        source: "Package `@mastra/evals` 1.10.2, `createToolCallAccuracyScorerCode`; `expectedTool` is an order of one tool.",
        related: &[
            "mastra/trajectory-accuracy",
            "uipath/tool-call-order",
            "trajectory",
        ],
        example: Example {
            settings: "{}",
            expected: r#"{"order":["find","pay"]}"#,
            actual: r#"[{"name":"pay"},{"name":"find"},{"name":"pay"}]"#,
            result: r#"{"score":0.0,"actualTools":["pay","find","pay"],"strictMode":false,"expectedToolOrder":["find","pay"],"hasToolCalls":true,"correctOrderCalled":false}"#,
        },
    },
    settings: &[STRICT.setting],
    editions: &[Edition::Package],
    needs: "an expected order, or expected calls; names of the actual calls",
    shape: None,
    build,
};

const STRICT: Flag = Flag::new(
    "strictMode",
    false,
    "The expected tools in the expected order, and no other call.",
);

fn build(settings: &Settings<'_>, _: Edition) -> Made {
    let strict = STRICT.read(settings)?;
    let (align, condition, costs) = if strict {
        let condition = "the same tools in the same order";
        (Align::Position, condition, Costs::BOTH)
    } else {
        let condition = "first calls come in the expected order";
        (Align::FirstOccurrences, condition, Costs::MISSED)
    };
    let recipe = Recipe {
        empty: EmptyPolicy {
            both: Worth::Fixed(0.0),
            ..EmptyPolicy::ALIKE
        },
        ..Recipe::new(
            Rules::from_names(NameRule::Exact),
            align,
            Scoring::AllOrNothing(condition, costs),
        )
    };
    Ok(Composed::preset(recipe, ToolCallAccuracy { strict }))
}

#[derive(Debug)]
struct ToolCallAccuracy {
    strict: bool,
}

impl ToolCallAccuracy {
    /// True if the order is right; the original reports this for empty lists too.
    fn is_order_kept(&self, judged: &Judged<'_, '_, '_>) -> bool {
        let (expected, actual) = (judged.tally.expected, judged.tally.actual);
        if judged.is_decided_by_nothing() {
            return expected == 0 && (!self.strict || actual == 0);
        }
        judged.score == 1.0
    }
}

impl Original for ToolCallAccuracy {
    fn read_case<'c>(&self, recipe: &Recipe, prepared: &'c PreparedCase<'c>) -> Reading<'c> {
        let run = trajectory(prepared.case())?;
        let calls = prepared.case().expected.calls.as_deref();
        let mut sides = recipe.sides_of(prepared, calls.unwrap_or_default(), run);
        match expected_order(prepared.case()) {
            Some(order) => (sides.expected, sides.list) = (order, ExpectedList::Order),
            None if calls.is_none() => return Err(not_expected("order")),
            None => {}
        }
        Ok(named(sides))
    }

    fn read_native<'c>(&self, expected: &'c str, actual: &'c str) -> Reading<'c> {
        Ok(named(sides_of_calls(expected, actual)?))
    }

    fn write(&self, judged: &Judged<'_, '_, '_>, writer: &mut JsonWriter) {
        write_names(writer, "actualTools", names(&judged.sides.actual));
        writer.key("strictMode").bool(self.strict);
        write_names(writer, "expectedToolOrder", names(&judged.sides.expected));
        let has_calls = judged.tally.actual > 0;
        writer.key("hasToolCalls").bool(has_calls);
        writer
            .key("correctOrderCalled")
            .bool(self.is_order_kept(judged));
    }
}

/// The sides without actual calls that have an empty name.
fn named(sides: Sides<'_>) -> Sides<'_> {
    sides.skipping(|item| item.name().to_text().is_empty())
}
