//! Reads constraints from an evaluator's settings, or from `constraints` in a case.

use std::sync::Arc;

use super::before::{BEFORE, Before};
use super::loops::LoopKind;
use super::relation::{RELATION, Relation};
use super::schema::{SCHEMA, schema};
use super::wanted::WANTED;
use super::{Constraint, Wanted};
use crate::matching::NamePattern;
use crate::rule::{Rule, read_rules};
use crate::settings::{ConfigError, Group, Number, Setting, Settings, map, rules, texts};
use crate::value::{Text, Value};

const COUNTS: Setting = map(
    "counts",
    "{}",
    "How often each tool is called: `2`, `\">= 1\"`, `\"3..5\"` or `[\">=\", 1]` by name. In names, here and below, `*` \
stands for any characters and `?` for one; calls of all tools that fit are counted together.",
);
const RELATIONS: Setting = texts(
    "relations",
    "Relations between numbers of calls: `\"validate_item == process_item\"`.",
);
const REQUIRED: Setting = texts("required", "Tools that must be called.");
const FORBIDDEN: Setting = texts("forbidden", "Tools that must not be called.");
const ORDER: Setting = texts(
    "order",
    "`\"verify before refund\"`: no call of the second tool without an earlier one of the first. Calls of one `group`, asked for \
in parallel, do not come before one another.",
);

const SAME_TOOL: Number = limit(
    "same_tool",
    "Calls of one tool in a row, whatever their arguments.",
);
const ALTERNATING: Number = limit("alternating", "Two calls in turns, N times each.");
const SAME_RESULT: Number = limit(
    "same_result",
    "An equal call whose result is equal to the one before, N times. Needs `output` or `error`.",
);
const LOOPS: Group = Group::new(
    "loops",
    &[SAME_TOOL.setting, ALTERNATING.setting, SAME_RESULT.setting],
    "From how many times on something is a loop, 2 or more. `max_repeats` counts equal calls anywhere in a run, whatever their results.",
);
const RULES: Setting = rules(
    "rules",
    "Rules with arguments: sentences such as `\"verify before refund\"` and objects such as `{\"call\": \"refund\", \"at_most\": 1, \
\"same\": \"order_id\"}`; `docs/rules.md` lists all.",
);

const fn limit(name: &'static str, doc: &'static str) -> Number {
    Number::new(name, "null", doc)
}

const CALLS: Number = limit("max_calls", "At most N calls.");
const ERRORS: Number = limit(
    "max_errors",
    "At most N calls that failed. Needs `error` on some call of the run, if only `false`.",
);
const REPEATS: Number = limit(
    "max_repeats",
    "At most N calls with the name and arguments of an earlier one that is not known to have failed.",
);
const RETRIES: Number = limit(
    "max_retries",
    "At most N calls with the name and arguments of one that failed before. Needs `error` as above.",
);
const CALL_SECONDS: Number = limit(
    "max_call_seconds",
    "No call takes longer. This and the next two need `start` and `end`.",
);
const RUN_SECONDS: Number = limit(
    "max_run_seconds",
    "No more time from the first start to the last end.",
);
const GAP_SECONDS: Number = limit(
    "max_gap_seconds",
    "No more time in which no call runs, between two calls.",
);
const CALLS_PER_MINUTE: Number = limit(
    "max_calls_per_minute",
    "At most N calls start within any sixty seconds. Needs `start`.",
);

/// All constraints.
pub(crate) const CONSTRAINTS: [Setting; 15] = [
    COUNTS,
    RELATIONS,
    REQUIRED,
    FORBIDDEN,
    ORDER,
    CALLS.setting,
    ERRORS.setting,
    REPEATS.setting,
    RETRIES.setting,
    CALL_SECONDS.setting,
    RUN_SECONDS.setting,
    GAP_SECONDS.setting,
    CALLS_PER_MINUTE.setting,
    LOOPS.setting,
    RULES,
];

/// All constraints, and the schemas, which only settings have: a case can't name a file.
pub(crate) const SETTINGS_WITH_SCHEMA: [Setting; CONSTRAINTS.len() + 1] = {
    let mut settings = [SCHEMA; CONSTRAINTS.len() + 1];
    let mut index = 0;
    while index < CONSTRAINTS.len() {
        settings[index] = CONSTRAINTS[index];
        index += 1;
    }
    settings
};

/// As [`constraints`], with the schemas last.
pub(crate) fn constraints_with_schema(
    settings: &Settings<'_>,
) -> Result<Vec<Constraint>, ConfigError> {
    let mut constraints = constraints(settings)?;
    constraints.extend(schema(settings)?.map(Constraint::Schema));
    Ok(constraints)
}

/// The constraints in the settings, in the order of [`CONSTRAINTS`].
pub(crate) fn constraints(settings: &Settings<'_>) -> Result<Vec<Constraint>, ConfigError> {
    let tools = "names of tools, such as [\"refund\", \"delete_*\"]";
    let relation = |text: &str| Relation::parse(text).map(Constraint::Relation);
    let required = |name: &str| pattern(name).map(Constraint::Required);
    let forbidden = |name: &str| pattern(name).map(Constraint::Forbidden);
    let before = |text: &str| Before::parse(text).map(Constraint::Before);
    let mut constraints = counts(settings)?;
    constraints.extend(settings.list(RELATIONS.name, RELATION, relation)?);
    constraints.extend(settings.list(REQUIRED.name, tools, required)?);
    constraints.extend(settings.list(FORBIDDEN.name, tools, forbidden)?);
    constraints.extend(settings.list(ORDER.name, BEFORE, before)?);
    constraints.extend(whole_number(settings, CALLS)?.map(Constraint::Calls));
    constraints.extend(whole_number(settings, ERRORS)?.map(Constraint::Errors));
    constraints.extend(whole_number(settings, REPEATS)?.map(Constraint::Repeats));
    constraints.extend(whole_number(settings, RETRIES)?.map(Constraint::Retries));
    constraints.extend(seconds(settings, CALL_SECONDS)?.map(Constraint::CallSeconds));
    constraints.extend(seconds(settings, RUN_SECONDS)?.map(Constraint::RunSeconds));
    constraints.extend(seconds(settings, GAP_SECONDS)?.map(Constraint::GapSeconds));
    constraints.extend(whole_number(settings, CALLS_PER_MINUTE)?.map(Constraint::CallsPerMinute));
    constraints.extend(loops(settings)?);
    constraints.extend(stated_rules(settings)?.into_iter().map(Constraint::Rule));
    Ok(constraints)
}

/// The pattern of a tool's name; `None` for a text of several names, such as a list without its quotes.
fn pattern(name: &str) -> Option<NamePattern> {
    let is_one = name.trim() == name && !name.contains([',', ';', '|', '"', '\'']);
    is_one.then(|| NamePattern::new(name))
}

fn counts(settings: &Settings<'_>) -> Result<Vec<Constraint>, ConfigError> {
    let name = COUNTS.name;
    let counts = match settings.value(name) {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Object(counts)) => counts,
        Some(other) => {
            return Err(settings.bad(name, "an object of tools and numbers".to_owned(), other));
        }
    };
    let count = |(tool, value): &(Text<'_>, Value<'_>)| {
        let tool = tool.to_display();
        let wanted = Wanted::from_value(value)
            .ok_or_else(|| settings.bad(&format!("{name}.{tool}"), WANTED.to_owned(), value))?;
        let pattern = pattern(&tool).ok_or_else(|| {
            let names = Value::String(Text::from(tool.clone().into_owned()));
            settings.bad(name, "one tool for each number".to_owned(), &names)
        })?;
        Ok(Constraint::Count(pattern, wanted))
    };
    counts.iter().map(count).collect()
}

fn loops(settings: &Settings<'_>) -> Result<Vec<Constraint>, ConfigError> {
    let given = LOOPS.read(settings)?;
    let mut loops = Vec::new();
    for (limit, kind) in [
        (SAME_TOOL, LoopKind::SameTool),
        (ALTERNATING, LoopKind::Alternating),
        (SAME_RESULT, LoopKind::SameResult),
    ] {
        match whole_number(&given, limit)? {
            Some(number @ (0 | 1)) => {
                let expected = "a whole number of 2 or more".to_owned();
                let found = Value::Integer(number.into());
                return Err(given.bad(limit.setting.name, expected, &found));
            }
            Some(number) => loops.push(Constraint::Loop(kind, number)),
            None => {}
        }
    }
    Ok(loops)
}

fn stated_rules(settings: &Settings<'_>) -> Result<Vec<Arc<Rule>>, ConfigError> {
    let Some(value) = settings.value(RULES.name) else {
        return Ok(Vec::new());
    };
    let rules = read_rules(&value.clone().into_owned());
    let rules = rules.map_err(|error| ConfigError::BadValue {
        evaluator: settings.evaluator,
        setting: format!("{}{}", RULES.name, error.pointer),
        expected: error.expected.into_owned(),
        found: match error.help {
            Some(help) => format!("{}; {help}", error.found),
            None => error.found,
        },
    })?;
    Ok(rules.into_iter().map(Arc::new).collect())
}

#[expect(clippy::cast_sign_loss, reason = "negative numbers are errors")]
fn whole_number(settings: &Settings<'_>, limit: Number) -> Result<Option<usize>, ConfigError> {
    let name = limit.setting.name;
    let number = settings.number(name)?;
    match number.filter(|number| *number < 0.0 || number.fract() != 0.0) {
        Some(number) => Err(settings.bad(
            name,
            "a whole number of 0 or more".to_owned(),
            &Value::Float(number),
        )),
        None => Ok(number.map(|number| number as usize)),
    }
}

fn seconds(settings: &Settings<'_>, limit: Number) -> Result<Option<f64>, ConfigError> {
    let name = limit.setting.name;
    let number = settings.number(name)?;
    match number.filter(|number| *number < 0.0) {
        Some(number) => {
            Err(settings.bad(name, "seconds, 0 or more".to_owned(), &Value::Float(number)))
        }
        None => Ok(number),
    }
}
