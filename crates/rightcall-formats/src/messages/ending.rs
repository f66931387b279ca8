//! How a reply ended: a reply that ends for a tool call must contain one.

use std::collections::BTreeSet;

use rightcall_core::value::Text;

use crate::case::letters;
use crate::messages::in_text::{ELSEWHERE, holds_call, is_of_thoughts, read_said};
use crate::node::Node;
use crate::trace::role::{is_of_model, model_text};
use crate::trace::{Conversation, count_suspects};

/// The leftover kind of a reply that ends inside a call.
const CUT_OFF: &str = "a reply that broke off inside a call";

/// Records how a message or reply ended, if it says so; `calls` is the number of calls read from it.
pub(crate) fn note_ending(reply: &Node<'_>, calls: usize, conversation: &mut Conversation) {
    let choices = reply.any_list(&["choices", "candidates"]);
    let number = |(place, it): (usize, &Node<'_>)| it.whole_at("index").unwrap_or(place as i128);
    let numbers: BTreeSet<_> = choices.iter().enumerate().map(number).collect();
    if calls > 0 {
        note_alternatives(numbers.len(), conversation);
    } else {
        choices
            .iter()
            .for_each(|it| conversation.look_beside_reply(it));
    }
    each_ending(reply, &mut |holder, reason| {
        // Most replies need only this look.
        if matches!(reason, "stop" | "end_turn" | "STOP" | "completed") {
            return conversation.agent_spoke();
        }
        // Read calls in excess of the call-like values come from texts.
        let has_calls = count_suspects(holder) > 0 || calls > count_suspects(reply);
        note_end(
            reason,
            usize::from(has_calls),
            says_nothing(holder),
            conversation,
        );
    });
}

/// True for a message of the agent or an envelope around some, not for a record with a whole conversation.
pub(crate) fn is_reply(value: &Node<'_>) -> bool {
    is_of_model(value) || value.has_any(&["choices", "candidates"]) || is_whole_response(value)
}

/// True for a reply with an error.
pub(crate) fn has_failed(reply: &Node<'_>) -> bool {
    let error = reply.any(&[
        "error",
        "errorMessage",
        "error_message",
        "isApiErrorMessage",
    ]);
    error.is_some_and(is_error)
}

/// True for an error that is set.
fn is_error(error: &Node<'_>) -> bool {
    error.is_true() || error.str().is_some_and(|it| !it.is_empty()) || !error.entries().is_empty()
}

/// True for an event in place of the rest of a reply or a run.
pub(crate) fn is_failure(event: &Node<'_>) -> bool {
    const KINDS: [&str; 8] = [
        "abort",
        "error",
        "responsefailed",
        "runerror",
        "sessionerror",
        "streamerror",
        "turnaborted",
        "turnfailed",
    ];
    match event.str_at("type") {
        // A limit of the run ends no reply.
        Some("result") => {
            let is_limit = event.str_at("subtype").is_some_and(|it| it.contains("max"));
            event.is_set("is_error") && !is_limit
        }
        Some(kind) => KINDS.contains(&letters(kind).as_str()),
        None => {
            let has_ended = |(key, _): &(Text<'_>, _)| key.as_bytes().ends_with(b"Exception");
            event.get("error").is_some_and(is_error) || event.entries().iter().any(has_ended)
        }
    }
}

/// Alternatives of one reply aren't a run: the agent acted on one of them.
pub(crate) fn note_alternatives(number: usize, conversation: &mut Conversation) {
    if number > 1 {
        conversation.left_over(of_alternatives(number));
    }
}

/// The leftover kind of alternatives to one reply.
pub(crate) fn of_alternatives(number: usize) -> String {
    format!("{number} alternatives of one reply: keep one of them")
}

/// Records the end reason of a reply with this number of calls, which has no text if it is silent.
pub(crate) fn note_end(
    reason: &str,
    calls: usize,
    is_silent: bool,
    conversation: &mut Conversation,
) {
    if is_of_tools(reason) && calls == 0 {
        without_call(reason, conversation);
    } else if let Some(kind) = how_broken(reason, calls, is_silent) {
        conversation.reply_broke(kind);
    } else if !is_of_tools(reason) {
        conversation.agent_spoke();
    }
}

/// The leftover kind of a reply that ended for a call, in a value without calls.
pub(crate) fn ended_for_call(value: &Node<'_>) -> Option<String> {
    let mut found = None;
    each_ending(value, &mut |_, reason| {
        if is_of_tools(reason) {
            found.get_or_insert_with(|| reason_without_call(reason));
        }
    });
    let inner = || {
        let members = value.entries().iter().map(|(_, member)| member);
        members.chain(value.items()).find_map(ended_for_call)
    };
    found.or_else(inner)
}

/// Records the end reason of a step or reply with this number of calls.
pub(crate) fn note_reason(reason: &str, calls: usize, conversation: &mut Conversation) {
    note_end(reason, calls, false, conversation);
}

/// The leftover kind of a reply that failed or was cut, by its end reason.
pub(crate) fn how_broken(reason: &str, calls: usize, is_silent: bool) -> Option<String> {
    if is_silent && calls == 0 && !is_of_tools(reason) && !is_whole(reason) {
        return Some(format!(
            "a reply that ended by `{reason}` before it said anything"
        ));
    }
    let is_broken = is_of_failure(reason) || is_cut(reason) && calls > 0;
    is_broken.then(|| format!("a reply that ended by `{reason}`"))
}

/// The leftover kind of a reply that failed.
pub(crate) const FAILED: &str = "a reply that failed or broke off";

/// The reply ended for a call, but the call is missing.
pub(crate) fn without_call(reason: &str, conversation: &mut Conversation) {
    conversation.left_over(reason_without_call(reason));
}

fn reason_without_call(reason: &str) -> String {
    format!("finish reason `{reason}` without a call")
}

/// True for a choice or a message without text.
fn says_nothing(holder: &Node<'_>) -> bool {
    if is_whole_response(holder) {
        return holder
            .any_list(&["output", "outputs"])
            .iter()
            .all(says_nothing);
    }
    let inner = holder.inner(&["output"]).inner(&["message", "content"]);
    model_text(inner).is_none_or(|text| text.trim().is_empty())
}

/// The stream ended inside a call.
pub(crate) fn cut_off(conversation: &mut Conversation) {
    conversation.left_over(CUT_OFF);
}

/// Passes each end reason with the part that it applies to: the reply itself, or one of several alternatives.
fn each_ending<'n, 'a>(reply: &'n Node<'a>, each: &mut dyn FnMut(&'n Node<'a>, &'n str)) {
    for (key, value) in reply.entries() {
        match key.as_bytes() {
            b"finish_reason" | b"finishReason" | b"stop_reason" | b"stopReason"
            | b"done_reason" => {
                value.str().into_iter().for_each(|it| each(reply, it));
            }
            b"status" if is_whole_response(reply) => {
                let is_open = |status: &&str| !matches!(*status, "in_progress" | "queued");
                value
                    .str()
                    .filter(is_open)
                    .into_iter()
                    .for_each(|it| each(reply, it));
            }
            b"error" | b"errorMessage" | b"error_message" if is_error(value) && is_reply(reply) => {
                each(reply, "error");
            }
            b"info" if is_reply(reply) && has_failed(value) => each(reply, "error"),
            b"truncated" if value.is_true() && is_reply(reply) => each(reply, "truncated"),
            b"choices" | b"candidates" => {
                for choice in value.items() {
                    each_ending(choice, each);
                }
            }
            // `meta` and `_meta` are of Haystack, `provider_details` of Pydantic AI, `additional_kwargs` of LlamaIndex.
            b"response_metadata" | b"meta" | b"_meta" | b"metadata" | b"provider_details"
            | b"additional_kwargs" => {
                each_ending(value, &mut |_, reason| each(reply, reason));
            }
            b"data" | b"kwargs" | b"message" if value.is_object() => each_ending(value, each),
            _ => {}
        }
    }
}

/// True for a reply with a known type; its status is the end reason.
fn is_whole_response(reply: &Node<'_>) -> bool {
    let kinds = ["response", "realtime.response", "interaction"];
    reply
        .str_at("object")
        .is_some_and(|kind| kinds.contains(&kind))
}

/// True for a reason such as `tool_calls`, `toolUse` or `FUNCTION_CALL`; a turn pauses inside calls of the server's tools.
fn is_of_tools(reason: &str) -> bool {
    let words = [
        "toolcall",
        "tooluse",
        "functioncall",
        "requiresaction",
        "pauseturn",
    ];
    ends_for(reason, &words)
}

/// True for a reason that ends a reply before its end.
fn is_cut(reason: &str) -> bool {
    ends_for(
        reason,
        &[
            "length",
            "maxtokens",
            "maxoutputtokens",
            "context",
            "incomplete",
        ],
    )
}

/// True for the reason of a reply that failed or was interrupted.
fn is_of_failure(reason: &str) -> bool {
    let words = [
        "error",
        "fail",
        "abort",
        "cancel",
        "interrupt",
        "malformed",
        "timeout",
        "timedout",
        "truncated",
    ];
    // A guardrail's interruption counts as blocked.
    ends_for(reason, &words) && !ends_for(reason, &BLOCKED)
}

/// Words for a reply that was blocked, which is an answer.
const BLOCKED: [&str; 9] = [
    "block",
    "filter",
    "guardrail",
    "policy",
    "prohibited",
    "recitation",
    "refus",
    "safety",
    "spii",
];

/// True for the reason of a reply that ended by itself or was blocked, so that it may say nothing.
fn is_whole(reason: &str) -> bool {
    let words = [
        "stop", "endturn", "complete", "finished", "done", "eos", "success",
    ];
    let is_whole = ends_for(reason, &words) && !is_cut(reason) && !is_of_failure(reason);
    is_whole || ends_for(reason, &BLOCKED)
}

fn ends_for(reason: &str, words: &[&str]) -> bool {
    let letters = letters(reason);
    words.iter().any(|word| letters.contains(word))
}

/// The end of a streamed reply.
#[derive(Debug, Default)]
pub(crate) struct StreamEnding {
    /// The number of calls before the reply.
    before: Option<usize>,
    /// The number of its pieces.
    pieces: usize,
    /// The reason, if known.
    reason: Option<Text<'static>>,
    /// The text of the reply.
    text: String,
    /// The same with texts under unknown keys.
    all_text: String,
    /// True after the end of a reply.
    has_ended: bool,
    /// True if the reply ended without a reason.
    is_closed: bool,
}

/// The leftover kind of a streamed reply without its end.
pub(crate) const WITHOUT_END: &str = "a streamed reply without its end";

impl StreamEnding {
    /// Counts a piece of the reply; the first begins it.
    pub(crate) fn add_piece(&mut self, conversation: &Conversation) {
        self.before.get_or_insert_with(|| conversation.calls_read());
        self.pieces += 1;
    }

    /// Appends text of the reply.
    pub(crate) fn add_text(&mut self, piece: Option<&Node<'_>>, conversation: &mut Conversation) {
        if let Some(text) = piece.and_then(Node::str).filter(|text| !text.is_empty()) {
            self.text.push_str(text);
            self.all_text.push_str(text);
            conversation.agent_spoke();
        }
    }

    /// Appends the text under `content` of a piece, and keeps texts under unknown keys.
    pub(crate) fn add_content(&mut self, piece: &Node<'_>, conversation: &mut Conversation) {
        self.add_text(piece.get("content"), conversation);
        let others = piece.entries().iter().filter(|(key, _)| {
            *key != *"content" && *key != *"role" && !is_of_thoughts(&key.to_display())
        });
        let texts = others.filter_map(|(_, value)| value.str());
        texts.for_each(|text| self.all_text.push_str(text));
    }

    /// Reads the end reason from an event, if it has one.
    pub(crate) fn read(&mut self, event: &Node<'_>) {
        each_ending(event, &mut |_, reason| self.set_reason(reason));
    }

    /// Sets the end reason. A later one only replaces it if it is a tool call.
    pub(crate) fn set_reason(&mut self, reason: &str) {
        let is_better = self.reason.is_none() || is_of_tools(reason);
        if is_better && !reason.is_empty() {
            self.reason = Some(Text::from(reason.to_owned()));
        }
    }

    /// Ends the reply without a reason.
    pub(crate) fn close(&mut self) {
        self.is_closed = true;
    }

    /// True inside a reply.
    pub(crate) fn has_begun(&self) -> bool {
        self.before.is_some()
    }

    /// True if the end reason is known.
    pub(crate) fn is_known(&self) -> bool {
        self.reason.is_some()
    }

    /// Called at the end of the reply, after its calls are read.
    pub(crate) fn end(&mut self, conversation: &mut Conversation) {
        let ended = std::mem::take(self);
        self.has_ended = ended.has_ended || ended.before.is_some();
        // Text is only read for calls if the reply has no structured ones.
        if ended.before == Some(conversation.calls_read()) {
            read_said(&ended.text, conversation);
            let has_others = ended.all_text.len() > ended.text.len();
            let is_unread = ended.before == Some(conversation.calls_read());
            if has_others && is_unread && holds_call(&ended.all_text) {
                conversation.left_over(ELSEWHERE);
            }
        }
        let Some(reason) = ended.reason else {
            return ended.note_missing_end(conversation);
        };
        // Without pieces since the last end, this is the reason why the run ended.
        let calls = match ended.before {
            None if ended.has_ended => 1,
            before => conversation.calls_read() - before.unwrap_or_default(),
        };
        let reason = reason.to_display();
        note_end(&reason, calls, ended.text.trim().is_empty(), conversation);
    }

    /// Records that a reply has neither a reason nor another sign of its end.
    fn note_missing_end(&self, conversation: &mut Conversation) {
        let Some(before) = self.before.filter(|_| !self.is_closed) else {
            return;
        };
        if before == conversation.calls_read() {
            if !self.text.trim().is_empty() {
                conversation.reply_broke(WITHOUT_END);
            }
        // A reply in one piece may have been written by hand.
        } else if self.pieces > 1 && !conversation.trace().report.has_left_over(CUT_OFF) {
            conversation.left_over(WITHOUT_END);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_of_tools_are_known_in_all_spellings() {
        for reason in [
            "tool_calls",
            "tool-calls",
            "tool_use",
            "toolUse",
            "TOOL_CALL",
            "function_call",
            "MALFORMED_FUNCTION_CALL",
            "requires_action",
            "pause_turn",
        ] {
            assert!(is_of_tools(reason), "{reason}");
        }
        for reason in [
            "stop",
            "end_turn",
            "STOP",
            "length",
            "max_tokens",
            "COMPLETE",
            "",
        ] {
            assert!(!is_of_tools(reason), "{reason}");
        }
    }
}
