//! Paths of maps: keys joined by dots, for a place in a record.

use std::borrow::Cow;
use std::fmt;

use rightcall_core::value::{MAX_DEPTH, Text};

use crate::node::Node;

/// A path; the first alternative with a value wins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Path {
    pub(super) alternatives: Vec<Alternative>,
    text: String,
    /// Its line in the map.
    pub(super) line: u64,
}

/// One alternative of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Alternative {
    /// The number of levels to go up first.
    pub(super) out: usize,
    pub(super) start: Start,
    /// The steps from there; empty unless it starts at a value.
    pub(super) steps: Vec<Step>,
}

/// The start of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// The record or item itself, followed by steps.
    Value,
    /// `$item`: the record or item itself.
    Item,
    /// `$key`: the last key on the path to it.
    Key,
    /// `$file`: the name of the file.
    File,
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A key. A quoted key is never joined with its neighbours.
    Key { name: String, is_quoted: bool },
    /// An item of a list; negative indices count from the end.
    Item(i64),
    /// `*`: each value of an object.
    Each,
}

/// The kind of path allowed in a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PathKind {
    /// A path to one value.
    Value,
    /// A path to one value, or `$file`.
    ValueOrFile,
    /// A path to values inside a record. It may contain `*`, and cannot go up.
    Inside,
}

impl Path {
    /// Parses a path.
    ///
    /// # Errors
    /// The text is not a path; the error says why.
    pub(super) fn parse(text: &str, kind: PathKind) -> Result<Self, String> {
        let mut parser = Parser { rest: text };
        let mut alternatives = Vec::new();
        loop {
            parser.skip_spaces();
            alternatives.push(parser.alternative(kind)?);
            let has_space = parser.rest.starts_with(' ');
            parser.skip_spaces();
            if parser.rest.is_empty() {
                break;
            }
            if !parser.take("|") {
                return Err(if has_space {
                    SPACE.to_owned()
                } else {
                    parser.unexpected()
                });
            }
        }
        Ok(Self {
            alternatives,
            text: text.to_owned(),
            line: 0,
        })
    }

    /// Sets the line in the map.
    pub(super) fn on_line(self, line: u64) -> Self {
        Self { line, ..self }
    }

    /// True if the path starts at the item itself and its first key is this one.
    pub(super) fn begins_with(&self, key: &Text<'_>) -> bool {
        self.alternatives.iter().any(|alternative| {
            alternative.out == 0 && joined(&alternative.steps).any(|(name, _)| *key == *name)
        })
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The keys that these steps may begin with, shortest first, each with its number of steps: a key that contains dots is written as
/// several steps.
pub(super) fn joined(steps: &[Step]) -> impl Iterator<Item = (Cow<'_, str>, usize)> {
    let plain = |step: &Step| {
        matches!(
            step,
            Step::Key {
                is_quoted: false,
                ..
            }
        )
    };
    let most = match steps.first() {
        Some(Step::Key {
            is_quoted: true, ..
        }) => 1,
        _ => steps.iter().take_while(|step| plain(step)).count(),
    };
    let name = |step: &Step| match step {
        Step::Key { name, .. } => name.clone(),
        Step::Item(_) | Step::Each => String::new(),
    };
    (1..=most).map(move |count| match &steps[..count] {
        [Step::Key { name, .. }] => (Cow::Borrowed(name.as_str()), 1),
        keys => (
            Cow::Owned(keys.iter().map(name).collect::<Vec<_>>().join(".")),
            count,
        ),
    })
}

/// What to do with a key that has a space, also in YAML.
const SPACE: &str = r#"a key with a space is written in double quotes, in YAML as '"tool name"'"#;

struct Parser<'p> {
    rest: &'p str,
}

impl Parser<'_> {
    fn skip_spaces(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn take(&mut self, word: &str) -> bool {
        let rest = self.rest.strip_prefix(word);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn unexpected(&self) -> String {
        match self.rest.chars().next() {
            Some(' ') => SPACE.to_owned(),
            Some(next) => format!("`{next}` is not expected here"),
            None => "it ends too early".to_owned(),
        }
    }

    fn alternative(&mut self, kind: PathKind) -> Result<Alternative, String> {
        let mut out = 0;
        while self.take("^") {
            out += 1;
        }
        if out > 0 && kind == PathKind::Inside {
            return Err("it leads to something inside the record, so it has no `^`".to_owned());
        }
        if self.rest.starts_with('$') {
            let start = self.word(kind, out)?;
            return Ok(Alternative {
                out,
                start,
                steps: Vec::new(),
            });
        }
        let mut steps = Vec::new();
        loop {
            if !(steps.is_empty() && self.rest.starts_with('[')) {
                steps.push(self.key(kind)?);
            }
            while self.take("[") {
                steps.push(self.item()?);
            }
            if !self.take(".") {
                break;
            }
        }
        Ok(Alternative {
            out,
            start: Start::Value,
            steps,
        })
    }

    fn word(&mut self, kind: PathKind, out: usize) -> Result<Start, String> {
        let length = self
            .rest
            .find([' ', '|', '.', '['])
            .unwrap_or(self.rest.len());
        let word = &self.rest[..length];
        let start = match word {
            "$item" if kind != PathKind::Inside => Start::Item,
            "$key" if kind != PathKind::Inside => Start::Key,
            "$file" if kind == PathKind::ValueOrFile && out == 0 => Start::File,
            "$file" => return Err("`$file` is for `run` and `id`".to_owned()),
            "$item" | "$key" => return Err(format!("`{word}` names no place inside a record")),
            _ => {
                return Err(format!(
                    "`{word}` is no word of paths; there are `$item`, `$key` and `$file`, and a key that begins with `$` is written in double quotes"
                ));
            }
        };
        self.rest = &self.rest[length..];
        if self.rest.starts_with(['.', '[']) {
            return Err(format!("no key follows `{word}`"));
        }
        Ok(start)
    }

    fn key(&mut self, kind: PathKind) -> Result<Step, String> {
        if self.rest.starts_with('"') {
            return self.quoted();
        }
        if self.take("*") {
            return if kind != PathKind::Inside {
                Err("`*` is for `at`, `records`, `step` and `skip`".to_owned())
            } else if self.rest.is_empty() || self.rest.starts_with(['.', '[', ' ', '|']) {
                Ok(Step::Each)
            } else {
                Err("a key that begins with `*` is written in double quotes".to_owned())
            };
        }
        let ends = |next: char| next.is_whitespace() || ".[]\"'|".contains(next);
        let length = self.rest.find(ends).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(length);
        if name.is_empty() {
            return Err(match rest.chars().next() {
                None | Some('.' | '|' | '[') => "a key is missing".to_owned(),
                _ => self.unexpected(),
            });
        }
        if name.starts_with(['^', '$']) {
            let first = &name[..1];
            return Err(format!(
                "a key that begins with `{first}` is written in double quotes"
            ));
        }
        self.rest = rest;
        Ok(Step::Key {
            name: name.to_owned(),
            is_quoted: false,
        })
    }

    /// A key in double quotes, with JSON escapes.
    fn quoted(&mut self) -> Result<Step, String> {
        let mut is_escaped = false;
        let end = self.rest.char_indices().skip(1).find(|(_, next)| {
            let is_end = *next == '"' && !is_escaped;
            is_escaped = *next == '\\' && !is_escaped;
            is_end
        });
        let (end, _) = end.ok_or("a quote is not closed")?;
        let (quoted, rest) = self.rest.split_at(end + 1);
        let node = Node::parse(quoted, MAX_DEPTH).ok();
        let name = node.as_ref().and_then(Node::str);
        let name = name.ok_or_else(|| format!("{quoted} is no text of JSON"))?;
        self.rest = rest;
        Ok(Step::Key {
            name: name.to_owned(),
            is_quoted: true,
        })
    }

    fn item(&mut self) -> Result<Step, String> {
        let wanted = "an item of a list is a number in brackets, such as `[0]` or `[-1]`";
        let (number, rest) = self.rest.split_once(']').ok_or(wanted)?;
        let digits = number.strip_prefix('-').unwrap_or(number);
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let number = number.parse().ok().filter(|_| is_number).ok_or(wanted)?;
        self.rest = rest;
        Ok(Step::Item(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(text: &str, kind: PathKind) -> String {
        match Path::parse(text, kind) {
            Err(error) => format!("error: {error}"),
            Ok(path) => {
                let step = |step: &Step| match step {
                    Step::Key { name, is_quoted } => {
                        format!("{name}{}", if *is_quoted { "!" } else { "" })
                    }
                    Step::Item(number) => format!("#{number}"),
                    Step::Each => "each".to_owned(),
                };
                let alternatives = path.alternatives.iter().map(|it| {
                    let steps: Vec<_> = it.steps.iter().map(step).collect();
                    format!("{}{:?} {}", it.out, it.start, steps.join(" "))
                });
                alternatives.collect::<Vec<_>>().join(" | ")
            }
        }
    }

    #[test]
    fn paths_are_keys_items_and_words() {
        for (text, expected) in [
            ("a.b", "0Value a b"),
            ("^^a[0].\"b c\"[-1] | x", "2Value a #0 b c! #-1 | 0Value x"),
            ("[1].a", "0Value #1 a"),
            ("^$key | $item", "1Key  | 0Item "),
            ("\"o |\" | o", "0Value o |! | 0Value o"),
            ("\"\\\"q\\u0041\"", "0Value \"qA!"),
            ("a*b", "0Value a*b"),
        ] {
            assert_eq!(steps(text, PathKind::Value), expected, "{text}");
        }
        assert_eq!(steps("a.*.b", PathKind::Inside), "0Value a each b");
        assert_eq!(steps("$file", PathKind::ValueOrFile), "0File ");
    }

    #[test]
    fn what_is_no_path_is_an_error() {
        for text in [
            "", " ", ".", "a.", ".a", "a..b", "a |", "| a", "a b", "[1", "[x]", "[+1]", "a]",
            "$value", "$item.a", "$key[0]", "*", "a.*", "*a", "\"a", "\"a\"b", "a\"b\"", "it's",
            "^", "a.^b", "$file", "a.[0]", "a.$item",
        ] {
            assert!(
                steps(text, PathKind::Value).starts_with("error: "),
                "{text}"
            );
        }
        for text in ["^a", "$item", "a.*x", "**"] {
            assert!(
                steps(text, PathKind::Inside).starts_with("error: "),
                "{text}"
            );
        }
    }
}
