//! When two calls are the same, as a user says it under `match`.

use std::collections::BTreeMap;

use crate::presets::prelude::*;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Names {
    Exact,
    Sanitised,
    ToolId,
    CaseFolded,
}

const NAME_RULES: [(&str, Names); 4] = [
    ("exact", Names::Exact),
    ("sanitised", Names::Sanitised),
    ("tool_id", Names::ToolId),
    ("casefold", Names::CaseFolded),
];
const NAMES: Choice<Names> = Choice::new(
    "names",
    &NAME_RULES,
    &Choice::names_of(&NAME_RULES),
    "\"exact\"",
    "How names are compared.",
);
const ALIASES: Setting = map("aliases", "{}", "Names that stand for others.");

const FUZZY: ArgumentRule = ArgumentRule::Fuzzy {
    threshold: f64::NAN,
    partial_credit: true,
    equal_is_alike: true,
};

/// Paths and threshold are put in where they are needed.
const ARGUMENT_RULES: [(&str, &ArgumentRule); 7] = [
    ("ignore", &ArgumentRule::Ignored),
    ("exact", &ArgumentRule::Equal),
    ("subset", &ArgumentRule::DeepSubset),
    ("superset", &ArgumentRule::Superset),
    ("keys", &ArgumentRule::Paths(Vec::new())),
    ("overlap", &ArgumentRule::Overlap),
    ("fuzzy", &FUZZY),
];
const ARGUMENTS: Choice<&ArgumentRule> = Choice::new(
    "args",
    &ARGUMENT_RULES,
    &Choice::names_of(&ARGUMENT_RULES),
    "\"exact\"",
    "How arguments are compared. `subset`: the expected ones are among the actual ones; `superset`: no others than \
expected.",
);
const KEYS: Setting = texts("keys", "For `args: keys`: dotted paths or JSON pointers.");
const THRESHOLD: Number = Number::new("threshold", "0.8", "For `args: fuzzy`: full from here on.");

const OUTPUT_RULES: [(&str, OutputRule); 2] = [
    ("ignore", OutputRule::Ignored),
    ("exact", OutputRule::Equal),
];
const OUTPUTS: Choice<OutputRule> = Choice::new(
    "outputs",
    &OUTPUT_RULES,
    &Choice::names_of(&OUTPUT_RULES),
    "\"ignore\"",
    "How outputs are compared.",
);

const EQUALITIES: [(&str, ValueEquality); 3] = [
    ("json", ValueEquality::Json),
    ("python", ValueEquality::Python),
    ("javascript", ValueEquality::JavaScript),
];
const EQUALITY: Choice<ValueEquality> = Choice::new(
    "equality",
    &EQUALITIES,
    &Choice::names_of(&EQUALITIES),
    "\"json\"",
    "Whose equality of values.",
);

pub(super) const MATCH: Group = Group::new(
    "match",
    &[
        NAMES.setting,
        ALIASES,
        ARGUMENTS.setting,
        KEYS,
        THRESHOLD.setting,
        OUTPUTS.setting,
        EQUALITY.setting,
    ],
    "When two calls are the same: `names`, `aliases`, `args`, `keys`, `threshold`, `outputs`, `equality`.",
);

/// The rules that settings state.
pub(super) fn rules(settings: &Settings<'_>) -> Result<Rules, ConfigError> {
    let given = MATCH.of(settings)?;
    let (names, aliases) = (NAMES.given(&given)?, aliases(&given)?);
    let names = match names {
        None | Some(Names::Exact) if aliases.is_empty() => NameRule::Exact,
        None | Some(Names::Exact) => NameRule::Aliased(aliases),
        Some(_) if !aliases.is_empty() => {
            return Err(settings.conflict("`match.aliases` goes with `match.names: exact` alone"));
        }
        Some(Names::Sanitised) => NameRule::Sanitised,
        Some(Names::ToolId) => NameRule::IdElseSanitised,
        Some(Names::CaseFolded) => NameRule::CaseFolded,
    };
    let paths = paths(&given)?;
    let threshold = THRESHOLD.of(&given)?;
    let arguments = match ARGUMENTS.of(&given)? {
        ArgumentRule::Paths(_) if paths.is_empty() => {
            return Err(
                settings.conflict("`match.args: keys` needs `match.keys`: which paths to compare")
            );
        }
        ArgumentRule::Paths(_) => ArgumentRule::Paths(paths),
        ArgumentRule::Fuzzy { .. } => ArgumentRule::Fuzzy {
            threshold,
            partial_credit: true,
            equal_is_alike: true,
        },
        rule => rule.clone(),
    };
    Ok(Rules {
        names,
        missing: MissingArguments::Wildcard,
        outputs: OUTPUTS.of(&given)?,
        ..Rules::from_arguments(arguments, EQUALITY.of(&given)?)
    })
}

fn aliases(given: &Settings<'_>) -> Result<BTreeMap<String, String>, ConfigError> {
    match given.value(ALIASES.name) {
        None | Some(Value::Null) => Ok(BTreeMap::new()),
        Some(Value::Object(aliases)) => {
            let pair = |(from, to): &(Text<'_>, Value<'_>)| {
                let bad = || given.bad(ALIASES.name, "names as values".to_owned(), to);
                Ok((from.to_string(), to.as_text().ok_or_else(bad)?.to_string()))
            };
            aliases.iter().map(pair).collect()
        }
        Some(other) => Err(given.bad(ALIASES.name, "an object of names".to_owned(), other)),
    }
}

/// Dotted paths, or JSON pointers where they begin with `/`.
fn paths(given: &Settings<'_>) -> Result<Vec<Vec<Text<'static>>>, ConfigError> {
    let Some(value) = given.value(KEYS.name).filter(|value| !value.is_null()) else {
        return Ok(Vec::new());
    };
    let bad = || given.bad(KEYS.name, "a list of paths".to_owned(), value);
    let path = |path: &Value<'_>| {
        let path = path.as_text().ok_or_else(bad)?.to_string();
        let parts: Vec<String> = match path.strip_prefix('/') {
            Some(pointer) => pointer
                .split('/')
                .map(|part| part.replace("~1", "/").replace("~0", "~"))
                .collect(),
            None => path.split('.').map(str::to_owned).collect(),
        };
        Ok(parts.into_iter().map(Text::from).collect())
    };
    value.as_list().ok_or_else(bad)?.iter().map(path).collect()
}
