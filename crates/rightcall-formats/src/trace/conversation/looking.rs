//! Looks for calls that a reader leaves unread, and for evidence of the agent's own turn.

use rightcall_core::value::Text;

use super::Conversation;
use crate::node::Node;
use crate::trace::role::{is_of_model, model_text, says_something};
use crate::trace::unread::looks::{
    NAMES_TOOL, calls_in_words, each_sign_under, each_suspect, each_suspect_under, line_of_tool,
    number_of_suspects,
};
use crate::trace::unread::suspect::{Doubt, Suspect};
use crate::trace::unread::{CONTENTS_AND_CALLS, acts_in_words};

impl Conversation {
    /// Reads a part of the run, such as a message. Call-like values in it that aren't read as calls are recorded.
    pub(crate) fn part<T>(&mut self, node: &Node<'_>, read: impl FnOnce(&mut Self) -> T) -> T {
        let before = (self.calls_read(), self.items_read());
        self.note_turn_of_model(node);
        let answer = read(self);
        self.look_beyond(node, before, Doubt::None);
        answer
    }

    /// True if something call-like was not read.
    pub(crate) fn has_suspects(&self) -> bool {
        !self.suspects.is_empty()
    }

    /// Call-like values that were not read and have the name of no call; another part of the run may have read them.
    pub(crate) fn unread(&self) -> Vec<Suspect> {
        let is_unread = |it: &&Suspect| it.doubt.is_of_call() && !it.may_repeat(&self.open);
        let found = self.suspects.all().filter(is_unread).cloned();
        found
            .map(|it| Suspect {
                doubt: Doubt::SameName,
                ..it
            })
            .collect()
    }

    /// Reads an event, which may repeat a call of other events.
    pub(crate) fn event(&mut self, node: &Node<'_>, read: impl FnOnce(&mut Self)) {
        let before = (self.calls_read(), self.items_read());
        self.note_turn_of_model(node);
        read(self);
        self.look_beyond(node, before, Doubt::SameName);
    }

    /// Looks for calls in a copy of data read elsewhere: they count only if no call is read at all.
    pub(crate) fn glance(&mut self, node: &Node<'_>) {
        self.parts += 1;
        let place = self.place();
        each_suspect(node, &mut |it| {
            self.suspects.add(Suspect {
                doubt: Doubt::Piece,
                ..it.within(&place)
            });
        });
    }

    /// Adds a call-like value that was found outside of the parts.
    pub(crate) fn suspect(&mut self, suspect: Suspect) {
        self.suspects.add(suspect);
    }

    /// Looks for calls in a text or a message of the model that is not read.
    pub(crate) fn look_into(&mut self, said: Option<&Node<'_>>) {
        let Some(text) = said.and_then(model_text) else {
            return;
        };
        // An action in JSON may repeat a call that was read.
        let (calls, unread) = if self.calls_read() == 0 {
            acts_in_words(&text)
        } else {
            calls_in_words(&text)
        };
        let place = self.place();
        calls
            .into_iter()
            .for_each(|it| self.suspects.add(it.within(&place)));
        unread.into_iter().for_each(|kind| self.left_over(kind));
    }

    /// Records an irregular part, in which a call may be lost.
    pub(crate) fn note_irregular(&mut self, what: &str) {
        let place = self.place();
        self.suspects
            .add(Suspect::new(what, Doubt::None).within(&place));
    }

    fn place(&self) -> String {
        format!("in part {} of the trajectory", self.parts)
    }

    /// Looks for more calls in a part after `calls` calls were read from it.
    pub(crate) fn look(&mut self, node: &Node<'_>, calls: usize, doubt: Doubt) {
        let before = self.calls_read() - calls;
        self.look_beyond(node, (before, self.items_read() - calls), doubt);
    }

    /// Records a line of a log that may say what a tool did. A line with the type or the role of a tool is no call.
    fn line(&mut self, sign: Suspect) {
        if sign.looks == NAMES_TOOL {
            let place = self.place();
            self.suspects.add(sign.within(&place));
        } else if !sign.may_repeat(&self.open) || self.is_unread_result(&sign) {
            self.left_over(sign.looks);
        }
    }

    /// True for the sign of a result, of a call that has none yet.
    fn is_unread_result(&self, sign: &Suspect) -> bool {
        let is_result = ["result", "output"]
            .iter()
            .any(|it| sign.looks.contains(it));
        is_result && self.open.awaits(sign.id.as_ref(), sign.name.as_ref())
    }

    /// Looks for calls in a part before which this many calls, and calls and results, were read.
    fn look_beyond(&mut self, node: &Node<'_>, (calls, read): (usize, usize), doubt: Doubt) {
        self.parts += 1;
        let (calls, read) = (self.calls_read() - calls, self.items_read() - read);
        let number = number_of_suspects(node);
        if number == 0 || number <= calls && doubt == Doubt::None {
            if number + read == 0
                && let Some(sign) = line_of_tool(node)
            {
                self.line(sign);
            }
            return;
        }
        let place = self.place();
        let (mut own, mut others) = (Vec::new(), Vec::new());
        each_suspect(node, &mut |suspect| {
            // A piece of a stream may hold a piece of a text.
            if doubt != Doubt::None && suspect.is_unparsed_text() {
                return;
            }
            // What is not parsed in a text may repeat the calls of its message.
            let is_own = doubt == Doubt::None
                && !is_of_others(&suspect.place)
                && !suspect.is_unparsed_text();
            if matches!(suspect.doubt, Doubt::Number(_)) {
                self.suspects.add(suspect.within(&place));
            } else if is_own {
                own.push(suspect);
            } else {
                others.push(suspect);
            }
        });
        if calls > 0 && longest_list(&own) > calls {
            self.note_irregular("a list with more calls than were read");
        }
        if own.len() > calls {
            // If some were read, the rest may be repetitions.
            let (certain, rest): (Vec<_>, Vec<_>) = own
                .into_iter()
                .partition(|it| calls == 0 && it.doubt.is_of_call());
            certain.into_iter().for_each(|it| {
                self.suspects.add(Suspect {
                    doubt,
                    ..it.within(&place)
                });
            });
            others.extend(rest);
        }
        for suspect in others {
            let is_known = suspect.may_repeat(&self.open);
            if !is_known && (calls == 0 || suspect.name.is_some()) {
                self.suspects.add(suspect.within(&place));
            }
        }
    }

    /// Looks for signs of calls next to the content of a message of the agent.
    pub(crate) fn look_beside(&mut self, message: &Node<'_>) {
        if is_of_model(message) {
            self.look_beside_read(message, &CONTENTS_AND_CALLS);
        }
    }

    /// Looks for signs of calls next to the message in one of the alternatives of a reply.
    pub(crate) fn look_beside_reply(&mut self, choice: &Node<'_>) {
        const READ: [&str; 4] = ["message", "delta", "content", "logprobs"];
        let place = self.place();
        let others = choice.entries().iter();
        for (key, value) in others.filter(|(key, _)| !READ.iter().any(|read| *key == **read)) {
            each_suspect_under(key, value, &mut |it| self.suspects.add(it.within(&place)));
        }
        self.look_beside_read(choice, &READ);
    }

    /// Looks for signs of calls in the usage of a reply.
    pub(crate) fn look_at_usage(&mut self, event: &Node<'_>) {
        for key in ["usage", "usageMetadata"] {
            if let Some(usage) = event.get(key) {
                self.look_under(&Text::new(key), usage);
            }
        }
    }

    fn look_beside_read(&mut self, holder: &Node<'_>, read: &[&str]) {
        let others = holder.entries().iter();
        let others = others.filter(|(key, _)| !read.iter().any(|read| *key == **read));
        for (key, value) in others.filter(|(_, value)| value.is_object() || value.is_list()) {
            self.look_under(key, value);
        }
    }

    fn look_under(&mut self, key: &Text<'_>, value: &Node<'_>) {
        each_sign_under(key, value, &mut |sign| {
            let place = self.place();
            self.suspects.add(sign.within(&place));
        });
    }

    fn note_turn_of_model(&mut self, node: &Node<'_>) {
        if (!self.trace.agent_spoke || self.broken_reply.is_some()) && is_of_model(node) {
            self.note_agent_message(node);
        }
    }

    /// Notes a message of the agent. Unless it is empty, it proves that the agent spoke.
    pub(crate) fn note_agent_message(&mut self, message: &Node<'_>) {
        if (!self.trace.agent_spoke || self.broken_reply.is_some()) && says_something(message) {
            self.agent_spoke();
        }
    }

    /// Records that a part of the agent's own turn was read, so that a run without calls is valid.
    pub(crate) fn agent_spoke(&mut self) {
        self.trace.agent_spoke = true;
        self.broken_reply = None;
    }

    /// Records a reply that failed or was cut, so a call may be missing unless the agent goes on. Example kind: `a reply that failed`.
    pub(crate) fn reply_broke(&mut self, kind: impl Into<String>) {
        self.broken_reply = Some((kind.into(), self.place()));
    }

    /// Records agent output that was not read, so calls may be missing. Example kind: `finish reason tool_calls`.
    pub(crate) fn left_over(&mut self, kind: impl Into<String>) {
        let place = self.place();
        self.trace.report.left_over(kind.into(), &place);
    }
}

/// True for a place in messages that a part contains in addition to its own: model input, or earlier messages.
fn is_of_others(place: &str) -> bool {
    const OTHERS: [&str; 7] = [
        "/messages/",
        "/request/",
        "/response/",
        "/history/",
        // The reply of a provider, next to its contents in .NET and in Python.
        "/rawRepresentation/",
        "/RawRepresentation/",
        "/raw_representation/",
    ];
    OTHERS.iter().any(|key| place.contains(key))
}

/// The minimum number of calls in a part that may repeat them in several places: the length of its longest list.
fn longest_list(suspects: &[Suspect]) -> usize {
    let is_item = |step: &str| !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit());
    let list = |suspect: &Suspect| {
        let steps: Vec<&str> = suspect.place.split('/').collect();
        let item = steps.iter().rposition(|step| is_item(step));
        steps[..item.unwrap_or_default()].join("/")
    };
    let lists: Vec<_> = suspects.iter().map(list).collect();
    lists
        .iter()
        .map(|list| lists.iter().filter(|other| *other == list).count())
        .max()
        .unwrap_or_default()
}
