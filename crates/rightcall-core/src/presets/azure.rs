//! `azure/task-navigation-efficiency`: whether the steps of an agent follow the expected path, in Azure AI's evaluation library.

use crate::call::{ArgumentSource, Call};
use crate::entry::Departure;
use crate::evaluation::{Ask, Evaluation};
use crate::matching::stripped;
use crate::presets::prelude::*;
use crate::recipe::{
    Field, Source, evaluation, expected_order, not_expected, nothing_expected, require_expected,
    require_recorded, trajectory,
};
use crate::scoring::{f1, precision, recall};
use crate::value::{Object, Syntax, decode_with, python};

pub(crate) static ENTRY: Entry = Entry {
    id: "azure/task-navigation-efficiency",
    aliases: &[],
    summary: "Whether the steps taken are the expected path, with precision, recall and F1 of the steps.",
    page: Page {
        measures: "Whether the tool calls of an agent follow the expected path: exactly, in order with others in between, or in any order. \
By tool name, or with parameters too. Beside the verdict there are precision, recall and F1 of the steps, whatever their order.",
        formula: "`exact_match`: the same steps in the same places. `in_order_match`: the expected steps are a subsequence of those taken. \
`any_order_match`: each expected step was taken, as often as it is expected. 1 or 0. With `common`, the steps of both sides, each as often as it \
is in both: `precision = common / steps taken`, `recall = common / expected steps`, `f1 = 2 · precision · recall / (precision + recall)`. \
Parameters are compared as text: `7` is `\"7\"`, and objects and lists are their JSON with sorted keys. White space around names does not count.",
        use_when: "You move from Azure AI evaluation or Foundry, or want verdict and shares of one path at once.",
        not_when: "An extra argument should not cost the step (`trajectory` with `match.args: subset`).",
        limits: "`true` is the text `True` and `null` the text `None`, as in Python.",
        not_applicable: "The case states no calls, or an empty list of them, or there is no run; where parameters are compared: an expected \
call states none, or a call was recorded without.",
        editions: "",
        departures: &[
            PARAMETERS_OF_A_CALL,
            LISTS_AS_PAIRS,
            PATHS_AS_TEXT,
            departures::REPEATED_KEYS,
            departures::NESTING,
            departures::DIGITS,
        ],
        source: "Package `azure-ai-evaluation` 1.18.10, `_TaskNavigationEfficiencyEvaluator`.",
        related: &[
            "adk/trajectory",
            "vertex/trajectory-exact-match",
            "trajectory",
        ],
        example: Example {
            settings: r#"{"matching_mode":"in_order_match"}"#,
            expected: r#"[{"name":"find"},{"name":"pay"}]"#,
            actual: r#"[{"name":"find","args":{}},{"name":"check","args":{}},{"name":"pay","args":{"id":7}}]"#,
            result: r#"{"score":1.0,"task_navigation_efficiency":1.0,"task_navigation_efficiency_score":1.0,"task_navigation_efficiency_result":"pass","task_navigation_efficiency_passed":true,"task_navigation_efficiency_reason":null,"task_navigation_efficiency_status":"completed","task_navigation_efficiency_threshold":1.0,"task_navigation_efficiency_properties":{"precision_score":0.6666666666666666,"recall_score":1.0,"f1_score":0.8}}"#,
        },
    },
    settings: &[MODE.setting, SCORE.setting, PARAMETERS],
    editions: &[Edition::Package],
    needs: "expected calls or order; names, and where they are compared parameters, of the actual calls",
    shape: None,
    build,
};

const PARAMETERS_OF_A_CALL: Departure = Departure {
    point: "parameters of a tool that is expected twice",
    package: "are stated once for the tool, and the same for all its steps",
    here: "in a case, each expected call has its own; in the package's own shape as there",
    reason: "cases state calls",
};

const LISTS_AS_PAIRS: Departure = Departure {
    point: "`[names, parameters]` in place of the tuple that JSON has not",
    package: "an error: rows of JSON Lines cannot ask for parameters",
    here: "taken for the tuple",
    reason: "a list whose first item is a list can mean nothing else",
};

const PATHS_AS_TEXT: Departure = Departure {
    point: "an expected path that is the JSON text of a list",
    package: "is taken for the list",
    here: "in a case, an error; in the package's own shape as there",
    reason: "a text under `expected` is a slip more often than a list of calls",
};

#[derive(Clone, Copy)]
enum Mode {
    Exact,
    InOrder,
    AnyOrder,
}

const MODES: [(&str, Mode); 3] = [
    ("exact_match", Mode::Exact),
    ("in_order_match", Mode::InOrder),
    ("any_order_match", Mode::AnyOrder),
];
const MODE: Choice<Mode> = Choice::new(
    "matching_mode",
    &MODES,
    &Choice::names_of(&MODES),
    "\"exact_match\"",
    "What is demanded of the order, and of further steps.",
);

/// `None` for the verdict.
const NUMBERS: [(&str, Option<Scoring>); 4] = [
    ("match", None),
    ("precision", Some(Scoring::Precision(Idle::Zero))),
    ("recall", Some(Scoring::Recall)),
    ("f1", Some(Scoring::F1(Idle::Zero))),
];
const SCORE: Choice<Option<Scoring>> = Choice::new(
    "score",
    &NUMBERS,
    &Choice::names_of(&NUMBERS),
    "\"match\"",
    "Which of the numbers is the score. The others are among the details.",
);
const PARAMETERS: Setting = any(
    "parameters",
    "null",
    "Whether parameters of a case's calls are compared; null: if the expected calls state any.",
);

fn build(settings: &Settings<'_>, _: Edition) -> Made {
    let mode = MODE.read(settings)?;
    let number = SCORE.read(settings)?;
    let name = PARAMETERS.name;
    let given = settings.value(name).filter(|value| !value.is_null());
    let parameters = match given {
        None => None,
        Some(_) => Some(settings.bool(name, true)?),
    };
    let (names, texts) = (&ArgumentRule::Ignored, &ArgumentRule::EqualTexts);
    Ok(Box::new(TaskNavigationEfficiency {
        parameters,
        reports_share: number.is_some(),
        names_path: ExpectedPath::new(names, mode, number),
        of_parameters: ExpectedPath::new(texts, mode, number),
    }))
}

#[derive(Debug)]
struct TaskNavigationEfficiency {
    parameters: Option<bool>,
    /// True if the score is a share of the steps instead of the verdict.
    reports_share: bool,
    names_path: ExpectedPath,
    of_parameters: ExpectedPath,
}

/// The rules for the verdict on a path, and for its share of common steps.
#[derive(Debug)]
struct ExpectedPath {
    verdict: Recipe,
    shares: Recipe,
}

impl ExpectedPath {
    fn new(arguments: &ArgumentRule, mode: Mode, number: Option<Scoring>) -> Self {
        let any_order = Align::FirstFit(Driver::Expected, Fallback::None);
        let (align, costs) = match mode {
            Mode::Exact => (Align::Position, Costs::BOTH),
            Mode::InOrder => (Align::Subsequence, Costs::MISSED),
            Mode::AnyOrder => (any_order.clone(), Costs::MISSED),
        };
        let empty = Worth::Error("the expected path is empty");
        let recipe = |align: Align, score: Scoring| Recipe {
            empty: EmptyPolicy {
                both: empty,
                expected: empty,
                ..EmptyPolicy::COMPUTE
            },
            ..Recipe::new(
                Rules::from_arguments(arguments.clone(), ValueEquality::Json),
                align,
                score,
            )
        };
        let score = Scoring::AllOrNothing("the steps follow the path", costs);
        Self {
            verdict: recipe(align, score),
            shares: recipe(any_order, number.unwrap_or(Scoring::F1(Idle::Zero))),
        }
    }
}

impl TaskNavigationEfficiency {
    /// The steps of both sides, and the rules of the expected path.
    fn read<'c>(&self, source: &Source<'c>) -> Result<(Sides<'c>, &ExpectedPath), Outcome> {
        let (sides, compares) = match source {
            Source::Case(prepared) => self.read_case(prepared)?,
            Source::Native {
                expected, actual, ..
            } => {
                let (path, compares) = path(expected)?;
                (Sides::new(path, steps(actual)?), compares)
            }
        };
        let path = if compares {
            &self.of_parameters
        } else {
            &self.names_path
        };
        Ok((sides, path))
    }

    fn read_case<'c>(&self, prepared: &'c PreparedCase<'c>) -> Result<(Sides<'c>, bool), Outcome> {
        let case = prepared.case();
        let run = trajectory(case)?;
        let actual = steps_of_run(prepared, &run.calls)?;
        let Some(calls) = case.expected.calls.as_deref() else {
            let order = expected_order(case).ok_or_else(|| not_expected("calls"))?;
            require_some(order.len())?;
            let sides = Sides {
                list: ExpectedList::Order,
                ..Sides::new(bare(order), actual)
            };
            return Ok((sides, false));
        };
        require_some(calls.len())?;
        let states_some = |calls: &[Call<'_>]| calls.iter().any(|it| !it.arguments.is_absent());
        let compares = self.parameters.unwrap_or_else(|| states_some(calls));
        if compares {
            require_expected(calls, Field::Arguments)?;
            require_recorded(&run.calls, Field::Arguments)?;
        }
        Ok((
            Sides::new(bare(prepared.expected_items()), actual),
            compares,
        ))
    }
}

impl Preset for TaskNavigationEfficiency {
    fn evaluate(&self, source: &Source<'_>, ask: Ask) -> Result<Evaluation, Outcome> {
        let (sides, path) = self.read(source)?;
        let matcher = source.matcher(&path.verdict.rules, &sides.expected, &sides.actual);
        let verdict = path.verdict.judge(source, &sides, &matcher, ask)?;
        let shares = path.shares.judge(source, &sides, &matcher, ask)?;
        let passed = verdict.score == 1.0;
        let members = |writer: &mut JsonWriter| {
            write_verdict(passed, writer);
            let (common, tally) = (shares.tally.credit, shares.tally);
            let (precision, recall) = (
                precision(common, tally.actual),
                recall(common, tally.expected),
            );
            writer
                .key("task_navigation_efficiency_properties")
                .begin_object();
            writer.key("precision_score").float(precision.score);
            writer.key("recall_score").float(recall.score);
            writer.key("f1_score").float(f1(precision, recall).score);
            writer.end_object();
        };
        let judged = if self.reports_share {
            &shares
        } else {
            &verdict
        };
        let explain = || judged.explain();
        Ok(evaluation(
            judged.score,
            (!self.reports_share).then_some(passed),
            ask,
            Layout::Flat,
            members,
            explain,
        ))
    }
}

fn write_verdict(passed: bool, writer: &mut JsonWriter) {
    let score = f64::from(u8::from(passed));
    writer.key("task_navigation_efficiency").float(score);
    writer.key("task_navigation_efficiency_score").float(score);
    let result = if passed { "pass" } else { "fail" };
    writer.key("task_navigation_efficiency_result").str(result);
    writer.key("task_navigation_efficiency_passed").bool(passed);
    writer.key("task_navigation_efficiency_reason").null();
    writer
        .key("task_navigation_efficiency_status")
        .str("completed");
    writer
        .key("task_navigation_efficiency_threshold")
        .float(1.0);
}

/// An expected path without steps is an error.
fn require_some(steps: usize) -> Result<(), Outcome> {
    if steps == 0 {
        return Err(nothing_expected("path"));
    }
    Ok(())
}

/// The calls with trimmed names.
fn bare(items: Items<'_>) -> Items<'_> {
    let is_bare = |item: &Item<'_>| is_stripped(&item.name().to_text());
    if items.as_slice().iter().all(is_bare) {
        return items;
    }
    let items = items.as_slice().iter().map(|item| {
        let name = stripped(&item.name().to_text()).into_owned();
        item.clone().with_name(ItemName::Text(name))
    });
    Items::Own(items.collect())
}

fn is_stripped(name: &Text<'_>) -> bool {
    stripped(name) == *name
}

/// The steps of a run. Arguments given as a string are JSON; arguments that are not an object count as none.
fn steps_of_run<'c>(
    prepared: &'c PreparedCase<'c>,
    calls: &'c [Call<'c>],
) -> Result<Items<'c>, Outcome> {
    let is_object = |json: &str| json.starts_with('{');
    let is_step = |call: &Call<'_>| match call.arguments.source() {
        ArgumentSource::Absent => true,
        ArgumentSource::Json(json) => is_object(json),
        ArgumentSource::Text { .. } => false,
    };
    if calls.iter().all(is_step) {
        return Ok(bare(prepared.actual_items()));
    }
    let root = At::root("actual");
    let step = |(place, call): (usize, &'c Call<'c>)| {
        let item = Item::from_call(call);
        let arguments = match call.arguments.source() {
            ArgumentSource::Text { text, .. } => {
                let found = Value::String(text.reborrow());
                let error = || {
                    let at = root.index(place);
                    at.key("arguments").error("JSON text", Some(&found))
                };
                Some(json_text(&text).ok_or_else(error)?)
            }
            ArgumentSource::Json(json) if !is_object(json) => Some(Value::Null),
            _ => None,
        };
        Ok(match arguments {
            Some(value) => item.with_arguments(ItemArguments::Tree(object_or_empty(value))),
            None => item,
        })
    };
    let steps: Result<_, EvaluationError> = calls.iter().enumerate().map(step).collect();
    Ok(bare(Items::Own(steps?)))
}

fn json_text(text: &Text<'_>) -> Option<Value<'static>> {
    let value = decode_with(text.as_str()?, Syntax::PYTHON).ok()?;
    Some(value.into_owned())
}

fn object_or_empty(value: Value<'static>) -> Value<'static> {
    match value {
        Value::Object(_) => value,
        _ => Value::Object(Object::default()),
    }
}

/// Reads the expected path: names, or names with parameters. True if it has parameters.
fn path(text: &str) -> Result<(Items<'_>, bool), EvaluationError> {
    let at = At::root("expected");
    let value = decoded_text(side("expected", text)?);
    let steps = at.list(&value)?;
    let (names, parameters) = match steps {
        [Value::List(names), parameters] => {
            (names.as_slice(), Some(at.index(1).object(parameters)?))
        }
        names => (names, None),
    };
    if let Some(parameters) = parameters {
        for (_, of_tool) in parameters {
            at.index(1).object(of_tool)?;
        }
    }
    let step = |name: &Value<'_>| {
        let name = name.as_text();
        let name = name.ok_or_else(|| at.error("names of tools, or names and parameters", None))?;
        let name = stripped(name).into_owned();
        let of_tool = parameters.and_then(|parameters| parameters.get(&name));
        Ok(step(name, of_tool))
    };
    let items = names.iter().map(step).collect::<Result<_, _>>()?;
    Ok((Items::Own(items), parameters.is_some()))
}

/// A step; without parameters if none are given.
fn step<'s>(name: Text<'static>, parameters: Option<&Value<'_>>) -> Item<'s> {
    let parameters = parameters.map_or_else(
        || Value::Object(Object::default()),
        |parameters| parameters.clone().into_owned(),
    );
    Item::new(ItemName::Text(name), ItemArguments::Tree(parameters))
}

/// The decoded JSON of a string, or the value unchanged.
fn decoded_text(value: Value<'_>) -> Value<'_> {
    let decoded = value.as_text().and_then(json_text);
    decoded.unwrap_or(value)
}

/// The calls in the messages of a response.
fn steps(text: &str) -> Result<Items<'_>, EvaluationError> {
    let response = decoded_text(side("actual", text)?);
    let calls = At::root("actual").each(&response, calls_of_message)?;
    Ok(Items::Own(calls.into_iter().flatten().collect()))
}

fn calls_of_message<'s>(at: At<'_>, message: &Value<'_>) -> Result<Vec<Item<'s>>, EvaluationError> {
    let message = at.object(message)?;
    if at.text(message, "role")?.as_str() != Some("assistant") {
        return Ok(Vec::new());
    }
    let content = message.get_str("content").unwrap_or(&Value::Null);
    let calls = at.key("content").each(content, call_of_part)?;
    Ok(calls.into_iter().flatten().collect())
}

fn call_of_part<'s>(at: At<'_>, part: &Value<'_>) -> Result<Option<Item<'s>>, EvaluationError> {
    let part = at.object(part)?;
    let kind = part.get_str("type").and_then(Value::as_text);
    if kind.is_none_or(|kind| *kind != "tool_call") {
        return Ok(None);
    }
    let name = part.get_str("name");
    let name = name.ok_or_else(|| at.key("name").error("a name", None))?;
    let arguments = match part.get_str("arguments") {
        Some(Value::String(text)) => {
            let error = || at.key("arguments").error("JSON text", None);
            Some(json_text(text).ok_or_else(error)?)
        }
        other => other.cloned(),
    };
    // Arguments that are not an object count as none.
    let arguments = arguments.filter(|it| it.as_object().is_some());
    let name = stripped(&python::str(name)).into_owned();
    Ok(Some(step(name, arguments.as_ref())))
}
