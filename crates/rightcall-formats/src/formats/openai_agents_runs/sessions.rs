//! Rows of the sessions that the SDK stores in `SQLite`: each has an item as JSON text.

use rightcall_core::value::{MAX_DEPTH, Text};

use super::raw_item;
use crate::format::FoundTraces;
use crate::messages::speaker::{keep_question, name_speaker};
use crate::node::Node;
use crate::trace::{Conversation, Scope};

/// The sessions in a table, in order of their first rows.
#[derive(Default)]
pub(super) struct Sessions(Vec<(Text<'static>, u64, Conversation)>);

/// True for a row of a session.
pub(super) fn is_row(value: &Node<'_>) -> bool {
    value.has("session_id") && value.str_at("message_data").is_some()
}

impl Sessions {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a row to its session.
    pub(super) fn row(&mut self, row: &Node<'_>, scope: Scope, line: u64) {
        let session = row.label_at(&["session_id"]).unwrap_or_default();
        let known = self.0.iter().rposition(|(id, ..)| *id == session);
        let place = known.unwrap_or(self.0.len());
        if known.is_none() {
            let mut conversation = Conversation::new(scope);
            conversation.trace().id = Some(session.clone());
            self.0.push((session, line, conversation));
        }
        let conversation = &mut self.0[place].2;
        let text = row.str_at("message_data").unwrap_or_default();
        match Node::parse(text, MAX_DEPTH) {
            Ok(item) => {
                keep_question(&item, conversation);
                name_speaker(&item, conversation);
                conversation.part(&item, |conversation| raw_item(&item, conversation));
            }
            Err(_) => conversation.left_over("a row that is not JSON"),
        }
    }

    /// Ends all sessions.
    pub(super) fn end(&mut self, found: &mut FoundTraces) {
        for (_, line, conversation) in std::mem::take(&mut self.0) {
            found.trace(line, conversation.finish());
        }
    }
}
