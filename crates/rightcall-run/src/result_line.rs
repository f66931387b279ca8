//! One result as JSON text, and what may be wrong with it.

use rightcall::value::{Kind, Reader, Syntax, SyntaxError, Value, decode_with};
use rightcall_stats::Measurement;

/// What is wrong with the text of a result, and where.
#[derive(Debug)]
pub(crate) struct Wrong {
    /// Byte offset into the text.
    pub(crate) offset: usize,
    /// JSON pointer to the value; empty for all of it.
    pub(crate) pointer: String,
    pub(crate) message: String,
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
    pub(crate) fn under(mut self, step: &str) -> Self {
        self.pointer = format!(
            "/{}{}",
            step.replace('~', "~0").replace('/', "~1"),
            self.pointer
        );
        self
    }
}

/// What an evaluator, or without one all together, made of a case.
#[derive(Default)]
pub(crate) struct ResultLine<'t> {
    /// Its line in the file.
    pub(crate) number: u64,
    pub(crate) label: String,
    pub(crate) trial: Option<&'t str>,
    pub(crate) evaluator: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) score: Option<f64>,
    pub(crate) passed: Option<bool>,
    pub(crate) is_error: bool,
    pub(crate) reason: String,
    pub(crate) alignment: Option<&'t str>,
    pub(crate) tags: Vec<String>,
    pub(crate) meta: Option<&'t str>,
    /// `input`, `output`, `description`, `tags` and `meta`, each with its JSON text.
    pub(crate) beside: Vec<(&'static str, &'t str)>,
}

/// What a result may say of its case beside the calls.
const BESIDE: [&str; 5] = ["input", "output", "description", "tags", "meta"];

const NO_RESULT: &str =
    "expected a result such as {\"case\":\"a\",\"evaluator\":\"trajectory\",\"score\":1.0}";

impl<'t> ResultLine<'t> {
    /// Reads a result; all of the text is one.
    pub(crate) fn read(text: &'t str) -> Result<Self, Wrong> {
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

    /// An error is no score, and not passed.
    pub(crate) fn judged(&self) -> Measurement {
        Measurement {
            score: self.score,
            passed: if self.is_error {
                Some(false)
            } else {
                self.passed
            },
        }
    }
}

/// Reads a score; `null` is none.
pub(crate) fn read_score(reader: &mut Reader<'_>) -> Result<Option<f64>, Wrong> {
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
