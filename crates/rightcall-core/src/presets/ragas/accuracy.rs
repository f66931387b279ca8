//! `ragas/tool-call-accuracy`: the accuracy of arguments, if the sequence of tools is right.

use super::Messages;
use crate::presets::prelude::*;
use crate::recipe::Order;

pub(crate) static ENTRY: Entry = Entry {
    id: "ragas/tool-call-accuracy",
    aliases: &[],
    summary: "The share of right arguments, if the right tools were called.",
    page: Page {
        measures: "Whether the agent called exactly the reference tools, and how many of the reference arguments were right.",
        formula: "0 unless the lists of names are equal, in order or, with `strict_order: false`, sorted. Else the mean over the \
reference calls of the share of reference arguments whose value has the same text, by Python's `str`.",
        use_when: "You move from Ragas and want the same numbers.",
        not_when: "An extra call should not cost everything (`ragas/tool-call-f1`, `axion/tool-correctness`).",
        limits: "Values are compared as text: `1` equals `\"1\"`, and nested objects with another key order differ.",
        not_applicable: "The case states no calls, an expected call states no arguments, there is no run, or a call was recorded \
without arguments.",
        editions: "",
        departures: &[
            departures::REPEATED_KEYS,
            departures::NESTING,
            departures::DIGITS,
        ],
        source: "Package `ragas` 0.4.3.",
        related: &["ragas/tool-call-f1", "deepeval/tool-correctness"],
        example: Example {
            settings: "{}",
            expected: r#"[{"name":"find","args":{"id":7,"full":true}}]"#,
            actual: r#"[{"name":"find","args":{"id":"7"}}]"#,
            result: r#"{"score":0.5}"#,
        },
    },
    settings: &[STRICT_ORDER.setting],
    editions: &[Edition::Package],
    needs: "expected calls with arguments; names and arguments of the actual calls",
    shape: Some(Shape::Ragas),
    build,
};

const STRICT_ORDER: Flag = Flag::new(
    "strict_order",
    true,
    "Compare in order; else both sides are sorted first.",
);

fn build(settings: &Settings<'_>, _: Edition) -> Made {
    let rules = Rules::from_arguments(ArgumentRule::AsText, ValueEquality::Python);
    let order = if STRICT_ORDER.read(settings)? {
        Order::Recorded
    } else {
        Order::Sorted
    };
    let recipe = Recipe {
        order,
        ..Recipe::new(rules, Align::Position, Scoring::RecallIfNamesAlign)
    };
    Ok(Composed::preset(
        recipe,
        Messages {
            null_is_empty: false,
        },
    ))
}
