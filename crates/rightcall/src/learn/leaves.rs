//! The common arguments of a leaf's calls, and the values passed from one leaf to another.

use std::collections::BTreeSet;

use crate::expectation::ActualCall;
use crate::value::{JsonText, JsonWriter, Value};

use super::LearnedArguments;
use super::pattern::{Found, Member, Pattern, pattern};

/// A call of a run that a leaf accepts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Occurrence<'r, 'c> {
    pub(super) run: usize,
    /// Its index in the run.
    pub(super) place: usize,
    pub(super) call: &'r ActualCall<'c>,
}

/// The demand on a leaf's calls, besides the name.
#[derive(Clone, Debug, Default)]
pub(super) struct LeafDemand {
    pub(super) arguments: Option<Pattern>,
    /// Members of the output.
    pub(super) output: Option<Pattern>,
}

impl LeafDemand {
    /// Writes the members `args` and `output` of a call.
    pub(super) fn write(&self, writer: &mut JsonWriter) {
        if let Some(arguments) = &self.arguments {
            arguments.write(writer.key("args"));
        }
        if let Some(output) = &self.output {
            output.write(writer.key("output"));
        }
    }
}

/// The demands of all leaves, in order.
pub(super) fn demands(
    leaves: &[Vec<Occurrence<'_, '_>>],
    arguments: LearnedArguments,
) -> Vec<LeafDemand> {
    let mut demands: Vec<_> = leaves.iter().map(|it| demand(it, arguments)).collect();
    if arguments == LearnedArguments::Values {
        let flow = Flow::new(leaves, &demands);
        flow.apply(&mut demands);
    }
    demands
}

fn demand(calls: &[Occurrence<'_, '_>], arguments: LearnedArguments) -> LeafDemand {
    if arguments == LearnedArguments::Names {
        return LeafDemand::default();
    }
    let values = calls.iter().map(|it| match it.call.arguments() {
        Some(value @ Value::Object(_)) => Some((it.run, value)),
        _ => None,
    });
    // A value that is missing in one run can't be demanded.
    let values: Option<Vec<Found<'_, '_>>> = values.collect();
    let arguments = values.map(|values| pattern(&values, arguments));
    LeafDemand {
        arguments: arguments.filter(|it| matches!(it, Pattern::Object(_) | Pattern::Constant(_))),
        output: None,
    }
}

/// The location of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    leaf: usize,
    is_output: bool,
    path: Vec<String>,
}

/// A value that a call takes from an earlier call.
#[derive(Debug)]
struct Link {
    from: Place,
    to: Place,
}

/// The values passed between leaves.
#[derive(Debug)]
struct Flow {
    links: Vec<Link>,
}

/// A scalar as JSON text.
type Scalar = String;

/// The values at a location, by run.
struct Column {
    place: Place,
    /// Sorted by run: the run, the call's index in it, and the value.
    values: Vec<(usize, usize, Scalar)>,
}

impl Flow {
    fn new(leaves: &[Vec<Occurrence<'_, '_>>], demands: &[LeafDemand]) -> Self {
        let columns: Vec<Column> = (0..leaves.len())
            .flat_map(|leaf| columns(leaf, &leaves[leaf], &demands[leaf]))
            .collect();
        let mut links = Vec::new();
        for to in columns.iter().filter(|it| !it.place.is_output) {
            let distinct: BTreeSet<&str> = to.values.iter().map(|it| &*it.2).collect();
            if distinct.len() < 2 {
                continue;
            }
            let is_earlier = |it: &&Column| it.place.leaf < to.place.leaf;
            let mut earlier = columns.iter().filter(is_earlier);
            if let Some(from) = earlier.find(|from| from.feeds(to)) {
                links.push(Link {
                    from: from.place.clone(),
                    to: to.place.clone(),
                });
            }
        }
        Self { links }
    }

    fn apply(&self, demands: &mut [LeafDemand]) {
        let mut named: Vec<(Place, String)> = Vec::new();
        for Link { from, to } in &self.links {
            // A value that is used twice is one variable.
            let known = named.iter().find(|(place, _)| place == from);
            let name = known.map(|(_, name)| name.clone());
            let name = name.unwrap_or_else(|| {
                let name = new_name(from, &named);
                set(&mut demands[from.leaf], from, &name);
                named.push((from.clone(), name.clone()));
                name
            });
            set(&mut demands[to.leaf], to, &name);
            named.push((to.clone(), name));
        }
    }
}

/// A unique name for the variable of a location: its key, with a number if needed.
fn new_name(place: &Place, named: &[(Place, String)]) -> String {
    let key = place.path.last().map_or("value", String::as_str);
    let is_free = |name: &String| named.iter().all(|(_, it)| it != name);
    let numbered = (2..).map(|number| format!("{key}_{number}"));
    let mut names = std::iter::once(key.to_owned()).chain(numbered);
    names.find(is_free).unwrap_or_default()
}

/// Puts a variable at a location.
fn set(demand: &mut LeafDemand, place: &Place, name: &str) {
    if !place.is_output {
        let arguments = demand.arguments.as_mut();
        if let Some(pattern) = arguments.and_then(|it| it.at_mut(&place.path)) {
            *pattern = Pattern::Variable(name.to_owned());
        }
        return;
    }
    let output = demand.output.get_or_insert(Pattern::Object(Vec::new()));
    add_output(output, &place.path, name);
}

/// Adds a member to an output pattern, which allows other members.
fn add_output(pattern: &mut Pattern, path: &[String], name: &str) {
    let ([key, rest @ ..], Pattern::Object(members)) = (path, &mut *pattern) else {
        *pattern = Pattern::Variable(name.to_owned());
        return;
    };
    if !members.iter().any(|it| it.key == *key) {
        let inner = if rest.is_empty() {
            Pattern::Any
        } else {
            Pattern::Object(Vec::new())
        };
        members.retain(|it| it.key != "$rest");
        for (key, pattern) in [
            (key.as_str(), inner),
            ("$rest", Pattern::Constant("\"any\"".to_owned())),
        ] {
            members.push(Member {
                key: key.to_owned(),
                pattern,
                is_optional: false,
            });
        }
    }
    if let Some(member) = members.iter_mut().find(|it| it.key == *key) {
        add_output(&mut member.pattern, rest, name);
    }
}

impl Column {
    /// True if, in each run of the other column, this column has the same value from an earlier call.
    fn feeds(&self, other: &Self) -> bool {
        other.values.iter().all(|(run, place, value)| {
            let found = self.values.binary_search_by_key(run, |it| it.0);
            found.is_ok_and(|at| self.values[at].1 < *place && self.values[at].2 == *value)
        })
    }
}

/// The columns of a leaf that is called at most once per run, since a variable has only one value.
fn columns(leaf: usize, calls: &[Occurrence<'_, '_>], demand: &LeafDemand) -> Vec<Column> {
    let mut runs: Vec<_> = calls.iter().map(|it| it.run).collect();
    runs.sort_unstable();
    if runs.is_empty() || runs.windows(2).any(|pair| pair[0] == pair[1]) {
        return Vec::new();
    }
    let inputs = demand.arguments.iter().flat_map(Pattern::places);
    let inputs: Vec<_> = inputs.filter(|path| !path.is_empty()).collect();
    let outputs = calls[0].call.read_output().map(scalar_paths);
    let places = inputs
        .into_iter()
        .map(|path| (false, path))
        .chain(outputs.into_iter().flatten().map(|path| (true, path)));
    let column = |(is_output, path): (bool, Vec<String>)| {
        let value = |it: &Occurrence<'_, '_>| {
            let whole = if is_output {
                it.call.read_output()
            } else {
                it.call.arguments()
            };
            Some((it.run, it.place, scalar_at(whole?, &path)?))
        };
        let mut values: Vec<_> = calls.iter().map(value).collect::<Option<_>>()?;
        values.sort_unstable();
        let place = Place {
            leaf,
            is_output,
            path,
        };
        Some(Column { place, values })
    };
    places.filter_map(column).collect()
}

/// The paths of the strings and numbers in nested objects.
fn scalar_paths(value: &Value<'_>) -> Vec<Vec<String>> {
    match value {
        Value::Object(object) => {
            let members = object.iter().filter_map(|(key, value)| {
                let key = key.as_str().filter(|key| !key.starts_with('$'))?;
                let inner = scalar_paths(value).into_iter();
                Some(inner.map(move |path| [vec![key.to_owned()], path].concat()))
            });
            members.flatten().collect()
        }
        Value::String(_) | Value::Integer(_) | Value::Float(_) => vec![Vec::new()],
        _ => Vec::new(),
    }
}

/// The string or number at a path, as JSON text.
fn scalar_at(value: &Value<'_>, path: &[String]) -> Option<Scalar> {
    match (path, value) {
        ([], Value::String(_) | Value::Integer(_) | Value::Float(_)) => {
            Some(JsonText::from_value(value).into_string())
        }
        ([key, rest @ ..], Value::Object(object)) => {
            let mut members = object.iter();
            let (_, inner) = members.find(|(found, _)| *found == **key)?;
            scalar_at(inner, rest)
        }
        _ => None,
    }
}
