//! Generates rules and runs from bytes.

use std::fmt::Write as _;

use crate::choices::Choices;

/// A generated rule, and a run to check it on.
#[derive(Clone, Debug)]
pub struct RuleCase {
    pub(super) rule: TwinRule,
    pub(super) calls: Vec<TwinCall>,
    /// Determines the order of late results.
    pub(super) order: u8,
}

/// A rule, in short form.
#[derive(Clone, Debug)]
pub(super) struct TwinRule {
    pub(super) key: &'static str,
    pub(super) call: Vec<TwinPattern>,
    pub(super) target: Vec<TwinPattern>,
    pub(super) number: usize,
    /// The two arguments with equal values: of the call, and of the target.
    pub(super) same: Option<(&'static str, &'static str)>,
}

/// One position of a pattern.
#[derive(Clone, Copy, Debug)]
pub(super) struct TwinPattern {
    pub(super) name: &'static str,
    /// The required value of argument `k`.
    pub(super) k: Option<u8>,
    /// The required output.
    pub(super) output: Option<bool>,
    pub(super) failed: Option<bool>,
}

/// A call. Its arguments are an object with the keys `k` and `j`, if present.
#[derive(Clone, Copy, Debug)]
pub(super) struct TwinCall {
    pub(super) name: &'static str,
    pub(super) arguments: Option<[Option<u8>; 2]>,
    pub(super) output: Option<bool>,
    pub(super) failed: Option<bool>,
    pub(super) group: Option<&'static str>,
}

/// Repeated keys are drawn more often.
pub(super) const KEYS: [&str; 18] = [
    "needs_before",
    "needs_after",
    "needs_directly_before",
    "needs_directly_after",
    "needs_before_each",
    "needs_after_each",
    "needs",
    "excludes",
    "then_never",
    "then_never_directly",
    "never",
    "at_most",
    "at_least",
    "exactly",
    "first",
    "last",
    "needs_before_each",
    "needs_after_each",
];

impl Choices<'_> {
    fn pattern(&mut self) -> TwinPattern {
        TwinPattern {
            name: self.one(&["a", "b", "*", "a", "b"]),
            k: self.one(&[None, None, None, Some(1)]),
            output: self.one(&[None, None, None, Some(true)]),
            failed: self.one(&[None, None, None, Some(false), Some(true)]),
        }
    }

    fn patterns(&mut self) -> Vec<TwinPattern> {
        let count = 1 + usize::from(self.rarely(5));
        (0..count).map(|_| self.pattern()).collect()
    }

    fn call(&mut self) -> TwinCall {
        let key = [None, Some(1), Some(1), Some(2)];
        let arguments = [self.one(&key), self.one(&key)];
        TwinCall {
            name: self.one(&["a", "b", "c", "a", "b"]),
            arguments: (self.below(4) > 0).then_some(arguments),
            output: self.one(&[None, Some(true), Some(false), Some(true)]),
            failed: self.one(&[None, Some(true), Some(false), Some(false)]),
            group: self.one(&[None, None, Some("g"), Some("h")]),
        }
    }
}

/// Generates a rule and a run of at most four calls.
pub fn generate(bytes: &[u8]) -> RuleCase {
    let mut bytes = Choices::new(bytes);
    let key = bytes.one(&KEYS);
    let takes_same = !["never", "at_least", "exactly", "first", "last"].contains(&key);
    let same = bytes.one(&[None, Some(("k", "k")), Some(("k", "j"))]);
    let same = same.filter(|(one, other)| takes_same && (key != "at_most" || one == other));
    let rule = TwinRule {
        key,
        call: bytes.patterns(),
        target: bytes.patterns(),
        number: bytes.below(2),
        same,
    };
    let count = bytes.below(5);
    RuleCase {
        rule,
        calls: (0..count).map(|_| bytes.call()).collect(),
        order: bytes.below(255) as u8,
    }
}

impl TwinRule {
    /// The rule as JSON.
    pub(super) fn json(&self) -> String {
        let shown = |patterns: &[TwinPattern]| {
            let places: Vec<_> = patterns.iter().map(TwinPattern::json).collect();
            format!("[{}]", places.join(","))
        };
        let (key, call, target) = (self.key, shown(&self.call), shown(&self.target));
        let mut json = match key {
            "first" | "last" => return format!("{{\"{key}\":{target}}}"),
            "never" => format!("{{\"call\":{call},\"never\":true"),
            "at_most" | "at_least" | "exactly" => {
                format!("{{\"call\":{call},\"{key}\":{}", self.number)
            }
            _ => format!("{{\"call\":{call},\"{key}\":{target}"),
        };
        if let Some((one, other)) = self.same {
            _ = if one == other {
                write!(json, ",\"same\":\"{one}\"")
            } else {
                write!(json, ",\"same\":{{\"{one}\":\"{other}\"}}")
            };
        }
        json + "}"
    }
}

impl TwinPattern {
    fn json(&self) -> String {
        let mut json = format!("{{\"name\":\"{}\"", self.name);
        if let Some(k) = self.k {
            _ = write!(json, ",\"args\":{{\"k\":{k}}}");
        }
        if let Some(output) = self.output {
            _ = write!(json, ",\"output\":{output}");
        }
        if let Some(failed) = self.failed {
            _ = write!(json, ",\"failed\":{failed}");
        }
        json + "}"
    }
}
