//! `axion/tool-correctness`: how many of the expected tools were called, with which arguments?

use crate::presets::prelude::*;
use crate::value::TextBuilder;
use crate::value::python::{push_list, push_repr, push_repr_text};

pub(crate) static ENTRY: Entry = Entry {
    id: "axion/tool-correctness",
    aliases: &[],
    summary: "The share of expected calls that were made, by name or with arguments.",
    page: Page {
        measures: "Whether the agent called the expected tools; with `check_parameters` also whether with the expected arguments: \
equal, containing the expected ones, or similar to them.",
        formula: "Each expected call, in order, takes the first remaining actual call that matches. `recall = matched / expected`, \
`precision = matched / actual`, `f1 = 2 · precision · recall / (precision + recall)`; `scoring` chooses. With `strict_order`: 1 if every \
position matches and the lists are of one length, else 0. Fuzzy arguments match where the mean similarity of the values under the expected \
keys reaches `fuzzy_threshold`: difflib's ratio for strings, `1 - |a - b| / max(|a|, |b|)` for numbers.",
        use_when: "Tool choice is what counts, and arguments are checked exactly, partly or loosely.",
        not_when: "Extra calls should cost (`scoring: f1`, `tpmjs/tool-call-accuracy-score`), or several arguments are equally right.",
        limits: "Fuzzy matching takes the first call that reaches the threshold, not the best. No calls at all are worth 1 under \
`scoring: precision`. Null is like nothing, not even null.",
        not_applicable: "The case states no calls or there is no run. With `check_parameters`: an actual call was recorded without \
arguments, or an expected one states none and the strategy is `exact`.",
        editions: "| point | `documented` | `package` |
| --- | --- | --- |
| explanation | as the document shows it | begins with the scoring, `[recall] ` |",
        departures: &[
            departures::NULL_LISTS,
            departures::NAN_WITHIN,
            departures::THRESHOLD_RANGE,
            departures::REPEATED_KEYS,
            departures::NESTING,
            departures::DIGITS,
        ],
        source: "Axion, *Tool Correctness*; `tool_correctness.py` at the commit that introduced `scoring`. Similarity of strings: Python's \
difflib, after Ratcliff and Metzener (1988).",
        related: &[
            "deepeval/tool-correctness",
            "uipath/tool-call-args",
            "trajectory",
        ],
        example: Example {
            settings: "{}",
            expected: r#"["fetch","transform","store"]"#,
            actual: r#"[{"name":"fetch"},{"name":"transform"}]"#,
            result: r#"{"score":0.6666666666666666,"explanation":"Correctly called: ['fetch', 'transform']; Missing tools: ['store']"}"#,
        },
    },
    settings: &[
        CHECK_PARAMETERS.setting,
        STRICT_ORDER.setting,
        STRATEGY.setting,
        FUZZY_THRESHOLD.setting,
        SCORING.setting,
        THRESHOLD.setting,
    ],
    editions: &[Edition::Documented, Edition::Package],
    needs: "expected calls; names, and with `check_parameters` arguments, of the actual calls",
    shape: Some(Shape::Axion),
    build,
};

const CHECK_PARAMETERS: Flag = Flag::new("check_parameters", false, "Compare arguments too.");
const STRICT_ORDER: Flag = Flag::new(
    "strict_order",
    false,
    "Calls must match position by position; `scoring` then has no effect.",
);

#[derive(Clone, Copy)]
enum Strategy {
    Exact,
    Subset,
    Fuzzy,
}

const STRATEGIES: [(&str, Strategy); 3] = [
    ("exact", Strategy::Exact),
    ("subset", Strategy::Subset),
    ("fuzzy", Strategy::Fuzzy),
];
const STRATEGY: Choice<Strategy> = Choice::new(
    "parameter_matching_strategy",
    &STRATEGIES,
    &Choice::names_of(&STRATEGIES),
    "\"exact\"",
    "How arguments are compared: equal; at least the expected ones, nested objects too; or alike.",
);
const FUZZY_THRESHOLD: Number = Number::new(
    "fuzzy_threshold",
    "0.8",
    "The least mean similarity of arguments under `fuzzy`.",
);

const SCORINGS: [(&str, Scoring); 3] = [
    ("recall", Scoring::Recall),
    ("precision", Scoring::Precision(Idle::One)),
    ("f1", Scoring::F1(Idle::One)),
];
const SCORING: Choice<Scoring> = Choice::new(
    "scoring",
    &SCORINGS,
    &Choice::names_of(&SCORINGS),
    "\"recall\"",
    "What is scored.",
);
const THRESHOLD: Number = Number::new("threshold", "0.5", "The pass mark; 0 and null mean 0.5.");

fn build(settings: &Settings<'_>, edition: Edition) -> Made {
    let checks_parameters = CHECK_PARAMETERS.read(settings)?;
    let threshold = FUZZY_THRESHOLD.read(settings)?;
    let arguments = match STRATEGY.or_default(settings)? {
        _ if !checks_parameters => ArgumentRule::Ignored,
        Strategy::Exact => ArgumentRule::Equal,
        Strategy::Subset => ArgumentRule::DeepSubset,
        Strategy::Fuzzy => ArgumentRule::Fuzzy {
            threshold,
            partial_credit: false,
            equal_is_alike: false,
        },
    };
    let missing = match arguments {
        ArgumentRule::Equal => MissingArguments::Compared,
        _ => MissingArguments::Wildcard,
    };
    let rules = Rules {
        missing,
        ..Rules::from_arguments(arguments, ValueEquality::Python)
    };
    let strict = STRICT_ORDER.read(settings)?;
    let scoring = settings.text(SCORING.setting.name)?;
    let (align, score) = if strict {
        let score = Scoring::AllOrNothing("every position matches", Costs::BOTH);
        (Align::PositionIfSame, score)
    } else {
        // The package treats any other text as `f1`.
        let score = scoring.map_or(SCORING.default(), |it| {
            SCORING.find(it).unwrap_or(Scoring::F1(Idle::One))
        });
        (Align::FirstFit(Driver::Expected, Fallback::None), score)
    };
    let given = settings.number(THRESHOLD.setting.name)?;
    let original = ToolCorrectness {
        checks_parameters,
        strict,
        scoring: scoring.map_or_else(|| "recall".into(), |text| text.clone().into_owned()),
        threshold: given
            .filter(|threshold| *threshold != 0.0)
            .unwrap_or_else(|| THRESHOLD.default()),
        edition,
    };
    let recipe = Recipe {
        empty: EmptyPolicy::EXPECTED,
        ..Recipe::new(rules, align, score)
    };
    Ok(Composed::preset(recipe, original))
}

#[derive(Debug)]
struct ToolCorrectness {
    checks_parameters: bool,
    strict: bool,
    scoring: Text<'static>,
    threshold: f64,
    edition: Edition,
}

/// The fields of the original's call.
const FIELDS: [&str; 5] = ["name", "args", "id", "tags", "request_latency"];

fn items_of_side<'s>(name: &'static str, text: &'s str) -> Result<Items<'s>, EvaluationError> {
    match side(name, text)? {
        Value::Null => Ok(Items::Own(Vec::new())),
        calls => At::root(name).each(&calls, item).map(Items::Own),
    }
}

fn item<'s>(at: At<'_>, call: &Value<'s>) -> Result<Item<'s>, EvaluationError> {
    let call = at.object(call)?;
    if let Some((field, value)) = call
        .iter()
        .find(|(field, _)| !FIELDS.iter().any(|known| *field == **known))
    {
        return Err(at
            .key(&field.to_display())
            .error("no such field", Some(value)));
    }
    at.optional_text(call, "id")?;
    if let Some(tags) = call.get_str("tags") {
        let (key, tags) = (at.key("tags"), at.key("tags").list(tags)?);
        if let Some(bad) = tags.iter().find(|tag| tag.as_text().is_none()) {
            return Err(key.error("a list of texts", Some(bad)));
        }
    }
    if let Some(latency) = call
        .get_str("request_latency")
        .filter(|it| !it.is_null() && it.as_f64().is_none())
    {
        return Err(at
            .key("request_latency")
            .error("a number or null", Some(latency)));
    }
    let arguments = call
        .get_str("args")
        .ok_or_else(|| at.key("args").error("an object", None))?;
    at.key("args").object(arguments)?;
    Ok(Item::new(
        ItemName::Text(at.text(call, "name")?.clone()),
        ItemArguments::Tree(arguments.clone()),
    ))
}

impl Original for ToolCorrectness {
    fn read_native<'c>(&self, expected: &'c str, actual: &'c str) -> Reading<'c> {
        Ok(Sides::new(
            items_of_side("expected", expected)?,
            items_of_side("actual", actual)?,
        ))
    }

    fn write(&self, judged: &Judged<'_, '_, '_>, writer: &mut JsonWriter) {
        let mut out = TextBuilder::with_room();
        match (judged.is_decided_by_nothing(), judged.tally.actual) {
            (true, 0) => out.push_str("Correct: No tools were expected and none were called."),
            (true, called) => out.push_str(&format!(
                "Incorrect: No tools were expected, but {called} were called."
            )),
            (false, _) if self.strict => self.push_first_mismatch(judged, &mut out),
            (false, _) => self.push_lists(judged, &mut out),
        }
        writer.key("explanation").text(&out.as_text());
    }

    fn threshold(&self) -> Option<f64> {
        Some(self.threshold)
    }

    fn passes(&self, judged: &Judged<'_, '_, '_>) -> Option<bool> {
        Some(judged.score >= self.threshold)
    }
}

impl ToolCorrectness {
    /// The message of a comparison in order.
    fn push_first_mismatch(&self, judged: &Judged<'_, '_, '_>, out: &mut TextBuilder) {
        let (expected, actual) = (&judged.sides.expected, &judged.sides.actual);
        if expected.len() != actual.len() {
            return out.push_str(&format!(
                "Tool count mismatch: expected {}, got {}",
                expected.len(),
                actual.len()
            ));
        }
        let pairs = &judged.alignment().pairs;
        let is_mismatch = |at: &usize| pairs.get(*at).is_none_or(|pair| pair.expected != *at);
        let Some(at) = (0..expected.len()).find(is_mismatch) else {
            let all = expected.len();
            return out.push_str(&format!("All {all} tools called correctly in order."));
        };
        out.push_str(&format!("Tool mismatch at position {at}: expected '"));
        out.push_text(&expected.as_slice()[at].name().to_text());
        out.push_str("', got '");
        out.push_text(&actual.as_slice()[at].name().to_text());
        out.push_str("'");
        if self.checks_parameters {
            out.push_str(" with args ");
            push_arguments(judged.matcher.actual_arguments(at), out);
        }
    }

    /// The message of a comparison without order.
    fn push_lists(&self, judged: &Judged<'_, '_, '_>, out: &mut TextBuilder) {
        if self.edition == Edition::Package {
            out.push_str("[");
            out.push_text(&self.scoring);
            out.push_str("] ");
        }
        let (expected, actual) = (&judged.sides.expected, &judged.sides.actual);
        let (missing, extra) = judged.left_over();
        let pairs = judged.alignment().pairs.iter();
        let matched: Vec<_> = pairs.map(|pair| pair.expected).collect();
        let (expected, actual) = (expected.as_slice(), actual.as_slice());
        let push_expected = |index: usize, out: &mut TextBuilder| {
            push_repr_text(&expected[index].name().to_text(), out);
        };
        let push_actual = |index: usize, out: &mut TextBuilder| {
            push_repr_text(&actual[index].name().to_text(), out);
        };
        // `name({'key': value})`.
        let push_call = |index: usize, out: &mut TextBuilder| {
            let mut call = TextBuilder::with_room();
            call.push_text(&expected[index].name().to_text());
            call.push_str("(");
            push_arguments(judged.matcher.expected_arguments(index), &mut call);
            call.push_str(")");
            push_repr_text(&call.as_text(), out);
        };
        let (open, push_open): (_, PushCall<'_>) = if self.checks_parameters {
            ("Missing/incorrect calls: ", &push_call)
        } else {
            ("Missing tools: ", &push_expected)
        };
        let parts: [(_, _, PushCall<'_>); 3] = [
            ("Correctly called: ", matched, &push_expected),
            (open, missing, push_open),
            ("Unexpected tools: ", extra, &push_actual),
        ];
        let mut separator = "";
        for (label, indices, push) in parts {
            if !indices.is_empty() {
                out.push_str(std::mem::replace(&mut separator, "; "));
                out.push_str(label);
                push_list(("[", "]"), indices, out, push);
            }
        }
    }
}

/// Writes a part of a call.
type PushCall<'p> = &'p dyn Fn(usize, &mut TextBuilder);

fn push_arguments(arguments: Option<&Value<'_>>, out: &mut TextBuilder) {
    match arguments {
        Some(arguments) => push_repr(arguments, out),
        None => out.push_str("{}"),
    }
}
