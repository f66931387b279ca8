//! The values passed from one leaf to another.
//!
//! A value of a call that equals a value of an earlier call in the first run is a possible link. Each further run removes the links that it
//! contradicts, so that only these are kept, and no run.

use crate::expectation::ActualCall;
use crate::value::{Value, ValueEquality};

use super::demand::{LeafDemand, Occurrence};
use super::pattern::{Member, Pattern};
use super::survey::{Survey, is_scalar};

/// The location of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    leaf: usize,
    is_output: bool,
    path: Vec<String>,
}

/// A value that a call takes from an earlier call.
#[derive(Clone, Debug)]
struct Link {
    from: Place,
    to: Place,
}

/// The values that leaves may take from each other.
#[derive(Debug)]
pub(super) struct Flow {
    leaves: Vec<LeafFlow>,
    /// For each leaf, its first call in the current run.
    current: Vec<Option<usize>>,
}

/// The values that the calls of a leaf may take and pass on.
#[derive(Debug, Default)]
struct LeafFlow {
    /// True if a run has several calls. They may all take a value, but pass on none, since a variable has only one value.
    is_repeated: bool,
    /// The texts and numbers in all outputs, in the order of the first; `None` before the first call.
    outputs: Option<Vec<Vec<String>>>,
    /// The links to this leaf that no run contradicts; `None` before the first call.
    links: Option<Vec<Link>>,
}

impl Flow {
    pub(super) fn new(leaves: usize) -> Self {
        Self {
            leaves: (0..leaves).map(|_| LeafFlow::default()).collect(),
            current: vec![None; leaves],
        }
    }

    /// Adds the calls of a run that leaves accept, in order.
    pub(super) fn add(&mut self, calls: &[ActualCall<'_>], found: &[Occurrence]) {
        self.current.fill(None);
        for it in found {
            let leaf = &mut self.leaves[it.leaf];
            leaf.add_output(&calls[it.place]);
            let first = &mut self.current[it.leaf];
            if first.is_some() {
                leaf.repeat();
            } else {
                *first = Some(it.place);
            }
        }
        for it in found {
            let links = match self.leaves[it.leaf].links.take() {
                Some(mut links) => {
                    links.retain(|link| self.holds(link, it.place, calls));
                    links
                }
                None => self.first_links(*it, calls),
            };
            self.leaves[it.leaf].links = Some(links);
        }
    }

    /// All links to a leaf from its first call in the first run.
    fn first_links(&self, first: Occurrence, calls: &[ActualCall<'_>]) -> Vec<Link> {
        let call = |leaf: usize| self.current[leaf].map(|place| &calls[place]);
        let mut links = Vec::new();
        let (to, inputs) = (first.leaf, calls[first.place].arguments());
        let inputs = inputs.map(scalar_paths).unwrap_or_default();
        for from in 0..to {
            let sides = [
                (false, call(from).and_then(ActualCall::arguments)),
                (true, call(from).and_then(ActualCall::read_output)),
            ];
            for (is_output, value) in sides {
                for path in value.map(scalar_paths).unwrap_or_default() {
                    let from = Place {
                        leaf: from,
                        is_output,
                        path,
                    };
                    let to = |path: &Vec<String>| Place {
                        leaf: to,
                        is_output: false,
                        path: path.clone(),
                    };
                    let link = |path| Link {
                        from: from.clone(),
                        to: to(path),
                    };
                    let possible = inputs.iter().map(link);
                    links.extend(possible.filter(|link| self.holds(link, first.place, calls)));
                }
            }
        }
        links
    }

    /// True if the current run has the same value at both places, first at `from`. `later` is the call that takes it.
    fn holds(&self, Link { from, to }: &Link, later: usize, calls: &[ActualCall<'_>]) -> bool {
        let Some(first) = self.current[from.leaf] else {
            return false;
        };
        let values = from.value(&calls[first]).zip(to.value(&calls[later]));
        let is_same = values.is_some_and(|(from, to)| ValueEquality::Strict.equal(from, to));
        is_same && first < later && !self.leaves[from.leaf].is_repeated
    }

    /// Replaces the patterns of values that are passed from leaf to leaf by variables. `arguments` are the facts about each leaf's arguments.
    pub(super) fn apply(&self, arguments: &[Option<Survey>], demands: &mut [LeafDemand]) {
        let mut named: Vec<(Place, String)> = Vec::new();
        for Link { from, to } in self.links(arguments, demands) {
            // A value that is used twice is one variable.
            let known = named.iter().find(|(place, _)| *place == from);
            let name = known.map(|(_, name)| name.clone());
            let name = name.unwrap_or_else(|| {
                let name = new_name(&from, &named);
                set(&mut demands[from.leaf], &from, &name);
                named.push((from.clone(), name.clone()));
                name
            });
            set(&mut demands[to.leaf], &to, &name);
            named.push((to, name));
        }
    }

    /// For each value that is always taken from an earlier call, and isn't always the same, the first place that it comes from.
    fn links(&self, arguments: &[Option<Survey>], demands: &[LeafDemand]) -> Vec<Link> {
        let survey = |place: &Place| arguments[place.leaf].as_ref()?.at(&place.path);
        let is_complete = |place: &Place| {
            let all = arguments[place.leaf].as_ref().map_or(0, |it| it.count);
            place.is_output || survey(place).is_some_and(|it| it.scalars == all)
        };
        let mut links = Vec::new();
        for (leaf, flow) in self.leaves.iter().enumerate() {
            let possible = flow.links.as_deref().unwrap_or_default();
            for to in Self::inputs(leaf, &demands[leaf]) {
                if !survey(&to).is_some_and(Survey::varies) {
                    continue;
                }
                let feeds = |from: &Place| {
                    let mut possible = possible.iter();
                    possible.any(|link| link.to == to && link.from == *from)
                };
                let earlier = (0..leaf).filter(|from| !self.leaves[*from].is_repeated);
                let earlier = earlier.flat_map(|from| {
                    let inputs = Self::inputs(from, &demands[from]);
                    inputs.into_iter().chain(self.outputs(from))
                });
                let mut earlier = earlier.filter(|from| feeds(from) && is_complete(from));
                links.extend(earlier.next().map(|from| Link { from, to }));
            }
        }
        links
    }

    /// The places of a leaf's required arguments.
    fn inputs(leaf: usize, demand: &LeafDemand) -> Vec<Place> {
        let paths = demand.arguments.iter().flat_map(Pattern::places);
        let paths = paths.filter(|path| !path.is_empty());
        let place = |path| Place {
            leaf,
            is_output: false,
            path,
        };
        paths.map(place).collect()
    }

    /// The places of the texts and numbers in all of a leaf's outputs.
    fn outputs(&self, leaf: usize) -> Vec<Place> {
        let paths = self.leaves[leaf].outputs.iter().flatten();
        let place = |path: &Vec<String>| Place {
            leaf,
            is_output: true,
            path: path.clone(),
        };
        paths.map(place).collect()
    }
}

impl LeafFlow {
    /// Keeps the places that the output of this call has, too.
    fn add_output(&mut self, call: &ActualCall<'_>) {
        let output = call.read_output();
        match &mut self.outputs {
            _ if self.is_repeated => {}
            Some(paths) => {
                paths.retain(|path| output.is_some_and(|it| scalar_at(it, path).is_some()));
            }
            None => self.outputs = Some(output.map(scalar_paths).unwrap_or_default()),
        }
    }

    fn repeat(&mut self) {
        self.is_repeated = true;
        self.outputs = None;
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

impl Place {
    /// The text or number at this place of a call.
    fn value<'v>(&self, call: &'v ActualCall<'_>) -> Option<&'v Value<'v>> {
        let whole = if self.is_output {
            call.read_output()
        } else {
            call.arguments()
        };
        scalar_at(whole?, &self.path)
    }
}

/// The paths of the texts and numbers in nested objects.
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
        value if is_scalar(value) => vec![Vec::new()],
        _ => Vec::new(),
    }
}

/// The text or number at a path.
fn scalar_at<'v, 'c>(value: &'v Value<'c>, path: &[String]) -> Option<&'v Value<'c>> {
    match (path, value) {
        ([], value) => Some(value).filter(|value| is_scalar(value)),
        ([key, rest @ ..], Value::Object(object)) => scalar_at(object.get_str(key)?, rest),
        _ => None,
    }
}
