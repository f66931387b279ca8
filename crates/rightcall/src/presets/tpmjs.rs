//! `tpmjs/tool-call-accuracy-score`: F1 of calls made against calls expected.

use crate::alignment::{Alignment, Driver, Fallback, Grade, first_fit};
use crate::call::Shape;
use crate::evaluation::{Ask, Evaluation, EvaluationError, Outcome};
use crate::matching::{ArgumentRule, Item, Matcher, Rules};
use crate::presets::explain::{explain, explain_empty};
use crate::presets::javascript_items::{Echo, Keys};
use crate::presets::reading::{
    expected_calls, require_expected_arguments, require_recorded_arguments, run,
};
use crate::presets::rendering::{Layout, evaluation};
use crate::presets::{Preset, Source, departures};
use crate::registry::{Edition, Entry, Example, Page};
use crate::scoring::{EmptyPolicy, Rounding, Scored, Worth, f1, precision, recall};
use crate::settings::{ConfigError, Settings};
use crate::value::javascript::to_fixed_1;
use crate::value::{JsonWriter, Value, ValueEquality};

pub(crate) static ENTRY: Entry = Entry {
    id: "tpmjs/tool-call-accuracy-score",
    aliases: &["tool-call-accuracy-score"],
    summary: "F1 of the calls made against the calls expected, arguments included.",
    page: Page {
        measures: "Whether the agent made the expected calls with the expected arguments, and no others. Order does not matter.",
        formula: "Each expected call takes the first unused call of the same tool with equal arguments, and failing that the first \
unused one of the same tool, which then counts as incorrect. `precision = correct / actual`, `recall = correct / expected`, \
`f1 = 2 · precision · recall / (precision + recall)`, each rounded to thousandths as JavaScript rounds. Both lists empty: 1.",
        use_when: "Missing and surplus calls are equally wrong.",
        not_when: "Extra read-only calls are fine (`axion/tool-correctness`), or arguments need tolerance.",
        limits: "A wrong call of the right tool is used up, so an early expected call can take the actual call that a later one would \
have matched. Lists equal objects with the same keys, as in the original.",
        not_applicable: "The case states no calls, an expected call states no arguments, there is no run, or a call was recorded \
without arguments.",
        editions: "| point | `documented` | `package` |
| --- | --- | --- |
| result | flat: `correctCalls`, `incorrectCalls`, `missedCalls`, `extraCalls` | under `breakdown`; also `precision`, `recall`, `f1` |
| summary | begins with `Accuracy Score` | begins with `F1`, `Precision`, `Recall` |
| lists against objects | \"deep equality\", which does not say; as the package | a list equals an object with the same keys: `[\"x\"]` equals `{\"0\": \"x\"}`, and `[]` equals `{}` |

The document's first example states 0.667; its own formula, and the package, give 0.4, and so does this evaluator.",
        departures: &[departures::NAN_IN_FILES, departures::REPEATED_KEYS, departures::NESTING],
        source: "tpmjs, *Tool Call Accuracy Score*; its source at fddd37b.",
        related: &["evalite/tool-call-accuracy", "axion/tool-correctness", "trajectory"],
        example: Example {
            settings: "{}",
            expected: r#"[{"name":"search","args":{"q":"news"}},{"name":"summarize","args":{"n":5}}]"#,
            actual: r#"[{"name":"search","args":{"q":"news"}}]"#,
            result: r#"{"score":0.667,"totalExpected":2,"totalActual":1,"correctCalls":[{"expected":{"tool":"search","args":{"q":"news"}},"actual":{"tool":"search","args":{"q":"news"}},"status":"correct","argsMatch":true}],"incorrectCalls":[],"missedCalls":[{"expected":{"tool":"summarize","args":{"n":5}},"status":"missed","argsMatch":false,"details":"Expected call was not made"}],"extraCalls":[],"summary":"Accuracy Score: 66.7% | Correct: 1/2 | Incorrect: 0 | Missed: 1 | Extra: 0"}"#,
        },
    },
    settings: &[],
    editions: &[Edition::Documented, Edition::Package],
    needs: "expected calls with arguments; names and arguments of the actual calls",
    shape: Some(Shape::Tpmjs),
    build,
};

#[expect(clippy::unnecessary_wraps, reason = "the registry's signature")]
fn build(_: &Settings<'_>, edition: Edition) -> Result<Box<dyn Preset>, ConfigError> {
    Ok(Box::new(ToolCallAccuracyScore {
        rules: rules(),
        edition,
    }))
}

fn rules() -> Rules {
    Rules {
        null_arguments_raise: true,
        ..Rules::of_arguments(ArgumentRule::Equal, ValueEquality::JavaScriptListsAsObjects)
    }
}

const KEYS: Keys = Keys {
    name: "tool",
    arguments: "args",
};

const EMPTY: EmptyPolicy = EmptyPolicy {
    both: Worth::of(1.0),
    expected: Worth::Fixed {
        score: 0.0,
        precision: 0.0,
        recall: 1.0,
    },
    actual: Worth::Fixed {
        score: 0.0,
        precision: 1.0,
        recall: 0.0,
    },
};

#[derive(Debug)]
struct ToolCallAccuracyScore {
    rules: Rules,
    edition: Edition,
}

/// The three shares, rounded.
struct Shares {
    precision: f64,
    recall: f64,
    f1: f64,
}

fn read<'c>(source: &Source<'c>) -> Result<(Vec<Echo<'c>>, Vec<Echo<'c>>), Outcome> {
    match source {
        Source::Native {
            expected, actual, ..
        } => {
            let (expected, actual) = (
                Echo::of_side("expected", expected)?,
                Echo::of_side("actual", actual)?,
            );
            let null_expected = expected
                .iter()
                .any(|echo| matches!(echo, Echo::Native(Value::Null)));
            let something_to_compare = actual.iter().any(|echo| !echo.item(KEYS).is_blank);
            if null_expected && something_to_compare {
                // Reached by the original only where an unused call is left to be compared.
                return null_item(&expected, &actual).map(|()| (expected, actual));
            }
            Ok((expected, actual))
        }
        Source::Case(case) => {
            let (expected, run) = (expected_calls(case)?, run(case)?);
            require_expected_arguments(expected)?;
            require_recorded_arguments(&run.calls)?;
            Ok((
                expected.iter().map(Echo::Call).collect(),
                run.calls.iter().map(Echo::Call).collect(),
            ))
        }
    }
}

/// Reading a field of a null expected item raises, if some actual item is still unused when its turn comes.
fn null_item(expected: &[Echo<'_>], actual: &[Echo<'_>]) -> Result<(), Outcome> {
    let rules = rules();
    let first_null = expected
        .iter()
        .position(|echo| matches!(echo, Echo::Native(Value::Null)))
        .unwrap_or(expected.len());
    let (before, items) = (wanted_of(&expected[..first_null]), items_of(actual));
    let matcher = Matcher::new(&rules, &before, &items, crate::value::HashKey::default());
    let used = first_fit(&matcher, Driver::Expected, Fallback::FirstOfName, &mut ())?
        .pairs
        .len();
    if used < items.iter().filter(|item| !item.is_blank).count() {
        return Err(EvaluationError::Raised(
            "cannot read the tool of an expected call that is null".to_owned(),
        )
        .into());
    }
    Ok(())
}

impl ToolCallAccuracyScore {
    fn render(
        &self,
        shares: &Shares,
        alignment: &Alignment,
        expected: &[Echo<'_>],
        actual: &[Echo<'_>],
        items: &[Item<'_>],
        writer: &mut JsonWriter,
    ) {
        let (missed, mut extra) = alignment.left_over(expected.len(), actual.len());
        extra.retain(|&index| !items[index].is_blank);
        let count = |grade: fn(Grade) -> bool| {
            alignment
                .pairs
                .iter()
                .filter(|pair| grade(pair.grade))
                .count()
        };
        let (correct, incorrect) = (
            count(|grade| grade == Grade::Full),
            count(|grade| grade != Grade::Full),
        );
        let nested = self.edition == Edition::Package;
        if nested {
            writer
                .key("precision")
                .float(shares.precision)
                .key("recall")
                .float(shares.recall)
                .key("f1")
                .float(shares.f1);
        }
        writer
            .key("totalExpected")
            .count(expected.len())
            .key("totalActual")
            .count(actual.len());
        if nested {
            writer.key("breakdown").begin_object();
        }
        for (key, is_correct) in [("correctCalls", true), ("incorrectCalls", false)] {
            writer.key(key).begin_list();
            for pair in alignment
                .pairs
                .iter()
                .filter(|pair| (pair.grade == Grade::Full) == is_correct)
            {
                expected[pair.expected].write(KEYS, writer.begin_object().key("expected"));
                actual[pair.actual].write(KEYS, writer.key("actual"));
                writer
                    .key("status")
                    .str(if is_correct { "correct" } else { "incorrect" })
                    .key("argsMatch")
                    .bool(is_correct);
                if !is_correct {
                    writer
                        .key("details")
                        .str("Tool name matches but arguments differ");
                }
                writer.end_object();
            }
            writer.end_list();
        }
        writer.key("missedCalls").begin_list();
        for &index in &missed {
            expected[index].write(KEYS, writer.begin_object().key("expected"));
            writer
                .key("status")
                .str("missed")
                .key("argsMatch")
                .bool(false);
            writer
                .key("details")
                .str("Expected call was not made")
                .end_object();
        }
        writer.end_list().key("extraCalls").begin_list();
        extra
            .iter()
            .for_each(|&index| actual[index].write(KEYS, writer));
        writer.end_list();
        if nested {
            writer.end_object();
        }
        let percent = |share: f64| to_fixed_1(share * 100.0);
        let head = if nested {
            format!(
                "F1: {}% | Precision: {}% | Recall: {}%",
                percent(shares.f1),
                percent(shares.precision),
                percent(shares.recall)
            )
        } else {
            format!("Accuracy Score: {}%", percent(shares.f1))
        };
        let counts = format!(
            "Correct: {correct}/{} | Incorrect: {incorrect} | Missed: {} | Extra: {}",
            expected.len(),
            missed.len(),
            extra.len()
        );
        writer.key("summary").str(&format!("{head} | {counts}"));
    }
}

impl Preset for ToolCallAccuracyScore {
    fn evaluate(&self, source: &Source<'_>, ask: Ask) -> Result<Evaluation, Outcome> {
        let (expected, actual) = read(source)?;
        let (expected_items, actual_items) = (wanted_of(&expected), items_of(&actual));
        if let Worth::Fixed {
            score,
            precision,
            recall,
        } = EMPTY.worth(expected.len(), actual.len())
        {
            let shares = Shares {
                precision,
                recall,
                f1: score,
            };
            let alignment = Alignment::default();
            let render = |writer: &mut JsonWriter| {
                self.render(
                    &shares,
                    &alignment,
                    &expected,
                    &actual,
                    &actual_items,
                    writer,
                )
            };
            let scored = Scored::fixed("no calls on one side or both", score);
            return Ok(evaluation(scored, None, ask, Layout::Flat, render, || {
                explain_empty(&expected_items, &actual_items)
            }));
        }
        let matcher = source.matcher(&self.rules, &expected_items, &actual_items);
        let alignment = first_fit(&matcher, Driver::Expected, Fallback::FirstOfName, &mut ())?;
        let correct = alignment
            .pairs
            .iter()
            .filter(|pair| pair.grade == Grade::Full)
            .count() as f64;
        let (precise, recalled) = (
            precision(correct, actual.len()),
            recall(correct, expected.len()),
        );
        let scored = f1(precise, recalled).rounded(Rounding::JsThousandths);
        let shares = Shares {
            precision: Rounding::JsThousandths.apply(precise.score),
            recall: Rounding::JsThousandths.apply(recalled.score),
            f1: scored.score,
        };
        let render = |writer: &mut JsonWriter| {
            self.render(
                &shares,
                &alignment,
                &expected,
                &actual,
                &actual_items,
                writer,
            )
        };
        Ok(evaluation(scored, None, ask, Layout::Flat, render, || {
            explain(&matcher, &alignment)
        }))
    }
}

/// Expected items, where only null is passed over: `0` and `""` are calls without fields.
fn wanted_of<'e>(echoes: &'e [Echo<'_>]) -> Vec<Item<'e>> {
    let is_null = |echo: &Echo<'_>| matches!(echo, Echo::Native(Value::Null));
    echoes
        .iter()
        .map(|echo| echo.item(KEYS).blank_if(is_null(echo)))
        .collect()
}

/// Actual items, where whatever is falsy is passed over.
fn items_of<'e>(echoes: &'e [Echo<'_>]) -> Vec<Item<'e>> {
    echoes.iter().map(|echo| echo.item(KEYS)).collect()
}
