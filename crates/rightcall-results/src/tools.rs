//! Pairs the tools that a case expected with those that were called instead.

use std::collections::{BTreeMap, HashMap, VecDeque};

use rightcall_core::call::{ArgumentSource, Call, Case};
use rightcall_core::value::{Digest, HashKey, Text, ValueEquality};
use serde::{Deserialize, Serialize};

/// An expected tool, and the tool that was called instead of it.
///
/// Calls with the same name are paired: first those with equal arguments, then the rest in order. The remaining calls of both sides
/// are paired in order; any surplus stays unpaired.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolUse {
    /// The tool that was expected.
    pub expected: Option<String>,
    /// The tool that was called.
    pub called: Option<String>,
    /// True for calls in cases without a list of expected calls: such a call is not extra.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unstated: bool,
    /// Number of pairs.
    pub times: u64,
    /// Pairs of the same tool with different arguments; `None` if arguments were not recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_arguments: Option<u64>,
    /// Calls that ended in an error; `None` if no call has a status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<u64>,
}

/// The tools of many cases.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolTotals {
    /// Each different pair of tools once.
    pub uses: Vec<ToolUse>,
    /// True if the number of different pairs exceeded the limit.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub uncounted: bool,
}

/// Identifies a pair of tools: expected, called, unstated.
type ToolPair = (Option<String>, Option<String>, bool);

/// Sums up the tools of cases.
#[derive(Clone, Debug, Default)]
pub struct ToolSums {
    uses: BTreeMap<ToolPair, ToolUse>,
    uncounted: bool,
}

impl ToolSums {
    /// Adds the tools of a case; at most `most` different pairs are counted.
    pub fn add(&mut self, uses: &[ToolUse], most: usize) {
        for it in uses {
            let pair = (it.expected.clone(), it.called.clone(), it.unstated);
            let known = self.uses.len();
            if let Some(sum) = self.uses.get_mut(&pair) {
                sum.times += it.times;
                sum.other_arguments = sum_of(sum.other_arguments, it.other_arguments);
                sum.failed = sum_of(sum.failed, it.failed);
            } else if known < most {
                self.uses.insert(pair, it.clone());
            } else {
                self.uncounted = true;
            }
        }
    }

    /// The totals.
    pub fn finish(self) -> ToolTotals {
        ToolTotals {
            uses: self.uses.into_values().collect(),
            uncounted: self.uncounted,
        }
    }
}

/// The sum of two numbers that may be unknown.
pub fn sum_of(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one + other),
        (one, other) => one.or(other),
    }
}

/// The tools that a case expected and called.
pub fn tools_of(case: &Case<'_>) -> Vec<ToolUse> {
    let expected: Option<Vec<Side<'_, '_>>> = match (&case.expected.calls, &case.expected.order) {
        (Some(calls), _) => Some(calls.iter().map(Side::from_call).collect()),
        (None, Some(order)) => Some(order.iter().map(Side::from_name).collect()),
        (None, None) => None,
    };
    let called = case.actual.iter().flat_map(|run| &run.calls);
    let called: Vec<_> = called.map(Side::from_call).collect();
    let uses = match expected {
        Some(expected) => pair_calls(&expected, &called),
        None => called.iter().map(ToolUse::unstated).collect(),
    };
    let mut sums = ToolSums::default();
    sums.add(&uses, usize::MAX);
    sums.finish().uses
}

/// A call of either side.
struct Side<'c, 'a> {
    name: &'c Text<'a>,
    call: Option<&'c Call<'a>>,
}

impl<'c, 'a> Side<'c, 'a> {
    fn from_call(call: &'c Call<'a>) -> Self {
        Self {
            name: &call.name,
            call: Some(call),
        }
    }

    fn from_name(name: &'c Text<'a>) -> Self {
        Self { name, call: None }
    }

    /// The text of the arguments; `None` if they are not stated.
    fn arguments(&self) -> Option<&str> {
        match self.call?.arguments.source() {
            ArgumentSource::Absent => None,
            ArgumentSource::Json(json) | ArgumentSource::Text { json, .. } => Some(json),
        }
    }

    /// True if an actual call has the arguments that this one expects.
    fn has_arguments_of(&self, actual: &Self) -> bool {
        let value = |side: &Self| side.call?.arguments.to_value();
        let Some(wanted) = value(self) else {
            return true;
        };
        self.arguments() == actual.arguments()
            || value(actual).is_some_and(|found| ValueEquality::Json.equal(&wanted, &found))
    }
}

impl ToolUse {
    /// A pair of calls; one of them may be missing.
    fn from_pair(expected: Option<&Side<'_, '_>>, called: Option<&Side<'_, '_>>) -> Self {
        let name = |side: &Side<'_, '_>| side.name.to_display().into_owned();
        let pair = expected.zip(called);
        let same_tool = pair.filter(|(one, other)| one.name == other.name);
        let failed = called.and_then(|side| side.call?.failed());
        Self {
            expected: expected.map(name),
            called: called.map(name),
            unstated: false,
            times: 1,
            other_arguments: same_tool.map(|(one, other)| u64::from(!one.has_arguments_of(other))),
            failed: failed.map(u64::from),
        }
    }

    fn unstated(called: &Side<'_, '_>) -> Self {
        Self {
            unstated: true,
            ..Self::from_pair(None, Some(called))
        }
    }
}

/// The property that the arguments of paired calls share.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum ArgumentKey<'s> {
    /// Their text: equal texts are equal values, without decoding.
    Text(&'s str),
    /// A hash of their value.
    Value(u128),
    Any,
}

/// The ways to pair calls of one tool, in the order of trying.
#[derive(Clone, Copy)]
enum PairBy {
    Text,
    Value,
    Name,
}

impl PairBy {
    /// The key that paired calls share; `None` for a call that is not paired in this way.
    fn key<'s>(self, side: &'s Side<'_, '_>) -> Option<(&'s [u8], ArgumentKey<'s>)> {
        let arguments = || side.arguments();
        let key = match self {
            Self::Text => ArgumentKey::Text(arguments()?),
            Self::Value => {
                let value =
                    Digest::from_text(arguments()?, ValueEquality::Json, HashKey::default());
                ArgumentKey::Value(value.ok()?.key()?)
            }
            Self::Name => ArgumentKey::Any,
        };
        Some((side.name.as_bytes(), key))
    }
}

/// Pairs expected calls with the calls made instead.
fn pair_calls(expected: &[Side<'_, '_>], called: &[Side<'_, '_>]) -> Vec<ToolUse> {
    let mut partners: Vec<Option<usize>> = vec![None; expected.len()];
    let mut is_used = vec![false; called.len()];
    for by in [PairBy::Text, PairBy::Value, PairBy::Name] {
        let mut waiting: HashMap<_, VecDeque<usize>> = HashMap::new();
        for (index, side) in called.iter().enumerate().filter(|(it, _)| !is_used[*it]) {
            if let Some(key) = by.key(side) {
                waiting.entry(key).or_default().push_back(index);
            }
        }
        if waiting.is_empty() {
            continue;
        }
        for (partner, side) in partners.iter_mut().zip(expected) {
            let same = |key| waiting.get_mut(&key)?.pop_front();
            if partner.is_none()
                && let Some(index) = by.key(side).and_then(same)
            {
                *partner = Some(index);
                is_used[index] = true;
            }
        }
    }
    // Tools without an equal name pair up in order: an expected one with the one called instead.
    let mut extra = (0..called.len()).filter(|index| !is_used[*index]);
    let mut uses = Vec::with_capacity(expected.len().max(called.len()));
    for (side, partner) in expected.iter().zip(partners) {
        let partner = partner.or_else(|| extra.next());
        uses.push(ToolUse::from_pair(
            Some(side),
            partner.map(|index| &called[index]),
        ));
    }
    uses.extend(extra.map(|index| ToolUse::from_pair(None, Some(&called[index]))));
    uses
}

#[cfg(test)]
mod tests {
    use rightcall_formats::{ReadOptions, read_case};

    use super::*;

    /// Checks pairs in the form `expected:called times`, with the numbers of different arguments and of failed calls.
    #[track_caller]
    fn check(case: &str, wanted: &str) {
        let case = read_case(case, &ReadOptions::default()).unwrap();
        let name = |name: Option<String>| name.unwrap_or_else(|| "–".to_owned());
        let shown = |it: ToolUse| {
            let number = |number: Option<u64>| number.map_or("?".to_owned(), |it| it.to_string());
            let expected = if it.unstated {
                "unstated".to_owned()
            } else {
                name(it.expected)
            };
            let (other, failed) = (number(it.other_arguments), number(it.failed));
            format!(
                "{expected}:{} {} {other} {failed}",
                name(it.called),
                it.times
            )
        };
        let shown: Vec<_> = tools_of(&case).into_iter().map(shown).collect();
        assert_eq!(shown.join(", "), wanted);
    }

    #[test]
    fn calls_are_paired_by_name_then_in_order() {
        check(
            r#"{"expected":["a","b","a"],"actual":["a","a","c","d"]}"#,
            "–:d 1 ? ?, a:a 2 0 ?, b:c 1 ? ?",
        );
        check(
            r#"{"expected":["a","b"],"actual":[]}"#,
            "a:– 1 ? ?, b:– 1 ? ?",
        );
        check(r#"{"expected":[],"actual":[]}"#, "");
    }

    #[test]
    fn argument_equality_ignores_formatting() {
        check(
            r#"{"expected":[{"name":"a","args":{ "x": 1, "y": 0 }}],
                "actual":[{"name":"a","args":{"x":2}},{"name":"a","args":{"y":0,"x":1.0}}]}"#,
            "–:a 1 ? ?, a:a 1 0 ?",
        );
    }

    #[test]
    fn calls_with_the_same_arguments_are_paired_first() {
        check(
            r#"{"expected":[{"name":"a","args":{"x":1}},{"name":"a","args":{"x":2,"y":0}},{"name":"a"}],
                "actual":[{"name":"a","args":{"y":0,"x":2.0},"status":"ok"},{"name":"a","args":{"x":3}},{"name":"a","args":{"x":1},"error":"timeout"}]}"#,
            "a:a 3 0 1",
        );
        check(
            r#"{"expected":[{"name":"a","args":{"x":1}}],"actual":[{"name":"a","args":{"x":2}}]}"#,
            "a:a 1 1 ?",
        );
    }

    #[test]
    fn calls_of_a_case_without_expected_calls_are_not_extra() {
        check(
            r#"{"expected":{"counts":{"b":0}},"actual":["a","a"]}"#,
            "unstated:a 2 ? ?",
        );
        check(r#"{"expected":[],"actual":["a"]}"#, "–:a 1 ? ?");
    }

    #[test]
    fn pairs_beyond_the_limit_are_reported_as_uncounted() {
        let mut sums = ToolSums::default();
        for tool in ["a", "b", "a"] {
            let use_of_tool = ToolUse {
                called: Some(tool.to_owned()),
                times: 1,
                ..ToolUse::default()
            };
            sums.add(&[use_of_tool], 1);
        }
        let totals = sums.finish();
        assert_eq!((totals.uses.len(), totals.uses[0].times), (1, 2));
        assert!(totals.uncounted);
    }
}
