//! What the formats of chat messages share: where in a value the messages stand, what is a conversation of its own, streams.
//!
//! A [`Dialect`] knows one message of its format; everything around it is the same for all.

mod content;
mod pieces;

pub(crate) use content::{json_text, output_of};
pub(crate) use pieces::{ArgumentPieces, piece_index};

use rightcall::value::{Kind, Reader, Syntax, SyntaxError, Text};

use crate::format::{Found, Place, Reading, Recognition, Scope, TraceReader};
use crate::formats::FORMATS;
use crate::node::Node;
use crate::trace::conversation::Conversation;
use crate::trace::unread::Doubt;

/// A format of messages.
pub(crate) struct Dialect {
    /// What tells a message of the format, for people.
    pub(crate) mark: &'static str,
    /// True for a message that only this format has.
    pub(crate) decides: fn(&Node<'_>) -> bool,
    /// True for a whole value, such as a stored reply, that only this format has.
    pub(crate) owns: fn(&Node<'_>) -> bool,
    /// Reads one message or item.
    pub(crate) message: fn(&Node<'_>, &mut Conversation),
    /// True for an event of this format's streams.
    pub(crate) is_event: fn(&Node<'_>) -> bool,
    /// Puts the pieces of a stream together.
    pub(crate) stream: fn() -> Box<dyn Stream>,
}

/// Puts the pieces of a streamed reply together.
pub(crate) trait Stream: Send {
    /// The next event of the stream.
    fn event(&mut self, event: &Node<'_>, conversation: &mut Conversation);

    /// True for a value that is an event only because of the events before it.
    fn goes_on_with(&self, value: &Node<'_>) -> bool {
        _ = value;
        false
    }

    /// A value among the events that is none of them, or an event of what has not begun: a piece that it told is missing.
    fn pass(&mut self, value: &Node<'_>) {
        _ = value;
    }

    /// True for an event of another reply, which has nothing to do with the one that came before.
    fn is_over_before(&self, event: &Node<'_>) -> bool {
        _ = event;
        false
    }

    /// The stream has ended or broken off, or a whole message follows; another may begin.
    fn end(&mut self, conversation: &mut Conversation);
}

/// All formats of messages, in the order in which they are tested.
pub(crate) fn dialects() -> impl Iterator<Item = &'static Dialect> {
    FORMATS.iter().filter_map(|format| match format.reading {
        Reading::Messages(dialect) => Some(dialect),
        _ => None,
    })
}

/// Where messages stand in an object that holds them.
const LISTS: [&str; 9] = [
    "messages",
    "input",
    "contents",
    "items",
    "traj",
    "history",
    "conversation",
    "output",
    "steps",
];

/// Certain for values with a message that only this dialect has.
pub(crate) fn recognise(value: &Node<'_>, dialect: &Dialect) -> Recognition {
    if (dialect.is_event)(value)
        || (dialect.owns)(value)
        || !saved_events(value, dialect).is_empty()
    {
        return Recognition::Certain;
    }
    let conversations = conversations(value);
    let mut messages = conversations
        .iter()
        .flat_map(|(_, messages)| messages)
        .copied()
        .peekable();
    if messages.peek().is_none() {
        return Recognition::No;
    }
    if messages.any(dialect.decides) {
        return Recognition::Certain;
    }
    Recognition::Near {
        has: vec!["messages"],
        lacks: vec![dialect.mark],
    }
}

/// A conversation in a value: its name where the value gives one, and its messages.
pub(crate) type Messages<'n, 'a> = (Option<Text<'static>>, Vec<&'n Node<'a>>);

/// The conversations in a value: mostly one, but a list or a map may hold many.
pub(crate) fn conversations<'n, 'a>(value: &'n Node<'a>) -> Vec<Messages<'n, 'a>> {
    if let Some(messages) = messages_of(value) {
        return vec![(
            value.label_at(&["id", "conversation_id", "thread_id", "session_id"]),
            messages,
        )];
    }
    let all = |named: Vec<(Option<Text<'static>>, &'n Node<'a>)>| {
        let found: Vec<_> = named
            .iter()
            .map(|(name, node)| {
                let messages = if is_message(node) {
                    None
                } else {
                    messages_of(node)
                };
                Some((name.clone().or_else(|| node.label_at(&["id"])), messages?))
            })
            .collect();
        found
            .into_iter()
            .collect::<Option<Vec<_>>>()
            .unwrap_or_default()
    };
    if value.is_list() {
        return all(value.items().iter().map(|item| (None, item)).collect());
    }
    all(value
        .entries()
        .iter()
        .map(|(name, node)| (Some(name.clone().into_owned()), node))
        .collect())
}

/// The messages of one conversation; `None` for a value that is none.
fn messages_of<'n, 'a>(value: &'n Node<'a>) -> Option<Vec<&'n Node<'a>>> {
    let items = |node: &'n Node<'a>| node.items().iter().collect::<Vec<_>>();
    let is_conversation = |node: &Node<'_>| node.is_list() && node.items().iter().all(is_message);
    if value.is_list() {
        return (!value.items().is_empty() && is_conversation(value)).then(|| items(value));
    }
    if is_message(value) {
        return Some(vec![value]);
    }
    // Services that filter begin a stream with a chunk of no choice.
    let is_reply =
        |choices: &Node<'_>| !choices.items().is_empty() || value.says("object", "chat.completion");
    if let Some(choices) = value
        .get("choices")
        .filter(|choices| choices.is_list() && is_reply(choices))
    {
        return Some(
            choices
                .items()
                .iter()
                .filter_map(|choice| choice.get("message"))
                .collect(),
        );
    }
    if let Some(candidates) = value
        .get("candidates")
        .filter(|candidates| candidates.is_list())
    {
        return Some(
            candidates
                .items()
                .iter()
                .filter_map(|candidate| candidate.get("content"))
                .collect(),
        );
    }
    if let Some(message) = value
        .at(&["output", "message"])
        .or_else(|| value.get("message"))
        .filter(|it| it.is_object())
    {
        return Some(vec![message]);
    }
    let keys = match value.str_at("object") {
        Some("response") => &["output"][..],
        Some("interaction") => &["steps", "outputs"],
        _ => &LISTS,
    };
    let lists: Vec<_> = keys
        .iter()
        .filter_map(|key| value.get(key))
        .filter(|list| is_conversation(list))
        .collect();
    match lists[..] {
        [] => None,
        // What was put in, and what came out.
        [input, output]
            if value
                .get("output")
                .is_some_and(|node| std::ptr::eq(node, output)) =>
        {
            Some(items(input).into_iter().chain(items(output)).collect())
        }
        [first, ..] => Some(items(first)),
    }
}

/// True for the text of a value that is surely no part of a conversation over several values: told by a glance at its keys.
fn is_whole_conversation(text: &str) -> bool {
    let glance = || {
        let mut reader = Reader::new(text, Syntax::PYTHON);
        if reader.peek()? == Kind::List {
            let (mut first, mut items) = (reader.enter_list()?, 0);
            while items < 3 && reader.next_item(&mut first)? {
                reader.raw()?;
                items += 1;
            }
            // A pair may be a streamed message and what is known about it.
            return Ok(items != 2);
        }
        let (mut first, mut has_list) = (reader.enter_object()?, false);
        while let Some(key) = reader.next_key(&mut first)? {
            match key.as_str().unwrap_or_default() {
                // Keys of messages and events.
                "role" | "type" | "parts" | "toolCalls" | "kwargs" | "choices" | "object"
                | "event" => return Ok(false),
                "messages" | "contents" => has_list = reader.peek()? == Kind::List,
                _ => {}
            }
            reader.raw()?;
        }
        Ok::<_, SyntaxError>(has_list)
    };
    glance().unwrap_or(false)
}

fn is_message(node: &Node<'_>) -> bool {
    let is_word = |key: &str| node.str_at(key).is_some();
    is_word("role") && !node.has("messages")
        || is_word("type") && !node.has("payload")
        || node.get("parts").is_some_and(Node::is_list)
        || node.get("toolCalls").is_some_and(Node::is_list)
        || node.has("finishReason") && node.get("content").is_some_and(Node::is_list)
        || node.get("kwargs").is_some_and(Node::is_object) && !node.has("messages")
}

/// The events of a stream that was saved as a list, by itself or in an object, or a list of such; none for any other value.
fn saved_events<'n, 'a>(value: &'n Node<'a>, dialect: &Dialect) -> &'n [Node<'a>] {
    let list = value
        .any(&["chunks", "events"])
        .filter(|_| !is_message(value))
        .unwrap_or(value);
    let holds_events = |items: &[Node<'_>]| items.iter().any(dialect.is_event);
    let is_saved =
        holds_events(list.items()) || list.items().iter().any(|item| holds_events(item.items()));
    if is_saved { list.items() } else { &[] }
}

/// The dialect of values that belong together: that of their events, else of a whole reply, else of a message among them.
pub(crate) fn dialect_of(values: &[&Node<'_>]) -> Option<&'static Dialect> {
    let has = |test: fn(&Dialect, &Node<'_>) -> bool| {
        dialects().find(|dialect| values.iter().any(|value| test(dialect, value)))
    };
    has(|dialect, value| (dialect.is_event)(value))
        .or_else(|| has(|dialect, value| (dialect.owns)(value)))
        .or_else(|| {
            has(|dialect, value| {
                conversations(value)
                    .iter()
                    .any(|(_, messages)| messages.iter().any(|it| (dialect.decides)(it)))
            })
        })
}

/// Reads values that are one conversation: events, messages, and bodies that hold messages.
pub(crate) fn read_values(
    dialect: &Dialect,
    values: &[&Node<'_>],
    conversation: &mut Conversation,
) {
    let mut stream = (dialect.stream)();
    for value in values {
        if (dialect.is_event)(value) || stream.goes_on_with(value) {
            conversation.event(value, |conversation| stream.event(value, conversation));
            continue;
        }
        let conversations = conversations(value);
        if conversations.is_empty() {
            // What is known about a stream stands among its events, and ends nothing.
            stream.pass(value);
            conversation.look(value, 0, Doubt::SameName);
            continue;
        }
        stream.end(conversation);
        conversation.part(value, |conversation| {
            let messages = conversations.into_iter().flat_map(|(_, messages)| messages);
            messages.for_each(|message| (dialect.message)(message, conversation));
        });
    }
    stream.end(conversation);
}

/// Reads messages, and pieces of streamed ones among them.
fn read(dialect: &Dialect, messages: &[&Node<'_>], conversation: &mut Conversation) {
    let mut stream = (dialect.stream)();
    for message in messages {
        if (dialect.is_event)(message) {
            conversation.event(message, |conversation| stream.event(message, conversation));
        } else {
            stream.end(conversation);
            conversation.part(message, |conversation| {
                (dialect.message)(message, conversation)
            });
        }
    }
    stream.end(conversation);
}

/// Reads files of messages.
pub(crate) struct MessageReader {
    dialect: &'static Dialect,
    scope: Scope,
    /// A conversation that goes over several values: streamed events, or messages one a line.
    open: Option<(u64, Conversation, Box<dyn Stream>)>,
}

impl MessageReader {
    pub(crate) fn new(dialect: &'static Dialect, scope: Scope) -> Self {
        Self {
            dialect,
            scope,
            open: None,
        }
    }

    fn open(&mut self, line: u64) -> &mut (u64, Conversation, Box<dyn Stream>) {
        let new = || (line, Conversation::new(self.scope), (self.dialect.stream)());
        self.open.get_or_insert_with(new)
    }
}

impl TraceReader for MessageReader {
    fn value(&mut self, value: &Node<'_>, place: Place, found: &mut Found) {
        let dialect = self.dialect;
        let line = place.line;
        if !place.is_streamed
            && self
                .open
                .as_ref()
                .is_some_and(|(_, _, stream)| stream.is_over_before(value))
        {
            self.finish(found);
        }
        let goes_on = self
            .open
            .as_ref()
            .is_some_and(|(_, _, stream)| stream.goes_on_with(value));
        if place.is_streamed || goes_on || (dialect.is_event)(value) {
            let (_, conversation, stream) = self.open(line);
            conversation.event(value, |conversation| stream.event(value, conversation));
            return;
        }
        if value.is_object() && is_message(value) && !(dialect.owns)(value) {
            let (_, conversation, stream) = self.open(line);
            stream.end(conversation);
            conversation.part(value, |conversation| (dialect.message)(value, conversation));
            return;
        }
        let events = saved_events(value, dialect);
        if !events.is_empty() {
            self.finish(found);
            events
                .iter()
                .for_each(|event| self.value(event, place, found));
            self.finish(found);
            return;
        }
        let conversations = conversations(value);
        if let (true, Some((_, conversation, stream))) = (conversations.is_empty(), &mut self.open)
        {
            // What is known about a stream stands among its events, and ends nothing.
            stream.pass(value);
            return conversation.look(value, 0, Doubt::SameName);
        }
        self.finish(found);
        if conversations.is_empty() {
            // What holds no conversation may hold calls in a shape that is not known.
            let mut conversation = Conversation::new(self.scope);
            conversation.look(value, 0, Doubt::None);
            if conversation.has_suspects() {
                found.trace(line, conversation.finish());
            }
        }
        for (name, messages) in conversations {
            let mut conversation = Conversation::new(self.scope);
            conversation.trace().id = name;
            read(dialect, &messages, &mut conversation);
            found.trace(line, conversation.finish());
        }
    }

    fn for_lone_values(
        &self,
        mut texts: &mut dyn Iterator<Item = &str>,
    ) -> Option<Box<dyn TraceReader>> {
        let are_whole = self.open.is_none() && (&mut texts).all(is_whole_conversation);
        are_whole.then(|| Box::new(Self::new(self.dialect, self.scope)) as Box<dyn TraceReader>)
    }

    fn finish(&mut self, found: &mut Found) -> bool {
        if let Some((line, mut conversation, mut stream)) = self.open.take() {
            stream.end(&mut conversation);
            found.trace(line, conversation.finish());
        }
        false
    }
}

/// Reads a text of a format, which must be recognised, and compares its calls line by line; `---` stands between trajectories.
#[cfg(test)]
#[track_caller]
pub(crate) fn check(format: &str, text: &str, expected: &[&str]) {
    assert_eq!(
        crate::trace::shown(format, text, crate::Choices::default()),
        expected,
        "{text}"
    );
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn what_is_known_about_a_stream_is_no_trajectory_and_ends_none() {
        check(
            "bedrock",
            r#"{"messageStart":{"role":"assistant"}}
{"contentBlockStart":{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"a","name":"find"}}}}
{"contentBlockStop":{"contentBlockIndex":0}}
{"metadata":{"usage":{"inputTokens":1},"metrics":{"latencyMs":1}}}
{"messageStop":{"stopReason":"tool_use"}}
"#,
            &[r#"find("") a @0"#],
        );
        let call = r#"{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"find","arguments":"{}"}}]}}]}"#;
        let filtered =
            r#"{"id":"","object":"","choices":[],"prompt_filter_results":[{"prompt_index":0}]}"#;
        check(
            "openai-chat",
            &format!("{filtered}\n{call}\n{filtered}\n"),
            &[r#"find("{}") c @0"#],
        );
    }

    #[test]
    fn a_reply_without_a_choice_and_a_conversation_without_messages_are_runs_without_calls() {
        let call = r#"{"messages":[{"role":"assistant","tool_calls":[{"function":{"name":"find","arguments":"{}"}}]}]}"#;
        check(
            "openai-chat",
            &format!("{call}\n{{\"id\":\"e\",\"messages\":[]}}\n"),
            &[r#"find("{}") @0"#, "---"],
        );
    }
}
