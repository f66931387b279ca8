//! Paths to the texts and numbers in arguments and outputs.

use crate::value::Value;

/// Lists with more members are learned as a whole.
const MOST_ITEMS: usize = 20;

/// A step from a value to a nested one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    /// A member of an object.
    Key(String),
    /// A member of a list of this length. Expectations match lists of one length only.
    Item {
        /// Its index.
        at: usize,
        /// The number of members.
        of: usize,
    },
}

/// The steps from a whole value to a nested one.
pub(super) type Path = Vec<Step>;

/// The members of a list that isn't too long to learn each.
pub(super) fn items<'v, 'c>(value: &'v Value<'c>) -> Option<&'v [Value<'c>]> {
    value.as_list().filter(|items| items.len() <= MOST_ITEMS)
}

/// True for a text or a number.
pub(super) fn is_scalar(value: &Value<'_>) -> bool {
    matches!(
        value,
        Value::String(_) | Value::Integer(_) | Value::Float(_)
    )
}

/// The texts and numbers in nested objects and lists, each with its path.
pub(super) fn scalars<'v, 'c>(value: &'v Value<'c>) -> Vec<(Path, &'v Value<'c>)> {
    let mut found = Vec::new();
    add_scalars(value, &mut Vec::new(), &mut found);
    found
}

fn add_scalars<'v, 'c>(
    value: &'v Value<'c>,
    path: &mut Path,
    found: &mut Vec<(Path, &'v Value<'c>)>,
) {
    if is_scalar(value) {
        found.push((path.clone(), value));
    }
    if let Value::Object(object) = value {
        for (key, value) in object {
            // Such a key would be read as a matcher.
            if let Some(key) = key.as_str().filter(|key| !key.starts_with('$')) {
                path.push(Step::Key(key.to_owned()));
                add_scalars(value, path, found);
                path.pop();
            }
        }
    }
    let items = items(value).unwrap_or_default();
    for (at, item) in items.iter().enumerate() {
        let of = items.len();
        path.push(Step::Item { at, of });
        add_scalars(item, path, found);
        path.pop();
    }
}

/// The text or number at a path.
pub(super) fn scalar_at<'v, 'c>(value: &'v Value<'c>, path: &[Step]) -> Option<&'v Value<'c>> {
    let [step, rest @ ..] = path else {
        return Some(value).filter(|value| is_scalar(value));
    };
    let inner = match step {
        Step::Key(key) => value.as_object()?.get_str(key),
        Step::Item { at, of } => {
            let items = value.as_list().filter(|items| items.len() == *of);
            items?.get(*at)
        }
    };
    scalar_at(inner?, rest)
}
