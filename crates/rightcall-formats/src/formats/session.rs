//! Reads logs of session events, one session after another.

use rightcall_core::value::Text;

use crate::format::{FoundTraces, TraceReader, ValuePlace};
use crate::messages::ending::{FAILED, is_failure};
use crate::node::Node;
use crate::trace::unread::each_call_beside;
use crate::trace::{Conversation, Scope};

/// Reads the events of a format.
pub(super) trait SessionEvents: Send {
    /// Keys of event lists.
    const LISTS: &'static [&'static str] = &["events"];

    /// The session of an event; events without one continue the previous session.
    fn session(event: &Node<'_>) -> Option<Text<'static>> {
        _ = event;
        None
    }

    /// True if the event begins a new session, for formats whose events show where a session ends.
    fn is_over_before(&self, event: &Node<'_>) -> bool {
        _ = event;
        false
    }

    /// Reads the next event of a session.
    fn event(&mut self, event: &Node<'_>, scope: Scope, conversation: &mut Conversation);

    /// Called after the last event of the session.
    fn end(&mut self, conversation: &mut Conversation) {
        _ = conversation;
    }
}

/// Passes the events of each session to a separate reader.
pub(super) struct SessionReader<E> {
    scope: Scope,
    open: Option<OpenSession<E>>,
}

struct OpenSession<E> {
    line: u64,
    id: Option<Text<'static>>,
    events: E,
    conversation: Conversation,
}

impl<E: SessionEvents + Default + 'static> SessionReader<E> {
    pub(super) fn boxed(scope: Scope) -> Box<dyn TraceReader> {
        Box::new(Self { scope, open: None })
    }
}

impl<E: SessionEvents + Default> TraceReader for SessionReader<E> {
    fn value(&mut self, value: &Node<'_>, place: ValuePlace, found: &mut FoundTraces) {
        if self.each_item(value.inner_list(E::LISTS), place, found) {
            if let Some(open) = &mut self.open {
                each_call_beside(value, &mut |it| open.conversation.suspect(it));
            }
            // A row with an id is a separate run, even if a later row continues its session.
            if value.has("id") {
                self.finish(found);
            }
            return;
        }
        let id = E::session(value);
        let is_other = |open: &OpenSession<E>| {
            id.is_some() && open.id.is_some() && open.id != id || open.events.is_over_before(value)
        };
        if self.open.as_ref().is_some_and(is_other) {
            self.finish(found);
        }
        let scope = self.scope;
        let open = self.open.get_or_insert_with(|| {
            let mut conversation = Conversation::new(scope);
            conversation.drops_repeats = true;
            OpenSession {
                line: place.line,
                id: None,
                events: E::default(),
                conversation,
            }
        });
        if open.conversation.is_again(value) {
            return;
        }
        open.id = open.id.take().or(id);
        open.events.event(value, scope, &mut open.conversation);
        each_call_beside(value, &mut |it| open.conversation.suspect(it));
        if is_failure(value.inner(&["payload"])) {
            open.conversation.reply_broke(FAILED);
        }
    }

    fn finish(&mut self, found: &mut FoundTraces) -> bool {
        if let Some(mut open) = self.open.take() {
            open.events.end(&mut open.conversation);
            if open.id.is_some() {
                open.conversation.trace().id = open.id;
            }
            found.trace(open.line, open.conversation.finish());
        }
        false
    }
}
