//! Recorded requests to providers with their replies, one exchange per value.

mod bodies;
mod event_stream;

use bodies::{is_unreadable, of_body, with_body};
use rightcall_core::value::{MAX_DEPTH, Text};

use crate::envelopes::{EnvelopedExchange, exchange};
use crate::error::CaseError;
use crate::format::{
    EachValue, Format, FoundTraces, MessageDialect, Priority, Reading, Recognition, ValuePlace,
};
use crate::messages::{
    conversations::{FoundConversation, conversations, dialect_of},
    dialects::{azure, dialects},
    listed::each_call,
    reader::read_values,
    speaker::{is_of_model, keep_question},
};
use crate::node::Node;
use crate::place::PartLines;
use crate::spans::unknown_parts_of;
use crate::trace::{
    Conversation, Doubt, Recordings, Report, Scope, Trace, TraceCall, count_suspects,
};

pub(super) static ENTRY: Format = Format {
    name: "recordings",
    title: "recorded provider exchanges",
    summary: "`response` beside `request`, `messages` or `query`: the bodies of any provider whose messages are read",
    reads: &[
        ("calls", "the reply's; the history in the request counts only where no reply was kept (`recordings=whole` counts both)"),
        ("question", "the first message of the user in the request"),
        ("replies", "`response`: an object, messages, the events of a stream in a list or as text; also inside `body`, `parsed_body`, `__data__`, `string`, `bodySegments`, `chunks`, `events`, and in `{kind, value}`"),
        ("requests", "`request`, `messages`, `query`, `body`"),
    ],
    lacks: &["results of the calls of a reply", "times"],
    notes: "What a proxy or a recording of tests kept of the traffic with a model: one exchange an object. An exchange is a trajectory: the calls of its
reply. The history in its request repeats earlier exchanges. So are logs of LiteLLM (`messages` and `response`) and recordings of Llama Stack;
rows for the evaluators of Azure are [`azure-rows`](azure-rows.md). What batches give, HAR files, logs of gateways and of Bedrock are taken out of
[what stands around them](wrappers.md); their `custom_id` is the id of the case, and an entry without a reply has no run. A body may be the text of a value, pieces of one in a list, or
base64, also of what gzip or zlib packed and of the event streams of AWS. Without a request, an exchange is read where its reply tells the provider;
traffic with anybody else, and requests that count tokens, moderate or embed, are passed over.",
    extensions: &["jsonl", "json"],
    example: r#"{"request":{"messages":[{"role":"user","content":"q"}]},"response":{"choices":[{"message":{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"find_order","arguments":"{}"}}]}}]}}"#,
    priority: Priority::Recording,
    reading: Reading::Traces(
        recognise,
        |scope| Box::new(EachValue(scope, read)),
    ),
};

fn recognise(value: &Node<'_>) -> Recognition {
    let record = value.first_record();
    // A step of the AI SDK holds its request and response next to its calls.
    if dialects().any(|dialect| (dialect.is_message)(record)) {
        return Recognition::No;
    }
    let items = value.items_or_self();
    // Stream events also have a `response` member.
    let is_stream = dialects().any(|dialect| items.iter().any(dialect.is_event));
    if !is_stream && (items.iter().any(is_recording) || holds_pairs(record)) {
        return Recognition::Certain;
    }
    let has_request = record.get("request").is_some_and(Node::is_object);
    Recognition::by_marks(&[
        ("request", has_request),
        ("response", record.has("response")),
    ])
}

/// Keys of the request, next to the reply.
const REQUESTS: &[&str] = &["request", "messages", "query"];

/// True for a reply with its request, or with a body that identifies its provider.
fn is_recording(value: &Node<'_>) -> bool {
    if exchange(value).is_some() {
        return true;
    }
    if value.get("request").is_some_and(Node::is_object) {
        return value.has("response");
    }
    if expects(value) {
        return false;
    }
    let has_history = REQUESTS
        .iter()
        .any(|key| value.get(key).is_some_and(Node::is_list));
    of_body(value.get("response"), MAX_DEPTH, |values| {
        let tells = |value: &Node<'_>| {
            dialects().any(|dialect| (dialect.is_event)(value) || (dialect.owns)(value))
        };
        let is_body =
            |value: &Node<'_>| tells(value) || has_history && !conversations(value).is_empty();
        values.iter().any(|value| is_body(value))
    })
}

/// True for a value with an expectation: a case in another shape.
pub(super) fn expects(value: &Node<'_>) -> bool {
    let expects = |key: &Text<'_>| {
        [&b"expected"[..], b"actual", b"reference"]
            .iter()
            .any(|start| key.as_bytes().starts_with(start))
    };
    value.entries().iter().any(|(key, _)| expects(key))
}

/// The exchange of a request and a reply that a cassette keeps in two lists.
fn paired(request: &Node<'_>, response: &Node<'_>) -> String {
    let (request, response) = (request.raw(), response.raw());
    format!(r#"{{"request":{request},"response":{response}}}"#)
}

/// True for a cassette with the requests in one list and the replies in another.
fn holds_pairs(value: &Node<'_>) -> bool {
    let pairs = value.list("requests").iter().zip(value.list("responses"));
    let is_exchange = |(request, response): (&Node<'_>, &Node<'_>)| {
        let text = paired(request, response);
        response.is_object() && Node::parse(&text, MAX_DEPTH).is_ok_and(|it| is_recording(&it))
    };
    pairs.map(is_exchange).next() == Some(true)
}

/// Reads the exchanges of such a cassette.
fn read_pairs(value: &Node<'_>, scope: Scope, place: ValuePlace, found: &mut FoundTraces) {
    let (requests, responses) = (value.list("requests"), value.list("responses"));
    if requests.len() != responses.len() {
        let expected = format!("a reply for each of the {} `requests`", requests.len());
        let error = CaseError::new(expected, format!("{} `responses`", responses.len()));
        return found.error(place.line, error.help("record the exchanges again"));
    }
    let mut lines = PartLines::new(value, place.line);
    for (request, response) in requests.iter().zip(responses) {
        let text = paired(request, response);
        if let Ok(exchange) = Node::parse(&text, scope.max_depth) {
            let line = lines.line_of(request);
            read(&exchange, scope, ValuePlace { line, ..place }, found);
        }
    }
}

fn read(value: &Node<'_>, scope: Scope, place: ValuePlace, found: &mut FoundTraces) {
    if holds_pairs(value) {
        return read_pairs(value, scope, place, found);
    }
    if asks_for_no_turn(value) {
        return;
    }
    if of_body(value.get("request"), scope.max_depth, is_of_mcp) {
        let note =
            "exchanges with servers of MCP are not read: the calls are in the replies of the model";
        return found.report.note(note);
    }
    if let Some(exchange) = exchange(value) {
        return enveloped(value, &exchange, scope, place, found);
    }
    if let Some(trace) = recorded(value, scope) {
        found.trace(place.line, trace);
    }
}

/// The calls of an exchange; `None` for traffic with services other than models.
pub(super) fn recorded(value: &Node<'_>, scope: Scope) -> Option<Trace> {
    let mut conversation = Conversation::new(scope);
    conversation.trace().id = value.label_at(&["id", "request_id"]);
    // Of nock.
    let body_of_request = value
        .get("body")
        .filter(|it| of_body(Some(it), scope.max_depth, hold_messages));
    let (request, response) = (
        value.any(REQUESTS).or(body_of_request),
        value.get("response"),
    );
    let (is_known, has_reply) = of_body(response, scope.max_depth, |values| {
        (dialect_of(values).is_some(), is_reply(values))
    });
    keep_asked(request, scope, &mut conversation);
    let is_failed = response.is_some_and(|it| is_failed(it, scope.max_depth));
    let is_lost = |_: &&Node<'_>| {
        !has_reply && !is_failed && of_body(request, scope.max_depth, hold_messages)
    };
    if let Some(response) = response.filter(is_lost) {
        conversation.left_over(if is_unreadable(response, scope.max_depth) {
            "a reply in an encoding that is not known"
        } else {
            "a reply in a form that is not known"
        });
    }
    // Traffic with another service, unless it looks like calls.
    if request.is_none() && response.is_some() && !is_known && !value.has("tool_calls") {
        conversation.look(value, 0, Doubt::None);
        return conversation.has_suspects().then(|| conversation.finish());
    }
    if !has_reply || scope.choices.recordings == Recordings::Whole {
        body(request, scope, &mut conversation);
    }
    if !has_reply && !value.has("tool_calls") {
        conversation.trace().report.note(match response {
            Some(_) if is_failed => {
                "the reply was an error: the calls are those of the request's history"
            }
            Some(_) => "the reply was not read: the calls are those of the request's history",
            None if value.has("response") => {
                "no reply was kept: the calls are those of the request's history"
            }
            None => "there is no `response`: the calls are those of the request's history",
        });
    }
    reply(response, has_reply, scope, &mut conversation);
    if has_reply {
        mention_history(request, scope, &mut conversation);
    }
    // An evaluator's row may have calls next to a text response.
    // OpenHands writes the request twice.
    let mut read = [REQUESTS, &["response", "raw_messages"]].concat();
    read.extend(body_of_request.map(|_| "body"));
    if let Some(calls) = value
        .get("tool_calls")
        .filter(|_| conversation.trace().calls.is_empty())
    {
        conversation.agent_spoke();
        conversation.part(calls, |conversation| {
            each_call(
                value,
                "tool_calls",
                conversation,
                &mut |call, key, conversation| {
                    let call = azure::call(call);
                    let id = call.id.clone().or(key);
                    conversation.call(TraceCall { id, ..call });
                },
            );
        });
        read.push("tool_calls");
    }
    Some(conversation.finish_record(value, &read))
}

/// Reads an exchange in an envelope: its reply is the run. Without a reply there is no run, and the case is not applicable.
fn enveloped(
    value: &Node<'_>,
    exchange: &EnvelopedExchange<'_, '_>,
    scope: Scope,
    place: ValuePlace,
    found: &mut FoundTraces,
) {
    let mut conversation = Conversation::new(scope);
    conversation.trace().id.clone_from(&exchange.id);
    let has_reply = |body: Option<&Node<'_>>| {
        of_body(body, scope.max_depth, |values| {
            values.iter().any(|it| it.is_object()) && is_reply(values) && hold_messages(values)
        })
    };
    if has_reply(exchange.reply) {
        keep_asked(exchange.request, scope, &mut conversation);
        if scope.choices.recordings == Recordings::Whole {
            body(exchange.request, scope, &mut conversation);
        }
        reply(exchange.reply, true, scope, &mut conversation);
        mention_history(exchange.request, scope, &mut conversation);
        return found.trace(
            place.line,
            conversation.finish_record(value, &exchange.members),
        );
    }
    // Of traffic with other services, a reply cannot be called missing.
    let is_asked = exchange.id.is_some() || has_reply(exchange.request);
    let trace = conversation.trace();
    trace.lacks_run = true;
    let reason = exchange.failure.map_or("null", Node::raw);
    trace.meta = vec![("error".to_owned(), reason.to_owned())];
    trace
        .report
        .note("no reply was kept of some exchanges: they have no run, and `meta.error` says why");
    conversation.look(value, 0, Doubt::None);
    if is_asked || conversation.has_suspects() {
        found.trace(place.line, conversation.finish());
    }
}

/// True for a reply that reports a service error.
fn is_failed(response: &Node<'_>, max_depth: usize) -> bool {
    let status = response.any(&["status", "status_code", "statusCode"]);
    let code = status.and_then(|it| it.whole().or_else(|| it.whole_at("code")));
    // Some services write only the error message.
    let says_why = |value: &Node<'_>| {
        value
            .any(&["message", "detail"])
            .and_then(Node::str)
            .is_some()
            && !value
                .entries()
                .iter()
                .any(|(_, it)| it.is_object() || it.is_list())
    };
    let has_error =
        |value: &&Node<'_>| value.get("error").is_some_and(|it| !it.is_null()) || says_why(value);
    code.is_some_and(|code| code >= 400)
        || of_body(Some(response), max_depth, |values| {
            values.iter().any(has_error)
        })
}

/// Notes the parts of unknown types in the agent's messages of a history.
pub(super) fn note_unknown_parts(history: Option<&Node<'_>>, scope: Scope, report: &mut Report) {
    of_body(history, scope.max_depth, |values| {
        let found = values.iter().flat_map(|value| conversations(value));
        let messages = found.flat_map(|it| it.messages);
        let replies = messages.filter(|message| is_of_model(message));
        for part in replies.flat_map(unknown_parts_of) {
            report.note(format!("not read in the history before the reply: {part}"));
        }
    });
}

/// Calls of the history don't count, because earlier exchanges hold them. If there are no others, report that.
fn mention_history(request: Option<&Node<'_>>, scope: Scope, conversation: &mut Conversation) {
    if scope.choices.recordings == Recordings::Whole {
        return;
    }
    note_unknown_parts(request, scope, &mut conversation.trace().report);
    if conversation.calls_read() > 0 {
        return;
    }
    let mut calls = 0;
    of_body(request, scope.max_depth, |values| {
        for found in values.iter().flat_map(|value| conversations(value)) {
            calls += found
                .messages
                .iter()
                .map(|it| count_suspects(it))
                .sum::<usize>();
        }
    });
    if calls > 0 {
        conversation.trace().report.note(
            "a reply without calls answers a history with calls, which do not count: `--read recordings=whole` reads both",
        );
    }
}

/// Keeps the question in a request.
fn keep_asked(request: Option<&Node<'_>>, scope: Scope, conversation: &mut Conversation) {
    of_body(request, scope.max_depth, |values| {
        for value in values {
            for FoundConversation { messages, .. } in conversations(value) {
                for message in messages {
                    keep_question(message, conversation);
                }
            }
        }
    });
}

/// True for messages, or for events of messages.
fn hold_messages(values: &[&Node<'_>]) -> bool {
    dialect_of(values).is_some() || values.iter().any(|value| !conversations(value).is_empty())
}

/// False if there is no value, or an error in place of a reply.
fn is_reply(values: &[&Node<'_>]) -> bool {
    match values {
        [one] => {
            one.get("error").is_none()
                && (dialect_of(values).is_some() || !conversations(one).is_empty())
        }
        several => hold_messages(several),
    }
}

/// Reads the body of a reply, if it is one. Messages without calls are read the same way in every message format.
fn reply(node: Option<&Node<'_>>, is_one: bool, scope: Scope, conversation: &mut Conversation) {
    let any = || dialects().find(|it| it.takes_plain_text);
    read_body(node, scope, conversation, |values| {
        any().filter(|_| is_one && hold_messages(values))
    });
}

/// Reads a body in the format it is recognized as.
fn body(node: Option<&Node<'_>>, scope: Scope, conversation: &mut Conversation) {
    read_body(node, scope, conversation, |_| None);
}

fn read_body(
    node: Option<&Node<'_>>,
    scope: Scope,
    conversation: &mut Conversation,
    otherwise: impl Fn(&[&Node<'_>]) -> Option<&'static MessageDialect>,
) {
    let Some(node) = node else {
        return;
    };
    with_body(node, scope.max_depth, &mut |values, is_broken| {
        if is_broken {
            conversation.left_over("an event of a stream whose data is no JSON");
        }
        match dialect_of(values).or_else(|| otherwise(values)) {
            Some(dialect) => read_values(dialect, values, conversation),
            None => values
                .iter()
                .for_each(|value| conversation.look(value, 0, Doubt::None)),
        }
    });
}

/// True for a request to a server of MCP.
fn is_of_mcp(values: &[&Node<'_>]) -> bool {
    const METHODS: [&str; 5] = [
        "initialize",
        "notifications/",
        "prompts/",
        "resources/",
        "tools/",
    ];
    let is_of_mcp = |value: &&Node<'_>| {
        let method = value.str_at("method").filter(|_| value.has("jsonrpc"));
        method.is_some_and(|method| METHODS.iter().any(|begin| method.starts_with(begin)))
    };
    values.iter().any(is_of_mcp)
}

/// True for a request that asks for no turn of a model.
fn asks_for_no_turn(value: &Node<'_>) -> bool {
    const ENDS: [&str; 8] = [
        "count_tokens",
        ":countTokens",
        "/count-tokens",
        "/input_tokens",
        "/moderations",
        "/embeddings",
        ":embedContent",
        "/cachedContents",
    ];
    let request = value.any(&["request", "when"]);
    let place = request.and_then(|it| it.any(&["uri", "url", "path"])?.str());
    place.is_some_and(|place| {
        let path = place.split(['?', '#']).next().unwrap_or_default();
        ENDS.iter().any(|end| path.ends_with(end))
    })
}

#[cfg(test)]
mod tests;
