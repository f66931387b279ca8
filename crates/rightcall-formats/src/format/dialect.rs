//! The specifics of one message format.

use crate::node::Node;
use crate::trace::conversation::Conversation;

/// A format of messages.
pub(crate) struct MessageDialect {
    /// A description of the format's distinctive message, for people.
    pub(crate) mark: &'static str,
    /// True for a message that occurs only in this format.
    pub(crate) decides: fn(&Node<'_>) -> bool,
    /// True for a whole value, such as a stored reply, that occurs only in this format.
    pub(crate) owns: fn(&Node<'_>) -> bool,
    /// Reads one message or item.
    pub(crate) message: fn(&Node<'_>, &mut Conversation),
    /// True for an event of this format's streams.
    pub(crate) is_event: fn(&Node<'_>) -> bool,
    /// Assembles the pieces of a stream, if the format has streams.
    pub(crate) stream: Option<fn() -> Box<dyn Stream>>,
    /// True for a message of the format that has neither a role nor a type.
    pub(crate) is_message: fn(&Node<'_>) -> bool,
    /// Keys that distinguish messages and events of the format from an object with a whole conversation.
    pub(crate) keys: &'static [&'static str],
    /// The messages in a reply, if the format has its own place for them.
    pub(crate) reply: for<'n, 'a> fn(&'n Node<'a>) -> Option<Vec<&'n Node<'a>>>,
    /// The value of `object` in replies, and the keys of their message lists.
    pub(crate) object: Option<(&'static str, &'static [&'static str])>,
    /// The key of the message list, if it is an unusual one.
    pub(crate) list: Option<&'static str>,
    /// True for a message on a separate line that begins another run.
    pub(crate) begins_run: fn(&Node<'_>) -> bool,
    /// True if a message is a later state of the one before, and replaces it.
    pub(crate) replaces: fn(&Node<'_>, &Node<'_>) -> bool,
    /// True if a file may hold the states of a run, each with the messages of the one before.
    pub(crate) has_states: bool,
    /// True for the format that plain text messages are assigned to. They are read the same way in every format.
    pub(crate) takes_plain_text: bool,
}

impl MessageDialect {
    /// Defaults for a new dialect.
    pub(crate) const BASE: Self = Self {
        mark: "",
        decides: |_| false,
        owns: |_| false,
        message: |_, _| {},
        is_event: |_| false,
        stream: None,
        is_message: |_| false,
        keys: &[],
        reply: |_| None,
        object: None,
        list: None,
        begins_run: |_| false,
        replaces: |_, _| false,
        has_states: false,
        takes_plain_text: false,
    };

    /// A new assembler for one stream.
    pub(crate) fn new_stream(&self) -> Box<dyn Stream> {
        match self.stream {
            Some(new) => new(),
            None => Box::new(WholeMessages(self.message)),
        }
    }
}

/// A stream of whole messages.
struct WholeMessages(fn(&Node<'_>, &mut Conversation));

impl Stream for WholeMessages {
    fn event(&mut self, event: &Node<'_>, conversation: &mut Conversation) {
        (self.0)(event, conversation);
    }
}

/// Assembles the pieces of a streamed reply.
pub(crate) trait Stream: Send {
    /// Handles the next event of the stream.
    fn event(&mut self, event: &Node<'_>, conversation: &mut Conversation);

    /// True for a value that is an event only in the context of the earlier ones.
    fn goes_on_with(&self, value: &Node<'_>) -> bool {
        _ = value;
        false
    }

    /// Handles a value that is not an event, or an event of an item that never started: a piece is missing.
    fn pass(&mut self, value: &Node<'_>) {
        _ = value;
    }

    /// True for an event of a new reply, unrelated to the current one.
    fn is_over_before(&self, event: &Node<'_>) -> bool {
        _ = event;
        false
    }

    /// Handles the end of the stream: it ended, broke off, or a whole message follows. Another stream may begin.
    fn end(&mut self, conversation: &mut Conversation) {
        _ = conversation;
    }
}
