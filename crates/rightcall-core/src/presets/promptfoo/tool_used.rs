//! `promptfoo/tool-used`: whether tools were used.

use super::{Assertion, EMPTY, INVERSE};
use crate::presets::prelude::*;

pub(crate) static ENTRY: Entry = Entry {
    id: "promptfoo/tool-used",
    aliases: &[],
    summary: "Whether each expected tool was used, or with `inverse` none.",
    page: Page {
        measures: "Whether the run used every expected tool, or with `inverse` none of them. Expected names are patterns: `*` stands for \
any characters, `?` for one, and upper and lower case are alike.",
        formula: "1 if every expected tool was used, else 0. With `inverse`: 1 if none of them was. One call may answer several patterns.",
        use_when: "You move from promptfoo's `trajectory:tool-used` or `not-trajectory:tool-used` with a tool or a list of tools.",
        not_when: "It matters how often a tool is used, the `min` and `max` of the assertion: `constraints` with `counts`.",
        limits: "Calls of `shell`, `local_shell` and `exec_command` with a command are steps of the type `command` to promptfoo, and no \
tools. Beside the tool's name promptfoo looks at the name of its span, which a case does not hold.",
        not_applicable: "The case states neither an order nor calls, or an empty list of them; or there is no run.",
        editions: "",
        departures: &[
            departures::UNKNOWN_SETTINGS,
            departures::REPEATED_KEYS,
            departures::NESTING,
        ],
        source: "Package `promptfoo` 0.123.1, `trajectory:tool-used` and `not-trajectory:tool-used`.",
        related: &[
            "promptfoo/tool-sequence",
            "promptfoo/tool-args-match",
            "constraints",
        ],
        example: Example {
            settings: "{}",
            expected: r#"["find_*","Pay"]"#,
            actual: r#"[{"name":"pay"},{"name":"find_order"}]"#,
            result: r#"{"score":1.0,"pass":true}"#,
        },
    },
    settings: &[INVERSE.setting],
    editions: &[Edition::Package],
    needs: "an expected order, or expected calls; names of the actual calls",
    shape: None,
    build,
};

fn build(settings: &Settings<'_>, _: Edition) -> Made {
    let score = if INVERSE.read(settings)? {
        Scoring::NoneAnswered("no forbidden tool was used")
    } else {
        Scoring::AllOrNothing("every expected tool was used", Costs::MISSED)
    };
    let rules = Rules::from_names(NameRule::Globs);
    let recipe = Recipe {
        empty: EMPTY,
        ..Recipe::new(rules, Align::Unconsumed(Driver::Expected), score)
    };
    let original = Assertion {
        names_required: false,
    };
    Ok(Composed::preset(recipe, original))
}
