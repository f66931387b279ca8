//! Conditions on calls, parsed from the JSON each time.

use rightcall_core::value::{JsonText, Object, Syntax, Value, decode_with};

use crate::equality::{exactly, json_equal};

/// A call, expected or actual: its name, arguments and output as values.
#[derive(Clone, Debug)]
pub(super) struct Demand {
    pub(super) name: String,
    arguments: Option<Value<'static>>,
    output: Option<Value<'static>>,
}

/// Values of variables by name, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Assigned(Vec<(String, Option<Value<'static>>)>);

impl Assigned {
    pub(super) fn written(&self) -> Vec<(String, Option<String>)> {
        let json = |value: &Value<'_>| JsonText::from_value(value).into_string();
        let written = |(name, value): &(String, Option<Value<'static>>)| {
            (name.clone(), value.as_ref().map(json))
        };
        self.0.iter().map(written).collect()
    }

    fn get(&self, name: &str) -> Option<&Value<'static>> {
        self.0.iter().find(|(known, _)| known == name)?.1.as_ref()
    }
}

impl Demand {
    pub(super) fn of(call: &Value<'_>) -> Self {
        let Some(object) = call.as_object() else {
            let name = call.as_text().map(ToString::to_string).unwrap_or_default();
            return Self {
                name,
                arguments: None,
                output: None,
            };
        };
        let value = |key: &str| object.get_str(key).cloned().map(Value::into_owned);
        Self {
            name: object
                .get_str("name")
                .and_then(Value::as_text)
                .map(ToString::to_string)
                .unwrap_or_default(),
            arguments: value("args"),
            output: value("output").map(read),
        }
    }

    pub(super) fn holds(&self, actual: &Self, assigned: &Assigned, output_waits: bool) -> bool {
        let side =
            |wanted: &Option<Value<'static>>, found: &Option<Value<'static>>| match (wanted, found)
            {
                (None, _) => true,
                (Some(wanted), Some(found)) => holds(wanted, Some(found), assigned),
                (Some(_), None) => false,
            };
        self.name == actual.name
            && side(&self.arguments, &actual.arguments)
            && (output_waits && actual.output.is_none() || side(&self.output, &actual.output))
    }
}

/// Parses a text that contains an object or a list.
fn read(value: Value<'static>) -> Value<'static> {
    let inside = value
        .as_text()
        .and_then(|text| text.as_str())
        .and_then(|text| {
            let read = decode_with(text, Syntax::PYTHON).ok()?;
            matches!(read, Value::List(_) | Value::Object(_)).then(|| read.into_owned())
        });
    inside.unwrap_or(value)
}

fn is_matcher(object: &Object<'_>) -> bool {
    !object.is_empty()
        && object.get_str("$rest").is_none()
        && object
            .iter()
            .all(|(key, _)| key.to_display().starts_with('$'))
}

fn holds(wanted: &Value<'_>, found: Option<&Value<'_>>, assigned: &Assigned) -> bool {
    match wanted {
        Value::Object(object) if is_matcher(object) => object
            .iter()
            .all(|(key, value)| condition(&key.to_display(), value, found, assigned)),
        _ => found.is_some_and(|found| same(wanted, found, assigned)),
    }
}

fn same(wanted: &Value<'_>, found: &Value<'_>, assigned: &Assigned) -> bool {
    match (wanted, found) {
        (Value::List(wanted), Value::List(found)) => {
            wanted.len() == found.len()
                && (0..wanted.len()).all(|at| holds(&wanted[at], Some(&found[at]), assigned))
        }
        (Value::Object(wanted), Value::Object(found)) => {
            let is_open = wanted.get_str("$rest").is_some();
            let keys = wanted.iter().filter(|(key, _)| *key != "$rest");
            keys.clone()
                .all(|(key, value)| holds(value, found.get(key), assigned))
                && (is_open || found.iter().all(|(key, _)| wanted.get(key).is_some()))
        }
        _ => json_equal(wanted, found),
    }
}

/// All digits of a number.
fn digits(value: &Value<'_>) -> Option<String> {
    exactly(value).filter(|_| !matches!(value, Value::Bool(_)))
}

fn compared(found: &Value<'_>, bound: &Value<'_>) -> Option<std::cmp::Ordering> {
    use rightcall_core::value::Integer;
    digits(found).zip(digits(bound))?;
    if let (Value::Integer(one), Value::Integer(other)) = (found, bound) {
        return Some(one.cmp(other));
    }
    let (one, other) = (found.as_f64()?, bound.as_f64()?);
    let exact = |value: &Value<'_>, float: f64| match value {
        Value::Integer(integer) => Some(integer.clone()),
        _ => Integer::from_integral(float),
    };
    // If both round to the same double, compare the exact values.
    Some(one.total_cmp(&other).then_with(|| {
        let exact = exact(found, one).zip(exact(bound, other));
        exact.map_or(std::cmp::Ordering::Equal, |(one, other)| one.cmp(&other))
    }))
}

fn condition(key: &str, value: &Value<'_>, found: Option<&Value<'_>>, assigned: &Assigned) -> bool {
    if key == "$optional" {
        return found.is_none_or(|found| holds(value, Some(found), assigned));
    }
    let Some(found) = found else { return false };
    let is_number = digits(found).is_some();
    let by = |is: fn(std::cmp::Ordering) -> bool| compared(found, value).is_some_and(is);
    match key {
        "$any" => true,
        "$eq" | "$literal" => json_equal(value, found),
        "$ne" => !json_equal(value, found),
        "$gt" => by(std::cmp::Ordering::is_gt),
        "$gte" => by(std::cmp::Ordering::is_ge),
        "$lt" => by(std::cmp::Ordering::is_lt),
        "$lte" => by(std::cmp::Ordering::is_le),
        "$type" => match value.as_text().map(ToString::to_string).as_deref() {
            Some("string") => found.as_text().is_some(),
            Some("number") => is_number,
            Some("integer") => is_number && digits(found).is_some_and(|it| !it.contains('.')),
            Some("boolean") => matches!(found, Value::Bool(_)),
            Some("null") => found.is_null(),
            Some("array") => found.as_list().is_some(),
            _ => found.as_object().is_some(),
        },
        "$contains" => match (found, value) {
            (Value::String(text), Value::String(part)) => {
                text.to_display().contains(&*part.to_display())
            }
            (Value::List(items), part) => {
                items.iter().any(|item| holds(part, Some(item), assigned))
            }
            _ => false,
        },
        "$one_of" => value.as_list().is_some_and(|values| {
            values
                .iter()
                .any(|value| holds(value, Some(found), assigned))
        }),
        "$not" => !holds(value, Some(found), assigned),
        "$var" => {
            let name = value.as_text().map(ToString::to_string).unwrap_or_default();
            assigned
                .get(&name)
                .is_some_and(|value| json_equal(value, found))
        }
        other => panic!("the generator writes no `{other}`"),
    }
}

pub(super) mod demands {
    //! The variables of leaves, and their possible values.

    use super::{Assigned, Demand, Object, Value, is_matcher, json_equal};

    type Path = Vec<String>;

    fn places(wanted: &Value<'_>, path: &Path, found: &mut Vec<(String, Path)>) {
        let under = |key: String| [path.as_slice(), &[key]].concat();
        match wanted {
            Value::Object(object) if is_matcher(object) => of_matcher(object, path, found),
            Value::Object(object) => {
                for (key, value) in object.iter().filter(|(key, _)| *key != "$rest") {
                    places(value, &under(key.to_string()), found);
                }
            }
            Value::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    places(item, &under(index.to_string()), found);
                }
            }
            _ => {}
        }
    }

    fn of_matcher(object: &Object<'_>, path: &Path, found: &mut Vec<(String, Path)>) {
        for (key, value) in object {
            match (&*key.to_display(), value) {
                ("$var", Value::String(name)) => found.push((name.to_string(), path.clone())),
                ("$optional", inner) => places(inner, path, found),
                _ => {}
            }
        }
    }

    fn at<'v>(value: &'v Value<'static>, path: &Path) -> Option<&'v Value<'static>> {
        path.iter().try_fold(value, |value, step| match value {
            Value::Object(object) => object.get_str(step),
            Value::List(items) => items.get(step.parse::<usize>().ok()?),
            _ => None,
        })
    }

    /// All assignments in order; `None` if there are too many.
    pub(in super::super) fn assignments(
        leaves: &[Demand],
        actual: &[Demand],
        most: usize,
    ) -> Option<Vec<Assigned>> {
        let mut variables: Vec<(String, Vec<Value<'static>>)> = Vec::new();
        for leaf in leaves {
            let sides: [fn(&Demand) -> Option<&Value<'static>>; 2] =
                [|it| it.arguments.as_ref(), |it| it.output.as_ref()];
            let mut of_leaf = Vec::new();
            for side in sides {
                let mut found = Vec::new();
                if let Some(wanted) = side(leaf) {
                    places(wanted, &Vec::new(), &mut found);
                }
                of_leaf.extend(found.into_iter().map(|place| (place, side)));
            }
            for ((name, _), _) in &of_leaf {
                if variables.iter().all(|(known, _)| known != name) {
                    variables.push((name.clone(), Vec::new()));
                }
            }
            for call in actual.iter().filter(|call| call.name == leaf.name) {
                for ((name, path), side) in &of_leaf {
                    let value = side(call).and_then(|value| at(value, path));
                    let values = &mut variables.iter_mut().find(|(known, _)| known == name)?.1;
                    if let Some(value) = value
                        && !values.iter().any(|known| json_equal(known, value))
                    {
                        values.push(value.clone());
                    }
                }
            }
        }
        let mut all = vec![Assigned::default()];
        for (name, values) in variables {
            let mut next = Vec::new();
            for before in &all {
                for value in values.iter().cloned().map(Some).chain([None]) {
                    let mut assigned = before.clone();
                    assigned.0.push((name.clone(), value));
                    next.push(assigned);
                }
            }
            if next.len() > most {
                return None;
            }
            all = next;
        }
        Some(all)
    }
}
