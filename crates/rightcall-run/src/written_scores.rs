//! Scores of another tool, to compare with ours.

use std::path::Path;
use std::sync::Arc;

use rightcall_core::value::{Syntax, decode_with};
use rightcall_formats::{Limits, Location, ReadError, ValuesError, plain_values};

use crate::case_key::meta_text;
use crate::meta_number;

/// A score in a file of another tool.
#[derive(Clone, Debug, PartialEq)]
pub struct WrittenScore {
    /// The case.
    pub id: String,
    /// Its trial as text; `None` if the file names none.
    pub trial: Option<String>,
    /// The score; `None` if it is null or missing.
    pub score: Option<f64>,
    /// The line, from 1.
    pub line: u64,
}

/// Maximum number of characters of a value in a message.
const MAX_SHOWN: usize = 60;

/// Keys of the id, in order of preference.
const IDS: [&str; 2] = ["id", "case"];

/// The default keys of the score.
const SCORES: [&str; 2] = ["score", "reward"];

/// Reads a file of JSON Lines, JSON, YAML, CSV or columns. Each row has an id, a score and maybe a
/// trial. The key of the score may be a path into objects, such as `info/reward`; the default is
/// `score`, else `reward`.
///
/// # Errors
/// The file cannot be read, a row has no id, its score is not a number, or no row has a score.
pub fn written_scores(
    path: &Path,
    key: Option<&str>,
    limits: Limits,
) -> Result<Vec<WrittenScore>, ValuesError> {
    let file: Arc<str> = path.to_string_lossy().into();
    let (mut scores, mut error) = (Vec::new(), None);
    plain_values(path, limits, &mut |line, value| {
        let at = Location::on_line(&file, line);
        match value.and_then(|row| written_score(&row, key, &at)) {
            Ok(score) => scores.push(score),
            Err(found) => error = Some(found),
        }
        error.is_none()
    })?;
    if let Some(error) = error {
        return Err(error.into());
    }
    if scores.iter().all(|it| it.score.is_none()) {
        let named = key.map_or_else(|| SCORES.join("` or `"), ToOwned::to_owned);
        let at = Location {
            file,
            line: None,
            pointer: String::new(),
        };
        return Err(ValuesError::Read(ReadError {
            at,
            expected: format!("rows with a number under `{named}`").into(),
            found: if scores.is_empty() {
                "no row".into()
            } else {
                "none".into()
            },
            help: Some("--score names the key of the score".into()),
        }));
    }
    Ok(scores)
}

/// The score in a row.
fn written_score(row: &str, key: Option<&str>, at: &Location) -> Result<WrittenScore, ReadError> {
    let wrong = |pointer: String, expected: &'static str, found: String| ReadError {
        at: Location {
            pointer,
            ..at.clone()
        },
        expected: expected.into(),
        found: found.into(),
        help: Some(
            "a row has `id`, maybe `trial`, and a score; --score names the key of the score".into(),
        ),
    };
    let id = IDS.iter().find_map(|key| meta_text(row, key));
    let Some(id) = id.filter(|it| it != "null") else {
        return Err(wrong(String::new(), "a row with an `id`", short(row)));
    };
    let keys = key.map_or_else(|| SCORES.to_vec(), |key| vec![key]);
    let mut score = None;
    for key in keys {
        match value_at(row, key) {
            None => {}
            Some(text) if text == "null" => break,
            Some(text) => {
                let number = meta_number(row, key);
                let pointer = format!("/{key}");
                score = Some(number.ok_or_else(|| wrong(pointer, "a number", short(&text)))?);
                break;
            }
        }
    }
    Ok(WrittenScore {
        id,
        trial: meta_text(row, "trial").filter(|it| it != "null"),
        score,
        line: at.line.unwrap_or_default(),
    })
}

/// The value at a key, or at a path into objects, as JSON text.
fn value_at(row: &str, path: &str) -> Option<String> {
    let is_known = |key: &str| meta_text(row, key).is_some();
    if is_known(path) {
        return meta_text(row, path);
    }
    let (first, rest) = path.split_once('/')?;
    value_at(&meta_text(row, first)?, rest)
}

/// A value in a few words.
fn short(value: &str) -> String {
    let mut shown: String = value.chars().take(MAX_SHOWN).collect();
    if value.chars().count() > MAX_SHOWN {
        shown.push('…');
    }
    match decode_with(value, Syntax::PYTHON) {
        Ok(_) => shown,
        Err(_) => format!("the text \"{shown}\""),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn read(name: &str, text: &str, key: Option<&str>) -> Result<Vec<WrittenScore>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        let read = written_scores(&path, key, Limits::default());
        let folder = format!("{}/", folder.path().display());
        read.map_err(|error| error.to_string().replace(&folder, ""))
    }

    #[test]
    fn json_and_csv_rows_are_equal() {
        let json = r#"{"id":"a","trial":1,"score":0.5}
{"case":"b","reward":true}
{"id":7,"score":null}
"#;
        let csv = "id,trial,score\na,1,0.5\nb,,1\n7,,\n";
        let row = |id: &str, trial: Option<&str>, score, line| WrittenScore {
            id: id.to_owned(),
            trial: trial.map(ToOwned::to_owned),
            score,
            line,
        };
        let wanted = vec![
            row("a", Some("1"), Some(0.5), 1),
            row("b", None, Some(1.0), 2),
            row("7", None, None, 3),
        ];
        assert_eq!(read("a.jsonl", json, None), Ok(wanted.clone()));
        let of_csv = read("a.csv", csv, None).unwrap().into_iter();
        let of_csv = of_csv.map(|it| WrittenScore {
            line: it.line - 1,
            ..it
        });
        assert_eq!(of_csv.collect::<Vec<_>>(), wanted);
    }

    #[test]
    fn key_may_be_a_path_into_objects() {
        let text = r#"[{"id":"a","info":{"reward":0.25},"score":1}]"#;
        let read = read("a.json", text, Some("info/reward")).unwrap();
        assert_eq!(read[0].score, Some(0.25));
    }

    #[test]
    fn errors_have_a_location() {
        let errors = [
            ("{\"id\":\"a\",\"score\":1}\n{\"score\":1}\n", None),
            ("{\"id\":\"a\",\"score\":\"high\"}\n", None),
            ("{\"id\":\"a\",\"points\":1}\n", None),
            ("{\"id\":\"a\",\"score\":1}\n", Some("points")),
            ("", None),
        ];
        let errors = errors.map(|(text, key)| read("a.jsonl", text, key).unwrap_err());
        insta::assert_snapshot!(errors.join("\n"), @r#"
        a.jsonl:2: expected a row with an `id`, found {"score":1}
        a.jsonl:1 /score: expected a number, found the text "high"
        a.jsonl: expected rows with a number under `score` or `reward`, found none
        a.jsonl: expected rows with a number under `points`, found none
        a.jsonl: expected rows with a number under `score` or `reward`, found no row
        "#);
    }
}
