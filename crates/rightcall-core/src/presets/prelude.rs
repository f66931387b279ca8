//! The vocabulary for writing presets.

pub(super) use crate::alignment::{Driver, Fallback};
pub(super) use crate::call::Shape;
pub(super) use crate::entry::{Edition, Entry, Example, Page};
pub(super) use crate::explanation::{Costs, ExpectedList};
pub(super) use crate::matching::{
    ArgumentRule, Item, ItemArguments, ItemName, Items, MissingArguments, NameRule, OutputRule,
    Rules,
};
pub(super) use crate::outcome::{EvaluationError, Outcome};
pub(super) use crate::prepared::PreparedCase;
pub(super) use crate::presets::departures;
pub(super) use crate::presets::reading::{At, side, side_of_items, sides_of_items};
pub(super) use crate::recipe::{
    Align, Composed, Finish, Judged, Layout, Original, Preset, Reading, Recipe, Sides,
};
pub(super) use crate::scoring::{EmptyPolicy, Idle, Lengths, Rounding, Scoring, Weights, Worth};
pub(super) use crate::settings::{
    Choice, ConfigError, Flag, Group, Number, Setting, Settings, any, map, text, texts,
};
pub(super) use crate::value::{JsonWriter, Text, Value, ValueEquality};

/// The result of building a preset from settings.
pub(super) type Made = Result<Box<dyn Preset>, ConfigError>;
