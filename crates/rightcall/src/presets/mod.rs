//! The presets: each published metric as a recipe, with its original's reader and renderer.
//!
//! A preset's settings make a [`Recipe`](crate::recipe::Recipe), which the one interpreter judges by. Its own are its page, how it
//! reads the original's shape, and what it shows of a judgement. It has no loop over pairs of its own, and its quirks are named
//! choices.

pub(crate) mod adk;
pub(crate) mod agentevals;
pub(crate) mod axion;
pub(crate) mod constraints;
pub(crate) mod deepeval;
mod departures;
pub(crate) mod evalite;
mod javascript_items;
mod prelude;
pub(crate) mod ragas;
mod reading;
pub(crate) mod tau2;
pub(crate) mod tpmjs;
pub(crate) mod trajectory;
pub(crate) mod uipath;
