//! `tau2/action-check`: the action check of tau2-bench.

use crate::call::Call;
use crate::presets::prelude::*;
use crate::recipe::{Field, calls_and_run, require_recorded};
use crate::value::{Syntax, decode_with};

pub(crate) static ENTRY: Entry = Entry {
    id: "tau2/action-check",
    aliases: &[],
    summary: "Whether every expected action was taken, by any caller and any number of times.",
    page: Page {
        measures: "For each expected action, whether some call of the run is it: the same tool, and equal arguments under the keys that \
are compared (Python's equality). Calls of the simulated user count as those of the agent; order, repeats and further calls do not.",
        formula: "An action matches if any call does; one call may match many actions. Compared are the keys in the action's \
`compare_args`, so with `[]` the name alone; without `compare_args` all keys of the *actual* call, so that the action may have more. \
`score = 1` if all actions match, else 0; with `strict` off the share of actions that match. Nothing expected: 1.",
        use_when: "You work with tau2-bench, or the agent may act in any order and try more than once.",
        not_when: "An action is demanded twice (`uipath/tool-call-args`), or further calls are mistakes (`tpmjs/tool-call-accuracy-score`).",
        limits: "Two equal demands are met by one call. A call without arguments matches every action of its tool that names no \
`compare_args`. Who is to act is not compared, as in the original. Partial matches (`allow_partial_match`) are an error.",
        not_applicable: "The case states no calls, there is no run, or a call was recorded without arguments.",
        editions: "",
        departures: &[
            departures::NAN_WITHIN,
            departures::REPEATED_KEYS,
            departures::NESTING,
            departures::DIGITS,
        ],
        source: "tau2-bench, `evaluator_action.py` and `Action.compare_with_tool_call` at a2c0247; the share, with `strict` off, is how \
its later versions reward.",
        related: &["uipath/tool-call-args", "trajectory"],
        example: Example {
            settings: r#"{"strict":false}"#,
            expected: r#"[{"name":"find","args":{"id":7}},{"name":"note","args":{"text":"x"},"compare_args":[]},{"name":"pay","args":{"id":7}}]"#,
            actual: r#"[{"name":"note","args":{"text":"y"}},{"name":"find","args":{"id":7}},{"name":"pay","args":{"id":8}}]"#,
            result: r#"{"score":0.6666666666666666,"action_checks":[{"action":{"name":"find","arguments":{"id":7},"compare_args":null},"action_match":true,"action_reward":1.0},{"action":{"name":"note","arguments":{"text":"x"},"compare_args":[]},"action_match":true,"action_reward":1.0},{"action":{"name":"pay","arguments":{"id":7},"compare_args":null},"action_match":false,"action_reward":0.0}]}"#,
        },
    },
    settings: &[STRICT.setting],
    editions: &[Edition::Package],
    needs: "expected calls; names and arguments of the actual calls",
    shape: None,
    build,
};

const STRICT: Flag = Flag::new(
    "strict",
    true,
    "Worth 1 only if every action matches; else the share that does.",
);

fn build(settings: &Settings<'_>, _: Edition) -> Made {
    let rules = Rules::from_arguments(ArgumentRule::OwnKeys, ValueEquality::Python);
    let score = if STRICT.read(settings)? {
        let verdict = ["every action matches", "an action does not match"];
        Scoring::Verdict(verdict, Costs::MISSED)
    } else {
        Scoring::Recall
    };
    let recipe = Recipe {
        empty: EmptyPolicy {
            both: Worth::Fixed(1.0),
            expected: Worth::Fixed(1.0),
            rule: "no actions to check",
            costs: Costs::MISSED,
            ..EmptyPolicy::COMPUTE
        },
        ..Recipe::new(rules, Align::Unconsumed(Driver::Expected), score)
    };
    Ok(Composed::preset(recipe, ActionCheck))
}

#[derive(Debug)]
struct ActionCheck;

impl Original for ActionCheck {
    fn read_case<'c>(&self, recipe: &Recipe, prepared: &'c PreparedCase<'c>) -> Reading<'c> {
        let (expected, run) = calls_and_run(prepared.case())?;
        require_recorded(&run.calls, Field::Arguments)?;
        let sides = recipe.sides_of(prepared, expected, run);
        let items = expected
            .iter()
            .zip(sides.expected.as_slice())
            .map(expected_item);
        Ok(Sides {
            expected: Items::Own(items.collect::<Result<_, _>>()?),
            ..sides
        })
    }

    fn read_native<'c>(&self, expected: &'c str, actual: &'c str) -> Reading<'c> {
        Ok(Sides::new(
            side_of_items("expected", expected, action_item)?,
            Items::Own(calls(actual)?),
        ))
    }

    fn write(&self, judged: &Judged<'_, '_, '_>, writer: &mut JsonWriter) {
        let (missed, _) = judged.left_over();
        let actions = judged.sides.expected.as_slice().iter().enumerate();
        let writer = writer.key("action_checks");
        writer.list(actions, |writer, (index, action)| {
            write_check(action, !missed.contains(&index), writer);
        });
    }

    fn passes(&self, judged: &Judged<'_, '_, '_>) -> Option<bool> {
        Some(judged.tally.pairs() == judged.tally.expected)
    }
}

fn action_item<'s>(at: At<'_>, action: &Value<'s>) -> Result<Item<'s>, EvaluationError> {
    let item = item(at, action)?;
    let object = at.object(action)?;
    if matches!(
        object.get_str("allow_partial_match"),
        Some(Value::Bool(true))
    ) {
        return Err(at.key("allow_partial_match").error(
            "false: partial matches are not computed",
            Some(&Value::Bool(true)),
        ));
    }
    let at = at.key("compare_args");
    let keys = match object.get_str("compare_args") {
        None | Some(Value::Null) => None,
        Some(keys) => Some(key_names(at, keys)?),
    };
    Ok(item.with_keys(keys))
}

fn key_names<'s>(at: At<'_>, keys: &Value<'s>) -> Result<Box<[Text<'s>]>, EvaluationError> {
    let name = |at: At<'_>, key: &Value<'s>| match key {
        Value::String(name) => Ok(name.clone()),
        other => Err(at.error("the name of an argument", Some(other))),
    };
    at.each(keys, name).map(Into::into)
}

/// The calls in the messages of the agent and of the user.
fn calls(text: &str) -> Result<Vec<Item<'_>>, EvaluationError> {
    let list = side("actual", text)?;
    let calls = At::root("actual").each(&list, calls_of_message)?;
    Ok(calls.into_iter().flatten().collect())
}

fn calls_of_message<'s>(at: At<'_>, message: &Value<'s>) -> Result<Vec<Item<'s>>, EvaluationError> {
    let message = at.object(message)?;
    match at.text(message, "role")?.as_str() {
        Some("assistant" | "user") => at.each_under(message, "tool_calls", item),
        _ => Ok(Vec::new()),
    }
}

/// Reads the fields that actions and calls share.
fn item<'s>(at: At<'_>, value: &Value<'s>) -> Result<Item<'s>, EvaluationError> {
    let object = at.object(value)?;
    let name = ItemName::Text(at.text(object, "name")?.clone());
    let arguments = at.object_under(object, "arguments")?;
    Ok(Item::new(name, ItemArguments::Tree(arguments.clone())))
}

/// An expected call of a case; missing arguments match any.
fn expected_item<'c>(
    (call, prepared): (&'c Call<'c>, &Item<'c>),
) -> Result<Item<'c>, EvaluationError> {
    let keys = match call.metadata().compare_args.as_deref() {
        None if call.arguments.is_absent() => Some(Box::default()),
        None => None,
        // The reader has already checked the list.
        Some(json) => Some(key_names(
            At::root("expected"),
            &decode_with(json, Syntax::PYTHON).unwrap_or(Value::Null),
        )?),
    };
    Ok(prepared.clone().with_keys(keys))
}

fn write_check(action: &Item<'_>, matches: bool, writer: &mut JsonWriter) {
    writer.begin_object().key("action").begin_object();
    writer.key("name").text(&action.name().to_text());
    writer.key("arguments");
    match action.arguments().to_tree() {
        Some(arguments) => writer.value(&arguments),
        None => writer.null(),
    };
    writer.key("compare_args").serialize(&action.more().keys);
    writer.end_object().key("action_match").bool(matches);
    let reward = f64::from(u8::from(matches));
    writer.key("action_reward").float(reward).end_object();
}
