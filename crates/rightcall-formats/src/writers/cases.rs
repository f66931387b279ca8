//! Canonical cases, which can hold everything.

use super::writer::{Frame, Writer};
use crate::case::case_text;

pub(super) static WRITER: Writer = Writer {
    name: "cases",
    summary: "canonical cases, which hold everything, one a line",
    needs: "a side",
    lacks: &[],
    frame: Frame::LINES,
    write: |case| Some(case_text(case).into()),
};
