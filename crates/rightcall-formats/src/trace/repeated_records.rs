//! Records that came before: streams that reconnect, and pages that overlap, repeat records with their ids.

use std::collections::HashSet;
use std::hash::Hasher;

use siphasher::sip128::{Hasher128, SipHasher13};

use super::unread::looks::number_of_suspects;
use crate::node::Node;

/// The records of a run that have ids of their own.
#[derive(Debug, Default)]
pub(crate) struct RepeatedRecords(HashSet<u128>);

impl RepeatedRecords {
    /// The number of call-like values in a record that came before, id and all; `None` for a new record, or one without an id.
    pub(crate) fn again(&mut self, record: &Node<'_>) -> Option<usize> {
        const IDS: [&str; 4] = ["id", "uuid", "event_id", "message_id"];
        let id = record.label_at(&IDS).filter(|id| !id.is_empty());
        (id.is_some() && !self.0.insert(hash(record))).then(|| number_of_suspects(record))
    }
}

fn hash(record: &Node<'_>) -> u128 {
    let mut hasher = SipHasher13::new();
    hasher.write(record.raw().as_bytes());
    hasher.finish128().as_u128()
}
