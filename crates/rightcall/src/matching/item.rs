//! A call as a matcher sees it: both doors of an evaluator end here.

use std::borrow::Cow;
use std::ops::Deref;

use crate::call::{Arguments, Call};
use crate::value::{Syntax, Text, Value, decode_with};

/// One call to be matched.
#[derive(Clone, Debug)]
pub(crate) struct Item<'c> {
    /// The tool's name.
    pub(crate) name: ItemName<'c>,
    /// The number of the name among those of the case, which two calls share just where they share the name; or [`Item::UNNUMBERED`].
    pub(crate) number: u32,
    /// True for a numbered name that [`sanitise`](super::sanitise) leaves as it is.
    pub(crate) is_safe: bool,
    /// Id of the tool, in dialects that know one.
    pub(crate) tool_id: Option<Text<'c>>,
    /// Calls of different kinds are never the same.
    pub(crate) kind: u8,
    /// The arguments.
    pub(crate) arguments: ItemArguments<'c>,
    /// Of an expected call: the keys that [`ArgumentRule::OwnKeys`](super::ArgumentRule::OwnKeys) compares; `None` for those of the
    /// actual call.
    pub(crate) keys: Option<Box<[Text<'c>]>>,
    /// The output.
    pub(crate) output: ItemOutput<'c>,
    /// True for an item that counts in the length of its list and is otherwise passed over.
    pub(crate) is_blank: bool,
}

/// The items of one side.
#[derive(Debug)]
pub(crate) enum Items<'c> {
    Own(Vec<Item<'c>>),
    /// Those of a prepared case.
    Prepared(&'c [Item<'c>]),
}

impl<'c> Deref for Items<'c> {
    type Target = [Item<'c>];

    fn deref(&self) -> &[Item<'c>] {
        match self {
            Self::Own(items) => items,
            Self::Prepared(items) => items,
        }
    }
}

/// The name of a call; in JavaScript's dialects it can be any value.
#[derive(Clone, Debug)]
pub(crate) enum ItemName<'c> {
    Text(Text<'c>),
    /// A null, boolean or number, by its JSON text as JavaScript writes it; or a missing name, by the empty text.
    Scalar(Cow<'static, str>),
    /// A list or object, identical to nothing.
    Incomparable,
}

impl Default for ItemName<'_> {
    fn default() -> Self {
        Self::Text(Text::default())
    }
}

impl ItemName<'_> {
    /// The name as text, for people.
    pub(crate) fn to_text(&self) -> Text<'_> {
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
    /// There are none.
    #[default]
    Absent,
    /// Arguments of a case: JSON text whose digests are kept, or a text.
    Lazy(&'c Arguments<'c>),
    /// Decoded.
    Tree(Value<'c>),
}

/// The output of an item.
#[derive(Clone, Debug, Default)]
pub(crate) enum ItemOutput<'c> {
    #[default]
    Absent,
    Text(Text<'c>),
    Tree(Value<'c>),
}

impl Default for Item<'_> {
    fn default() -> Self {
        Self {
            name: ItemName::default(),
            number: Self::UNNUMBERED,
            is_safe: false,
            tool_id: None,
            kind: 0,
            arguments: ItemArguments::Absent,
            keys: None,
            output: ItemOutput::Absent,
            is_blank: false,
        }
    }
}

impl<'c> ItemOutput<'c> {
    /// An output that a reader has checked.
    pub(crate) fn of_json(json: &'c str) -> Self {
        Self::Tree(decode_with(json, Syntax::PYTHON).unwrap_or(Value::Null))
    }
}

impl<'c> Item<'c> {
    /// Stands for a name that was not numbered.
    pub(crate) const UNNUMBERED: u32 = u32::MAX;

    /// A call of a case, without its output.
    pub(crate) fn of_call(call: &'c Call<'c>) -> Self {
        Self::numbered(call, Self::UNNUMBERED, false)
    }

    /// A call of a case whose names have been numbered.
    #[inline]
    pub(crate) fn numbered(call: &'c Call<'c>, number: u32, is_safe: bool) -> Self {
        Self {
            name: ItemName::Text(call.name.reborrow()),
            number,
            is_safe,
            tool_id: None,
            kind: 0,
            arguments: if call.arguments.is_absent() { ItemArguments::Absent } else { ItemArguments::Lazy(&call.arguments) },
            keys: None,
            output: ItemOutput::Absent,
            is_blank: false,
        }
    }

    /// A name alone.
    pub(crate) fn of_name(name: Text<'c>) -> Self {
        Self { name: ItemName::Text(name), ..Self::default() }
    }
}

impl<'c> ItemArguments<'c> {
    /// The arguments as a tree; `None` if there are none.
    pub(crate) fn to_tree(&self) -> Option<Cow<'_, Value<'c>>> {
        match self {
            Self::Absent => None,
            Self::Tree(value) => Some(Cow::Borrowed(value)),
            Self::Lazy(arguments) => arguments.to_value().map(Cow::Owned),
        }
    }
}
