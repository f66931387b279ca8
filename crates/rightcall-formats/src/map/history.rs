//! The messages of a record.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::messages::conversations::conversations;
use crate::node::Node;

/// The messages of a record, and the number of its calls that are in them.
#[derive(Debug, Default)]
pub(super) struct History {
    /// A hash of each message.
    pub(super) messages: Vec<u64>,
    /// These calls come first in the record.
    pub(super) calls: usize,
}

impl History {
    pub(super) fn new(messages: &Node<'_>, calls: usize) -> Self {
        let found = conversations(messages);
        let messages = found.iter().flat_map(|it| &it.messages);
        Self {
            messages: messages.map(|message| hash_of(message)).collect(),
            calls,
        }
    }
}

fn hash_of(message: &Node<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    message.raw().hash(&mut hasher);
    hasher.finish()
}
