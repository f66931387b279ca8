//! Streams of the AI SDK: the full stream, and the UI message stream. Messages with approvals are read as events too, because an answer
//! refers to its question only.

use std::collections::{HashMap, HashSet};

use rightcall_core::value::Text;

use super::ag_ui::{self, AgUi};
use super::{answer, call, is_approval, part};
use crate::format::Stream;
use crate::messages::ending::{StreamEnding, cut_off};
use crate::messages::name_speaker;
use crate::messages::output_of;
use crate::messages::pieces::StreamedCall;
use crate::messages::refusal::{mark_refused, refusal_of, refuse};
use crate::node::Node;
use crate::trace::{Conversation, LeftOut, TraceCall, failed};

/// Parts of a full stream or a UI message stream, and messages with approvals.
#[derive(Default)]
pub(super) struct Parts {
    has_begun: bool,
    /// The run of Mastra's chunks.
    run: Option<Text<'static>>,
    /// The message of a UI message stream.
    message: Option<Text<'static>>,
    /// True after the end of the whole stream.
    has_ended: bool,
    /// True for a stream, not for a list of calls.
    is_stream: bool,
    /// The ids of the calls whose input is complete.
    available: HashSet<Text<'static>>,
    /// Calls with input that has started but is not marked complete, in order; true if the provider runs them.
    begun: Vec<(StreamedCall, bool)>,
    /// Call ids by approval id.
    approvals: HashMap<Text<'static>, Text<'static>>,
    ending: StreamEnding,
    /// The events of AG-UI.
    events: AgUi,
}

/// The id of the message in an event that begins a stream; of AG-UI the id of the thread.
const MESSAGE: &[&str] = &["messageId", "threadId"];

/// True for a chunk of Mastra, which has the part as its payload.
pub(super) fn is_chunk(value: &Node<'_>) -> bool {
    value.get("payload").is_some_and(Node::is_object)
        && value.has("from")
        && value.str_at("runId").is_some()
        && value.str_at("type").is_some()
}

impl Parts {
    /// The place of the call with this id among the open ones.
    fn place(&self, id: Option<&Text<'static>>) -> Option<usize> {
        let is_it = |(call, _): &(StreamedCall, bool)| id.is_some() && call.id.as_ref() == id;
        self.begun.iter().position(is_it)
    }

    /// Removes the call with this id from the open ones.
    fn take(&mut self, id: Option<&Text<'static>>) -> Option<(StreamedCall, bool)> {
        self.place(id).map(|place| self.begun.remove(place))
    }

    /// Adds a call from its input pieces, if no event contained the complete call. Complete calls that began before it come first.
    fn tell(&mut self, id: Option<&Text<'static>>, conversation: &mut Conversation) {
        let Some(place) = self.place(id) else {
            return;
        };
        let mut later = self.begun.split_off(place);
        let call = later.remove(0);
        self.tell_whole(conversation);
        self.begun.extend(later);
        add(call, conversation);
    }

    /// An approval request or response.
    fn approval(&mut self, part: &Node<'_>, conversation: &mut Conversation) {
        let Some(approval) = part.label_at(&["approvalId"]) else {
            return;
        };
        let id = part.label_at(&["toolCallId"]);
        if let Some(id) = id.or_else(|| part.at(&["toolCall", "toolCallId"])?.label()) {
            self.approvals.insert(approval, id);
        } else if part.get("approved").is_some_and(|it| !it.is_true())
            && let Some(id) = self.approvals.get(&approval)
        {
            mark_refused(id, None, conversation);
        }
    }

    /// A message with approval parts.
    fn message(&mut self, message: &Node<'_>, conversation: &mut Conversation) {
        name_speaker(message, conversation);
        super::message(message, conversation);
        let approvals = message
            .list("content")
            .iter()
            .filter(|part| is_approval(part));
        approvals.for_each(|part| self.approval(part, conversation));
    }

    /// An input event, which precedes the call event.
    fn input(&mut self, kind: &str, event: &Node<'_>) {
        let id = event.label_at(&["toolCallId", "id"]);
        if matches!(
            kind,
            "tool-input-start" | "tool-call-streaming-start" | "tool-call-input-streaming-start"
        ) {
            let mut call = StreamedCall::default();
            call.add(id, event.name_at(&["toolName", "toolCallName"]));
            self.begun.push((call, event.is_set("providerExecuted")));
            return;
        }
        let begun = self.begun.iter_mut().rev();
        if let Some((call, _)) = begun.into_iter().find(|(call, _)| call.id == id) {
            let piece = event.any(&["inputTextDelta", "argsTextDelta", "delta"]);
            call.arguments.push(piece);
        }
    }

    fn output(&mut self, kind: &str, event: &Node<'_>, conversation: &mut Conversation) {
        let id = event.label_at(&["toolCallId"]);
        self.tell(id.as_ref(), conversation);
        match kind {
            "tool-output-available" => {
                let output = event.any(&["output", "content"]).map(output_of);
                answer(id, output, None, conversation);
            }
            "tool-output-error" => {
                let error = event.get("errorText").map_or_else(failed, output_of);
                answer(id, None, Some(error), conversation);
            }
            _ => _ = refuse(refusal_of(id), conversation),
        }
    }

    /// Adds the open calls with complete input, which have no further event.
    fn tell_whole(&mut self, conversation: &mut Conversation) {
        let begun = std::mem::take(&mut self.begun);
        let (whole, open) = begun
            .into_iter()
            .partition(|(call, _)| call.arguments.are_whole());
        self.begun = open;
        let whole: Vec<(StreamedCall, bool)> = whole;
        whole.into_iter().for_each(|call| add(call, conversation));
    }
}

/// Adds a call from its input pieces, and whether the provider runs it.
fn add((call, is_by_provider): (StreamedCall, bool), conversation: &mut Conversation) {
    conversation.item();
    conversation.call(call.into_call().by_provider_if(is_by_provider));
}

impl Stream for Parts {
    fn event(&mut self, event: &Node<'_>, conversation: &mut Conversation) {
        if event.has("role") && !ag_ui::is_event(event) {
            return self.message(event, conversation);
        }
        self.has_begun = true;
        let kind = ag_ui::kind_of(event);
        let whole = event;
        self.events.event(event, conversation);
        let event = if is_chunk(whole) {
            self.run = whole.label_at(&["runId"]);
            whole.inner(&["payload"])
        } else {
            whole
        };
        if kind == "start" {
            self.message = event.label_at(MESSAGE);
        }
        self.is_stream |= kind.starts_with("tool-input")
            || matches!(kind, "start" | "start-step" | "step-start" | "text-delta");
        self.has_ended = kind == "finish";
        if self.has_ended {
            self.available.clear();
        }
        if !self.has_ended {
            self.ending.add_piece(conversation);
        }
        match kind {
            "start-step" | "step-start" => conversation.interrupt(),
            "finish-step" | "finish" | "step-finish" => {
                self.tell_whole(conversation);
                self.ending.read(event);
                let reason = event.at(&["stepResult", "reason"]).and_then(Node::str);
                reason.into_iter().for_each(|it| self.ending.set_reason(it));
                self.ending.close();
                self.ending.end(conversation);
            }
            "text-delta" => {
                let text = event.any(&["delta", "textDelta", "text"]);
                self.ending.add_text(text, conversation);
            }
            "tool-input-start"
            | "tool-input-delta"
            | "tool-call-streaming-start"
            | "tool-call-input-streaming-start"
            | "tool-call-delta" => self.input(kind, event),
            "tool-input-available" | "tool-input-error" => {
                let id = event.label_at(&["toolCallId"]);
                self.take(id.as_ref());
                // A stream that is resumed repeats events.
                if id.is_some_and(|id| !self.available.insert(id)) {
                    return conversation.trace().report.drop(LeftOut::RecordedTwice);
                }
                conversation.item();
                conversation.call(TraceCall {
                    error: event.get("errorText").map(output_of),
                    ..call(event)
                });
            }
            "tool-output-available" if event.is_set("preliminary") => {}
            "tool-output-available" | "tool-output-error" | "tool-output-denied" => {
                self.output(kind, event, conversation);
            }
            _ if is_approval(event) => self.approval(event, conversation),
            _ => {
                let id = event.label_at(&["toolCallId"]);
                if kind == "tool-call" {
                    self.take(id.as_ref());
                    conversation.item();
                } else if matches!(kind, "tool-result" | "tool-error") {
                    self.tell(id.as_ref(), conversation);
                }
                part(whole, false, conversation);
            }
        }
    }

    fn is_over_before(&self, event: &Node<'_>) -> bool {
        if let Some(run) = self.run.as_ref().filter(|_| is_chunk(event)) {
            return event.label_at(&["runId"]).as_ref() != Some(run);
        }
        // A stream with the same message continues it.
        let message = event.label_at(MESSAGE);
        let is_same = message.is_some() && message == self.message;
        let begins = matches!(ag_ui::kind_of(event), "start" | "step-start");
        self.has_ended && begins && !is_same
    }

    fn goes_on_with(&self, value: &Node<'_>) -> bool {
        const KINDS: [&str; 13] = [
            "start",
            "finish",
            "text-",
            "step-",
            "reasoning",
            "source",
            "file",
            "data-",
            "tool-",
            "abort",
            "error",
            "raw",
            "message-metadata",
        ];
        let is_part =
            |kind: &str| KINDS.iter().any(|known| kind.starts_with(known)) || ag_ui::is_kind(kind);
        self.has_begun && !value.has("role") && value.str_at("type").is_some_and(is_part)
    }

    fn end(&mut self, conversation: &mut Conversation) {
        (self.has_begun, self.has_ended) = (false, false);
        self.tell_whole(conversation);
        self.events.end(conversation);
        for _ in self.begun.drain(..) {
            conversation.trace().report.drop(LeftOut::Unfinished);
            cut_off(conversation);
        }
        if !self.is_stream {
            self.ending.close();
        }
        self.ending.end(conversation);
    }
}
