//! The presets: each published metric as a recipe, with a reader and a renderer for its original's shape.
//!
//! A preset's settings build a [`Recipe`](crate::recipe::Recipe), which a common interpreter runs. A preset only defines its page, how it
//! reads the original's shape, and what it shows of a result. It has no loops over pairs, and its quirks are named options.

mod departures;
mod javascript_items;
mod one_tool;
mod plain_calls;
mod prelude;
mod reading;

mod adk;
mod agentevals;
mod axion;
mod azure;
mod bfcl;
mod constraints;
mod deepeval;
mod evalite;
mod fitness;
mod mastra;
mod mlflow;
mod openevals;
mod promptfoo;
mod ragas;
mod strands;
mod tau2;
mod tpmjs;
mod trajectory;
mod uipath;
mod vertex;

pub use constraints::check_constraints;
pub use departures::GENERAL_DEPARTURES;

use crate::entry::Entry;

/// All evaluators, in display order.
pub static EVALUATORS: &[&Entry] = &[
    &uipath::count::ENTRY,
    &uipath::order::ENTRY,
    &uipath::args::ENTRY,
    &uipath::output::ENTRY,
    &axion::ENTRY,
    &evalite::ENTRY,
    &tpmjs::ENTRY,
    &deepeval::ENTRY,
    &ragas::accuracy::ENTRY,
    &ragas::f1::ENTRY,
    &agentevals::ENTRY,
    &adk::ENTRY,
    &tau2::ENTRY,
    &mastra::tool_call_accuracy::ENTRY,
    &mastra::trajectory::ENTRY,
    &mastra::trajectory_accuracy::ENTRY,
    &promptfoo::tool_used::ENTRY,
    &promptfoo::tool_sequence::ENTRY,
    &promptfoo::tool_args_match::ENTRY,
    &promptfoo::tool_call_f1::ENTRY,
    &bfcl::ENTRY,
    &vertex::exact_match::ENTRY,
    &vertex::in_order_match::ENTRY,
    &vertex::any_order_match::ENTRY,
    &vertex::precision::ENTRY,
    &vertex::recall::ENTRY,
    &vertex::single_tool_use::ENTRY,
    &azure::ENTRY,
    &mlflow::ENTRY,
    &strands::exact_match::ENTRY,
    &strands::in_order_match::ENTRY,
    &strands::any_order_match::ENTRY,
    &strands::tool_called::ENTRY,
    &openevals::ENTRY,
    &trajectory::ENTRY,
    &constraints::ENTRY,
    &fitness::ENTRY,
];
