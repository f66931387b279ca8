//! Reads messages in the returned state of a graph, chain or agent. They count if no other span
//! shows the calls.

use std::iter::once;

use rightcall_core::value::Text;

use super::observations::PLATFORMS;
use crate::messages::conversations::{conversations, dialect_of};
use crate::messages::speaker::{is_of_model, words_of_user};
use crate::node::Node;
use crate::spans::dialect::{Exchange, SpanHistory};
use crate::spans::kind::is_of_model as is_span_of_model;
use crate::spans::span::{Attribute, TraceSpan};
use crate::trace::{Conversation, Scope, Suspect, Trace};

/// Reads the returned state of a span, if the span has no other data on calls.
pub(super) fn read(span: &TraceSpan<'_>, exchange: &mut Exchange) {
    let attributes = &span.attributes;
    let is_open =
        !exchange.is_answered && exchange.asked.is_empty() && exchange.history.calls.is_empty();
    let mut keys = ["output.value", "traceloop.entity.output"]
        .into_iter()
        .chain(PLATFORMS.iter().map(|platform| platform.output));
    let output = keys.find_map(|key| attributes.get(key));
    let Some(output) = output.filter(|output| is_open && may_hold_replies(output)) else {
        return;
    };
    if is_span_of_model(span) {
        return;
    }
    let mut keys = ["input.value", "traceloop.entity.input"]
        .into_iter()
        .chain(PLATFORMS.iter().map(|platform| platform.input));
    let input = keys.find_map(|key| attributes.get(key));
    output.read(|output| {
        let Some(messages) = messages_in(output) else {
            return;
        };
        let question = input.and_then(|input| input.read(last_question)).flatten();
        let last = |question: &Text<'static>| {
            let is_asked = |message: &&Node<'_>| words_of_user(message).as_ref() == Some(question);
            messages.iter().rposition(is_asked)
        };
        // Messages before the question in the input belong to an earlier run.
        let from = question.as_ref().and_then(last);
        let run_messages = &messages[from.unwrap_or_default()..];
        let is_question = |message: &&Node<'_>| words_of_user(message).is_some();
        let turn = run_messages
            .iter()
            .rposition(is_question)
            .unwrap_or_default();
        let replies = run_messages[turn..]
            .iter()
            .filter(|message| is_of_model(message));
        replies.for_each(|message| exchange.note_message(message));
        let (run, unread) = read_run(run_messages);
        exchange.unread.extend(unread);
        exchange.history = SpanHistory {
            is_of_run: question.is_some(),
            ..SpanHistory::of(run)
        };
    });
}

/// The user's last text in the input messages.
fn last_question(input: &Node<'_>) -> Option<Text<'static>> {
    let messages = messages_in(input)?;
    messages.into_iter().rev().find_map(words_of_user)
}

/// True for a value that may contain a message of an agent.
fn may_hold_replies(value: &Attribute<'_>) -> bool {
    let Some(text) = value.source() else {
        return false;
    };
    ["assistant", "ai\"", "AIMessage", "model\""]
        .iter()
        .any(|word| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some())
}

/// The messages of a state, possibly wrapped.
fn messages_in<'n, 'a>(state: &'n Node<'a>) -> Option<Vec<&'n Node<'a>>> {
    let keys = ["output", "outputs", "input", "inputs", "state", "values"].iter();
    let wrapped = keys.filter_map(|key| state.get(key));
    wrapped
        .filter(|inner| !inner.entries().is_empty() || inner.is_list())
        .chain(once(state))
        .find_map(|state| {
            let mut found = conversations(state).into_iter();
            let messages = found.next().filter(|_| found.next().is_none());
            messages.map(|found| found.messages)
        })
}

/// Reads the calls and results in messages. Also returns call-like values that were not read.
fn read_run(messages: &[&Node<'_>]) -> (Trace, Vec<Suspect>) {
    let mut conversation = Conversation::new(Scope::default());
    if let Some(dialect) = dialect_of(messages) {
        for message in messages {
            conversation.part(message, |conversation| {
                (dialect.message)(message, conversation);
            });
        }
    }
    let unread = conversation.unread();
    (conversation.finish(), unread)
}
