//! `evalite/tool-call-accuracy`: weighted credit for calls, minus penalties.

use crate::alignment::{Comparison as _, Grade};
use crate::explanation::Side;
use crate::presets::javascript_items::{Keys, name_by_json_text};
use crate::presets::prelude::*;
use crate::value::javascript::{is_falsy, to_number};

pub(crate) static ENTRY: Entry = Entry {
    id: "evalite/tool-call-accuracy",
    aliases: &["toolCallAccuracy"],
    summary: "Weighted credit for right calls and right tools, less penalties for wrong or extra ones.",
    page: Page {
        measures: "Whether the agent made the expected calls: position by position (`mode: exact`) or in any order (`mode: flexible`), \
with part of the credit for the right tool with other arguments.",
        formula: "`score = clamp((wExact · exact + wNameOnly · nameOnly) / d − wPenalty · (penalised / d))` with `d = max(expected, 1)`. \
In exact mode wrong positions are penalised by `wrongPenalty`, in flexible mode extra calls by `extraPenalty`.",
        use_when: "The right tool with wrong arguments deserves part of the credit, and surplus calls should cost.",
        not_when: "Arguments are not to be looked at (`axion/tool-correctness`), or order matters but gaps do not \
(`uipath/tool-call-order`).",
        limits: "In exact mode one surplus call shifts all that follow. Surplus calls count twice as wrong there, as in the original.",
        not_applicable: "The case states no calls or there is no run; an actual call was recorded without arguments; or, in flexible \
mode, an expected call states none.",
        editions: "| point | `documented` | `package` |
| --- | --- | --- |
| weight `exact` | credit for a full match | ignored: a full match is worth 1 |
| exact mode, missing calls | count as wrong | cost their credit only |
| exact mode, surplus calls | not said: penalties for extra calls are those of flexible mode; as the package | each counts twice as wrong: in its place, and once more for the difference in length |",
        departures: &[departures::UNKNOWN_SETTINGS, departures::NAN_SCORE, departures::NAN_IN_FILES, departures::REPEATED_KEYS, departures::NESTING],
        source: "Evalite, *toolCallAccuracy*; package `evalite` 1.0.0-beta.16.",
        related: &["tpmjs/tool-call-accuracy-score", "axion/tool-correctness", "trajectory"],
        example: Example {
            settings: r#"{"mode":"flexible"}"#,
            expected: r#"[{"name":"list","args":{}},{"name":"add","args":{"title":"milk"}}]"#,
            actual: r#"[{"name":"add","args":{"title":"bread"}},{"name":"list","args":{}}]"#,
            result: r#"{"score":0.75,"name":"Tool Call Accuracy","description":"Checks if the tool calls are correct","metadata":{"mode":"flexible","exactMatches":1,"nameOnlyMatches":1,"extras":0,"missing":0,"totals":{"reference":2,"output":2},"details":{"matches":[{"toolName":"list","input":{}}],"nameOnlyMatches":[{"toolName":"add","input":{"title":"bread"}}],"extras":[],"missingToolCalls":[{"toolName":"add","input":{"title":"milk"}}]}}}"#,
        },
    },
    settings: &[MODE.setting, WEIGHTS.setting],
    editions: &[Edition::Documented, Edition::Package],
    needs: "expected calls; names and arguments of the actual calls",
    shape: Some(Shape::Evalite),
    build,
};

const KEYS: Keys = Keys {
    name: "toolName",
    arguments: "input",
};

/// How the calls are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Exact,
    Flexible,
}

const MODES: [(&str, Mode); 2] = [("exact", Mode::Exact), ("flexible", Mode::Flexible)];

const MODE: Choice<Mode> = Choice::new(
    "mode",
    &MODES,
    &Choice::names_of(&MODES),
    "\"exact\"",
    "Position by position, or in any order.",
);

const FULL: Number = Number::new("exact", "1", "Credit for a full match.");
const NAME_ONLY: Number = Number::new("nameOnly", "0.5", "Credit for the right tool.");
const EXTRA: Number = Number::new("extraPenalty", "0.25", "Off for an extra call (flexible).");
const WRONG: Number = Number::new("wrongPenalty", "0.25", "Off for a wrong call (exact).");

const WEIGHTS: Group = Group::new(
    "weights",
    &[
        FULL.setting,
        NAME_ONLY.setting,
        EXTRA.setting,
        WRONG.setting,
    ],
    "`exact` 1, `nameOnly` 0.5, `extraPenalty` 0.25, `wrongPenalty` 0.25; those given override.",
);

/// A weight, converted as JavaScript converts values to numbers.
fn weight(weights: &Settings<'_>, weight: Number) -> Result<f64, ConfigError> {
    let Some(given) = weights.value(weight.setting.name) else {
        return Ok(weight.default());
    };
    let number = to_number(given);
    if weights.strict && !number.is_finite() {
        return Err(weights.bad(weight.setting.name, "a finite number".to_owned(), given));
    }
    Ok(number)
}

fn build(settings: &Settings<'_>, edition: Edition) -> Made {
    let given = settings.text(MODE.setting.name)?;
    // An unknown mode is an error only if it matters.
    let unknown = given.filter(|mode| MODE.find(mode).is_none());
    let mode = MODE.or_default(settings)?;
    let given = WEIGHTS.read(settings)?;
    let (exact, name_only) = (weight(&given, FULL)?, weight(&given, NAME_ONLY)?);
    let (extra, wrong) = (weight(&given, EXTRA)?, weight(&given, WRONG)?);
    let weights = Weights {
        full: match edition {
            Edition::Documented => exact,
            Edition::Package => 1.0,
        },
        name_only,
        penalty: match mode {
            Mode::Exact => wrong,
            Mode::Flexible => extra,
        },
    };
    let lengths = match (mode, edition) {
        (Mode::Flexible, _) => Lengths::Free,
        (Mode::Exact, Edition::Package) => Lengths::Surplus,
        (Mode::Exact, Edition::Documented) => Lengths::Both,
    };
    let rules = |equality| Rules::from_arguments(ArgumentRule::Equal, equality);
    let (rules, align) = match mode {
        Mode::Flexible => (rules(ValueEquality::StableJson), Align::Multiset),
        Mode::Exact => {
            let rules = Rules {
                missing: MissingArguments::Wildcard,
                ..rules(ValueEquality::JavaScript)
            };
            (rules, Align::Position)
        }
    };
    let align = match unknown {
        Some(mode) => Align::Raises(format!("`{mode}` is not a mode: exact or flexible")),
        None => align,
    };
    let recipe = Recipe::new(rules, align, Scoring::Weighted(weights, lengths));
    Ok(Composed::preset(recipe, ToolCallAccuracy { mode, lengths }))
}

#[derive(Debug)]
struct ToolCallAccuracy {
    mode: Mode,
    lengths: Lengths,
}

impl ToolCallAccuracy {
    /// Exact mode skips items such as `0` and `""`. Flexible mode treats them as calls without fields, and compares names by JSON text too.
    fn item<'c>(&self, value: &Value<'c>) -> Item<'c> {
        let item = KEYS.item(value);
        if self.mode == Mode::Exact {
            return item.blank_if(is_falsy(value));
        }
        let name = value.as_object().and_then(|call| call.get_str(KEYS.name));
        match name {
            Some(name) => item.with_name(name_by_json_text(name)),
            None => item,
        }
    }
}

impl Original for ToolCallAccuracy {
    fn read_case<'c>(&self, recipe: &Recipe, prepared: &'c PreparedCase<'c>) -> Reading<'c> {
        Keys::sides_of_case(recipe, prepared)
    }

    fn read_native<'c>(&self, expected: &'c str, actual: &'c str) -> Reading<'c> {
        let item = |value: &Value<'c>| self.item(value);
        let sides = Keys::sides_of_native((expected, item), (actual, item))?;
        let are_both_there = !sides.expected.is_empty() && !sides.actual.is_empty();
        let mut values = sides
            .values()
            .into_iter()
            .flat_map(|sides| sides.iter().flatten());
        if self.mode == Mode::Flexible && are_both_there && values.any(Value::is_null) {
            let message = "cannot read the tool of a call that is null";
            return Err(EvaluationError::Raised(message.to_owned()).into());
        }
        Ok(sides)
    }

    fn write(&self, judged: &Judged<'_, '_, '_>, writer: &mut JsonWriter) {
        writer.key("name").str("Tool Call Accuracy");
        let description = "Checks if the tool calls are correct";
        writer.key("description").str(description);
        writer.key("metadata").begin_object();
        if judged.is_decided_by_nothing() {
            write_nothing(judged, writer);
        } else {
            self.write_metadata(judged, writer);
        }
        writer.end_object();
    }
}

/// The details if a side is empty.
fn write_nothing(judged: &Judged<'_, '_, '_>, writer: &mut JsonWriter) {
    match (judged.tally.expected, judged.tally.actual) {
        (0, 0) => _ = writer.key("note").str("Both empty - perfect match"),
        (0, actual) => {
            let warning = "Reference tool calls are empty but predictions exist";
            writer.key("warning").str(warning);
            writer.key("outputCount").count(actual);
        }
        (expected, _) => {
            let warning = "No tool calls found in output";
            writer.key("warning").str(warning);
            writer.key("referenceCount").count(expected);
        }
    }
}

impl ToolCallAccuracy {
    fn write_metadata(&self, judged: &Judged<'_, '_, '_>, writer: &mut JsonWriter) {
        let tally = &judged.tally;
        let penalised = self.lengths.penalised(tally).total();
        let is_exact = self.mode == Mode::Exact;
        let mode = if is_exact { "exact" } else { "flexible" };
        writer.key("mode").str(mode);
        writer.key("exactMatches").count(tally.full);
        let name_only = tally.pairs() - tally.full;
        writer.key("nameOnlyMatches").count(name_only);
        if is_exact {
            writer.key("wrongOrMissing").count(penalised);
        } else {
            writer.key("extras").count(penalised);
            writer.key("missing").count(tally.missed);
        }
        writer.key("totals").begin_object();
        writer.key("reference").count(tally.expected);
        writer.key("output").count(tally.actual).end_object();
        if !is_exact {
            write_lists(judged, writer);
        }
    }
}

/// The four lists of flexible mode.
fn write_lists(judged: &Judged<'_, '_, '_>, writer: &mut JsonWriter) {
    writer.key("details").begin_object();
    let mut list = |key: &str, side: Side, indices: &mut dyn Iterator<Item = usize>| {
        writer.key(key).list(indices, |writer, index| {
            KEYS.write(judged.sides, side, index, writer);
        });
    };
    let of_grade = |grade: Grade| {
        let pairs = judged.alignment().pairs.iter();
        pairs
            .filter(move |pair| pair.grade == grade)
            .map(|pair| pair.actual)
    };
    let (full, name_only) = (Grade::Full, Grade::NameOnly);
    let (_, extra) = judged.left_over();
    list("matches", Side::Actual, &mut of_grade(full));
    list("nameOnlyMatches", Side::Actual, &mut of_grade(name_only));
    list("extras", Side::Actual, &mut extra.into_iter());
    list(
        "missingToolCalls",
        Side::Expected,
        &mut missing(judged).into_iter(),
    );
    writer.end_object();
}

/// Missing calls by group, as before any name-only pairs were made.
fn missing(judged: &Judged<'_, '_, '_>) -> Vec<usize> {
    let expected = judged.tally.expected;
    let mut answered = vec![false; expected];
    for pair in &judged.alignment().pairs {
        answered[pair.expected] |= pair.grade == Grade::Full;
    }
    let mut missing: Vec<usize> = (0..expected).filter(|&index| !answered[index]).collect();
    let Some(calls) = judged.matcher.calls() else {
        return missing;
    };
    let mut first = vec![usize::MAX; calls.count];
    let mut group = |index: usize| {
        let symbol = calls.expected[index][0];
        first.get_mut(symbol as usize).map_or(index, |first| {
            *first = (*first).min(index);
            *first
        })
    };
    let groups: Vec<usize> = (0..expected).map(&mut group).collect();
    missing.sort_by_key(|&index| (groups[index], index));
    missing
}
