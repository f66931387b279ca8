//! How runs are joined with the cases that expect them.

use rightcall::call::Case;
use rightcall::value::{Text, Value, decode};

/// The key that matches runs to cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Join {
    /// Its own id.
    #[default]
    Id,
    /// The name of its file, without endings such as `.json` and `.gz`.
    File,
    /// Its place: the first run is the first case's, the second the second's.
    Order,
    /// The question: ids of traces are often new in each run.
    Input,
    /// The value under this key of its meta values, or of the attributes of its spans.
    Key(&'static str),
}

/// Endings that say how a file is written, not what it is called.
const ENDINGS: [&str; 13] = [
    "json", "jsonl", "ndjson", "yaml", "yml", "txt", "log", "traj", "eval", "pb", "binpb", "gz",
    "zst",
];

impl Join {
    /// `id`, `file`, `order`, `input`, or else a key.
    pub fn parse(text: &str) -> Self {
        match text {
            "id" => Self::Id,
            "file" => Self::File,
            "order" => Self::Order,
            "input" => Self::Input,
            // A run of the program has one such key, and all that is read refers to it.
            key => Self::Key(key.to_owned().leak()),
        }
    }

    /// The name by which a case looks for its runs; `None` if it has none.
    pub fn of_case<'a>(self, case: &Case<'a>) -> Option<Text<'a>> {
        match self {
            Self::Input => question(case),
            _ => case.id.clone(),
        }
    }

    /// The name of a run in this file; with `order` its own id.
    pub fn of<'a>(self, run: &Case<'a>, file: &str) -> Option<Text<'a>> {
        match self {
            Self::Id | Self::Order => run.id.clone(),
            Self::File => {
                let mut name = file.rsplit(['/', '\\']).next().unwrap_or(file);
                while let Some((before, ending)) = name
                    .rsplit_once('.')
                    .filter(|(before, _)| !before.is_empty())
                {
                    if !ENDINGS.contains(&ending.to_ascii_lowercase().as_str()) {
                        break;
                    }
                    name = before;
                }
                Some(Text::from(name.to_owned()))
            }
            Self::Input => question(run),
            Self::Key(key) => {
                let mut members = run.meta.iter().rev();
                let (_, json) = members.find(|(name, json)| *name == *key && *json != "null")?;
                Some(text_of(json))
            }
        }
    }
}

/// The question of a case, without white space around it.
fn question<'a>(case: &Case<'a>) -> Option<Text<'a>> {
    let input: &'a str = case.input.filter(|json| *json != "null")?;
    let question = text_of(input);
    let trimmed = question
        .as_str()
        .map(|text| Text::from(text.trim().to_owned()));
    Some(trimmed.unwrap_or(question))
}

/// The text that a JSON text holds, or the JSON text itself.
fn text_of(json: &str) -> Text<'_> {
    match decode(json) {
        Ok(Value::String(text)) => text,
        _ => Text::new(json),
    }
}

impl std::fmt::Display for Join {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Id => "id",
            Self::File => "file",
            Self::Order => "order",
            Self::Input => "input",
            Self::Key(key) => key,
        })
    }
}
