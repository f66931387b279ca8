//! Results as JSON, an object for each case and evaluator: written on a line each, and read again.

use rightcall::call::Case;
use rightcall::expectation::ResolutionPart;
use rightcall::value::{
    JsonText, JsonWriter, Kind, Reader, Syntax, SyntaxError, Text, Value, decode_with,
};
use rightcall::{Explanation, NotApplicable, Outcome};

use crate::{CaseResult, EvaluationResult, EvaluatorHead, RunHead, on_one_line};

/// Writes the lines of cases.
#[derive(Clone, Debug)]
pub struct LineWriter {
    /// The members that name each evaluator.
    evaluators: Vec<String>,
    has_whole_cases: bool,
    contents: LineContents,
}

/// What lines say beside scores and verdicts.
#[derive(Clone, Copy, Debug, Default)]
pub struct LineContents {
    /// The original's details, and what cases are chosen, grouped and told apart by: tags and short meta values.
    pub details: bool,
    /// The alignment, and all that the case says beside its calls.
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
        let label = json_of(case.id.as_ref().unwrap_or(&label));
        let context = match self.contents {
            LineContents {
                explained: true, ..
            } => context_of(case),
            LineContents { details: true, .. } => labels_of(case),
            LineContents { .. } => String::new(),
        };
        let expectation = expectation_of(case, self.contents);
        let mut write = |members: &str, evaluation: &EvaluationResult, context: &str| {
            push(out, [r#"{"case":"#, label.as_str(), members]);
            if let Some(trial) = &result.trial {
                push(out, [r#","trial":"#, trial]);
            }
            push_result(out, evaluation, self.contents);
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

fn json_of(text: &Text<'_>) -> JsonText {
    let mut writer = JsonWriter::new();
    writer.text(text);
    writer.finish()
}

/// What an expectation with several right ways was resolved to, as a member that follows others; empty for a list of calls.
fn expectation_of(case: &Case<'_>, contents: LineContents) -> String {
    match case.expected.resolution {
        Some(Ok(resolution)) => {
            let part = if contents.explained {
                ResolutionPart::Whole
            } else if contents.details {
                ResolutionPart::Choices
            } else {
                ResolutionPart::Cost
            };
            let json = resolution.to_json(part);
            format!(",\"expectation\":{}", on_one_line(json.into_string()))
        }
        _ => String::new(),
    }
}

/// Meta values that are longer say more than what a case is chosen by.
const LABEL: usize = 200;

/// The tags of a case and its short meta values, as members that follow others.
fn labels_of(case: &Case<'_>) -> String {
    if case.tags.is_empty() && case.meta.is_empty() {
        return String::new();
    }
    let mut writer = JsonWriter::new();
    writer.begin_object();
    case.write_tags(&mut writer);
    let is_label = |json: &str| json.len() <= LABEL && !json.starts_with(['{', '[']);
    let mut labels = case
        .meta
        .iter()
        .filter(|(_, json)| is_label(json))
        .peekable();
    if labels.peek().is_some() {
        writer.key("meta").begin_object();
        for (key, json) in labels {
            writer.key_text(key).raw(json);
        }
        writer.end_object();
    }
    writer.end_object();
    members_of(writer.finish())
}

/// What a case says beside its calls, as members that follow others.
fn context_of(case: &Case<'_>) -> String {
    let mut writer = JsonWriter::new();
    writer.begin_object();
    for (key, json) in [("input", case.input), ("output", case.output)] {
        if let Some(json) = json {
            writer.key(key).raw(json);
        }
    }
    if let Some(description) = &case.description {
        writer.key("description").text(description);
    }
    case.write_tags(&mut writer);
    if !case.meta.is_empty() {
        writer.key("meta");
        case.write_meta(&mut writer);
    }
    writer.end_object();
    members_of(writer.finish())
}

/// The members of an object, as they follow others.
fn members_of(object: JsonText) -> String {
    let members = on_one_line(object.into_string());
    match &members[1..members.len() - 1] {
        "" => String::new(),
        members => format!(",{members}"),
    }
}

/// The members that tell what came out.
fn push_result(out: &mut Vec<u8>, result: &EvaluationResult, contents: LineContents) {
    match (&result.outcome, result.outcome.reason()) {
        (Outcome::Scored(score), _) => match score.get() {
            // Most scores are 1 or 0.
            1.0 => push(out, [r#","score":1.0"#]),
            score => {
                let mut buffer = zmij::Buffer::new();
                push(out, [r#","score":"#, buffer.format_finite(score)]);
            }
        },
        (outcome, reason) => {
            let reason = json_of(&Text::from(reason.unwrap_or_default()));
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
        let is_end = |byte| matches!(byte, b'\n' | b'\r');
        let bytes = details.as_str().bytes();
        out.extend(bytes.map(|byte| if is_end(byte) { b' ' } else { byte }));
    }
    if let (Some(alignment), true) = (result.alignment(), contents.explained) {
        push(out, [r#","alignment":"#, &alignment]);
    }
}

/// What an evaluator made of a case that has no line of its own: its members alone.
#[expect(
    clippy::missing_panics_doc,
    reason = "all that can be written is UTF-8"
)]
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

/// What is wrong with the text of a result, and where.
#[derive(Debug)]
pub struct Wrong {
    /// Byte offset into the text.
    pub offset: usize,
    /// JSON pointer to the value; empty for all of it.
    pub pointer: String,
    /// What is wrong.
    pub message: String,
}

impl From<SyntaxError> for Wrong {
    fn from(error: SyntaxError) -> Self {
        Self {
            offset: error.offset,
            pointer: String::new(),
            message: error.to_string(),
        }
    }
}

impl Wrong {
    /// The same, where the text is the value of this key.
    #[must_use]
    pub fn under(mut self, step: &str) -> Self {
        self.pointer = format!(
            "/{}{}",
            step.replace('~', "~0").replace('/', "~1"),
            self.pointer
        );
        self
    }
}

/// What an evaluator, or without one all together, made of a case.
#[derive(Debug, Default)]
pub struct ResultLine<'t> {
    /// Its line in the file.
    pub number: u64,
    /// The name of the case.
    pub label: String,
    /// Its trial as JSON text.
    pub trial: Option<&'t str>,
    /// The id of the evaluator; `None` for the case as a whole.
    pub evaluator: Option<String>,
    /// The user's name for it.
    pub name: Option<String>,
    /// The score.
    pub score: Option<f64>,
    /// Whether the case passed.
    pub passed: Option<bool>,
    /// Whether the evaluation failed.
    pub is_error: bool,
    /// Why there is no score.
    pub reason: String,
    /// The alignment as JSON text.
    pub alignment: Option<&'t str>,
    /// The labels of the case.
    pub tags: Vec<String>,
    /// Its other keys as JSON text.
    pub meta: Option<&'t str>,
    /// `input`, `output`, `description`, `tags` and `meta`, each with its JSON text.
    pub beside: Vec<(&'static str, &'t str)>,
}

/// What a result may say of its case beside the calls.
const BESIDE: [&str; 5] = ["input", "output", "description", "tags", "meta"];

const NO_RESULT: &str =
    "expected a result such as {\"case\":\"a\",\"evaluator\":\"trajectory\",\"score\":1.0}";

impl<'t> ResultLine<'t> {
    /// Reads a result; all of the text is one.
    pub fn read(text: &'t str) -> Result<Self, Wrong> {
        let no_result = || Wrong {
            offset: 0,
            pointer: String::new(),
            message: NO_RESULT.to_owned(),
        };
        let mut reader = Reader::new(text, Syntax::PYTHON);
        if reader.peek()? != Kind::Object {
            return Err(no_result());
        }
        let (mut line, mut has_case, mut is_result) = (Self::default(), false, false);
        let mut first = reader.enter_object()?;
        while let Some(key) = reader.next_key(&mut first)? {
            let Some(key) = key.as_str() else {
                reader.raw()?;
                continue;
            };
            line.member(key, &mut reader)
                .map_err(|wrong| wrong.under(key))?;
            has_case |= key == "case";
            is_result |= matches!(key, "score" | "passed" | "outcome");
        }
        reader.end()?;
        let of_key = |wanted: &str| {
            line.beside
                .iter()
                .find(|(key, _)| *key == wanted)
                .map(|(_, json)| *json)
        };
        line.meta = of_key("meta");
        let tags = of_key("tags").and_then(|json| decode_with(json, Syntax::PYTHON).ok());
        let tags = tags.as_ref().and_then(Value::as_list).unwrap_or_default();
        line.tags = tags
            .iter()
            .filter_map(Value::as_text)
            .map(|tag| tag.to_display().into_owned())
            .collect();
        if has_case && is_result {
            Ok(line)
        } else {
            Err(no_result())
        }
    }

    fn member(&mut self, key: &str, reader: &mut Reader<'t>) -> Result<(), Wrong> {
        let text =
            |reader: &mut Reader<'t>| reader.string().map(|text| text.to_display().into_owned());
        match key {
            "case" => self.label = text(reader)?,
            "evaluator" => self.evaluator = Some(text(reader)?),
            "name" => self.name = Some(text(reader)?),
            "trial" => self.trial = Some(reader.raw()?),
            "score" => self.score = read_score(reader)?,
            "passed" => self.passed = Some(reader.bool()?),
            "outcome" => {
                let offset = reader.offset();
                self.is_error = match &*text(reader)? {
                    "error" => true,
                    "scored" | "not_applicable" => false,
                    other => {
                        let message =
                            format!("expected scored, not_applicable or error, found `{other}`");
                        return Err(Wrong {
                            offset,
                            pointer: String::new(),
                            message,
                        });
                    }
                };
            }
            "reason" => self.reason = text(reader)?,
            "alignment" => self.alignment = Some(reader.raw()?),
            other => {
                let json = reader.raw()?;
                self.beside.extend(
                    BESIDE
                        .iter()
                        .find(|known| **known == other)
                        .map(|known| (*known, json)),
                );
            }
        }
        Ok(())
    }

    /// What came out; with the alignment, if that is asked for.
    pub fn result(&self, explained: bool) -> EvaluationResult {
        let name = match (self.is_error, self.score) {
            (true, _) => "error",
            (false, Some(_)) => "scored",
            (false, None) => "not_applicable",
        };
        let none = || Outcome::NotApplicable(NotApplicable::Reason(self.reason.clone()));
        let outcome = Outcome::from_parts(name, self.score, self.reason.clone());
        let explanation = self.alignment.filter(|_| explained);
        EvaluationResult {
            explanation: explanation
                .and_then(|json| Explanation::from_json(json).ok())
                .map(Box::new),
            ..EvaluationResult::new(outcome.unwrap_or_else(none), self.passed)
        }
    }
}

/// Reads a score; `null` is none.
pub fn read_score(reader: &mut Reader<'_>) -> Result<Option<f64>, Wrong> {
    let kind = reader.peek()?;
    let offset = reader.offset();
    if kind == Kind::Null {
        reader.null()?;
        return Ok(None);
    }
    if kind != Kind::Number {
        return Err(no_score(offset, &cut(reader.raw()?)));
    }
    match reader.value()?.as_f64() {
        Some(score) if score.is_finite() => Ok(Some(score)),
        other => Err(no_score(offset, &other.unwrap_or(f64::NAN).to_string())),
    }
}

fn no_score(offset: usize, found: &str) -> Wrong {
    Wrong {
        offset,
        pointer: String::new(),
        message: format!("expected a number as score, found {found}"),
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
