//! `uipath/tool-call-count`: was each tool called as often as expected?

use crate::call::{Count, Operator, Shape};
use crate::constraint::{CountCheck, Fold, NameCounts, check_counts};
use crate::evaluation::{Ask, Evaluation, EvaluationError, NotApplicable, Outcome};
use crate::explanation::{ExplainedCheck, Explanation, Tally};
use crate::matching::{Item, sanitise};
use crate::prepared::PreparedCase;
use crate::presets::explain::explain_empty;
use crate::presets::reading::At;
use crate::presets::rendering::evaluation;
use crate::presets::{Preset, Source, departures};
use crate::registry::{Edition, Entry, Example, Page};
use crate::scoring::{EmptyPolicy, Scored, Worth};
use crate::settings::{ConfigError, Settings};
use crate::value::python::{push_list, push_repr_text};
use crate::value::{HashKey, Integer, JsonWriter, Text, TextBuilder, Value};

use super::spans;
use super::{
    BOTH, Common, Criteria, DEFAULT_CRITERIA, DESCRIPTION, LAYOUT, NAME, STRICT, criteria,
    criteria_member, error_result,
};

pub(crate) static ENTRY: Entry = Entry {
    id: "uipath/tool-call-count",
    aliases: &["tool-call-count", "uipath-tool-call-count"],
    summary: "The share of tools that were called as often as expected.",
    page: Page {
        measures: "Whether each tool was called the expected number of times, by `=` `>` `<` `>=` `<=`. Tools without a criterion are \
ignored; a tool that was not called counts as 0.",
        formula: "`score = criteria held / criteria`. With `strict`: 1 if all hold, else 0.",
        use_when: "The number of calls matters: one charge, at most three retries, at least one check.",
        not_when: "The sequence matters (`uipath/tool-call-order`) or the arguments do (`uipath/tool-call-args`).",
        limits: "It does not see when calls happened, nor why counts differ; each tool is judged by itself.",
        not_applicable: "The case states neither counts nor calls, there is no run, or the counts were derived from an empty list of \
calls in the `documented` edition.",
        editions: "| point | `documented` | `package` |
| --- | --- | --- |
| names | exact, case-sensitive | by `tool.id` where the call has one; else the name, or the criterion's sanitised name |
| operators | `=` `==` `>` `<` `>=` `<=`; any other is an error | also `!=`; any other gives an error result, where it is reached |
| negative count | an error | accepted |
| no calls at all | each tool counts as 0 | the score is 0 |
| details | `explained_tool_calls_count` | also `expected` and `actual` as Python texts |",
        departures: &[departures::ERROR_RESULT, departures::UNKNOWN_SETTINGS, departures::REPEATED_KEYS, departures::NESTING],
        source: "UiPath, *Tool Call Count Evaluator*; package `uipath` 2.14.44.",
        related: &["uipath/tool-call-order", "uipath/tool-call-args", "uipath/tool-call-output"],
        example: Example {
            settings: "{}",
            expected: r#"{"counts":{"fetch":["=",1],"process":["=",5]}}"#,
            actual: r#"[{"name":"fetch"},{"name":"process"},{"name":"process"}]"#,
            result: r#"{"score":0.5,"score_type":1,"details":{"explained_tool_calls_count":{"fetch":"Actual: 1, Expected: 1, Score: 1.0","process":"Actual: 2, Expected: 5, Score: 0.0"}}}"#,
        },
    },
    settings: &[NAME, DESCRIPTION, STRICT, DEFAULT_CRITERIA],
    editions: BOTH,
    needs: "expected counts (or calls); names of the actual calls",
    shape: Some(Shape::UiPath),
    build,
};

fn build(settings: &Settings<'_>, edition: Edition) -> Result<Box<dyn Preset>, ConfigError> {
    // The document is silent on empty criteria; the package's rule holds in both editions.
    let empty = match edition {
        Edition::Documented => EmptyPolicy {
            actual: Worth::Compute,
            ..EmptyPolicy::ALIKE
        },
        Edition::Package => EmptyPolicy::ALIKE,
    };
    let common = Common::new(settings, "tool_calls_count", |value| {
        counts(value).and_then(|counts| check_edition(counts, edition))
    })?;
    Ok(Box::new(ToolCallCount {
        common,
        edition,
        empty,
    }))
}

#[derive(Debug)]
struct ToolCallCount {
    common: Common<Vec<Count<'static>>>,
    edition: Edition,
    empty: EmptyPolicy,
}

fn counts(value: &Value<'_>) -> Result<Vec<Count<'static>>, EvaluationError> {
    let (root, key) = (At::root("expected"), "tool_calls_count");
    let at = root.key(key);
    let criteria = at.object(criteria_member(value, key, "toolCallsCount")?)?;
    let count = |(name, pair): &(Text<'_>, Value<'_>)| {
        let name_shown = name.to_display();
        let at = at.key(&name_shown);
        let [operator, count] = at.list(pair)? else {
            return Err(at.error("a pair of operator and count", Some(pair)));
        };
        let operator = operator
            .as_text()
            .ok_or_else(|| at.index(0).error("an operator", Some(operator)))?;
        let count = lossless_integer(count)
            .ok_or_else(|| at.index(1).error("a whole number", Some(count)))?;
        Ok(Count {
            name: name.clone().into_owned(),
            operator: Operator::parse(&operator.clone().into_owned()),
            count,
        })
    };
    criteria.iter().map(count).collect()
}

/// An integer, or what Pydantic makes one without loss: an integral float within 64 bits, a boolean, or a text of digits.
fn lossless_integer(value: &Value<'_>) -> Option<Integer> {
    match value {
        Value::Bool(it) => Some(i64::from(*it).into()),
        Value::Integer(it) => Some(it.clone()),
        Value::Float(it) => {
            Integer::from_integral(*it).filter(|integer| matches!(integer, Integer::Small(_)))
        }
        Value::String(text) => {
            let text = text.as_str()?.trim();
            let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
            let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
            let digits_and_gaps = |part: &str| {
                part.split('_')
                    .all(|run| !run.is_empty() && run.bytes().all(|byte| byte.is_ascii_digit()))
            };
            if !digits_and_gaps(whole)
                || fraction.is_empty()
                || fraction.bytes().any(|byte| byte != b'0')
            {
                return None;
            }
            let sign = if text.starts_with('-') { "-" } else { "" };
            Integer::parse(&format!("{sign}{}", whole.replace('_', "")))
        }
        _ => None,
    }
}

/// The document calls other operators and negative counts validation errors.
fn check_edition(
    counts: Vec<Count<'_>>,
    edition: Edition,
) -> Result<Vec<Count<'_>>, EvaluationError> {
    if edition == Edition::Documented {
        for count in &counts {
            if !count.operator.is_known() || *count.operator.text() == "!=" {
                let message = format!("`{}` is not one of = == > < >= <=", count.operator);
                return Err(EvaluationError::Raised(message));
            }
            if count.count.is_negative() {
                return Err(EvaluationError::Raised(format!(
                    "a tool cannot be called {} times",
                    count.count
                )));
            }
        }
    }
    Ok(counts)
}

impl ToolCallCount {
    /// The counts that a case states, or how often each name stands in its calls.
    fn counts_of_case<'c>(&self, case: &'c PreparedCase<'c>) -> Result<Vec<Count<'c>>, Outcome> {
        if let Some(counts) = &case.expected.counts {
            return Ok(check_edition(counts.clone(), self.edition)?);
        }
        let Some(calls) = &case.expected.calls else {
            return Err(Outcome::NotApplicable(NotApplicable::NotExpected {
                what: "counts",
            }));
        };
        if calls.is_empty() && self.edition == Edition::Documented {
            return Err(Outcome::NotApplicable(NotApplicable::NothingExpected {
                what: "set of counts",
            }));
        }
        let found = NameCounts::new(&case.of_expected, case.hash_key);
        let equal = Operator::parse(&"=".into());
        let count = |(name, count): (&Text<'c>, usize)| Count {
            name: name.clone(),
            operator: equal.clone(),
            count: count.into(),
        };
        Ok(found.iter().map(count).collect())
    }

    /// How often each tool was called.
    fn tally<'n>(&self, calls: &'n [Item<'_>], key: HashKey) -> NameCounts<'n> {
        match self.edition {
            Edition::Documented => NameCounts::new(calls, key),
            Edition::Package => NameCounts::by_id(calls, key),
        }
    }

    fn render(
        &self,
        counts: &[Count<'_>],
        tally: &NameCounts<'_>,
        lines: &[(Text<'_>, String)],
        writer: &mut JsonWriter,
    ) {
        if self.edition == Edition::Package {
            let found: Vec<_> = tally.iter().collect();
            let actual = dict_text(
                &found,
                |(_, count), out| out.push_str(&count.to_string()),
                |(name, _)| name,
            );
            let expected = dict_text(
                counts,
                |count, out| {
                    out.push_str("(");
                    push_repr_text(count.operator.text(), out);
                    out.push_str(", ");
                    out.push_str(&count.count.to_digits());
                    out.push_str(")");
                },
                |count| &count.name,
            );
            writer
                .key("expected")
                .text(&expected)
                .key("actual")
                .text(&actual);
        }
        writer.key("explained_tool_calls_count").begin_object();
        lines
            .iter()
            .for_each(|(key, line)| _ = writer.key_text(key).str(line));
        writer.end_object();
    }
}

/// Python's text of a dict.
fn dict_text<T>(
    entries: &[T],
    value: impl Fn(&T, &mut TextBuilder),
    key: impl for<'t> Fn(&'t T) -> &'t Text<'t>,
) -> Text<'static> {
    let mut out = TextBuilder::with_room();
    push_list(("{", "}"), entries, &mut out, |entry, out| {
        push_repr_text(key(entry), out);
        out.push_str(": ");
        value(entry, out);
    });
    out.finish()
}

/// A line of the details: the tool, and how often it was called and should have been.
fn line<'c>(check: &CountCheck<'c>) -> (Text<'c>, String) {
    let (found, wanted) = (check.found.to_string(), check.count.count.to_digits());
    let score = if check.held { "1.0" } else { "0.0" };
    (
        check.count.name.reborrow(),
        [
            "Actual: ",
            &found,
            ", Expected: ",
            &wanted,
            ", Score: ",
            score,
        ]
        .concat(),
    )
}

fn explain(checks: &[CountCheck<'_>], calls: &[Item<'_>], edition: Edition) -> Explanation {
    let explained = |check: &CountCheck<'_>| {
        let (name, sanitised) = (check.count.name.as_bytes(), sanitise(&check.count.name));
        let counts = |call: &Item<'_>| {
            let id = call
                .tool_id
                .as_ref()
                .filter(|_| edition == Edition::Package);
            let called = id.map_or_else(|| call.name().to_text(), Text::reborrow);
            called.as_bytes() == name || called.as_bytes() == &*sanitised
        };
        ExplainedCheck {
            label: check.count.name.to_display().into_owned(),
            is_count: true,
            wanted: [
                &*check.count.operator.text().to_display(),
                " ",
                &check.count.count.to_digits(),
            ]
            .concat(),
            found: check.found.to_string(),
            held: Some(check.held),
            actual: calls
                .iter()
                .enumerate()
                .filter(|(_, call)| counts(call))
                .map(|(index, _)| index)
                .collect(),
        }
    };
    let checks = checks.iter().map(explained).collect();
    let tally = Tally {
        actual: calls.len(),
        ..Tally::default()
    };
    Explanation {
        checks,
        tally,
        ..Explanation::default()
    }
}

impl Preset for ToolCallCount {
    fn evaluate(&self, source: &Source<'_>, ask: Ask) -> Result<Evaluation, Outcome> {
        let of_value = |value: &Value<'_>| {
            counts(value).and_then(|counts| check_edition(counts, self.edition))
        };
        let default = self.common.default_criteria.as_ref();
        let criteria: Criteria<'_, Vec<Count<'_>>> =
            criteria(source, default, |case| self.counts_of_case(case), of_value)?;
        let (counts, calls) = (criteria.get(), spans::items(source)?);
        let tally = self.tally(&calls, source.hash_key());
        let explain_checks = |checks: &[CountCheck<'_>]| explain(checks, &calls, self.edition);

        if let Worth::Fixed { score, .. } = self.empty.worth(counts.len(), calls.len()) {
            let (reason, rule) = match (counts.is_empty(), calls.is_empty()) {
                (true, true) => (
                    "Both expected and actual",
                    "no criteria, and nothing was called",
                ),
                (true, false) => (
                    "Either expected or actual",
                    "no criteria, and calls were made",
                ),
                (false, _) => ("Either expected or actual", "nothing was called"),
            };
            let lines = [(
                Text::new("_result"),
                format!("{reason} tool calls are empty"),
            )];
            let render = |writer: &mut JsonWriter| self.render(counts, &tally, &lines, writer);
            let explain = || match check_counts(counts, |_, _| 0, false) {
                Ok(checks) if !checks.is_empty() => explain_checks(&checks),
                _ => explain_empty(&[], &calls),
            };
            return Ok(evaluation(
                Scored::fixed(rule, score),
                None,
                ask,
                LAYOUT,
                render,
                explain,
            ));
        }

        // Names are numbered as they first appear, expected ones first, and so do derived counts stand.
        let is_derived = matches!((&criteria, source), (Criteria::Own(_), Source::Case(case)) if case.expected.counts.is_none());
        let found = |index: usize, name: &Text<'_>| {
            let of_number = if is_derived {
                tally.of_number(index as u32)
            } else {
                None
            };
            let exact = of_number.or_else(|| tally.get(name.as_bytes()));
            let sanitised = || tally.get(&sanitise(name));
            exact
                .or_else(|| {
                    if self.edition == Edition::Package {
                        sanitised()
                    } else {
                        None
                    }
                })
                .unwrap_or(0)
        };
        let checks = match check_counts(counts, found, self.common.strict) {
            Ok(checks) => checks,
            Err(unknown) => {
                let message = crate::value::python::repr(&Value::String(unknown.0));
                return Ok(error_result(&message.to_display(), ask));
            }
        };
        let fold = if self.common.strict {
            Fold::AllOrNothing
        } else {
            Fold::Proportional
        };
        let scored = fold.score("every count holds", checks.iter().map(|check| check.held));
        let render = |writer: &mut JsonWriter| {
            let broken = checks.len().saturating_sub(1);
            // A strict failure shows the line that broke alone.
            let shown = if self.common.strict && scored.score == 0.0 {
                &checks[broken..]
            } else {
                &checks[..]
            };
            let lines: Vec<_> = shown.iter().map(line).collect();
            self.render(counts, &tally, &lines, writer);
        };
        Ok(evaluation(scored, None, ask, LAYOUT, render, || {
            explain_checks(&checks)
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::decode;

    #[test]
    fn counts_are_made_integers_without_loss() {
        for (json, expected) in [
            ("1.0", Some(1)),
            ("true", Some(1)),
            ("\" +1_0.0 \"", Some(10)),
            ("\"-3\"", Some(-3)),
            ("1.5", None),
            ("\"x\"", None),
            ("\"1e0\"", None),
            ("\"1.\"", None),
            ("\"0x1\"", None),
            ("\"\"", None),
            ("\"1__0\"", None),
            ("null", None),
            ("1e300", None),
        ] {
            assert_eq!(
                lossless_integer(&decode(json).unwrap()),
                expected.map(Integer::Small),
                "{json}"
            );
        }
    }
}
