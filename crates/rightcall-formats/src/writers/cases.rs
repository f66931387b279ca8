//! Canonical cases, which hold everything.

use super::writer::Writer;
use crate::case::case_text;

pub(super) static WRITER: Writer = Writer {
    name: "cases",
    summary: "canonical cases, which hold everything",
    lacks: &[],
    holds_cases: true,
    write: case_text,
};
