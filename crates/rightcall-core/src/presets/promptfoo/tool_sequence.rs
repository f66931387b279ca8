//! `promptfoo/tool-sequence`: whether tools were used in order.

use super::{Assertion, EMPTY, INVERSE};
use crate::presets::prelude::*;

pub(crate) static ENTRY: Entry = Entry {
    id: "promptfoo/tool-sequence",
    aliases: &[],
    summary: "Whether the expected tools were used in order, or with `inverse` were not.",
    page: Page {
        measures: "Whether the run used the expected tools in their order, with others between them (`in_order`) or alone (`exact`). \
Expected names are patterns: `*` stands for any characters, `?` for one, and upper and lower case are alike.",
        formula: "1 or 0. `in_order`: each expected tool, in order, takes the first fitting call behind the one taken before; all must find \
one. `exact`: as many calls as expected tools, and each fits. With `inverse`: 0 where that is 1, and 1 else.",
        use_when: "You move from promptfoo's `trajectory:tool-sequence` or `not-trajectory:tool-sequence`.",
        not_when: "Part of the order deserves part of the credit (`uipath/tool-call-order`).",
        limits: "Calls of `shell`, `local_shell` and `exec_command` with a command are steps of the type `command` to promptfoo, and no \
tools. Beside the tool's name promptfoo looks at the name of its span, which a case does not hold.",
        not_applicable: "The case states neither an order nor calls, or an empty list of them; or there is no run.",
        editions: "",
        departures: &[
            departures::UNKNOWN_SETTINGS,
            departures::REPEATED_KEYS,
            departures::NESTING,
        ],
        source: "Package `promptfoo` 0.123.1, `trajectory:tool-sequence` and `not-trajectory:tool-sequence`.",
        related: &[
            "promptfoo/tool-used",
            "uipath/tool-call-order",
            "trajectory",
        ],
        example: Example {
            settings: "{}",
            expected: r#"["find_*","pay"]"#,
            actual: r#"[{"name":"find_order"},{"name":"check"},{"name":"Pay"}]"#,
            result: r#"{"score":1.0,"pass":true}"#,
        },
    },
    settings: &[MODE.setting, INVERSE.setting],
    editions: &[Edition::Package],
    needs: "an expected order, or expected calls; names of the actual calls",
    shape: None,
    build,
};

const MODES: [(&str, bool); 2] = [("in_order", false), ("exact", true)];
/// True for the exact sequence.
const MODE: Choice<bool> = Choice::new(
    "mode",
    &MODES,
    &Choice::names_of(&MODES),
    "\"in_order\"",
    "With other calls between the expected ones, or without.",
);

fn build(settings: &Settings<'_>, _: Edition) -> Made {
    // The package treats any other text as `in_order`.
    let is_exact = if settings.strict {
        MODE.read(settings)?
    } else {
        MODE.or_default(settings)?
    };
    let (align, condition, costs) = if is_exact {
        (
            Align::Position,
            "the same tools in the same order",
            Costs::BOTH,
        )
    } else {
        let condition = "the expected tools were used in order";
        (Align::Subsequence, condition, Costs::MISSED)
    };
    let score = if INVERSE.read(settings)? {
        Scoring::NotAll("the sequence was not used", costs)
    } else {
        Scoring::AllOrNothing(condition, costs)
    };
    let recipe = Recipe {
        empty: EMPTY,
        ..Recipe::new(Rules::from_names(NameRule::Globs), align, score)
    };
    let original = Assertion {
        names_required: true,
    };
    Ok(Composed::preset(recipe, original))
}
