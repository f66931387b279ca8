//! `deepeval/tool-correctness`: the deterministic part of DeepEval's metric.

use std::collections::BTreeMap;

use crate::alignment::{Alignment, best_fit, position, weighted_lcs};
use crate::call::{Call, Shape};
use crate::evaluation::{Ask, Evaluation, EvaluationError, Outcome};
use crate::matching::{
    ArgumentRule, Item, ItemArguments, ItemName, ItemOutput, Items, OutputRule, Rules,
    value_classes,
};
use crate::presets::explain::{explain_empty, explain_part};
use crate::presets::reading::{
    At, expected_calls, require_expected_arguments, require_recorded, require_recorded_arguments,
    run, side,
};
use crate::presets::rendering::{Layout, evaluation};
use crate::presets::{Preset, Source, departures};
use crate::registry::{Edition, Entry, Example, Page};
use crate::scoring::{EmptyPolicy, Scored, Worth, all_or_nothing, recall};
use crate::settings::{ConfigError, Setting, SettingKind, Settings};
use crate::value::{JsonWriter, Value, ValueEquality};
use crate::{Grade, NotApplicable, Side};

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
            departures::REPEATED_KEYS,
            departures::NESTING,
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
        Setting {
            name: "threshold",
            kind: SettingKind::Number,
            default: "0.5",
            doc: "The pass mark; 1 under `strict_mode`.",
        },
        Setting {
            name: "evaluation_params",
            kind: SettingKind::Texts,
            default: "[]",
            doc: "What is compared beside names: `input_parameters`, `output`.",
        },
        Setting {
            name: "should_exact_match",
            kind: SettingKind::Bool,
            default: "false",
            doc: "The lists must match position by position. Wins over `should_consider_ordering`.",
        },
        Setting {
            name: "should_consider_ordering",
            kind: SettingKind::Bool,
            default: "false",
            doc: "Order counts.",
        },
        Setting {
            name: "strict_mode",
            kind: SettingKind::Bool,
            default: "false",
            doc: "A score below 1 is 0.",
        },
    ],
    editions: &[Edition::Package],
    needs: "expected calls; names, and what is evaluated, of the actual calls",
    shape: Some(Shape::DeepEval),
    build,
};

#[derive(Clone, Copy, Debug)]
enum Comparing {
    AnyOrder,
    Ordering,
    Exact,
}

#[derive(Debug)]
struct ToolCorrectness {
    comparing: Comparing,
    rules: Rules,
    strict: bool,
    /// `None` where the original gives no verdict.
    threshold: Option<f64>,
}

fn build(settings: &Settings<'_>, _: Edition) -> Result<Box<dyn Preset>, ConfigError> {
    let (mut parameters, mut output) = (false, false);
    if let Some(given) = settings
        .value("evaluation_params")
        .filter(|value| !value.is_null())
    {
        let bad = || {
            settings.bad(
                "evaluation_params",
                "a list of input_parameters and output".to_owned(),
                given,
            )
        };
        for param in given.as_list().ok_or_else(bad)? {
            match param.as_text().and_then(crate::value::Text::as_str) {
                Some("input_parameters") => parameters = true,
                Some("output") => output = true,
                _ => return Err(bad()),
            }
        }
    }
    let comparing = if settings.bool("should_exact_match", false)? {
        Comparing::Exact
    } else if settings.bool("should_consider_ordering", false)? {
        Comparing::Ordering
    } else {
        Comparing::AnyOrder
    };
    let arguments = match (parameters, comparing) {
        (false, _) => ArgumentRule::Ignored,
        (true, Comparing::Exact) => ArgumentRule::Equal,
        (true, _) => ArgumentRule::Overlap,
    };
    let strict = settings.bool("strict_mode", false)?;
    let threshold = match settings.value("threshold") {
        _ if strict => Some(1.0),
        None => Some(0.5),
        Some(_) => settings.number("threshold")?,
    };
    let rules = Rules {
        outputs: if output {
            OutputRule::Equal
        } else {
            OutputRule::Ignored
        },
        ..Rules::of_arguments(arguments, ValueEquality::Python)
    };
    Ok(Box::new(ToolCorrectness {
        comparing,
        rules,
        strict,
        threshold,
    }))
}

fn items_of_side<'s>(name: &'static str, text: &'s str) -> Result<Vec<Item<'s>>, EvaluationError> {
    let at = At::root(name);
    let calls = side(name, text)?;
    at.list(&calls)?
        .iter()
        .enumerate()
        .map(|(index, call)| item(at.index(index), call))
        .collect()
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
        .of_kind(kind)
        .with_output(output.map(|output| ItemOutput::Tree(output.clone()))))
}

impl ToolCorrectness {
    fn read<'c>(&self, source: &Source<'c>) -> Result<(Items<'c>, Items<'c>), Outcome> {
        let case = match source {
            Source::Native {
                expected, actual, ..
            } => {
                return Ok((
                    Items::Own(items_of_side("expected", expected)?),
                    Items::Own(items_of_side("actual", actual)?),
                ));
            }
            Source::Case(case) => case,
        };
        let (expected, run) = (expected_calls(case)?, run(case)?);
        if self.rules.arguments != ArgumentRule::Ignored {
            require_expected_arguments(expected)?;
            require_recorded_arguments(&run.calls)?;
        }
        let compares_outputs = self.rules.outputs == OutputRule::Equal;
        if compares_outputs {
            if let Some((index, call)) = expected
                .iter()
                .enumerate()
                .find(|(_, call)| call.output.is_none())
            {
                let open = NotApplicable::ExpectedOpen {
                    index,
                    name: call.name.to_string(),
                    field: "output",
                };
                return Err(Outcome::NotApplicable(open));
            }
            require_recorded(&run.calls, "output", |call| call.output.is_some())?;
        }
        let items = |calls: &'c [Call<'c>], prepared: Items<'c>| {
            let item = |(call, prepared): (&'c Call<'c>, &Item<'c>)| {
                prepared
                    .clone()
                    .with_output(call.output.map(ItemOutput::of_json))
            };
            if compares_outputs {
                Items::Own(calls.iter().zip(&*prepared).map(item).collect())
            } else {
                prepared
            }
        };
        Ok((
            items(expected, case.expected_items()),
            items(&run.calls, case.actual_items()),
        ))
    }

    fn evaluation(
        &self,
        scored: Scored,
        ask: Ask,
        explain: impl FnOnce() -> crate::Explanation,
    ) -> Evaluation {
        let scored = if self.strict && scored.score < 1.0 {
            scored.only_if("strict mode: nothing is lost", false)
        } else {
            scored
        };
        let success = self.threshold.map(|threshold| scored.score >= threshold);
        let members = |writer: &mut JsonWriter| {
            writer.key("success");
            match success {
                Some(success) => writer.bool(success),
                None => writer.null(),
            };
        };
        evaluation(scored, success, ask, Layout::Flat, members, explain)
    }
}

impl Preset for ToolCorrectness {
    fn evaluate(&self, source: &Source<'_>, ask: Ask) -> Result<Evaluation, Outcome> {
        let (expected, actual) = self.read(source)?;
        let empty = match self.comparing {
            Comparing::AnyOrder | Comparing::Ordering => EmptyPolicy {
                actual: Worth::Compute,
                ..EmptyPolicy::ALIKE
            },
            Comparing::Exact => EmptyPolicy {
                both: Worth::of(1.0),
                expected: Worth::Compute,
                actual: Worth::Compute,
            },
        };
        if let Worth::Fixed { score, .. } = empty.worth(expected.len(), actual.len()) {
            let scored = Scored::fixed("no calls are expected", score);
            return Ok(self.evaluation(scored, ask, || explain_empty(&expected, &actual)));
        }
        let matcher = source.matcher(&self.rules, &expected, &actual);
        let mut equal_calls = Vec::new();
        let (alignment, scored) = match self.comparing {
            Comparing::Exact => {
                // The original does not look at calls where the lengths differ; comparing cannot fail here.
                let alignment = position(&matcher, &mut ())?;
                let full = alignment
                    .pairs
                    .iter()
                    .filter(|pair| pair.grade == Grade::Full)
                    .count();
                let same = expected.len() == actual.len() && full == expected.len();
                (
                    alignment,
                    all_or_nothing("the same calls in the same places", same),
                )
            }
            Comparing::Ordering => {
                let alignment = weighted_lcs(&matcher)?;
                let scored = recall(alignment.credit, expected.len());
                (alignment, scored)
            }
            Comparing::AnyOrder => {
                let classes = value_classes(&actual, source.hash_key());
                let alignment = best_fit(&matcher, Some(&classes))?;
                equal_calls = if ask.may_explain() {
                    equal_to_taken(&alignment, &classes)
                } else {
                    Vec::new()
                };
                let scored = recall(alignment.credit, expected.len());
                (alignment, scored)
            }
        };
        let looked_at = (expected.len(), actual.len());
        Ok(self.evaluation(scored, ask, || {
            explain_part(&matcher, &alignment, looked_at, &equal_calls)
        }))
    }
}

/// The actual calls that cannot answer any more, since one that equals them does.
fn equal_to_taken(alignment: &Alignment, classes: &[u32]) -> Vec<(Side, usize)> {
    let taken: BTreeMap<u32, usize> = alignment
        .pairs
        .iter()
        .map(|pair| (classes[pair.actual], pair.actual))
        .collect();
    let again = |(index, class): (usize, &u32)| {
        taken
            .get(class)
            .filter(|taken| **taken != index)
            .map(|_| (Side::Actual, index))
    };
    classes.iter().enumerate().filter_map(again).collect()
}
