//! `tpmjs/tool-call-accuracy-score`: F1 of actual and expected calls.

use crate::alignment::{Grade, first_fit};
use crate::explanation::Side;
use crate::matching::Matcher;
use crate::presets::javascript_items::Keys;
use crate::presets::prelude::*;
use crate::scoring::{precision, recall};
use crate::tally::Tally;
use crate::value::HashKey;
use crate::value::javascript::{is_falsy, to_fixed_1};

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
    build: |_, edition| {
        let align = Align::FirstFit(Driver::Expected, Fallback::FirstOfName);
        let recipe = Recipe {
            finish: Finish::Rounded(Rounding::JsThousandths),
            ..Recipe::new(rules(), align, Scoring::F1(Idle::Zero))
        };
        Ok(Composed::preset(recipe, ToolCallAccuracyScore { edition }))
    },
};

const KEYS: Keys = Keys {
    name: "tool",
    arguments: "args",
};

fn rules() -> Rules {
    Rules {
        null_arguments_raise: true,
        ..Rules::from_arguments(ArgumentRule::Equal, ValueEquality::JavaScriptListsAsObjects)
    }
}

#[derive(Debug)]
struct ToolCallAccuracyScore {
    edition: Edition,
}

/// The original raises when it reads a field of a null expected item, if an actual item is still unused then.
fn check_null(expected: &[Value<'_>], sides: &Sides<'_>) -> Result<(), Outcome> {
    let Some(first_null) = expected.iter().position(Value::is_null) else {
        return Ok(());
    };
    let rules = rules();
    let (before, actual) = (
        &sides.expected.as_slice()[..first_null],
        sides.actual.as_slice(),
    );
    let matcher = Matcher::new(&rules, before, actual, HashKey::default());
    let used = first_fit(&matcher, Driver::Expected, Fallback::FirstOfName)?
        .pairs
        .len();
    if used < actual.iter().filter(|item| !item.is_blank).count() {
        let message = "cannot read the tool of an expected call that is null";
        return Err(EvaluationError::Raised(message.to_owned()).into());
    }
    Ok(())
}

impl Original for ToolCallAccuracyScore {
    fn read_case<'c>(&self, recipe: &Recipe, prepared: &'c PreparedCase<'c>) -> Reading<'c> {
        Keys::sides_of_case(recipe, prepared)
    }

    fn read_native<'c>(&self, expected: &'c str, actual: &'c str) -> Reading<'c> {
        // Among expected items only null is skipped; `0` and `""` are calls without fields. Among actual items all falsy values are
        // skipped.
        let wanted = |value: &Value<'c>| KEYS.item(value).blank_if(value.is_null());
        let called = |value: &Value<'c>| KEYS.item(value).blank_if(is_falsy(value));
        let sides = Keys::sides_of_native((expected, wanted), (actual, called))?;
        if let Some([expected, _]) = sides.values() {
            check_null(expected, &sides)?;
        }
        Ok(sides)
    }

    fn write(&self, judged: &Judged<'_, '_, '_>, writer: &mut JsonWriter) {
        let nested = self.edition == Edition::Package;
        let shares = Shares::from_judged(judged);
        let (expected, actual) = (judged.tally.expected, judged.tally.actual);
        if nested {
            writer.key("precision").float(shares.precision);
            writer.key("recall").float(shares.recall);
            writer.key("f1").float(shares.f1);
        }
        writer.key("totalExpected").count(expected);
        writer.key("totalActual").count(actual);
        if nested {
            writer.key("breakdown").begin_object();
        }
        let (missed, mut extra) = judged.left_over();
        extra.retain(|&index| !judged.sides.actual.as_slice()[index].is_blank);
        write_pairs(judged, true, writer);
        write_pairs(judged, false, writer);
        writer.key("missedCalls").list(&missed, |writer, &index| {
            writer.begin_object().key("expected");
            KEYS.write(judged.sides, Side::Expected, index, writer);
            write_status(writer, "missed", Some("Expected call was not made"));
            writer.end_object();
        });
        writer.key("extraCalls").list(&extra, |writer, &index| {
            KEYS.write(judged.sides, Side::Actual, index, writer);
        });
        if nested {
            writer.end_object();
        }
        let correct = judged.tally.full;
        let counts = format!(
            "Correct: {correct}/{expected} | Incorrect: {} | Missed: {} | Extra: {}",
            judged.tally.pairs() - correct,
            missed.len(),
            extra.len()
        );
        let head = shares.summary(nested);
        writer.key("summary").str(&format!("{head} | {counts}"));
    }
}

/// The three shares, rounded. The share of a side without calls is 1.
struct Shares {
    precision: f64,
    recall: f64,
    f1: f64,
}

impl Shares {
    fn from_judged(judged: &Judged<'_, '_, '_>) -> Self {
        let Tally {
            expected,
            actual,
            credit,
            ..
        } = judged.tally;
        let share = |of: usize, share: f64| match of {
            0 => 1.0,
            _ => Rounding::JsThousandths.apply(share),
        };
        Self {
            precision: share(actual, precision(credit, actual).score),
            recall: share(expected, recall(credit, expected).score),
            f1: judged.score,
        }
    }

    fn summary(&self, nested: bool) -> String {
        let percent = |share: f64| to_fixed_1(share * 100.0);
        if !nested {
            return format!("Accuracy Score: {}%", percent(self.f1));
        }
        format!(
            "F1: {}% | Precision: {}% | Recall: {}%",
            percent(self.f1),
            percent(self.precision),
            percent(self.recall)
        )
    }
}

fn write_pairs(judged: &Judged<'_, '_, '_>, are_correct: bool, writer: &mut JsonWriter) {
    let (key, status, details) = if are_correct {
        ("correctCalls", "correct", None)
    } else {
        let details = "Tool name matches but arguments differ";
        ("incorrectCalls", "incorrect", Some(details))
    };
    writer.key(key).begin_list();
    let pairs = judged.alignment().pairs.iter();
    for pair in pairs.filter(|pair| (pair.grade == Grade::Full) == are_correct) {
        writer.begin_object().key("expected");
        KEYS.write(judged.sides, Side::Expected, pair.expected, writer);
        writer.key("actual");
        KEYS.write(judged.sides, Side::Actual, pair.actual, writer);
        write_status(writer, status, details);
        writer.end_object();
    }
    writer.end_list();
}

fn write_status(writer: &mut JsonWriter, status: &str, details: Option<&str>) {
    writer.key("status").str(status);
    writer.key("argsMatch").bool(status == "correct");
    writer.optional("details", details);
}
