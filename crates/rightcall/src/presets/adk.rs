//! `adk/trajectory`: the trajectory criterion of Google's Agent Development Kit.

use crate::alignment::{Alignment, Driver, Fallback, Grade, first_fit, position, subsequence};
use crate::call::Shape;
use crate::evaluation::{Ask, Evaluation, EvaluationError, Outcome};
use crate::explanation::{Costs, Explanation, Side, Tally};
use crate::matching::{ArgumentRule, Item, ItemArguments, ItemName, Items, Matcher, Rules};
use crate::presets::explain::{explain, explain_beginning};
use crate::presets::reading::{
    At, expected_calls, require_expected_arguments, require_recorded_arguments, run, side,
};
use crate::presets::rendering::{Layout, evaluation};
use crate::presets::{Preset, Source, departures};
use crate::registry::{Edition, Entry, Example, Page};
use crate::scoring::mean;
use crate::settings::{ConfigError, Setting, SettingKind, Settings};
use crate::value::{JsonWriter, Value, ValueEquality};

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
            departures::REPEATED_KEYS,
            departures::NESTING,
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
    settings: &[
        Setting {
            name: "threshold",
            kind: SettingKind::Number,
            default: "1.0",
            doc: "The pass mark. The original requires it.",
        },
        Setting {
            name: "match_type",
            kind: SettingKind::Any,
            default: "\"EXACT\"",
            doc: "`EXACT`, `IN_ORDER` or `ANY_ORDER`; or 0, 1, 2 for these.",
        },
        Setting {
            name: "ignore_args",
            kind: SettingKind::Bool,
            default: "false",
            doc: "Compare names alone.",
        },
    ],
    editions: &[Edition::Package],
    needs: "expected calls; names, and unless ignored arguments, of the actual calls",
    shape: Some(Shape::Adk),
    build,
};

#[derive(Clone, Copy, Debug)]
enum MatchType {
    Exact,
    InOrder,
    AnyOrder,
}

impl MatchType {
    fn costs(self) -> Costs {
        match self {
            Self::Exact => Costs::default(),
            Self::InOrder | Self::AnyOrder => Costs::MISSED,
        }
    }
}

fn match_type(value: Option<&Value<'_>>) -> Option<MatchType> {
    let Some(value) = value else {
        return Some(MatchType::Exact);
    };
    match (value.as_f64(), value) {
        (Some(0.0), _) => Some(MatchType::Exact),
        (Some(1.0), _) => Some(MatchType::InOrder),
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

fn build(settings: &Settings<'_>, _: Edition) -> Result<Box<dyn Preset>, ConfigError> {
    let threshold = match settings.number("threshold")? {
        Some(threshold) => threshold,
        // Here a user may leave it out; the original's constructor may not.
        None if settings.strict => 1.0,
        None => {
            return Err(settings.bad(
                "threshold",
                "a number".to_owned(),
                settings.value("threshold").unwrap_or(&Value::Null),
            ));
        }
    };
    let given = settings.value("match_type");
    let match_type = match_type(given).ok_or_else(|| {
        settings.bad(
            "match_type",
            "EXACT, IN_ORDER or ANY_ORDER".to_owned(),
            given.unwrap_or(&Value::Null),
        )
    })?;
    let arguments = if settings.bool("ignore_args", false)? {
        ArgumentRule::Ignored
    } else {
        ArgumentRule::Equal
    };
    Ok(Box::new(Trajectory {
        threshold,
        match_type,
        rules: Rules::of_arguments(arguments, ValueEquality::Python),
    }))
}

#[derive(Debug)]
struct Trajectory {
    threshold: f64,
    match_type: MatchType,
    rules: Rules,
}

/// The calls of one invocation.
type Invocation<'c> = Items<'c>;

fn invocations<'s>(
    name: &'static str,
    text: &'s str,
) -> Result<Vec<Invocation<'s>>, EvaluationError> {
    let at = At::root(name);
    let list = side(name, text)?;
    at.list(&list)?
        .iter()
        .enumerate()
        .map(|(index, invocation)| calls(at.index(index), invocation).map(Items::Own))
        .collect()
}

fn calls<'s>(at: At<'_>, invocation: &Value<'s>) -> Result<Vec<Item<'s>>, EvaluationError> {
    let at = at.key("intermediate_data");
    let Some(data) = at_object(invocation, "intermediate_data") else {
        return Ok(Vec::new());
    };
    let data = at.object(data)?;
    if let Some(events) = data.get_str("invocation_events").and_then(Value::as_list) {
        let parts = events
            .iter()
            .filter_map(|event| at_object(at_object(event, "content")?, "parts")?.as_list())
            .flatten();
        return parts
            .filter_map(|part| at_object(part, "function_call"))
            .map(|call| item(at, call))
            .collect();
    }
    let uses = data.get_str("tool_uses").filter(|uses| !uses.is_null());
    let at = at.key("tool_uses");
    let uses = uses
        .map(|uses| at.list(uses))
        .transpose()?
        .unwrap_or_default();
    uses.iter()
        .enumerate()
        .map(|(index, call)| item(at.index(index), call))
        .collect()
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
    // A missing name equals a missing name, and no text.
    let name = name.map_or(ItemName::Scalar("".into()), |name| {
        ItemName::Text(name.clone())
    });
    Ok(Item::new(name, arguments))
}

impl Trajectory {
    fn read<'c>(
        &self,
        source: &Source<'c>,
    ) -> Result<(Vec<Invocation<'c>>, Vec<Invocation<'c>>), Outcome> {
        match source {
            Source::Native {
                expected, actual, ..
            } => Ok((
                invocations("expected", expected)?,
                invocations("actual", actual)?,
            )),
            Source::Case(case) => {
                let (expected, run) = (expected_calls(case)?, run(case)?);
                if self.rules.arguments != ArgumentRule::Ignored {
                    require_expected_arguments(expected)?;
                    require_recorded_arguments(&run.calls)?;
                }
                Ok((vec![case.expected_items()], vec![case.actual_items()]))
            }
        }
    }

    /// Whether the calls of an invocation are as expected, and their alignment.
    fn matches(
        &self,
        matcher: &Matcher<'_, '_>,
        expected: usize,
        actual: usize,
    ) -> Result<(bool, Alignment), EvaluationError> {
        let full = |alignment: &Alignment| {
            alignment
                .pairs
                .iter()
                .filter(|pair| pair.grade == Grade::Full)
                .count()
                == expected
        };
        let alignment = match self.match_type {
            MatchType::Exact => position(matcher, &mut ())?,
            MatchType::InOrder => subsequence(matcher, &mut ())?,
            MatchType::AnyOrder => first_fit(matcher, Driver::Expected, Fallback::None, &mut ())?,
        };
        let same_length = !matches!(self.match_type, MatchType::Exact) || expected == actual;
        Ok((same_length && full(&alignment), alignment))
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
        let (expected, actual) = self.read(source)?;
        if expected.len() != actual.len() {
            let message = format!(
                "{} invocations are expected, and {} were made",
                expected.len(),
                actual.len()
            );
            return Err(EvaluationError::Raised(message).into());
        }
        if expected.is_empty() {
            return Err(EvaluationError::Raised(
                "there are no invocations: nothing was evaluated".to_owned(),
            )
            .into());
        }
        let mut parts = Vec::with_capacity(expected.len());
        let mut explanation = Explanation::default();
        for (expected, actual) in expected.iter().zip(&actual) {
            let matcher = source.matcher(&self.rules, expected, actual);
            let (held, alignment) = self.matches(&matcher, expected.len(), actual.len())?;
            parts.push(f64::from(u8::from(held)));
            if ask.may_explain() {
                let of_invocation = match self.match_type {
                    MatchType::InOrder => explain_beginning(&matcher, &alignment),
                    MatchType::Exact | MatchType::AnyOrder => explain(&matcher, &alignment),
                };
                append(&mut explanation, of_invocation);
            }
        }
        let scored =
            mean("mean of the invocations", parts.iter().copied()).costing(self.match_type.costs());
        let members = |writer: &mut JsonWriter| {
            writer
                .key("status")
                .str(self.status(scored.score))
                .key("per_invocation")
                .begin_list();
            for &part in &parts {
                writer
                    .begin_object()
                    .key("score")
                    .float(part)
                    .key("status")
                    .str(self.status(part))
                    .end_object();
            }
            writer.end_list();
        };
        Ok(evaluation(
            scored,
            Some(scored.score >= self.threshold),
            ask,
            Layout::Flat,
            members,
            || explanation,
        ))
    }
}

/// Joins the explanation of a later part, its indices moved behind those before.
pub(super) fn append(whole: &mut Explanation, mut part: Explanation) {
    let (expected, actual) = (whole.tally.expected, whole.tally.actual);
    for pair in &mut part.pairs {
        pair.expected += expected;
        pair.actual += actual;
    }
    let moved = |&(side, index): &(Side, usize)| {
        (
            side,
            index
                + if side == Side::Expected {
                    expected
                } else {
                    actual
                },
        )
    };
    whole.pairs.append(&mut part.pairs);
    whole
        .missed
        .extend(part.missed.iter().map(|index| index + expected));
    whole
        .extra
        .extend(part.extra.iter().map(|index| index + actual));
    whole
        .not_examined
        .extend(part.not_examined.iter().map(moved));
    whole.duplicates.extend(part.duplicates.iter().map(moved));
    let (sum, more) = (&mut whole.tally, part.tally);
    *sum = Tally {
        expected: sum.expected + more.expected,
        actual: sum.actual + more.actual,
        full: sum.full + more.full,
        partial: sum.partial + more.partial,
        name_only: sum.name_only + more.name_only,
        credit: sum.credit + more.credit,
        missed: sum.missed + more.missed,
        extra: sum.extra + more.extra,
    };
}
