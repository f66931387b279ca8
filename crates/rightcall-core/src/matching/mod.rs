//! Decides when an actual call equals an expected one.
//!
//! A [`Matcher`] grades each pair by five rules: a [`NameRule`], the kind of tool, an [`ArgumentRule`], an [`OutputRule`] and a
//! [`ValueEquality`](crate::value::ValueEquality). If the rules are an equivalence relation, it also has symbols, and alignments look calls
//! up instead of comparing them.

mod accepted;
mod apart;
mod arguments;
mod classes;
mod differences;
mod fuzzy;
mod glob;
mod interner;
mod item;
mod item_list;
mod item_value;
mod json_text;
mod matcher;
mod name_pattern;
mod names;
mod near;
mod nulls;
mod partial;
mod rules;
mod sanitise;
mod shortcuts;
mod texts;

pub(crate) use accepted::{ACCEPTED, Language, PARAMETERS, mistake};
pub(crate) use arguments::{ArgumentMode, ArgumentRule, MissingArguments};
pub(crate) use differences::Differences;
pub(crate) use glob::Glob;
pub use glob::fits;
pub(crate) use interner::{Interner, NameKey};
pub(crate) use item::{ArgumentsRef, Item, ItemArguments, ItemName, ItemOutput};
pub(crate) use item_list::{CaseNames, ItemList, Items};
pub(crate) use item_value::value_classes;
pub(crate) use json_text::{have_same_json_text, javascript_text};
pub(crate) use matcher::Matcher;
pub(crate) use name_pattern::NamePattern;
pub(crate) use names::NameRule;
pub(crate) use near::ArgumentDefaults;
pub(crate) use nulls::NullMembers;
pub(crate) use partial::PartialArguments;
pub(crate) use rules::{OutputRule, Rules};
pub(crate) use sanitise::{sanitise, stripped};
