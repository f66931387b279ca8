//! `mastra/trajectory-accuracy`: the share of expected steps that were taken, minus penalties.

use super::{names, write_names};
use crate::alignment::Grade;
use crate::constraint::NameCounts;
use crate::presets::plain_calls::sides_of_calls;
use crate::presets::prelude::*;
use crate::recipe::{Field, expected_order, not_expected, require_recorded, trajectory};
use crate::scoring::Penalties;
use crate::value::HashKey;

pub(crate) static ENTRY: Entry = Entry {
    id: "mastra/trajectory-accuracy",
    aliases: &[],
    summary: "The share of expected steps that were taken, less penalties for surplus and repeated ones.",
    page: Page {
        measures: "How many of the expected calls were made: in the same places (`strict`), in the same order with others between \
(`relaxed`), or in any order (`unordered`). What an expected call states of arguments and output is compared, as the JSON text that \
JavaScript writes, so that the order of keys counts.",
        formula: "`score = matched / expected`. Relaxed: each expected call, in order, takes the first same call behind the one taken \
before; one that finds none is passed over. Unordered: each takes the first free same call. Strict takes off `0.5 · (actual − expected) / \
expected` for surplus calls; without `allowRepeatedSteps` each name that was called more than once takes off 0.1. At least 0, rounded to \
hundredths. Nothing expected: 1 if nothing was called, else 0.",
        use_when: "You move from Mastra's `createTrajectoryAccuracyScorerCode`.",
        not_when: "The order of keys in arguments must not count (`trajectory`).",
        limits: "Relaxed is greedy: an early expected call that is found late leaves what lies before unused. In strict mode one \
surplus call shifts all that follow. Steps that are no tool calls, and their `children`, are not looked at.",
        not_applicable: "The case states neither calls nor an order, or there is no run; or an expected call states arguments or an \
output and a call was recorded without.",
        editions: "",
        departures: &[
            departures::UNKNOWN_SETTINGS,
            departures::REPEATED_KEYS,
            departures::NESTING,
        ],
        source: "Package `@mastra/evals` 1.10.2, `createTrajectoryAccuracyScorerCode` and `compareTrajectories`; an expected call is a \
step `{name}`, or `{stepType: \"tool_call\", name, toolArgs, toolResult}` where it states more.",
        related: &[
            "mastra/trajectory",
            "mastra/tool-call-accuracy",
            "trajectory",
            "uipath/tool-call-order",
        ],
        example: Example {
            settings: "{}",
            expected: r#"[{"name":"find","args":{"id":7}},{"name":"check"},{"name":"pay"}]"#,
            actual: r#"[{"name":"find","args":{"id":7}},{"name":"pay","args":{}},{"name":"check","args":{}}]"#,
            result: r#"{"score":0.67,"matchedSteps":2,"totalExpectedSteps":3,"totalActualSteps":3,"missingSteps":["pay"],"extraSteps":[],"outOfOrderSteps":["pay"],"repeatedSteps":[]}"#,
        },
    },
    settings: &[ORDERING.setting, REPEATS.setting],
    editions: &[Edition::Package],
    needs: "expected calls or an order; of the actual calls names, and what expected calls state",
    shape: None,
    build,
};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Ordering {
    Strict,
    Relaxed,
    Unordered,
}

const ORDERINGS: [(&str, Ordering); 3] = [
    ("strict", Ordering::Strict),
    ("relaxed", Ordering::Relaxed),
    ("unordered", Ordering::Unordered),
];
pub(super) const ORDERING: Choice<Ordering> = Choice::new(
    "ordering",
    &ORDERINGS,
    &Choice::names_of(&ORDERINGS),
    "\"relaxed\"",
    "In the same places, in the same order with others between, or in any order.",
);
pub(super) const REPEATS: Flag = Flag::new(
    "allowRepeatedSteps",
    true,
    "Off: each name that was called more than once takes off 0.1.",
);

fn build(settings: &Settings<'_>, _: Edition) -> Made {
    let (recipe, original) = composition(settings)?;
    Ok(Composed::preset(recipe, original))
}

/// Builds the recipe from the settings.
pub(super) fn composition(
    settings: &Settings<'_>,
) -> Result<(Recipe, TrajectoryAccuracy), ConfigError> {
    // The package treats any other text as `relaxed`.
    let ordering = if settings.strict {
        ORDERING.read(settings)?
    } else {
        ORDERING.or_default(settings)?
    };
    let (align, surplus) = match ordering {
        Ordering::Strict => (Align::Position, 0.5),
        Ordering::Relaxed => (Align::Forward, 0.0),
        Ordering::Unordered => {
            let fit = Align::FirstFit(Driver::Expected, Fallback::None);
            (fit, 0.0)
        }
    };
    let repeated = if REPEATS.read(settings)? { 0.0 } else { 0.1 };
    let rules = Rules {
        missing: MissingArguments::Wildcard,
        outputs: OutputRule::StatedJsonText,
        ..Rules::from_arguments(ArgumentRule::JsonText, ValueEquality::JavaScript)
    };
    let recipe = Recipe {
        empty: EmptyPolicy::EXPECTED,
        finish: Finish::Penalised(Penalties { surplus, repeated }, Rounding::JsHundredths),
        ..Recipe::new(rules, align, Scoring::Recall)
    };
    Ok((recipe, TrajectoryAccuracy { ordering }))
}

#[derive(Debug)]
pub(super) struct TrajectoryAccuracy {
    ordering: Ordering,
}

impl Original for TrajectoryAccuracy {
    fn read_case<'c>(&self, recipe: &Recipe, prepared: &'c PreparedCase<'c>) -> Reading<'c> {
        let run = trajectory(prepared.case())?;
        let stated = prepared.case().expected.calls.as_deref();
        let calls = stated.unwrap_or_default();
        let mut sides = recipe.sides_of(prepared, calls, run);
        if stated.is_none() {
            sides.expected =
                expected_order(prepared.case()).ok_or_else(|| not_expected("calls"))?;
            sides.list = ExpectedList::Order;
        }
        if calls.iter().any(|call| !call.arguments.is_absent()) {
            require_recorded(&run.calls, Field::Arguments)?;
        }
        if calls.iter().any(|call| call.metadata().output.is_some()) {
            require_recorded(&run.calls, Field::Output)?;
        }
        Ok(sides)
    }

    fn read_native<'c>(&self, expected: &'c str, actual: &'c str) -> Reading<'c> {
        sides_of_calls(expected, actual)
    }

    fn write(&self, judged: &Judged<'_, '_, '_>, writer: &mut JsonWriter) {
        let (expected, actual) = (&judged.sides.expected, &judged.sides.actual);
        let known = NameCounts::new(expected.as_slice(), HashKey::default());
        let called = NameCounts::new(actual.as_slice(), HashKey::default());
        let full: Vec<usize> = judged
            .alignment()
            .pairs
            .iter()
            .filter(|pair| pair.grade == Grade::Full)
            .map(|pair| pair.expected)
            .collect();
        let mut answered = vec![false; expected.len()];
        full.iter().for_each(|index| answered[*index] = true);
        let missing = || {
            let names = names(expected).zip(&answered);
            names
                .filter(|(_, answered)| !**answered)
                .map(|(name, _)| name)
        };
        writer.key("matchedSteps").count(full.len());
        writer.key("totalExpectedSteps").count(expected.len());
        writer.key("totalActualSteps").count(actual.len());
        write_names(writer, "missingSteps", missing());
        let extra = names(actual).filter(|name| known.get(name.as_bytes()).is_none());
        write_names(writer, "extraSteps", extra);
        let in_place: Vec<Text<'_>> = names(expected).collect();
        let key = "outOfOrderSteps";
        match self.ordering {
            // Steps with an empty name are ignored, as if they were missing.
            Ordering::Strict => {
                let misplaced = names(actual).enumerate().filter(|(index, name)| {
                    !name.is_empty()
                        && in_place.get(*index) != Some(name)
                        && known.get(name.as_bytes()).is_some()
                });
                write_names(writer, key, misplaced.map(|(_, name)| name));
            }
            Ordering::Relaxed => {
                let elsewhere = |name: &Text<'_>| called.get(name.as_bytes()).is_some();
                write_names(writer, key, missing().filter(elsewhere));
            }
            Ordering::Unordered => write_names(writer, key, []),
        }
        // If no steps are expected, the original doesn't check for repeats.
        let repeated = called
            .iter()
            .filter(|(_, count)| *count > 1 && !judged.is_decided_by_nothing());
        write_names(
            writer,
            "repeatedSteps",
            repeated.map(|(name, _)| name.reborrow()),
        );
    }
}
