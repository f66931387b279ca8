//! Reads complete or streamed messages as conversations.

use super::actions::{
    may_act, note_action, note_beside, note_record, note_typed_record, note_untyped_record,
};
use super::conversations::{
    FoundConversation, conversations, first_message, is_message, is_whole_conversation,
    numbered_row, saved_events,
};
use super::dialects::{dialects, openai_chat};
use super::ending::{FAILED, is_failure, is_reply, note_ending};
use super::in_text::read_text;
use super::parts::{CONTENTS, holds_object};
use super::said::Said;
use super::speaker::{is_of_model, keep_question, name_speaker, note_session};
use super::states::State;
use super::stringified::unpacked;
use crate::case::may_hold_expectation;
use crate::format::{FoundTraces, MessageDialect, Stream, TraceReader, ValuePlace};
use crate::node::Node;
use crate::place::PartLines;
use crate::trace::role::is_of_user;
use crate::trace::{Conversation, Doubt, LeftOut, Scope, Trace, count_suspects, look_over};

/// Reads the values of one conversation: events, messages, and bodies with messages.
pub(crate) fn read_values(
    dialect: &MessageDialect,
    values: &[&Node<'_>],
    conversation: &mut Conversation,
) {
    let mut stream = dialect.new_stream();
    for value in values {
        if (dialect.is_event)(value) || stream.goes_on_with(value) {
            conversation.event(value, |conversation| stream.event(value, conversation));
            continue;
        }
        let conversations = conversations(value);
        if conversations.is_empty() {
            // Metadata among the events doesn't end the stream.
            stream.pass(value);
            conversation.look(value, 0, Doubt::SameName);
            if is_failure(value) {
                note_failure(&mut *stream, conversation);
            }
            continue;
        }
        stream.end(conversation);
        let before = conversation.calls_read();
        conversation.part(value, |conversation| {
            let messages = conversations.into_iter().flat_map(|found| found.messages);
            messages.for_each(|message| {
                note_session(message, conversation);
                name_speaker(message, conversation);
                read_one(dialect, message, conversation);
            });
        });
        let calls = conversation.calls_read() - before;
        if calls == 0 && !is_of_model(value) {
            conversation.look_at_usage(value);
        }
        note_ending(value, calls, conversation);
    }
    stream.end(conversation);
}

/// Ends a stream that an error event cut off, and notes that the reply is incomplete.
fn note_failure(stream: &mut dyn Stream, conversation: &mut Conversation) {
    stream.end(conversation);
    conversation.reply_broke(FAILED);
}

/// Reads messages, including pieces of streamed ones.
fn read(dialect: &MessageDialect, messages: &[&Node<'_>], conversation: &mut Conversation) {
    let mut stream = dialect.new_stream();
    for (index, message) in messages.iter().enumerate() {
        let next = messages.get(index + 1);
        if (dialect.is_event)(message) {
            conversation.event(message, |conversation| stream.event(message, conversation));
        } else if !next.is_some_and(|next| (dialect.replaces)(next, message)) {
            stream.end(conversation);
            read_message(dialect, message, conversation);
        }
    }
    stream.end(conversation);
}

/// Reads the fields next to the messages: facts, and possibly calls that are in no message.
fn look_beside(
    dialect: &MessageDialect,
    record: &Node<'_>,
    messages: &[&Node<'_>],
    trace: &mut Trace,
) {
    let holds_messages = |member: &Node<'_>| {
        let place = member.raw().as_bytes().as_ptr_range();
        messages.iter().any(|it| place.contains(&it.raw().as_ptr()))
    };
    let is_row = !is_reply(record);
    let mut read = vec!["id", "trial", "tags", "meta"];
    trace.add_labels(record);
    for (key, member) in record.entries() {
        match key.as_str().unwrap_or_default() {
            key if holds_messages(member) => read.push(key),
            _ if may_hold_expectation(key) && count_suspects(member) > 0 => {
                trace
                    .near_keys
                    .push((key.to_display().into_owned(), "expected"));
            }
            key if is_row && !read.contains(&key) && is_fact(member) => {
                trace.meta.push((key.to_owned(), member.raw().to_owned()));
            }
            _ => {}
        }
    }
    look_over(record, &read, trace);
    if dialect.takes_plain_text {
        note_beside(record, &read, trace);
    }
}

/// True for a number, a truth value or a short text, such as the name of a model or a reward.
fn is_fact(value: &Node<'_>) -> bool {
    const LONGEST: usize = 200;
    let is_plain = !value.is_object() && !value.is_list() && !value.is_null();
    is_plain && value.raw().len() <= LONGEST
}

/// Reads one message: its structured calls, or else those in its text.
fn read_one(dialect: &MessageDialect, message: &Node<'_>, conversation: &mut Conversation) {
    let (calls, before) = (conversation.calls_read(), conversation.items_read());
    (dialect.message)(message, conversation);
    if conversation.calls_read() == calls {
        read_text(message, conversation);
        note_action(message, conversation);
        conversation.look_beside(message);
    }
    if conversation.items_read() > before {
        return;
    }
    if dialect.takes_plain_text && is_of_unknown_type(message) {
        note_typed_record(message, conversation);
    }
    if is_of_nobody(message) {
        _ = note_untyped_record(message, conversation);
    }
}

/// True for a record of an unknown type that the dialect ignores.
fn is_unread(dialect: &MessageDialect, record: &Node<'_>) -> bool {
    let is_noted = dialect.takes_plain_text && may_act(record);
    // Streams have events of many types.
    let has_events = dialect.stream.is_some() && !dialect.takes_plain_text;
    let may_be_event = has_events && !record.has("command");
    let may_be_read = is_noted || may_be_event || holds_object(record) || record.has_any(&CONTENTS);
    !may_be_read && is_of_unknown_type(record)
}

/// Keys of the speaker or the kind of a message.
const SPEAKERS: [&str; 4] = ["role", "type", "kind", "message_type"];

/// True for a record that has a type but no role, and is not a message of any dialect.
fn is_of_unknown_type(record: &Node<'_>) -> bool {
    const KNOWN: [&str; 4] = ["message", "reasoning", "session", "system"];
    let kind = record.str_at("type").filter(|_| !record.has("role"));
    let is_of = |it: &MessageDialect| (it.decides)(record) || (it.is_message)(record);
    kind.is_some_and(|kind| !KNOWN.contains(&kind))
        && !is_of_model(record)
        && !is_of_user(record)
        && !dialects().any(is_of)
}

/// True for an object with neither a speaker nor a type that is no message of any dialect.
fn is_of_nobody(record: &Node<'_>) -> bool {
    let is_known = || dialects().any(|it| (it.decides)(record));
    record.is_object() && !record.has_any(&SPEAKERS) && !is_known()
}

/// Counts a record between messages that may be an action; false for other records.
fn note_between(record: &Node<'_>, conversation: &mut Conversation) -> bool {
    note_record(record, conversation)
        || is_of_nobody(record) && note_untyped_record(record, conversation)
}

fn read_message(dialect: &MessageDialect, message: &Node<'_>, conversation: &mut Conversation) {
    // Agno repeats the messages of earlier runs of a session.
    if message.is_set("from_history") {
        let calls = message.list("tool_calls").len();
        return conversation.drop_all(LeftOut::RepeatedInHistory, calls);
    }
    // A call that stands for itself may be listed twice.
    if message.has_any(&["role", "message_type"]) && conversation.is_again(message) {
        return;
    }
    keep_question(message, conversation);
    note_session(message, conversation);
    name_speaker(message, conversation);
    let before = conversation.calls_read();
    conversation.part(message, |conversation| {
        read_one(dialect, message, conversation);
    });
    note_ending(message, conversation.calls_read() - before, conversation);
}

/// Reads message files.
pub(crate) struct MessageReader {
    dialect: &'static MessageDialect,
    scope: Scope,
    /// A conversation over several values: streamed events, or one message a line.
    open: Option<(u64, Conversation, Box<dyn Stream>)>,
    /// The messages of that conversation that were on separate lines.
    said: Said,
    /// True if the last line was a whole message with a role, not an event.
    is_after_message: bool,
    /// The last message of that conversation, if a later state may replace it.
    held: Option<String>,
    /// The last state of a graph: the next value may be the next state of the same run.
    state: Option<(u64, State, Trace)>,
}

impl MessageReader {
    pub(crate) fn new(dialect: &'static MessageDialect, scope: Scope) -> Self {
        Self {
            dialect,
            scope,
            open: None,
            said: Said::default(),
            is_after_message: false,
            held: None,
            state: None,
        }
    }

    /// Reads the held message, unless the next value replaces it.
    fn release(&mut self, next: Option<&Node<'_>>) {
        let Some(text) = self.held.take() else { return };
        let message = Node::parse(&text, self.scope.max_depth);
        let message = message
            .ok()
            .filter(|message| !next.is_some_and(|next| (self.dialect.replaces)(next, message)));
        if let (Some(message), Some((_, conversation, stream))) = (message, &mut self.open) {
            stream.end(conversation);
            read_message(self.dialect, &message, conversation);
        }
    }

    /// Keeps the state of a graph until another value shows whether its run goes on; false for other values.
    fn keep_state(&mut self, value: &Node<'_>, line: u64, found: &mut FoundTraces) -> bool {
        let is_case = value.has_any(&["id", "trial", "expected"]);
        let state = State::from_node(value).filter(|_| self.dialect.has_states && !is_case);
        let Some(state) = state else {
            self.end_state(found);
            return false;
        };
        let goes_on = |(_, earlier, _): &(u64, State, Trace)| state.continues(earlier);
        let line = if let Some((line, ..)) = self.state.take_if(|it| goes_on(it)) {
            line
        } else {
            self.finish(found);
            line
        };
        let mut conversation = Conversation::new(self.scope);
        let messages: Vec<_> = value.list("messages").iter().collect();
        read(self.dialect, &messages, &mut conversation);
        let mut trace = conversation.finish();
        look_beside(self.dialect, value, &messages, &mut trace);
        self.state = Some((line, state, trace));
        true
    }

    /// Ends the open conversation, and reads whole ones.
    fn whole(
        &mut self,
        value: &Node<'_>,
        conversations: &[FoundConversation<'_, '_>],
        place: ValuePlace,
        found: &mut FoundTraces,
    ) {
        if self.open.is_some() && self.said.is_repeated(conversations) {
            if value.has("stop_reason") {
                self.finish(found);
            }
            return;
        }
        self.finish(found);
        let are_states = |items: &[Node<'_>]| items.iter().all(|it| State::from_node(it).is_some());
        let is_list = value.is_list() && conversations.len() > 1;
        if self.dialect.has_states && is_list && are_states(value.items()) {
            _ = self.each_item(value, place, found);
            return;
        }
        if conversations.is_empty() {
            self.without_conversation(value, place.line, found);
        }
        let mut lines = PartLines::new(value, place.line);
        for it in conversations {
            self.conversation(it, lines.line_of(it.record), found);
        }
    }

    fn end_state(&mut self, found: &mut FoundTraces) {
        if let Some((line, _, trace)) = self.state.take() {
            found.trace(line, trace);
        }
    }

    fn open(&mut self, line: u64) -> &mut (u64, Conversation, Box<dyn Stream>) {
        let new = || {
            (
                line,
                Conversation::new(self.scope),
                self.dialect.new_stream(),
            )
        };
        self.open.get_or_insert_with(new)
    }

    /// Reads a value without a conversation, which may be a run without calls, or contain calls in an unknown shape.
    fn without_conversation(&self, value: &Node<'_>, line: u64, found: &mut FoundTraces) {
        let mut conversation = Conversation::new(self.scope);
        conversation.look(value, 0, Doubt::None);
        let holds_reply = holds_reply(value);
        if holds_reply {
            conversation.left_over("a message of the agent under an unknown key");
        }
        let lists_calls = openai_chat::lists_other_calls(value);
        if lists_calls {
            conversation.left_over("a list of calls that are not read");
        }
        // An empty list is a run without calls. A record with an id and no messages is a run that is not recorded.
        let is_empty = value.is_list() && value.items().is_empty();
        if is_empty {
            conversation.agent_spoke();
        }
        let is_failed = value.get("error").is_some_and(|it| !it.is_null());
        let is_of_run = is_failed || !value.has_any(&["object", "type"]);
        let id = value.label_at(&["id"]).filter(|_| is_of_run);
        let is_lost = id.is_some();
        conversation.trace().id = id;
        if is_empty || is_lost || lists_calls || holds_reply || conversation.has_suspects() {
            found.trace(line, conversation.finish());
        } else if !value.has("choices") {
            // A stream may begin with a piece that has no choices.
            found.unknown(line, value);
        }
    }

    /// Reads a whole conversation.
    fn conversation(&self, it: &FoundConversation<'_, '_>, line: u64, found: &mut FoundTraces) {
        let dialect = self.dialect;
        // Messages in a list may belong to several runs, like those on lines.
        let goes_on =
            |_: &&Node<'_>, next: &&Node<'_>| !it.record.is_list() || !(dialect.begins_run)(next);
        let mut runs: Vec<_> = it.messages.chunk_by(goes_on).collect();
        if runs.is_empty() {
            runs.push(&[]);
        }
        for messages in runs {
            let mut conversation = Conversation::new(self.scope);
            conversation.trace().id.clone_from(&it.name);
            read(dialect, messages, &mut conversation);
            // A single message is its own record.
            let is_record = |message: &&Node<'_>| std::ptr::eq(*message, it.record);
            if !messages.iter().any(is_record) {
                note_ending(it.record, conversation.calls_read(), &mut conversation);
            }
            let mut trace = conversation.finish();
            look_beside(dialect, it.record, messages, &mut trace);
            found.trace(line, trace);
        }
    }
}

/// True if a member, at most two levels down, is a message of the agent.
fn holds_reply(value: &Node<'_>) -> bool {
    let members = value.entries().iter().map(|(_, member)| member);
    let mut members = members.flat_map(Node::items_or_self);
    members.any(|it| is_of_model(it) || it.entries().iter().any(|(_, inner)| is_of_model(inner)))
}

impl TraceReader for MessageReader {
    fn value(&mut self, value: &Node<'_>, place: ValuePlace, found: &mut FoundTraces) {
        let unpacked = unpacked(value);
        let unpacked = unpacked
            .as_ref()
            .and_then(|text| Node::parse(text, self.scope.max_depth).ok());
        let value = unpacked.as_ref().unwrap_or(value);
        let row = numbered_row(value).filter(|it| self.open.is_some() || !is_of_model(it));
        if row.is_some() && value.whole_at("id") == Some(0) {
            self.finish(found);
        }
        let value = row.unwrap_or(value);
        let dialect = self.dialect;
        let line = place.line;
        let is_in_stream = place.is_streamed || self.open.is_some();
        if !is_in_stream && self.keep_state(value, line, found) {
            return;
        }
        let is_over = |(_, _, stream): &(u64, Conversation, Box<dyn Stream>)| {
            stream.is_over_before(value) || (dialect.begins_run)(value)
        };
        if !place.is_streamed && self.open.as_ref().is_some_and(is_over) {
            self.finish(found);
        }
        self.release(Some(value));
        let goes_on = self
            .open
            .as_ref()
            .is_some_and(|(_, _, stream)| stream.goes_on_with(value));
        if place.is_streamed || goes_on || (dialect.is_event)(value) {
            let (_, conversation, stream) = self.open(line);
            conversation.event(value, |conversation| stream.event(value, conversation));
            if is_failure(value) {
                note_failure(&mut **stream, conversation);
            }
            self.said.add(value);
            self.is_after_message = false;
            return;
        }
        if value.is_object() && is_message(value) && !(dialect.owns)(value) {
            self.is_after_message = value.has_any(&SPEAKERS);
            if is_unread(dialect, value) {
                found.unknown(line, value);
            }
            let (_, conversation, stream) = self.open(line);
            if (dialect.replaces)(value, value) {
                self.held = Some(value.raw().to_owned());
                self.said.add(value);
                return;
            }
            stream.end(conversation);
            read_message(dialect, value, conversation);
            self.said.add(value);
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
            // Metadata among the events doesn't end the stream.
            stream.pass(value);
            conversation.look(value, 0, Doubt::SameName);
            if is_failure(value) {
                note_failure(&mut **stream, conversation);
            }
            if self.is_after_message && !note_between(value, conversation) {
                found.unknown(line, value);
            }
            return;
        }
        self.whole(value, &conversations, place, found);
    }

    fn for_lone_values(
        &self,
        mut texts: &mut dyn Iterator<Item = &str>,
    ) -> Option<Box<dyn TraceReader>> {
        if self.dialect.has_states {
            // Large files have states of one run next to each other.
            let mut last = None;
            let mut is_alone = |text| {
                let first = first_message(text);
                std::mem::replace(&mut last, first) != first || first.is_none()
            };
            let are_whole = self.open.is_none()
                && self.state.is_none()
                && (&mut texts).all(|text| is_whole_conversation(text) && is_alone(text));
            return are_whole
                .then(|| Box::new(Self::new(self.dialect, self.scope)) as Box<dyn TraceReader>);
        }
        let are_whole = self.open.is_none() && (&mut texts).all(is_whole_conversation);
        are_whole.then(|| Box::new(Self::new(self.dialect, self.scope)) as Box<dyn TraceReader>)
    }

    fn finish(&mut self, found: &mut FoundTraces) -> bool {
        self.release(None);
        self.said = Said::default();
        if let Some((line, mut conversation, mut stream)) = self.open.take() {
            stream.end(&mut conversation);
            found.trace(line, conversation.finish());
        }
        self.end_state(found);
        false
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::{check, check_gaps, evidence};

    #[test]
    fn metadata_of_a_stream_is_no_trajectory_and_ends_none() {
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
    fn records_of_an_unknown_kind_between_runs_are_counted() {
        let run = r#"{"messages":[{"role":"assistant","tool_calls":[{"function":{"name":"find","arguments":"{}"}}]}]}"#;
        let other = r#"{"version":2,"model":"m"}"#;
        let text = format!("{run}\n{other}\n{other}\n{run}\n");
        let counted = "2 a record with `version` and `model`";
        assert_eq!(evidence("openai-chat", &text), ["spoke", counted, "spoke"]);
        check_gaps("openai-chat", &text, &["", ""]);
    }

    #[test]
    fn streamed_arguments_under_an_unknown_key_are_not_recorded() {
        check(
            "openai-chat",
            r#"{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"find","argz":"{\"id\":7}"}}]}}]}"#,
            &["find(?) c @0"],
        );
        check(
            "bedrock",
            r#"{"messageStart":{"role":"assistant"}}
{"contentBlockStart":{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"a","name":"find"}}}}
{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"toolUse":{"inputs":"{}"}}}}
{"contentBlockStop":{"contentBlockIndex":0}}
"#,
            &["find(?) a @0"],
        );
        check(
            "cohere",
            r#"{"type":"tool-call-start","index":0,"delta":{"message":{"tool_calls":{"id":"c","type":"function","function":{"name":"find","arguments":""}}}}}
{"type":"tool-call-delta","index":0,"delta":{"message":{"tool_calls":{"function":{"argz":"{\"id\":7}"}}}}}
{"type":"tool-call-end","index":0}
"#,
            &["find(?) c @0"],
        );
        check(
            "langchain",
            r#"{"type":"AIMessageChunk","content":"","id":"r","tool_call_chunks":[{"name":"find","argz":"{\"id\":7}","id":"c","index":0}]}"#,
            &["find(?) c @0"],
        );
        check(
            "openai-responses",
            r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"c","name":"find","arguments":""}}
{"type":"response.function_call_args.delta","output_index":0,"delta":"{\"id\":7}"}
"#,
            &["find(?) c @0"],
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
