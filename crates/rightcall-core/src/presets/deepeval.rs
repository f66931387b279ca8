//! `deepeval/tool-correctness`: the deterministic part of DeepEval's metric.

use crate::matching::ItemOutput;
use crate::presets::prelude::*;

pub(crate) static ENTRY: Entry = Entry {
    id: "deepeval/tool-correctness",
    aliases: &[],
    summary: "The share of expected tools that were called, with part of the credit for arguments that are partly right.",
    page: Page {
        measures: "Whether the expected tools were called: in any order, in order, or exactly; by name, and where asked by input \
parameters and output. This is the part of DeepEval's metric that needs no model: no list of available tools is given.",
        formula: "A pair of one tool is worth 1, times the overlap of its parameters (equal keys / all keys, objects recursively) if \
these are evaluated, and 0 if outputs are evaluated and differ. By default each expected call takes the best actual call that is not \
equal to one taken before; with `should_consider_ordering` the heaviest common subsequence counts. `score = sum of pairs / expected`. With \
`should_exact_match`: 1 if the lists match position by position, else 0. With `strict_mode` a score below 1 is 0.",
        use_when: "You move from DeepEval and want the same numbers, fast.",
        not_when: "The same call is expected twice: of equal actual calls only one is counted (`trajectory`).",
        limits: "Two identical expected calls against two identical actual ones score 0.5, as in the original. Lists inside parameters \
are equal or not, without partial credit.",
        not_applicable: "The case states no calls or there is no run; what is evaluated (parameters, output) was left open in an expected \
call or not recorded in an actual one.",
        editions: "",
        departures: &[
            departures::NAN_WITHIN,
            departures::THRESHOLD_RANGE,
            departures::REPEATED_KEYS,
            departures::NESTING,
            departures::DIGITS,
        ],
        source: "Package `deepeval` 4.3.1.",
        related: &["axion/tool-correctness", "trajectory"],
        example: Example {
            settings: r#"{"evaluation_params":["input_parameters"]}"#,
            expected: r#"[{"name":"find","args":{"id":7,"full":true}}]"#,
            actual: r#"[{"name":"find","args":{"id":7,"full":false}}]"#,
            result: r#"{"score":0.5,"success":true}"#,
        },
    },
    settings: &[
        THRESHOLD.setting,
        EVALUATION_PARAMS,
        EXACT_MATCH.setting,
        ORDERING.setting,
        STRICT.setting,
    ],
    editions: &[Edition::Package],
    needs: "expected calls; names, and what is evaluated, of the actual calls",
    shape: Some(Shape::DeepEval),
    build,
};

const THRESHOLD: Number = Number::new("threshold", "0.5", "The pass mark; 1 under `strict_mode`.");
const EVALUATION_PARAMS: Setting = texts(
    "evaluation_params",
    "What is compared beside names: `input_parameters`, `output`.",
);
const EXACT_MATCH: Flag = Flag::new(
    "should_exact_match",
    false,
    "The lists must match position by position. Wins over `should_consider_ordering`.",
);
const ORDERING: Flag = Flag::new("should_consider_ordering", false, "Order counts.");
const STRICT: Flag = Flag::new("strict_mode", false, "A score below 1 is 0.");

/// Two flags: parameters are compared, outputs are compared.
fn evaluated(settings: &Settings<'_>) -> Result<(bool, bool), ConfigError> {
    let (mut parameters, mut output) = (false, false);
    let name = EVALUATION_PARAMS.name;
    let Some(given) = settings.value(name).filter(|value| !value.is_null()) else {
        return Ok((parameters, output));
    };
    let bad = || {
        let expected = "a list of input_parameters and output";
        settings.bad(name, expected.to_owned(), given)
    };
    for param in given.as_list().ok_or_else(bad)? {
        match param.as_text().and_then(Text::as_str) {
            Some("input_parameters") => parameters = true,
            Some("output") => output = true,
            _ => return Err(bad()),
        }
    }
    Ok((parameters, output))
}

fn build(settings: &Settings<'_>, _: Edition) -> Made {
    let (parameters, output) = evaluated(settings)?;
    let exact = EXACT_MATCH.read(settings)?;
    let (empty, align, score) = if exact {
        let empty = EmptyPolicy {
            expected: Worth::Compute,
            ..EmptyPolicy::EXPECTED
        };
        let same = Scoring::AllOrNothing("the same calls in the same places", Costs::BOTH);
        (empty, Align::Position, same)
    } else if ORDERING.read(settings)? {
        (EmptyPolicy::EXPECTED, Align::WeightedLcs, Scoring::Recall)
    } else {
        let align = Align::BestFitOfValues;
        (EmptyPolicy::EXPECTED, align, Scoring::Recall)
    };
    let arguments = match (parameters, exact) {
        (false, _) => ArgumentRule::Ignored,
        (true, true) => ArgumentRule::Equal,
        (true, false) => ArgumentRule::Overlap,
    };
    let outputs = if output {
        OutputRule::Equal
    } else {
        OutputRule::Ignored
    };
    let rules = Rules {
        outputs,
        ..Rules::from_arguments(arguments, ValueEquality::Python)
    };
    let strict = STRICT.read(settings)?;
    let finish = if strict {
        Finish::OneOrZero
    } else {
        Finish::AsIs
    };
    let threshold = match settings.value(THRESHOLD.setting.name) {
        _ if strict => Some(1.0),
        None => Some(THRESHOLD.default()),
        Some(_) => settings.number(THRESHOLD.setting.name)?,
    };
    let recipe = Recipe {
        empty,
        finish,
        ..Recipe::new(rules, align, score)
    };
    Ok(Composed::preset(recipe, ToolCorrectness { threshold }))
}

#[derive(Debug)]
struct ToolCorrectness {
    /// `None` if the original returns no verdict.
    threshold: Option<f64>,
}

impl Original for ToolCorrectness {
    fn read_native<'c>(&self, expected: &'c str, actual: &'c str) -> Reading<'c> {
        sides_of_items(expected, actual, item)
    }

    fn write(&self, judged: &Judged<'_, '_, '_>, writer: &mut JsonWriter) {
        writer.key("success").serialize(&self.passes(judged));
    }

    fn threshold(&self) -> Option<f64> {
        self.threshold
    }

    fn passes(&self, judged: &Judged<'_, '_, '_>) -> Option<bool> {
        let threshold = self.threshold?;
        Some(judged.score >= threshold)
    }
}

fn item<'s>(at: At<'_>, call: &Value<'s>) -> Result<Item<'s>, EvaluationError> {
    let call = at.object(call)?;
    let parameters = call
        .get_str("inputParameters")
        .or_else(|| call.get_str("input_parameters"));
    let arguments = match parameters {
        None | Some(Value::Null) => ItemArguments::Absent,
        Some(parameters @ Value::Object(_)) => ItemArguments::Tree(parameters.clone()),
        other => return Err(at.key("input_parameters").error("an object or null", other)),
    };
    let kind = match call.get_str("type") {
        None => 0,
        Some(Value::String(kind)) if *kind == "FUNCTION" => 0,
        Some(Value::String(kind)) if *kind == "MCP" => 1,
        other => return Err(at.key("type").error("FUNCTION or MCP", other)),
    };
    at.optional_text(call, "description")?;
    at.optional_text(call, "reasoning")?;
    let output = call.get_str("output").filter(|output| !output.is_null());
    let item = Item::new(ItemName::Text(at.text(call, "name")?.clone()), arguments);
    Ok(item
        .with_kind(kind)
        .with_output(output.map(|output| ItemOutput::Tree(output.clone()))))
}
