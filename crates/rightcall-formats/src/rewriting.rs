//! Values of known formats in another writing: with a body that is JSON text, or with keys in another word style.

use crate::messages::stringified::opened;
use crate::node::Node;
use crate::respelled::WordStyle;

/// A way to write a value of a format differently.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rewriting {
    /// Its body is JSON text.
    Opened,
    /// Its keys are in another word style than this one.
    Respelled(WordStyle),
}

/// All of them, in the order of testing.
pub(crate) const REWRITINGS: [Rewriting; 3] = [
    Rewriting::Opened,
    Rewriting::Respelled(WordStyle::Snake),
    Rewriting::Respelled(WordStyle::Camel),
];

impl Rewriting {
    /// The value as its format writes it; `None` if it is not in this writing.
    pub(crate) fn undone(self, value: &Node<'_>) -> Option<String> {
        match self {
            Self::Opened => opened(value),
            Self::Respelled(style) => style.respelled(value),
        }
    }
}
