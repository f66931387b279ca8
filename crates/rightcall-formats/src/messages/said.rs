//! Messages that were on separate lines, to recognize a list that repeats them.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::iter::once;

use super::conversations::{FoundConversation, is_plain_text};
use crate::node::Node;

/// Hashes of the messages of an open conversation.
#[derive(Default)]
pub(super) struct Said(HashSet<u64>);

impl Said {
    /// Keeps a message, or the message in an event.
    pub(super) fn add(&mut self, value: &Node<'_>) {
        let inner = value.get("message").filter(|it| it.is_object());
        self.0.extend(once(value).chain(inner).map(hash_of));
    }

    /// True for a conversation that only repeats these messages, as the last event of a stream does.
    pub(super) fn is_repeated(&self, conversations: &[FoundConversation<'_, '_>]) -> bool {
        let [FoundConversation { messages, .. }] = conversations else {
            return false;
        };
        let is_known = |message: &Node<'_>| self.0.contains(&hash_of(message));
        messages.iter().any(|it| is_known(it))
            && messages.iter().all(|it| is_known(it) || is_plain_text(it))
    }
}

/// The hash of the content of a message; a copy of the message may have other notes next to it.
fn hash_of(message: &Node<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    let content = message.get("content").unwrap_or(message);
    content.raw().hash(&mut hasher);
    hasher.finish()
}
