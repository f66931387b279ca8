//! Which tools a case expected, and which it called in their place.

use rightcall::call::{Call, Case};
use rightcall::value::Text;

/// A tool that was expected beside the tool that was called in its place.
///
/// Calls of one name go together. What is left on both sides goes together in order, and the rest alone.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ToolUse {
    /// The tool that was expected.
    pub expected: Option<String>,
    /// The tool that was called.
    pub called: Option<String>,
    /// How often.
    pub times: u64,
}

/// Which tools a case expected and which it called.
pub fn tools_of(case: &Case<'_>) -> Vec<ToolUse> {
    let of_calls = |calls: &[Call<'_>]| {
        calls
            .iter()
            .map(|call| name_of(&call.name))
            .collect::<Vec<_>>()
    };
    let expected = match (&case.expected.calls, &case.expected.order) {
        (Some(calls), _) => of_calls(calls),
        (None, Some(order)) => order.iter().map(name_of).collect(),
        (None, None) => Vec::new(),
    };
    let called = case
        .actual
        .as_ref()
        .map(|run| of_calls(&run.calls))
        .unwrap_or_default();
    tool_uses(expected, called)
}

fn name_of(name: &Text<'_>) -> String {
    name.to_display().into_owned()
}

fn tool_uses(expected: Vec<String>, mut called: Vec<String>) -> Vec<ToolUse> {
    let mut pairs = Vec::with_capacity(expected.len().max(called.len()));
    let mut missed = Vec::new();
    for name in expected {
        match called.iter().position(|it| *it == name) {
            Some(place) => pairs.push((Some(name), Some(called.remove(place)))),
            None => missed.push(name),
        }
    }
    let mut extra = called.into_iter();
    pairs.extend(missed.into_iter().map(|name| (Some(name), extra.next())));
    pairs.extend(extra.map(|name| (None, Some(name))));
    pairs.sort();
    let count = |same: &[(Option<String>, Option<String>)]| {
        let (expected, called) = same[0].clone();
        ToolUse {
            expected,
            called,
            times: same.len() as u64,
        }
    };
    pairs
        .chunk_by(|one, other| one == other)
        .map(count)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_one_name_go_together_and_the_rest_in_order() {
        let of = |expected: &[&str], called: &[&str]| {
            let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
            let uses = tool_uses(owned(expected), owned(called)).into_iter();
            let name = |name: Option<String>| name.unwrap_or_else(|| "–".to_owned());
            uses.map(|it| format!("{}:{} {}", name(it.expected), name(it.called), it.times))
                .collect::<Vec<_>>()
                .join(", ")
        };
        assert_eq!(
            of(&["a", "b", "a"], &["a", "a", "c", "d"]),
            "–:d 1, a:a 2, b:c 1"
        );
        assert_eq!(of(&["a", "b"], &[]), "a:– 1, b:– 1");
        assert_eq!(of(&[], &[]), "");
    }
}
