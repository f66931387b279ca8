//! Recorded requests to providers with their replies, one exchange a value.

use crate::format::{EachValue, Format, Found, Place, Reading, Recognition, Scope};
use crate::input::payload;
use crate::messages::{Dialect, conversations, dialects};
use crate::node::Node;
use crate::trace::Recordings;
use crate::trace::conversation::Conversation;

pub(super) static ENTRY: Format = Format {
    name: "recordings",
    title: "recorded provider exchanges",
    summary: "objects with `request` and `response`, the bodies of any provider whose messages are read",
    reads: &[
        ("calls", "the reply's; the history in the request counts only where no reply was kept (`recordings=whole` counts both)"),
        ("replies", "`response`: an object, or the text of an event stream"),
    ],
    lacks: &["results of the calls of a reply", "times"],
    notes: "What a proxy or a recording of tests kept of the traffic with a model: one exchange an object. An exchange is a trajectory: the calls of its
reply. The history in its request repeats earlier exchanges.",
    extensions: &["jsonl", "json"],
    example: r#"{"request":{"messages":[{"role":"user","content":"q"}]},"response":{"choices":[{"message":{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"find_order","arguments":"{}"}}]}}]}}"#,
    recognise: |value| {
        let record = crate::shapes::first_record(value);
        let is_body = |key: &str| record.get(key).is_some_and(|body| body.is_object() || body.text().is_some());
        Recognition::by_marks(&[
            ("request", record.get("request").is_some_and(Node::is_object)),
            ("response", is_body("response") || record.has("response")),
        ])
    },
    reading: Reading::Traces(|scope| Box::new(EachValue(scope, read))),
};

fn read(value: &Node<'_>, scope: Scope, place: Place, found: &mut Found) {
    let mut conversation = Conversation::new(scope);
    conversation.trace().id = value.label_at(&["id"]);
    let (request, response) = (value.get("request"), value.get("response"));
    let events = response.and_then(Node::str).map(|text| events(text, scope)).unwrap_or_default();
    let has_reply =
        !events.is_empty() || response.is_some_and(|reply| reply.get("error").is_none() && !conversations(reply).is_empty());
    if !has_reply || scope.choices.recordings == Recordings::Whole {
        request.into_iter().for_each(|request| whole(request, &mut conversation));
    }
    if !has_reply {
        conversation.trace().report.note("no reply was kept: the calls are those of the request's history");
    }
    if let Some(dialect) = dialect_of(&events) {
        let mut stream = (dialect.stream)();
        events.iter().for_each(|event| stream.event(event, &mut conversation));
        stream.end(&mut conversation);
    } else if let Some(reply) = response {
        whole(reply, &mut conversation);
    }
    found.trace(place.line, conversation.finish());
}

/// The events of a stream of server-sent events.
fn events(text: &str, scope: Scope) -> Vec<Node<'_>> {
    text.split('\n').filter_map(|line| Node::parse(payload(line.trim_end())?.0, scope.max_depth).ok()).collect()
}

fn dialect_of(events: &[Node<'_>]) -> Option<&'static Dialect> {
    let of = |test: fn(&Dialect, &Node<'_>) -> bool| dialects().find(|dialect| events.iter().any(|event| test(dialect, event)));
    of(|dialect, event| (dialect.is_event)(event)).or_else(|| of(|dialect, event| (dialect.owns)(event)))
}

/// Reads a whole body by the format that its messages tell.
fn whole(body: &Node<'_>, conversation: &mut Conversation) {
    let all = conversations(body);
    let messages = || all.iter().flat_map(|(_, messages)| messages).copied();
    let Some(dialect) = dialects().find(|dialect| messages().any(dialect.decides)) else { return };
    messages().for_each(|message| (dialect.message)(message, conversation));
}

#[cfg(test)]
mod tests {
    use crate::trace::{Choices, Recordings, shown};

    const REPLY: &str =
        r#"{"type":"message","role":"assistant","content":[{"type":"tool_use","id":"b","name":"look","input":{}}]}"#;

    fn recording(response: &str) -> String {
        let history = r#"{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"find","input":{}}]}"#;
        format!(r#"{{"request":{{"messages":[{history}]}},"response":{response}}}"#)
    }

    #[test]
    fn the_reply_counts_and_the_history_where_there_is_none() {
        let read = |text: &str| shown("recordings", text, Choices::default());
        assert_eq!(read(&recording(REPLY)), ["look({}) b @0"]);
        assert_eq!(read(&recording("null")), ["find({}) a @0"]);
        assert_eq!(read(&recording(r#"{"error":{"type":"overloaded"}}"#)), ["find({}) a @0"]);
        assert_eq!(read(&recording(r#"{"type":"error","error":{"type":"overloaded"}}"#)), ["find({}) a @0"]);
        let whole = Choices { recordings: Recordings::Whole, ..Choices::default() };
        assert_eq!(shown("recordings", &recording(REPLY), whole), ["find({}) a @0", "look({}) b @1"]);
    }

    #[test]
    fn a_reply_may_be_the_text_of_a_stream() {
        let stream = r#""event: x\ndata: {\"type\":\"message_start\",\"message\":{\"content\":[]}}\n\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"b\",\"name\":\"look\",\"input\":{}}}\n""#;
        assert_eq!(shown("recordings", &recording(stream), Choices::default()), ["look({}) b @0"]);
    }
}
