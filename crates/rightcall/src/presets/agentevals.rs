//! `agentevals/trajectory-match`: `LangChain`'s trajectory match.

use crate::alignment::{Driver, Fallback, Turn, by_turn, first_fit};
use crate::call::{Call, Shape};
use crate::evaluation::{Ask, Evaluation, EvaluationError, Outcome};
use crate::explanation::{Costs, Explanation};
use crate::matching::{
    ArgumentMode, ArgumentRule, Item, ItemArguments, ItemName, Matcher, Rules, Unasked,
};
use crate::presets::explain::{explain, explain_part};
use crate::presets::reading::{
    At, expected_calls, require_expected_arguments, require_recorded_arguments, run, side,
};
use crate::presets::rendering::{Layout, evaluation};
use crate::presets::{Preset, Source, departures};
use crate::registry::{Edition, Entry, Example, Page};
use crate::scoring::all_or_nothing;
use crate::settings::{ConfigError, Setting, SettingKind, Settings, describe};
use crate::value::python::is_falsy;
use crate::value::{JsonWriter, Object, Syntax, Text, Value, ValueEquality, decode_with};

pub(crate) static ENTRY: Entry = Entry {
    id: "agentevals/trajectory-match",
    aliases: &[],
    summary: "Whether the tool calls of a conversation match those of a reference.",
    page: Page {
        measures: "Whether a conversation makes the tool calls of a reference conversation: message by message (`strict`), in any order \
(`unordered`), only such calls (`subset`), or at least these (`superset`).",
        formula: "1 or 0. *cover(X, Y)*: each call of Y in order takes the first free call of X with the same name and matching \
arguments. `superset`: cover(actual, reference). `subset`: cover(reference, actual). `unordered`: both. `strict`: the same number of \
messages with the same roles, and in each message the same number of calls, matched in any order.",
        use_when: "You move from agentevals, or want a plain yes or no.",
        not_when: "Partial credit is wanted (`trajectory`).",
        limits: "The cover is greedy: it can fail although another pairing exists. What messages say never counts.",
        not_applicable: "The case states no calls or there is no run; unless arguments are ignored: a call was recorded without \
arguments, or an expected call states none.",
        editions: "",
        departures: &[
            departures::NULL_LISTS,
            departures::NAN_WITHIN,
            departures::UNKNOWN_OVERRIDE,
            departures::REPEATED_KEYS,
            departures::NESTING,
        ],
        source: "Package `agentevals` 0.0.9.",
        related: &["adk/trajectory", "trajectory"],
        example: Example {
            settings: r#"{"trajectory_match_mode":"superset"}"#,
            expected: r#"[{"name":"find","args":{"id":7}}]"#,
            actual: r#"[{"name":"check","args":{}},{"name":"find","args":{"id":7}}]"#,
            result: r#"{"score":true,"key":"trajectory_superset_match","comment":null,"metadata":null}"#,
        },
    },
    settings: &[
        Setting {
            name: "trajectory_match_mode",
            kind: SettingKind::Choice(&["strict", "unordered", "subset", "superset"]),
            default: "\"strict\"",
            doc: "How calls are matched. `superset`: the actual calls may be more; `subset`: they may be fewer.",
        },
        Setting {
            name: "tool_args_match_mode",
            kind: SettingKind::Choice(&["exact", "ignore", "subset", "superset"]),
            default: "\"exact\"",
            doc: "How arguments are compared.",
        },
        Setting {
            name: "tool_args_match_overrides",
            kind: SettingKind::Map,
            default: "null",
            doc: "By tool name: another mode, or a list of dotted paths whose values must be equal.",
        },
    ],
    editions: &[Edition::Package],
    needs: "expected calls; names, and unless ignored arguments, of the actual calls; turns for `strict`",
    shape: Some(Shape::AgentEvals),
    build,
};

#[derive(Clone, Copy, Debug)]
enum Mode {
    Strict,
    Unordered,
    Subset,
    Superset,
}

impl Mode {
    const NAMES: &[(&str, Self)] = &[
        ("strict", Self::Strict),
        ("unordered", Self::Unordered),
        ("subset", Self::Subset),
        ("superset", Self::Superset),
    ];

    fn key(self) -> &'static str {
        match self {
            Self::Strict => "trajectory_strict_match",
            Self::Unordered => "trajectory_unordered_match",
            Self::Subset => "trajectory_subset_match",
            Self::Superset => "trajectory_superset_match",
        }
    }

    fn costs(self) -> Costs {
        match self {
            Self::Strict | Self::Unordered => Costs::default(),
            Self::Subset => Costs::EXTRA,
            Self::Superset => Costs::MISSED,
        }
    }
}

/// Whose arguments are the first operand of the comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
enum First {
    Actual,
    Reference,
}

/// `first ⊆ second` and `first ⊇ second`, in terms of expected and actual.
fn rule(mode: &str, first: First) -> Option<ArgumentRule> {
    match (mode, first) {
        ("exact", _) => Some(ArgumentRule::Equal),
        ("ignore", _) => Some(ArgumentRule::Ignored),
        ("subset", First::Reference) | ("superset", First::Actual) => Some(ArgumentRule::Subset),
        ("superset", First::Reference) | ("subset", First::Actual) => Some(ArgumentRule::Superset),
        _ => None,
    }
}

fn override_mode(value: &Value<'_>, first: First) -> ArgumentMode {
    match value {
        Value::String(mode) => {
            ArgumentMode::Rule(rule(&mode.to_display(), first).unwrap_or(ArgumentRule::Ignored))
        }
        Value::List(paths) => {
            let texts = paths.iter().map(|path| match path {
                Value::String(path) => path.clone().into_owned(),
                other => crate::value::python::str(other),
            });
            let split = |path: Text<'static>| {
                path.to_display()
                    .split('.')
                    .map(|part| Text::from(part.to_owned()))
                    .collect()
            };
            ArgumentMode::Rule(ArgumentRule::Paths(texts.map(split).collect()))
        }
        _ => ArgumentMode::Raises(
            "the override for this tool is neither a mode nor a list of paths".to_owned(),
        ),
    }
}

/// The package takes any other text for `ignore`, and other values only fail where two calls of that tool are compared; a user is told.
fn require_override(
    settings: &Settings<'_>,
    tool: &Text<'_>,
    value: &Value<'_>,
) -> Result<(), ConfigError> {
    let is_known = match value {
        Value::Null => true,
        Value::String(mode) => rule(&mode.to_display(), First::Actual).is_some(),
        Value::List(paths) => {
            !paths.is_empty()
                && paths
                    .iter()
                    .all(|path| path.as_text().is_some_and(|path| !path.is_empty()))
        }
        _ => false,
    };
    if is_known {
        return Ok(());
    }
    let found = match value {
        Value::List(paths) if paths.is_empty() => "an empty list".to_owned(),
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

fn build(settings: &Settings<'_>, _: Edition) -> Result<Box<dyn Preset>, ConfigError> {
    let mode = settings
        .choice("trajectory_match_mode", Mode::NAMES)?
        .unwrap_or(Mode::Strict);
    let choices = [
        ("exact", "exact"),
        ("ignore", "ignore"),
        ("subset", "subset"),
        ("superset", "superset"),
    ];
    let args_mode = settings
        .choice("tool_args_match_mode", &choices)?
        .unwrap_or("exact");
    let none = Object::default();
    let overrides = match settings.value("tool_args_match_overrides") {
        None | Some(Value::Null) => &none,
        Some(Value::Object(overrides)) => overrides,
        Some(other) => {
            return Err(settings.bad(
                "tool_args_match_overrides",
                "an object of tools".to_owned(),
                other,
            ));
        }
    };
    if settings.strict {
        overrides
            .iter()
            .try_for_each(|(tool, value)| require_override(settings, tool, value))?;
    }
    let rules = |first: First| {
        let general = rule(args_mode, first).unwrap_or(ArgumentRule::Equal);
        let own = overrides.iter().filter(|(_, value)| !is_falsy(value));
        let own: Vec<_> = own
            .map(|(tool, value)| (tool.clone().into_owned(), override_mode(value, first)))
            .collect();
        let arguments = if own.is_empty() {
            general
        } else {
            ArgumentRule::PerTool(own, Box::new(ArgumentMode::Rule(general)))
        };
        Rules {
            unasked: Unasked::Compared,
            ..Rules::of_arguments(arguments, ValueEquality::Python)
        }
    };
    Ok(Box::new(TrajectoryMatch {
        mode,
        ignores_arguments: args_mode == "ignore" && overrides.is_empty(),
        actual_first: rules(First::Actual),
        reference_first: rules(First::Reference),
    }))
}

#[derive(Debug)]
struct TrajectoryMatch {
    mode: Mode,
    ignores_arguments: bool,
    actual_first: Rules,
    reference_first: Rules,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Role {
    User,
    Assistant,
    System,
    Developer,
    Function,
    Tool,
}

/// A conversation as the evaluator sees it.
#[derive(Debug, Default)]
struct Conversation<'c> {
    items: Vec<Item<'c>>,
    roles: Vec<Role>,
    turns: Vec<Turn>,
}

impl<'c> Conversation<'c> {
    fn push(&mut self, role: Role, calls: Vec<Item<'c>>) {
        let from = self.items.len();
        self.items.extend(calls);
        self.roles.push(role);
        self.turns.push(Turn {
            calls: from..self.items.len(),
        });
    }

    fn of_side(name: &'static str, text: &'c str) -> Result<Self, EvaluationError> {
        let at = At::root(name);
        let value = side(name, text)?;
        let mut conversation = Self::default();
        let at_messages = at.key("messages");
        let (at, messages) = match &value {
            Value::Null => return Ok(conversation),
            Value::Object(object) if object.get_str("role").is_some() => {
                (at, std::slice::from_ref(&value))
            }
            Value::Object(object) => {
                let messages = object.get_str("messages");
                (
                    at_messages,
                    at_messages.list(
                        messages.ok_or_else(|| at_messages.error("a list of messages", None))?,
                    )?,
                )
            }
            list => (at, at.list(list)?),
        };
        for (index, message) in messages.iter().enumerate() {
            let at = at.index(index);
            let (role, calls) = read_message(at, message)?;
            conversation.push(role, calls);
        }
        Ok(conversation)
    }

    /// One assistant message a turn, or all calls in one where `turns` are not known.
    fn of_calls(calls: &'c [Call<'c>], by_turn: bool) -> Result<Self, EvaluationError> {
        let mut conversation = Self::default();
        let is_same_turn = |a: &Call<'_>, b: &Call<'_>| !by_turn || a.turn == b.turn;
        for calls in calls.chunk_by(is_same_turn) {
            conversation.push(
                Role::Assistant,
                calls.iter().map(item_of_call).collect::<Result<_, _>>()?,
            );
        }
        Ok(conversation)
    }
}

fn item_of_call<'c>(call: &'c Call<'c>) -> Result<Item<'c>, EvaluationError> {
    let mut item = Item::of_call(call);
    if let Some(text) = call.arguments.text() {
        item = item.with_arguments(ItemArguments::Tree(
            decode_arguments(text).map_err(EvaluationError::Raised)?,
        ));
    }
    Ok(item)
}

/// Argument text is JSON as Python reads it, with control characters allowed in strings.
fn decode_arguments(text: &Text<'_>) -> Result<Value<'static>, String> {
    let syntax = Syntax {
        control_characters: true,
        ..Syntax::PYTHON
    };
    let decoded = text
        .as_str()
        .and_then(|text| decode_with(text, syntax).ok());
    decoded
        .map(Value::into_owned)
        .ok_or_else(|| format!("the arguments are no JSON: {text}"))
}

fn read_message<'s>(
    at: At<'_>,
    message: &Value<'s>,
) -> Result<(Role, Vec<Item<'s>>), EvaluationError> {
    let message = at.object(message)?;
    let role_value = message.get_str("role").or_else(|| message.get_str("type"));
    let role = match role_value.and_then(Value::as_text).and_then(Text::as_str) {
        Some("human" | "user") => Role::User,
        Some("ai" | "assistant") => Role::Assistant,
        Some("system") => Role::System,
        Some("developer") => Role::Developer,
        Some("function") => Role::Function,
        Some("tool") => Role::Tool,
        _ => return Err(at.key("role").error("a role", role_value)),
    };
    if role == Role::Function {
        at.text(message, "name")?;
    }
    let content = message
        .get_str("content")
        .filter(|content| !content.is_null());
    if let Some(content) =
        content.filter(|content| content.as_text().is_none() && content.as_list().is_none())
    {
        return Err(at.key("content").error("text or a list", Some(content)));
    }
    let calls = message
        .get_str("tool_calls")
        .filter(|calls| !calls.is_null());
    let at_calls = at.key("tool_calls");
    let calls = calls
        .map(|calls| at_calls.list(calls))
        .transpose()?
        .unwrap_or_default();
    let mut items = Vec::new();
    for (index, call) in calls.iter().enumerate() {
        items.push(read_call(at_calls.index(index), call)?);
    }
    if role != Role::Assistant {
        return Ok((role, Vec::new()));
    }
    let listed: Vec<_> = calls
        .iter()
        .filter_map(|call| call.as_object()?.get_str("id")?.as_text())
        .collect();
    for block in content.and_then(Value::as_list).unwrap_or_default() {
        let Some(block) = block.as_object().filter(|block| {
            block
                .get_str("type")
                .and_then(Value::as_text)
                .is_some_and(|it| *it == "tool_use")
        }) else {
            continue;
        };
        if block
            .get_str("id")
            .and_then(Value::as_text)
            .is_some_and(|id| listed.contains(&id))
        {
            continue;
        }
        let arguments = block
            .get_str("input")
            .cloned()
            .unwrap_or(Value::Object(Object::default()));
        let name = ItemName::Text(at.key("content").text(block, "name")?.clone());
        items.push(Item::new(name, ItemArguments::Tree(arguments)));
    }
    Ok((role, items))
}

fn read_call<'s>(at: At<'_>, call: &Value<'s>) -> Result<Item<'s>, EvaluationError> {
    let call = at.object(call)?;
    let (at, call, key) = match call.get_str("function") {
        Some(function) => (
            at.key("function"),
            at.key("function").object(function)?,
            "arguments",
        ),
        None => (at, call, "args"),
    };
    let name = ItemName::Text(at.text(call, "name")?.clone());
    let given = call.get_str(key);
    let arguments = match given {
        Some(Value::String(text)) if key == "arguments" => {
            decode_arguments(text).map_err(|_| at.key(key).error("JSON text", given))?
        }
        Some(value) => value.clone(),
        None => return Err(at.key(key).error("arguments", None)),
    };
    at.key(key).object(&arguments)?;
    Ok(Item::new(name, ItemArguments::Tree(arguments)))
}

impl TrajectoryMatch {
    fn read<'c>(
        &self,
        source: &Source<'c>,
    ) -> Result<(Conversation<'c>, Conversation<'c>), Outcome> {
        match source {
            // The output is read first, as the original reads it.
            Source::Native {
                expected, actual, ..
            } => {
                let actual = Conversation::of_side("actual", actual)?;
                Ok((Conversation::of_side("expected", expected)?, actual))
            }
            Source::Case(case) => {
                let (expected, run) = (expected_calls(case)?, run(case)?);
                if !self.ignores_arguments {
                    require_expected_arguments(expected)?;
                    require_recorded_arguments(&run.calls)?;
                }
                let have_turns = expected
                    .iter()
                    .chain(&run.calls)
                    .all(|call| call.turn.is_some());
                Ok((
                    Conversation::of_calls(expected, have_turns)?,
                    Conversation::of_calls(&run.calls, have_turns)?,
                ))
            }
        }
    }

    fn evaluation(
        &self,
        holds: bool,
        condition: &'static str,
        ask: Ask,
        explain: impl FnOnce() -> Explanation,
    ) -> Evaluation {
        let members = |writer: &mut JsonWriter| {
            writer
                .key("key")
                .str(self.mode.key())
                .key("comment")
                .null()
                .key("metadata")
                .null();
        };
        let scored = all_or_nothing(condition, holds).costing(self.mode.costs());
        evaluation(
            scored,
            Some(holds),
            ask,
            Layout::FlatBoolean,
            members,
            explain,
        )
    }
}

impl Preset for TrajectoryMatch {
    fn evaluate(&self, source: &Source<'_>, ask: Ask) -> Result<Evaluation, Outcome> {
        let (expected, actual) = self.read(source)?;
        let matcher = |rules| source.matcher(rules, &expected.items, &actual.items);
        let (e, a) = (expected.items.len(), actual.items.len());
        // cover(actual, reference), and cover(reference, actual).
        let superset = |matcher: &Matcher<'_, '_>| {
            first_fit(matcher, Driver::Expected, Fallback::None, &mut ())
        };
        let subset =
            |matcher: &Matcher<'_, '_>| first_fit(matcher, Driver::Actual, Fallback::None, &mut ());
        match self.mode {
            Mode::Strict => {
                let matcher = matcher(&self.actual_first);
                let same_role = |e: usize, a: usize| expected.roles[e] == actual.roles[a];
                let aligned = by_turn(&matcher, &expected.turns, &actual.turns, same_role)?;
                let looked_at = aligned.looked_at(&expected.turns, &actual.turns);
                let explain = || explain_part(&matcher, &aligned.alignment, looked_at, &[]);
                Ok(self.evaluation(
                    aligned.same,
                    "the same calls, message by message",
                    ask,
                    explain,
                ))
            }
            Mode::Superset => {
                let matcher = matcher(&self.actual_first);
                let alignment = superset(&matcher)?;
                Ok(self.evaluation(
                    alignment.pairs.len() == e,
                    "every expected call was made",
                    ask,
                    || explain(&matcher, &alignment),
                ))
            }
            Mode::Subset => {
                let matcher = matcher(&self.reference_first);
                let alignment = subset(&matcher)?;
                Ok(self.evaluation(
                    alignment.pairs.len() == a,
                    "every call made was expected",
                    ask,
                    || explain(&matcher, &alignment),
                ))
            }
            Mode::Unordered => {
                let forwards = matcher(&self.actual_first);
                let alignment = superset(&forwards)?;
                // The second direction is not tried where the first fails.
                let holds = alignment.pairs.len() == e
                    && subset(&matcher(&self.reference_first))?.pairs.len() == a;
                Ok(self.evaluation(
                    holds,
                    "every expected call was made, and no other",
                    ask,
                    || explain(&forwards, &alignment),
                ))
            }
        }
    }
}
