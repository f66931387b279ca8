//! The stored part of a span until its trace is complete, as bytes that may be on disk.

use postcard::ser_flavors::Flavor;
use rightcall_core::value::Text;
use serde::{Deserialize, Deserializer, Serialize};

use super::dialect::{Exchange, Tool};
use super::question::SpanInput;
use crate::trace::TraceCall;
use crate::trace::unread::Suspect;

/// The stored part of a span. Its texts borrow from the bytes that it is read from.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct StoredSpan<'a> {
    #[serde(borrow, deserialize_with = "text")]
    pub(super) trace: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    pub(super) id: Text<'a>,
    #[serde(borrow, deserialize_with = "optional_text")]
    pub(super) parent: Option<Text<'a>>,
    pub(super) start: Option<i128>,
    pub(super) end: Option<i128>,
    pub(super) tool: Option<Tool>,
    pub(super) exchange: Exchange,
    /// The tool call in a log record, for the tool span that the record belongs to.
    pub(super) of_tool: Option<Box<TraceCall>>,
    /// The id of the model's reply.
    #[serde(borrow, deserialize_with = "optional_text")]
    pub(super) reply: Option<Text<'a>>,
    /// The agent that the span represents.
    #[serde(borrow, deserialize_with = "optional_text")]
    pub(super) agent: Option<Text<'a>>,
    #[serde(borrow, deserialize_with = "optional_text")]
    pub(super) conversation: Option<Text<'a>>,
    /// The agent or node named by the span, if runs are divided by these.
    #[serde(borrow, deserialize_with = "optional_text")]
    pub(super) part: Option<Text<'a>>,
    /// The attribute used to join runs with cases.
    #[serde(borrow, deserialize_with = "optional_text")]
    pub(super) join: Option<Text<'a>>,
    /// The input of the span, if questions are read.
    pub(super) input: Option<SpanInput>,
    /// The expectation of the run, as the JSON text of a case's.
    pub(super) expected: Option<String>,
    /// The number of repeated attributes.
    pub(super) repeated_attributes: u64,
    /// The number of spans in its trace that the carrier counts; 0 if unknown.
    pub(super) counted: u64,
    /// Unknown parts of the agent's earlier messages, which the model received again.
    pub(super) earlier: Vec<String>,
    /// Its place in the run, if a part of it is left over.
    pub(super) place: String,
    /// True for a model call with a recorded answer.
    pub(super) is_of_model: bool,
    /// True if it has no kind and so may be a tool.
    pub(super) may_be_tool: bool,
    /// Call-like values, if no call was read.
    pub(super) unread: Vec<Suspect>,
}

fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Text<'de>, D::Error> {
    <&[u8]>::deserialize(deserializer).map(Text::from_bytes)
}

fn optional_text<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Text<'de>>, D::Error> {
    let bytes = Option::<&[u8]>::deserialize(deserializer)?;
    Ok(bytes.map(Text::from_bytes))
}

impl<'a> StoredSpan<'a> {
    /// Serializes it to the end of `out`.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        postcard::serialize_with_flavor(self, Appended(out))
            .expect("memory takes all bytes, and all lengths are known");
    }

    /// Deserializes it; `None` if the bytes are invalid.
    pub(super) fn read(bytes: &'a [u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok()
    }
}

/// An output that appends to a vector.
struct Appended<'b>(&'b mut Vec<u8>);

impl Flavor for Appended<'_> {
    type Output = ();

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.0.push(byte);
        Ok(())
    }

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spans::dialect::{SpanHistory, ToolKind};
    use crate::trace::conversation::CallResult;
    use crate::trace::unread::Doubt;
    use crate::trace::{Executor, TraceArguments};
    use rightcall_core::value::TextBuilder;

    fn text(points: &[u32]) -> Text<'static> {
        let mut text = TextBuilder::default();
        points.iter().for_each(|&point| text.push(point));
        text.finish()
    }

    fn full_call() -> TraceCall {
        TraceCall {
            name: text(&[0x61, 0xD83D, 0x1F642]),
            arguments: TraceArguments::Text(Text::new("{'a': 1}")),
            id: Some(Text::new("")),
            tool_id: Some(Text::new("t")),
            output: Some("\"x\"".to_owned()),
            error: Some("true".to_owned()),
            start: Some(-1),
            end: Some(i128::MAX),
            turn: Some(u64::MAX),
            group: Some(Text::new("g")),
            actor: Some(Text::new("a")),
            parent: Some(300),
            executor: Executor::Nobody,
            part: None,
            is_unmarked: false,
        }
    }

    #[test]
    fn what_was_written_is_read_back() {
        let full = full_call();
        let odd = [
            TraceArguments::Absent,
            TraceArguments::Json("[1]".to_owned()),
            TraceArguments::Free(text(&[0xDFFF])),
        ];
        let mut asked: Vec<_> = odd
            .into_iter()
            .map(|arguments| TraceCall {
                arguments,
                ..TraceCall::default()
            })
            .collect();
        asked.push(full.clone());
        let result = CallResult {
            id: Some(Text::new("c")),
            output: Some("1".to_owned()),
            ..CallResult::default()
        };
        let stored = StoredSpan {
            trace: Text::new("trace"),
            id: Text::new("span"),
            parent: Some(Text::new("p")),
            start: Some(1),
            end: None,
            tool: Some(Tool::new(full.clone(), ToolKind::Internal)),
            counted: 3,
            exchange: Exchange {
                asked,
                results: vec![result],
                is_answered: true,
                has_spoken: true,
                unmet_reason: Some("tool_calls".to_owned()),
                broken: Some("cut".to_owned()),
                left_over: vec!["a part".to_owned()],
                unread: Vec::new(),
                history: SpanHistory {
                    calls: vec![full],
                    is_of_run: true,
                    orphans: 2,
                },
            },
            of_tool: Some(Box::default()),
            reply: Some(Text::new("reply")),
            agent: None,
            conversation: Some(Text::new("conversation")),
            part: Some(Text::new("planner")),
            join: Some(Text::new("refund-7")),
            input: Some(SpanInput::default()),
            expected: Some("[]".to_owned()),
            repeated_attributes: 129,
            earlier: vec!["a part".to_owned()],
            place: "in a span".to_owned(),
            is_of_model: true,
            may_be_tool: true,
            unread: vec![Suspect {
                name: Some(Text::new("n")),
                place: "p".to_owned(),
                ..Suspect::new("l", Doubt::Piece)
            }],
        };
        let mut bytes = Vec::new();
        stored.write(&mut bytes);
        assert_eq!(
            format!("{:?}", StoredSpan::read(&bytes)),
            format!("{:?}", Some(&stored))
        );
        assert!((0..bytes.len()).all(|length| StoredSpan::read(&bytes[..length]).is_none()));
    }
}
