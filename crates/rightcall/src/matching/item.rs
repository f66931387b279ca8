//! A call as a matcher sees it: both doors of an evaluator end here.

use std::borrow::Cow;
use std::ops::Deref;
use std::sync::OnceLock;

use crate::alignment::Symbols;
use crate::call::{Arguments, Call};
use crate::value::{Syntax, Text, Value, decode_with};

use super::names::is_safe;

/// One call to be matched.
#[derive(Clone, Debug)]
pub(crate) struct Item<'c> {
    /// The tool's name.
    pub(crate) name: ItemName<'c>,
    /// The number of the name among those of the case, which two calls share just where they share the name; or [`Item::UNNUMBERED`].
    pub(crate) number: u32,
    /// Calls of different kinds are never the same.
    pub(crate) kind: u8,
    /// The arguments.
    pub(crate) arguments: ItemArguments<'c>,
    /// True for an item that counts in the length of its list and is otherwise passed over.
    pub(crate) is_blank: bool,
    /// What only some items have, read as if it were part of the item.
    pub(crate) more: Option<Box<ItemMore<'c>>>,
}

/// What only some items have: lists of items stay small.
#[derive(Clone, Debug, Default)]
pub(crate) struct ItemMore<'c> {
    /// Id of the tool, in dialects that know one.
    pub(crate) tool_id: Option<Text<'c>>,
    /// Of an expected call: the keys that [`ArgumentRule::OwnKeys`](super::ArgumentRule::OwnKeys) compares; `None` for those of the
    /// actual call.
    pub(crate) keys: Option<Box<[Text<'c>]>>,
    /// The output.
    pub(crate) output: ItemOutput<'c>,
}

impl<'c> ItemMore<'c> {
    /// That of an item with an id, if there is one.
    pub(crate) fn of_id(tool_id: Option<Text<'c>>) -> Option<Box<Self>> {
        tool_id.map(|tool_id| Box::new(Self { tool_id: Some(tool_id), ..Self::default() }))
    }

    /// That of an item with an output, if there is one.
    pub(crate) fn of_output(output: Option<ItemOutput<'c>>) -> Option<Box<Self>> {
        output.map(|output| Box::new(Self { output, ..Self::default() }))
    }

    /// That of an expected call of which these keys are compared; `None` for those of the actual call.
    pub(crate) fn of_keys(keys: Option<Box<[Text<'c>]>>) -> Option<Box<Self>> {
        keys.map(|keys| Box::new(Self { keys: Some(keys), ..Self::default() }))
    }
}

impl<'c> Deref for Item<'c> {
    type Target = ItemMore<'c>;

    fn deref(&self) -> &ItemMore<'c> {
        self.more.as_deref().unwrap_or(const { &ItemMore { tool_id: None, keys: None, output: ItemOutput::Absent } })
    }
}

/// The items of one side.
#[derive(Debug)]
pub(crate) enum Items<'c> {
    Own(Vec<Item<'c>>),
    /// Those of a prepared case.
    Prepared(&'c [Item<'c>], &'c CaseNames<'c>),
}

/// The names of a prepared case, as numbers.
#[derive(Debug)]
pub(crate) struct CaseNames<'c> {
    pub(crate) symbols: Symbols<'static>,
    /// Each name once, by its number.
    names: Vec<&'c [u8]>,
    are_safe: OnceLock<bool>,
}

impl<'c> CaseNames<'c> {
    pub(crate) fn new(symbols: Symbols<'static>, names: Vec<&'c [u8]>) -> Self {
        Self { symbols, names, are_safe: OnceLock::new() }
    }

    /// True if [`sanitise`](super::sanitise) leaves all of them as they are.
    pub(crate) fn are_safe(&self) -> bool {
        *self.are_safe.get_or_init(|| self.names.iter().all(|name| is_safe(name)))
    }
}

/// A list of items, and what is known of their names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Listed<'m, 'c> {
    pub(crate) items: &'m [Item<'c>],
    pub(crate) names: Option<&'m CaseNames<'c>>,
}

impl<'m, 'c> From<&'m Items<'c>> for Listed<'m, 'c> {
    fn from(items: &'m Items<'c>) -> Self {
        let names = match items {
            Items::Own(_) => None,
            Items::Prepared(_, names) => Some(*names),
        };
        Self { items, names }
    }
}

impl<'m, 'c> From<&'m [Item<'c>]> for Listed<'m, 'c> {
    fn from(items: &'m [Item<'c>]) -> Self {
        Self { items, names: None }
    }
}

impl<'m, 'c> From<&'m Vec<Item<'c>>> for Listed<'m, 'c> {
    fn from(items: &'m Vec<Item<'c>>) -> Self {
        Self { items, names: None }
    }
}

impl<'m, 'c, const N: usize> From<&'m [Item<'c>; N]> for Listed<'m, 'c> {
    fn from(items: &'m [Item<'c>; N]) -> Self {
        Self { items, names: None }
    }
}

impl<'c> Deref for Items<'c> {
    type Target = [Item<'c>];

    fn deref(&self) -> &[Item<'c>] {
        match self {
            Self::Own(items) => items,
            Self::Prepared(items, _) => items,
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
    /// True if [`sanitise`](super::sanitise) leaves it as it is.
    pub(crate) fn is_safe(&self) -> bool {
        matches!(self, Self::Text(name) if is_safe(name.as_bytes()))
    }

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
    Tree(Box<Value<'c>>),
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
            kind: 0,
            arguments: ItemArguments::Absent,
            is_blank: false,
            more: None,
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
        Self::numbered(call, Self::UNNUMBERED)
    }

    /// A call of a case whose names have been numbered.
    #[inline]
    pub(crate) fn numbered(call: &'c Call<'c>, number: u32) -> Self {
        Self {
            name: ItemName::Text(call.name.reborrow()),
            number,
            kind: 0,
            arguments: if call.arguments.is_absent() { ItemArguments::Absent } else { ItemArguments::Lazy(&call.arguments) },
            is_blank: false,
            more: None,
        }
    }

    /// A name alone.
    pub(crate) fn of_name(name: Text<'c>) -> Self {
        Self { name: ItemName::Text(name), ..Self::default() }
    }
}

impl<'c> ItemArguments<'c> {
    /// Decoded arguments.
    pub(crate) fn tree(value: Value<'c>) -> Self {
        Self::Tree(Box::new(value))
    }

    /// The arguments as a tree; `None` if there are none.
    pub(crate) fn to_tree(&self) -> Option<Cow<'_, Value<'c>>> {
        match self {
            Self::Absent => None,
            Self::Tree(value) => Some(Cow::Borrowed(value)),
            Self::Lazy(arguments) => arguments.to_value().map(Cow::Owned),
        }
    }
}
