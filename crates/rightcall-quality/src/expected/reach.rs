//! Checks whether both a matcher and the schema of its tool can accept the same value.
//!
//! The candidates are all values that the schema lists. Without a list, they are one value of each
//! type, and the numbers at and between the numbers in matcher and schema. Conditions that can't be
//! decided this way, such as a regular expression over free text, are left out on both sides. The
//! other conditions accept more values, so if they accept no candidate, no value is accepted.

use rightcall_core::expectation::{ActualCall, ProcessTree};
use rightcall_core::value::pointer::{child, item};
use rightcall_core::value::{Syntax, Text, decode_with};
use serde_json::{Map, Value, json};

use crate::tools::{ToolSchema, bounds, listed_values, relaxed};

/// A matcher that accepts no value.
#[derive(Debug, PartialEq)]
pub(crate) struct Unreachable {
    pub(crate) pointer: String,
    pub(crate) matcher: Value,
    /// The schema of the value; `None` if the matcher alone accepts nothing.
    pub(crate) schema: Option<Value>,
}

/// The matchers that this check can decide: on numbers, types and listed values.
const DECIDED: [&str; 9] = [
    "$gt", "$gte", "$lt", "$lte", "$eq", "$ne", "$type", "$approx", "$any",
];

/// The matchers in a value that accept no value. `schema` is the value's part of the tool's schema.
pub(crate) fn unreachable(
    value: &Value,
    pointer: &str,
    schema: Option<(&Value, &ToolSchema)>,
    found: &mut Vec<Unreachable>,
) {
    match value {
        Value::Object(members) if is_matcher(members) => {
            if is_empty(value, None) {
                found.push(Unreachable {
                    pointer: pointer.to_owned(),
                    matcher: value.clone(),
                    schema: None,
                });
            } else if let Some((schema, tool)) = schema {
                let relaxed = relaxed(schema, &tool.normal);
                if is_empty(value, Some(&relaxed)) {
                    found.push(Unreachable {
                        pointer: pointer.to_owned(),
                        matcher: value.clone(),
                        schema: Some(relaxed),
                    });
                }
            }
        }
        Value::Object(members) => {
            for (key, value) in members.iter().filter(|(key, _)| !key.starts_with('$')) {
                let inner = schema.and_then(|(it, tool)| Some((tool.member(it, key)?, tool)));
                unreachable(value, &child(pointer, key), inner, found);
            }
        }
        Value::Array(items) => {
            let inner = schema.and_then(|(it, tool)| Some((tool.items(it)?, tool)));
            for (index, value) in items.iter().enumerate() {
                unreachable(value, &item(pointer, index), inner, found);
            }
        }
        _ => {}
    }
}

fn is_matcher(members: &Map<String, Value>) -> bool {
    !members.is_empty()
        && members
            .keys()
            .all(|key| key.starts_with('$') && key != "$rest")
}

/// True if no value is accepted by the matcher and by a relaxed schema.
fn is_empty(matcher: &Value, schema: Option<&Value>) -> bool {
    if let Some(Value::Array(items)) = matcher.get("$one_of") {
        return items.iter().all(|it| match it.as_object() {
            Some(members) if is_matcher(members) => is_empty(it, schema),
            _ => schema.is_some_and(|schema| !accepts(schema, it)),
        });
    }
    let Some(members) = matcher.as_object() else {
        return false;
    };
    if members.contains_key("$optional") {
        return false;
    }
    // Listed values can each be tried with the whole matcher.
    let (candidates, tried) = if let Some(values) = schema.and_then(listed_values) {
        (values, matcher.clone())
    } else {
        let decided = members
            .iter()
            .filter(|(key, _)| DECIDED.contains(&key.as_str()));
        let decided: Map<_, _> = decided.map(|(key, it)| (key.clone(), it.clone())).collect();
        (candidates(&decided, schema), Value::Object(decided))
    };
    let Some(tree) = tree(&tried) else {
        return false;
    };
    !candidates.iter().any(|value| {
        schema.is_none_or(|it| accepts(it, value))
            && fits_kind(members, value)
            && is_accepted(&tree, value)
    })
}

/// True if the matcher accepts the value. False for an invalid matcher.
pub(crate) fn matches(matcher: &Value, value: &Value) -> bool {
    tree(matcher).is_some_and(|it| is_accepted(&it, value))
}

/// The tree of a call with this matcher, which may accept anything. `None` if the matcher is invalid.
fn tree(matcher: &Value) -> Option<ProcessTree> {
    let is_empty = matcher.as_object().is_some_and(Map::is_empty);
    let any = json!({"$any": true});
    let matcher = if is_empty { &any } else { matcher };
    let expected = json!([{"name": "f", "args": {"a": matcher}}]);
    ProcessTree::read(&expected.to_string()).ok()
}

fn is_accepted(tree: &ProcessTree, value: &Value) -> bool {
    let text = json!({"a": value}).to_string();
    let Ok(arguments) = decode_with(&text, Syntax::PYTHON) else {
        return true;
    };
    let call = ActualCall::new(Text::new("f"), Some(arguments), None);
    tree.resolve(&[call]).is_ok_and(|it| it.is_accepted())
}

/// False if an undecidable part rejects all values of this kind.
fn fits_kind(matcher: &Map<String, Value>, value: &Value) -> bool {
    let has = |key: &str| matcher.contains_key(key);
    (!has("$pattern") || value.is_string())
        && (!has("$contains") || value.is_string() || value.is_array())
}

fn accepts(schema: &Value, value: &Value) -> bool {
    // A separate finding reports an invalid schema.
    jsonschema::validator_for(schema).map_or(true, |it| it.is_valid(value))
}

/// One value of each type, the values in the matcher, and the numbers at and between the numbers in matcher and schema.
fn candidates(matcher: &Map<String, Value>, schema: Option<&Value>) -> Vec<Value> {
    let mut values = vec![
        Value::Null,
        json!(true),
        json!(false),
        json!(""),
        json!("any other text"),
        json!([]),
        json!({}),
    ];
    values.extend(
        ["$eq", "$ne"]
            .iter()
            .filter_map(|key| matcher.get(*key).cloned()),
    );
    let mut numbers = vec![0.0];
    for (key, value) in matcher {
        numbers.extend(value.as_f64());
        if key == "$approx" {
            let of = |key: &str| value[key].as_f64();
            let (at, within) = (of("value"), of("within").unwrap_or_default());
            numbers.extend(at.into_iter().flat_map(|at| [at - within, at, at + within]));
        }
    }
    if let Some(schema) = schema {
        bounds(schema, &mut numbers);
    }
    numbers.sort_by(f64::total_cmp);
    let between = numbers.windows(2).map(|it| f64::midpoint(it[0], it[1]));
    let around = numbers
        .iter()
        .flat_map(|it| [*it, it - 1.0, it + 1.0, it - 0.5, it + 0.5]);
    let around = around.chain(numbers.iter().flat_map(|it| [it.floor(), it.ceil()]));
    for number in between.chain(around) {
        if number.fract() == 0.0 && number.abs() < 9e15 {
            values.push(json!(number as i64));
        } else {
            values.push(json!(number));
        }
    }
    values
}
