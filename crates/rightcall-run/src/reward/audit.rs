//! Checks whether errors can raise a reward: applies each error to each call of fixed completions.

use std::fmt;

use rightcall_formats::ReadOptions;

use super::faults::{FAULTS, Fault, GARBLINGS, NEVER_RAISING, Notation, Sketch, SketchCall};
use super::{Completion, Reward, RewardRow};

/// A property of a reward. With all of them, training rewards only right calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GameableProperty {
    /// Every error lowers the reward of a right completion.
    ErrorsLower,
    /// Errors never raise the reward of any completion.
    ErrorsNeverRaise,
    /// A call that cannot be parsed earns `malformed`, even if no call is expected.
    Unparsed,
}

impl GameableProperty {
    /// All of them, in order.
    pub const ALL: [Self; 3] = [Self::ErrorsLower, Self::ErrorsNeverRaise, Self::Unparsed];

    /// The letter of the property in documents.
    pub fn letter(self) -> &'static str {
        match self {
            Self::ErrorsLower => "(a)",
            Self::ErrorsNeverRaise => "(b)",
            Self::Unparsed => "(c)",
        }
    }
}

/// A property that a reward lacks, with an example.
#[derive(Clone, Debug, PartialEq)]
pub struct RewardAudit {
    /// The property.
    pub property: GameableProperty,
    /// The error that shows it.
    pub fault: &'static str,
    /// The expected calls, as JSON text.
    pub expected: String,
    /// The reward without the error; `None` if the metric applies to no completion of the audit.
    pub before: Option<f64>,
    /// The reward with the error.
    pub after: Option<f64>,
}

impl fmt::Display for RewardAudit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = self.property.letter();
        let (Some(before), Some(after)) = (self.before, self.after) else {
            return write!(f, "{letter}: the metric does not apply to calls alone");
        };
        let rule = match self.property {
            GameableProperty::ErrorsLower => "does not lower the reward of a right completion",
            GameableProperty::ErrorsNeverRaise => "raises the reward",
            GameableProperty::Unparsed => "does not earn `malformed`",
        };
        write!(
            f,
            "{letter}: {} {rule}: {before} before, {after} after, for {}",
            self.fault, self.expected
        )
    }
}

/// Number of variants of each error.
const VARIANTS: usize = GARBLINGS;

impl Reward {
    /// The properties that this reward lacks, with the first example of each.
    pub fn audit(&self) -> Vec<RewardAudit> {
        let mut found = Vec::new();
        let mut applies = false;
        for right in right_completions() {
            let expected = right.to_expected();
            let Some(most) = self.of_sketch(&right, &expected) else {
                continue;
            };
            applies = true;
            let mut completions = vec![(right.clone(), most)];
            each_fault(&FAULTS, &right, &right, |fault, changed| {
                let after = self.of_sketch(&changed, &expected);
                if after.is_none_or(|after| after >= most) {
                    let property = GameableProperty::ErrorsLower;
                    note(&mut found, property, fault, &expected, (most, after));
                }
                if fault == Fault::Garble && after != Some(self.malformed) {
                    let property = GameableProperty::Unparsed;
                    note(&mut found, property, fault, &expected, (most, after));
                }
                completions.extend(after.map(|after| (changed, after)));
            });
            completions.extend(
                self.of_sketch(&Sketch::default(), &expected)
                    .map(|empty| (Sketch::default(), empty)),
            );
            for (made, before) in &completions {
                // One example is enough.
                if has(&found, GameableProperty::ErrorsNeverRaise) {
                    break;
                }
                each_fault(&NEVER_RAISING, made, &right, |fault, changed| {
                    let after = self.of_sketch(&changed, &expected);
                    if after.is_some_and(|after| after > *before) {
                        let property = GameableProperty::ErrorsNeverRaise;
                        note(&mut found, property, fault, &expected, (*before, after));
                    }
                });
            }
        }
        if !applies {
            found.push(RewardAudit {
                property: GameableProperty::ErrorsLower,
                fault: "",
                expected: String::new(),
                before: None,
                after: None,
            });
        }
        found.sort_by_key(|it| it.property);
        found
    }

    fn of_sketch(&self, made: &Sketch, expected: &str) -> Option<f64> {
        let row = RewardRow {
            completion: Completion::Text(&made.to_text()),
            expected: Some(expected.into()),
        };
        self.row(&row, &ReadOptions::default()).ok()?.reward
    }
}

fn has(found: &[RewardAudit], property: GameableProperty) -> bool {
    found.iter().any(|it| it.property == property)
}

/// Keeps the first example of a property.
fn note(
    found: &mut Vec<RewardAudit>,
    property: GameableProperty,
    fault: Fault,
    expected: &str,
    (before, after): (f64, Option<f64>),
) {
    if !has(found, property) {
        found.push(RewardAudit {
            property,
            fault: fault.name(),
            expected: expected.to_owned(),
            before: Some(before),
            after: Some(after.unwrap_or_default()),
        });
    }
}

fn each_fault(
    faults: &[Fault],
    made: &Sketch,
    expected: &Sketch,
    mut look: impl FnMut(Fault, Sketch),
) {
    for fault in faults {
        let mut seen = Vec::new();
        for at in 0..=made.calls.len() {
            for variant in 0..VARIANTS {
                if let Some(changed) = fault.apply(made, expected, at, variant)
                    && !seen.contains(&changed)
                {
                    seen.push(changed.clone());
                    look(*fault, changed);
                }
            }
        }
    }
}

/// Right completions: calls of several tools, of one tool, the same call twice, and none.
fn right_completions() -> Vec<Sketch> {
    let sketch = |calls: &[(&str, &[(&str, &str)])]| Sketch {
        calls: calls
            .iter()
            .map(|(name, arguments)| call(name, arguments))
            .collect(),
    };
    vec![
        sketch(&[
            ("find_order", &[("id", "7")]),
            (
                "refund",
                &[("id", "7"), ("amount", "5.5"), ("reason", "\"late\"")],
            ),
        ]),
        sketch(&[("find", &[("id", "1")]), ("find", &[("id", "2")])]),
        sketch(&[("next", &[("on", "true")]), ("next", &[("on", "true")])]),
        sketch(&[]),
    ]
}

fn call(name: &str, arguments: &[(&str, &str)]) -> SketchCall {
    let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    SketchCall {
        name: name.to_owned(),
        arguments: arguments.iter().map(owned).collect(),
        notation: Notation::Plain,
    }
}
