//! The runs that an expectation describes: each order, choice and number of rounds once.

use serde_json::{Value, json};

use super::calls::{has_matcher, name_of};

/// A run: its calls in the format of a case.
pub(crate) type DescribedRun = Vec<Value>;

/// Maximum number of listed runs.
const MAX_RUNS: usize = 2000;

/// The runs that a list of elements or one element describes. An unlimited `repeat` has at most `rounds` rounds, or its `min`. `None` if
/// there are too many.
pub(crate) fn described(element: &Value, rounds: usize) -> Option<Vec<DescribedRun>> {
    match element {
        Value::Array(items) => in_sequence(items.iter().map(|it| described(it, rounds))),
        Value::String(name) => Some(vec![vec![json!({"name": name})]]),
        Value::Object(object) => match name_of(object) {
            Some(name) => Some(vec![vec![definite(name, element)]]),
            None => of_block(element, rounds),
        },
        _ => Some(Vec::new()),
    }
}

/// The call with its arguments if only these are accepted, else by its name.
fn definite(name: &str, call: &Value) -> Value {
    let arguments = &call["args"];
    if arguments.is_object() && !has_matcher(arguments) {
        json!({"name": name, "args": arguments})
    } else {
        json!({"name": name})
    }
}

fn of_block(block: &Value, rounds: usize) -> Option<Vec<DescribedRun>> {
    if let Some(inner) = block.get("sequence") {
        return described(inner, rounds);
    }
    if let Some(inner) = block.get("any_order") {
        let parts = branches(inner).map(|it| described(it, rounds));
        return combined(parts, shuffled);
    }
    if let Some(inner) = block.get("one_of") {
        let mut runs = Vec::new();
        for alternative in branches(inner) {
            runs.extend(described(alternative, rounds)?);
        }
        return (runs.len() <= MAX_RUNS).then_some(runs);
    }
    if let Some(inner) = block.get("optional") {
        let mut runs = described(inner, rounds)?;
        runs.push(Vec::new());
        return Some(runs);
    }
    let inner = described(block.get("repeat")?, rounds)?;
    let number = |key: &str| block.get(key)?.as_u64().map(|it| it as usize);
    let min = number("min").unwrap_or(1);
    let max = number("max").unwrap_or(usize::MAX).min(min.max(rounds));
    let mut runs = Vec::new();
    for times in min..=max {
        runs.extend(in_sequence((0..times).map(|_| Some(inner.clone())))?);
        if runs.len() > MAX_RUNS {
            return None;
        }
    }
    Some(runs)
}

/// The elements of a list in a block, or its only element.
fn branches(inner: &Value) -> impl Iterator<Item = &Value> {
    let items = inner.as_array().map(Vec::as_slice);
    items.unwrap_or(std::slice::from_ref(inner)).iter()
}

fn in_sequence(
    parts: impl Iterator<Item = Option<Vec<DescribedRun>>>,
) -> Option<Vec<DescribedRun>> {
    combined(parts, |one, other| Some(vec![[one, other].concat()]))
}

/// All combinations of one run of each part.
fn combined(
    parts: impl Iterator<Item = Option<Vec<DescribedRun>>>,
    combine: impl Fn(&[Value], &[Value]) -> Option<Vec<DescribedRun>>,
) -> Option<Vec<DescribedRun>> {
    let mut all = vec![Vec::new()];
    for part in parts {
        let part = part?;
        let mut next = Vec::new();
        for one in &all {
            for other in &part {
                next.extend(combine(one, other)?);
                if next.len() > MAX_RUNS {
                    return None;
                }
            }
        }
        all = next;
    }
    Some(all)
}

/// All merges of two runs that keep the order of each.
fn shuffled(one: &[Value], other: &[Value]) -> Option<Vec<DescribedRun>> {
    let (Some(first), Some(second)) = (one.first(), other.first()) else {
        return Some(vec![[one, other].concat()]);
    };
    let mut runs = Vec::new();
    for (call, rest) in [
        (first, shuffled(&one[1..], other)?),
        (second, shuffled(one, &other[1..])?),
    ] {
        for run in rest {
            runs.push([std::slice::from_ref(call), &run[..]].concat());
        }
        if runs.len() > MAX_RUNS {
            return None;
        }
    }
    Some(runs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_accepted_run_is_described_once() {
        let names = |element: Value| {
            let runs = described(&element, 3)?;
            let name = |call: &Value| call["name"].as_str().unwrap().to_owned();
            let run = |run: &DescribedRun| run.iter().map(name).collect::<String>();
            Some(runs.iter().map(run).collect::<Vec<_>>().join(" "))
        };
        for (element, runs) in [
            (json!(["a", {"name": "b", "args": {}}]), "ab"),
            (json!([]), ""),
            (json!({"any_order": [["a", "b"], "c"]}), "abc acb cab"),
            (json!({"one_of": ["a", ["b", "c"], []]}), "a bc "),
            (json!(["a", {"optional": "b"}]), "ab a"),
            (json!({"repeat": "a"}), "a aa aaa"),
            (json!({"repeat": "a", "min": 0, "max": 1}), " a"),
            (json!({"sequence": ["a", {"one_of": ["b", "c"]}]}), "ab ac"),
        ] {
            assert_eq!(names(element.clone()).as_deref(), Some(runs), "{element}");
        }
        let many = json!({"any_order": ["a", "b", "c", "d", "e", "f", "g", "h"]});
        assert_eq!(names(many), None);
        let open = json!({"name": "a", "args": {"x": {"$gt": 1}}});
        assert_eq!(described(&open, 1), Some(vec![vec![json!({"name": "a"})]]));
    }
}
