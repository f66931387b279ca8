//! Detects the format of a file's values. The first matching rule wins; there is no guessing.

use std::cmp::Reverse;
use std::sync::LazyLock;

use memchr::memmem::Finder;
use rightcall_core::value::MAX_DEPTH;

use crate::case::{described, near};
use crate::envelopes::values_of_page;
use crate::error::CaseError;
use crate::format::{Format, Priority, Reading, Recognition, by_priority};
use crate::formats::FORMATS;
use crate::messages::conversations;
use crate::messages::dialects::dialects;
use crate::messages::dialects::openai_chat::{self, are_plain_calls};
use crate::messages::stringified::unpacked;
use crate::node::Node;
use crate::rewriting::{REWRITINGS, Rewriting};
use crate::shapes;
use crate::trace::{count_suspects, each_suspect};

/// All formats, in the order of testing.
static SORTED: LazyLock<Vec<&Format>> = LazyLock::new(|| by_priority(FORMATS));

/// How likely a value is in a format.
pub(crate) fn recognise(format: &Format, value: &Node<'_>) -> Recognition {
    match format.reading {
        Reading::Cases => shapes::recognise_case(value),
        Reading::Shape(sides) => shapes::recognise(value, sides.shape),
        Reading::Messages(dialect) => conversations::recognise(value, dialect),
        Reading::Traces(recognise, _) => recognise(value),
        Reading::Mapped(map) => map.recognise(value),
    }
}

/// The values of a format in a page, with the member of the page that holds them. `None` if the value itself is in the format, or isn't a
/// page.
pub(crate) fn page_of<'n, 'a>(
    format: &Format,
    value: &'n Node<'a>,
) -> Option<(&'static str, Vec<&'n Node<'a>>)> {
    // A map has its own path to the records.
    if format.map().is_some() {
        return None;
    }
    let is_own = |node: &Node<'_>| recognise(format, node) == Recognition::Certain;
    if is_own(value) {
        return None;
    }
    values_of_page(value, &|node| is_own(node) && !are_plain_calls(node))
}

/// The conversation in a row of a message format, if no message shows the format: a run without calls, next to others in the file.
pub(crate) fn conversation_of_row<'n, 'a>(
    format: &Format,
    value: &'n Node<'a>,
) -> Option<(&'static str, Vec<&'n Node<'a>>)> {
    let is_of_messages = matches!(format.reading, Reading::Messages(_));
    let is_own = || {
        recognise(format, value) == Recognition::Certain
            || !conversations::conversations(value).is_empty()
    };
    if !is_of_messages || !value.is_object() || is_own() {
        return None;
    }
    let is_reply = |node: &Node<'_>| dialects().any(|dialect| (dialect.reply)(node).is_some());
    let is_run = |node: &Node<'_>| {
        (node.is_list() || node.has("messages") || is_reply(node)) && conversations::is_whole(node)
    };
    values_of_page(value, &is_run)
}

/// Finds the format of a file from its values.
#[derive(Debug, Default)]
pub(crate) struct Detection {
    /// Looks for trace formats only.
    holds_traces: bool,
    /// Formats of maps, tried before the built-in ones.
    maps: &'static [&'static Format],
    /// The error if several formats fit.
    conflict: Option<CaseError>,
    possible: Option<&'static Format>,
    /// True if the deciding value is a page that holds values of the format, or is in another writing.
    pub(crate) is_wrapped: bool,
    /// The error for the first value in no known format; it names the nearest formats.
    unknown: Option<CaseError>,
}

impl Detection {
    /// Looks for trace formats only.
    pub(crate) fn of_traces() -> Self {
        Self {
            holds_traces: true,
            ..Self::default()
        }
    }

    /// Looks for formats of these maps too.
    pub(crate) fn with_maps(maps: &'static [&'static Format]) -> Self {
        Self {
            maps,
            ..Self::default()
        }
    }

    /// Checks the next value; returns the format if this value decides.
    pub(crate) fn value(&mut self, value: &Node<'_>) -> Option<&'static Format> {
        if self.conflict.is_some() {
            return None;
        }
        let mut fits = self.maps.iter().copied();
        let mut fits = fits
            .by_ref()
            .filter(|map| recognise(map, value) == Recognition::Certain);
        let Some(map) = fits.next() else {
            return self.built_in(value);
        };
        let Some(other) = fits.next().or_else(|| self.built_in(value)) else {
            return Some(map);
        };
        self.is_wrapped = false;
        self.conflict = Some(several(map, other));
        None
    }

    /// The built-in format, if this value decides.
    fn built_in(&mut self, value: &Node<'_>) -> Option<&'static Format> {
        if let Some(text) = unpacked(value)
            && let Ok(value) = Node::parse(&text, MAX_DEPTH)
        {
            return self.built_in(&value);
        }
        if openai_chat::are_of_api(value) {
            return Some(&openai_chat::ENTRY);
        }
        let mut near: Vec<NearFormat> = Vec::new();
        let is_case = !self.holds_traces && shapes::has_both_sides(value);
        let formats = SORTED.iter().copied();
        let formats = formats.filter(|it| !self.holds_traces || it.holds_traces());
        for format in formats.filter(|it| !is_case || !it.holds_traces()) {
            match recognise(format, value) {
                Recognition::Certain => {
                    let inner = page_beyond_messages(format, value);
                    self.is_wrapped = inner.is_some();
                    return inner.or(Some(format));
                }
                Recognition::Possible => self.possible = self.possible.or(Some(format)),
                Recognition::Near { has, lacks } => near.push(NearFormat { format, has, lacks }),
                Recognition::No => {}
            }
        }
        if let Some(format) = in_page(value).or_else(|| rewritten(value)) {
            self.is_wrapped = true;
            return Some(format);
        }
        if self.unknown.is_none() && value.first_record().is_object() {
            self.unknown = Some(unknown(value, &near));
        }
        None
    }

    /// The format that is harmless to assume, if no value decided.
    pub(crate) fn possible(&self) -> Option<&'static Format> {
        self.possible
    }

    /// The result if no value decided: a format that is harmless to assume, or an error. `None` if there were no values.
    pub(crate) fn end(self) -> Option<Result<&'static Format, CaseError>> {
        let conflict = self.conflict.map(Err);
        conflict.or(self.possible.map(Ok)).or(self.unknown.map(Err))
    }
}

/// The error for two formats that fit one value.
#[cold]
fn several(map: &Format, other: &Format) -> CaseError {
    let named = |format: &Format| match format.map_file() {
        Some(file) => format!("the map {} ({file})", format.name),
        None => format!("the built-in format {}", format.name),
    };
    CaseError::new(
        "a format that can be recognized",
        format!("two that fit: {} and {}", named(map), named(other)),
    )
    .help(format!(
        "--input-format {} or --input-format {} chooses one; `known_by` of the map may say more",
        map.name, other.name
    ))
}

/// The trace format that is certain of a value in a page. A bare list of calls is a run only outside pages.
fn certain_in_page(value: &Node<'_>) -> Option<&'static Format> {
    certain(value).filter(|_| !are_plain_calls(value))
}

/// The trace format that is certain of a value.
fn certain(value: &Node<'_>) -> Option<&'static Format> {
    let mut formats = SORTED.iter().copied().filter(|it| it.holds_traces());
    formats.find(|format| recognise(format, value) == Recognition::Certain)
}

/// The format of the values in a page.
fn in_page(page: &Node<'_>) -> Option<&'static Format> {
    let (_, values) = values_of_page(page, &|value| certain_in_page(value).is_some())?;
    values.into_iter().find_map(certain_in_page)
}

/// The format of the values in a page whose messages alone are in a message format.
fn page_beyond_messages(messages: &Format, page: &Node<'_>) -> Option<&'static Format> {
    let is_of_messages = |format: &Format| matches!(format.reading, Reading::Messages(_));
    if !is_of_messages(messages) {
        return None;
    }
    in_page(page).filter(|inner| !is_of_messages(inner))
}

/// The format of a value in another writing.
fn rewritten(value: &Node<'_>) -> Option<&'static Format> {
    REWRITINGS.into_iter().find_map(|writing| {
        let text = writing.undone(value)?;
        let node = Node::parse(&text, MAX_DEPTH).ok()?;
        certain(&node).or_else(|| in_page(&node))
    })
}

/// The notation that makes a value certainly of this format; `None` if it is in the format's own notation.
pub(crate) fn writing_of(format: &Format, value: &Node<'_>) -> Option<Rewriting> {
    let is_own = |node: &Node<'_>| recognise(format, node) == Recognition::Certain;
    if format.map().is_some() || is_own(value) {
        return None;
    }
    let fits = |it: &Rewriting| {
        it.undone(value).is_some_and(|text| {
            let node = Node::parse(&text, MAX_DEPTH);
            node.is_ok_and(|node| is_own(&node) || page_of(format, &node).is_some())
        })
    };
    REWRITINGS.into_iter().find(fits)
}

/// True if values like this one are taken from pages, or are in another writing.
pub(crate) fn is_wrapped(format: &Format, value: &Node<'_>) -> bool {
    recognise(format, value) != Recognition::Certain
        && (page_of(format, value).is_some() || writing_of(format, value).is_some())
}

/// A format with some of its marks present.
struct NearFormat {
    format: &'static Format,
    has: Vec<&'static str>,
    lacks: Vec<&'static str>,
}

/// The maximum number of formats to name.
const NAMED: usize = 3;

impl NearFormat {
    /// Sort key, best first: the share of the format's marks that are present, then how rare these marks are among the formats.
    fn rank(&self, all: &[Self]) -> (Reverse<usize>, Reverse<usize>) {
        let share = self.has.len() * 1_000 / (self.has.len() + self.lacks.len());
        let rarity = |mark: &&str| {
            1_000
                / all
                    .iter()
                    .filter(|other| other.has.contains(mark))
                    .count()
                    .max(1)
        };
        (Reverse(share), Reverse(self.has.iter().map(rarity).sum()))
    }
}

fn unknown(value: &Node<'_>, near: &[NearFormat]) -> CaseError {
    let quoted = |words: &[&str]| {
        words
            .iter()
            .map(|word| format!("`{word}`"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let mut ranked: Vec<_> = near.iter().map(|it| (it.rank(near), it)).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    // Equally near formats are named all together or not at all.
    let named = match (ranked.get(NAMED - 1), ranked.get(NAMED)) {
        (Some((last, _)), Some((next, _))) if last == next => {
            ranked.iter().filter(|(rank, _)| rank < last).count()
        }
        _ => ranked.len().min(NAMED),
    };
    let nearest: Vec<_> = ranked[..named]
        .iter()
        .map(|(_, it)| {
            format!(
                "{} (has {}, lacks {})",
                it.format.name,
                quoted(&it.has),
                quoted(&it.lacks)
            )
        })
        .collect();
    if value.has("evaluators") && (value.has("cases") || value.has("traces")) {
        let help = "this is a suite: `rightcall run FILE` runs it";
        return CaseError::new("cases or traces", described(value)).help(help);
    }
    let mut looks_like = None;
    each_suspect(value, &mut |suspect| {
        let looks = || format!("{} looks like a call", suspect.looks);
        looks_like = looks_like.take().or_else(|| Some(looks()));
    });
    let told = match (&nearest[..], ranked.first()) {
        ([], None) => "it matches no format".to_owned(),
        ([], Some((_, first))) => {
            format!(
                "{} occurs in {} formats, use --input-format to choose one",
                quoted(&first.has),
                ranked.len()
            )
        }
        (nearest, _) => format!("nearest: {}", nearest.join("; ")),
    };
    let slip = value.first_record().entries().iter().find_map(|(key, _)| {
        let key = key.to_display();
        Some(format!(
            "did you mean `{}` in place of `{key}`? ",
            side_near(&key)?
        ))
    });
    let looks_like = looks_like.map_or_else(String::new, |looks| format!("{looks}; "));
    let told = format!("{}{looks_like}{told}", slip.unwrap_or_default());
    let help = format!(
        "{told}; `rightcall formats` lists what can be read, --input-format chooses the format, `rightcall map FILE` drafts a map of a log of your own"
    );
    CaseError::new("a format that can be recognized", described(value)).help(help)
}

/// Longer records are assumed to be in the format of the file.
const LONGEST: usize = 1 << 20;

/// Keys of records that hold cases or conversations.
const KEYS: [&str; 3] = ["messages", "expected", "actual"];

/// The error for a record that holds calls in another format, from which the reader of the file read nothing. Looking for a few keys is
/// enough for most records.
pub(crate) fn foreign_record(
    text: &str,
    format: &'static Format,
    max_depth: usize,
) -> Option<CaseError> {
    static QUOTED: LazyLock<[Finder<'static>; KEYS.len()]> =
        LazyLock::new(|| KEYS.map(|key| Finder::new(&format!("\"{key}\"")).into_owned()));
    let may_be = text.len() < LONGEST
        && text.starts_with('{')
        && QUOTED.iter().any(|key| key.find(text.as_bytes()).is_some());
    let record = may_be.then(|| Node::parse(text, max_depth).ok())??;
    let other = other_format(&record, format)?;
    (!other.holds_traces() || count_suspects(&record) > 0).then(|| of_other(format, other))
}

/// The error for a record that is certainly in a format of another kind, which the reader of the file would misread: spans among
/// messages, a case among runs. The dialects of messages share the search for calls that they do not read.
pub(crate) fn foreign_value(record: &Node<'_>, format: &'static Format) -> Option<CaseError> {
    let is_known = |item: &Node<'_>| recognise(format, item) == Recognition::Certain;
    if record.items().iter().any(is_known) {
        return record
            .items()
            .iter()
            .find_map(|item| foreign_value(item, format));
    }
    let is_of_messages = |it: &Format| matches!(it.reading, Reading::Messages(_));
    let is_of_talk = || record.has_any(&["role", "content", "messages"]);
    if is_of_messages(format) && is_of_talk() && !record.has_any(&["expected", "actual"]) {
        return None;
    }
    // The messages of a case are of the format too, and its expectation would be lost.
    let states = |it: &Node<'_>| it.is_list() || it.is_object();
    if is_of_messages(format) && record.get("expected").is_some_and(states) {
        let case = Detection::default().value(record);
        return case.map(|case| of_other(format, case));
    }
    let other = other_format(record, format)?;
    if INCLUDED.contains(&(format.name, other.name)) {
        return None;
    }
    // The records after the first one of a mapped session may be like those of other sessions.
    if format.map().is_some() && other.priority == Priority::SessionLog {
        return None;
    }
    // Records of spans and events hold messages too.
    let may_be = match (is_of_messages(format), is_of_messages(other)) {
        (true, true) => false,
        (false, true) => record.has("messages") || is_reply(record, other),
        (_, false) => true,
    };
    may_be.then(|| of_other(format, other))
}

/// True for the whole reply of a model with a call, which no span is.
fn is_reply(record: &Node<'_>, format: &Format) -> bool {
    match format.reading {
        Reading::Messages(dialect) => {
            let is_whole = (dialect.owns)(record) || record.has_any(&["candidates", "choices"]);
            is_whole && count_suspects(record) > 0
        }
        _ => false,
    }
}

/// Formats whose single records are in another format.
const INCLUDED: [(&str, &str); 3] = [
    ("agno-events", "openai-chat"),
    ("cursor", "claude-code"),
    ("inspect", "openai-chat"),
];

/// The other format of a record.
fn other_format(record: &Node<'_>, format: &'static Format) -> Option<&'static Format> {
    // A user's map decides itself which other records to skip.
    let may_be = record.is_object() && record.raw().len() < LONGEST && format.map_file().is_none();
    if !may_be || recognise(format, record) == Recognition::Certain {
        return None;
    }
    let mut detection = Detection::default();
    let certain = detection.value(record);
    let possible = detection.possible().filter(|_| record.has("messages"));
    certain.or(possible).filter(|it| *it != format)
}

#[cold]
fn of_other(format: &Format, other: &Format) -> CaseError {
    let expected = format!(
        "a record of the format {}, as others in the file",
        format.name
    );
    let found = format!("one of the format {}", other.name);
    CaseError::new(expected, found).help("put records of one format into one file")
}

/// The key of a side of a case that this key is probably a typo of.
fn side_near(key: &str) -> Option<&'static str> {
    let keys: Vec<_> = shapes::formats::sides()
        .flat_map(|sides| sides.expected.iter().chain(sides.actual).copied())
        .chain(["expected", "actual"])
        .collect();
    near(key, &keys)
}

#[cfg(test)]
mod tests {
    use rightcall_core::value::MAX_DEPTH;

    use super::*;

    fn help(text: &str) -> String {
        let node = Node::parse(text, MAX_DEPTH).unwrap();
        let mut detection = Detection::default();
        assert_eq!(detection.value(&node), None, "{text}");
        let error = detection.end().unwrap().unwrap_err();
        error.help.unwrap().into_owned()
    }

    #[test]
    fn what_is_no_format_is_told_the_nearest_and_what_is_missing() {
        for (text, nearest) in [
            (
                r#"{"observations":[{"input":1}]}"#,
                "langfuse (has `observations`, lacks `trace`)",
            ),
            (
                r#"[{"trace_id":"t","span_id":"s","name":"n"}]"#,
                "flat-spans (has `trace_id`, `span_id`, lacks `attributes`)",
            ),
            (
                r#"{"object":"trace.span","id":"s"}"#,
                "openai-agents (has `object: trace.span`, lacks `span_data`)",
            ),
            (
                r#"{"simulations":[]}"#,
                "tau2-bench (has `simulations`, lacks `tasks`)",
            ),
        ] {
            let help = help(text);
            assert!(
                help.starts_with("nearest: ") && help.contains(nearest),
                "{text}: {help}"
            );
            assert!(
                help.ends_with("`rightcall map FILE` drafts a map of a log of your own"),
                "{help}"
            );
        }
    }

    #[test]
    fn what_is_near_to_many_formats_or_to_none_is_said_to_be_so() {
        let end = "; `rightcall formats` lists what can be read, --input-format chooses the format, `rightcall map FILE` drafts a map of a log of your own";
        assert_eq!(help(r#"{"a":1}"#), format!("it matches no format{end}"));
        let many = help(r#"[{"role":"assistant","content":[{"type":"gizmo"}],"tool_calls":[{}]}]"#);
        assert!(
            many.starts_with("`role` occurs in ")
                && many.ends_with(&format!(" formats, use --input-format to choose one{end}")),
            "{many}"
        );
        // The share of marks outweighs the position in the list.
        let ranked = help(r#"{"type":"x","timestamp":"2026","history":[],"simulations":[]}"#);
        assert!(
            ranked.starts_with("nearest: codex (has `type`, `timestamp`, lacks `payload`); "),
            "{ranked}"
        );
    }

    #[test]
    fn the_first_value_that_tells_decides_and_one_that_tells_nothing_does_not() {
        let mut detection = Detection::default();
        let values = [r#"{"type":"noise"}"#, r#"{"resourceSpans":[]}"#]
            .map(|text| Node::parse(text, MAX_DEPTH).unwrap());
        assert_eq!(detection.value(&values[0]), None);
        assert_eq!(
            detection.value(&values[1]).map(|format| format.name),
            Some("otlp")
        );
    }
}
