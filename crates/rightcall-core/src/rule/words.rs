//! Describes rules and their violations in plain words.

use super::call_pattern::{CallPattern, RuleCall};
use super::definition::Rule;
use super::judge::TrackedRun;
use super::kind::RuleKind;
use super::sentence;

impl Rule {
    /// The name of the rule: its own, or its sentence.
    pub(crate) fn label(&self) -> String {
        if let Some(name) = &self.name {
            return name.clone();
        }
        let (call, target) = (shown(self.call.as_ref()), shown(self.target.as_ref()));
        let sentence = sentence::write(self.kind, &call, &target);
        match &self.same {
            Some(same) => format!("{sentence}, same {}", same.label()),
            None => sentence,
        }
    }

    /// The rule's requirement, in a few words.
    pub(crate) fn wanted(&self) -> String {
        let target = shown(self.target.as_ref());
        match self.kind {
            RuleKind::NeedsBefore | RuleKind::First => format!("{target} first"),
            RuleKind::NeedsAfter => format!("{target} later"),
            RuleKind::NeedsDirectlyBefore => format!("{target} directly before"),
            RuleKind::NeedsDirectlyAfter => format!("{target} directly after"),
            RuleKind::NeedsBeforeEach => format!("{target} before each"),
            RuleKind::NeedsAfterEach => format!("{target} after each"),
            RuleKind::Needs => format!("{target} too"),
            RuleKind::Excludes => format!("no {target}"),
            RuleKind::ThenNever => format!("no {target} later"),
            RuleKind::ThenNeverDirectly => format!("no {target} directly after"),
            RuleKind::Never => "= 0".to_owned(),
            RuleKind::AtMost(most) => format!("<= {most}"),
            RuleKind::AtLeast(least) => format!(">= {least}"),
            RuleKind::Exactly(number) => format!("= {number}"),
            RuleKind::Last => format!("{target} last"),
        }
    }

    /// A call with the values that it has to share: `refund` for order 7.
    fn subject(&self, call: &RuleCall<'_>, is_target: bool) -> String {
        let shared = self
            .same
            .as_ref()
            .and_then(|same| same.describe(call, is_target));
        let shared = shared
            .map(|shared| format!(" for {shared}"))
            .unwrap_or_default();
        format!("`{}`{shared}", call.name())
    }
}

impl TrackedRun {
    /// Describes a violation: a sentence about the first call that breaks the rule, and the number of further ones.
    pub(super) fn sentence(&self, rule: &Rule, calls: &[RuleCall<'_>], blamed: &[u32]) -> String {
        let call = |index: u32| &calls[index as usize];
        let times = |number: usize| match number {
            1 => "1 time".to_owned(),
            number => format!("{number} times"),
        };
        let Some(&first) = blamed.first() else {
            return format!("`{}` was never called", shown(rule.call.as_ref()));
        };
        let subject = |index| rule.subject(call(index), false);
        let (of_first, target) = (subject(first), shown(rule.target.as_ref()));
        let is_target = |index: &&u32| !self.calls[**index as usize].facts.target.is_no();
        let other = |from: &[u32]| {
            let others = from.iter().filter(|it| **it != first);
            others.clone().find(is_target).copied()
        };
        let sentence = match rule.kind {
            RuleKind::NeedsBefore => match self.agreeing_target(rule, first) {
                Some(later) => {
                    let later = rule.subject(call(later), true);
                    format!("{of_first} was called before {later}")
                }
                None => format!("{of_first} was called without `{target}` before it"),
            },
            RuleKind::NeedsAfter => format!("{of_first} was called without `{target}` after it"),
            RuleKind::NeedsDirectlyBefore => {
                format!("{of_first} was called without `{target}` directly before it")
            }
            RuleKind::NeedsDirectlyAfter => {
                format!("{of_first} was called without `{target}` directly after it")
            }
            RuleKind::NeedsBeforeEach => {
                format!("{of_first} was called without a `{target}` of its own before it")
            }
            RuleKind::NeedsAfterEach => {
                format!("{of_first} was called without a `{target}` of its own after it")
            }
            RuleKind::Needs => format!("{of_first} was called, and `{target}` was not"),
            RuleKind::Excludes => match other(blamed) {
                Some(other) => {
                    let other = rule.subject(call(other), true);
                    format!("{of_first} and {other} were both called")
                }
                None => format!("{of_first} was called"),
            },
            RuleKind::ThenNever | RuleKind::ThenNeverDirectly => {
                let directly = if rule.kind == RuleKind::ThenNever {
                    ""
                } else {
                    "directly "
                };
                let later = other(blamed).map(|later| rule.subject(call(later), true));
                let later = later.unwrap_or_else(|| format!("`{target}`"));
                format!("{later} was called {directly}after {of_first}")
            }
            RuleKind::Never | RuleKind::AtLeast(_) | RuleKind::Exactly(_) => {
                format!(
                    "`{}` was called {}",
                    call(first).name(),
                    times(blamed.len())
                )
            }
            RuleKind::AtMost(_) => {
                let agrees = |index: &&u32| {
                    let value = |index: u32| self.calls[index as usize].facts.value_of_call;
                    value(**index) == value(first)
                };
                let number = blamed.iter().filter(agrees).count();
                format!("{of_first} was called {}", times(number))
            }
            RuleKind::First => format!("{of_first} was called first"),
            RuleKind::Last => format!("{of_first} was called last"),
        };
        match blamed.len() - 1 {
            0 => sentence,
            _ if !rule.kind.is_need() => sentence,
            more => format!("{sentence}, and {more} more"),
        }
    }

    /// A T that agrees with an activation but comes only after it.
    fn agreeing_target(&self, rule: &Rule, activation: u32) -> Option<u32> {
        let (before, after) = self.calls.split_at(activation as usize);
        let [it, after @ ..] = after else {
            return None;
        };
        let agrees = |other: &&super::tracker::TrackedCall| {
            other.facts.target.is_sure()
                && (rule.same.is_none() || other.facts.value_of_target == it.facts.value_of_call)
        };
        let later = after.iter().find(agrees)?;
        before
            .iter()
            .all(|other| !agrees(&other))
            .then_some(later.call)
    }
}

fn shown(pattern: Option<&CallPattern>) -> String {
    pattern.map(ToString::to_string).unwrap_or_default()
}
