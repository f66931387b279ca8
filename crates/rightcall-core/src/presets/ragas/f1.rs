//! `ragas/tool-call-f1`: F1 of the sets of calls.

use super::Messages;
use crate::presets::prelude::*;

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
            departures::DIGITS,
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
    build: |_, _| {
        let rules = Rules::from_arguments(ArgumentRule::Equal, ValueEquality::Python);
        let recipe = Recipe {
            empty: EmptyPolicy::COMPUTE,
            finish: Finish::Rounded(Rounding::Python4),
            ..Recipe::new(rules, Align::Distinct, Scoring::F1(Idle::Zero))
        };
        Ok(Composed::preset(
            recipe,
            Messages {
                null_is_empty: true,
            },
        ))
    },
};
