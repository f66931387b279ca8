//! Contents of Google's Gemini.

use rightcall::value::Text;

use crate::format::{Format, Reading};
use crate::messages::{Dialect, WholeMessages, recognise};
use crate::node::Node;
use crate::trace::conversation::{CallResult, Conversation};
use crate::trace::{Run, TraceArguments, TraceCall};

static DIALECT: Dialect = Dialect {
    mark: "parts with functionCall",
    decides: |content| content.list("parts").iter().any(|part| PARTS.iter().any(|keys| part.any(keys).is_some())),
    owns: |value| value.get("candidates").is_some_and(Node::is_list),
    message,
    is_event: |_| false,
    stream: || Box::new(WholeMessages(&DIALECT)),
};

pub(super) static ENTRY: Format = Format {
    name: "gemini",
    title: "Google Gemini",
    summary: "contents with `functionCall` and `functionResponse` parts, replies and their streams",
    reads: &[
        ("calls", "parts with `functionCall`, `executableCode`, `toolCall`; snake_case too"),
        ("arguments", "`args`"),
        ("results", "parts with `functionResponse`, `codeExecutionResult`, `toolResponse`"),
        ("ids", "`id`, often absent"),
        ("errors", "`response.error`"),
        ("order", "the order of contents; calls of one content are parallel"),
    ],
    lacks: &["times"],
    notes: "Bodies of requests and replies of the Gemini API and of Vertex AI, in camelCase and in snake_case. Results are paired by name and order
where calls have no id. A reply that is streamed may be a list, or one value a line; arguments that come in pieces are put together.",
    extensions: &["json", "jsonl"],
    example: r#"{"contents":[{"role":"model","parts":[{"functionCall":{"name":"find_order","args":{"id":7}}}]},{"role":"user","parts":[{"functionResponse":{"name":"find_order","response":{"result":"shipped"}}}]}]}"#,
    recognise: |value| recognise(value, &DIALECT),
    reading: Reading::Messages(&DIALECT),
};

const FUNCTION_CALL: &[&str] = &["functionCall", "function_call"];
const FUNCTION_RESPONSE: &[&str] = &["functionResponse", "function_response"];
const CODE: &[&str] = &["executableCode", "executable_code"];
const CODE_RESULT: &[&str] = &["codeExecutionResult", "code_execution_result"];
const TOOL_CALL: &[&str] = &["toolCall", "tool_call"];
const TOOL_RESPONSE: &[&str] = &["toolResponse", "tool_response"];
const PARTS: [&[&str]; 6] = [FUNCTION_CALL, FUNCTION_RESPONSE, CODE, CODE_RESULT, TOOL_CALL, TOOL_RESPONSE];

/// What Gemini calls the tool that runs its code.
const CODE_EXECUTION: &str = "code_execution";

pub(super) fn message(content: &Node<'_>, conversation: &mut Conversation) {
    conversation.message();
    for part in content.list("parts") {
        if let Some(call) = part.any(FUNCTION_CALL) {
            conversation.call(TraceCall {
                name: call.label_at(&["name"]).unwrap_or_default(),
                arguments: TraceArguments::of_call(call.get("args")),
                id: call.label_at(&["id"]),
                ..TraceCall::default()
            });
        } else if let Some(call) = part.any(TOOL_CALL) {
            conversation.call(TraceCall {
                name: call.label_at(&["toolType", "tool_type", "name"]).unwrap_or_default(),
                arguments: TraceArguments::of_call(call.get("args")),
                id: call.label_at(&["id"]),
                run: Run::ByProvider,
                ..TraceCall::default()
            });
        } else if let Some(code) = part.any(CODE) {
            conversation.call(TraceCall {
                name: Text::new(CODE_EXECUTION),
                arguments: TraceArguments::of(code),
                run: Run::ByProvider,
                ..TraceCall::default()
            });
        } else if let Some(result) = part.any(FUNCTION_RESPONSE).or_else(|| part.any(TOOL_RESPONSE)) {
            let response = result.get("response");
            conversation.result(CallResult {
                id: result.label_at(&["id"]),
                name: result.label_at(&["name", "toolType", "tool_type"]),
                output: Some(response.map_or("{}", Node::raw).to_owned()),
                error: response.and_then(|it| it.get("error")).map(|error| error.raw().to_owned()),
            });
        } else if let Some(result) = part.any(CODE_RESULT) {
            let is_fine = result.str_at("outcome").is_none_or(|outcome| outcome.ends_with("OK"));
            conversation.result(CallResult {
                id: None,
                name: Some(Text::new(CODE_EXECUTION)),
                output: Some(result.raw().to_owned()),
                error: (!is_fine).then(|| "true".to_owned()),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::messages::check;

    #[test]
    fn results_without_ids_go_by_name_in_order() {
        check(
            "gemini",
            r#"{"contents":[{"role":"user","parts":[{"text":"q"}]},
                {"role":"model","parts":[{"functionCall":{"name":"find","args":{"id":7}},"thoughtSignature":"s"},{"function_call":{"name":"find","args":null,"id":null}}]},
                {"role":"user","parts":[{"functionResponse":{"name":"find","response":{"result":1}}},{"functionResponse":{"name":"find","response":{"error":"no"}}},
                    {"functionResponse":{"name":"find","response":{}}}]}]}"#,
            &[r#"find({"id":7}) @1 group-1 -> {"result":1}"#, r#"find({}) @1 group-1 -> {"error":"no"} error "no""#, "1 orphans"],
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
            &[r#"code_execution({"code":"1","language":"PYTHON"}) @0 by provider -> {"outcome":"OUTCOME_OK","output":"1"}"#],
        );
    }
}
