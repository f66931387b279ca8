//! `tpmjs/tool-call-accuracy-score`.

use rightcall_core::value::Value;

use crate::equality::{javascript_identical, keyed_equal_at_top};
use crate::loops::{f1, round, share};
use crate::reading::{get, is_true_in_javascript, list};
use crate::{Preset, Scored, Stop};

/// The presets in this file.
pub(crate) const PRESETS: &[Preset] = &[("tpmjs/tool-call-accuracy-score", score)];

pub(crate) fn score(_: &Value<'_>, expected: &Value<'_>, actual: &Value<'_>) -> Scored {
    let (expected, actual) = (list(expected)?, list(actual)?);
    let mut used = vec![false; actual.len()];
    let mut correct = 0;
    for wanted in expected {
        let mut of_equal_name = None;
        let mut found = None;
        for place in 0..actual.len() {
            if used[place] || !is_true_in_javascript(Some(&actual[place])) {
                continue;
            }
            if wanted.is_null() {
                return Err(Stop::Raised);
            }
            if !javascript_identical(get(wanted, "tool"), get(&actual[place], "tool")) {
                continue;
            }
            let (Some(wanted), Some(given)) = (get(wanted, "args"), get(&actual[place], "args"))
            else {
                return Err(Stop::Raised);
            };
            if keyed_equal_at_top(wanted, given).ok_or(Stop::Raised)? {
                found = Some(place);
                break;
            }
            of_equal_name = of_equal_name.or(Some(place));
        }
        correct += usize::from(found.is_some());
        if let Some(place) = found.or(of_equal_name) {
            used[place] = true;
        }
    }
    let precision = match (expected.len(), actual.len()) {
        (_, 0) => 1.0,
        (0, _) => 0.0,
        (_, all) => share(correct, all, 1.0),
    };
    let recall = share(correct, expected.len(), 1.0);
    Ok(round(f1(precision, recall) * 1000.0) / 1000.0)
}
