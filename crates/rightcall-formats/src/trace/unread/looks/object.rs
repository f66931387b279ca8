//! The members of an object, and why it looks like a call.

use rightcall_core::value::Text;

use super::keys::{
    Key, is_call_kind, is_piece_kind, is_result_kind, is_schema, is_thought_kind, key_of,
    unnumbered,
};
use super::{Step, pointer};
use crate::node::Node;
use crate::notations::DSPY_END;
use crate::trace::unread::suspect::{Doubt, Suspect};
use crate::trace::wrappers::tool_of;

pub(super) fn owned(name: &Text<'_>) -> Text<'static> {
    tool_of(name.clone().into_owned())
}

/// The members of an object that decide whether it is a call.
#[derive(Default)]
pub(super) struct Object<'n, 'a> {
    pub(super) kind: Option<&'n str>,
    pub(super) role: Option<&'n str>,
    pub(super) name: Option<&'n Text<'a>>,
    /// The keys of name and arguments, and true if only calls have such a key.
    pub(super) name_key: Option<(&'n Text<'a>, bool)>,
    pub(super) arguments_key: Option<(&'n Text<'a>, bool)>,
    pub(super) arguments: Option<&'n Node<'a>>,
    /// The key of an input text, which may be the argument of a call.
    pub(super) text_key: Option<&'n Text<'a>>,
    /// The key of a call id.
    pub(super) id_key: Option<&'n Text<'a>>,
    /// The id of the call, and the id of the object.
    pub(super) call_id: Option<&'n Node<'a>>,
    pub(super) own_id: Option<&'n Node<'a>>,
    pub(super) status: Option<&'n str>,
    pub(super) has_content: bool,
    pub(super) has_description: bool,
    /// True if the name is an empty text.
    pub(super) lacks_name: bool,
    /// The member that says whether it is a thought of the model.
    thought: Option<&'n Node<'a>>,
    /// The call in a wrapper such as `{"id", "function": {"name", "arguments"}}`.
    inner_call: Option<&'n Node<'a>>,
}

fn is_empty_text(node: &Node<'_>) -> bool {
    node.text().is_some_and(Text::is_empty)
}

impl<'n, 'a> Object<'n, 'a> {
    pub(super) fn from_node(node: &'n Node<'a>) -> Self {
        let mut object = Self::default();
        for (key, value) in node.entries() {
            match key_of(key) {
                Key::Type => object.kind = object.kind.or(value.str()),
                Key::Role => object.role = object.role.or(value.str()),
                Key::Content => object.has_content |= !value.is_null(),
                Key::Description => object.has_description = true,
                found @ (Key::Name | Key::AnyName) => {
                    let is_telling = matches!(found, Key::Name);
                    if is_telling && value.is_object() {
                        object.inner_call = Some(value);
                    }
                    let is_better = object
                        .name_key
                        .is_none_or(|(_, known)| !known && is_telling);
                    let is_end =
                        |text: &Text<'_>| *text == *DSPY_END && unnumbered(key) != key.as_bytes();
                    let is_name = |text: &&Text<'_>| !text.is_empty() && !is_end(text);
                    object.lacks_name |= value.text().is_some_and(Text::is_empty);
                    if let Some(text) = value.text().filter(|text| is_better && is_name(text)) {
                        // Semantic Kernel also writes the full name, which begins with the plugin.
                        let is_full = |known: &&Text<'_>| {
                            *key == *"function_name" && known.as_bytes().ends_with(text.as_bytes())
                        };
                        object.name = object.name.filter(is_full).or(Some(text));
                        object.name_key = Some((key, is_telling));
                    }
                }
                found @ (Key::Arguments | Key::AnyArguments) => {
                    let is_telling = matches!(found, Key::Arguments);
                    if value.text().is_some() {
                        object.text_key = Some(key);
                    }
                    let is_value = value.is_object() && !is_schema(value)
                        || is_telling && value.text().is_some();
                    if is_value
                        && object
                            .arguments_key
                            .is_none_or(|(_, known)| !known && is_telling)
                    {
                        object.arguments_key = Some((key, is_telling));
                        object.arguments = Some(value);
                    }
                }
                Key::CallId => {
                    object.id_key = object.id_key.or(Some(key).filter(|_| !value.is_null()));
                    object.call_id = object.call_id.or(Some(value));
                }
                Key::Id => object.own_id = Some(value),
                Key::Other if *key == *"status" => object.status = value.str(),
                Key::Thoughts => object.thought = Some(value),
                Key::Calls | Key::PassedOver | Key::Tools | Key::Other => {}
            }
        }
        object
    }

    /// True for a message to the agent.
    pub(super) fn is_of_others(&self) -> bool {
        const OTHERS: [&str; 4] = ["user", "human", "system", "developer"];
        self.role
            .is_some_and(|role| OTHERS.iter().any(|other| role.eq_ignore_ascii_case(other)))
    }

    /// True for a call's result, which may contain anything.
    pub(super) fn is_result(&self) -> bool {
        let is_of_tool =
            |word: &str| word.eq_ignore_ascii_case("tool") || word.eq_ignore_ascii_case("function");
        self.role.is_some_and(is_of_tool)
            || self.kind.is_some_and(|kind| {
                is_result_kind(kind)
                    || kind == "tool" && self.has_content
                    || kind.contains("approval")
            })
    }

    /// True for the model's thoughts.
    pub(super) fn is_thought(&self) -> bool {
        self.thought.is_some_and(Node::is_true) || self.kind.is_some_and(is_thought_kind)
    }

    /// True for a call, not a definition, in a list that may hold either.
    pub(super) fn is_called(&self) -> bool {
        let is_property = |(_, value): &(Text<'_>, Node<'_>)| value.has("type");
        let has_values = |arguments: &Node<'_>| {
            let is_telling = self.arguments_key.is_some_and(|(_, is_telling)| is_telling);
            let members = arguments.entries();
            (is_telling || !members.is_empty()) && !members.iter().any(is_property)
        };
        self.name_key.is_some() && !self.has_description && self.arguments.is_some_and(has_values)
    }

    /// Why the object looks like a call.
    pub(super) fn evidence(&self) -> Option<Evidence<'n, 'a>> {
        let is_answer = self.has_content && self.role.is_none();
        let (is_telling, arguments) = match self.arguments_key {
            Some((arguments, is_telling)) => (is_telling, Some(arguments)),
            None => (false, self.text_key.filter(|_| self.id_key.is_some())),
        };
        let named = self
            .name_key
            .filter(|(_, name_tells)| *name_tells || is_telling || !self.has_description);
        let first = named
            .map(|(name, _)| name)
            .or_else(|| self.id_key.filter(|_| !is_answer && !self.is_empty()));
        match first.zip(arguments) {
            Some((first, arguments)) => Some(Evidence::Members(first, arguments)),
            None => self.call_kind().map(|_| Evidence::Type),
        }
    }

    /// True for the empty values that libraries in Go write in place of a call.
    fn is_empty(&self) -> bool {
        self.lacks_name
            && self.call_id.is_some_and(is_empty_text)
            && self.arguments.is_some_and(is_empty_text)
    }

    /// The id of the call inside, for a wrapper.
    pub(super) fn id_of_inner(&self) -> Option<&'n Node<'a>> {
        if self.kind == Some(HOSTED) {
            return self.own_id;
        }
        self.inner_call.and_then(|_| self.id_of_call())
    }

    /// The id of a call; a streamed call that only began may have another id at its end.
    fn id_of_call(&self) -> Option<&'n Node<'a>> {
        let has_begun = self.status == Some("in_progress");
        // The SDK for Go writes the members of all blocks.
        let call_id = self.call_id.filter(|id| !is_empty_text(id));
        call_id.or(self.own_id).filter(|_| !has_begun)
    }

    /// The type of a call. A part of the type `tool` is one if it has nothing but a name, or names a tool and has the id of a call.
    fn call_kind(&self) -> Option<&'n str> {
        let is_named = self.name_key.is_some_and(|(_, is_telling)| is_telling);
        let is_bare = self.name_key.is_some() && !self.has_content && !self.has_description;
        let is_part = is_named && self.id_key.is_some() || is_bare;
        self.kind
            .filter(|kind| is_call_kind(kind) || *kind == "tool" && is_part)
    }

    pub(super) fn suspect(&self, evidence: Option<Evidence<'_, '_>>, path: &[Step<'_>]) -> Suspect {
        let kind = self.call_kind().map(|kind| format!("`type: {kind}`"));
        let members = match evidence {
            Some(Evidence::Members(first, second)) => Some(format!(
                "`{}` with `{}`",
                first.to_display(),
                second.to_display()
            )),
            _ => None,
        };
        let looks: Vec<_> = kind.into_iter().chain(members).collect();
        let is_hosted = self.kind == Some(HOSTED);
        let of_kind = || {
            self.kind
                .filter(|kind| !is_hosted && *kind != "function_call")
                .and_then(|kind| kind.strip_suffix("_call").or_else(|| self.ui_tool(kind)))
                .map(|name| Text::from(name.to_owned()))
        };
        let name = self.name.filter(|_| !is_hosted).map(owned);
        let name = name.or_else(|| self.hosted_tool().filter(|_| is_hosted));
        // A chunk continues a call by its position alone.
        let goes_on = self.lacks_name && self.id_key.is_none();
        let is_piece =
            name.is_none() && (goes_on || is_hosted || self.kind.is_some_and(is_piece_kind));
        let doubt = if is_piece {
            Doubt::Piece
        } else {
            Doubt::SameName
        };
        Suspect {
            looks: looks.join(", "),
            name: name.or_else(of_kind),
            id: self.id_of_call().and_then(Node::label),
            arguments: self.arguments.map(|it| it.raw().to_owned()),
            place: pointer(path),
            doubt,
        }
    }
}

/// The type of a call in the `OpenAI` Agents SDK whose name is the type of an item.
const HOSTED: &str = "hosted_tool_call";

impl<'n> Object<'n, '_> {
    /// The tool in the name of such a call; for a call of MCP it is elsewhere.
    fn hosted_tool(&self) -> Option<Text<'static>> {
        let name = self.name?.as_str()?.strip_suffix("_call")?;
        (name != "mcp").then(|| Text::from(name.to_owned()))
    }

    /// The tool in the type of a part of a UI message of the AI SDK: `tool-NAME`.
    fn ui_tool(&self, kind: &'n str) -> Option<&'n str> {
        const EVENTS: [&str; 5] = ["approval", "call", "input", "invocation", "output"];
        let name = kind
            .strip_prefix("tool-")
            .filter(|_| self.id_key.is_some())?;
        (!EVENTS.iter().any(|event| name.starts_with(event))).then_some(name)
    }
}

/// Evidence of a call.
#[derive(Clone, Copy)]
pub(super) enum Evidence<'n, 'a> {
    /// The keys of a name or id, and of arguments.
    Members(&'n Text<'a>, &'n Text<'a>),
    Type,
}
