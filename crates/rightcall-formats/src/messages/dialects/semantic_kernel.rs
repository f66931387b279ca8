//! Chat histories of Semantic Kernel, from Python and from .NET.

use std::collections::BTreeSet;

use rightcall_core::value::Text;

use crate::format::{Format, MessageDialect, Priority, Reading, Stream};
use crate::messages::ending::note_alternatives;
use crate::messages::parts::pass_over;
use crate::messages::pieces::{PieceKey, StreamedCalls};
use crate::node::Node;
use crate::trace::role::is_of_model;
use crate::trace::{CallResult, Conversation, TraceCall};

static DIALECT: MessageDialect = MessageDialect {
    mark: "items of kind function_call or FunctionCallContent",
    decides: |message| {
        let mut items = items(message).iter();
        items.any(|item| is_call(item) || is_result(item))
    },
    message,
    is_message: |value| value.at(&["Role", "Label"]).is_some() && value.has("Items"),
    keys: &["Role"],
    is_event: |value| value.has("choice_index") && items(value).iter().any(is_call),
    stream: Some(|| Box::new(Chunks::default())),
    ..MessageDialect::BASE
};

pub(super) static ENTRY: Format = Format {
    name: "semantic-kernel",
    title: "Semantic Kernel chat histories",
    summary: "messages with `items` of `content_type` function_call, or `Items` of `$type` FunctionCallContent",
    reads: &[
        ("calls", "items of `content_type` `function_call`, of `$type` `FunctionCallContent`"),
        ("names", "`name`, else plugin and function with `-` between them"),
        ("arguments", "`arguments`, `Arguments`"),
        ("results", "items of `content_type` `function_result`, of `$type` `FunctionResultContent`: `result`, `Result`"),
        ("ids", "`id`, `Id`, `CallId`"),
        ("order", "the order of messages; calls of one message are parallel"),
    ],
    lacks: &["times", "whether a result is an error"],
    notes: "What `ChatHistory.serialize` of Python writes, chunks of its streams, and histories as .NET serializes them. Names are those that the model wrote: plugin and
function.",
    extensions: &["json"],
    example: r#"{"messages":[{"content_type":"message","role":"assistant","items":[{"content_type":"function_call","id":"c1","name":"find_order","function_name":"find_order","arguments":"{\"id\": 7}"}]},{"content_type":"message","role":"tool","items":[{"content_type":"function_result","id":"c1","name":"find_order","result":"shipped"}]}]}"#,
    priority: Priority::Messages,
    reading: Reading::Messages(&DIALECT),
};

fn items<'n, 'a>(message: &'n Node<'a>) -> &'n [Node<'a>] {
    message.any_list(&["items", "Items"])
}

/// True for an item of a kind, in Python's or .NET's terms.
fn is_of_kind(item: &Node<'_>, python: &str, dotnet: &str) -> bool {
    item.says("content_type", python) || item.says("$type", dotnet)
}

fn is_call(item: &Node<'_>) -> bool {
    is_of_kind(item, "function_call", "FunctionCallContent")
}

fn is_result(item: &Node<'_>) -> bool {
    is_of_kind(item, "function_result", "FunctionResultContent")
}

/// The full name of the tool: plugin and function.
fn name(item: &Node<'_>) -> Option<Text<'static>> {
    let function = item.label_at(&["function_name", "FunctionName"]);
    let plugin = item.label_at(&["plugin_name", "PluginName"]);
    let joined = match (plugin, function) {
        (Some(plugin), Some(function)) if !plugin.is_empty() => {
            Some(Text::from(format!("{plugin}-{function}")))
        }
        (_, function) => function,
    };
    item.name_at(&["name"]).or(joined)
}

fn message(message: &Node<'_>, conversation: &mut Conversation) {
    conversation.message();
    for item in items(message) {
        if is_call(item) {
            conversation.call(TraceCall {
                name: name(item).unwrap_or_default(),
                ..TraceCall::from_node(item, &[], &["arguments", "Arguments"], &["id", "Id"])
            });
        } else if is_result(item) {
            conversation.result(CallResult {
                name: name(item),
                ..CallResult::from_node(item, &["CallId", "id"], &[], &["result", "Result"])
            });
        } else if is_of_model(message) {
            pass_over(item, conversation);
        }
    }
}

/// The calls in the chunks of a stream.
#[derive(Default)]
struct Chunks(StreamedCalls);

impl Stream for Chunks {
    fn event(&mut self, chunk: &Node<'_>, _: &mut Conversation) {
        for item in items(chunk).iter().filter(|item| is_call(item)) {
            let key = PieceKey {
                choice: chunk.whole_at("choice_index").unwrap_or_default(),
                index: item.whole_at("index"),
            };
            let name = name(item).filter(|name| !name.is_empty());
            let call = self.0.piece(key, item.label_at(&["id"]), name);
            call.arguments.read(item, &["arguments"]);
        }
    }

    fn end(&mut self, conversation: &mut Conversation) {
        if self.0.is_empty() {
            return;
        }
        conversation.message();
        let calls: Vec<_> = self.0.take().collect();
        let choices: BTreeSet<_> = calls.iter().map(|(key, _)| key.choice).collect();
        note_alternatives(choices.len(), conversation);
        for (_, call) in calls {
            conversation.call(call.into_call());
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::check;

    #[test]
    fn histories_of_both_languages_hold_the_same() {
        let found = [r#"shop-find({"id":7}) a @0 -> "x""#];
        check(
            "semantic-kernel",
            r#"{"messages":[{"metadata":{},"content_type":"message","role":"assistant","items":[{"content_type":"function_call","id":"a","name":"shop-find","function_name":"find","plugin_name":"shop","arguments":{"id":7}}]},
                {"content_type":"message","role":"tool","items":[{"content_type":"function_result","id":"a","result":"x","name":"shop-find"}]}]}"#,
            &found,
        );
        check(
            "semantic-kernel",
            r#"[{"Role":{"Label":"assistant"},"Items":[{"$type":"FunctionCallContent","Id":"a","PluginName":"shop","FunctionName":"find","Arguments":{"id":7}}]},
                {"Role":{"Label":"tool"},"Items":[{"$type":"FunctionResultContent","CallId":"a","PluginName":"shop","FunctionName":"find","Result":"x"}]}]"#,
            &found,
        );
    }
}
