//! Streamed items of the Responses API and the Realtime API.

use std::collections::{HashMap, HashSet};

use rightcall_core::value::{MAX_DEPTH, Text};

use super::{ItemKind, call, item, kind_of, tool_of};
use crate::format::Stream;
use crate::messages::ending::{WITHOUT_END, cut_off, note_ending};
use crate::messages::in_text::read_text;
use crate::messages::pieces::{ArgumentPieces, is_lost_piece};
use crate::node::Node;
use crate::trace::{Conversation, Executor, LeftOut, TraceArguments, TraceCall};

/// An item that has started but not ended.
#[derive(Debug)]
struct OpenItem {
    index: i128,
    id: Option<Text<'static>>,
    text: String,
    arguments: ArgumentPieces,
}

/// Streamed items.
#[derive(Default)]
pub(super) struct ResponseEvents {
    /// Open items, in order.
    open: Vec<OpenItem>,
    /// True once an item of the current response has ended.
    has_items: bool,
    /// Calls seen only in the Realtime API's conversation so far, with their order and text, by call id. They wait because a response may
    /// still contain them.
    waiting: HashMap<Text<'static>, (usize, String)>,
    /// The number of calls that have waited.
    places: usize,
    /// Calls of responses and results already read, which the conversation repeats.
    told: HashSet<(bool, Text<'static>)>,
    /// The ids of items that have ended.
    ended: HashSet<Text<'static>>,
    /// The types of the provider's calls that events name, by the ids of their items, which were not read.
    hosted: Vec<(Text<'static>, String)>,
    /// True inside the text of a reply.
    is_in_text: bool,
    /// Inside a response, the number of calls before it.
    before: Option<usize>,
}

/// False for the id that the Agents SDK gives all items of models without the Responses API.
fn is_own(id: &Text<'static>) -> bool {
    *id != *"__fake_id__"
}

/// The id of an item in a stream; without one of its own, that of its call.
fn own_id(item: &Node<'_>) -> Option<Text<'static>> {
    let id = item.label_at(&["id"]).filter(is_own);
    id.or_else(|| item.label_at(&["call_id"]))
}

impl ResponseEvents {
    /// A complete item.
    fn done(&mut self, done: &Node<'_>, conversation: &mut Conversation) {
        self.is_in_text = false;
        let id = own_id(done);
        // A stream that is resumed repeats events.
        if id.as_ref().is_some_and(|id| self.ended.contains(id)) {
            return conversation.trace().report.drop(LeftOut::RecordedTwice);
        }
        self.hosted.retain(|(known, _)| id.as_ref() != Some(known));
        self.ended.extend(id);
        if let Some(id) = done.label_at(&["call_id"]) {
            self.waiting.remove(&id);
            self.told.insert((false, id));
        }
        item(done, conversation);
        read_text(done, conversation);
    }

    /// A conversation item. Events repeat it: at its start, at its end, and when it is added.
    fn of_conversation(&mut self, item: &Node<'_>, conversation: &mut Conversation) {
        let Some(id) = item.label_at(&["call_id"]) else {
            return;
        };
        match kind_of(item) {
            ItemKind::Output if self.told.insert((true, id.clone())) => {
                self.tell(Some(&id), conversation);
                super::item(item, conversation);
            }
            ItemKind::Call if !self.told.contains(&(false, id.clone())) => {
                self.places += 1;
                self.waiting
                    .insert(id, (self.places, item.raw().to_owned()));
            }
            _ => {}
        }
    }

    /// Adds the waiting call with this id, or all waiting calls in order.
    fn tell(&mut self, id: Option<&Text<'static>>, conversation: &mut Conversation) {
        let mut now: Vec<_> = match id {
            Some(id) => self.waiting.remove_entry(id).into_iter().collect(),
            None => self.waiting.drain().collect(),
        };
        now.sort_unstable_by_key(|(_, (place, _))| *place);
        for (id, (_, text)) in now {
            self.told.insert((false, id));
            if let Ok(call) = Node::parse(&text, MAX_DEPTH) {
                item(&call, conversation);
            }
        }
    }
}

impl ResponseEvents {
    /// The open item of an event: by id, else by index.
    fn open_item(&self, event: &Node<'_>) -> Option<usize> {
        let id = match event.get("item") {
            Some(item) => own_id(item),
            None => event.label_at(&["item_id"]).filter(is_own),
        };
        let of_id = self.open.iter().rposition(|it| id.is_some() && it.id == id);
        of_id.or_else(|| {
            let index = event.whole_at("output_index");
            let is_it = |it: &OpenItem| index.is_none_or(|index| it.index == index);
            self.open.iter().rposition(is_it)
        })
    }

    /// Ends an item without further events.
    fn close(&mut self, place: usize, conversation: &mut Conversation) {
        let OpenItem {
            text, arguments, ..
        } = self.open.remove(place);
        let Ok(begun) = Node::parse(&text, MAX_DEPTH) else {
            return;
        };
        if !matches!(kind_of(&begun), ItemKind::Call | ItemKind::ProviderCall) {
            return;
        }
        cut_off(conversation);
        let call = call(&begun);
        let arguments = match (arguments.finish(), &call.arguments) {
            (Some(TraceArguments::Text(text)), TraceArguments::Free(_)) => {
                TraceArguments::Free(text)
            }
            (Some(pieces), _) => pieces,
            (None, TraceArguments::Absent) => TraceArguments::Text(Text::default()),
            (None, known) => known.clone(),
        };
        call.id.iter().for_each(|id| _ = self.waiting.remove(id));
        conversation.item();
        conversation.call(TraceCall { arguments, ..call });
    }

    fn close_all(&mut self, conversation: &mut Conversation) {
        while !self.open.is_empty() {
            self.close(0, conversation);
        }
        for (id, kind) in self.hosted.drain(..) {
            let Some(tool) = tool_of(&kind) else {
                conversation.left_over(format!("events of `{kind}` without their item"));
                continue;
            };
            conversation.item();
            conversation.call(TraceCall {
                name: Text::new(tool),
                id: Some(id),
                executor: Executor::Provider,
                ..TraceCall::default()
            });
        }
    }

    /// Keeps the type of a provider's call if no event has its item, as in `response.web_search_call.completed`.
    fn note_hosted(&mut self, kind: &str, event: &Node<'_>) {
        let of = kind
            .strip_prefix("response.")
            .and_then(|it| it.split('.').next());
        let of = of.filter(|it| it.ends_with("_call") && *it != "function_call");
        let Some((of, id)) = of.zip(event.label_at(&["item_id"])) else {
            return;
        };
        let is_known = self.open_item(event).is_some() || self.ended.contains(&id);
        if !is_known && self.hosted.iter().all(|(known, _)| *known != id) {
            self.hosted.push((id, of.to_owned()));
        }
    }
}

impl Stream for ResponseEvents {
    fn event(&mut self, event: &Node<'_>, conversation: &mut Conversation) {
        match event.str_at("type").unwrap_or_default() {
            "response.created" => {
                self.close_all(conversation);
                conversation.interrupt();
                self.has_items = false;
                self.ended.clear();
                self.before = Some(conversation.calls_read());
            }
            "response.output_item.added" => {
                let index = event.whole_at("output_index").unwrap_or_default();
                if let Some(item) = event.get("item") {
                    // The index may be reused by another item.
                    if let Some(place) = self.open.iter().position(|it| it.index == index) {
                        self.close(place, conversation);
                    }
                    self.open.push(OpenItem {
                        index,
                        id: own_id(item),
                        text: item.raw().to_owned(),
                        arguments: ArgumentPieces::default(),
                    });
                }
            }
            "response.output_item.done" => {
                // If its item is missing, the end of the response has it.
                if let Some(done) = event.get("item") {
                    let open = self.open_item(event).into_iter();
                    open.for_each(|it| _ = self.open.remove(it));
                    self.has_items = true;
                    self.done(done, conversation);
                }
            }
            "response.completed" | "response.incomplete" | "response.failed" | "response.done" => {
                let response = event.get("response").unwrap_or(event);
                let output = response.list("output");
                if !self.has_items && !output.is_empty() {
                    self.open.clear();
                }
                for item in output {
                    // The response repeats the finished items.
                    let id = own_id(item);
                    let open = self.open.iter().position(|it| id.is_some() && it.id == id);
                    open.into_iter()
                        .for_each(|place| _ = self.open.remove(place));
                    if !self.has_items || open.is_some() {
                        self.done(item, conversation);
                    }
                }
                self.close_all(conversation);
                (self.has_items, self.is_in_text) = (false, false);
                self.before = None;
                note_ending(response, conversation.calls_read(), conversation);
            }
            kind if kind.starts_with("conversation.item.") => {
                if let Some(item) = event.get("item") {
                    self.of_conversation(item, conversation);
                }
            }
            kind => {
                self.note_hosted(kind, event);
                self.piece(kind, event, conversation);
            }
        }
    }

    fn goes_on_with(&self, value: &Node<'_>) -> bool {
        // A Realtime API session also has audio and rate limit events.
        value.has("event_id") && !value.has("item")
    }

    fn pass(&mut self, value: &Node<'_>) {
        if is_lost_piece(value) {
            let open = self.open.iter_mut();
            open.for_each(|item| item.arguments.push(None));
        }
    }

    fn end(&mut self, conversation: &mut Conversation) {
        self.close_all(conversation);
        self.tell(None, conversation);
        self.told.clear();
        let before = self.before.take();
        if std::mem::take(&mut self.is_in_text) {
            conversation.reply_broke(WITHOUT_END);
        } else if before.is_some_and(|before| conversation.calls_read() > before) {
            conversation.left_over(WITHOUT_END);
        }
    }
}

impl ResponseEvents {
    /// A piece of an item.
    fn piece(&mut self, kind: &str, event: &Node<'_>, conversation: &mut Conversation) {
        let Some(of) = kind.strip_suffix(".delta").or(kind.strip_suffix(".done")) else {
            return;
        };
        let are_arguments = of.ends_with("arguments") || of.ends_with("input");
        if of.ends_with("output_text") || of.ends_with("transcript") {
            conversation.agent_spoke();
            self.is_in_text = event.has("delta");
        }
        let Some(place) = self.open_item(event) else {
            return;
        };
        let arguments = &mut self.open[place].arguments;
        if event.has("delta") {
            arguments.push(event.get("delta").filter(|_| are_arguments));
        } else if let Some(whole) = event.any(&["arguments", "input"]).filter(|_| are_arguments) {
            arguments.replace(whole);
        }
    }
}
