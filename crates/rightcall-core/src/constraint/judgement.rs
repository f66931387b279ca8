//! The result of checking a constraint.

use std::borrow::Cow;
use std::fmt;

use crate::explanation::ExplainedCheck;

/// The verdict on a constraint, the observed value, and the calls concerned.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Judgement {
    pub(crate) verdict: Verdict,
    pub(crate) found: ObservedValue,
    /// The calls that broke the constraint; if it holds, the calls that were counted.
    pub(crate) calls: Vec<usize>,
}

/// The verdict on a constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Held,
    Broken,
    /// The run lacks this field of a call, and the recorded part does not break the constraint.
    NotRecorded {
        /// The first call without it.
        call: usize,
        field: &'static str,
    },
    /// No called tool has a known schema.
    NoSchema {
        /// The first call.
        call: usize,
    },
    /// Calls of the run may be missing, and they could change the verdict.
    Incomplete,
}

/// The observed value as numbers, formatted only on request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ObservedValue {
    /// A number of calls.
    Calls(usize),
    /// Two numbers of calls.
    Both(usize, usize),
    /// The number of calls that lacked a required earlier call, and the number of all such calls.
    TooEarly(usize, usize),
    /// Repeated calls: needless ones, and ones after an error.
    Repeats { needless: usize, after_error: usize },
    /// A time in nanoseconds.
    Time(i128),
    /// The violation of a rule, or a note that no call concerns it.
    Sentence(Cow<'static, str>),
    /// No recorded value.
    Nothing,
}

/// The value found if no call concerns the condition.
pub(super) const NOT_CALLED: ObservedValue = ObservedValue::Sentence(Cow::Borrowed("not called"));

impl Verdict {
    /// True if the constraint can't be decided.
    pub(crate) fn is_open(self) -> bool {
        !matches!(self, Self::Held | Self::Broken)
    }
}

impl Judgement {
    /// True if the constraint holds or is broken.
    pub(crate) fn is_decided(&self) -> bool {
        !self.verdict.is_open()
    }

    /// A judgement that depends on the numbers alone.
    pub(crate) fn new(held: bool, found: ObservedValue, calls: Vec<usize>) -> Self {
        Self {
            verdict: if held { Verdict::Held } else { Verdict::Broken },
            found,
            calls,
        }
    }

    /// The judgement, or `NotRecorded` if it holds only because a field is missing.
    pub(crate) fn unless_missing(self, missing: Option<(usize, &'static str)>) -> Self {
        match (self.verdict, missing) {
            (Verdict::Held, Some((call, field))) => Self {
                verdict: Verdict::NotRecorded { call, field },
                found: ObservedValue::Nothing,
                calls: Vec::new(),
            },
            _ => self,
        }
    }

    /// The judgement, or `Incomplete` if further calls could change it.
    pub(crate) fn if_settled(self, is_settled: bool) -> Self {
        if is_settled || self.verdict.is_open() {
            return self;
        }
        Self {
            verdict: Verdict::Incomplete,
            found: ObservedValue::Nothing,
            calls: Vec::new(),
        }
    }

    /// A readable explanation of the judgement.
    pub(crate) fn explain(&self, label: String, wanted: String) -> ExplainedCheck {
        let (held, found) = match self.verdict {
            Verdict::Held => (Some(true), self.found.to_string()),
            Verdict::Broken => (Some(false), self.found.to_string()),
            Verdict::NotRecorded { field, .. } => (None, format!("`{field}` was not recorded")),
            Verdict::NoSchema { .. } => (None, self.found.to_string()),
            Verdict::Incomplete => (None, "the run is incomplete".to_owned()),
        };
        ExplainedCheck {
            label,
            is_count: false,
            wanted,
            found,
            held,
            actual: self.calls.clone(),
            ..ExplainedCheck::default()
        }
    }
}

impl fmt::Display for ObservedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Calls(number) => write!(f, "{number}"),
            Self::Both(left, right) => write!(f, "{left} and {right}"),
            Self::TooEarly(early, of) => write!(f, "{early} of {of} too early"),
            Self::Repeats {
                needless,
                after_error: 0,
            } => write!(f, "{needless}"),
            Self::Repeats {
                needless,
                after_error,
            } => write!(f, "{needless} (and {after_error} after an error)"),
            Self::Time(nanoseconds) => f.write_str(&duration(*nanoseconds)),
            Self::Sentence(sentence) => f.write_str(sentence),
            Self::Nothing => f.write_str("nothing"),
        }
    }
}

/// A duration in a suitable unit: `250 ms`, `12.5 s`.
fn duration(nanoseconds: i128) -> String {
    let (number, unit) = match nanoseconds {
        ..1_000_000 => (nanoseconds as f64 / 1e3, "µs"),
        1_000_000..1_000_000_000 => (nanoseconds as f64 / 1e6, "ms"),
        _ => (nanoseconds as f64 / 1e9, "s"),
    };
    format!("{} {unit}", (number * 1e3).round() / 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_shown_in_a_suitable_unit() {
        for (nanoseconds, shown) in [
            (0, "0 µs"),
            (1_500, "1.5 µs"),
            (250_000_000, "250 ms"),
            (12_500_000_000, "12.5 s"),
            (3_600_000_000_123, "3600 s"),
        ] {
            assert_eq!(ObservedValue::Time(nanoseconds).to_string(), shown);
        }
    }

    #[test]
    fn missing_data_does_not_change_a_violation() {
        let judged = |held: bool, missing| {
            Judgement::new(held, ObservedValue::Calls(1), vec![0])
                .unless_missing(missing)
                .verdict
        };
        let missing = Some((2, "end"));
        assert_eq!(judged(true, None), Verdict::Held);
        assert_eq!(
            judged(true, missing),
            Verdict::NotRecorded {
                call: 2,
                field: "end"
            }
        );
        assert_eq!(judged(false, missing), Verdict::Broken);
    }
}
