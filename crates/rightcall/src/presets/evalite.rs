//! `evalite/tool-call-accuracy`: weighted credit for calls, less penalties.

use crate::alignment::{Alignment, Grade, multiset, position};
use crate::call::Shape;
use crate::evaluation::{Ask, Evaluation, EvaluationError, Outcome};
use crate::matching::{ArgumentRule, Item, Matcher, Rules, Unasked};
use crate::presets::explain::{explain, explain_empty};
use crate::presets::javascript_items::{Echo, Keys, name_by_json_text};
use crate::presets::reading::{
    expected_calls, require_expected_arguments, require_recorded_arguments, run,
};
use crate::presets::rendering::{Layout, evaluation};
use crate::presets::{Preset, Source, departures};
use crate::registry::{Edition, Entry, Example, Page};
use crate::scoring::{EmptyPolicy, Penalised, Scored, Weights, Worth, weighted};
use crate::settings::{ConfigError, Setting, SettingKind, Settings};
use crate::value::javascript::to_number;
use crate::value::{JsonWriter, Text, Value, ValueEquality};

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
    settings: &[
        Setting {
            name: "mode",
            kind: SettingKind::Choice(&["exact", "flexible"]),
            default: "\"exact\"",
            doc: "Position by position, or in any order.",
        },
        Setting {
            name: "weights",
            kind: SettingKind::Object(&[
                Setting { name: "exact", kind: SettingKind::Number, default: "1", doc: "Credit for a full match." },
                Setting { name: "nameOnly", kind: SettingKind::Number, default: "0.5", doc: "Credit for the right tool." },
                Setting {
                    name: "extraPenalty",
                    kind: SettingKind::Number,
                    default: "0.25",
                    doc: "Off for an extra call (flexible).",
                },
                Setting {
                    name: "wrongPenalty",
                    kind: SettingKind::Number,
                    default: "0.25",
                    doc: "Off for a wrong call (exact).",
                },
            ]),
            default: "{}",
            doc: "`exact` 1, `nameOnly` 0.5, `extraPenalty` 0.25, `wrongPenalty` 0.25; those given override.",
        },
    ],
    editions: &[Edition::Documented, Edition::Package],
    needs: "expected calls; names and arguments of the actual calls",
    shape: Some(Shape::Evalite),
    build,
};

const KEYS: Keys = Keys {
    name: "toolName",
    arguments: "input",
};

/// How the calls are compared; an unknown mode is an error only where it matters.
#[derive(Debug)]
enum Mode {
    Exact,
    Flexible,
    Unknown(Text<'static>),
}

#[derive(Debug)]
struct ToolCallAccuracy {
    mode: Mode,
    rules: Rules,
    full: f64,
    name_only: f64,
    extra_penalty: f64,
    wrong_penalty: f64,
    edition: Edition,
}

fn build(settings: &Settings<'_>, edition: Edition) -> Result<Box<dyn Preset>, ConfigError> {
    let mode = match settings.text("mode")? {
        None => Mode::Exact,
        Some(mode) if *mode == "exact" => Mode::Exact,
        Some(mode) if *mode == "flexible" => Mode::Flexible,
        Some(other) => Mode::Unknown(other.clone().into_owned()),
    };
    let weights = settings.inner("weights")?;
    let weight = |name: &str, default: f64| {
        let Some((weights, given)) =
            weights.and_then(|weights| Some((weights, weights.value(name)?)))
        else {
            return Ok(default);
        };
        let number = to_number(given);
        if settings.strict && !number.is_finite() {
            return Err(weights.bad(name, "a finite number".to_owned(), given));
        }
        Ok(number)
    };
    let rules = match mode {
        Mode::Flexible => Rules::of_arguments(ArgumentRule::Equal, ValueEquality::StableJson),
        _ => Rules {
            unasked: Unasked::Nothing,
            ..Rules::of_arguments(ArgumentRule::Equal, ValueEquality::JavaScript)
        },
    };
    let exact = weight("exact", 1.0)?;
    Ok(Box::new(ToolCallAccuracy {
        mode,
        rules,
        full: if edition == Edition::Package {
            1.0
        } else {
            exact
        },
        name_only: weight("nameOnly", 0.5)?,
        extra_penalty: weight("extraPenalty", 0.25)?,
        wrong_penalty: weight("wrongPenalty", 0.25)?,
        edition,
    }))
}

fn raised(message: &str) -> EvaluationError {
    EvaluationError::Raised(message.to_owned())
}

impl ToolCallAccuracy {
    fn read<'c>(&self, source: &Source<'c>) -> Result<(Vec<Echo<'c>>, Vec<Echo<'c>>), Outcome> {
        match source {
            Source::Native {
                expected, actual, ..
            } => Ok((
                Echo::of_side("expected", expected)?,
                Echo::of_side("actual", actual)?,
            )),
            Source::Case(case) => {
                let (expected, run) = (expected_calls(case)?, run(case)?);
                if matches!(self.mode, Mode::Flexible) {
                    require_expected_arguments(expected)?;
                }
                require_recorded_arguments(&run.calls)?;
                Ok((
                    expected.iter().map(Echo::Call).collect(),
                    run.calls.iter().map(Echo::Call).collect(),
                ))
            }
        }
    }

    /// Exact mode skips items such as `0` and `""`; flexible mode takes them for calls without fields, and compares names, too, by
    /// their JSON text.
    fn item<'e>(&self, echo: &'e Echo<'_>) -> Item<'e> {
        let item = echo.item(KEYS);
        if !matches!(self.mode, Mode::Flexible) {
            return item;
        }
        let name = match echo {
            Echo::Native(Value::Object(call)) => call.get_str(KEYS.name).map(name_by_json_text),
            _ => None,
        };
        let item = item.blank_if(false);
        match name {
            Some(name) => item.with_name(name),
            None => item,
        }
    }

    fn exact(
        &self,
        matcher: &Matcher<'_, '_>,
        expected: usize,
        actual: usize,
    ) -> Result<(Alignment, Counts, Scored), EvaluationError> {
        let alignment = position(matcher, &mut ())?;
        let mut counts = Counts::of(&alignment);
        counts.penalised = Penalised {
            extra: actual - alignment.pairs.len(),
            too_many: actual.saturating_sub(expected),
            too_few: if self.edition == Edition::Documented {
                expected.saturating_sub(actual)
            } else {
                0
            },
        };
        let weights = Weights {
            full: self.full,
            name_only: self.name_only,
            penalty: self.wrong_penalty,
        };
        let scored = weighted(
            weights,
            counts.full,
            counts.name_only,
            counts.penalised,
            expected,
        );
        Ok((alignment, counts, scored))
    }

    fn flexible(
        &self,
        matcher: &Matcher<'_, '_>,
        expected: usize,
        actual: usize,
    ) -> Result<(Alignment, Counts, Scored), EvaluationError> {
        use crate::alignment::Comparison as _;
        let calls = matcher
            .calls()
            .ok_or_else(|| raised("calls cannot be told apart"))?;
        let alignment = multiset(matcher.names(), calls);
        let mut counts = Counts::of(&alignment);
        counts.penalised.extra = actual - alignment.pairs.len();
        counts.missing = expected - alignment.pairs.len();
        let weights = Weights {
            full: self.full,
            name_only: self.name_only,
            penalty: self.extra_penalty,
        };
        let scored = weighted(
            weights,
            counts.full,
            counts.name_only,
            counts.penalised,
            expected,
        );
        Ok((alignment, counts, scored))
    }
}

/// What came out, as the metadata show it.
#[derive(Default)]
struct Counts {
    full: usize,
    name_only: usize,
    penalised: Penalised,
    missing: usize,
}

impl Counts {
    fn of(alignment: &Alignment) -> Self {
        let full = alignment
            .pairs
            .iter()
            .filter(|pair| pair.grade == Grade::Full)
            .count();
        Self {
            full,
            name_only: alignment.pairs.len() - full,
            ..Self::default()
        }
    }
}

fn head(writer: &mut JsonWriter) -> &mut JsonWriter {
    writer
        .key("name")
        .str("Tool Call Accuracy")
        .key("description")
        .str("Checks if the tool calls are correct");
    writer.key("metadata").begin_object()
}

fn totals(expected: usize, actual: usize, writer: &mut JsonWriter) {
    writer
        .key("totals")
        .begin_object()
        .key("reference")
        .count(expected)
        .key("output")
        .count(actual)
        .end_object();
}

/// The four lists of flexible mode. Missing calls stand group by group, and are those before names alone were paired.
fn lists(
    alignment: &Alignment,
    matcher: &Matcher<'_, '_>,
    expected: &[Echo<'_>],
    actual: &[Echo<'_>],
    writer: &mut JsonWriter,
) {
    use crate::alignment::Comparison as _;
    let echo = |key: &str, echoes: &mut dyn Iterator<Item = &Echo<'_>>, writer: &mut JsonWriter| {
        writer.key(key).begin_list();
        echoes.for_each(|echo| echo.write(KEYS, writer));
        writer.end_list();
    };
    let of_grade = |grade: Grade| {
        alignment
            .pairs
            .iter()
            .filter(move |pair| pair.grade == grade)
    };
    writer.key("details").begin_object();
    echo(
        "matches",
        &mut of_grade(Grade::Full).map(|pair| &actual[pair.actual]),
        writer,
    );
    echo(
        "nameOnlyMatches",
        &mut of_grade(Grade::NameOnly).map(|pair| &actual[pair.actual]),
        writer,
    );
    let (_, extra) = alignment.left_over(expected.len(), actual.len());
    echo(
        "extras",
        &mut extra.iter().map(|&index| &actual[index]),
        writer,
    );
    let mut missing: Vec<usize> = (0..expected.len()).collect();
    let mut answered = vec![false; expected.len()];
    of_grade(Grade::Full).for_each(|pair| answered[pair.expected] = true);
    missing.retain(|&index| !answered[index]);
    if let Some(calls) = matcher.calls() {
        let mut first = vec![usize::MAX; calls.count];
        let mut group = |index: usize| {
            let symbol = calls.expected[index][0];
            first.get_mut(symbol as usize).map_or(index, |first| {
                *first = (*first).min(index);
                *first
            })
        };
        let groups: Vec<usize> = (0..expected.len()).map(&mut group).collect();
        missing.sort_by_key(|&index| (groups[index], index));
    }
    echo(
        "missingToolCalls",
        &mut missing.iter().map(|&index| &expected[index]),
        writer,
    );
    writer.end_object();
}

impl Preset for ToolCallAccuracy {
    fn evaluate(&self, source: &Source<'_>, ask: Ask) -> Result<Evaluation, Outcome> {
        let (expected, actual) = self.read(source)?;
        let expected_items: Vec<Item<'_>> = expected.iter().map(|echo| self.item(echo)).collect();
        let actual_items: Vec<Item<'_>> = actual.iter().map(|echo| self.item(echo)).collect();
        let (e, a) = (expected.len(), actual.len());
        if let Worth::Fixed { score, .. } = EmptyPolicy::ALIKE.worth(e, a) {
            let render = |writer: &mut JsonWriter| {
                let metadata = head(writer);
                match (e, a) {
                    (0, 0) => metadata.key("note").str("Both empty - perfect match"),
                    (0, _) => {
                        let warning = "Reference tool calls are empty but predictions exist";
                        metadata
                            .key("warning")
                            .str(warning)
                            .key("outputCount")
                            .count(a)
                    }
                    _ => metadata
                        .key("warning")
                        .str("No tool calls found in output")
                        .key("referenceCount")
                        .count(e),
                };
                metadata.end_object();
            };
            let scored = Scored::fixed("no calls on one side or both", score);
            return Ok(evaluation(scored, None, ask, Layout::Flat, render, || {
                explain_empty(&expected_items, &actual_items)
            }));
        }
        let has_null = || {
            expected
                .iter()
                .chain(&actual)
                .any(|echo| matches!(echo, Echo::Native(Value::Null)))
        };
        let matcher = source.matcher(&self.rules, &expected_items, &actual_items);
        let (alignment, counts, scored) = match &self.mode {
            Mode::Exact => self.exact(&matcher, e, a)?,
            Mode::Flexible if has_null() => {
                return Err(raised("cannot read the tool of a call that is null").into());
            }
            Mode::Flexible => self.flexible(&matcher, e, a)?,
            Mode::Unknown(mode) => {
                return Err(raised(&format!("`{mode}` is not a mode: exact or flexible")).into());
            }
        };
        let render = |writer: &mut JsonWriter| {
            let is_exact = matches!(self.mode, Mode::Exact);
            head(writer)
                .key("mode")
                .str(if is_exact { "exact" } else { "flexible" });
            writer
                .key("exactMatches")
                .count(counts.full)
                .key("nameOnlyMatches")
                .count(counts.name_only);
            if is_exact {
                writer.key("wrongOrMissing").count(counts.penalised.total());
                totals(e, a, writer);
            } else {
                writer
                    .key("extras")
                    .count(counts.penalised.total())
                    .key("missing")
                    .count(counts.missing);
                totals(e, a, writer);
                lists(&alignment, &matcher, &expected, &actual, writer);
            }
            writer.end_object();
        };
        Ok(evaluation(scored, None, ask, Layout::Flat, render, || {
            explain(&matcher, &alignment)
        }))
    }
}
