//! `uipath/tool-call-count`: whether each tool was called the expected number of times.

use std::borrow::Cow;

use super::{
    BOTH, Criteria, DEFAULT_CRITERIA, DESCRIPTION, NAME, STRICT, criteria_under, error_result,
    spans,
};
use crate::call::{Count, Operator};
use crate::constraint::{CountCheck, NameCounts, VerdictScore, check_counts};
use crate::evaluation::{Ask, Evaluation};
use crate::explanation::{ExplainedCheck, Explanation};
use crate::matching::sanitise;
use crate::presets::prelude::*;
use crate::recipe::{Source, evaluation, explain_empty, not_expected, nothing_expected};
use crate::scoring::Scored;
use crate::tally::Tally;
use crate::value::python::{push_list, push_repr_text, repr};
use crate::value::{Integer, TextBuilder};

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
        departures: &[departures::ERROR_RESULT, departures::UNKNOWN_SETTINGS, departures::REPEATED_KEYS, departures::NESTING, departures::DIGITS],
        source: "UiPath, *Tool Call Count Evaluator*; package `uipath` 2.14.44.",
        related: &["uipath/tool-call-order", "uipath/tool-call-args", "uipath/tool-call-output"],
        example: Example {
            settings: "{}",
            expected: r#"{"counts":{"fetch":["=",1],"process":["=",5]}}"#,
            actual: r#"[{"name":"fetch"},{"name":"process"},{"name":"process"}]"#,
            result: r#"{"score":0.5,"score_type":1,"details":{"explained_tool_calls_count":{"fetch":"Actual: 1, Expected: 1, Score: 1.0","process":"Actual: 2, Expected: 5, Score: 0.0"}}}"#,
        },
    },
    settings: &[NAME, DESCRIPTION, STRICT.setting, DEFAULT_CRITERIA],
    editions: BOTH,
    needs: "expected counts (or calls); names of the actual calls",
    shape: Some(Shape::UiPath),
    build,
};

fn build(settings: &Settings<'_>, edition: Edition) -> Made {
    // The document doesn't mention empty criteria; the package's rule is used in both editions.
    let (empty, read): (_, fn(&Value<'_>) -> _) = match edition {
        Edition::Documented => {
            let empty = EmptyPolicy {
                actual: Worth::Compute,
                ..EmptyPolicy::ALIKE
            };
            (empty, |value| documented(counts(value)?))
        }
        Edition::Package => (EmptyPolicy::ALIKE, counts),
    };
    let criteria = Criteria::new(settings, "tool_calls_count", read)?;
    let strict = STRICT.read(settings)?;
    Ok(Box::new(ToolCallCount {
        criteria,
        strict,
        edition,
        empty,
    }))
}

#[derive(Debug)]
struct ToolCallCount {
    criteria: Criteria<Count<'static>>,
    strict: bool,
    edition: Edition,
    empty: EmptyPolicy,
}

fn counts(value: &Value<'_>) -> Result<Vec<Count<'static>>, EvaluationError> {
    let (root, key) = (At::root("expected"), "tool_calls_count");
    let at = root.key(key);
    let criteria = at.object(criteria_under(value, key, "toolCallsCount")?)?;
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

/// An integer, or a value that Pydantic converts to one without loss: an integral float within 64 bits, a boolean, or a string of digits.
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

/// In the document, other operators and negative counts are validation errors.
fn documented(counts: Vec<Count<'_>>) -> Result<Vec<Count<'_>>, EvaluationError> {
    for count in &counts {
        if !count.operator.is_known() || *count.operator.text() == "!=" {
            let message = format!("`{}` is not one of = == > < >= <=", count.operator);
            return Err(EvaluationError::Raised(message));
        }
        if count.count.is_negative() {
            let message = format!("a tool cannot be called {} times", count.count);
            return Err(EvaluationError::Raised(message));
        }
    }
    Ok(counts)
}

/// The counts to check, and the calls found.
struct Counted<'j, 'c> {
    counts: &'j [Count<'c>],
    calls: &'j [Item<'c>],
    tally: NameCounts<'j>,
}

impl ToolCallCount {
    /// The counts in a case, or the number of each name among its calls.
    fn counts_of_case<'c>(
        &self,
        prepared: &'c PreparedCase<'c>,
    ) -> Result<Vec<Count<'c>>, Outcome> {
        if let Some(counts) = &prepared.case().expected.counts {
            return Ok(match self.edition {
                Edition::Documented => documented(counts.clone())?,
                Edition::Package => counts.clone(),
            });
        }
        let calls = prepared.case().expected.calls.as_ref();
        if calls.ok_or_else(|| not_expected("counts"))?.is_empty()
            && self.edition == Edition::Documented
        {
            return Err(nothing_expected("set of counts"));
        }
        let found = NameCounts::new(&prepared.of_expected, prepared.case().hash_key);
        let equal = Operator::parse(&"=".into());
        let count = |(name, count): (&Text<'c>, usize)| Count {
            name: name.clone(),
            operator: equal.clone(),
            count: count.into(),
        };
        Ok(found.iter().map(count).collect())
    }

    fn write(
        &self,
        counted: &Counted<'_, '_>,
        lines: impl FnOnce(&mut JsonWriter),
        writer: &mut JsonWriter,
    ) {
        if self.edition == Edition::Package {
            let wanted = counted.counts.iter().map(|it| (&it.name, it));
            let expected = dict_text(wanted, |count, out| {
                out.push_str("(");
                push_repr_text(count.operator.text(), out);
                out.push_str(", ");
                out.push_integer(&count.count);
                out.push_str(")");
            });
            let actual = dict_text(counted.tally.iter(), |count, out| {
                out.push_integer(&count.into());
            });
            writer.key("expected").text(&expected);
            writer.key("actual").text(&actual);
        }
        writer.key("explained_tool_calls_count").begin_object();
        lines(writer);
        writer.end_object();
    }

    /// The evaluation of a case with an empty side, which decides the score.
    fn decided(&self, counted: &Counted<'_, '_>, score: f64, ask: Ask) -> Evaluation {
        let (reason, rule) = match (counted.counts.is_empty(), counted.calls.is_empty()) {
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
        let line = format!("{reason} tool calls are empty");
        let line = |writer: &mut JsonWriter| _ = writer.key("_result").str(&line);
        let write = |writer: &mut JsonWriter| self.write(counted, line, writer);
        let explain = || {
            let explanation = match check_counts(counted.counts, |_| 0, false) {
                Ok(checks) if !checks.is_empty() => explain(&checks, counted.calls, self.edition),
                _ => explain_empty(0, counted.calls.len()),
            };
            Scored::fixed(rule, score).explain(explanation)
        };
        evaluation(score, None, ask, Layout::UiPath, write, explain)
    }

    /// The evaluation of counts.
    fn checked(&self, counted: &Counted<'_, '_>, ask: Ask) -> Result<Evaluation, Outcome> {
        let tally = &counted.tally;
        let found = |name: &Text<'_>| {
            let exact = tally.get(name.as_bytes());
            let sanitised = || match self.edition {
                Edition::Documented => None,
                Edition::Package => tally.get(&sanitise(name)),
            };
            exact.or_else(sanitised).unwrap_or(0)
        };
        let checks = check_counts(counted.counts, found, self.strict)
            .map_err(|unknown| error_result(&repr(&Value::String(unknown.0)).to_display()))?;
        let fold = if self.strict {
            VerdictScore::AllOrNothing
        } else {
            VerdictScore::Proportional
        };
        let scored = fold.score("every count holds", checks.iter().map(|check| check.held));
        let write = |writer: &mut JsonWriter| {
            // If a strict check fails, only its broken line is shown.
            let from = if self.strict && scored.score == 0.0 {
                checks.len().saturating_sub(1)
            } else {
                0
            };
            let lines = |writer: &mut JsonWriter| write_lines(&checks[from..], writer);
            self.write(counted, lines, writer);
        };
        let explain = || scored.explain(explain(&checks, counted.calls, self.edition));
        let score = scored.score;
        Ok(evaluation(score, None, ask, Layout::UiPath, write, explain))
    }
}

/// The text of a Python dict.
fn dict_text<'t, 'n: 't, T>(
    entries: impl Iterator<Item = (&'t Text<'n>, T)>,
    push_value: impl Fn(T, &mut TextBuilder),
) -> Text<'static> {
    let mut out = TextBuilder::with_room();
    push_list(("{", "}"), entries, &mut out, |(key, value), out| {
        push_repr_text(key, out);
        out.push_str(": ");
        push_value(value, out);
    });
    out.finish()
}

/// Writes the lines of the details: each tool with its actual and expected number of calls.
fn write_lines(checks: &[CountCheck<'_>], writer: &mut JsonWriter) {
    let mut line = TextBuilder::with_room();
    for CountCheck { count, found, held } in checks {
        line.clear();
        line.push_str("Actual: ");
        line.push_integer(&(*found).into());
        line.push_str(", Expected: ");
        line.push_integer(&count.count);
        line.push_str(", Score: ");
        line.push_str(if *held { "1.0" } else { "0.0" });
        writer.key_text(&count.name).text(&line.as_text());
    }
}

fn explain<'c>(checks: &[CountCheck<'_>], calls: &'c [Item<'_>], edition: Edition) -> Explanation {
    let called = |call: &'c Item<'_>| match &call.more().tool_id {
        Some(id) if edition == Edition::Package => id.reborrow(),
        _ => call.name().to_text(),
    };
    let called: Vec<_> = calls.iter().map(called).collect();
    let mut wanted = TextBuilder::with_room();
    let explained = |check: &CountCheck<'_>| {
        wanted.clear();
        wanted.push_text(check.count.operator.text());
        wanted.push_str(" ");
        wanted.push_integer(&check.count.count);
        let sanitised = sanitise(&check.count.name);
        let names = [check.count.name.as_bytes(), &sanitised];
        ExplainedCheck {
            label: check.count.name.to_display().into_owned(),
            is_count: true,
            wanted: wanted.as_text().to_display().into_owned(),
            found: check.found.to_string(),
            held: Some(check.held),
            actual: (0..calls.len())
                .filter(|&index| names.contains(&called[index].as_bytes()))
                .collect(),
            ..ExplainedCheck::default()
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
        let list = ExpectedList::Calls;
        let ((counts, _), calls) = match source {
            Source::Case(case) => {
                let case_criteria = self.counts_of_case(case).map(Cow::Owned);
                let criteria = self
                    .criteria
                    .for_case((case_criteria, list), Cow::Borrowed)?;
                (criteria, spans::items(case)?)
            }
            Source::Native {
                expected, actual, ..
            } => {
                let case_criteria = (*expected, list);
                let criteria =
                    self.criteria
                        .for_native(case_criteria, Cow::Owned, Cow::Borrowed)?;
                (criteria, spans::items_of_native(actual)?)
            }
        };
        let key = source.hash_key();
        let counted = Counted {
            counts: &counts,
            calls: calls.as_slice(),
            tally: match self.edition {
                Edition::Documented => NameCounts::new(calls.as_slice(), key),
                Edition::Package => NameCounts::by_id(calls.as_slice(), key),
            },
        };
        if let Worth::Fixed(score) = self.empty.worth(counts.len(), calls.len()) {
            return Ok(self.decided(&counted, score, ask));
        }
        self.checked(&counted, ask)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::decode;

    #[test]
    fn counts_are_converted_to_integers_without_loss() {
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
