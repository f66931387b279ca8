//! `axion/tool-correctness`: how many of the expected tools were called, with which arguments?

use crate::alignment::{Alignment, Driver, Fallback, first_fit, position};
use crate::call::Shape;
use crate::evaluation::{Ask, Evaluation, EvaluationError, Outcome};
use crate::matching::{ArgumentRule, Item, ItemArguments, ItemName, Items, Rules, Unasked};
use crate::presets::explain::{explain, explain_empty};
use crate::presets::reading::{
    At, expected_calls, require_expected_arguments, require_recorded_arguments, run, side,
};
use crate::presets::rendering::{Layout, evaluation};
use crate::presets::{Preset, Source, departures};
use crate::registry::{Edition, Entry, Example, Page};
use crate::scoring::{EmptyPolicy, Scored, Worth, all_or_nothing, f1, precision, recall};
use crate::settings::{ConfigError, Setting, SettingKind, Settings};
use crate::value::python::{push_list, push_repr, push_repr_text};
use crate::value::{JsonWriter, Text, TextBuilder, Value, ValueEquality};

pub(crate) static ENTRY: Entry = Entry {
    id: "axion/tool-correctness",
    aliases: &[],
    summary: "The share of expected calls that were made, by name or with arguments.",
    page: Page {
        measures: "Whether the agent called the expected tools; with `check_parameters` also whether with the expected arguments: \
equal, containing the expected ones, or similar to them.",
        formula: "Each expected call, in order, takes the first remaining actual call that matches. `recall = matched / expected`, \
`precision = matched / actual`, `f1 = 2 · precision · recall / (precision + recall)`; `scoring` chooses. With `strict_order`: 1 if every \
position matches and the lists are of one length, else 0. Fuzzy arguments match where the mean likeness of the values under the expected \
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
            departures::REPEATED_KEYS,
            departures::NESTING,
        ],
        source: "Axion, *Tool Correctness*; `tool_correctness.py` at the commit that introduced `scoring`. Likeness of strings: Python's \
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
        Setting {
            name: "check_parameters",
            kind: SettingKind::Bool,
            default: "false",
            doc: "Compare arguments too.",
        },
        Setting {
            name: "strict_order",
            kind: SettingKind::Bool,
            default: "false",
            doc: "Calls must match position by position; `scoring` then has no effect.",
        },
        Setting {
            name: "parameter_matching_strategy",
            kind: SettingKind::Choice(&["exact", "subset", "fuzzy"]),
            default: "\"exact\"",
            doc: "How arguments are compared: equal; at least the expected ones, nested objects too; or alike.",
        },
        Setting {
            name: "fuzzy_threshold",
            kind: SettingKind::Number,
            default: "0.8",
            doc: "The least mean likeness of arguments under `fuzzy`.",
        },
        Setting {
            name: "scoring",
            kind: SettingKind::Choice(&["recall", "precision", "f1"]),
            default: "\"recall\"",
            doc: "What is scored.",
        },
        Setting {
            name: "threshold",
            kind: SettingKind::Number,
            default: "0.5",
            doc: "The pass mark; 0 and null mean 0.5.",
        },
    ],
    editions: &[Edition::Documented, Edition::Package],
    needs: "expected calls; names, and with `check_parameters` arguments, of the actual calls",
    shape: Some(Shape::Axion),
    build,
};

fn build(settings: &Settings<'_>, edition: Edition) -> Result<Box<dyn Preset>, ConfigError> {
    let check_parameters = settings.bool("check_parameters", false)?;
    let threshold = settings.number("fuzzy_threshold")?.unwrap_or(0.8);
    let strategy = settings.text("parameter_matching_strategy")?;
    let arguments = match strategy.map(Text::to_display).as_deref() {
        _ if !check_parameters => ArgumentRule::Ignored,
        Some("subset") => ArgumentRule::DeepSubset,
        Some("fuzzy") => ArgumentRule::Fuzzy {
            threshold,
            partial_credit: false,
            equal_is_alike: false,
        },
        _ => ArgumentRule::Equal,
    };
    Ok(Box::new(ToolCorrectness {
        rules: Rules {
            unasked: Unasked::Nothing,
            ..Rules::of_arguments(arguments, ValueEquality::Python)
        },
        strict_order: settings.bool("strict_order", false)?,
        scoring: settings
            .text("scoring")?
            .map_or_else(|| "recall".into(), |text| text.clone().into_owned()),
        threshold: settings
            .number("threshold")?
            .filter(|threshold| *threshold != 0.0)
            .unwrap_or(0.5),
        edition,
    }))
}

#[derive(Debug)]
struct ToolCorrectness {
    rules: Rules,
    strict_order: bool,
    scoring: Text<'static>,
    threshold: f64,
    edition: Edition,
}

/// The keys that a call of the original may have.
const FIELDS: [&str; 5] = ["name", "args", "id", "tags", "request_latency"];

fn items_of_side<'s>(name: &'static str, text: &'s str) -> Result<Vec<Item<'s>>, EvaluationError> {
    let at = At::root(name);
    let calls = match side(name, text)? {
        Value::Null => return Ok(Vec::new()),
        calls => calls,
    };
    let item = |(index, call): (usize, &Value<'s>)| {
        let at = at.index(index);
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
    };
    at.list(&calls)?.iter().enumerate().map(item).collect()
}

impl ToolCorrectness {
    fn read<'c>(&self, source: &Source<'c>) -> Result<(Items<'c>, Items<'c>), Outcome> {
        match source {
            Source::Native {
                expected, actual, ..
            } => Ok((
                Items::Own(items_of_side("expected", expected)?),
                Items::Own(items_of_side("actual", actual)?),
            )),
            Source::Case(case) => {
                let (expected, run) = (expected_calls(case)?, run(case)?);
                if self.rules.arguments == ArgumentRule::Equal {
                    require_expected_arguments(expected)?;
                }
                if self.rules.arguments != ArgumentRule::Ignored {
                    require_recorded_arguments(&run.calls)?;
                }
                Ok((case.expected_items(), case.actual_items()))
            }
        }
    }

    fn evaluation(
        &self,
        scored: Scored,
        ask: Ask,
        text: impl Fn(&mut TextBuilder),
        explain: impl FnOnce() -> crate::Explanation,
    ) -> Evaluation {
        let members = |writer: &mut JsonWriter| {
            let mut out = TextBuilder::with_room();
            text(&mut out);
            writer.key("explanation").text(&out.finish());
        };
        evaluation(
            scored,
            Some(scored.score >= self.threshold),
            ask,
            Layout::Flat,
            members,
            explain,
        )
    }

    fn score(&self, matched: usize, expected: usize, actual: usize) -> Scored {
        let matched = matched as f64;
        let recall = recall(matched, expected);
        // No calls at all are perfectly precise.
        let precise = || {
            if actual == 0 {
                Scored::fixed("nothing was called", 1.0)
            } else {
                precision(matched, actual)
            }
        };
        match self.scoring.as_str() {
            Some("recall") => recall,
            Some("precision") => precise(),
            _ => f1(precise(), recall),
        }
    }

    /// The explanation of a comparison without order.
    fn explanation(
        &self,
        alignment: &Alignment,
        expected: &[Item<'_>],
        actual: &[Item<'_>],
        out: &mut TextBuilder,
    ) {
        if self.edition == Edition::Package {
            out.push_str("[");
            out.push_text(&self.scoring);
            out.push_str("] ");
        }
        let (missing, extra) = alignment.left_over(expected.len(), actual.len());
        let matched: Vec<_> = alignment.pairs.iter().map(|pair| pair.expected).collect();
        let push_name =
            |item: &Item<'_>, out: &mut TextBuilder| push_repr_text(&item.name().to_text(), out);
        let push_call =
            |item: &Item<'_>, out: &mut TextBuilder| push_repr_text(&call_text(item), out);
        let (open, push_open): (_, PushItem<'_>) = match self.rules.arguments {
            ArgumentRule::Ignored => ("Missing tools: ", &push_name),
            _ => ("Missing/incorrect calls: ", &push_call),
        };
        let mut separator = "";
        let mut part = |label: &str, indices: &[usize], items: &[Item<'_>], push: PushItem<'_>| {
            if !indices.is_empty() {
                out.push_str(std::mem::replace(&mut separator, "; "));
                out.push_str(label);
                push_list(("[", "]"), indices, out, |&index, out| {
                    push(&items[index], out)
                });
            }
        };
        part("Correctly called: ", &matched, expected, &push_name);
        part(open, &missing, expected, push_open);
        part("Unexpected tools: ", &extra, actual, &push_name);
    }
}

/// Writes something of a call.
type PushItem<'p> = &'p dyn Fn(&Item<'_>, &mut TextBuilder);

/// `name({'key': value})`.
fn call_text(item: &Item<'_>) -> Text<'static> {
    let mut out = TextBuilder::default();
    out.push_text(&item.name().to_text());
    out.push_str("(");
    push_arguments(item, &mut out);
    out.push_str(")");
    out.finish()
}

fn push_arguments(item: &Item<'_>, out: &mut TextBuilder) {
    match item.arguments().to_tree() {
        Some(tree) => push_repr(&tree, out),
        None => out.push_str("{}"),
    }
}

impl Preset for ToolCorrectness {
    fn evaluate(&self, source: &Source<'_>, ask: Ask) -> Result<Evaluation, Outcome> {
        let (expected, actual) = self.read(source)?;
        let empty = EmptyPolicy {
            actual: Worth::Compute,
            ..EmptyPolicy::ALIKE
        };
        if let Worth::Fixed { score, .. } = empty.worth(expected.len(), actual.len()) {
            let text = match actual.len() {
                0 => "Correct: No tools were expected and none were called.".to_owned(),
                called => format!("Incorrect: No tools were expected, but {called} were called."),
            };
            let scored = Scored::fixed("no calls are expected", score);
            return Ok(self.evaluation(
                scored,
                ask,
                |out| out.push_str(&text),
                || explain_empty(&expected, &actual),
            ));
        }
        let matcher = source.matcher(&self.rules, &expected, &actual);
        if !self.strict_order {
            let alignment = first_fit(&matcher, Driver::Expected, Fallback::None, &mut ())?;
            let scored = self.score(alignment.pairs.len(), expected.len(), actual.len());
            let text =
                |out: &mut TextBuilder| self.explanation(&alignment, &expected, &actual, out);
            return Ok(self.evaluation(scored, ask, text, || explain(&matcher, &alignment)));
        }
        let mut alignment = position(&matcher, &mut ())?;
        alignment
            .pairs
            .retain(|pair| pair.grade == crate::Grade::Full);
        let same_length = expected.len() == actual.len();
        let mismatch = (0..expected.len()).find(|&at| {
            alignment
                .pairs
                .get(at)
                .is_none_or(|pair| pair.expected != at)
        });
        let scored = all_or_nothing("every position matches", same_length && mismatch.is_none());
        let text = |out: &mut TextBuilder| match mismatch.filter(|_| same_length) {
            _ if !same_length => out.push_str(&format!(
                "Tool count mismatch: expected {}, got {}",
                expected.len(),
                actual.len()
            )),
            None => out.push_str(&format!(
                "All {} tools called correctly in order.",
                expected.len()
            )),
            Some(at) => {
                out.push_str(&format!("Tool mismatch at position {at}: expected '"));
                out.push_text(&expected[at].name().to_text());
                out.push_str("', got '");
                out.push_text(&actual[at].name().to_text());
                out.push_str("'");
                if self.rules.arguments != ArgumentRule::Ignored {
                    out.push_str(" with args ");
                    push_arguments(&actual[at], out);
                }
            }
        };
        Ok(self.evaluation(scored, ask, text, || explain(&matcher, &alignment)))
    }
}
