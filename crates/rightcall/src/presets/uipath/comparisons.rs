//! What arguments and outputs share: comparisons are noted as they happen, and each becomes a line of the details.

use std::ops::ControlFlow;

use crate::alignment::{Grade, Observer};
use crate::matching::{Interner, Item};
use crate::value::{HashKey, JsonWriter, Object, Text, TextBuilder, Value};

/// The comparisons of an evaluation, in their order.
#[derive(Debug, Default)]
pub(super) struct Comparisons {
    /// The first that fails ends the evaluation, and so does an expected item that nothing can be compared with.
    pub(super) end_at_failure: bool,
    /// Expected and actual index, and whether the two agreed.
    pub(super) seen: Vec<(usize, usize, bool)>,
    /// The expected item without a candidate that ended the evaluation.
    pub(super) unanswered: Option<usize>,
}

impl Observer for Comparisons {
    fn compared(&mut self, expected: usize, actual: usize, grade: Grade) -> ControlFlow<()> {
        let held = grade == Grade::Full;
        self.seen.push((expected, actual, held));
        if self.end_at_failure && !held { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn unanswered(&mut self, expected: usize) -> ControlFlow<()> {
        if !self.end_at_failure {
            return ControlFlow::Continue(());
        }
        self.unanswered = Some(expected);
        ControlFlow::Break(())
    }
}

/// Adds `id='…'` or `id=None`.
pub(super) fn push_id(id: Option<&Text<'_>>, out: &mut TextBuilder) {
    out.push_str("id=");
    match id {
        Some(id) => crate::value::python::push_repr_text(id, out),
        None => out.push_str("None"),
    }
}

/// Why an empty side decides.
pub(super) fn empty_reason(expected: &[Item<'_>], actual: &[Item<'_>], what: &str) -> String {
    let sides = if expected.is_empty() && actual.is_empty() { "Both" } else { "Either" };
    let or_and = if sides == "Both" { "and" } else { "or" };
    format!("{sides} expected {or_and} actual {what}")
}

/// One line a comparison, under the actual call's name and the number of comparisons that name has had; those from `shown` on.
pub(super) fn explained_lines(
    actual: &[Item<'_>],
    comparisons: &[(usize, usize, bool)],
    shown: usize,
    writer: &mut JsonWriter,
    texts: impl Fn(usize, usize) -> (Text<'static>, Text<'static>),
) {
    // A name that ends in a number can make two comparisons share a key; the later line stands at the earlier place.
    let mut lines: Vec<(Text<'_>, Value<'_>)> = Vec::with_capacity(comparisons.len());
    let names: Vec<_> = comparisons.iter().map(|&(_, actual_index, _)| actual[actual_index].name().to_text()).collect();
    let mut interner = Interner::new(HashKey::default(), names.len());
    let mut compared = Vec::new();
    for (index, &(expected_index, actual_index, held)) in comparisons.iter().enumerate() {
        let symbol = interner.intern(names[index].as_bytes()) as usize;
        compared.resize(interner.len(), 0_usize);
        let mut key = TextBuilder::default();
        key.push_text(&names[index]);
        key.push_str(&format!("_{}", compared[symbol]));
        compared[symbol] += 1;
        if index < shown {
            continue;
        }
        let (found, wanted) = texts(expected_index, actual_index);
        let mut line = TextBuilder::default();
        line.push_str("Actual: ");
        line.push_text(&found);
        line.push_str(", Expected: ");
        line.push_text(&wanted);
        line.push_str(if held { ", Score: 1.0" } else { ", Score: 0.0" });
        lines.push((key.finish(), Value::String(line.finish())));
    }
    for (key, line) in &Object::new(lines) {
        writer.key_text(key).value(line);
    }
}
