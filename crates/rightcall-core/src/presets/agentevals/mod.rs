//! `agentevals/trajectory-match`: `LangChain`'s trajectory match.

mod conversation;

use conversation::Conversation;

use crate::entry::Departure;
use crate::matching::ArgumentMode;
use crate::presets::prelude::*;
use crate::recipe::{Field, Unreached, calls_and_run, require_expected, require_recorded};
use crate::settings::describe;
use crate::value::Object;
use crate::value::python::{self, is_falsy};

pub(crate) static ENTRY: Entry = Entry {
    id: "agentevals/trajectory-match",
    aliases: &[],
    summary: "Whether the tool calls of a conversation match those of a reference.",
    page: Page {
        measures: MEASURES,
        formula: "1 or 0. *cover(X, Y)*: each call of Y in order takes the first free call of X with the same name and matching \
arguments. `superset`: cover(actual, reference). `subset`: cover(reference, actual). `unordered`: both. `strict`: the same number of \
messages with the same roles, and in each message the same number of calls, matched in any order.",
        use_when: "You move from agentevals, or want a plain yes or no.",
        not_when: "Partial credit is wanted (`trajectory`).",
        limits: LIMITS,
        not_applicable: NOT_APPLICABLE,
        editions: "",
        departures: DEPARTURES,
        source: "Package `agentevals` 0.0.9.",
        related: &["adk/trajectory", "trajectory"],
        example: Example {
            settings: r#"{"trajectory_match_mode":"superset"}"#,
            expected: r#"[{"name":"find","args":{"id":7}}]"#,
            actual: r#"[{"name":"check","args":{}},{"name":"find","args":{"id":7}}]"#,
            result: r#"{"score":true,"key":"trajectory_superset_match","comment":null,"metadata":null}"#,
        },
    },
    settings: SETTINGS,
    editions: &[Edition::Package],
    needs: NEEDS,
    shape: Some(Shape::AgentEvals),
    build,
};

// Texts shared with the page of `openevals`.
pub(super) const MEASURES: &str = "Whether a conversation makes the tool calls of a reference conversation: message by message (`strict`), in any order \
(`unordered`), only such calls (`subset`), or at least these (`superset`).";
pub(super) const LIMITS: &str = "The cover is greedy: it can fail although another pairing exists. What messages say never counts.";
pub(super) const NOT_APPLICABLE: &str = "The case states no calls or there is no run; unless arguments are ignored: a call was recorded without \
arguments, or an expected call states none.";
pub(super) const NEEDS: &str =
    "expected calls; names, and unless ignored arguments, of the actual calls; turns for `strict`";
pub(super) const DEPARTURES: &[Departure] = &[
    departures::NULL_LISTS,
    departures::NAN_WITHIN,
    departures::UNKNOWN_OVERRIDE,
    departures::REPEATED_KEYS,
    departures::NESTING,
    departures::DIGITS,
];

/// The settings, shared with `openevals`.
pub(super) const SETTINGS: &[Setting] = &[MODE.setting, ARGUMENTS.setting, OVERRIDES];

/// The two packages with this evaluator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Package {
    AgentEvals,
    /// The run's arguments always come first, and a missing value at an override's path equals no value.
    OpenEvals,
}

#[derive(Clone, Copy, Debug)]
enum Mode {
    Strict,
    Unordered,
    Subset,
    Superset,
}

const MODES: [(&str, Mode); 4] = [
    ("strict", Mode::Strict),
    ("unordered", Mode::Unordered),
    ("subset", Mode::Subset),
    ("superset", Mode::Superset),
];
const MODE: Choice<Mode> = Choice::new(
    "trajectory_match_mode",
    &MODES,
    &Choice::names_of(&MODES),
    "\"strict\"",
    "How calls are matched. `superset`: the actual calls may be more; `subset`: they may be fewer.",
);

const ARGUMENT_MODES: [(&str, &str); 4] = [
    ("exact", "exact"),
    ("ignore", "ignore"),
    ("subset", "subset"),
    ("superset", "superset"),
];
const ARGUMENTS: Choice<&str> = Choice::new(
    "tool_args_match_mode",
    &ARGUMENT_MODES,
    &Choice::names_of(&ARGUMENT_MODES),
    "\"exact\"",
    "How arguments are compared.",
);
const OVERRIDES: Setting = map(
    "tool_args_match_overrides",
    "null",
    "By tool name: another mode, or a list of dotted paths whose values must be equal.",
);

/// The side with the arguments that are the first operand of the comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
enum First {
    Actual,
    Reference,
}

/// `first ⊆ second` and `first ⊇ second`, as rules on expected and actual.
fn rule(mode: &str, first: First) -> Option<ArgumentRule> {
    match (mode, first) {
        ("exact", _) => Some(ArgumentRule::Equal),
        ("ignore", _) => Some(ArgumentRule::Ignored),
        ("subset", First::Reference) | ("superset", First::Actual) => Some(ArgumentRule::Subset),
        ("superset", First::Reference) | ("subset", First::Actual) => Some(ArgumentRule::Superset),
        _ => None,
    }
}

fn override_mode(value: &Value<'_>, first: First, package: Package) -> ArgumentMode {
    match value {
        Value::String(mode) => {
            ArgumentMode::Rule(rule(&mode.to_display(), first).unwrap_or(ArgumentRule::Ignored))
        }
        Value::List(paths) => {
            let split = |path: &Value<'_>| {
                let path = python::str(path);
                let path = path.to_display();
                path.split('.')
                    .map(|part| Text::from(part.to_owned()))
                    .collect()
            };
            let paths = paths.iter().map(split).collect();
            ArgumentMode::Rule(match package {
                Package::AgentEvals => ArgumentRule::Paths(paths),
                Package::OpenEvals => ArgumentRule::PresentPaths(paths),
            })
        }
        _ => ArgumentMode::Raises(
            "the override for this tool is neither a mode nor a list of paths".to_owned(),
        ),
    }
}

/// Reports an invalid override to the user. The package treats unknown texts as `ignore`, and other values fail only when two calls of that
/// tool are compared.
fn require_override(
    settings: &Settings<'_>,
    tool: &Text<'_>,
    value: &Value<'_>,
) -> Result<(), ConfigError> {
    let is_known = match value {
        Value::String(mode) => rule(&mode.to_display(), First::Actual).is_some(),
        Value::List(paths) => paths.iter().all(|path| path.as_text().is_some()),
        _ => false,
    };
    // The package uses the general mode if an override is null or empty.
    if is_known || is_falsy(value) {
        return Ok(());
    }
    let found = match value {
        Value::List(_) => "a list that holds something else".to_owned(),
        other => describe(other),
    };
    Err(ConfigError::BadValue {
        evaluator: settings.evaluator,
        setting: format!("tool_args_match_overrides.{tool}"),
        expected: "exact, ignore, subset, superset or a list of dotted paths".to_owned(),
        found,
    })
}

/// The rules if the arguments of one side come first.
fn rules(general: &str, overrides: &Object<'_>, first: First, package: Package) -> Rules {
    let general = rule(general, first).unwrap_or(ArgumentRule::Equal);
    let own_overrides = overrides.iter().filter(|(_, value)| !is_falsy(value));
    let own_overrides: Vec<_> = own_overrides
        .map(|(tool, value)| {
            (
                tool.clone().into_owned(),
                override_mode(value, first, package),
            )
        })
        .collect();
    let arguments = if own_overrides.is_empty() {
        general
    } else {
        ArgumentRule::PerTool(own_overrides, Box::new(ArgumentMode::Rule(general)))
    };
    Rules::from_arguments(arguments, ValueEquality::Python)
}

fn build(settings: &Settings<'_>, _: Edition) -> Made {
    build_for(settings, Package::AgentEvals)
}

/// Builds the evaluator of one of the packages.
pub(super) fn build_for(settings: &Settings<'_>, package: Package) -> Made {
    let mode = MODE.read(settings)?;
    let general = ARGUMENTS.read(settings)?;
    let none = Object::default();
    let overrides = match settings.value(OVERRIDES.name) {
        None | Some(Value::Null) => &none,
        Some(Value::Object(overrides)) => overrides,
        Some(other) => {
            return Err(settings.bad(OVERRIDES.name, "an object of tools".to_owned(), other));
        }
    };
    if settings.strict {
        overrides
            .iter()
            .try_for_each(|(tool, value)| require_override(settings, tool, value))?;
    }
    let backwards = match package {
        Package::AgentEvals => First::Reference,
        Package::OpenEvals => First::Actual,
    };
    let actual_first = rules(general, overrides, First::Actual, package);
    let reference_first = rules(general, overrides, backwards, package);
    let fit = |driver: Driver| Align::FirstFit(driver, Fallback::None);
    let (rules, align, condition, costs) = match mode {
        Mode::Strict => (
            actual_first,
            Align::ByTurn(Unreached::NotExamined),
            "the same calls, message by message",
            Costs::BOTH,
        ),
        Mode::Superset => (
            actual_first,
            fit(Driver::Expected),
            "every expected call was made",
            Costs::MISSED,
        ),
        Mode::Subset => (
            reference_first,
            fit(Driver::Actual),
            "every call made was expected",
            Costs::EXTRA,
        ),
        Mode::Unordered => (
            actual_first,
            Align::FirstFitBothWays(Box::new(reference_first)),
            "every expected call was made, and no other",
            Costs::BOTH,
        ),
    };
    let recipe = Recipe {
        empty: EmptyPolicy::COMPUTE,
        ..Recipe::new(rules, align, Scoring::AllOrNothing(condition, costs))
    };
    let original = TrajectoryMatch {
        mode,
        ignores_arguments: general == "ignore" && overrides.is_empty(),
    };
    Ok(Composed::preset(recipe, original))
}

#[derive(Debug)]
struct TrajectoryMatch {
    mode: Mode,
    ignores_arguments: bool,
}

impl Original for TrajectoryMatch {
    fn layout(&self) -> Layout {
        Layout::FlatBoolean
    }

    fn read_case<'c>(&self, _: &Recipe, prepared: &'c PreparedCase<'c>) -> Reading<'c> {
        let (expected, run) = calls_and_run(prepared.case())?;
        if !self.ignores_arguments {
            require_expected(expected, Field::Arguments)?;
            require_recorded(&run.calls, Field::Arguments)?;
        }
        let mut all = expected.iter().chain(&run.calls);
        let have_turns = all.all(|call| call.metadata().turn.is_some());
        let expected = Conversation::from_calls(expected, have_turns)?;
        Ok(Conversation::from_calls(&run.calls, have_turns)?.against(expected))
    }

    fn read_native<'c>(&self, expected: &'c str, actual: &'c str) -> Reading<'c> {
        // The original reads the output first, so its errors come first.
        let actual = Conversation::from_side("actual", actual)?;
        Ok(actual.against(Conversation::from_side("expected", expected)?))
    }

    fn write(&self, _: &Judged<'_, '_, '_>, writer: &mut JsonWriter) {
        let key = match self.mode {
            Mode::Strict => "trajectory_strict_match",
            Mode::Unordered => "trajectory_unordered_match",
            Mode::Subset => "trajectory_subset_match",
            Mode::Superset => "trajectory_superset_match",
        };
        writer.key("key").str(key);
        writer.key("comment").null().key("metadata").null();
    }

    fn passes(&self, judged: &Judged<'_, '_, '_>) -> Option<bool> {
        Some(judged.score == 1.0)
    }
}
