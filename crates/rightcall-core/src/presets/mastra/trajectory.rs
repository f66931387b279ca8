//! `mastra/trajectory`: expected steps, budgets, forbidden tools and retries, weighted.

use std::borrow::Cow;

use super::dimensions::{
    Blacklist, Budgets, Dimensions, FORBIDDEN, Step, Violations, excess, retries, score_of_retries,
};
use super::trajectory_accuracy::{ORDERING, REPEATS, TrajectoryAccuracy, composition};
use crate::call::nanoseconds;
use crate::evaluation::{Ask, Evaluation};
use crate::explanation::{Explanation, Term};
use crate::outcome::NotApplicable;
use crate::presets::plain_calls::call;
use crate::presets::prelude::*;
use crate::recipe::{Field, Source, evaluation, not_expected, require_recorded, trajectory};
use crate::tally::Tally;
use crate::value::JsonText;

pub(crate) static ENTRY: Entry = Entry {
    id: "mastra/trajectory",
    aliases: &[],
    summary: "Expected steps, budgets, forbidden tools and retries of one run, as a weighted mean.",
    page: Page {
        measures: "Four things at once. *accuracy*: whether the expected steps were taken, as in `mastra/trajectory-accuracy`. *efficiency*: \
whether the run kept its budgets and made no call twice in a row. *blacklist*: whether a forbidden tool or sequence of tools was called. \
*toolFailures*: how often a tool was called again after it failed.",
        formula: "The mean of what is asked for, by `weights` that are divided by their sum, rounded to hundredths; 0 where anything \
forbidden was called. *accuracy*, where steps are expected: `mastra/trajectory-accuracy`. *efficiency*, where a budget or \
`noRedundantCalls` is set: the mean of `1 − over / limit` for each budget, at least 0, and of `1 − 0.2 · repeats`; a repeat has name and \
arguments of the step before. *toolFailures*, where a tool was called again right after it failed: `1 − 0.2 · retries beyond \
maxRetriesPerTool`. *blacklist*: 1.",
        use_when: "You move from Mastra's `createTrajectoryScorerCode`.",
        not_when: "Each condition should count by itself (`constraints`), or expected steps alone (`mastra/trajectory-accuracy`).",
        limits: "Steps are tool calls: `children` of steps, and `maxTotalTokens`, are not known. How long a run took is the sum of its \
calls.",
        not_applicable: "There is no run; neither steps are expected nor a budget or a blacklist set; a time budget is set and `start` or \
`end` of a call was not recorded; or arguments or outputs that are compared were not recorded.",
        editions: "",
        departures: &[
            departures::UNKNOWN_SETTINGS,
            departures::REPEATED_KEYS,
            departures::NESTING,
        ],
        source: "Package `@mastra/evals` 1.10.2, `createTrajectoryScorerCode`, `checkTrajectoryEfficiency`, `checkTrajectoryBlacklist` \
and `analyzeToolFailures`; a call with an error is a step with `success: false`.",
        related: &["mastra/trajectory-accuracy", "constraints", "trajectory"],
        example: Example {
            settings: r#"{"maxSteps":2,"noRedundantCalls":true,"blacklistedTools":["drop"]}"#,
            expected: r#"[{"name":"find"},{"name":"pay"}]"#,
            actual: r#"[{"name":"find","args":{"id":7},"error":true},{"name":"find","args":{"id":7}},{"name":"pay","args":{}}]"#,
            result: r#"{"score":0.9,"accuracy":{"score":1.0,"matchedSteps":2,"totalExpectedSteps":2,"totalActualSteps":3,"missingSteps":[],"extraSteps":[],"outOfOrderSteps":[],"repeatedSteps":["find"]},"efficiency":{"score":0.65,"totalSteps":3,"overStepBudget":true,"totalDurationMs":0.0,"overDurationBudget":false,"redundantCalls":[{"name":"find","index":1}]},"blacklist":{"score":1.0,"violatedTools":[],"violatedSequences":[]},"toolFailures":{"score":1.0,"patterns":[{"toolName":"find","retryCount":1,"fellBackToAlternative":false,"eventuallySucceeded":true}],"totalRetries":1,"excessiveRetryTools":[]}}"#,
        },
    },
    settings: &[
        ORDERING.setting,
        REPEATS.setting,
        MAX_STEPS.setting,
        MAX_DURATION.setting,
        REDUNDANT.setting,
        TOOLS,
        SEQUENCES,
        MAX_RETRIES.setting,
        WEIGHTS.setting,
    ],
    editions: &[Edition::Package],
    needs: "expected calls or an order, budgets, or a blacklist; of the actual calls names, errors, and what these look at",
    shape: None,
    build,
};

const MAX_STEPS: Number = Number::new("maxSteps", "null", "At most N calls.");
const MAX_DURATION: Number = Number::new(
    "maxTotalDurationMs",
    "null",
    "At most N milliseconds, all calls together.",
);
const REDUNDANT: Flag = Flag::new(
    "noRedundantCalls",
    true,
    "Whether the same call twice in a row takes off 0.2 of efficiency, which is judged where this or a budget is set.",
);
const TOOLS: Setting = texts("blacklistedTools", "Tools that must not be called.");
const SEQUENCES: Setting = any(
    "blacklistedSequences",
    "null",
    "Lists of tools that must not be called one right after the other.",
);
const MAX_RETRIES: Number = Number::new(
    "maxRetriesPerTool",
    "2",
    "Retries of a tool that cost nothing.",
);

const ACCURACY: Number = Number::new("accuracy", "0.4", "Of the expected steps.");
const EFFICIENCY: Number = Number::new("efficiency", "0.3", "Of budgets and repeats.");
const FAILURES: Number = Number::new("toolFailures", "0.2", "Of retries.");
const BLACKLIST: Number = Number::new("blacklist", "0.1", "Of what is forbidden.");
const WEIGHTS: Group = Group::new(
    "weights",
    &[
        ACCURACY.setting,
        EFFICIENCY.setting,
        FAILURES.setting,
        BLACKLIST.setting,
    ],
    "`accuracy` 0.4, `efficiency` 0.3, `toolFailures` 0.2, `blacklist` 0.1; those given override.",
);

fn build(settings: &Settings<'_>, _: Edition) -> Made {
    let (recipe, accuracy) = composition(settings)?;
    let limit = |limit: Number| {
        let name = limit.setting.name;
        let given = settings.number(name)?;
        match given.filter(|given| *given < 0.0) {
            Some(given) => Err(settings.bad(name, "0 or more".to_owned(), &Value::Float(given))),
            None => Ok(given),
        }
    };
    let budgets = Budgets {
        steps: limit(MAX_STEPS)?,
        milliseconds: limit(MAX_DURATION)?,
        no_redundant_calls: REDUNDANT.read(settings)?,
    };
    let is_limited = budgets.steps.is_some() || budgets.milliseconds.is_some();
    let budgets =
        (is_limited || settings.value(REDUNDANT.setting.name).is_some()).then_some(budgets);
    let blacklist = Blacklist {
        tools: names_in(settings, TOOLS.name, settings.value(TOOLS.name))?,
        sequences: sequences(settings)?,
    };
    let is_set = !blacklist.tools.is_empty() || !blacklist.sequences.is_empty();
    let given = WEIGHTS.read(settings)?;
    let weight = |weight: Number| Ok(weight.read(&given)?.max(0.0));
    Ok(Box::new(TrajectoryScore {
        recipe,
        accuracy,
        budgets,
        blacklist: is_set.then_some(blacklist),
        max_retries: MAX_RETRIES.read(settings)?,
        weights: [
            weight(ACCURACY)?,
            weight(EFFICIENCY)?,
            weight(FAILURES)?,
            weight(BLACKLIST)?,
        ],
    }))
}

fn names_in(
    settings: &Settings<'_>,
    setting: &str,
    list: Option<&Value<'_>>,
) -> Result<Vec<Text<'static>>, ConfigError> {
    let bad = |found| settings.bad(setting, "a list of texts".to_owned(), found);
    let names = match list {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::List(names)) => names,
        Some(other) => return Err(bad(other)),
    };
    let name = |name: &Value<'_>| name.as_text().map(|name| name.clone().into_owned());
    names
        .iter()
        .map(|value| name(value).ok_or_else(|| bad(value)))
        .collect()
}

fn sequences(settings: &Settings<'_>) -> Result<Vec<Vec<Text<'static>>>, ConfigError> {
    let name = SEQUENCES.name;
    match settings.value(name) {
        None | Some(Value::Null) => Ok(Vec::new()),
        // An empty list is the package's default: no sequence is forbidden.
        Some(Value::List(lists)) => lists
            .iter()
            .map(|list| names_in(settings, name, Some(list)))
            .collect(),
        Some(other) => Err(settings.bad(name, "a list of lists of texts".to_owned(), other)),
    }
}

#[derive(Debug)]
struct TrajectoryScore {
    recipe: Recipe,
    accuracy: TrajectoryAccuracy,
    budgets: Option<Budgets>,
    blacklist: Option<Blacklist>,
    max_retries: f64,
    /// The weights of accuracy, efficiency, failures and blacklist, in this order.
    weights: [f64; 4],
}

/// The expected and the actual steps; the former is `None` if there are none.
type Run<'c> = (Option<Sides<'c>>, Vec<Step<'c>>);

impl TrajectoryScore {
    fn read_case<'c>(&self, prepared: &'c PreparedCase<'c>) -> Result<Run<'c>, Outcome> {
        let case = prepared.case();
        let calls = &trajectory(case)?.calls;
        let has_expected_steps = case.expected.calls.is_some() || case.expected.order.is_some();
        if !has_expected_steps && self.budgets.is_none() && self.blacklist.is_none() {
            return Err(not_expected("calls"));
        }
        let budgets = self.budgets.as_ref();
        if budgets.is_some_and(|budgets| budgets.no_redundant_calls) {
            require_recorded(calls, Field::Arguments)?;
        }
        let is_timed = budgets.is_some_and(|budgets| budgets.milliseconds.is_some());
        let mut steps = Vec::with_capacity(calls.len());
        for (index, call) in calls.iter().enumerate() {
            let metadata = call.metadata();
            let time = |json: Option<&str>| json.and_then(nanoseconds);
            let (start, end) = (
                time(metadata.start.as_deref()),
                time(metadata.end.as_deref()),
            );
            let duration = milliseconds(start, end);
            if is_timed && duration.is_none() {
                return Err(Outcome::NotApplicable(NotApplicable::NotRecorded {
                    index,
                    name: call.name.to_string(),
                    field: if start.is_none() { "start" } else { "end" },
                }));
            }
            steps.push(Step {
                name: call.name.reborrow(),
                arguments: call.arguments.to_value().map(Cow::Owned),
                failed: call.failed() == Some(true),
                milliseconds: duration,
            });
        }
        let sides = has_expected_steps.then(|| self.accuracy.read_case(&self.recipe, prepared));
        Ok((sides.transpose()?, steps))
    }

    /// Steps as `{name, args, output, error, start, end}`. A null expected side means no expectation.
    fn read_native<'c>(&self, expected: &'c str, actual: &'c str) -> Result<Run<'c>, Outcome> {
        let has_expected_steps = !matches!(side("expected", expected)?, Value::Null);
        let sides = has_expected_steps.then(|| self.accuracy.read_native(expected, actual));
        let actual_steps = side("actual", actual)?;
        let step = |at: At<'_>, value: &Value<'c>| {
            let item = call(at, value)?;
            let member = |key: &str| value.as_object().and_then(|object| object.get_str(key));
            let time = |key: &str| {
                member(key).and_then(|time| nanoseconds(JsonText::from_value(time).as_str()))
            };
            let failed = member("error")
                .is_some_and(|error| !matches!(error, Value::Null | Value::Bool(false)));
            Ok(Step {
                name: item.name().to_text().into_owned(),
                arguments: item
                    .arguments()
                    .to_tree()
                    .map(|value| Cow::Owned(value.into_owned())),
                failed,
                milliseconds: milliseconds(time("start"), time("end")),
            })
        };
        Ok((
            sides.transpose()?,
            At::root("actual").each(&actual_steps, step)?,
        ))
    }
}

fn milliseconds(start: Option<i128>, end: Option<i128>) -> Option<f64> {
    let (start, end) = (start?, end?);
    Some((end - start) as f64 / 1e6)
}

impl TrajectoryScore {
    fn dimensions(&self, steps: &[Step<'_>]) -> Result<Dimensions<'_>, Outcome> {
        let budgets = self.budgets.as_ref();
        let is_timed = budgets.is_some_and(|budgets| budgets.milliseconds.is_some());
        let is_measured = |step: &Step<'_>| step.milliseconds.is_some_and(|it| it >= 0.0);
        if is_timed && (steps.is_empty() || !steps.iter().all(is_measured)) {
            let message =
                "Cannot evaluate duration budget: missing or invalid duration measurements";
            return Err(EvaluationError::Raised(message.to_owned()).into());
        }
        let retries = retries(steps);
        let excess = excess(&retries, self.max_retries);
        Ok(Dimensions {
            efficiency: budgets.map(|budgets| budgets.judge(steps)),
            violations: self
                .blacklist
                .as_ref()
                .map(|blacklist| blacklist.judge(steps)),
            excess,
            retry_score: score_of_retries(excess),
            retries,
        })
    }

    /// The dimensions that count: name, weight and value.
    fn parts(
        &self,
        accuracy: Option<f64>,
        dimensions: &Dimensions<'_>,
    ) -> Vec<(&'static str, f64, f64)> {
        let [
            accuracy_weight,
            efficiency_weight,
            failures_weight,
            blacklist_weight,
        ] = self.weights;
        let efficiency = dimensions.efficiency.as_ref().map(|it| it.score);
        let failures = (!dimensions.retries.is_empty()).then_some(dimensions.retry_score);
        let blacklist = dimensions.violations.as_ref().map(Violations::score);
        let parts = [
            ("accuracy", accuracy_weight, accuracy),
            ("efficiency", efficiency_weight, efficiency),
            ("toolFailures", failures_weight, failures),
            ("blacklist", blacklist_weight, blacklist),
        ];
        let with_value =
            |(name, weight, value): (_, f64, Option<f64>)| Some((name, weight, value?));
        parts.into_iter().filter_map(with_value).collect()
    }
}

/// The weighted mean, and its formula.
fn mean(parts: &[(&'static str, f64, f64)]) -> Term {
    let total = parts.iter().fold(0.0, |sum, (_, weight, _)| sum + weight);
    let is_forbidden = parts
        .iter()
        .any(|(name, _, value)| *name == "blacklist" && *value == 0.0);
    let (formula, level) = if is_forbidden {
        (FORBIDDEN.to_owned(), 0.0)
    } else if total > 0.0 {
        let shares = parts
            .iter()
            .map(|(_, weight, value)| (weight / total, value));
        let level = shares
            .clone()
            .fold(0.0, |sum, (share, value)| sum + share * value);
        let terms: Vec<_> = parts
            .iter()
            .map(|(_, weight, value)| format!("{weight} / {total} × {value}"))
            .collect();
        (format!("round({}, 2)", terms.join(" + ")), level)
    } else {
        ("nothing has a weight".to_owned(), 1.0)
    };
    Term {
        label: "score".into(),
        formula,
        value: Rounding::JsPlainHundredths.apply(level),
    }
}

impl Preset for TrajectoryScore {
    fn evaluate(&self, source: &Source<'_>, ask: Ask) -> Result<Evaluation, Outcome> {
        let (sides, steps) = match source {
            Source::Case(prepared) => self.read_case(prepared)?,
            Source::Native {
                expected, actual, ..
            } => self.read_native(expected, actual)?,
        };
        let dimensions = self.dimensions(&steps)?;
        let none = Sides::new(Items::Own(Vec::new()), Items::Own(Vec::new()));
        let compared = sides.as_ref().unwrap_or(&none);
        let matcher = source.matcher(&self.recipe.rules, &compared.expected, &compared.actual);
        let judged = self.recipe.judge(source, compared, &matcher, ask)?;
        let accuracy = sides.as_ref().map(|_| judged.score);
        let parts = self.parts(accuracy, &dimensions);
        let score = mean(&parts);
        let write = |writer: &mut JsonWriter| {
            if accuracy.is_some() {
                writer.key("accuracy").begin_object();
                writer.key("score").float(judged.score);
                self.accuracy.write(&judged, writer);
                writer.end_object();
            }
            dimensions.write(&steps, self.max_retries, writer);
        };
        let explain = || {
            let explanation = match accuracy {
                Some(_) => judged.explain(),
                None => Explanation {
                    tally: Tally {
                        actual: steps.len(),
                        ..Tally::default()
                    },
                    costs: Costs::NONE,
                    ..Explanation::default()
                },
            };
            let part = |(name, _, value): &(&'static str, f64, f64)| Term {
                label: (*name).into(),
                formula: dimensions.formula(name),
                value: *value,
            };
            let others = parts
                .iter()
                .filter(|(name, ..)| *name != "accuracy")
                .map(part);
            let mut arithmetic = explanation.arithmetic;
            arithmetic.extend(others.chain([score.clone()]));
            Explanation {
                arithmetic,
                ..explanation
            }
        };
        Ok(evaluation(
            score.value,
            None,
            ask,
            Layout::Flat,
            write,
            explain,
        ))
    }
}
