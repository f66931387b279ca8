//! What is peculiar to the messages of one format.

use crate::node::Node;
use crate::trace::conversation::Conversation;

/// A format of messages.
pub(crate) struct MessageDialect {
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
    /// Puts the pieces of a stream together, where messages are streamed.
    pub(crate) stream: Option<fn() -> Box<dyn Stream>>,
    /// True for a message of the format that has neither a role nor a type.
    pub(crate) is_message: fn(&Node<'_>) -> bool,
    /// Keys by which messages and events of the format differ from an object that holds a whole conversation.
    pub(crate) keys: &'static [&'static str],
    /// The messages in a reply, where they stand as in no other format.
    pub(crate) reply: for<'n, 'a> fn(&'n Node<'a>) -> Option<Vec<&'n Node<'a>>>,
    /// What replies say they are as `object`, and the keys of the lists of messages in them.
    pub(crate) object: Option<(&'static str, &'static [&'static str])>,
    /// The key of a list of messages, where it is none of the usual ones.
    pub(crate) list: Option<&'static str>,
    /// True for the format that messages of text alone are taken for: they are read the same in every format.
    pub(crate) takes_plain_text: bool,
}

impl MessageDialect {
    /// A dialect of which nothing is known yet.
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
        takes_plain_text: false,
    };

    /// Puts the pieces of one stream together.
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
    fn end(&mut self, conversation: &mut Conversation) {
        _ = conversation;
    }
}
