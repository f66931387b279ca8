//! When is an actual call *the same* as an expected one?
//!
//! A [`Matcher`] answers for each pair, from five choices: a [`NameRule`], the kind of tool, an [`ArgumentRule`], an
//! [`OutputRule`] and a [`ValueEquality`](crate::value::ValueEquality). Where the choices amount to an equivalence, it also
//! gives symbols, and alignments look up instead of comparing.

mod arguments;
mod classes;
mod differences;
mod fuzzy;
mod item;
mod matcher;
mod names;
mod shortcuts;

pub(crate) use arguments::{ArgumentMode, ArgumentRule, Unasked};
pub(crate) use classes::value_classes;
pub(crate) use differences::Differences;
pub(crate) use item::{
    ArgumentsOf, CaseNames, Item, ItemArguments, ItemName, ItemOutput, Items, Listed, NameOf,
};
pub(crate) use matcher::{Matcher, OutputRule, Rules};
pub(crate) use names::{InternKey, Interner, NameKey, NameRule, sanitise};
