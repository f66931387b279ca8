//! `promptfoo/tool-args-match`: whether a tool was called with the expected arguments.

use super::commands::is_blank;
use super::{EMPTY, INVERSE, require_some, without_commands, write_pass};
use crate::matching::{ArgumentDefaults, Glob, PartialArguments};
use crate::presets::plain_calls::sides_of_calls;
use crate::presets::prelude::*;
use crate::value::Object;

pub(crate) static ENTRY: Entry = Entry {
    id: "promptfoo/tool-args-match",
    aliases: &[],
    summary: "The share of expected calls that some call is, arguments in part or whole; with `inverse` that none is.",
    page: Page {
        measures: "For each expected call, whether some call of a fitting tool has its arguments: in part (`partial`), which means among \
others, inside objects and lists too, or whole (`exact`). Expected names are patterns, upper and lower case alike. Each expected call is one \
assertion.",
        formula: "`score = expected calls that some call is / expected calls`; one call may be several. With `inverse` the share that no \
call is. It passes with 1. Arguments under `ignore` are left out on both sides, and actual ones that have their value under `defaults`; \
both at the top level alone.",
        use_when: "You move from promptfoo's `trajectory:tool-args-match` or `not-trajectory:tool-args-match`.",
        not_when: "Other calls are mistakes, or each expected call needs a call of its own (`trajectory`).",
        limits: "Lists are compared item by item, and must be as long as expected. Values are those of JavaScript: numbers are floats. Calls \
of `shell`, `local_shell` and `exec_command` with a command are no tools to promptfoo.",
        not_applicable: "The case states no calls, an empty list of them, or one without arguments; there is no run; or a call was \
recorded without arguments.",
        editions: "",
        departures: &[
            departures::NEGATIVE_ZERO,
            departures::UNKNOWN_SETTINGS,
            departures::REPEATED_KEYS,
            departures::NESTING,
        ],
        source: "Package `promptfoo` 0.123.1, `trajectory:tool-args-match` and `not-trajectory:tool-args-match`; several expected calls \
are separate assertions of one test, whose score is their mean.",
        related: &["promptfoo/tool-used", "tau2/action-check", "trajectory"],
        example: Example {
            settings: r#"{"ignore":["*_id"],"defaults":{"lang":"en"}}"#,
            expected: r#"[{"name":"add_*","args":{"items":[{"sku":"a"}],"trace_id":1}},{"name":"pay","args":{"sum":7}}]"#,
            actual: r#"[{"name":"add_items","args":{"items":[{"sku":"a","n":2}],"lang":"en"}},{"name":"pay","args":{"sum":8}}]"#,
            result: r#"{"score":0.5,"pass":false}"#,
        },
    },
    settings: &[MODE.setting, IGNORE, DEFAULTS, INVERSE.setting],
    editions: &[Edition::Package],
    needs: "expected calls with arguments; names and arguments of the actual calls",
    shape: None,
    build,
};

const MODES: [(&str, bool); 2] = [("partial", false), ("exact", true)];
/// `true` compares whole arguments.
const MODE: Choice<bool> = Choice::new(
    "mode",
    &MODES,
    &Choice::names_of(&MODES),
    "\"partial\"",
    "The expected arguments among others, or alone.",
);
const IGNORE: Setting = texts(
    "ignore",
    "Arguments that are not compared, by their names or by patterns with `*` and `?`.",
);
const DEFAULTS: Setting = map(
    "defaults",
    "{}",
    "Actual arguments of these values are not compared.",
);

/// Reads `ignore`: a string or a list of strings, none of them blank.
fn ignored(settings: &Settings<'_>) -> Result<Vec<Glob>, ConfigError> {
    let entries = match settings.value(IGNORE.name) {
        None | Some(Value::Null) => &[],
        Some(Value::List(entries)) => &entries[..],
        Some(entry) => std::slice::from_ref(entry),
    };
    let entry = |entry: &Value<'_>| match entry {
        Value::String(text) if !is_blank(text) => Ok(Glob::new(text)),
        other => {
            let expected = "names or patterns of arguments".to_owned();
            Err(settings.bad(IGNORE.name, expected, other))
        }
    };
    entries.iter().map(entry).collect()
}

/// Reads `defaults`.
fn defaults(settings: &Settings<'_>) -> Result<ArgumentDefaults, ConfigError> {
    match settings.value(DEFAULTS.name) {
        None | Some(Value::Null) => Ok(ArgumentDefaults::default()),
        Some(Value::Object(defaults)) => {
            let owned = |(key, value): &(Text<'_>, Value<'_>)| {
                (key.clone().into_owned(), value.clone().into_owned())
            };
            let defaults = defaults.iter().map(owned).collect();
            Ok(ArgumentDefaults(Object::new(defaults)))
        }
        Some(other) => Err(settings.bad(DEFAULTS.name, "an object".to_owned(), other)),
    }
}

fn build(settings: &Settings<'_>, _: Edition) -> Made {
    let arguments = PartialArguments {
        exact: MODE.read(settings)?,
        ignore: ignored(settings)?,
        defaults: defaults(settings)?,
    };
    let rules = Rules {
        names: NameRule::Globs,
        ..Rules::from_arguments(
            ArgumentRule::Partial(Some(Box::new(arguments))),
            ValueEquality::JavaScript,
        )
    };
    let score = if INVERSE.read(settings)? {
        Scoring::Unanswered
    } else {
        Scoring::Recall
    };
    let recipe = Recipe {
        empty: EMPTY,
        ..Recipe::new(rules, Align::Unconsumed(Driver::Expected), score)
    };
    Ok(Composed::preset(recipe, ToolArgsMatch))
}

#[derive(Debug)]
struct ToolArgsMatch;

impl Original for ToolArgsMatch {
    fn read_case<'c>(&self, recipe: &Recipe, prepared: &'c PreparedCase<'c>) -> Reading<'c> {
        let sides = recipe.sides(prepared)?;
        require_some(&sides)?;
        with_valid_names(sides)
    }

    fn read_native<'c>(&self, expected: &'c str, actual: &'c str) -> Reading<'c> {
        let sides = sides_of_calls(expected, actual)?;
        let lacks_arguments = |item: &Item<'_>| item.arguments().to_tree().is_none();
        if sides.expected.as_slice().iter().any(lacks_arguments) {
            let message = "an expected call must state arguments";
            return Err(EvaluationError::Raised(message.to_owned()).into());
        }
        with_valid_names(sides)
    }

    fn write(&self, judged: &Judged<'_, '_, '_>, writer: &mut JsonWriter) {
        write_pass(judged.score == 1.0, writer);
    }

    fn passes(&self, judged: &Judged<'_, '_, '_>) -> Option<bool> {
        Some(judged.score == 1.0)
    }
}

/// Rejects expected calls without a name, and drops shell commands.
fn with_valid_names(sides: Sides<'_>) -> Reading<'_> {
    let mut names = sides.expected.as_slice().iter();
    if names.any(|item| item.name().to_text().is_empty()) {
        let message = "an expected call must have a name or a pattern";
        return Err(EvaluationError::Raised(message.to_owned()).into());
    }
    Ok(without_commands(sides))
}
