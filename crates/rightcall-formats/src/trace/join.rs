//! Joins runs with the cases that expect them.

use rightcall_core::call::Case;
use rightcall_core::value::{Text, Value, decode};

/// The key that matches runs to cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Join {
    /// The run's own id.
    #[default]
    Id,
    /// The file name, without extensions such as `.json` and `.gz`.
    File,
    /// The position: the first run belongs to the first case, and so on.
    Order,
    /// The question, since ids of traces are often new in each run.
    Input,
    /// The value under this key, in the meta values or the attributes of the spans.
    Key(&'static str),
}

/// File extensions that say only how a file is encoded.
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
            // A process uses one such key, and everything that is read refers to it.
            key => Self::Key(key.to_owned().leak()),
        }
    }

    /// The value of the key that matches a case to its runs; `None` if it has none.
    pub fn of_case<'a>(self, case: &Case<'a>) -> Option<Text<'a>> {
        match self {
            Self::Input => question(case),
            _ => case.id.clone(),
        }
    }

    /// The key value of a run in this file; its own id for `order`.
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

/// The question of a case, trimmed.
fn question<'a>(case: &Case<'a>) -> Option<Text<'a>> {
    let input: &'a str = case.input.filter(|json| *json != "null")?;
    let question = text_of(input);
    let trimmed = question
        .as_str()
        .map(|text| Text::from(text.trim().to_owned()));
    Some(trimmed.unwrap_or(question))
}

/// The string in a JSON text, or the JSON text itself.
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
