//! The setting `match`: when two calls are equal.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::matching::{ArgumentDefaults, ArgumentMode, NullMembers};
use crate::presets::prelude::*;
use crate::value::{Object, pointer};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Names {
    Exact,
    Sanitised,
    ToolId,
    CaseFolded,
    Globs,
}

const NAME_RULES: [(&str, Names); 5] = [
    ("exact", Names::Exact),
    ("sanitised", Names::Sanitised),
    ("tool_id", Names::ToolId),
    ("casefold", Names::CaseFolded),
    ("glob", Names::Globs),
];
const NAMES: Choice<Names> = Choice::new(
    "names",
    &NAME_RULES,
    &Choice::names_of(&NAME_RULES),
    "\"exact\"",
    "How names are compared. `glob`: expected names are patterns with `*` and `?`, in any case.",
);
const ALIASES: Setting = map("aliases", "{}", "Names that stand for others.");

const FUZZY: ArgumentRule = ArgumentRule::Fuzzy {
    threshold: f64::NAN,
    partial_credit: true,
    equal_is_alike: true,
};

/// Paths and the threshold are filled in where needed.
const ARGUMENT_RULES: [(&str, &ArgumentRule); 10] = [
    ("ignore", &ArgumentRule::Ignored),
    ("exact", &ArgumentRule::Equal),
    ("subset", &ArgumentRule::DeepSubset),
    ("superset", &ArgumentRule::Superset),
    ("keys", &ArgumentRule::Paths(Vec::new())),
    ("overlap", &ArgumentRule::Overlap),
    ("fuzzy", &FUZZY),
    ("json_text", &ArgumentRule::JsonText),
    ("partial", &ArgumentRule::Partial(None)),
    ("text", &ArgumentRule::EqualTexts),
];
const ARGUMENTS: Choice<&ArgumentRule> = Choice::new(
    "args",
    &ARGUMENT_RULES,
    &Choice::names_of(&ARGUMENT_RULES),
    "\"exact\"",
    "How arguments are compared. `subset`: the expected ones are among the actual ones; `superset`: no others than \
expected; `partial`: as `subset`, inside objects and lists too; `json_text`: as JavaScript writes them, so that the order of keys counts; \
`text`: exact, with values compared as text, so that `7` is `\"7\"`.",
);
const KEYS: Setting = texts(
    "keys",
    "For `args: keys`: dotted paths or JSON pointers. Where calls of one name are compared and none of these is an argument on either side, \
the evaluator does not apply.",
);
const THRESHOLD: Number = Number::new("threshold", "0.8", "For `args: fuzzy`: full from here on.");

const TOLERANCE: Number = Number::new(
    "tolerance",
    "0",
    "For `args: exact`: numbers are alike that are at most this far apart.",
);
const DEFAULTS: Setting = map(
    "defaults",
    "{}",
    "For `args: exact`: arguments that may be left out, with the value that they then have.",
);
const TOOLS: Setting = map(
    "tools",
    "{}",
    "By tool, `tolerance` and `defaults` in the place of those for all.",
);

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

const NULL_RULES: [(&str, NullMembers); 2] = [
    ("compared", NullMembers::Compared),
    ("absent", NullMembers::Absent),
];
const NULLS: Choice<NullMembers> = Choice::new(
    "nulls",
    &NULL_RULES,
    &Choice::names_of(&NULL_RULES),
    "\"compared\"",
    "Members of arguments and outputs that are null. `absent`: as if they were left out, at any depth, for data sets that fill missing members \
with null; a null in a list keeps its place.",
);

const EQUALITIES: [(&str, ValueEquality); 4] = [
    ("json", ValueEquality::Json),
    ("python", ValueEquality::Python),
    ("javascript", ValueEquality::JavaScript),
    ("strict", ValueEquality::Strict),
];
const EQUALITY: Choice<ValueEquality> = Choice::new(
    "equality",
    &EQUALITIES,
    &Choice::names_of(&EQUALITIES),
    "\"json\"",
    "Whose equality of values. `strict`: that of JSON, but `1` and `1.0` differ.",
);

pub(super) const MATCH: Group = Group::new(
    "match",
    &[
        NAMES.setting,
        ALIASES,
        ARGUMENTS.setting,
        KEYS,
        THRESHOLD.setting,
        TOLERANCE.setting,
        DEFAULTS,
        TOOLS,
        OUTPUTS.setting,
        NULLS.setting,
        EQUALITY.setting,
    ],
    "When two calls are the same: `names`, `aliases`, `args`, `keys`, `threshold`, `tolerance`, `defaults`, \
`tools`, `outputs`, `nulls`, `equality`.",
);

/// The rules in the settings.
pub(super) fn rules(settings: &Settings<'_>) -> Result<Rules, ConfigError> {
    let given = MATCH.read(settings)?;
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
        Some(Names::Globs) => NameRule::Globs,
    };
    let paths = paths(&given)?;
    let threshold = THRESHOLD.read(&given)?;
    let arguments = match ARGUMENTS.read(&given)? {
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
    let arguments = near(settings, &given, arguments)?;
    Ok(Rules {
        names,
        missing: MissingArguments::Wildcard,
        outputs: OUTPUTS.read(&given)?,
        nulls: NULLS.read(&given)?,
        ..Rules::from_arguments(arguments, EQUALITY.read(&given)?)
    })
}

/// Adds the tolerance and the defaults in the settings, for all tools or for some.
fn near(
    settings: &Settings<'_>,
    given: &Settings<'_>,
    rule: ArgumentRule,
) -> Result<ArgumentRule, ConfigError> {
    let of_all = Nearness::from_settings(given)?;
    let tools = match given.value(TOOLS.name) {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Object(tools)) => {
            let of_tool = |(name, value): &(Text<'_>, Value<'_>)| {
                let bad = || {
                    given.bad(
                        TOOLS.name,
                        "an object with `tolerance` and `defaults`".to_owned(),
                        value,
                    )
                };
                let object = value.as_object().ok_or_else(bad)?;
                let known =
                    |key: &Text<'_>| *key == TOLERANCE.setting.name || *key == DEFAULTS.name;
                if object.iter().any(|(key, _)| !known(key)) {
                    return Err(bad());
                }
                let nearness = Nearness::from_tool(object, &of_all).ok_or_else(bad)?;
                Ok((
                    name.clone().into_owned(),
                    ArgumentMode::Rule(nearness.rule()),
                ))
            };
            tools.iter().map(of_tool).collect::<Result<_, _>>()?
        }
        Some(other) => return Err(given.bad(TOOLS.name, "an object of tools".to_owned(), other)),
    };
    if tools.is_empty() && of_all.is_none() {
        return Ok(rule);
    }
    if rule != ArgumentRule::Equal {
        return Err(settings.conflict(
            "`match.tolerance`, `match.defaults` and `match.tools` go with `match.args: exact` alone",
        ));
    }
    let of_all = of_all.rule();
    Ok(if tools.is_empty() {
        of_all
    } else {
        ArgumentRule::PerTool(tools, Box::new(ArgumentMode::Rule(of_all)))
    })
}

/// The allowed distance between equal arguments.
#[derive(Clone, Default)]
struct Nearness {
    within: f64,
    defaults: Object<'static>,
}

impl Nearness {
    fn from_settings(given: &Settings<'_>) -> Result<Self, ConfigError> {
        let within = TOLERANCE.read(given)?;
        if within.is_nan() || within < 0.0 {
            return Err(given.bad(
                "tolerance",
                "a number of 0 or more".to_owned(),
                &Value::Float(within),
            ));
        }
        let defaults = match given.value(DEFAULTS.name) {
            None | Some(Value::Null) => Object::default(),
            Some(Value::Object(defaults)) => defaults.clone().into_owned(),
            Some(other) => return Err(given.bad(DEFAULTS.name, "an object".to_owned(), other)),
        };
        Ok(Self { within, defaults })
    }

    /// The setting for a tool, or else the one for all tools; `None` if it is invalid.
    fn from_tool(object: &Object<'_>, of_all: &Self) -> Option<Self> {
        let mut nearness = of_all.clone();
        if let Some(within) = object.get_str("tolerance") {
            nearness.within = within.as_f64().filter(|within| *within >= 0.0)?;
        }
        if let Some(defaults) = object.get_str("defaults") {
            nearness.defaults = defaults.as_object()?.clone().into_owned();
        }
        Some(nearness)
    }

    fn is_none(&self) -> bool {
        self.within == 0.0 && self.defaults.is_empty()
    }

    fn rule(self) -> ArgumentRule {
        if self.is_none() {
            return ArgumentRule::Equal;
        }
        ArgumentRule::Near(self.within, ArgumentDefaults(self.defaults))
    }
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

/// Reads dotted paths, or JSON pointers if they start with `/`.
fn paths(given: &Settings<'_>) -> Result<Vec<Vec<Text<'static>>>, ConfigError> {
    let Some(value) = given.value(KEYS.name).filter(|value| !value.is_null()) else {
        return Ok(Vec::new());
    };
    let bad = || given.bad(KEYS.name, "a list of paths".to_owned(), value);
    let path = |path: &Value<'_>| {
        let path = path.as_text().ok_or_else(bad)?.to_string();
        let parts: Vec<String> = match path.strip_prefix('/') {
            Some(_) => pointer::steps(&path).map(Cow::into_owned).collect(),
            None => path.split('.').map(str::to_owned).collect(),
        };
        Ok(parts.into_iter().map(Text::from).collect())
    };
    value.as_list().ok_or_else(bad)?.iter().map(path).collect()
}
