//! Writes and reads results as JSON Lines, one object per case and evaluator.

use rightcall_core::call::Case;
use rightcall_core::expectation::ResolutionPart;
use rightcall_core::value::{
    DocumentError, JsonText, JsonWriter, RawJson, Syntax, Text, Value, decode_with,
    deserialize_present, from_json, on_one_line,
};
use rightcall_core::{Explanation, NotApplicable, Outcome};
use serde::de::{self, Error as _};
use serde::{Deserialize, Deserializer, Serialize};

use crate::case_result::resolution_json;
use crate::{CaseResult, EvaluationResult, EvaluatorHead, RunHead};

/// Writes the lines of cases.
#[derive(Clone, Debug)]
pub struct LineWriter {
    /// The members that identify each evaluator.
    evaluators: Vec<String>,
    has_whole_cases: bool,
    contents: LineContents,
}

/// The content of lines in addition to scores and verdicts.
#[derive(Clone, Copy, Debug, Default)]
pub struct LineContents {
    /// Details of the original metric, and data to select, group and identify cases: tags and short meta values.
    pub details: bool,
    /// The alignment, the reason for a low score, and all parts of the case except its calls.
    pub explained: bool,
}

impl LineWriter {
    /// Writes the lines of a run.
    pub fn new(head: &RunHead, contents: LineContents) -> Self {
        Self {
            evaluators: head.evaluators.iter().map(EvaluatorHead::members).collect(),
            has_whole_cases: head.has_whole_cases,
            contents,
        }
    }

    /// Adds the lines of a case.
    pub fn write(&self, out: &mut Vec<u8>, case: &Case<'_>, result: &CaseResult) {
        let label = Text::new(&result.label);
        let mut head = Vec::with_capacity(64);
        push(&mut head, [r#"{"case":"#]);
        JsonWriter::write_on(&mut head, |writer| {
            writer.text(case.id.as_ref().unwrap_or(&label));
        });
        let context = context_of(case, self.contents);
        let expectation = expectation_of(case, self.contents);
        let causes = causes_of(result, self.contents);
        let mut write = |members: &str, evaluation: &EvaluationResult, context: &str| {
            out.extend_from_slice(&head);
            push(out, [members]);
            if let Some(trial) = &result.trial {
                push(out, [r#","trial":"#, trial]);
            }
            push_result(out, evaluation, self.contents);
            if evaluation.falls_short() {
                push(out, [&causes]);
            }
            push(out, [&expectation, context, "}\n"]);
        };
        for (members, evaluation) in self.evaluators.iter().zip(&result.evaluations) {
            write(members, evaluation, &context);
        }
        if self.has_whole_cases {
            write("", &result.whole, "");
        }
    }
}

/// The resolution of an expectation with several accepted runs, as a member for the end of an
/// object; empty for a list of calls.
fn expectation_of(case: &Case<'_>, contents: LineContents) -> String {
    let part = if contents.explained {
        ResolutionPart::Whole
    } else if contents.details {
        ResolutionPart::Choices
    } else {
        ResolutionPart::Cost
    };
    let json = resolution_json(case, part);
    json.map_or_else(String::new, |json| format!(",\"expectation\":{json}"))
}

/// The causes of the failure, in the words of `--cause`, as a member for the end of an object;
/// empty without causes.
fn causes_of(result: &CaseResult, contents: LineContents) -> String {
    let mut causes = result.counted_causes().map(ToString::to_string).peekable();
    if !contents.explained || causes.peek().is_none() {
        return String::new();
    }
    let list: Vec<_> = causes.collect();
    format!(",\"causes\":{}", on_one_line(JsonText::from_type(&list)))
}

/// Maximum length of a short meta value; longer ones rarely select or group cases.
const MAX_LABEL: usize = 200;

/// The parts of a case other than its calls, as members for the end of an object: all of them, or tags and short meta values.
fn context_of(case: &Case<'_>, contents: LineContents) -> String {
    let LineContents { details, explained } = contents;
    if !details && !explained {
        return String::new();
    }
    let is_label = |json: &str| json.len() <= MAX_LABEL && !json.starts_with(['{', '[']);
    let mut writer = JsonWriter::new();
    writer.begin_object();
    if explained {
        writer.optional("input", case.input.map(RawJson));
        writer.optional("output", case.output.map(RawJson));
        writer.optional("description", case.description.as_ref());
    }
    case.write_tags(&mut writer);
    let meta = case.meta.iter();
    let mut meta = meta
        .filter(|(_, json)| explained || is_label(json))
        .peekable();
    if meta.peek().is_some() {
        writer.key("meta").begin_object();
        for (key, json) in meta {
            writer.key_text(key).raw(json);
        }
        writer.end_object();
    }
    writer.end_object();
    members_of(writer.finish())
}

/// The members of an object, for the end of another object.
fn members_of(object: JsonText) -> String {
    let members = on_one_line(object);
    match &members[1..members.len() - 1] {
        "" => String::new(),
        members => format!(",{members}"),
    }
}

/// Writes the members of the result.
fn push_result(out: &mut Vec<u8>, result: &EvaluationResult, contents: LineContents) {
    match (&result.outcome, result.outcome.reason()) {
        (Outcome::Scored(score), _) => match score.get() {
            // Shortcut for the most common scores.
            1.0 => push(out, [r#","score":1.0"#]),
            score => {
                let mut buffer = zmij::Buffer::new();
                push(out, [r#","score":"#, buffer.format_finite(score)]);
            }
        },
        (outcome, reason) => {
            let reason = JsonText::from_type(&reason.unwrap_or_default());
            let members = [
                r#","outcome":""#,
                outcome.name(),
                r#"","reason":"#,
                reason.as_str(),
            ];
            push(out, members);
        }
    }
    if let Some(passed) = result.passed {
        let passed = if passed { "true" } else { "false" };
        push(out, [r#","passed":"#, passed]);
    }
    if let (Some(details), true) = (&result.details, contents.details) {
        push(out, [r#","details":"#]);
        JsonWriter::write_on(out, |writer| _ = writer.raw(details.as_str()));
    }
    if contents.explained && !result.why.is_empty() {
        push(
            out,
            [r#","why":"#, JsonText::from_type(&result.why).as_str()],
        );
    }
    if let (Some(explanation), true) = (&result.explanation, contents.explained) {
        push(out, [r#","alignment":"#]);
        JsonWriter::write_on(out, |writer| _ = writer.serialize(explanation));
    }
}

/// An evaluator's result on a case as a separate object, with these members first.
#[expect(clippy::missing_panics_doc, reason = "only UTF-8 is written")]
pub fn result_json(members: &str, result: &EvaluationResult) -> String {
    let contents = LineContents {
        details: true,
        explained: true,
    };
    let mut out = Vec::from(*b"{");
    push(&mut out, [members.trim_start_matches(',')]);
    push_result(&mut out, result, contents);
    out.push(b'}');
    String::from_utf8(out).expect("only UTF-8 is written")
}

fn push<const N: usize>(out: &mut Vec<u8>, parts: [&str; N]) {
    parts
        .into_iter()
        .for_each(|part| out.extend_from_slice(part.as_bytes()));
}

/// The result of an evaluator, or of the case as a whole, from one line.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ResultLine<'t> {
    /// Its line in the file.
    #[serde(skip)]
    pub number: u64,
    case: Option<String>,
    /// Its trial.
    #[serde(borrow, deserialize_with = "deserialize_present")]
    pub trial: Option<RawJson<'t>>,
    /// The id of the evaluator; `None` for the case as a whole.
    pub evaluator: Option<String>,
    /// The user's name for it.
    pub name: Option<String>,
    /// The score, if the line has the member.
    #[serde(deserialize_with = "deserialize_present")]
    score: Option<LineScore>,
    passed: Option<bool>,
    outcome: Option<OutcomeName>,
    reason: String,
    #[serde(deserialize_with = "deserialize_present")]
    details: Option<RawJson<'t>>,
    why: String,
    alignment: Option<RawJson<'t>>,
    #[serde(deserialize_with = "deserialize_present")]
    input: Option<RawJson<'t>>,
    #[serde(deserialize_with = "deserialize_present")]
    output: Option<RawJson<'t>>,
    #[serde(deserialize_with = "deserialize_present")]
    description: Option<RawJson<'t>>,
    #[serde(deserialize_with = "deserialize_present")]
    tags: Option<RawJson<'t>>,
    /// The other keys of the case.
    #[serde(deserialize_with = "deserialize_present")]
    pub meta: Option<RawJson<'t>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum OutcomeName {
    Scored,
    NotApplicable,
    Error,
}

impl<'t> ResultLine<'t> {
    /// Parses a result that begins at this line of a file; the text must hold nothing else.
    ///
    /// # Errors
    /// The first place that is not valid JSON, or has the wrong type.
    pub fn read(text: &'t str, number: u64) -> Result<Self, DocumentError> {
        let none =
            "expected a result such as {\"case\":\"a\",\"evaluator\":\"trajectory\",\"score\":1.0}";
        let is_object = text.trim_start().starts_with('{');
        let line: Option<Self> = is_object.then(|| from_json(text)).transpose()?;
        let is_result_line = |line: &Self| {
            let is_result = line.score.is_some() || line.passed.is_some() || line.outcome.is_some();
            line.case.is_some() && is_result
        };
        let line = line.filter(is_result_line);
        let line = line.ok_or_else(|| DocumentError::custom(none))?;
        Ok(Self { number, ..line })
    }

    /// The name of the case.
    pub fn label(&self) -> &str {
        self.case.as_deref().unwrap_or_default()
    }

    /// The labels of the case.
    pub fn tags(&self) -> Vec<String> {
        let tags = self.tags.and_then(|json| from_json(json.0).ok());
        tags.unwrap_or_default()
    }

    /// The parts of the case other than its calls: keys, each with its JSON text.
    pub fn beside(&self) -> impl Iterator<Item = (&'static str, &'t str)> {
        let members = [
            ("input", self.input),
            ("output", self.output),
            ("description", self.description),
            ("tags", self.tags),
            ("meta", self.meta),
        ];
        members
            .into_iter()
            .filter_map(|(key, json)| Some((key, json?.0)))
    }

    /// The result; with the details of the original metric and the alignment if `explained`.
    pub fn result(&self, explained: bool) -> EvaluationResult {
        let score = self.score.and_then(|score| score.0);
        let name = match (self.outcome, score) {
            (Some(OutcomeName::Error), _) => "error",
            (_, Some(_)) => "scored",
            (_, None) => "not_applicable",
        };
        let none = || Outcome::NotApplicable(NotApplicable::Reason(self.reason.clone()));
        let outcome = Outcome::from_parts(name, score, self.reason.clone());
        let explanation = self.alignment.filter(|_| explained);
        let details = self.details.filter(|_| explained);
        EvaluationResult {
            details: details.map(|json| JsonText::from_type(&json)),
            explanation: explanation
                .and_then(|json| Explanation::from_json(json.0).ok())
                .map(Box::new),
            why: self.why.clone(),
            ..EvaluationResult::new(outcome.unwrap_or_else(none), self.passed)
        }
    }
}

/// A score in a file. `null` is `None`; a number that is not finite is an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct LineScore(pub Option<f64>);

impl LineScore {
    /// True for `None`.
    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }
}

impl<'t> Deserialize<'t> for LineScore {
    fn deserialize<D: Deserializer<'t>>(deserializer: D) -> Result<Self, D::Error> {
        let RawJson(json) = RawJson::deserialize(deserializer)?;
        let found = match decode_with(json, Syntax::PYTHON) {
            Ok(Value::Null) => return Ok(Self(None)),
            Ok(value @ (Value::Integer(_) | Value::Float(_))) => match value.as_f64() {
                Some(score) if score.is_finite() => return Ok(Self(Some(score))),
                other => other.unwrap_or(f64::NAN).to_string(),
            },
            _ => cut(json),
        };
        let message = format_args!("expected a number as score, found {found}");
        Err(de::Error::custom(message))
    }
}

/// The beginning of a JSON text, on one line.
fn cut(json: &str) -> String {
    const SHOWN: usize = 40;
    let line: String = json
        .chars()
        .map(|it| if it.is_control() { ' ' } else { it })
        .take(SHOWN)
        .collect();
    if json.chars().count() > SHOWN {
        format!("{line}…")
    } else {
        line
    }
}
