//! Result lines: one for each case and evaluator, as JSON and as CSV.

use rightcall::call::Case;
use rightcall::value::{JsonText, JsonWriter, Text};
use rightcall::{Evaluation, Outcome};

use crate::scores::{Mark, Marked};
use crate::{Cells, Configured};

/// What sinks are to get.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted {
    /// JSON lines.
    pub json: Option<JsonLines>,
    /// CSV rows.
    pub csv: Option<Cells>,
}

/// How much JSON lines say.
#[derive(Clone, Copy, Debug, Default)]
pub struct JsonLines {
    /// The original's details.
    pub details: bool,
    /// The alignment, and what the case says beside its calls.
    pub explained: bool,
}

/// The lines of a block so far.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    pub(crate) json: Vec<u8>,
    pub(crate) csv: Vec<u8>,
}

/// The head line of CSV.
pub(crate) const CSV_HEAD: &[u8] = b"case,evaluator,name,trial,outcome,score,passed,reason\n";

/// The fields that all lines of a case share, written once.
pub(crate) struct CaseFields<'c> {
    /// Its id, or `FILE:LINE`.
    pub(crate) label: String,
    pub(crate) trial: Option<&'c str>,
    /// `"refund-7"`.
    json: JsonText,
    /// `,"input":…,"meta":…`.
    context: String,
}

impl<'c> CaseFields<'c> {
    pub(crate) fn new(case: &Case<'c>, label: String, wanted: Wanted) -> Self {
        let id = case.id.as_ref().map_or(Text::new(&label), Text::reborrow);
        let json = wanted
            .json
            .map_or_else(|| JsonWriter::new().finish(), |_| json_of(&id));
        let explained = wanted.json.is_some_and(|lines| lines.explained);
        let context = if explained {
            context_of(case)
        } else {
            String::new()
        };
        Self {
            label,
            trial: case.trial,
            json,
            context,
        }
    }
}

/// A score in the fewest digits that read back to it. Most are 1 or 0.
fn score_text(score: f64, buffer: &mut zmij::Buffer) -> &str {
    match score {
        1.0 => "1.0",
        _ if score.to_bits() == 0 => "0.0",
        _ => buffer.format_finite(score),
    }
}

fn json_of(text: &Text<'_>) -> JsonText {
    let mut writer = JsonWriter::new();
    writer.text(text);
    writer.finish()
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
    if !case.tags.is_empty() {
        writer.key("tags").begin_list();
        case.tags.iter().for_each(|tag| _ = writer.text(tag));
        writer.end_list();
    }
    if !case.meta.is_empty() {
        writer.key("meta").begin_object();
        for (key, json) in &case.meta {
            writer.key_text(key).raw(json);
        }
        writer.end_object();
    }
    writer.end_object();
    match writer.finish().as_str().strip_prefix('{') {
        Some("}") | None => String::new(),
        Some(members) => format!(",{members}"),
    }
}

impl Lines {
    pub(crate) fn add(
        &mut self,
        wanted: Wanted,
        case: &CaseFields<'_>,
        configured: &Configured,
        evaluation: &Evaluation,
    ) {
        if wanted.json.is_some() {
            self.add_json(case, configured, evaluation);
        }
        if let Some(cells) = wanted.csv {
            self.add_csv(case, configured, evaluation, cells);
        }
    }

    /// The line of the case itself, which names no evaluator: its weighted score and its verdict.
    pub(crate) fn add_case(&mut self, wanted: Wanted, case: &CaseFields<'_>, mark: &Mark) {
        let (outcome, score, reason) = match &mark.outcome {
            Marked::Score(score) => ("scored", Some(*score), ""),
            Marked::NotApplicable(reason) => ("not_applicable", None, reason.as_str()),
            Marked::Error(reason) => ("error", None, reason.as_str()),
        };
        let mut buffer = zmij::Buffer::new();
        let score = score.map_or("", |score| score_text(score, &mut buffer));
        let passed = mark
            .passed
            .map_or("", |passed| if passed { "true" } else { "false" });
        let trial = case.trial.unwrap_or_default();
        if wanted.json.is_some() {
            let out = &mut self.json;
            push(out, [r#"{"case":"#, case.json.as_str()]);
            if !trial.is_empty() {
                push(out, [r#","trial":"#]);
                push_on_one_line(out, trial);
            }
            if score.is_empty() {
                push(
                    out,
                    [
                        r#","outcome":""#,
                        outcome,
                        r#"","reason":"#,
                        json_of(&Text::new(reason)).as_str(),
                    ],
                );
            } else {
                push(out, [r#","score":"#, score]);
            }
            if !passed.is_empty() {
                push(out, [r#","passed":"#, passed]);
            }
            push(out, ["}", "\n"]);
        }
        if let Some(cells) = wanted.csv {
            self.push_csv_row(
                cells,
                [&case.label, "", "", trial, outcome, score, passed, reason],
            );
        }
    }

    fn add_json(
        &mut self,
        case: &CaseFields<'_>,
        configured: &Configured,
        evaluation: &Evaluation,
    ) {
        let out = &mut self.json;
        push(
            out,
            [r#"{"case":"#, case.json.as_str(), &configured.members],
        );
        if let Some(trial) = case.trial {
            push(out, [r#","trial":"#]);
            push_on_one_line(out, trial);
        }
        push_evaluation(out, evaluation);
        push_on_one_line(
            out,
            if case.context.is_empty() {
                "}"
            } else {
                &case.context
            },
        );
        out.push(b'\n');
    }

    fn add_csv(
        &mut self,
        case: &CaseFields<'_>,
        configured: &Configured,
        evaluation: &Evaluation,
        cells: Cells,
    ) {
        let (outcome, score, reason) = match &evaluation.outcome {
            Outcome::Scored(score) => (
                "scored",
                score_text(score.get(), &mut zmij::Buffer::new()).to_owned(),
                String::new(),
            ),
            Outcome::NotApplicable(why) => ("not_applicable", String::new(), why.to_string()),
            Outcome::Failed(why) => ("error", String::new(), why.to_string()),
        };
        let passed = evaluation
            .passed
            .map_or("", |passed| if passed { "true" } else { "false" });
        let name = configured.name.as_deref().unwrap_or_default();
        let trial = case.trial.unwrap_or_default();
        self.push_csv_row(
            cells,
            [
                &case.label,
                configured.evaluator.id(),
                name,
                trial,
                outcome,
                &score,
                passed,
                &reason,
            ],
        );
    }

    fn push_csv_row(&mut self, cells: Cells, row: [&str; 8]) {
        for (column, field) in row.into_iter().enumerate() {
            push(&mut self.csv, [if column == 0 { "" } else { "," }]);
            push_csv_field(&mut self.csv, &cells.cell(field));
        }
        self.csv.push(b'\n');
    }
}

/// The members of a result line that tell what an evaluator made of a case.
fn push_evaluation(out: &mut Vec<u8>, evaluation: &Evaluation) {
    let reason = |reason: String| json_of(&Text::from(reason));
    match &evaluation.outcome {
        Outcome::Scored(score) => push(
            out,
            [
                r#","score":"#,
                score_text(score.get(), &mut zmij::Buffer::new()),
            ],
        ),
        Outcome::NotApplicable(why) => {
            push(
                out,
                [
                    r#","outcome":"not_applicable","reason":"#,
                    reason(why.to_string()).as_str(),
                ],
            );
        }
        Outcome::Failed(why) => push(
            out,
            [
                r#","outcome":"error","reason":"#,
                reason(why.to_string()).as_str(),
            ],
        ),
    }
    if let Some(passed) = evaluation.passed {
        push(
            out,
            [r#","passed":"#, if passed { "true" } else { "false" }],
        );
    }
    if let Some(details) = &evaluation.details {
        push(out, [r#","details":"#]);
        push_on_one_line(out, details.as_str());
    }
    if let Some(explanation) = &evaluation.explanation {
        push(out, [r#","alignment":"#]);
        push_on_one_line(out, explanation.to_json().as_str());
    }
}

/// What an evaluator made of a case that has no line of its own: the result line, without the case.
#[expect(
    clippy::missing_panics_doc,
    reason = "all that can be written is UTF-8"
)]
pub fn evaluation_json(configured: &Configured, evaluation: &Evaluation) -> String {
    let mut out = Vec::from(*b"{");
    push(&mut out, [configured.members.trim_start_matches(',')]);
    push_evaluation(&mut out, evaluation);
    out.push(b'}');
    String::from_utf8(out).expect("only UTF-8 is written")
}

fn push<const N: usize>(out: &mut Vec<u8>, parts: [&str; N]) {
    parts
        .into_iter()
        .for_each(|part| out.extend_from_slice(part.as_bytes()));
}

/// Appends JSON of the input. Line ends, which JSON has only between its parts, become spaces: a result is one line.
fn push_on_one_line(out: &mut Vec<u8>, json: &str) {
    out.extend(json.bytes().map(|byte| {
        if matches!(byte, b'\n' | b'\r') {
            b' '
        } else {
            byte
        }
    }));
}

/// Appends a field as RFC 4180 quotes it.
fn push_csv_field(out: &mut Vec<u8>, field: &str) {
    if field.contains([',', '"', '\n', '\r']) {
        out.push(b'"');
        out.extend_from_slice(field.replace('"', "\"\"").as_bytes());
        out.push(b'"');
    } else {
        out.extend_from_slice(field.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EvaluatorArgument;
    use rightcall::Ask;

    fn lines(case: &Case<'_>, explained: bool) -> (String, String) {
        let asked = EvaluatorArgument::parse("uipath/tool-call-order,name=order, kept")
            .or_else(|_| EvaluatorArgument::parse(r#"uipath/tool-call-order,name="order, kept""#));
        let configured = Configured::new(asked.unwrap(), None).unwrap();
        let wanted = Wanted {
            json: Some(JsonLines {
                details: false,
                explained,
            }),
            csv: Some(Cells::Exact),
        };
        let evaluation = configured.evaluator.evaluate(case, Ask::OUTCOME);
        let mut lines = Lines::default();
        lines.add(
            wanted,
            &CaseFields::new(case, "a\"b".to_owned(), wanted),
            &configured,
            &evaluation,
        );
        (
            String::from_utf8(lines.json).unwrap(),
            String::from_utf8(lines.csv).unwrap(),
        )
    }

    #[test]
    fn what_has_no_score_says_why() {
        let case = Case {
            id: Some("a\"b".into()),
            trial: Some("2"),
            ..Case::default()
        };
        let (json, csv) = lines(&case, false);
        let head = r#"{"case":"a\"b","evaluator":"uipath/tool-call-order","name":"order, kept","trial":2,"outcome":"not_applicable","#;
        assert!(json.starts_with(head), "{json}");
        assert!(
            csv.starts_with(
                "\"a\"\"b\",uipath/tool-call-order,\"order, kept\",2,not_applicable,,,"
            ),
            "{csv}"
        );
        assert!(json.ends_with("\"}\n") && csv.ends_with('\n'));
    }

    #[test]
    fn a_result_is_one_line_however_the_case_was_written() {
        let case = Case {
            id: Some("a".into()),
            input: Some("{\n  \"q\": 1\n}"),
            tags: vec!["x".into()],
            meta: vec![("k".into(), "[1,\r\n2]")],
            ..Case::default()
        };
        let (json, _) = lines(&case, true);
        assert_eq!(json.matches('\n').count(), 1);
        assert!(
            json.ends_with(
                ",\"input\":{   \"q\": 1 },\"tags\":[\"x\"],\"meta\":{\"k\":[1,  2]}}\n"
            ),
            "{json}"
        );
    }
}
