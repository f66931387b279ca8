//! How runs are joined with the cases that expect them.

use rightcall::call::Case;
use rightcall::value::{Text, Value, decode};

/// How the run of a case is found: which part of it is the case's `id`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Join {
    /// Its own id.
    #[default]
    Id,
    /// The name of its file, without endings such as `.json` and `.gz`.
    File,
    /// Its place: the first run is the first case's, the second the second's.
    Order,
    /// The value under this key of its meta values, or of the attributes of its spans.
    Key(&'static str),
}

/// Endings that say how a file is written, not what it is called.
const ENDINGS: [&str; 13] = [
    "json", "jsonl", "ndjson", "yaml", "yml", "txt", "log", "traj", "eval", "pb", "binpb", "gz",
    "zst",
];

impl Join {
    /// `id`, `file`, `order`, or else a key.
    pub fn parse(text: &str) -> Self {
        match text {
            "id" => Self::Id,
            "file" => Self::File,
            "order" => Self::Order,
            // A run of the program has one such key, and all that is read refers to it.
            key => Self::Key(key.to_owned().leak()),
        }
    }

    /// What a run in this file is called; where runs are found by their places, its own id.
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
            Self::Key(key) => {
                let (_, json) = run
                    .meta
                    .iter()
                    .rev()
                    .find(|(name, json)| *name == *key && *json != "null")?;
                match decode(json) {
                    Ok(Value::String(text)) => Some(text),
                    _ => Some(Text::new(json)),
                }
            }
        }
    }
}

impl std::fmt::Display for Join {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Id => "id",
            Self::File => "file",
            Self::Order => "order",
            Self::Key(key) => key,
        })
    }
}
