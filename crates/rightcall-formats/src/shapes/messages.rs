//! Chat messages: those of `OpenAI`'s chat completions and of `LangChain`, and those whose content holds calls as blocks: of Anthropic,
//! Gemini, Bedrock and Vercel's AI SDK. A block that stands where a message should is a message of its own.

use rightcall::call::{ArgumentSource, Arguments, Call};
use rightcall::value::{Kind as JsonKind, Reader, Syntax, Text};

use super::calls::{entries, name_of};
use crate::case::{
    CallField, CallKeys, Fault, Result, Within, any_arguments, items, label, near, recorded,
    shortened,
};
use crate::trace::open_calls::OpenCalls;

/// The calls of a list of messages, of one message, or of an object that holds messages, with the outputs that answer them.
pub(super) fn calls(raw: &str, is_expected: bool) -> Result<Vec<Call<'_>>> {
    let mut conversation = Conversation {
        is_expected,
        ..Conversation::default()
    };
    let reader = &mut Reader::new(raw, Syntax::PYTHON);
    match reader.peek()? {
        JsonKind::List => conversation.list(reader)?,
        JsonKind::Object => {
            let mut message = Message::default();
            let mut holds_messages = false;
            entries(reader, |key, reader| match key.as_bytes() {
                b"messages" if reader.peek()? == JsonKind::List => {
                    holds_messages = true;
                    conversation.list(reader).within("messages")
                }
                _ => message.member(&key, reader),
            })?;
            if !holds_messages {
                conversation.add(message)?;
            }
        }
        _ => {}
    }
    Ok(conversation.calls)
}

/// Keys of messages under which other formats have calls.
const HOLDERS: [&str; 6] = [
    "toolInvocations",
    "tool_invocations",
    "tool_uses",
    "toolUses",
    "function_calls",
    "functionCalls",
];

/// What one message says of calls.
#[derive(Default)]
struct Message<'a> {
    role: Option<Text<'a>>,
    /// What stands for the role is the type of a message, or of an item in its place.
    role_is_a_type: bool,
    /// There are arguments beside the name, as in a call.
    has_arguments: bool,
    name: Option<Text<'a>>,
    calls: Vec<(Call<'a>, CallKeys)>,
    content: Option<&'a str>,
    call_id: Option<Text<'a>>,
    /// Its own id; in tau2-bench that of the call which it answers.
    id: Option<Text<'a>>,
    error: Option<&'a str>,
    /// Results that stand in one message.
    results: Vec<Self>,
    /// What its content holds of calls and results.
    blocks: Vec<Block<'a>>,
}

/// A part of the content of a message.
#[derive(Default)]
struct Block<'a> {
    kind: Kind,
    call: Call<'a>,
    keys: CallKeys,
    /// What is wrong with it, if it is a call.
    fault: Option<Fault>,
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
    fn from_kind(kind: &str) -> Self {
        match kind {
            "tool_use" | "tool-call" | "tool_call" | "server_tool_use" | "mcp_tool_use"
            | "function_call" | "server_tool_call" | "invalid_tool_call" => Self::Call,
            "tool-result" | "tool-error" | "function_call_output" => Self::Result,
            kind if kind.ends_with("tool_result") => Self::Result,
            _ => Self::Other,
        }
    }

    /// The same of a block, which is not to be passed over if its type sounds like a call.
    fn from_block(kind: &str) -> Result<Self> {
        match Self::from_kind(kind) {
            Self::Other
                if kind.ends_with("call")
                    || kind.contains("tool")
                    || kind.contains("function_call") =>
            {
                let found = format!("a block of the type `{}`", shortened(kind));
                Err(Fault::new("calls in a form that is known", found)
                    .help("see `rightcall formats` for what is read"))
            }
            known => Ok(known),
        }
    }
}

impl<'a> Block<'a> {
    fn member(&mut self, key: Text<'a>, reader: &mut Reader<'a>) -> Result<()> {
        // Gemini and Bedrock say by a key what stands under it.
        let inner = match key.as_bytes() {
            b"toolUse" | b"functionCall" | b"function_call" => Kind::Call,
            b"toolResult" | b"functionResponse" | b"function_response" => Kind::Result,
            _ => Kind::Other,
        };
        match key.as_bytes() {
            _ if inner != Kind::Other && reader.peek()? == JsonKind::Object => {
                self.kind = inner;
                entries(reader, |key, reader| self.member(key, reader))?;
            }
            b"type" if self.kind == Kind::Other => {
                self.kind = Kind::from_block(&name_of(reader)?.to_display())?;
            }
            b"id" | b"toolCallId" | b"toolUseId" | b"tool_use_id" | b"tool_call_id"
            | b"call_id"
                if is_label(reader)? =>
            {
                self.call.metadata_mut().id = label(reader)?;
            }
            b"content" | b"output" | b"result" | b"response" => self.output = recorded(reader)?,
            b"is_error" | b"isError" => {
                self.error = Some(reader.raw()?).filter(|&is_error| is_error == "true");
            }
            b"status" => self.error = Some(reader.raw()?).filter(|&status| status == "\"error\""),
            b"text" | b"thinking" | b"signature" => drop(reader.raw()?),
            _ => {
                // Whether it is a call at all may be told by a later key.
                let read = call_member(&mut self.call, &mut self.keys, key, &mut reader.clone());
                reader.raw()?;
                self.fault = self.fault.take().or(read.err());
            }
        }
        Ok(())
    }
}

impl<'a> Message<'a> {
    fn member(&mut self, key: &Text<'a>, reader: &mut Reader<'a>) -> Result<()> {
        match key.as_bytes() {
            b"role" => {
                self.role = Some(name_of(reader)?);
                self.role_is_a_type = false;
            }
            // LangChain's constructors hold the message one level down.
            b"type"
                if self
                    .role
                    .as_ref()
                    .is_none_or(|role| *role == *"constructor") =>
            {
                self.role = Some(name_of(reader)?);
                self.role_is_a_type = true;
            }
            b"name" => self.name = Some(name_of(reader)?),
            b"tool_calls" | b"toolCalls" | b"invalid_tool_calls"
                if reader.peek()? == JsonKind::List =>
            {
                let written = key.to_display();
                let calls = items(reader, |reader| {
                    self.calls.push(tool_call(reader)?);
                    Ok(())
                });
                calls.within(&written)?;
            }
            b"tool_messages" if reader.peek()? == JsonKind::List => {
                let mut first = reader.enter_list()?;
                while reader.next_item(&mut first)? {
                    let mut result = Message::default();
                    entries(reader, |key, reader| result.member(&key, reader))?;
                    self.results.push(result);
                }
            }
            b"function_call" if reader.peek()? == JsonKind::Object => {
                let call = tool_call(reader).within("function_call")?;
                self.calls.push(call);
            }
            b"content" | b"parts" => {
                if reader.peek()? == JsonKind::List {
                    self.read_blocks(&mut reader.clone())?;
                }
                self.content = recorded(reader)?;
            }
            b"tool_call_id" if is_label(reader)? => self.call_id = label(reader)?,
            b"id" if is_label(reader)? => self.id = label(reader)?,
            b"error" => {
                self.error = Some(reader.raw()?)
                    .filter(|&error| error == "true")
                    .or(self.error);
            }
            b"status" => self.error = Some(reader.raw()?).filter(|&status| status == "\"error\""),
            // LangChain's serialisations keep a message one level down.
            b"data" | b"kwargs" => entries(reader, |key, reader| self.member(&key, reader))?,
            _ => {
                let written = key.to_display();
                let may_hold_calls = matches!(reader.peek()?, JsonKind::List | JsonKind::Object);
                if may_hold_calls
                    && (HOLDERS.contains(&&*written) || near(&written, &["tool_calls"]).is_some())
                {
                    return Err(
                        Fault::slip("a key of a message", format!("the key `{written}`"))
                            .help("did you mean `tool_calls`?"),
                    );
                }
                self.has_arguments |= CallField::of(&written) == Some(CallField::Arguments);
                reader.raw()?;
            }
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
        self.role
            .as_ref()
            .is_some_and(|role| roles.iter().any(|name| role == name))
    }
}

fn block<'a>(reader: &mut Reader<'a>) -> Result<Block<'a>> {
    let mut block = Block::default();
    entries(reader, |key, reader| block.member(key, reader))?;
    Ok(block)
}

fn is_label(reader: &mut Reader<'_>) -> Result<bool> {
    Ok(matches!(
        reader.peek()?,
        JsonKind::String | JsonKind::Number
    ))
}

fn tool_call<'a>(reader: &mut Reader<'a>) -> Result<(Call<'a>, CallKeys)> {
    let (mut call, mut keys) = (Call::default(), CallKeys::default());
    entries(reader, |key, reader| match key.as_bytes() {
        b"id" if is_label(reader)? => {
            call.metadata_mut().id = label(reader)?;
            Ok(())
        }
        // Beside the call, not in it.
        b"type" | b"index" | b"error" | b"output" => Ok(reader.raw().map(drop)?),
        b"custom" if reader.peek()? == JsonKind::Object => entries(reader, |key, reader| {
            call_member(&mut call, &mut keys, key, reader)
        })
        .within("custom"),
        _ => call_member(&mut call, &mut keys, key, reader),
    })?;
    Ok((call, keys))
}

/// What a call in a message says of itself under any key but its id.
fn call_member<'a>(
    call: &mut Call<'a>,
    keys: &mut CallKeys,
    key: Text<'a>,
    reader: &mut Reader<'a>,
) -> Result<()> {
    match key.as_bytes() {
        b"name" => {
            if keys.begin(CallField::Name, "name", call, reader)? {
                call.name = name_of(reader)?;
            }
        }
        b"requestor" if reader.peek()? == JsonKind::String => {
            call.metadata_mut().actor = Some(reader.string()?);
        }
        _ => keys.other(call, key, reader, given_arguments)?,
    }
    Ok(())
}

/// Arguments of any kind; null says that none were recorded.
fn given_arguments<'a>(reader: &mut Reader<'a>) -> Result<Arguments<'a>> {
    let arguments = any_arguments(reader)?;
    let is_null = arguments.source() == ArgumentSource::Json("null");
    Ok(if is_null {
        Arguments::default()
    } else {
        arguments
    })
}

/// The calls so far, and those that no result has answered yet.
#[derive(Default)]
struct Conversation<'a> {
    calls: Vec<Call<'a>>,
    open: OpenCalls<'a>,
    turn: u64,
    is_expected: bool,
}

impl<'a> Conversation<'a> {
    fn list(&mut self, reader: &mut Reader<'a>) -> Result<()> {
        items(reader, |reader| self.item(reader))
    }

    fn item(&mut self, reader: &mut Reader<'a>) -> Result<()> {
        let mut again = reader.clone();
        let mut message = Message::default();
        entries(reader, |key, reader| message.member(&key, reader))?;
        let role = message
            .role
            .as_ref()
            .map(Text::to_display)
            .unwrap_or_default();
        let is_message = !message.role_is_a_type || role == "tool" || role.contains("Message");
        let kind = if is_message {
            Kind::from_kind(&role)
        } else {
            Kind::from_block(&role)?
        };
        if role.is_empty() && message.name.is_some() && message.has_arguments {
            let help = "calls and messages do not stand in one list: write either";
            return Err(Fault::new("a message, as others in the list are", "a call").help(help));
        }
        if kind != Kind::Other {
            message = Message {
                role: Some("assistant".into()),
                blocks: vec![block(&mut again)?],
                ..Message::default()
            };
        }
        self.add(message)
    }

    fn add(&mut self, mut message: Message<'a>) -> Result<()> {
        // What LangChain lists apart is in the content of some models too.
        let calls_are_apart = !message.calls.is_empty();
        let mut has_results = false;
        for block in message.blocks.drain(..) {
            match block.kind {
                Kind::Other => {}
                Kind::Call if calls_are_apart => {}
                Kind::Call => match block.fault {
                    Some(fault) => return Err(fault),
                    None => message.calls.push((block.call, block.keys)),
                },
                Kind::Result => {
                    has_results = true;
                    let name = Some(&block.call.name).filter(|name| !name.is_empty());
                    self.answer(
                        block.call.metadata().id.as_ref(),
                        name,
                        block.output,
                        block.error,
                    );
                }
            }
        }
        // Whoever asks for calls in a message makes them: mostly the agent, in tau2-bench a simulated user too.
        let by_user = message.is_of(&["user", "human", "HumanMessage"]);
        if !message.calls.is_empty() {
            let group =
                (message.calls.len() > 1).then(|| Text::from(format!("turn-{}", self.turn)));
            self.open.begin_group();
            for (mut call, keys) in message.calls.drain(..) {
                if !keys.has_name() {
                    return Err(Fault::new("the name of a tool", "nothing"));
                }
                keys.finish(&call, self.is_expected)?;
                call.metadata_mut().turn = Some(self.turn);
                call.metadata_mut().group.clone_from(&group);
                if call
                    .metadata()
                    .actor
                    .as_ref()
                    .is_some_and(|actor| *actor == *"assistant")
                {
                    call.metadata_mut().actor = None;
                } else if by_user && call.metadata().actor.is_none() {
                    call.metadata_mut().actor = Some(Text::new("user"));
                }
                self.open.open(call.metadata().id.as_ref(), &call.name);
                self.calls.push(call);
            }
        } else if message.is_of(&["tool", "function", "ToolMessage"]) && !has_results {
            let results = std::mem::take(&mut message.results);
            for result in if results.is_empty() {
                vec![message]
            } else {
                results
            } {
                let id = result
                    .call_id
                    .as_ref()
                    .or(result.id.as_ref().filter(|id| self.open.knows_id(id)));
                self.answer(id, result.name.as_ref(), result.content, result.error);
            }
        }
        self.turn += 1;
        Ok(())
    }

    fn answer(
        &mut self,
        id: Option<&Text<'a>>,
        name: Option<&Text<'a>>,
        output: Option<&'a str>,
        error: Option<&'a str>,
    ) {
        if let Some(index) = self.open.answer(id, name) {
            self.calls[index].metadata_mut().output = output;
            self.calls[index].metadata_mut().error = error;
        }
    }
}
