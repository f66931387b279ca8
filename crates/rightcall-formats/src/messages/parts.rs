//! Message parts without a reader: text and similar parts, or unknown ones.

use rightcall_core::value::{MAX_DEPTH, Text};

use crate::case::letters;
use crate::node::Node;
use crate::trace::{Conversation, count_suspects};

/// Keys of a part's kind.
const KINDS: [&str; 6] = [
    "type",
    "kind",
    "part_kind",
    "content_type",
    "block_type",
    "$type",
];

/// Keys of a message's content.
pub(crate) const CONTENTS: [&str; 6] = ["content", "parts", "contents", "blocks", "items", "Items"];

/// Keys of message lists.
pub(crate) const LISTS: [&str; 15] = [
    "messages",
    "all_messages",
    "chat_history",
    "input",
    "prompt",
    "completion",
    "items",
    "traj",
    "history",
    "conversation",
    "conversations",
    "chat",
    "output",
    "outputs",
    "steps",
];

/// Keys of the media in parts without a kind, as in Bedrock and Gemini.
const MEDIA: [&str; 10] = [
    "image",
    "document",
    "video",
    "audio",
    "inlineData",
    "inline_data",
    "fileData",
    "file_data",
    "reasoningContent",
    "cachePoint",
];

/// Kinds of text, media and thoughts, as returned by [`letters`].
const HARMLESS: &[&str] = &[
    "annotatedtext",
    "audio",
    "audiocontent",
    "citation",
    "compaction",
    "containerupload",
    "data",
    "document",
    "error",
    "errorcontent",
    "file",
    "filecontent",
    "filereference",
    "hostedfile",
    "hostedvectorstore",
    "image",
    "imagecontent",
    "imagefile",
    "imageurl",
    "inputaudio",
    "inputfile",
    "inputimage",
    "inputtext",
    "json",
    "markdown",
    "media",
    "outputaudio",
    "outputimage",
    "outputtext",
    "reasoning",
    "reasoningcontent",
    "reasoningtext",
    "redactedthinking",
    "refusal",
    "searchresult",
    "source",
    "sourcedocument",
    "sourceurl",
    "stepfinish",
    "stepstart",
    "streamingtext",
    "summarytext",
    "text",
    "textcontent",
    "textreasoning",
    "thinking",
    "thought",
    "uri",
    "usage",
    "usagecontent",
    "video",
    "videourl",
];

/// Skips a part of the agent's message. A part of an unknown kind is left over if it may be an action: it contains an object, or its kind
/// suggests it.
pub(crate) fn pass_over(part: &Node<'_>, conversation: &mut Conversation) {
    if let Some(inner) = inside_text(part) {
        return conversation.left_over(inner);
    }
    let ids = [
        "id",
        "call_id",
        "callId",
        "tool_call_id",
        "tool_use_id",
        "toolCallId",
    ];
    let Some(kind) = part.any(&KINDS).and_then(Node::str) else {
        if part.is_list() || holds_object(part) || part.has_any(&ids[1..]) {
            conversation.left_over("a part without a type");
        }
        return;
    };
    let is_known = |key: &&str| {
        part.label_at(&[key])
            .is_some_and(|id| conversation.has_call_id(&id))
    };
    let repeats = || ids.iter().any(is_known);
    let members = || part.entries().iter().map(|(_, member)| member);
    let holds_call = || members().any(|it| it.str().is_some() && count_suspects(it) > 0);
    let holds_text = || members().any(is_object_text);
    let may_act = || holds_object(part) || names_action(kind) || holds_call() || holds_text();
    if is_harmless(kind) || !may_act() || repeats() {
        return;
    }
    conversation.left_over(format!("a part of the type `{kind}`"));
}

/// The kind of a part that is given as JSON text.
fn inside_text(part: &Node<'_>) -> Option<String> {
    let text = part
        .str()
        .filter(|text| text.trim_start().starts_with('{'))?;
    let inner = Node::parse(text, MAX_DEPTH).ok()?;
    let kind = inner.any(&KINDS)?.str()?;
    (!is_harmless(kind)).then(|| format!("the JSON text of a part of the type `{kind}`"))
}

/// Skips content in place of parts: text, unless it is the JSON text of parts.
pub(crate) fn pass_over_text(content: &Node<'_>, conversation: &mut Conversation) {
    let Some(text) = content
        .str()
        .filter(|text| text.trim_start().starts_with(['[', '{']))
    else {
        return;
    };
    let holds_parts = |parts: &Node<'_>| {
        let parts = parts.items_or_self().iter();
        let mut members = parts.flat_map(Node::entries);
        members.any(|(_, value)| value.is_object() || value.is_list())
    };
    if Node::parse(text, MAX_DEPTH).is_ok_and(|parts| holds_parts(&parts)) {
        conversation.left_over("the JSON text of parts of a message");
    }
}

/// Skips a part with its kind as the only key, as in Bedrock and Gemini. `known` lists the harmless keys.
pub(crate) fn pass_over_member(part: &Node<'_>, known: &[&str], conversation: &mut Conversation) {
    pass_over_text(part, conversation);
    let unknown = part.entries().iter().find(|(key, value)| {
        value.is_object() && !known.iter().any(|it| *key == **it) && !is_about(key)
    });
    if let Some((key, _)) = unknown {
        conversation.left_over(format!("a part with `{}`", key.to_display()));
    }
}

/// True for a part with text, media or a thought. Parts without a kind have only the keys of these.
pub(crate) fn is_plain_part(part: &Node<'_>) -> bool {
    if let Some(kind) = part.any(&KINDS).and_then(Node::str) {
        return is_harmless(kind);
    }
    let is_known = |(key, value): &(Text<'_>, Node<'_>)| {
        let holds_object = value.is_object() || value.is_list();
        !holds_object || MEDIA.iter().any(|media| *key == **media)
    };
    let text = part.any(&["text", "Text"]);
    text.or_else(|| part.any(&MEDIA)).is_some() && part.entries().iter().all(is_known)
}

/// True for a kind of text, media or thought, in any spelling.
pub(crate) fn is_harmless(kind: &str) -> bool {
    let letters = letters(kind);
    HARMLESS.contains(&&*letters) || kind.starts_with("data-") && !names_action(kind)
}

/// True for a kind that names an action.
pub(crate) fn names_action(kind: &str) -> bool {
    let kind = kind.to_ascii_lowercase();
    let words = [
        "tool", "call", "function", "action", "command", "exec", "invo",
    ];
    words.iter().any(|word| kind.contains(word)) && !kind.contains("approval")
}

/// True for the JSON text of an object with members.
pub(crate) fn is_object_text(value: &Node<'_>) -> bool {
    let text = value.str().map(str::trim_ascii);
    text.filter(|text| text.starts_with('{'))
        .is_some_and(|text| {
            Node::parse(text, MAX_DEPTH).is_ok_and(|inner| !inner.entries().is_empty())
        })
}

/// True if a member is an object, or a list of objects, and isn't metadata of the part.
pub(crate) fn holds_object(part: &Node<'_>) -> bool {
    let is_object = |value: &Node<'_>| !value.entries().is_empty();
    part.entries().iter().any(|(key, value)| {
        (is_object(value) || value.items().iter().any(is_object)) && !is_about(key)
    })
}

/// True for a metadata key of a part, in any spelling.
pub(super) fn is_about(key: &Text<'_>) -> bool {
    let letters = letters(&key.to_display());
    let words = [
        "metadata",
        "citation",
        "annotation",
        "cache",
        "extra",
        "additional",
        "signature",
        "usage",
        "option",
    ];
    words.iter().any(|word| letters.contains(word))
        || matches!(&*letters, "meta" | "logprobs" | "caller")
}
