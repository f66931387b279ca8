//! Items: calls in the form that matchers compare, from canonical cases or an original's own shape.

use std::borrow::Cow;

use super::nulls::without_nulls;
use crate::alignment::Symbols;
use crate::call::{Arguments, Call};
use crate::value::{Syntax, Text, Value, decode_with};

/// One call to be matched.
///
/// It is small, since cases have many: most items are a reference to a call, and its name's number.
#[derive(Clone, Debug)]
pub(crate) struct Item<'c> {
    content: Content<'c>,
    /// The number of the name in the case, or [`Item::UNNUMBERED`]. Calls share a number exactly if
    /// they share a name.
    pub(crate) number: u32,
    /// Calls of different kinds are never equal.
    pub(crate) kind: u8,
    /// True for an item that only counts in the length of its list.
    pub(crate) is_blank: bool,
}

/// The content of an item.
#[derive(Clone, Debug)]
enum Content<'c> {
    /// Name and arguments of a call in the case.
    Call(&'c Call<'c>),
    Own(Box<OwnContent<'c>>),
}

#[derive(Clone, Debug)]
struct OwnContent<'c> {
    name: ItemName<'c>,
    arguments: ItemArguments<'c>,
    more: ItemMore<'c>,
}

/// Fields that only some items have.
#[derive(Clone, Debug, Default)]
pub(crate) struct ItemMore<'c> {
    /// The tool's id, in dialects that have one.
    pub(crate) tool_id: Option<Text<'c>>,
    /// For an expected call, the keys that [`ArgumentRule::OwnKeys`](super::ArgumentRule::OwnKeys) compares; `None` for the actual call's
    /// keys.
    pub(crate) keys: Option<Box<[Text<'c>]>>,
    /// The output.
    pub(crate) output: ItemOutput<'c>,
}

impl ItemMore<'_> {
    const NONE: ItemMore<'static> = ItemMore {
        tool_id: None,
        keys: None,
        output: ItemOutput::Absent,
    };
}

/// The name of a call. In JavaScript dialects it can be any value.
#[derive(Clone, Debug)]
pub(crate) enum ItemName<'c> {
    Text(Text<'c>),
    /// A null, boolean or number, as the JSON text that JavaScript writes; the empty text for a missing name.
    Scalar(Cow<'static, str>),
    /// A list or an object, which equals no name.
    Incomparable,
}

/// A borrowed name.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NameRef<'i> {
    Text(&'i Text<'i>),
    Scalar(&'i str),
    Incomparable,
}

impl<'i> NameRef<'i> {
    /// The name as readable text.
    pub(crate) fn to_text(self) -> Text<'i> {
        match self {
            Self::Text(text) => text.reborrow(),
            Self::Scalar(json) => Text::new(json),
            Self::Incomparable => Text::new("(not a name)"),
        }
    }
}

/// The arguments of an item.
#[derive(Clone, Debug, Default)]
pub(crate) enum ItemArguments<'c> {
    /// Not present.
    #[default]
    Absent,
    /// Arguments in a case: JSON text with cached digests, or a string.
    Lazy(&'c Arguments<'c>),
    /// Decoded.
    Tree(Value<'c>),
}

/// Borrowed arguments.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ArgumentsRef<'i, 'c> {
    Absent,
    Lazy(&'c Arguments<'c>),
    Tree(&'i Value<'c>),
}

impl<'i, 'c> ArgumentsRef<'i, 'c> {
    /// The arguments as a tree; `None` if absent.
    pub(crate) fn to_tree(self) -> Option<Cow<'i, Value<'c>>> {
        match self {
            Self::Absent => None,
            Self::Tree(value) => Some(Cow::Borrowed(value)),
            Self::Lazy(arguments) => arguments.to_value().map(Cow::Owned),
        }
    }
}

/// The output of an item.
#[derive(Clone, Debug, Default)]
pub(crate) enum ItemOutput<'c> {
    #[default]
    Absent,
    Text(Text<'c>),
    Tree(Value<'c>),
}

impl<'c> ItemOutput<'c> {
    /// An output that a reader has already checked.
    pub(crate) fn from_json(json: &'c str) -> Self {
        Self::Tree(decode_with(json, Syntax::PYTHON).unwrap_or(Value::Null))
    }
}

impl<'c> Item<'c> {
    /// Marks a name without a number.
    pub(crate) const UNNUMBERED: u32 = u32::MAX;

    fn from_content(content: Content<'c>) -> Self {
        Self {
            content,
            number: Self::UNNUMBERED,
            kind: 0,
            is_blank: false,
        }
    }

    /// An item with a name and arguments.
    pub(crate) fn new(name: ItemName<'c>, arguments: ItemArguments<'c>) -> Self {
        Self::from_content(Content::Own(Box::new(OwnContent {
            name,
            arguments,
            more: ItemMore::NONE,
        })))
    }

    /// An item with only a name.
    pub(crate) fn from_name(name: Text<'c>) -> Self {
        Self::new(ItemName::Text(name), ItemArguments::Absent)
    }

    /// An item for a call in the case, without its output.
    pub(crate) fn from_call(call: &'c Call<'c>) -> Self {
        Self::from_content(Content::Call(call))
    }

    /// An item for a call with a numbered name.
    #[inline]
    pub(crate) fn numbered(call: &'c Call<'c>, number: u32) -> Self {
        Self {
            number,
            ..Self::from_call(call)
        }
    }

    /// The numbers of numbered items, as symbols from 0 to `count - 1`.
    pub(crate) fn numbers(expected: &[Self], actual: &[Self], count: usize) -> Symbols<'static> {
        let of_expected = expected.iter().map(|item| [item.number; 2]).collect();
        Symbols {
            expected: of_expected,
            actual: actual.iter().map(|item| item.number).collect(),
            count,
        }
    }

    /// The item with another kind.
    pub(crate) fn with_kind(self, kind: u8) -> Self {
        Self { kind, ..self }
    }

    /// The item, ignored or not.
    pub(crate) fn blank_if(self, is_blank: bool) -> Self {
        Self { is_blank, ..self }
    }

    /// The item with another name, which has no number.
    pub(crate) fn with_name(mut self, name: ItemName<'c>) -> Self {
        self.own_content().name = name;
        Self {
            number: Self::UNNUMBERED,
            ..self
        }
    }

    /// The item with other arguments.
    pub(crate) fn with_arguments(mut self, arguments: ItemArguments<'c>) -> Self {
        self.own_content().arguments = arguments;
        self
    }

    /// The item with a tool id, if there is one.
    pub(crate) fn with_tool_id(mut self, tool_id: Option<Text<'c>>) -> Self {
        if tool_id.is_some() {
            self.own_content().more.tool_id = tool_id;
        }
        self
    }

    /// The item with an output, if there is one.
    pub(crate) fn with_output(mut self, output: Option<ItemOutput<'c>>) -> Self {
        if let Some(output) = output {
            self.own_content().more.output = output;
        }
        self
    }

    /// The item as an expected call that compares these keys; `None` for the actual call's keys.
    pub(crate) fn with_keys(mut self, keys: Option<Box<[Text<'c>]>>) -> Self {
        if keys.is_some() {
            self.own_content().more.keys = keys;
        }
        self
    }

    /// The item without null members in arguments and output.
    pub(crate) fn without_nulls(mut self) -> Self {
        let arguments = self.arguments().to_tree();
        if let Some(rest) = arguments.as_deref().and_then(without_nulls) {
            drop(arguments);
            self = self.with_arguments(ItemArguments::Tree(rest));
        }
        if let ItemOutput::Tree(output) = &self.more().output
            && let Some(rest) = without_nulls(output)
        {
            self = self.with_output(Some(ItemOutput::Tree(rest)));
        }
        self
    }

    /// The item's own content, copied from the call if needed.
    fn own_content(&mut self) -> &mut OwnContent<'c> {
        if let Content::Call(call) = self.content {
            let (name, arguments) = (
                ItemName::Text(call.name.reborrow()),
                ItemArguments::from_call(call),
            );
            self.content = Content::Own(Box::new(OwnContent {
                name,
                arguments,
                more: ItemMore::NONE,
            }));
        }
        match &mut self.content {
            Content::Own(own) => own,
            Content::Call(_) => unreachable!("made its own above"),
        }
    }

    /// The optional fields, empty if the item has none.
    #[inline]
    pub(crate) fn more(&self) -> &ItemMore<'c> {
        match &self.content {
            Content::Call(_) => const { &ItemMore::NONE },
            Content::Own(own) => &own.more,
        }
    }

    /// The tool's name.
    #[inline]
    pub(crate) fn name(&self) -> NameRef<'_> {
        match &self.content {
            Content::Call(call) => NameRef::Text(&call.name),
            Content::Own(own) => match &own.name {
                ItemName::Text(text) => NameRef::Text(text),
                ItemName::Scalar(json) => NameRef::Scalar(json),
                ItemName::Incomparable => NameRef::Incomparable,
            },
        }
    }

    /// The arguments.
    #[inline]
    pub(crate) fn arguments(&self) -> ArgumentsRef<'_, 'c> {
        match &self.content {
            Content::Call(call) if call.arguments.is_absent() => ArgumentsRef::Absent,
            Content::Call(call) => ArgumentsRef::Lazy(&call.arguments),
            Content::Own(own) => match &own.arguments {
                ItemArguments::Absent => ArgumentsRef::Absent,
                ItemArguments::Lazy(arguments) => ArgumentsRef::Lazy(arguments),
                ItemArguments::Tree(value) => ArgumentsRef::Tree(value),
            },
        }
    }
}

impl<'c> ItemArguments<'c> {
    fn from_call(call: &'c Call<'c>) -> Self {
        if call.arguments.is_absent() {
            Self::Absent
        } else {
            Self::Lazy(&call.arguments)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_small() {
        assert_eq!(size_of::<Item<'_>>(), 24);
    }
}
