//! Logs of the Model Context Protocol: JSON-RPC messages, bare or wrapped with a time and a direction.

use std::collections::{HashMap, VecDeque};

use rightcall_core::value::Text;

use crate::format::{Format, FoundTraces, Priority, Reading, Recognition, TraceReader, ValuePlace};
use crate::messages::output_of;
use crate::node::Node;
use crate::trace::{
    LeftOut, Report, Trace, TraceArguments, TraceCall, count_suspects, in_members, time,
};

pub(super) static ENTRY: Format = Format {
    name: "mcp",
    title: "MCP JSON-RPC logs",
    summary: "requests `tools/call` and their replies, one message a line, in batches or wrapped",
    reads: &[
        (
            "calls",
            "requests with the method `tools/call`: `params.name`",
        ),
        ("arguments", "`params.arguments`"),
        (
            "results",
            "`result.content`, else `result.structuredContent`",
        ),
        ("errors", "`result.isError`, `error`"),
        ("ids", "`id`, within a session and a direction"),
        ("times", "`timestamp`, `time` or `ts` beside the messages"),
    ],
    lacks: &[
        "what the agent said, so that a log without a call does not show that none was made",
        "which calls were asked for together",
        "times, where the log has none",
    ],
    notes: r#"A log of a client, a server or a proxy: one message a line, lists of messages, or objects that wrap a message with a time and a
direction. A reply answers the request of its id within a session and a direction; the number 1 and the text `"1"` are two ids. A list
that initializes a known session, or whose calls have ids of answered requests, is a session of its own."#,
    extensions: &["jsonl", "json"],
    example: r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"find_order","arguments":{"id":7}}}
{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"shipped"}],"isError":false}}
"#,
    priority: Priority::Document,
    reading: Reading::Traces(
        |value| {
            let record = value.first_record();
            let mut is_message = false;
            messages(record, &mut |_, _| is_message = true);
            Recognition::certain_if(is_message)
        },
        |_| Box::new(Mcp::default()),
    ),
};

#[derive(Default)]
struct Mcp {
    sessions: Vec<Session>,
    by_name: HashMap<Option<Text<'static>>, usize>,
}

/// The messages between one client and one server.
#[derive(Default)]
struct Session {
    name: Option<Text<'static>>,
    line: u64,
    calls: Vec<TraceCall>,
    /// Calls that were repeated with the input requested by the server.
    made_again: Vec<usize>,
    /// Requests without a reply, by the JSON text of their ids: the number 1 is not the text "1".
    open: HashMap<String, VecDeque<Request>>,
    report: Report,
}

struct Request {
    direction: Option<Text<'static>>,
    /// The call, if the request is a tool call.
    call: Option<usize>,
    /// True if its reply may hold calls: that of a model that the server asks, or of another protocol.
    is_of_model: bool,
}

/// The log's metadata of a message.
#[derive(Default)]
struct Wrapper {
    session: Option<Text<'static>>,
    direction: Option<Text<'static>>,
    time: Option<i128>,
}

impl Wrapper {
    fn from_node(node: &Node<'_>) -> Self {
        Self {
            session: node.label_at(&[
                "session_id",
                "sessionId",
                "session",
                "mcp-session-id",
                "connection_id",
            ]),
            direction: node.label_at(&["direction", "dir", "sender", "from"]),
            time: node
                .any(&["timestamp", "time", "ts", "@timestamp"])
                .and_then(time::from_log),
        }
    }
}

/// Prefixes of the protocol's request methods.
const METHODS: [&str; 11] = [
    "tools/",
    "prompts/",
    "resources/",
    "sampling/",
    "completion/",
    "elicitation/",
    "roots/",
    "logging/",
    "tasks/",
    "initialize",
    "ping",
];

/// Keys that hold a wrapped message.
const WRAPPED: [&str; 8] = [
    "message", "msg", "payload", "data", "body", "request", "response", "raw",
];

/// The messages of an item: itself, or messages wrapped by a log as objects or text.
fn messages(item: &Node<'_>, each: &mut dyn FnMut(&Node<'_>, &Wrapper)) {
    if item.has("jsonrpc") {
        return each(item, &Wrapper::default());
    }
    let wrapper = Wrapper::from_node(item);
    for inner in WRAPPED.iter().filter_map(|key| item.get(key)) {
        inner.each_item(&mut |message| {
            if message.has("jsonrpc") {
                each(message, &wrapper);
            }
        });
    }
}

impl TraceReader for Mcp {
    fn value(&mut self, value: &Node<'_>, place: ValuePlace, _: &mut FoundTraces) {
        if value.is_list() && self.is_next_session(value) {
            self.by_name.clear();
        }
        value.each_item(&mut |item| self.item(item, place.line));
    }

    fn finish(&mut self, found: &mut FoundTraces) -> bool {
        for mut session in std::mem::take(&mut self.sessions) {
            session.made_again.sort_unstable();
            for &index in session.made_again.iter().rev() {
                session.calls.remove(index);
                session.report.drop(LeftOut::Unfinished);
            }
            let trace = Trace {
                id: session.name,
                calls: session.calls,
                report: session.report,
                ..Trace::default()
            };
            found.trace(session.line, trace);
        }
        false
    }
}

impl Mcp {
    /// True for a list that is a session after another one: it initializes a known session, or its calls have ids of answered requests.
    /// Any other list continues the log.
    fn is_next_session(&self, list: &Node<'_>) -> bool {
        let mut is_next = false;
        list.each_item(&mut |item| {
            messages(item, &mut |message, wrapper| {
                let session = self.by_name.get(&wrapper.session);
                let is_answered = |index: &usize| {
                    let queue = self.sessions[*index].open.get(&message.raw_at("id")?);
                    queue.map(VecDeque::is_empty)
                };
                let is_begun = message.says("method", "initialize")
                    || message.says("method", "tools/call")
                        && session.and_then(is_answered) == Some(true);
                is_next |= is_begun && session.is_some();
            });
        });
        is_next
    }

    fn item(&mut self, item: &Node<'_>, line: u64) {
        let mut is_empty = true;
        messages(item, &mut |message, wrapper| {
            is_empty = false;
            let next = self.sessions.len();
            let index = *self.by_name.entry(wrapper.session.clone()).or_insert(next);
            if index == next {
                self.sessions.push(Session {
                    name: wrapper.session.clone(),
                    line,
                    ..Session::default()
                });
            }
            self.sessions[index].message(message, wrapper);
        });
        if is_empty {
            self.no_message(item, line);
        }
    }

    /// Looks for calls in a value without a message.
    fn no_message(&mut self, value: &Node<'_>, line: u64) {
        let may_call = count_suspects(value) > 0 || !in_members(value, &[]).is_empty();
        if may_call || value.raw().contains("\"tools/call\"") {
            let mut session = Session {
                line,
                ..Session::default()
            };
            session.note_irregular("a value that holds no message of the protocol");
            self.sessions.push(session);
        }
    }
}

impl Session {
    fn note_irregular(&mut self, what: &str) {
        self.report.unread(what.to_owned(), 1, "in the log");
    }

    fn message(&mut self, message: &Node<'_>, wrapper: &Wrapper) {
        // Notifications have no id and no reply.
        let method = message.str_at("method");
        let Some(id) = message.raw_at("id") else {
            if method.is_none_or(|method| !method.starts_with("notifications/")) {
                self.note_irregular("a request without an id");
            }
            return;
        };
        let direction = wrapper.direction.clone();
        if method.is_none() && !message.has("result") && !message.has("error") {
            return self.note_irregular("a message with neither method nor result");
        }
        if let Some(method) = method {
            let is_of_tools = method
                .strip_prefix("tools/")
                .is_some_and(|it| !matches!(it, "call" | "list"));
            let is_unknown = !METHODS.iter().any(|begin| method.starts_with(begin));
            if is_of_tools || is_unknown && !in_members(message, &[]).is_empty() {
                self.note_irregular("a request that looks like one of a tool, with another method than `tools/call`");
            }
            let call = (method == "tools/call").then(|| self.call(message, wrapper));
            self.open.entry(id).or_default().push_back(Request {
                direction,
                call,
                is_of_model: is_unknown || method.starts_with("sampling/"),
            });
            return;
        }
        let queue = self.open.entry(id).or_default();
        // Both sides number their own requests, so a reply comes from the opposite side.
        let is_answered =
            |request: &Request| request.direction.is_none() || request.direction != direction;
        // Without directions the kind of the reply tells it from that to a request of the server with the same id.
        let is_of_tool = is_reply_of_tool(message);
        let answered = |is_of_kind: &dyn Fn(&Request) -> bool| {
            let fits = |request: &Request| is_answered(request) && is_of_kind(request);
            queue.iter().position(fits)
        };
        let place = answered(&|request| request.call.is_some() == is_of_tool)
            .or_else(|| answered(&|_| true));
        let Some(request) = place.and_then(|place| queue.remove(place)) else {
            self.report.orphans += u64::from(is_of_tool);
            return;
        };
        let Some(index) = request.call else {
            let result = message.get("result").filter(|_| request.is_of_model);
            if result.is_some_and(|it| count_suspects(it) > 0) {
                self.note_irregular("a reply that looks like one of a model with calls");
            }
            return;
        };
        let call = &mut self.calls[index];
        call.end = wrapper.time;
        call.error = message.raw_at("error");
        if let Some(result) = message.get("result") {
            if result.says("resultType", "input_required") {
                self.made_again.push(index);
            }
            let content = result.get("content");
            let parts = content.filter(|content| !content.items().is_empty());
            call.output = parts
                .map(output_of)
                .or_else(|| result.raw_at("structuredContent"))
                .or_else(|| content.map(output_of));
            if result.is_set("isError") {
                call.error = Some("true".to_owned());
            }
        }
    }

    fn call(&mut self, message: &Node<'_>, wrapper: &Wrapper) -> usize {
        let params = message.get("params");
        self.calls.push(TraceCall {
            name: params
                .and_then(|params| params.label_at(&["name"]))
                .unwrap_or_default(),
            arguments: params.map_or_else(TraceArguments::none, |params| {
                TraceArguments::from_call(params, &["arguments"])
            }),
            id: message.label_at(&["id"]),
            start: wrapper.time,
            ..TraceCall::default()
        });
        self.calls.len() - 1
    }
}

/// True for the reply to a tool call: a person's answer has `action`, a model's reply a `role`.
fn is_reply_of_tool(message: &Node<'_>) -> bool {
    let result = message.get("result");
    result.is_some_and(|it| {
        it.has_any(&["content", "structuredContent"]) && !it.has_any(&["action", "role"])
    })
}

#[cfg(test)]
mod tests {
    use crate::tests::{check, check_gaps};

    #[test]
    fn replies_are_found_by_session_direction_and_kind_of_id() {
        check(
            "mcp",
            r#"{"ts":"2025-01-01T00:00:00Z","direction":"out","session":"s","message":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"find","arguments":{"id":7}}}}
{"direction":"out","session":"s","message":"{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"method\":\"tools/call\",\"params\":{\"name\":\"look\"}}"}
{"direction":"in","session":"s","message":{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}}}
{"direction":"out","session":"s","message":{"jsonrpc":"2.0","id":1,"result":{"role":"assistant","content":{"type":"text","text":"no"}}}}
{"direction":"in","session":"s","message":{"jsonrpc":"2.0","method":"notifications/progress","params":{}}}
{"direction":"in","session":"s","message":{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"x"}],"isError":true}}}
{"direction":"in","session":"s","message":{"jsonrpc":"2.0","id":"1","error":{"code":-32601,"message":"no such tool"}}}
{"direction":"in","session":"t","message":{"jsonrpc":"2.0","id":1,"result":{"content":[]}}}
"#,
            &[
                r#"find({"id":7}) 1 -> "x" error true"#,
                r#"look({}) 1 error {"code":-32601,"message":"no such tool"}"#,
                "---",
                "1 orphans",
            ],
        );
    }

    #[test]
    fn an_answer_to_the_server_is_no_result_of_a_call_with_the_same_id() {
        for (method, answer) in [
            (
                "elicitation/create",
                r#"{"action":"accept","content":{"ok":true}}"#,
            ),
            (
                "sampling/createMessage",
                r#"{"role":"assistant","content":{"type":"text","text":"no"},"model":"m"}"#,
            ),
            ("ping", "{}"),
        ] {
            check(
                "mcp",
                &format!(
                    r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"find","arguments":{{"id":7}}}}}}
{{"jsonrpc":"2.0","id":1,"method":"{method}"}}
{{"jsonrpc":"2.0","id":1,"result":{answer}}}
{{"jsonrpc":"2.0","id":1,"result":{{"content":[{{"type":"text","text":"x"}}]}}}}
"#
                ),
                &[r#"find({"id":7}) 1 -> "x""#],
            );
        }
    }

    #[test]
    fn calls_of_a_model_that_the_server_asks_are_left_over() {
        let log = |method: &str, content: &str| {
            format!(
                r#"{{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{{"name":"find","arguments":{{}}}}}}
{{"jsonrpc":"2.0","id":9,"method":"{method}","params":{{}}}}
{{"jsonrpc":"2.0","id":9,"result":{{"role":"assistant","content":[{content}]}}}}"#
            )
        };
        let call = r#"{"type":"tool_use","id":"c","name":"refund","input":{"id":7}}"#;
        let said = r#"{"type":"text","text":"x"}"#;
        let kind = "a reply that looks like one of a model with calls, which looks like a call";
        check_gaps("mcp", &log("sampling/createMessage", call), &[kind]);
        check_gaps("mcp", &log("message/send", call), &[kind]);
        check_gaps("mcp", &log("sampling/createMessage", said), &[""]);
        check_gaps("mcp", &log("resources/read", call), &[""]);
    }

    #[test]
    fn a_result_that_quotes_the_protocol_is_no_log_of_it() {
        check(
            "anthropic",
            r#"[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"read","input":{}}]},
                {"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"{\"jsonrpc\":\"2.0\",\"id\":1}"}]}]"#,
            &[r#"read({}) a @0 -> "{\"jsonrpc\":\"2.0\",\"id\":1}""#],
        );
    }

    #[test]
    fn a_call_that_the_server_wants_more_for_counts_when_it_is_made_again() {
        check(
            "mcp",
            r#"[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"book"}},{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{}}},
                {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"book","inputResponses":{}}},{"jsonrpc":"2.0","id":2,"result":{"structuredContent":{"ok":true}}}]"#,
            &[r#"book({}) 2 -> {"ok":true}"#, "1 unfinished"],
        );
    }
}
