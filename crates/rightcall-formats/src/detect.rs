//! Which format the values of a file are in: the first rule that holds wins, and nothing is guessed.

use crate::CaseError;
use crate::case::shortened;
use crate::format::{Format, Recognition};
use crate::formats::FORMATS;
use crate::node::Node;
use crate::shapes::first_record;

/// How many values of a file are looked at, and how many items of a list.
pub(crate) const SAMPLE: usize = 50;

/// The format of the first value that is of any.
#[derive(Debug, Default)]
pub(crate) struct Detection {
    possible: Option<&'static Format>,
    /// What came nearest in the first value that is of no format.
    unknown: Option<CaseError>,
}

impl Detection {
    /// Looks at the next value; the format, if this value decides.
    pub(crate) fn value(&mut self, value: &Node<'_>) -> Option<&'static Format> {
        let mut near = Vec::new();
        for format in FORMATS.iter().copied() {
            match (format.recognise)(value) {
                Recognition::Certain => return Some(format),
                Recognition::Possible => self.possible = self.possible.or(Some(format)),
                Recognition::Near { has, lacks } => near.push((format, has, lacks)),
                Recognition::No => {}
            }
        }
        if self.unknown.is_none() && first_record(value).is_object() {
            near.sort_by_key(|(_, has, lacks)| (lacks.len(), usize::MAX - has.len()));
            self.unknown = Some(unknown(value, &near));
        }
        None
    }

    /// What to make of a file in which no value decided: the format that does no harm, or why there is none; `None` where there was
    /// nothing to look at.
    pub(crate) fn end(self) -> Option<Result<&'static Format, CaseError>> {
        self.possible.map(Ok).or_else(|| self.unknown.map(Err))
    }
}

fn unknown(value: &Node<'_>, near: &[(&'static Format, Vec<&'static str>, Vec<&'static str>)]) -> CaseError {
    let quoted = |words: &[&str]| words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    let nearest: Vec<_> = near
        .iter()
        .take(3)
        .map(|(format, has, lacks)| format!("{} (has {}, lacks {})", format.name, quoted(has), quoted(lacks)))
        .collect();
    let help = if nearest.is_empty() {
        "`rightcall formats` lists what can be read; --input-format names the format".to_owned()
    } else {
        format!("nearest: {}; --input-format names the format", nearest.join("; "))
    };
    CaseError {
        pointer: String::new(),
        expected: "a format that can be recognised".into(),
        found: described(value),
        help: Some(help.into()),
    }
}

/// The value in a few words: the first keys of an object.
fn described(value: &Node<'_>) -> String {
    if let Some(first) = value.items().first() {
        return format!("a list, its first item {}", described(first));
    }
    if value.is_list() {
        return "an empty list".to_owned();
    }
    if !value.is_object() {
        return format!("the value {}", shortened(value.raw()));
    }
    let keys: Vec<_> = value.entries().iter().take(6).map(|(key, _)| format!("`{}`", shortened(&key.to_display()))).collect();
    if keys.is_empty() { "an empty object".to_owned() } else { format!("an object with {}", keys.join(", ")) }
}

#[cfg(test)]
mod tests {
    use rightcall::value::MAX_DEPTH;

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
            (r#"{"observations":[{"input":1}]}"#, "langfuse (has `observations`, lacks `trace`)"),
            (r#"[{"trace_id":"t","span_id":"s","name":"n"}]"#, "flat-spans (has `trace_id`, `span_id`, lacks `attributes`)"),
            (r#"{"object":"trace.span","id":"s"}"#, "openai-agents (has `object: trace.span`, lacks `span_data`)"),
            (r#"{"simulations":[]}"#, "tau2-bench (has `simulations`, lacks `tasks`)"),
            (
                r#"[{"role":"assistant","content":[{"type":"image"}],"tool_calls":[{}]}]"#,
                "langchain (has `messages`, lacks `messages of type human, ai or tool`)",
            ),
        ] {
            let help = help(text);
            assert!(help.starts_with("nearest: ") && help.contains(nearest), "{text}: {help}");
            assert!(help.ends_with("--input-format names the format"), "{help}");
        }
        assert_eq!(help(r#"{"a":1}"#), "`rightcall formats` lists what can be read; --input-format names the format");
    }

    #[test]
    fn the_first_value_that_tells_decides_and_one_that_tells_nothing_does_not() {
        let mut detection = Detection::default();
        let values = [r#"{"type":"noise"}"#, r#"{"resourceSpans":[]}"#].map(|text| Node::parse(text, MAX_DEPTH).unwrap());
        assert_eq!(detection.value(&values[0]), None);
        assert_eq!(detection.value(&values[1]).map(|format| format.name), Some("otlp"));
    }
}
