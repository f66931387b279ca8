//! A call as a card.

use super::timing::Timing;
use crate::difference::Differing;
use crate::explain::Shown;
use crate::text::cut_middle;

/// Maximum length of a call in a card, in characters. The page hides text that is wider than the card.
const CALL: usize = 400;

/// Height of a line, padding of a card, and gap below it, in pixels at a font size of 16 pixels. The style sheet
/// has the same values in `rem`.
const LINE: u32 = 22;
const PADDING: u32 = 18;
pub(super) const GAP: u32 = 8;

/// A call in its lane.
#[derive(Clone, Debug)]
pub(super) struct Card {
    pub(super) number: usize,
    pub(super) name: String,
    pub(super) arguments: String,
    pub(super) state: State,
    pub(super) remark: String,
    pub(super) differences: Vec<(String, Differing)>,
    pub(super) more: usize,
    pub(super) timing: Option<Timing>,
    /// True if the call ended in an error.
    pub(super) failed: bool,
    pub(super) group: Group,
    pub(super) top: u32,
    /// The number of the call that it is joined to.
    pub(super) partner: Option<usize>,
    /// Its number among the differences, from 1; 0 for a call without a difference.
    pub(super) difference: usize,
}

/// The result of comparing a call with the other side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Same,
    /// Equal by the rules of the evaluator.
    Loose,
    Differs,
    Alone,
    Neutral,
}

/// The position of a call in a group of parallel calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Group {
    #[default]
    None,
    First,
    Middle,
    Last,
}

impl State {
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Loose => "loose",
            Self::Differs => "differs",
            Self::Alone => "alone",
            Self::Neutral => "neutral",
        }
    }
}

impl Group {
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::None => "",
            Self::First => "group first",
            Self::Middle => "group",
            Self::Last => "group last",
        }
    }
}

impl Card {
    pub(super) fn new(number: usize, call: &Shown) -> Self {
        Self {
            number,
            name: cut_middle(&call.name, 80),
            arguments: cut_middle(&call.after_name(), CALL),
            state: State::Neutral,
            remark: String::new(),
            differences: Vec::new(),
            more: 0,
            timing: None,
            failed: false,
            group: Group::None,
            top: 0,
            partner: None,
            difference: 0,
        }
    }

    pub(super) fn lines(&self) -> u32 {
        2 + self.differences.len() as u32 + u32::from(self.more > 0)
    }

    pub(super) fn height(&self) -> u32 {
        self.lines() * LINE + PADDING
    }

    pub(super) fn middle(&self) -> u32 {
        self.top + self.height() / 2
    }
}
