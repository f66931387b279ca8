//! `tau2/action-check`: the action check of tau2-bench.

use crate::alignment::unconsumed;
use crate::call::Call;
use crate::evaluation::{Ask, Evaluation, EvaluationError, Outcome};
use crate::explanation::Costs;
use crate::matching::{ArgumentRule, Item, ItemArguments, ItemName, Items, Rules};
use crate::presets::explain::{explain, explain_empty};
use crate::presets::reading::{At, expected_calls, require_recorded_arguments, run, side};
use crate::presets::rendering::{Layout, evaluation};
use crate::presets::{Preset, Source, departures};
use crate::registry::{Edition, Entry, Example, Page};
use crate::scoring::{Scored, recall};
use crate::settings::{ConfigError, Setting, SettingKind, Settings};
use crate::value::{JsonWriter, Syntax, Text, Value, ValueEquality, decode_with};

pub(crate) static ENTRY: Entry = Entry {
    id: "tau2/action-check",
    aliases: &[],
    summary: "Whether every expected action was taken, by whomever and however often.",
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
    settings: &[Setting {
        name: "strict",
        kind: SettingKind::Bool,
        default: "true",
        doc: "Worth 1 only if every action matches; else the share that does.",
    }],
    editions: &[Edition::Package],
    needs: "expected calls; names and arguments of the actual calls",
    shape: None,
    build,
};

fn build(settings: &Settings<'_>, _: Edition) -> Result<Box<dyn Preset>, ConfigError> {
    let rules = Rules::of_arguments(ArgumentRule::OwnKeys, ValueEquality::Python);
    Ok(Box::new(ActionCheck {
        strict: settings.bool("strict", true)?,
        rules,
    }))
}

#[derive(Debug)]
struct ActionCheck {
    strict: bool,
    rules: Rules,
}

/// The actions of a task.
fn actions(text: &str) -> Result<Vec<Item<'_>>, EvaluationError> {
    let at = At::root("expected");
    let list = side("expected", text)?;
    at.list(&list)?
        .iter()
        .enumerate()
        .map(|(index, action)| action_item(at.index(index), action))
        .collect()
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
    let name = |(index, key): (usize, &Value<'s>)| {
        key.as_text()
            .cloned()
            .ok_or_else(|| at.index(index).error("the name of an argument", Some(key)))
    };
    at.list(keys)?.iter().enumerate().map(name).collect()
}

/// The calls in the messages of the agent and of the user.
fn calls(text: &str) -> Result<Vec<Item<'_>>, EvaluationError> {
    let at = At::root("actual");
    let list = side("actual", text)?;
    let mut items = Vec::new();
    for (index, message) in at.list(&list)?.iter().enumerate() {
        let at = at.index(index);
        let message = at.object(message)?;
        if !matches!(
            at.text(message, "role")?.as_str(),
            Some("assistant" | "user")
        ) {
            continue;
        }
        let at = at.key("tool_calls");
        if let Some(calls) = message
            .get_str("tool_calls")
            .filter(|calls| !calls.is_null())
        {
            for (index, call) in at.list(calls)?.iter().enumerate() {
                items.push(item(at.index(index), call)?);
            }
        }
    }
    Ok(items)
}

/// What actions and calls have in common.
fn item<'s>(at: At<'_>, value: &Value<'s>) -> Result<Item<'s>, EvaluationError> {
    let object = at.object(value)?;
    let name = ItemName::Text(at.text(object, "name")?.clone());
    let arguments = match object.get_str("arguments") {
        Some(arguments @ Value::Object(_)) => ItemArguments::Tree(arguments.clone()),
        other => return Err(at.key("arguments").error("an object", other)),
    };
    Ok(Item::new(name, arguments))
}

/// An expected call of a case; arguments that are left out demand nothing.
fn expected_item<'c>(
    (call, prepared): (&'c Call<'c>, &Item<'c>),
) -> Result<Item<'c>, EvaluationError> {
    let keys = match call.compare_args {
        None if call.arguments.is_absent() => Some(Box::default()),
        None => None,
        // The reader has checked the list.
        Some(json) => Some(key_names(
            At::root("expected"),
            &decode_with(json, Syntax::PYTHON).unwrap_or(Value::Null),
        )?),
    };
    Ok(prepared.clone().with_keys(keys))
}

impl ActionCheck {
    fn read<'c>(source: &Source<'c>) -> Result<(Vec<Item<'c>>, Items<'c>), Outcome> {
        match source {
            Source::Native {
                expected, actual, ..
            } => Ok((actions(expected)?, Items::Own(calls(actual)?))),
            Source::Case(case) => {
                let (expected, run) = (expected_calls(case)?, run(case)?);
                require_recorded_arguments(&run.calls)?;
                let expected = expected
                    .iter()
                    .zip(&case.of_expected)
                    .map(expected_item)
                    .collect::<Result<_, _>>()?;
                Ok((expected, case.actual_items()))
            }
        }
    }

    fn score(&self, matched: usize, expected: usize) -> Scored {
        let share = recall(matched as f64, expected);
        if !self.strict {
            return share;
        }
        let all = matched == expected;
        Scored::fixed(
            if all {
                "every action matches"
            } else {
                "an action does not match"
            },
            f64::from(u8::from(all)),
        )
        .costing(Costs::MISSED)
    }
}

impl Preset for ActionCheck {
    fn evaluate(&self, source: &Source<'_>, ask: Ask) -> Result<Evaluation, Outcome> {
        let (expected, actual) = Self::read(source)?;
        if expected.is_empty() {
            let scored = Scored::fixed("no actions to check", 1.0).costing(Costs::MISSED);
            let render =
                |writer: &mut JsonWriter| _ = writer.key("action_checks").begin_list().end_list();
            return Ok(evaluation(
                scored,
                Some(true),
                ask,
                Layout::Flat,
                render,
                || explain_empty(&expected, &actual),
            ));
        }
        let matcher = source.matcher(&self.rules, &expected, &actual);
        let alignment = unconsumed(&matcher)?;
        let scored = self.score(alignment.pairs.len(), expected.len());
        let passed = alignment.pairs.len() == expected.len();
        let render = |writer: &mut JsonWriter| {
            let (missed, _) = alignment.left_over(expected.len(), actual.len());
            writer.key("action_checks").begin_list();
            for (index, action) in expected.iter().enumerate() {
                write_check(action, !missed.contains(&index), writer);
            }
            writer.end_list();
        };
        Ok(evaluation(
            scored,
            Some(passed),
            ask,
            Layout::Flat,
            render,
            || explain(&matcher, &alignment),
        ))
    }
}

fn write_check(action: &Item<'_>, matches: bool, writer: &mut JsonWriter) {
    writer
        .begin_object()
        .key("action")
        .begin_object()
        .key("name")
        .text(&action.name().to_text())
        .key("arguments");
    match action.arguments().to_tree() {
        Some(arguments) => writer.value(&arguments),
        None => writer.null(),
    };
    writer.key("compare_args");
    match &action.keys {
        None => _ = writer.null(),
        Some(keys) => {
            writer.begin_list();
            keys.iter().for_each(|key| _ = writer.text(key));
            writer.end_list();
        }
    }
    writer.end_object().key("action_match").bool(matches);
    writer
        .key("action_reward")
        .float(f64::from(u8::from(matches)))
        .end_object();
}
