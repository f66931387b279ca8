//! `adk/trajectory`: the trajectory criterion of Google's Agent Development Kit.

use crate::evaluation::{Ask, Evaluation};
use crate::explanation::Explanation;
use crate::presets::prelude::*;
use crate::recipe::{Source, evaluation};
use crate::scoring::mean;
use crate::value::Object;

pub(crate) static ENTRY: Entry = Entry {
    id: "adk/trajectory",
    aliases: &[],
    summary: "The share of invocations whose tool calls are as expected.",
    page: Page {
        measures: "For each invocation, whether its tool calls are the expected ones: exactly, in order with others in between, or in \
any order.",
        formula: "An invocation is worth 1 or 0. `score = sum / invocations`; passed where the score reaches `threshold`. `EXACT`: the \
same calls in the same places. `IN_ORDER`: the expected calls are a subsequence of the actual ones. `ANY_ORDER`: each expected call takes \
an actual one of its own.",
        use_when: "You move from ADK, or an all-or-nothing verdict per turn is wanted.",
        not_when: "Partial credit is wanted (`trajectory`, `uipath/tool-call-order`).",
        limits: "All or nothing in each invocation. Null arguments and `{}` differ, as in the original.",
        not_applicable: "The case states no calls or there is no run; without `ignore_args`: an expected call states no arguments, or a \
call was recorded without.",
        editions: "",
        departures: &[
            departures::NULL_LISTS,
            departures::NAN_WITHIN,
            departures::UNKNOWN_SETTINGS,
            departures::THRESHOLD_RANGE,
            departures::REPEATED_KEYS,
            departures::NESTING,
            departures::DIGITS,
        ],
        source: "Package `google-adk` 2.13.0.",
        related: &["agentevals/trajectory-match", "trajectory"],
        example: Example {
            settings: r#"{"threshold":0.8,"match_type":"IN_ORDER"}"#,
            expected: r#"[{"name":"find","args":{}},{"name":"pay","args":{"id":7}}]"#,
            actual: r#"[{"name":"find","args":{}},{"name":"check","args":{}},{"name":"pay","args":{"id":7}}]"#,
            result: r#"{"score":1.0,"status":"PASSED","per_invocation":[{"score":1.0,"status":"PASSED"}]}"#,
        },
    },
    settings: &[THRESHOLD.setting, MATCH_TYPE, IGNORE_ARGS.setting],
    editions: &[Edition::Package],
    needs: "expected calls; names, and unless ignored arguments, of the actual calls",
    shape: Some(Shape::Adk),
    build,
};

const THRESHOLD: Number = Number::new(
    "threshold",
    "1.0",
    "The pass mark. The original requires it.",
);
const MATCH_TYPE: Setting = any(
    "match_type",
    "\"EXACT\"",
    "`EXACT`, `IN_ORDER` or `ANY_ORDER`; or 0, 1, 2 for these.",
);
const IGNORE_ARGS: Flag = Flag::new("ignore_args", false, "Compare names alone.");

#[derive(Clone, Copy, Debug)]
enum MatchType {
    Exact,
    InOrder,
    AnyOrder,
}

fn match_type(value: Option<&Value<'_>>) -> Option<MatchType> {
    let Some(value) = value else {
        return Some(MatchType::Exact);
    };
    match (value.as_f64(), value) {
        // In Python, booleans equal 0 and 1.
        (Some(0.0), _) | (None, Value::Bool(false)) => Some(MatchType::Exact),
        (Some(1.0), _) | (None, Value::Bool(true)) => Some(MatchType::InOrder),
        (Some(2.0), _) => Some(MatchType::AnyOrder),
        (None, Value::String(text)) => match text
            .to_display()
            .trim()
            .to_uppercase()
            .replace(['-', ' '], "_")
            .as_str()
        {
            "EXACT" => Some(MatchType::Exact),
            "IN_ORDER" => Some(MatchType::InOrder),
            "ANY_ORDER" => Some(MatchType::AnyOrder),
            _ => None,
        },
        _ => None,
    }
}

fn build(settings: &Settings<'_>, _: Edition) -> Made {
    let name = THRESHOLD.setting.name;
    let threshold = match settings.number(name)? {
        Some(threshold) => threshold,
        // Users may omit it, although the original's constructor requires it.
        None if settings.strict => THRESHOLD.default(),
        None => {
            let given = settings.value(name).unwrap_or(&Value::Null);
            return Err(settings.bad(name, "a number".to_owned(), given));
        }
    };
    let given = settings.value(MATCH_TYPE.name);
    let match_type = match_type(given).ok_or_else(|| {
        let expected = "EXACT, IN_ORDER or ANY_ORDER".to_owned();
        let given = given.unwrap_or(&Value::Null);
        settings.bad(MATCH_TYPE.name, expected, given)
    })?;
    let (align, costs) = match match_type {
        MatchType::Exact => (Align::Position, Costs::BOTH),
        MatchType::InOrder => (Align::Subsequence, Costs::MISSED),
        MatchType::AnyOrder => {
            let align = Align::FirstFit(Driver::Expected, Fallback::None);
            (align, Costs::MISSED)
        }
    };
    let arguments = if IGNORE_ARGS.read(settings)? {
        ArgumentRule::Ignored
    } else {
        ArgumentRule::Equal
    };
    let rules = Rules::from_arguments(arguments, ValueEquality::Python);
    let score = Scoring::AllOrNothing("the calls are as expected", costs);
    let of_invocation = Recipe {
        empty: EmptyPolicy::COMPUTE,
        ..Recipe::new(rules, align, score)
    };
    Ok(Box::new(Trajectory {
        threshold,
        of_invocation,
        costs,
    }))
}

#[derive(Debug)]
struct Trajectory {
    threshold: f64,
    of_invocation: Recipe,
    costs: Costs,
}

/// The calls of each invocation.
fn invocations<'s>(
    name: &'static str,
    text: &'s str,
) -> Result<Vec<Vec<Item<'s>>>, EvaluationError> {
    let list = side(name, text)?;
    At::root(name).each(&list, calls)
}

fn calls<'s>(at: At<'_>, invocation: &Value<'s>) -> Result<Vec<Item<'s>>, EvaluationError> {
    let at = at.key("intermediate_data");
    let Some(data) = at_object(invocation, "intermediate_data")
        .or_else(|| at_object(invocation, "intermediateData"))
    else {
        return Ok(Vec::new());
    };
    let data = at.object(data)?;
    if let Some(events) =
        either(data, "invocation_events", "invocationEvents").and_then(Value::as_list)
    {
        let parts = events
            .iter()
            .filter_map(|event| at_object(at_object(event, "content")?, "parts")?.as_list())
            .flatten();
        return parts
            .filter_map(|part| {
                at_object(part, "function_call").or_else(|| at_object(part, "functionCall"))
            })
            .map(|call| item(at, call))
            .collect();
    }
    // ADK's pydantic models accept both spellings.
    let key = if data.get_str("toolUses").is_some() {
        "toolUses"
    } else {
        "tool_uses"
    };
    at.each_under(data, key, item)
}

/// A member under its name or its alias.
fn either<'v, 's>(object: &'v Object<'s>, name: &str, alias: &str) -> Option<&'v Value<'s>> {
    object.get_str(name).or_else(|| object.get_str(alias))
}

fn at_object<'v, 's>(value: &'v Value<'s>, key: &str) -> Option<&'v Value<'s>> {
    value
        .as_object()?
        .get_str(key)
        .filter(|member| !member.is_null())
}

fn item<'s>(at: At<'_>, call: &Value<'s>) -> Result<Item<'s>, EvaluationError> {
    let call = at.object(call)?;
    let name = at.optional_text(call, "name")?;
    let arguments = match call.get_str("args") {
        None | Some(Value::Null) => ItemArguments::Absent,
        Some(arguments @ Value::Object(_)) => ItemArguments::Tree(arguments.clone()),
        other => return Err(at.key("args").error("an object or null", other)),
    };
    // Two missing names are equal, but a missing name equals no string.
    let name = name.map_or(ItemName::Scalar("".into()), |name| {
        ItemName::Text(name.clone())
    });
    Ok(Item::new(name, arguments))
}

impl Trajectory {
    /// The two sides of each invocation; a canonical case has one invocation.
    fn read<'c>(&self, source: &Source<'c>) -> Result<Vec<Sides<'c>>, Outcome> {
        let (expected, actual) = match source {
            Source::Case(case) => return Ok(vec![self.of_invocation.sides(case)?]),
            Source::Native {
                expected, actual, ..
            } => (
                invocations("expected", expected)?,
                invocations("actual", actual)?,
            ),
        };
        let message = match (expected.len(), actual.len()) {
            (0, 0) => "there are no invocations: nothing was evaluated".to_owned(),
            (e, a) if e != a => format!("{e} invocations are expected, and {a} were made"),
            _ => {
                let both = expected.into_iter().zip(actual);
                let sides = both.map(|(e, a)| Sides::new(Items::Own(e), Items::Own(a)));
                return Ok(sides.collect());
            }
        };
        Err(EvaluationError::Raised(message).into())
    }

    fn status(&self, score: f64) -> &'static str {
        if score >= self.threshold {
            "PASSED"
        } else {
            "FAILED"
        }
    }
}

impl Preset for Trajectory {
    fn evaluate(&self, source: &Source<'_>, ask: Ask) -> Result<Evaluation, Outcome> {
        let invocations = self.read(source)?;
        let recipe = &self.of_invocation;
        let mut parts = Vec::with_capacity(invocations.len());
        let mut explanation = Explanation::default();
        for sides in &invocations {
            let matcher = source.matcher(&recipe.rules, &sides.expected, &sides.actual);
            let judged = recipe.judge(source, sides, &matcher, ask)?;
            parts.push(judged.score);
            if ask.may_explain() {
                explanation.append(judged.explain());
            }
        }
        let scored = mean("mean of the invocations", parts.iter().copied()).with_costs(self.costs);
        let members = |writer: &mut JsonWriter| {
            writer.key("status").str(self.status(scored.score));
            writer.key("per_invocation").begin_list();
            for &part in &parts {
                writer.begin_object().key("score").float(part);
                writer.key("status").str(self.status(part)).end_object();
            }
            writer.end_list();
        };
        let passed = Some(scored.score >= self.threshold);
        let explain = || scored.explain(explanation);
        Ok(evaluation(
            scored.score,
            passed,
            ask,
            Layout::Flat,
            members,
            explain,
        ))
    }
}
