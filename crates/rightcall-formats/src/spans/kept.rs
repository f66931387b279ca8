//! What is kept of a span until its trace is whole, as bytes that may wait on disk.

use rightcall::value::{Text, TextBuilder};

use super::dialects::{Exchange, Tool, ToolKind};
use crate::trace::conversation::CallResult;
use crate::trace::unread::{Doubt, Suspect};
use crate::trace::{Run, TraceArguments, TraceCall};

/// What is kept of a span.
#[derive(Debug, Default)]
pub(super) struct Kept {
    pub(super) trace: Text<'static>,
    pub(super) id: Text<'static>,
    pub(super) parent: Option<Text<'static>>,
    pub(super) start: Option<i128>,
    pub(super) end: Option<i128>,
    pub(super) tool: Option<Tool>,
    pub(super) exchange: Exchange,
    /// The agent that the span stands for.
    pub(super) agent: Option<Text<'static>>,
    pub(super) conversation: Option<Text<'static>>,
    /// The attribute by which runs are joined with cases.
    pub(super) join: Option<Text<'static>>,
    /// Attributes that were given more than once.
    pub(super) repeated_attributes: u64,
    /// True for the call of a model, whose answer was recorded.
    pub(super) is_of_model: bool,
    /// What looks like a call, where no call was read.
    pub(super) unread: Vec<Suspect>,
}

const KINDS: [ToolKind; 6] = [
    ToolKind::Certain,
    ToolKind::Marked,
    ToolKind::IfNoneIsMarked,
    ToolKind::Protocol,
    ToolKind::Merged,
    ToolKind::Internal,
];
const DOUBTS: [Doubt; 3] = [Doubt::None, Doubt::SameName, Doubt::Piece];
const RUNS: [Run; 3] = [Run::ByAgent, Run::ByProvider, Run::Not];

impl Kept {
    /// Appends all of it.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let out = &mut Writer(out);
        out.text(&self.trace);
        out.text(&self.id);
        out.optional(self.parent.as_ref(), Writer::text);
        out.optional(self.start.as_ref(), Writer::time);
        out.optional(self.end.as_ref(), Writer::time);
        out.optional(self.tool.as_ref(), |out, tool| {
            out.one_of(&KINDS, &tool.kind);
            out.call(&tool.call);
        });
        out.list(&self.exchange.asked, Writer::call);
        out.list(&self.exchange.results, |out, result| {
            out.optional(result.id.as_ref(), Writer::text);
            out.optional(result.name.as_ref(), Writer::text);
            out.optional(result.output.as_ref(), |out, json| {
                out.bytes(json.as_bytes())
            });
            out.optional(result.error.as_ref(), |out, json| {
                out.bytes(json.as_bytes())
            });
        });
        out.list(&self.exchange.history, Writer::call);
        out.0.push(u8::from(self.exchange.is_answered));
        out.optional(self.agent.as_ref(), Writer::text);
        out.optional(self.conversation.as_ref(), Writer::text);
        out.optional(self.join.as_ref(), Writer::text);
        out.number(self.repeated_attributes);
        out.0.push(u8::from(self.is_of_model));
        out.list(&self.unread, |out, suspect| {
            out.bytes(suspect.looks.as_bytes());
            out.optional(suspect.name.as_ref(), Writer::text);
            out.bytes(suspect.place.as_bytes());
            out.one_of(&DOUBTS, &suspect.doubt);
        });
    }

    /// Reads it back; `None` if the bytes are not what was written.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let from = &mut Reader(bytes);
        Some(Self {
            trace: from.text()?,
            id: from.text()?,
            parent: from.optional(Reader::text)?,
            start: from.optional(Reader::time)?,
            end: from.optional(Reader::time)?,
            tool: from.optional(|from| {
                Some(Tool {
                    kind: from.one_of(&KINDS)?,
                    call: from.call()?,
                })
            })?,
            exchange: Exchange {
                asked: from.list(Reader::call)?,
                results: from.list(|from| {
                    Some(CallResult {
                        id: from.optional(Reader::text)?,
                        name: from.optional(Reader::text)?,
                        output: from.optional(Reader::string)?,
                        error: from.optional(Reader::string)?,
                    })
                })?,
                history: from.list(Reader::call)?,
                is_answered: from.byte()? != 0,
            },
            agent: from.optional(Reader::text)?,
            conversation: from.optional(Reader::text)?,
            join: from.optional(Reader::text)?,
            repeated_attributes: from.number()?,
            is_of_model: from.byte()? != 0,
            unread: from.list(|from| {
                Some(Suspect {
                    looks: from.string()?,
                    name: from.optional(Reader::text)?,
                    place: from.string()?,
                    doubt: from.one_of(&DOUBTS)?,
                })
            })?,
        })
    }
}

struct Writer<'b>(&'b mut Vec<u8>);

impl Writer<'_> {
    /// Seven bits a byte, the lowest first.
    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    /// A text is its UTF-8, or else its code points.
    fn text(&mut self, text: &Text<'_>) {
        if simdutf8::basic::from_utf8(text.as_bytes()).is_ok() {
            self.0.push(0);
            self.bytes(text.as_bytes());
        } else {
            self.0.push(1);
            self.number(text.code_points().count() as u64);
            text.code_points()
                .for_each(|point| self.number(u64::from(point)));
        }
    }

    fn time(&mut self, time: &i128) {
        self.0.extend(time.to_le_bytes());
    }

    fn one_of<T: PartialEq>(&mut self, all: &[T], value: &T) {
        self.0
            .push(all.iter().position(|it| it == value).unwrap_or_default() as u8);
    }

    fn optional<T>(&mut self, value: Option<&T>, write: impl FnOnce(&mut Self, &T)) {
        self.0.push(u8::from(value.is_some()));
        if let Some(value) = value {
            write(self, value);
        }
    }

    fn list<T>(&mut self, list: &[T], write: impl Fn(&mut Self, &T)) {
        self.number(list.len() as u64);
        list.iter().for_each(|item| write(self, item));
    }

    fn call(&mut self, call: &TraceCall) {
        let TraceCall {
            name,
            arguments,
            id,
            tool_id,
            output,
            error,
            start,
            end,
            turn,
            group,
            actor,
            parent,
            run,
            source,
        } = call;
        self.text(name);
        match arguments {
            TraceArguments::Absent => self.0.push(0),
            TraceArguments::Json(json) => {
                self.0.push(1);
                self.bytes(json.as_bytes());
            }
            TraceArguments::Text(text) => {
                self.0.push(2);
                self.text(text);
            }
            TraceArguments::Free(text) => {
                self.0.push(3);
                self.text(text);
            }
        }
        for text in [id, tool_id, group, actor, source] {
            self.optional(text.as_ref(), Self::text);
        }
        for json in [output, error] {
            self.optional(json.as_ref(), |out, json| out.bytes(json.as_bytes()));
        }
        for time in [start, end] {
            self.optional(time.as_ref(), Self::time);
        }
        self.optional(turn.as_ref(), |out, turn| out.number(*turn));
        self.optional(parent.as_ref(), |out, parent| out.number(*parent as u64));
        self.one_of(&RUNS, run);
    }
}

struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(byte)
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    fn bytes(&mut self) -> Option<&'b [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    fn string(&mut self) -> Option<String> {
        simdutf8::basic::from_utf8(self.bytes()?)
            .ok()
            .map(ToOwned::to_owned)
    }

    fn text(&mut self) -> Option<Text<'static>> {
        if self.byte()? == 0 {
            return self.string().map(Text::from);
        }
        let mut text = TextBuilder::default();
        for _ in 0..self.number()? {
            text.push(u32::try_from(self.number()?).ok()?);
        }
        Some(text.finish())
    }

    fn time(&mut self) -> Option<i128> {
        let (time, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(i128::from_le_bytes(*time))
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> Option<T> {
        all.get(usize::from(self.byte()?)).copied()
    }

    #[expect(
        clippy::option_option,
        reason = "the outer one says whether it could be read"
    )]
    fn optional<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<Option<T>> {
        if self.byte()? == 0 {
            Some(None)
        } else {
            read(self).map(Some)
        }
    }

    fn list<T>(&mut self, read: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        (0..self.number()?).map(|_| read(self)).collect()
    }

    fn call(&mut self) -> Option<TraceCall> {
        let name = self.text()?;
        let arguments = match self.byte()? {
            0 => TraceArguments::Absent,
            1 => TraceArguments::Json(self.string()?),
            2 => TraceArguments::Text(self.text()?),
            _ => TraceArguments::Free(self.text()?),
        };
        let mut text = || self.optional(Self::text);
        let (id, tool_id, group, actor, source) = (text()?, text()?, text()?, text()?, text()?);
        Some(TraceCall {
            name,
            arguments,
            id,
            tool_id,
            group,
            actor,
            source,
            output: self.optional(Self::string)?,
            error: self.optional(Self::string)?,
            start: self.optional(Self::time)?,
            end: self.optional(Self::time)?,
            turn: self.optional(Self::number)?,
            parent: self.optional(Self::number)?.map(|parent| parent as usize),
            run: self.one_of(&RUNS)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(points: &[u32]) -> Text<'static> {
        let mut text = TextBuilder::default();
        points.iter().for_each(|&point| text.push(point));
        text.finish()
    }

    #[test]
    fn what_was_written_is_read_back() {
        let full = TraceCall {
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
            run: Run::Not,
            source: Some(Text::new("s")),
        };
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
            name: None,
            output: Some("1".to_owned()),
            error: None,
        };
        let kept = Kept {
            trace: Text::new("trace"),
            id: Text::new("span"),
            parent: Some(Text::new("p")),
            start: Some(1),
            end: None,
            tool: Some(Tool {
                call: full.clone(),
                kind: ToolKind::Internal,
            }),
            exchange: Exchange {
                asked,
                results: vec![result],
                is_answered: true,
                history: vec![full],
            },
            agent: None,
            conversation: Some(Text::new("conversation")),
            join: Some(Text::new("refund-7")),
            repeated_attributes: 129,
            is_of_model: true,
            unread: vec![Suspect {
                name: Some(Text::new("n")),
                place: "p".to_owned(),
                ..Suspect::new("l", Doubt::Piece)
            }],
        };
        let mut bytes = Vec::new();
        kept.write(&mut bytes);
        assert_eq!(
            format!("{:?}", Kept::read(&bytes)),
            format!("{:?}", Some(&kept))
        );
        assert!((0..bytes.len()).all(|length| Kept::read(&bytes[..length]).is_none()));
    }
}
