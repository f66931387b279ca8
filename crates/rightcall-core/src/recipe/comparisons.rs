//! Records comparisons, for originals that list them in their details.

use std::ops::ControlFlow;

use crate::alignment::{ComparisonObserver, Grade};
use crate::matching::{Interner, Item};
use crate::value::{HashKey, JsonWriter, Object, Text, TextBuilder, Value};

/// Maximum number of recorded comparisons.
const MAX_RECORDED: usize = 1 << 15;

/// Maximum bytes of lines in details; the line that exceeds it is still written.
const MAX_TEXT: usize = 1 << 20;

/// The comparisons of an evaluation, in order.
#[derive(Debug, Default)]
pub(crate) struct Comparisons {
    /// True to end at the first failed comparison, or at an expected item that can't be compared with any.
    end_at_failure: bool,
    /// Expected index, actual index, and whether the two agreed; only the first ones if there are very many.
    pub(crate) seen: Vec<(usize, usize, bool)>,
    /// Number of comparisons that were not recorded.
    unrecorded: usize,
    /// The expected item without a candidate that ended the evaluation.
    pub(crate) unanswered: Option<usize>,
}

impl Comparisons {
    pub(crate) fn new(end_at_failure: bool) -> Self {
        Self {
            end_at_failure,
            ..Self::default()
        }
    }
}

impl ComparisonObserver for Comparisons {
    fn compared(&mut self, expected: usize, actual: usize, grade: Grade) -> ControlFlow<()> {
        let held = grade == Grade::Full;
        // If a failure ends the evaluation, there is at most one comparison per expected item, and the last one must be shown.
        if self.end_at_failure || self.seen.len() < MAX_RECORDED {
            self.seen.push((expected, actual, held));
        } else {
            self.unrecorded += 1;
        }
        if self.end_at_failure && !held {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    fn unanswered(&mut self, expected: usize) -> ControlFlow<()> {
        if !self.end_at_failure {
            return ControlFlow::Continue(());
        }
        self.unanswered = Some(expected);
        ControlFlow::Break(())
    }
}

/// Writes one line per comparison, from `shown` on. Its key is the actual call's name and the
/// number of its comparisons so far. The number of lines can reach the number of pairs of calls, so
/// above a size limit a last line states the number of omitted lines.
pub(crate) fn explained_lines(
    actual: &[Item<'_>],
    (comparisons, shown): (&Comparisons, usize),
    writer: &mut JsonWriter,
    [found, wanted]: [&dyn Fn(usize) -> Text<'static>; 2],
) {
    // If a name ends in a number, two comparisons can have the same key: the later line replaces the earlier one.
    let mut lines: Vec<(Text<'_>, Value<'_>)> = Vec::new();
    let seen = &comparisons.seen;
    let names: Vec<_> = seen
        .iter()
        .map(|&(_, actual_index, _)| actual[actual_index].name().to_text())
        .collect();
    let mut interner = Interner::new(HashKey::default(), names.len());
    let mut compared = Vec::new();
    let mut size = 0;
    let mut left_out = comparisons.unrecorded;
    for (index, &(expected_index, actual_index, held)) in seen.iter().enumerate() {
        if size >= MAX_TEXT {
            left_out += seen.len() - index;
            break;
        }
        let symbol = interner.intern(names[index].as_bytes()) as usize;
        compared.resize(interner.len(), 0_usize);
        let mut key = TextBuilder::default();
        key.push_text(&names[index]);
        key.push_str(&format!("_{}", compared[symbol]));
        compared[symbol] += 1;
        if index < shown {
            continue;
        }
        let mut line = TextBuilder::default();
        line.push_str("Actual: ");
        line.push_text(&found(actual_index));
        line.push_str(", Expected: ");
        line.push_text(&wanted(expected_index));
        line.push_str(if held { ", Score: 1.0" } else { ", Score: 0.0" });
        let (key, line) = (key.finish(), line.finish());
        size += key.as_bytes().len() + line.as_bytes().len();
        lines.push((key, Value::String(line)));
    }
    for (key, line) in &Object::new(lines) {
        writer.key_text(key).value(line);
    }
    if left_out > 0 {
        writer.key("_left_out").str(&format!(
            "{left_out} more comparisons, since the lines before take {size} bytes"
        ));
    }
}

#[cfg(test)]
mod tests {
    use crate::call::{Arguments, Call, Case, Expectation, Trajectory};
    use crate::{Ask, Evaluator};

    /// The details for this number of calls per side, all different.
    fn details(id: &str, calls: usize) -> String {
        let text = |number: usize| {
            (
                format!(r#"{{"id":{number}}}"#),
                format!("\"order {number} is on its way\""),
            )
        };
        let texts: Vec<_> = (0..2 * calls).map(text).collect();
        let call = |(arguments, output): &'static (String, String)| {
            let mut call = Call {
                name: "find".into(),
                arguments: Arguments::json(arguments),
                ..Call::default()
            };
            call.metadata_mut().output = Some(output.into());
            call
        };
        let texts: &'static [(String, String)] = texts.leak();
        let (expected, actual) = texts.split_at(calls);
        let case = Case {
            expected: Expectation::from_calls(expected.iter().map(call).collect()),
            actual: Some(Trajectory {
                calls: actual.iter().map(call).collect(),
                ..Trajectory::default()
            }),
            ..Case::default()
        };
        let evaluator = Evaluator::new(id, "{}", None).unwrap();
        let evaluation = evaluator.evaluate(
            &case,
            Ask {
                details: true,
                ..Ask::OUTCOME
            },
        );
        assert_eq!(evaluation.score(), Some(0.0), "{:?}", evaluation.outcome);
        evaluation.details.unwrap().to_string()
    }

    #[test]
    fn details_have_a_size_limit() {
        for id in ["uipath/tool-call-args", "uipath/tool-call-output"] {
            let small = details(id, 60);
            assert_eq!(small.matches(", Score: 0.0").count(), 3600);
            assert!(!small.contains("_left_out"));
            let large = details(id, 1000);
            assert!(large.len() < 3 << 20, "{} bytes", large.len());
            let shown = large.matches(", Score: 0.0").count();
            let left_out: usize = large
                .split_once("\"_left_out\":\"")
                .unwrap()
                .1
                .split(' ')
                .next()
                .unwrap()
                .parse()
                .unwrap();
            assert_eq!(shown + left_out, 1_000_000);
        }
    }
}
