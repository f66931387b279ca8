//! Content of Google's Gemini.

use rightcall_core::value::Text;

use crate::format::{Format, MessageDialect, Priority, Reading, Stream};
use crate::messages::ending::{StreamEnding, cut_off, note_alternatives};
use crate::messages::partial::PartialObject;
use crate::messages::parts::{pass_over_member, pass_over_text};
use crate::node::Node;
use crate::trace::{CallResult, Conversation, Executor, TraceArguments, TraceCall, failed};

static DIALECT: MessageDialect = MessageDialect {
    mark: "parts with functionCall",
    decides: |content| {
        let is_action = |part: &Node<'_>| PARTS.iter().any(|keys| part.any(keys).is_some());
        content.holds("parts", is_action) || is_part(content) || is_of_genkit(content)
    },
    owns: |value| {
        value.get("candidates").is_some_and(Node::is_list) || genkit_reply(value).is_some()
    },
    message,
    is_event: |value| {
        let candidates = value.list("candidates");
        let may_go_on = reply_id(value).is_some() || !candidates.iter().any(has_ended);
        !candidates.is_empty() && may_go_on
            || candidates
                .iter()
                .any(|it| it.get("content").is_some_and(is_piece))
    },
    stream: Some(|| Box::new(Pieces::default())),
    is_message: |node| node.get("parts").is_some_and(Node::is_list) || is_part(node),
    keys: &["parts"],
    reply: contents,
    list: Some("contents"),
    ..MessageDialect::BASE
};

pub(super) static ENTRY: Format = Format {
    name: "gemini",
    title: "Google Gemini",
    summary: "contents with `functionCall` and `functionResponse` parts, replies and their streams",
    reads: &[
        ("calls", "parts with `functionCall`, `executableCode`, `toolCall`; `groundingMetadata.webSearchQueries` as `google_search`; snake_case too"),
        ("arguments", "`args`; `partialArgs` put together"),
        ("results", "parts with `functionResponse`, `codeExecutionResult`, `toolResponse`"),
        ("ids", "`id`, often absent"),
        ("errors", "`response.error`"),
        ("order", "the order of contents; calls of one content are parallel"),
    ],
    lacks: &["times"],
    notes: "Bodies of requests and replies of the Gemini API and of Vertex AI, in camelCase and in snake_case. Results are paired by name and order
where calls have no id. A reply that is streamed may be a list, or one value a line: what has no `finishReason` goes on with the next
value, and so does what has the `responseId` of the last. Arguments that come in pieces are put together. The calls that the Python library made on the way to a reply
(`automatic_function_calling_history`) and messages of the Live API are read too, and so are messages and replies of Genkit (`toolRequest`).",
    extensions: &["json", "jsonl"],
    example: r#"{"contents":[{"role":"model","parts":[{"functionCall":{"name":"find_order","args":{"id":7}}}]},{"role":"user","parts":[{"functionResponse":{"name":"find_order","response":{"result":"shipped"}}}]}]}"#,
    priority: Priority::Messages,
    reading: Reading::Messages(&DIALECT),
};

const FUNCTION_CALL: &[&str] = &["functionCall", "function_call", "toolRequest"];
const FUNCTION_RESPONSE: &[&str] = &["functionResponse", "function_response"];
const CODE: &[&str] = &["executableCode", "executable_code"];
const CODE_RESULT: &[&str] = &["codeExecutionResult", "code_execution_result"];
const TOOL_CALL: &[&str] = &["toolCall", "tool_call"];
const TOOL_RESPONSE: &[&str] = &["toolResponse", "tool_response"];
const PARTS: [&[&str]; 6] = [
    FUNCTION_CALL,
    FUNCTION_RESPONSE,
    CODE,
    CODE_RESULT,
    TOOL_CALL,
    TOOL_RESPONSE,
];

/// True for a part without its content.
fn is_part(node: &Node<'_>) -> bool {
    let part = node
        .any(FUNCTION_CALL)
        .or_else(|| node.any(FUNCTION_RESPONSE));
    part.is_some_and(|part| part.has("name"))
        && !node.has_any(&["role", "parts", "content", "messages"])
        || !live(node).is_empty()
        || !live_results(node).is_empty()
}

/// The calls in a message of the Live API.
fn live<'n, 'a>(message: &'n Node<'a>) -> &'n [Node<'a>] {
    message
        .any(TOOL_CALL)
        .map_or(&[], |it| it.any_list(&["functionCalls", "function_calls"]))
}

/// The results in a message to the Live API.
fn live_results<'n, 'a>(message: &'n Node<'a>) -> &'n [Node<'a>] {
    let response = message.any(TOOL_RESPONSE);
    response.map_or(&[], |it| {
        it.any_list(&["functionResponses", "function_responses"])
    })
}

/// True for a message of Genkit, which has its parts as content, with a call or a result.
fn is_of_genkit(message: &Node<'_>) -> bool {
    let is_action = |part: &Node<'_>| {
        let action = part.any(&["toolRequest", "toolResponse"]);
        action.is_some_and(|it| it.has("name"))
    };
    message.holds("content", is_action)
}

/// The messages in a reply of Genkit: the request's messages, and the answer.
fn genkit_reply<'n, 'a>(value: &'n Node<'a>) -> Option<Vec<&'n Node<'a>>> {
    let answer = value.get("message").filter(|it| it.has("content"))?;
    let asked = value.list_at(&["request", "messages"]).iter();
    let messages: Vec<_> = asked.chain([answer]).collect();
    messages
        .iter()
        .any(|it| is_of_genkit(it))
        .then_some(messages)
}

/// The contents in a reply, after the contents of the library's automatic calls.
fn contents<'n, 'a>(value: &'n Node<'a>) -> Option<Vec<&'n Node<'a>>> {
    let Some(candidates) = value.get("candidates").filter(|it| it.is_list()) else {
        return genkit_reply(value);
    };
    // A grounded candidate also has the provider's search.
    let content = |it: &'n Node<'a>| match searches(it) {
        Some(_) => Some(it),
        None => it.get("content"),
    };
    let contents = candidates.items().iter().filter_map(content);
    Some(history(value).iter().chain(contents).collect())
}

/// What the provider searched for to ground a candidate.
fn searches<'n, 'a>(candidate: &'n Node<'a>) -> Option<&'n Node<'a>> {
    let grounding = candidate.any(&["groundingMetadata", "grounding_metadata"])?;
    let queries = grounding.any(&["webSearchQueries", "web_search_queries"])?;
    Some(queries).filter(|it| !it.items().is_empty() && candidate.has("content"))
}

/// The contents before a reply, if the library called Python functions by itself.
fn history<'n, 'a>(reply: &'n Node<'a>) -> &'n [Node<'a>] {
    reply.any_list(&[
        "automaticFunctionCallingHistory",
        "automatic_function_calling_history",
    ])
}

fn result(result: &Node<'_>) -> CallResult {
    // An empty response may be left out; one under an unknown key is not empty.
    const OTHER_OUTPUTS: [&str; 5] = ["result", "content", "text", "value", "data"];
    let response = result.get("response");
    let is_empty = || (!result.has_any(&OTHER_OUTPUTS)).then(|| "{}".to_owned());
    CallResult {
        id: result.label_at(&["id", "ref"]),
        name: result.label_at(&["name", "toolType", "tool_type"]),
        output: response
            .or_else(|| result.any(&["output", "parts"]))
            .map(|it| it.raw().to_owned())
            .or_else(is_empty),
        error: response
            .and_then(|it| it.get("error"))
            .map(|error| error.raw().to_owned()),
        ..CallResult::default()
    }
}

/// True for content with a piece of a call.
fn is_piece(content: &Node<'_>) -> bool {
    let marks = [PARTIAL, GOES_ON].concat();
    content.holds("parts", |part| {
        let call = part.any(FUNCTION_CALL);
        call.is_some_and(|call| call.any(&marks).is_some() || !call.has("name"))
    })
}

const PARTIAL: &[&str] = &["partialArgs", "partial_args"];
const GOES_ON: &[&str] = &["willContinue", "will_continue"];
/// Gemini's name for its code execution tool.
const CODE_EXECUTION: &str = "code_execution";

/// Gemini's name for its search tool, which it records in the grounding alone.
const SEARCH: &str = "google_search";

/// Members of parts that aren't calls.
const KNOWN: [&str; 9] = [
    "media",
    "inlineData",
    "inline_data",
    "fileData",
    "file_data",
    "videoMetadata",
    "video_metadata",
    "mediaResolution",
    "media_resolution",
];

pub(crate) fn message(content: &Node<'_>, conversation: &mut Conversation) {
    conversation.message();
    let mut pieces = Pieces::default();
    pieces.content(content, conversation);
    pieces.close(conversation);
}

/// True for the last candidate of a stream.
fn has_ended(candidate: &Node<'_>) -> bool {
    candidate.any(&["finishReason", "finish_reason"]).is_some()
}

fn reply_id(reply: &Node<'_>) -> Option<Text<'static>> {
    reply.label_at(&["responseId", "response_id"])
}

/// The open parts of a reply: a call with arguments in pieces, and the reply itself if it is streamed.
#[derive(Default)]
struct Pieces {
    call: Option<(TraceCall, PartialObject)>,
    is_reply: bool,
    /// The reply id of the last piece.
    reply: Option<Text<'static>>,
    ending: StreamEnding,
}

impl Pieces {
    fn content(&mut self, content: &Node<'_>, conversation: &mut Conversation) {
        let mut content = content;
        if let Some(queries) = searches(content) {
            conversation.call(TraceCall {
                name: Text::new(SEARCH),
                arguments: TraceArguments::Json(format!(r#"{{"queries":{}}}"#, queries.raw())),
                executor: Executor::Provider,
                ..TraceCall::default()
            });
            content = content.get("content").unwrap_or(content);
        }
        let parts = content.get("parts").unwrap_or(content);
        pass_over_text(parts, conversation);
        let parts = if is_part(content) {
            std::slice::from_ref(content)
        } else {
            content.any_list(&["parts", "content"])
        };
        for part in parts {
            let live_results = live_results(part);
            if let Some(call) = part.any(FUNCTION_CALL) {
                self.function_call(call, conversation);
            } else if !live(part).is_empty() {
                live(part)
                    .iter()
                    .for_each(|call| self.function_call(call, conversation));
            } else if !live_results.is_empty() {
                live_results
                    .iter()
                    .for_each(|it| _ = conversation.result(result(it)));
            } else if let Some(call) = part.any(TOOL_CALL) {
                conversation.call(TraceCall {
                    executor: Executor::Provider,
                    ..TraceCall::from_node(
                        call,
                        &["toolType", "tool_type", "name"],
                        &["args"],
                        &["id"],
                    )
                });
            } else if let Some(code) = part.any(CODE) {
                conversation.call(TraceCall {
                    name: Text::new(CODE_EXECUTION),
                    arguments: TraceArguments::from_node(code),
                    executor: Executor::Provider,
                    ..TraceCall::default()
                });
            } else if let Some(result) = part
                .any(FUNCTION_RESPONSE)
                .or_else(|| part.any(TOOL_RESPONSE))
            {
                conversation.result(self::result(result));
            } else if let Some(result) = part.any(CODE_RESULT) {
                let is_fine = result
                    .str_at("outcome")
                    .is_none_or(|outcome| outcome.ends_with("OK"));
                conversation.result(CallResult {
                    id: None,
                    name: Some(Text::new(CODE_EXECUTION)),
                    output: Some(result.raw().to_owned()),
                    error: (!is_fine).then(failed),
                    ..CallResult::default()
                });
            } else if !matches!(content.str_at("role"), Some("user" | "function" | "tool")) {
                pass_over_member(part, &KNOWN, conversation);
            }
        }
    }

    /// A call, or a piece of one. A piece without a name continues the last call. A piece that doesn't announce more is the last one; it
    /// may be missing.
    fn function_call(&mut self, call: &Node<'_>, conversation: &mut Conversation) {
        let goes_on = call.any(GOES_ON).is_some_and(Node::is_true);
        let partial = call.any_list(PARTIAL);
        let name = call.name_at(&["name"]).filter(|name| !name.is_empty());
        if name.is_some() || self.call.is_none() {
            self.close(conversation);
            if partial.is_empty() && !goes_on {
                conversation.call(TraceCall {
                    name: name.unwrap_or_default(),
                    arguments: TraceArguments::from_call(call, &["args", "input"]),
                    id: call.label_at(&["id", "ref"]),
                    ..TraceCall::default()
                });
                return;
            }
            let begun = TraceCall {
                name: name.unwrap_or_default(),
                id: call.label_at(&["id"]),
                ..TraceCall::default()
            };
            self.call = Some((begun, PartialObject::default()));
        }
        if let Some((begun, arguments)) = &mut self.call {
            partial.iter().for_each(|piece| arguments.add(piece));
            if let Some(whole) = call.get("args").filter(|args| !args.entries().is_empty()) {
                begun.arguments = TraceArguments::from_node(whole);
            }
        }
        if !goes_on {
            self.close(conversation);
        }
    }

    fn close(&mut self, conversation: &mut Conversation) {
        if let Some((call, pieces)) = self.call.take() {
            // Complete arguments are not sent in pieces.
            let arguments = match call.arguments {
                TraceArguments::Absent => TraceArguments::Json(pieces.into_json()),
                whole => whole,
            };
            conversation.call(TraceCall { arguments, ..call });
        }
    }
}

impl Stream for Pieces {
    fn event(&mut self, event: &Node<'_>, conversation: &mut Conversation) {
        let id = reply_id(event);
        if id.is_some() && id != self.reply {
            self.end(conversation);
        }
        let is_same = id.is_some() && id == self.reply;
        if !std::mem::replace(&mut self.is_reply, true) && !is_same {
            conversation.message();
        }
        self.reply = id;
        self.ending.add_piece(conversation);
        let candidates = event.list("candidates");
        let may_call = |it: &Node<'_>| it.get("content").is_some_and(DIALECT.decides);
        if candidates.iter().any(may_call) {
            note_alternatives(candidates.len(), conversation);
        }
        // Each piece of a reply repeats the pieces before it.
        let repeated = if is_same { history(event).len() } else { 0 };
        let contents = contents(event).unwrap_or_else(|| vec![event]);
        for content in contents.into_iter().skip(repeated) {
            let said = content.inner(&["content"]).list("parts").iter();
            for part in said.filter(|part| !part.is_set("thought")) {
                self.ending.add_text(part.get("text"), conversation);
            }
            self.content(content, conversation);
        }
        candidates
            .iter()
            .for_each(|it| conversation.look_beside_reply(it));
        self.ending.read(event);
        if candidates.iter().any(has_ended) {
            // The reason may be a number.
            self.ending.close();
            self.close(conversation);
            self.ending.end(conversation);
            self.is_reply = false;
        }
    }

    fn goes_on_with(&self, value: &Node<'_>) -> bool {
        let is_piece =
            value.has("candidates") || value.any(&["usageMetadata", "usage_metadata"]).is_some();
        let id = reply_id(value);
        is_piece
            && if id.is_some() && self.reply.is_some() {
                id == self.reply
            } else {
                self.is_reply
            }
    }

    fn is_over_before(&self, event: &Node<'_>) -> bool {
        let id = reply_id(event);
        !self.is_reply && self.reply.is_some() && id.is_some() && id != self.reply
    }

    fn end(&mut self, conversation: &mut Conversation) {
        if self.call.is_some() && !self.ending.is_known() {
            cut_off(conversation);
        }
        self.close(conversation);
        self.ending.end(conversation);
        self.is_reply = false;
        self.reply = None;
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::{check, evidence};

    #[test]
    fn searches_that_ground_an_answer_are_a_call_of_the_provider() {
        let reply = |id: &str| {
            format!(
                r#"{{{id}"candidates":[{{"content":{{"role":"model","parts":[{{"text":"a"}}]}},"finishReason":"STOP","groundingMetadata":{{"webSearchQueries":["x","y"]}}}}]}}"#
            )
        };
        let found = [r#"google_search({"queries":["x","y"]}) @0 by provider"#];
        check("gemini", &reply(""), &found);
        check("gemini", &reply(r#""responseId":"r","#), &found);
        let none = reply("").replace(r#"["x","y"]"#, "[]");
        assert_eq!(evidence("gemini", &none), ["spoke"]);
    }

    #[test]
    fn results_without_ids_go_by_name_in_order() {
        check(
            "gemini",
            r#"{"contents":[{"role":"user","parts":[{"text":"q"}]},
                {"role":"model","parts":[{"functionCall":{"name":"find","args":{"id":7}},"thoughtSignature":"s"},{"function_call":{"name":"find","args":null,"id":null}}]},
                {"role":"user","parts":[{"functionResponse":{"name":"find","response":{"result":1}}},{"functionResponse":{"name":"find","response":{"error":"no"}}},
                    {"functionResponse":{"name":"find","response":{}}}]}]}"#,
            &[
                r#"find({"id":7}) @1 group-1 -> {"result":1}"#,
                r#"find({}) @1 group-1 -> {"error":"no"} error "no""#,
                "find(?) @2 -> {}",
                "1 orphans",
            ],
        );
    }

    #[test]
    fn a_reply_may_be_streamed() {
        check(
            "gemini",
            r#"data: {"candidates":[{"content":{"role":"model","parts":[{"executableCode":{"code":"1","language":"PYTHON"}}]}}]}

data: {"candidates":[{"content":{"role":"model","parts":[{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"1"}}]}}]}
data: {"candidates":[{"finishReason":"STOP"}]}
"#,
            &[
                r#"code_execution({"code":"1","language":"PYTHON"}) @0 by provider -> {"outcome":"OUTCOME_OK","output":"1"}"#,
            ],
        );
    }

    #[test]
    fn values_of_one_reply_go_on_with_each_other_and_replies_are_runs() {
        let value = |id: &str, name: &str, end: &str| {
            let id = if id.is_empty() {
                String::new()
            } else {
                format!(r#","responseId":"{id}""#)
            };
            format!(
                r#"{{"candidates":[{{"content":{{"role":"model","parts":[{{"functionCall":{{"name":"{name}"}}}}]}}{end}}}]{id}}}"#
            )
        };
        let stop = r#","finishReason":"STOP""#;
        for (values, found) in [
            (
                [
                    value("", "find", ""),
                    value("", "look", stop),
                    value("", "ask", stop),
                ],
                ["find({}) @0 group-1", "look({}) @0 group-1"],
            ),
            (
                [
                    value("a", "find", stop),
                    value("a", "look", stop),
                    value("b", "ask", stop),
                ],
                ["find({}) @0 group-1", "look({}) @0 group-1"],
            ),
        ] {
            let found = [found[0], found[1], "---", "ask({}) @0"];
            check("gemini", &values.join("\n"), &found);
            check("gemini", &format!("[{}]", values.join(",")), &found);
        }
    }

    #[test]
    fn arguments_that_come_in_pieces_are_put_together() {
        let event = |call: &str, end: &str| {
            format!(
                r#"data: {{"candidates":[{{"content":{{"role":"model","parts":[{{"functionCall":{call}}}]}}{end}}}]}}"#
            )
        };
        let events = [
            event(r#"{"name":"find","id":"a","willContinue":true}"#, ""),
            event(
                r#"{"partialArgs":[{"jsonPath":"$.city","stringValue":"New","willContinue":true}],"willContinue":true}"#,
                "",
            ),
            event(
                r#"{"partialArgs":[{"jsonPath":"$.city","stringValue":" York"},{"jsonPath":"$.days[0].n","numberValue":2}],"willContinue":true}"#,
                "",
            ),
            event(
                r#"{"partialArgs":[{"jsonPath":"$.days[0]['is it']","boolValue":true},{"jsonPath":"$.no","nullValue":"NULL_VALUE"}],"willContinue":true}"#,
                "",
            ),
            event("{}", ""),
            event(
                r#"{"name":"look","partialArgs":[{"jsonPath":"$.q","stringValue":"x"}],"willContinue":true}"#,
                r#","finishReason":"STOP""#,
            ),
        ];
        check(
            "gemini",
            &events.join("\n\n"),
            &[
                r#"find({"city":"New York","days":[{"n":2,"is it":true}],"no":null}) a @0 group-1"#,
                r#"look({"q":"x"}) @0 group-1"#,
            ],
        );
    }
}
