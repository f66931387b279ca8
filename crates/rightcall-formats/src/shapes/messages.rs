//! Chat messages: those of `OpenAI`'s chat completions and of `LangChain`, and those whose content holds calls as blocks: of Anthropic,
//! Gemini, Bedrock and Vercel's AI SDK. A block that stands where a message should is a message of its own.

use rightcall::call::{ArgumentSource, Arguments, Call};
use rightcall::value::{Kind as JsonKind, Reader, Syntax, Text};

use super::calls::{members, name_of};
use crate::case::{Fault, Result, any_arguments, label, recorded, shortened};
use crate::trace::open_calls::OpenCalls;

/// The calls of a list of messages, of one message, or of an object that holds messages, with the outputs that answer them.
pub(super) fn calls(raw: &str) -> Result<Vec<Call<'_>>> {
    let mut conversation = Conversation::default();
    let reader = &mut Reader::new(raw, Syntax::PYTHON);
    match reader.peek()? {
        JsonKind::List => conversation.list(reader)?,
        JsonKind::Object => {
            let mut message = Message::default();
            let mut holds_messages = false;
            members(reader, |key, reader| match key {
                b"messages" if reader.peek()? == JsonKind::List => {
                    holds_messages = true;
                    conversation.list(reader)
                }
                _ => message.member(key, reader),
            })?;
            if !holds_messages {
                conversation.add(message);
            }
        }
        _ => {}
    }
    Ok(conversation.calls)
}

/// What one message says of calls.
#[derive(Default)]
struct Message<'a> {
    role: Option<Text<'a>>,
    name: Option<Text<'a>>,
    calls: Vec<Call<'a>>,
    content: Option<&'a str>,
    call_id: Option<Text<'a>>,
    error: Option<&'a str>,
    /// What its content holds of calls and results.
    blocks: Vec<Block<'a>>,
}

/// A part of the content of a message.
#[derive(Default)]
struct Block<'a> {
    kind: Kind,
    call: Call<'a>,
    output: Option<&'a str>,
    error: Option<&'a str>,
}

/// What a block holds.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Kind {
    /// Text, images and the like.
    #[default]
    Other,
    Call,
    Result,
}

impl Kind {
    /// By the type that a block or, in its place, a message says it has.
    fn of(kind: &str) -> Self {
        match kind {
            "tool_use" | "tool-call" | "tool_call" | "server_tool_use" | "mcp_tool_use" | "function_call"
            | "server_tool_call" | "invalid_tool_call" => Self::Call,
            "tool-result" | "tool-error" | "function_call_output" => Self::Result,
            kind if kind.ends_with("tool_result") => Self::Result,
            _ => Self::Other,
        }
    }

    /// The same of a block, which is not to be passed over if its type sounds like a call.
    fn of_block(kind: &str) -> Result<Self> {
        match Self::of(kind) {
            Self::Other if kind.ends_with("call") || kind.ends_with("tool_use") => {
                let found = format!("a block of the type `{}`", shortened(kind));
                Err(Fault::new("calls in a form that is known", found).help("see `rightcall formats` for what is read"))
            }
            known => Ok(known),
        }
    }
}

impl<'a> Block<'a> {
    fn member(&mut self, key: &[u8], reader: &mut Reader<'a>) -> Result<()> {
        // Gemini and Bedrock say by a key what stands under it.
        let inner = match key {
            b"toolUse" | b"functionCall" | b"function_call" => Kind::Call,
            b"toolResult" | b"functionResponse" | b"function_response" => Kind::Result,
            _ => Kind::Other,
        };
        match key {
            _ if inner != Kind::Other && reader.peek()? == JsonKind::Object => {
                self.kind = inner;
                members(reader, |key, reader| self.member(key, reader))?;
            }
            b"type" if self.kind == Kind::Other => self.kind = Kind::of_block(&name_of(reader)?.to_display())?,
            b"id" | b"toolCallId" | b"toolUseId" | b"tool_use_id" | b"tool_call_id" | b"call_id" if is_label(reader)? => {
                self.call.id = label(reader)?;
            }
            b"name" | b"toolName" => self.call.name = name_of(reader)?,
            b"input" | b"args" | b"arguments" => self.call.arguments = any_arguments(reader)?,
            b"content" | b"output" | b"result" | b"response" => self.output = recorded(reader)?,
            b"is_error" | b"isError" => self.error = Some(reader.raw()?).filter(|&is_error| is_error == "true"),
            b"status" => self.error = Some(reader.raw()?).filter(|&status| status == "\"error\""),
            _ => drop(reader.raw()?),
        }
        Ok(())
    }
}

impl<'a> Message<'a> {
    fn member(&mut self, key: &[u8], reader: &mut Reader<'a>) -> Result<()> {
        match key {
            b"role" => self.role = Some(name_of(reader)?),
            b"type" if self.role.is_none() => self.role = Some(name_of(reader)?),
            b"name" => self.name = Some(name_of(reader)?),
            b"tool_calls" | b"invalid_tool_calls" if reader.peek()? == JsonKind::List => {
                let mut first = reader.enter_list()?;
                while reader.next_item(&mut first)? {
                    let mut call = Call::default();
                    members(reader, |key, reader| tool_call(&mut call, key, reader))?;
                    self.calls.push(call);
                }
            }
            b"function_call" if reader.peek()? == JsonKind::Object => {
                let mut call = Call::default();
                members(reader, |key, reader| tool_call(&mut call, key, reader))?;
                self.calls.push(call);
            }
            b"content" | b"parts" => {
                if reader.peek()? == JsonKind::List {
                    self.read_blocks(&mut reader.clone())?;
                }
                self.content = recorded(reader)?;
            }
            b"tool_call_id" if is_label(reader)? => self.call_id = label(reader)?,
            b"status" => self.error = Some(reader.raw()?).filter(|&status| status == "\"error\""),
            // LangChain's serialisations keep a message one level down.
            b"data" | b"kwargs" => members(reader, |key, reader| self.member(key, reader))?,
            _ => drop(reader.raw()?),
        }
        Ok(())
    }

    fn read_blocks(&mut self, reader: &mut Reader<'a>) -> Result<()> {
        let mut first = reader.enter_list()?;
        while reader.next_item(&mut first)? {
            if reader.peek()? == JsonKind::Object {
                self.blocks.push(block(reader)?);
            } else {
                reader.raw()?;
            }
        }
        Ok(())
    }

    fn is_of(&self, roles: &[&str]) -> bool {
        self.role.as_ref().is_some_and(|role| roles.iter().any(|name| role == name))
    }
}

fn block<'a>(reader: &mut Reader<'a>) -> Result<Block<'a>> {
    let mut block = Block::default();
    members(reader, |key, reader| block.member(key, reader))?;
    Ok(block)
}

fn is_label(reader: &mut Reader<'_>) -> Result<bool> {
    Ok(matches!(reader.peek()?, JsonKind::String | JsonKind::Number))
}

fn tool_call<'a>(call: &mut Call<'a>, key: &[u8], reader: &mut Reader<'a>) -> Result<()> {
    match key {
        b"id" if is_label(reader)? => call.id = label(reader)?,
        b"name" => call.name = name_of(reader)?,
        b"args" | b"arguments" | b"input" => {
            let arguments = any_arguments(reader)?;
            let is_null = arguments.source() == ArgumentSource::Json("null");
            call.arguments = if is_null { Arguments::default() } else { arguments };
        }
        b"function" | b"custom" => members(reader, |key, reader| tool_call(call, key, reader))?,
        _ => drop(reader.raw()?),
    }
    Ok(())
}

/// The calls so far, and those that no result has answered yet.
#[derive(Default)]
struct Conversation<'a> {
    calls: Vec<Call<'a>>,
    open: OpenCalls<'a>,
    turn: u64,
}

impl<'a> Conversation<'a> {
    fn list(&mut self, reader: &mut Reader<'a>) -> Result<()> {
        let mut first = reader.enter_list()?;
        while reader.next_item(&mut first)? {
            let mut again = reader.clone();
            let mut message = Message::default();
            members(reader, |key, reader| message.member(key, reader))?;
            if message.role.as_ref().is_some_and(|role| Kind::of(&role.to_display()) != Kind::Other) {
                message = Message { role: Some("assistant".into()), blocks: vec![block(&mut again)?], ..Message::default() };
            }
            self.add(message);
        }
        Ok(())
    }

    fn add(&mut self, mut message: Message<'a>) {
        // What LangChain lists apart is in the content of some models too.
        let calls_are_apart = !message.calls.is_empty();
        let mut has_results = false;
        for block in message.blocks.drain(..) {
            match block.kind {
                Kind::Other => {}
                Kind::Call if calls_are_apart => {}
                Kind::Call => message.calls.push(block.call),
                Kind::Result => {
                    has_results = true;
                    let name = Some(&block.call.name).filter(|name| !name.is_empty());
                    self.answer(block.call.id.as_ref(), name, block.output, block.error);
                }
            }
        }
        if message.is_of(&["assistant", "ai", "AIMessage", "AIMessageChunk", "model"]) {
            let group = (message.calls.len() > 1).then(|| Text::from(format!("turn-{}", self.turn)));
            if !message.calls.is_empty() {
                self.open.begin_group();
            }
            for mut call in message.calls.drain(..) {
                call.turn = Some(self.turn);
                call.group.clone_from(&group);
                self.open.open(call.id.as_ref(), &call.name);
                self.calls.push(call);
            }
        } else if message.is_of(&["tool", "function", "ToolMessage"]) && !has_results {
            self.answer(message.call_id.as_ref(), message.name.as_ref(), message.content, message.error);
        }
        self.turn += 1;
    }

    fn answer(&mut self, id: Option<&Text<'a>>, name: Option<&Text<'a>>, output: Option<&'a str>, error: Option<&'a str>) {
        if let Some(index) = self.open.answer(id, name) {
            self.calls[index].output = output;
            self.calls[index].error = error;
        }
    }
}
