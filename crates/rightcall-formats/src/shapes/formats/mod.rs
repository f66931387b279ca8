//! The formats with cases as records: canonical cases, and the shapes of other tools. One file each, and their list.

mod adk;
mod agentevals;
mod axion;
mod cases;
mod deepeval;
mod evalite;
mod ragas;
mod tpmjs;
mod uipath;
mod vertex;

use crate::format::{Format, Reading, ShapeSides};

/// All formats with cases as records.
pub(crate) const CASE_FORMATS: &[&Format] = &[
    &uipath::ENTRY,
    &deepeval::ENTRY,
    &axion::ENTRY,
    &evalite::ENTRY,
    &tpmjs::ENTRY,
    &ragas::ENTRY,
    &agentevals::ENTRY,
    &adk::ENTRY,
    &vertex::ENTRY,
    &cases::ENTRY,
];

/// The sides of all shapes.
pub(crate) fn sides() -> impl Iterator<Item = &'static ShapeSides> {
    CASE_FORMATS
        .iter()
        .filter_map(|format| match format.reading {
            Reading::Shape(sides) => Some(sides),
            _ => None,
        })
}
