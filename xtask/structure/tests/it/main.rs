//! Tests of the sources.

mod circles;
mod names;
