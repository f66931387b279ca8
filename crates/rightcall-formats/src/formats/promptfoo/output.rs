//! The provider's output for a prompt: calls, messages or text, in the form of any provider.

use rightcall_core::value::{MAX_DEPTH, Reader, Syntax, Text};

use crate::messages::{
    conversations::{FoundConversation, conversations, dialect_of},
    dialects::{anthropic, gemini, openai_chat, openai_responses},
    json_text,
    reader::read_values,
    speaker::is_of_model,
};
use crate::node::Node;
use crate::spans::dialects::observations::unwrapped;
use crate::trace::{CallResult, Conversation, TraceArguments, TraceCall};

/// Reads the data of a reply outside its output. A text output doesn't show that the agent spoke:
/// it may be a record of the whole run.
pub(super) fn reply(response: &Node<'_>, conversation: &mut Conversation) {
    let is_empty_list = |calls: &Node<'_>| calls.is_list() && calls.items().is_empty();
    let lists = [
        response.get("output"),
        response.at(&["metadata", "toolCalls"]),
    ];
    if lists.into_iter().flatten().any(is_empty_list) {
        conversation.agent_spoke();
    }
    let messages = response.get("output").map_or(&[][..], Node::items_or_self);
    if messages.iter().any(is_of_model) {
        conversation.agent_spoke();
    }
    let raw = response.get("raw").map(unwrapped);
    let raw = raw
        .as_deref()
        .and_then(|raw| Node::parse(raw, MAX_DEPTH).ok());
    if let Some(raw) = raw.filter(|_| conversation.trace().calls.is_empty()) {
        // The provider's raw response, which may include the output.
        conversation.event(&raw, |conversation| {
            for FoundConversation { messages, .. } in conversations(&raw) {
                if messages.iter().any(|message| is_of_model(message)) {
                    conversation.agent_spoke();
                }
                if let Some(dialect) = dialect_of(&messages) {
                    read_values(dialect, &messages, conversation);
                }
            }
        });
    }
    let reason = response.str_at("finishReason").unwrap_or_default();
    let is_of_calls = reason.contains("tool") || reason.contains("function");
    if is_of_calls && conversation.trace().calls.is_empty() {
        conversation.left_over(format!("finish reason `{reason}` without a call"));
    } else if !reason.is_empty() && !is_of_calls {
        conversation.agent_spoke();
    }
}

/// Reads the output: JSON, a text that is JSON, or a text with JSON on separate lines.
pub(super) fn read_output(output: &Node<'_>, max_depth: usize, conversation: &mut Conversation) {
    let Some(text) = output.str() else {
        return conversation.part(output, |conversation| read_calls(output, conversation));
    };
    if text.contains(CALLED) || text.contains(ANSWERED) {
        return text
            .lines()
            .for_each(|line| read_assistant_line(line, conversation));
    }
    let mut rest = text;
    while let Some(start) = start_of_json(rest) {
        rest = &rest[start..];
        let mut reader = Reader::new(rest, Syntax::PYTHON);
        let end = reader.raw().ok().map(|_| reader.offset());
        let line_ends = |end: &usize| {
            let after = rest[*end..].split('\n').next();
            after.is_some_and(|after| after.trim().is_empty())
        };
        let Some(end) = end.filter(line_ends) else {
            rest = &rest[1..];
            continue;
        };
        if let Ok(node) = Node::parse(&rest[..end], max_depth) {
            conversation.part(&node, |conversation| read_calls(&node, conversation));
        }
        rest = &rest[end..];
    }
}

/// The prefix of a call in promptfoo's text for a run of an `OpenAI` assistant.
const CALLED: &str = "[Call function ";

/// The prefix of a result in that text.
const ANSWERED: &str = "[Function output: ";

/// Reads a line of that text.
fn read_assistant_line(line: &str, conversation: &mut Conversation) {
    let inner = |begin: &str| line.strip_prefix(begin)?.strip_suffix(']');
    if let Some(call) = inner(CALLED) {
        let (name, arguments) = call.split_once(" with arguments ").unwrap_or((call, ""));
        conversation.item();
        conversation.call(TraceCall {
            name: Text::from(name.to_owned()),
            arguments: TraceArguments::Text(Text::from(arguments.to_owned())),
            ..TraceCall::default()
        });
    } else if let Some(output) = inner(ANSWERED) {
        conversation.interrupt();
        conversation.result(CallResult {
            output: Some(json_text(&Text::new(output))),
            ..CallResult::default()
        });
    }
}

/// The offset of the first line that begins with an object or a list.
fn start_of_json(text: &str) -> Option<usize> {
    let mut line = 0;
    for part in text.split_inclusive('\n') {
        let begin = line + part.len() - part.trim_start().len();
        if text[begin..].starts_with(['{', '[']) && begin < line + part.len() {
            return Some(begin);
        }
        line += part.len();
    }
    None
}

/// Reads a call or a list of calls, in any provider's form.
fn read_calls(output: &Node<'_>, conversation: &mut Conversation) {
    let values = output.items_or_self();
    if values.iter().any(|value| value.has("functionCall")) {
        let parts: Vec<_> = values.iter().map(Node::raw).collect();
        let content = format!(r#"{{"role":"model","parts":[{}]}}"#, parts.join(","));
        if let Ok(content) = Node::parse(&content, MAX_DEPTH) {
            gemini::message(&content, conversation);
        }
        return;
    }
    for value in values {
        read_call(value, conversation);
    }
}

fn read_call(value: &Node<'_>, conversation: &mut Conversation) {
    let inner = value.any(&["function", "toolUse"]);
    if value.get("tool_calls").is_some_and(Node::is_list) {
        openai_chat::message(value, conversation);
    } else if let Some(inner) = inner {
        let id = value
            .label_at(&["id"])
            .or_else(|| inner.label_at(&["toolUseId"]));
        let call = TraceCall::from_node(inner, &["name"], ARGUMENTS, &[]);
        conversation.item();
        conversation.call(TraceCall { id, ..call });
    } else if value.has("type") && (anthropic::is_call(value) || anthropic::is_result(value)) {
        conversation.item();
        anthropic::block(value, None, conversation);
    } else if value
        .str_at("type")
        .is_some_and(|kind| kind.contains("_call"))
    {
        openai_responses::item(value, conversation);
    } else {
        let calls = value.get("toolCall").map(|live| live.list("functionCalls"));
        for call in calls.unwrap_or(std::slice::from_ref(value)) {
            read_plain_call(call, conversation);
        }
    }
}

const ARGUMENTS: &[&str] = &["arguments", "args", "input", "parameters"];

/// Reads an object with a name and arguments: an old function call, or the answer of a custom
/// agent.
fn read_plain_call(call: &Node<'_>, conversation: &mut Conversation) {
    if call.str_at("name").is_some() && call.has_any(ARGUMENTS) {
        conversation.item();
        conversation.call(TraceCall::from_node(call, &["name"], ARGUMENTS, &["id"]));
    }
}
