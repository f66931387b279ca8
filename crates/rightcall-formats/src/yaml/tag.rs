//! Applies the tags of values.
//!
//! The tags of the core schema and `!!binary` have a meaning in JSON. Others name types of a program, such as `!!python/tuple`. In our
//! own suites and cases they are errors; in files of other programs they are ignored and counted.

use std::collections::BTreeMap;

use granit_parser::Tag;

use super::node::{Yaml, YamlError};
use super::scalar::plain;
use crate::binary::text_of_base64;

/// A kind of collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Collection {
    List,
    Map,
}

/// How to treat a tag without a JSON equivalent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnknownTag {
    Refuse,
    Count,
}

/// The tags that were ignored.
#[derive(Debug, Default)]
pub(crate) struct IgnoredTags {
    counts: BTreeMap<String, u64>,
    /// The error of the first one, and the number of items before it.
    first: Option<(usize, YamlError)>,
}

impl IgnoredTags {
    /// Counts an ignored tag; `items` is the number of items before it.
    pub(super) fn add(&mut self, tag: &Tag, items: usize, error: YamlError) {
        /// The maximum number of different tags: a file written by a program has a few.
        const MOST: usize = 1_000;
        let tag = tag.original();
        if self.counts.len() < MOST || self.counts.contains_key(&tag) {
            *self.counts.entry(tag).or_default() += 1;
        } else {
            *self.counts.entry("others".to_owned()).or_default() += 1;
        }
        self.first.get_or_insert((items, error));
    }

    /// The error of the first one, and the number of items before it.
    pub(crate) fn first(&self) -> Option<&(usize, YamlError)> {
        self.first.as_ref()
    }

    /// Each tag, with the number of values.
    pub(crate) fn counts(&self) -> impl Iterator<Item = (&str, u64)> {
        self.counts
            .iter()
            .map(|(tag, count)| (tag.as_str(), *count))
    }
}

/// The value of a scalar with a tag.
///
/// # Errors
/// The tag has no JSON equivalent, or contradicts the text.
pub(super) fn tagged(text: &str, tag: &Tag, line: u64) -> Result<Yaml, YamlError> {
    let other = |expected| YamlError::new(line, expected, describe(text, tag), LEAVE_OUT);
    match name(tag).as_deref() {
        Some("str") => Ok(Yaml::Text(text.to_owned())),
        Some("null") => match plain(text, line)? {
            Yaml::Null => Ok(Yaml::Null),
            _ => Err(other("`null`, `~` or nothing after `!!null`")),
        },
        Some("bool") => match plain(text, line)? {
            Yaml::Bool(value) => Ok(Yaml::Bool(value)),
            _ => Err(other("`true` or `false` after `!!bool`")),
        },
        Some("int") => match plain(text, line)? {
            Yaml::Number(number) if is_whole(&number) => Ok(Yaml::Number(number)),
            _ => Err(other("a whole number after `!!int`")),
        },
        Some("float") => match plain(text, line)? {
            Yaml::Number(number) if is_whole(&number) => Ok(Yaml::Number(format!("{number}.0"))),
            Yaml::Number(number) => Ok(Yaml::Number(number)),
            _ => Err(other("a number after `!!float`")),
        },
        Some("binary") => text_of_base64(text)
            .map(Yaml::Text)
            .ok_or_else(|| other("base64 after `!!binary`")),
        // `!` alone forces a string.
        _ if is_non_specific(tag) => Ok(Yaml::Text(text.to_owned())),
        _ => Err(unknown(tag, line)),
    }
}

/// Checks the tag of a list or an object.
///
/// # Errors
/// The tag has no JSON equivalent, or contradicts the value.
pub(super) fn check_collection(
    collection: Collection,
    tag: &Tag,
    line: u64,
) -> Result<(), YamlError> {
    let found = match collection {
        Collection::List => "a list",
        Collection::Map => "an object",
    };
    let other = |expected| {
        let found = format!("{found} after `{}`", tag.original());
        Err(YamlError::new(line, expected, found, LEAVE_OUT))
    };
    match (name(tag).as_deref(), collection) {
        (Some("seq"), Collection::List) | (Some("map"), Collection::Map) => Ok(()),
        (Some("seq"), Collection::Map) => other("a list after `!!seq`"),
        (Some("map"), Collection::List) => other("an object after `!!map`"),
        (Some("str" | "null" | "bool" | "int" | "float" | "binary"), _) => {
            other("a single value after a tag of one")
        }
        _ if is_non_specific(tag) => Ok(()),
        _ => Err(unknown(tag, line)),
    }
}

const LEAVE_OUT: &str = "leave the tag out, or correct the value behind it";

#[cold]
fn unknown(tag: &Tag, line: u64) -> YamlError {
    YamlError::new(
        line,
        "no tag, or one of `!!str`, `!!int`, `!!float`, `!!bool`, `!!null`, `!!binary`, `!!seq`, `!!map`",
        format!("the tag `{}`", tag.original()),
        "leave the tag out, and write the value as JSON has it; quote what is a text",
    )
}

fn describe(text: &str, tag: &Tag) -> String {
    /// The maximum number of characters shown.
    const MOST: usize = 40;
    let shown: String = text.chars().take(MOST).collect();
    let more = if shown.len() < text.len() { "…" } else { "" };
    format!("`{} {}{more}`", tag.original(), shown.trim())
}

/// The name of a standard YAML tag.
fn name(tag: &Tag) -> Option<std::borrow::Cow<'_, str>> {
    tag.suffix_in_namespace("tag:yaml.org,2002:")
}

fn is_non_specific(tag: &Tag) -> bool {
    tag.original() == "!"
}

/// True for the digits of a whole number, with an optional sign.
fn is_whole(number: &str) -> bool {
    let digits = number.strip_prefix('-').unwrap_or(number);
    digits.bytes().all(|byte| byte.is_ascii_digit())
}
