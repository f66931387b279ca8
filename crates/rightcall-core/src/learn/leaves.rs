//! The common arguments of a leaf's calls, and the values passed from one leaf to another.

use crate::expectation::ActualCall;
use crate::value::{JsonWriter, Value, ValueEquality};

use super::LearnedArguments;
use super::pattern::{Member, Pattern, pattern};
use super::survey::SurveyedValues;

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
    mut leaves: Vec<Vec<Occurrence<'_, '_>>>,
    arguments: LearnedArguments,
) -> Vec<LeafDemand> {
    for calls in &mut leaves {
        calls.sort_by_key(|call| (call.run, call.place));
    }
    let mut demands: Vec<_> = leaves.iter().map(|it| demand(it, arguments)).collect();
    if arguments == LearnedArguments::Values {
        let flow = Flow::new(&leaves, &demands);
        flow.apply(&mut demands);
    }
    demands
}

fn demand(calls: &[Occurrence<'_, '_>], arguments: LearnedArguments) -> LeafDemand {
    if arguments == LearnedArguments::Names {
        return LeafDemand::default();
    }
    let mut found = SurveyedValues::default();
    for call in calls {
        // A value that is missing in one run can't be demanded.
        let Some(value @ Value::Object(_)) = call.call.arguments() else {
            return LeafDemand::default();
        };
        found.push((call.run, value));
    }
    let arguments = Some(pattern(found, arguments));
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

/// The strings and numbers at a location. They are looked up when they are needed: most columns differ in the first run.
struct Column<'o, 'r, 'c> {
    place: Place,
    /// The calls of the leaf, at most one per run, sorted by run.
    calls: &'o [Occurrence<'r, 'c>],
}

/// The values passed between leaves.
#[derive(Debug)]
struct Flow {
    links: Vec<Link>,
}

impl Flow {
    fn new(leaves: &[Vec<Occurrence<'_, '_>>], demands: &[LeafDemand]) -> Self {
        let columns: Vec<Column<'_, '_, '_>> = (0..leaves.len())
            .flat_map(|leaf| columns(leaf, &leaves[leaf], &demands[leaf]))
            .collect();
        let mut links = Vec::new();
        for to in columns.iter().filter(|it| !it.place.is_output) {
            if !to.varies() {
                continue;
            }
            let is_earlier = |it: &&Column<'_, '_, '_>| it.place.leaf < to.place.leaf;
            let mut earlier = columns.iter().filter(is_earlier);
            if let Some(from) = earlier.find(|from| from.feeds(to) && from.is_complete()) {
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

impl<'r, 'c> Column<'_, 'r, 'c> {
    fn value(&self, call: &Occurrence<'r, 'c>) -> Option<&'r Value<'c>> {
        let whole = if self.place.is_output {
            call.call.read_output()
        } else {
            call.call.arguments()
        };
        scalar_at(whole?, &self.place.path)
    }

    /// True if each call has a value.
    fn is_complete(&self) -> bool {
        self.calls.iter().all(|call| self.value(call).is_some())
    }

    /// True if there are several values.
    fn varies(&self) -> bool {
        let mut values = self.calls.iter().map(|call| self.value(call));
        let Some(Some(first)) = values.next() else {
            return false;
        };
        values.flatten().any(|value| !is_same(first, value))
    }

    /// True if, in each run of the other column, this column has the same value from an earlier call.
    fn feeds(&self, other: &Column<'_, 'r, 'c>) -> bool {
        let mut own = self.calls.iter();
        other.calls.iter().all(|to| {
            let from = own.find(|from| from.run >= to.run);
            let from = from.filter(|from| from.run == to.run && from.place < to.place);
            let values = from.and_then(|from| self.value(from).zip(other.value(to)));
            values.is_some_and(|(from, to)| is_same(from, to))
        })
    }
}

fn is_same(one: &Value<'_>, other: &Value<'_>) -> bool {
    ValueEquality::Strict.equal(one, other)
}

/// The columns of a leaf that is called at most once per run, since a variable has only one value.
fn columns<'o, 'r, 'c>(
    leaf: usize,
    calls: &'o [Occurrence<'r, 'c>],
    demand: &LeafDemand,
) -> Vec<Column<'o, 'r, 'c>> {
    if calls.is_empty() || calls.windows(2).any(|pair| pair[0].run == pair[1].run) {
        return Vec::new();
    }
    let inputs = demand.arguments.iter().flat_map(Pattern::places);
    let inputs = inputs.filter(|path| !path.is_empty());
    let outputs = calls[0].call.read_output().map(scalar_paths);
    let outputs = outputs.into_iter().flatten();
    let places = inputs
        .map(|path| (false, path))
        .chain(outputs.map(|path| (true, path)));
    let column = |(is_output, path)| Column {
        place: Place {
            leaf,
            is_output,
            path,
        },
        calls,
    };
    places.map(column).collect()
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

/// The string or number at a path.
fn scalar_at<'v, 'c>(value: &'v Value<'c>, path: &[String]) -> Option<&'v Value<'c>> {
    match (path, value) {
        ([], Value::String(_) | Value::Integer(_) | Value::Float(_)) => Some(value),
        ([key, rest @ ..], Value::Object(object)) => scalar_at(object.get_str(key)?, rest),
        _ => None,
    }
}
