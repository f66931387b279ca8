//! Tests the reference against the golden cases, and the engine against the reference.

mod decoders;
mod expectations;
mod goldens;
mod nulls;
mod properties;
mod regressions;
mod rules;
