//! Runs golden cases through the public API.
//!
//! A golden line has the input and the result of an original. `package` results are compared
//! completely, `documented` results by the keys of the golden. Scores are compared as f64, other
//! numbers by exact mathematical value. Each line is checked twice: in the original's own format,
//! and as a line of a case file. It passes if both checks pass.

mod case_file;
mod expectation;
mod lint;
mod map;
mod notation;
mod rule;

use std::fs;

use rightcall_core::value::{
    JsonText, RawJson, Syntax, Value, ValueEquality, decode_with, deserialize_present, from_json,
    python_repr, python_str,
};
use rightcall_core::{Ask, Edition, Evaluation, Evaluator, Outcome, similarity};
use rightcall_formats::{ReadOptions, read_case};
use serde::Deserialize;

pub(crate) use case_file::Agreement;
use lint::LintTally;

use crate::say;

/// Checks all lines of the files and prints the counts; true if all pass.
pub(crate) fn run(files: &[String]) -> Result<bool, String> {
    let Tally {
        passed,
        failed,
        as_cases,
        as_decided,
        lint,
    } = check(files)?;
    say(&format!(
        "{as_cases} of them as lines of case files too, {as_decided} there otherwise by a decision"
    ));
    if lint != LintTally::default() {
        lint.print();
    }
    say(&format!("{passed} passed, {failed} failed"));
    Ok(failed == 0)
}

/// The counts. A line that can also be a line of a case file passes if both checks pass.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    /// Lines with the same result as lines of case files.
    pub(crate) as_cases: usize,
    /// Lines with a deliberately different result as lines of case files.
    pub(crate) as_decided: usize,
    /// Lines with corrected expectations.
    pub(crate) lint: LintTally,
}

/// Checks all lines of the files, prints each difference, and counts.
pub(crate) fn check(files: &[String]) -> Result<Tally, String> {
    rightcall_quality::use_tool_definitions();
    let mut tally = Tally::default();
    for file in files {
        let text = fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
        // Split at line feeds only: JSON may contain other line separators.
        let lines = text.split('\n').enumerate();
        for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
            let judged = match lint::check(line, &mut tally.lint) {
                Some(checked) => checked.map(|()| Agreement::NoCase),
                None => judge(line),
            };
            match judged {
                Ok(agreement) => {
                    tally.passed += 1;
                    tally.as_cases += usize::from(agreement == Agreement::Same);
                    tally.as_decided += usize::from(agreement == Agreement::Decided);
                }
                Err(differences) => {
                    tally.failed += 1;
                    differences
                        .iter()
                        .for_each(|it| say(&format!("{file}:{}: {it}", number + 1)));
                }
            }
        }
    }
    Ok(tally)
}

/// Checks a line, in both formats if it is for an evaluator. The error lists the differences of
/// each format.
pub(crate) fn judge(line: &str) -> Result<Agreement, Vec<String>> {
    let read: GoldenLine<'_> =
        from_json(line).map_err(|error| vec![format!("not a golden line: {error}")])?;
    if let (None, Some(RawJson(result))) = (&read.evaluator, read.result) {
        let checked = match (&read.notation, read.rules, read.map) {
            (Some(_), _, _) => notation::check(line, result),
            (None, Some(_), _) => rule::check(line, result),
            (None, None, Some(_)) => map::check(line, result),
            (None, None, None) => expectation::check(line, result),
        };
        let named = |error| vec![format!("{}: {error}", text_of(read.id))];
        return checked.map(|()| Agreement::NoCase).map_err(named);
    }
    let golden = Golden::new(line, read).map_err(|error| vec![error])?;
    let named = |door: &str| {
        let name = format!("{}{door}", golden.id);
        move |difference| format!("{name}: {difference}")
    };
    let as_given = golden.check().map_err(named(""));
    let as_case = case_file::check(&golden).map_err(named(", as a line of a case file"));
    match (as_given, as_case) {
        (Ok(()), Ok(agreement)) => Ok(agreement),
        (as_given, as_case) => Err(as_given.err().into_iter().chain(as_case.err()).collect()),
    }
}

/// The system of evaluators that have no original.
const OURS: &str = "rightcall";

/// Decodes a value as Python does.
fn decode(json: &str) -> Result<Value<'_>, String> {
    decode_with(json, Syntax::PYTHON).map_err(|error| error.to_string())
}

/// Decodes a JSON string; empty for any other value.
fn text_of(RawJson(json): RawJson<'_>) -> String {
    let value = decode_with(json, Syntax::PYTHON).ok();
    let text = value.as_ref().and_then(Value::as_text);
    text.map(ToString::to_string).unwrap_or_default()
}

/// A line of a golden file.
#[derive(Deserialize)]
struct GoldenLine<'a> {
    #[serde(borrow)]
    id: RawJson<'a>,
    #[serde(default)]
    system: String,
    /// `None` for lines without an evaluator: an expectation in blocks (the result is its resolution), a text in a notation, rules, or a
    /// log with a map.
    evaluator: Option<String>,
    // Null must differ from absent: it is neither a valid setting nor an edition.
    #[serde(default, deserialize_with = "deserialize_present")]
    edition: Option<String>,
    #[serde(default, deserialize_with = "deserialize_present")]
    config: Option<RawJson<'a>>,
    expected: Option<RawJson<'a>>,
    actual: Option<RawJson<'a>>,
    #[serde(default, deserialize_with = "deserialize_present")]
    result: Option<RawJson<'a>>,
    not_applicable: Option<String>,
    /// The label of a text with calls in a notation; the result is the parsed calls.
    notation: Option<String>,
    /// The rules for a run. They are checked on the whole run and call by call.
    rules: Option<RawJson<'a>>,
    /// The map of a log; the result is the runs that it reads.
    map: Option<RawJson<'a>>,
}

struct Golden<'a> {
    id: String,
    evaluator: String,
    edition: Edition,
    config: &'a str,
    expected: &'a str,
    actual: &'a str,
    /// The whole line, which is a canonical case, for our own evaluators.
    case: Option<&'a str>,
    /// `None` if the original raises an exception.
    result: Option<Value<'a>>,
    /// The reason, if one of our own evaluators is not applicable.
    not_applicable: Option<String>,
}

impl<'a> Golden<'a> {
    fn new(line: &'a str, read: GoldenLine<'a>) -> Result<Self, String> {
        let edition = match &read.edition {
            None => Edition::Package,
            Some(name) => Edition::parse(name).ok_or("not a golden line: no such edition")?,
        };
        let evaluator = read.evaluator.unwrap_or_default();
        let is_ours = read.system == OURS;
        let raw = |json: Option<RawJson<'a>>, none| json.map_or(none, |RawJson(json)| json);
        let result = read.result.map(|json| decode(json.0)).transpose()?;
        Ok(Self {
            id: text_of(read.id),
            evaluator: if is_ours {
                evaluator
            } else {
                format!("{}/{evaluator}", read.system)
            },
            case: is_ours.then_some(line),
            edition,
            config: raw(read.config, "{}"),
            expected: raw(read.expected, "null"),
            actual: raw(read.actual, "null"),
            result,
            not_applicable: read.not_applicable,
        })
    }

    fn check(&self) -> Result<(), String> {
        match self.evaluator.as_str() {
            "python/difflib-ratio" => return self.check_difflib(),
            "python/repr" => return self.check_repr(),
            _ => {}
        }
        let evaluation = self.evaluate(self.edition);
        if let Some(wanted) = &self.not_applicable {
            return match evaluation?.outcome {
                Outcome::NotApplicable(reason) if reason.to_string() == *wanted => Ok(()),
                other => Err(format!("expected not applicable, found {other:?}")),
            };
        }
        let Some(golden) = &self.result else {
            return match evaluation {
                Err(_) => Ok(()),
                Ok(evaluation) if evaluation.result.is_none() && is_failed(&evaluation) => Ok(()),
                Ok(evaluation) => Err(format!(
                    "expected an error, found {}",
                    describe(&evaluation)
                )),
            };
        };
        let evaluation = evaluation?;
        let Some(result) = &evaluation.result else {
            return Err(format!(
                "expected a result, found {}",
                describe(&evaluation)
            ));
        };
        compare("", golden, &result.to_value(), self.edition)?;
        self.check_documented("doc_explanation", "explanation")?;
        self.check_documented("readme_summary", "summary")
    }

    fn evaluate(&self, edition: Edition) -> Result<Evaluation, String> {
        if let Some(line) = self.case {
            let evaluator = Evaluator::new(&self.evaluator, self.config, None)
                .map_err(|error| error.to_string())?;
            let case = read_case(line, &ReadOptions::default())
                .map_err(|error| format!("{}: expected {}", error.pointer, error.expected))?;
            return Ok(evaluator.evaluate(&case, Ask::ALL));
        }
        let evaluator = Evaluator::from_config(&self.evaluator, self.config, edition)
            .map_err(|error| error.to_string())?;
        Ok(evaluator.evaluate_native(self.expected, self.actual, Ask::ALL))
    }

    /// Checks an extra key of the corpus: the result of the documented edition for the same case.
    fn check_documented(&self, own: &str, key: &str) -> Result<(), String> {
        let Some(wanted) = self.member(own) else {
            return Ok(());
        };
        let evaluation = self.evaluate(Edition::Documented)?;
        let result = evaluation.result.as_ref().map(JsonText::to_value);
        let result = result.as_ref().and_then(Value::as_object);
        let found = result.and_then(|it| it.get_str(key));
        compare(
            own,
            wanted,
            found.unwrap_or(&Value::Null),
            Edition::Documented,
        )
    }

    fn check_difflib(&self) -> Result<(), String> {
        let (a, b) = (decode(self.actual)?, decode(self.expected)?);
        let (Some(a), Some(b)) = (a.as_text(), b.as_text()) else {
            return Err("not a golden line: two texts are wanted".to_owned());
        };
        let score = self.member("score").and_then(Value::as_f64);
        let ratio = similarity::ratio(a, b);
        if score.map(f64::to_bits) != Some(ratio.to_bits()) {
            return Err(format!("ratio: expected {score:?}, found {ratio}"));
        }
        let Some(wanted) = self.member("blocks") else {
            return Ok(());
        };
        let blocks = JsonText::from_type(&similarity::matching_blocks(a, b));
        compare("/blocks", wanted, &blocks.to_value(), Edition::Package)
    }

    fn check_repr(&self) -> Result<(), String> {
        let value = decode(self.actual)?;
        if self.result.is_none() {
            return Err("not a golden line: no result".to_owned());
        }
        for (key, found) in [("repr", python_repr(&value)), ("str", python_str(&value))] {
            let wanted = self.member(key).and_then(Value::as_text);
            if wanted.is_some_and(|wanted| *wanted != found) {
                return Err(format!("{key}: expected {wanted:?}, found {found:?}"));
            }
        }
        Ok(())
    }

    /// A member of the result.
    fn member(&self, key: &str) -> Option<&Value<'a>> {
        self.result.as_ref()?.as_object()?.get_str(key)
    }
}

fn is_failed(evaluation: &Evaluation) -> bool {
    matches!(evaluation.outcome, Outcome::Failed(_))
}

fn describe(evaluation: &Evaluation) -> String {
    match &evaluation.result {
        Some(result) => result.to_string(),
        None => format!("{:?}", evaluation.outcome),
    }
}

/// Extra keys that only the corpus has.
const CORPUS_KEYS: [&str; 2] = ["doc_explanation", "readme_summary"];

/// Reports the first difference between a result and the golden.
fn compare(
    pointer: &str,
    golden: &Value<'_>,
    found: &Value<'_>,
    edition: Edition,
) -> Result<(), String> {
    if let (Value::Object(golden), Value::Object(found)) = (golden, found) {
        for (key, wanted) in golden
            .iter()
            .filter(|(key, _)| !(pointer.is_empty() && CORPUS_KEYS.iter().any(|own| *key == *own)))
        {
            let at = format!("{pointer}/{key}");
            let value = found
                .get(key)
                .ok_or_else(|| format!("{at}: expected {wanted:?}, found nothing"))?;
            if at == "/score" {
                same_score(wanted, value)?;
            } else {
                compare(&at, wanted, value, edition)?;
            }
        }
        let unasked = found.iter().find(|(key, _)| golden.get(key).is_none());
        return match unasked.filter(|_| edition == Edition::Package) {
            Some((key, value)) => Err(format!(
                "{pointer}/{key}: expected nothing, found {value:?}"
            )),
            None => Ok(()),
        };
    }
    if let (Value::List(golden), Value::List(found), Edition::Documented) = (golden, found, edition)
    {
        if golden.len() != found.len() {
            return Err(format!(
                "{pointer}: expected {} items, found {}",
                golden.len(),
                found.len()
            ));
        }
        let mut items = golden.iter().zip(found).enumerate();
        return items.try_for_each(|(index, (golden, found))| {
            compare(&format!("{pointer}/{index}"), golden, found, edition)
        });
    }
    if ValueEquality::Json.equal(golden, found) {
        Ok(())
    } else {
        Err(format!("{pointer}: expected {golden:?}, found {found:?}"))
    }
}

fn same_score(wanted: &Value<'_>, found: &Value<'_>) -> Result<(), String> {
    let same = match (wanted.as_f64(), found.as_f64()) {
        (Some(wanted), Some(found)) => wanted == found,
        (None, None) => ValueEquality::Json.equal(wanted, found),
        _ => false,
    };
    if same {
        Ok(())
    } else {
        Err(format!("/score: expected {wanted:?}, found {found:?}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Combines the expectation of one golden with the calls of another. No original has judged the
    /// pair, but both formats must give the same result.
    #[test]
    fn both_formats_agree_on_mixed_pairs() {
        let (mut same, mut decided) = (0, 0);
        for file in crate::test::golden_files().unwrap() {
            let text = fs::read_to_string(&file).unwrap();
            let lines = text.split('\n').filter(|line| !line.trim().is_empty());
            let lines = lines.map(|line| (line, from_json::<GoldenLine<'_>>(line).unwrap()));
            let lines = lines.filter(|(_, read)| read.evaluator.is_some());
            let goldens: Vec<_> = lines
                .map(|(line, read)| Golden::new(line, read).unwrap())
                .collect();
            for (index, golden) in goldens.iter().enumerate() {
                let Ok(evaluator) =
                    Evaluator::from_config(&golden.evaluator, golden.config, golden.edition)
                else {
                    continue;
                };
                for step in [1, 7, 61] {
                    let other = &goldens[(index + step) % goldens.len()];
                    if other.evaluator != golden.evaluator || golden.case.is_some() {
                        continue;
                    }
                    let evaluation =
                        evaluator.evaluate_native(golden.expected, other.actual, Ask::ALL);
                    let result = evaluation
                        .result
                        .as_ref()
                        .map(|result| result.to_value().into_owned());
                    let pair = Golden {
                        id: format!("{} with {}", golden.id, other.id),
                        evaluator: golden.evaluator.clone(),
                        actual: other.actual,
                        case: None,
                        result,
                        not_applicable: None,
                        ..*golden
                    };
                    match case_file::check(&pair) {
                        Ok(Agreement::NoCase) => {}
                        Ok(Agreement::Same) => same += 1,
                        Ok(Agreement::Decided) => decided += 1,
                        Err(difference) => panic!(
                            "{file}: {}: {difference}\n{}\n{}",
                            pair.id, pair.expected, pair.actual
                        ),
                    }
                }
            }
        }
        assert!(same > 15_000 && decided < same / 50, "{same} {decided}");
    }
}
