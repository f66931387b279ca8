//! Patterns of places in a value: a pointer with `*` and `**` in it.

use rightcall::value::{Object, Value};

/// A step of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PathStep {
    /// One key or index.
    One(glob::Pattern),
    /// Any number of them, none too.
    Any,
}

/// The steps of a pointer without its first slash; `step` reads one that is not `**`.
pub(crate) fn steps<E>(
    pointer: &str,
    step: impl Fn(&str) -> Result<glob::Pattern, E>,
) -> Result<Vec<PathStep>, E> {
    let step = |part: &str| match part {
        "**" => Ok(PathStep::Any),
        part => step(&part.replace("~1", "/").replace("~0", "~")).map(PathStep::One),
    };
    pointer.split('/').map(step).collect()
}

/// The value with something else in the places that patterns lead to, or with nothing there.
pub(crate) fn replaced<'v>(
    value: Value<'v>,
    patterns: &[&[PathStep]],
    replace: &mut dyn FnMut(Value<'v>) -> Option<Value<'v>>,
) -> Value<'v> {
    if patterns.is_empty() {
        return value;
    }
    let mut child = |key: &str, value: Value<'v>| match behind(patterns, key) {
        Some(left) => Some(replaced(value, &left, replace)),
        None => replace(value),
    };
    match value {
        Value::Object(object) => {
            let entry = |(key, value): &(_, Value<'v>)| {
                let key: &rightcall::value::Text<'v> = key;
                Some((key.clone(), child(&key.to_display(), value.clone())?))
            };
            Value::Object(Object::new(object.iter().filter_map(entry).collect()))
        }
        Value::List(items) => {
            let items = items.into_iter().enumerate();
            let item = |(index, item): (usize, _)| child(&index.to_string(), item);
            Value::List(items.filter_map(item).collect())
        }
        other => other,
    }
}

/// What is left of the patterns behind a key; `None` where one of them ends there.
fn behind<'s>(patterns: &[&'s [PathStep]], key: &str) -> Option<Vec<&'s [PathStep]>> {
    let mut left = Vec::new();
    for pattern in patterns {
        let mut rest = *pattern;
        while let [PathStep::Any, after @ ..] = rest {
            left.push(rest);
            rest = after;
        }
        if let [PathStep::One(pattern), after @ ..] = rest
            && pattern.matches(key)
        {
            left.push(after);
        }
    }
    let ends = |steps: &&[PathStep]| steps.iter().all(|step| *step == PathStep::Any);
    (!left.iter().any(ends)).then_some(left)
}
