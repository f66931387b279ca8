//! Learns which values calls take from earlier calls.
//!
//! In the first run, each argument that equals a value of an earlier call is a possible link. Each
//! further run removes the links that it contradicts. So only links are kept in memory, no runs.

use std::collections::{BTreeMap, BTreeSet};

use crate::expectation::{ActualCall, FastMap};
use crate::value::{JsonWriter, Text, Value};

use super::demand::{LeafDemand, Occurrence};
use super::path::{Path, Step, scalar_at, scalars};
use super::pattern::Pattern;
use super::survey::Survey;

/// The location of a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    leaf: usize,
    is_output: bool,
    path: Path,
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
    /// The places of all links, by number.
    places: Vec<Place>,
    numbers: BTreeMap<Place, PlaceNumber>,
}

/// The number of a place.
type PlaceNumber = usize;

/// The values that the calls of a leaf may take and pass on.
#[derive(Debug, Default)]
struct LeafFlow {
    /// True if some run has several calls of the leaf. They may all take a value, but pass on none,
    /// since a variable has only one value.
    is_repeated: bool,
    /// The paths of texts and numbers that all outputs have, in the order of the first output;
    /// `None` before the first call.
    outputs: Option<Vec<Path>>,
    /// The links to this leaf that no run contradicts; `None` before the first call.
    links: Option<Vec<Links>>,
}

/// The possible sources of a value, in order.
#[derive(Debug)]
struct Links {
    to: PlaceNumber,
    from: Vec<PlaceNumber>,
}

impl Flow {
    pub(super) fn new(leaves: usize) -> Self {
        Self {
            leaves: (0..leaves).map(|_| LeafFlow::default()).collect(),
            current: vec![None; leaves],
            places: Vec::new(),
            numbers: BTreeMap::new(),
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
        let mut run = RunValues::default();
        for place in &self.places {
            let first = self.current[place.leaf].map(|first| &calls[first]);
            let value = first.and_then(|call| place.value(call));
            run.at_places
                .push(value.and_then(|value| run.known.number(value)));
        }
        let mut has_changed = false;
        for it in found {
            let links = if let Some(mut links) = self.leaves[it.leaf].links.take() {
                has_changed |= self.keep_links(&mut links, *it, calls, &mut run);
                links
            } else {
                has_changed = true;
                self.first_links(*it, calls, &mut run)
            };
            self.leaves[it.leaf].links = Some(links);
        }
        if has_changed {
            self.forget_outputs();
        }
    }

    /// Removes the links to this call that the run contradicts. True if any was removed.
    fn keep_links<'v>(
        &self,
        links: &mut Vec<Links>,
        later: Occurrence,
        calls: &'v [ActualCall<'_>],
        run: &mut RunValues<'v>,
    ) -> bool {
        let is_first = self.current[later.leaf] == Some(later.place);
        let mut has_changed = false;
        for Links { to, from } in &mut *links {
            let value = if is_first {
                run.at_places[*to]
            } else {
                let value = self.places[*to].value(&calls[later.place]);
                value.and_then(|value| run.known.number(value))
            };
            let count = from.len();
            from.retain(|from| {
                let leaf = self.places[*from].leaf;
                let is_earlier = self.current[leaf].is_some_and(|first| first < later.place);
                let is_same = value.is_some() && run.at_places[*from] == value;
                is_same && is_earlier && !self.leaves[leaf].is_repeated
            });
            has_changed |= from.len() < count;
        }
        links.retain(|links| !links.from.is_empty());
        has_changed
    }

    /// All possible links to the first call of a leaf.
    fn first_links<'v>(
        &mut self,
        first: Occurrence,
        calls: &'v [ActualCall<'_>],
        run: &mut RunValues<'v>,
    ) -> Vec<Links> {
        let inputs = calls[first.place].arguments().map(scalars);
        let inputs = inputs.unwrap_or_default().into_iter();
        let inputs = inputs.filter_map(|(path, value)| Some((path, run.known.number(value)?)));
        let inputs: Vec<(Path, ValueNumber)> = inputs.collect();
        let mut sources: BTreeMap<ValueNumber, Vec<PlaceNumber>> = inputs
            .iter()
            .map(|(_, value)| (*value, Vec::new()))
            .collect();
        for leaf in 0..first.leaf {
            let earlier = self.current[leaf].filter(|earlier| *earlier < first.place);
            let Some(earlier) = earlier.filter(|_| !self.leaves[leaf].is_repeated) else {
                continue;
            };
            for is_output in [false, true] {
                let values = side(&calls[earlier], is_output).map(scalars);
                for (path, value) in values.unwrap_or_default() {
                    let value = run.known.number(value);
                    let known = value.and_then(|it| Some((it, sources.get_mut(&it)?)));
                    if let Some((value, sources)) = known {
                        let from = Place::new(leaf, is_output, path);
                        sources.push(self.number(from, value, run));
                    }
                }
            }
        }
        let mut links = Vec::new();
        for (path, value) in inputs {
            let from = sources.get(&value).filter(|from| !from.is_empty());
            if let Some(from) = from.cloned() {
                let to = self.number(Place::new(first.leaf, false, path), value, run);
                links.push(Links { to, from });
            }
        }
        links
    }

    /// The number of a place that has this value in the current run.
    fn number(&mut self, place: Place, value: ValueNumber, run: &mut RunValues<'_>) -> PlaceNumber {
        if let Some(known) = self.numbers.get(&place) {
            return *known;
        }
        let number = self.places.len();
        self.places.push(place.clone());
        self.numbers.insert(place, number);
        run.at_places.push(Some(value));
        number
    }

    /// Forgets the outputs without a link, so that they aren't decoded for further runs.
    fn forget_outputs(&mut self) {
        // A leaf without a call so far may take any of them.
        if self.leaves.iter().any(|leaf| leaf.links.is_none()) {
            return;
        }
        let links = self
            .leaves
            .iter()
            .flat_map(|leaf| leaf.links.iter().flatten());
        let from = links.flat_map(|links| links.from.iter().map(|from| &self.places[*from]));
        let mut used: Vec<BTreeSet<Path>> = vec![BTreeSet::new(); self.leaves.len()];
        for place in from.filter(|place| place.is_output) {
            used[place.leaf].insert(place.path.clone());
        }
        for (leaf, used) in self.leaves.iter_mut().zip(used) {
            let outputs = leaf.outputs.iter_mut();
            outputs.for_each(|paths| paths.retain(|path| used.contains(path)));
        }
    }

    /// Replaces the patterns of linked values by variables. `arguments` has a survey of each leaf's
    /// arguments.
    pub(super) fn apply(&self, arguments: &[Option<Survey>], demands: &mut [LeafDemand]) {
        let mut named: Vec<(Place, String)> = Vec::new();
        for Link { from, to } in self.links(arguments, demands) {
            // A value with several uses is one variable.
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

    /// The links of arguments that always equal a value of an earlier call and are not constant.
    /// Each argument is linked to its first source.
    fn links(&self, arguments: &[Option<Survey>], demands: &[LeafDemand]) -> Vec<Link> {
        let survey = |place: &Place| arguments[place.leaf].as_ref()?.at(&place.path);
        let is_complete = |place: &Place| {
            let all = arguments[place.leaf].as_ref().map_or(0, |it| it.count);
            if place.is_output {
                self.leaves[place.leaf].passes_on(&place.path)
            } else {
                survey(place).is_some_and(|it| it.scalars == all)
            }
        };
        let inputs: Vec<Vec<Path>> = demands.iter().map(inputs).collect();
        let mut links = Vec::new();
        for (leaf, flow) in self.leaves.iter().enumerate() {
            for path in &inputs[leaf] {
                let to = Place::new(leaf, false, path.clone());
                if !survey(&to).is_some_and(Survey::varies) {
                    continue;
                }
                let mut known = flow.links.iter().flatten();
                let known = known.find(|links| self.places[links.to] == to);
                let from = known
                    .iter()
                    .flat_map(|links| &links.from)
                    .map(|from| &self.places[*from]);
                let from = from.filter(|from| {
                    let is_demanded = from.is_output || inputs[from.leaf].contains(&from.path);
                    is_demanded && !self.leaves[from.leaf].is_repeated && is_complete(from)
                });
                // The first leaf, its arguments before its outputs.
                links.extend(from.min().cloned().map(|from| Link { from, to }));
            }
        }
        links
    }
}

/// The paths of the required arguments.
fn inputs(demand: &LeafDemand) -> Vec<Path> {
    let paths = demand.arguments.iter().flat_map(Pattern::places);
    paths.filter(|path| !path.is_empty()).collect()
}

impl LeafFlow {
    /// Removes the paths that the output of this call lacks.
    fn add_output(&mut self, call: &ActualCall<'_>) {
        match &mut self.outputs {
            _ if self.is_repeated => {}
            Some(paths) if paths.is_empty() => {}
            Some(paths) => {
                let output = call.read_output();
                paths.retain(|path| output.is_some_and(|it| scalar_at(it, path).is_some()));
            }
            None => {
                let values = call.read_output().map(scalars).unwrap_or_default();
                self.outputs = Some(values.into_iter().map(|(path, _)| path).collect());
            }
        }
    }

    fn repeat(&mut self) {
        self.is_repeated = true;
        self.outputs = None;
    }

    /// True if all outputs have a text or a number at this path.
    fn passes_on(&self, path: &Path) -> bool {
        self.outputs.iter().flatten().any(|it| it == path)
    }
}

/// The values of a run at the places of links.
#[derive(Default)]
struct RunValues<'v> {
    known: NumberedValues<'v>,
    /// For each place, the value in the first call of its leaf.
    at_places: Vec<Option<ValueNumber>>,
}

/// The number of a value in a run.
type ValueNumber = usize;

/// Numbers for texts and numeric values. Equal values share a number, so comparing links is fast.
#[derive(Default)]
struct NumberedValues<'v> {
    texts: FastMap<&'v Text<'v>, ValueNumber>,
    /// Numeric values, in Python's notation.
    numbers: FastMap<String, ValueNumber>,
}

impl<'v> NumberedValues<'v> {
    /// The number of a text or a number; `None` for a value that equals no other.
    fn number(&mut self, value: &'v Value<'_>) -> Option<ValueNumber> {
        let next = self.texts.len() + self.numbers.len();
        match value {
            Value::String(text) => Some(*self.texts.entry(text).or_insert(next)),
            Value::Float(float) if float.is_nan() => None,
            number => {
                let mut text = JsonWriter::new();
                text.python_value(number);
                let text = text.finish().into_string();
                Some(*self.numbers.entry(text).or_insert(next))
            }
        }
    }
}

/// A unique name for the variable of a place: its key, with a number if needed.
fn new_name(place: &Place, named: &[(Place, String)]) -> String {
    let mut keys = place.path.iter().rev().filter_map(|step| match step {
        Step::Key(key) => Some(key.as_str()),
        Step::Item { .. } => None,
    });
    let key = keys.next().unwrap_or("value");
    let is_free = |name: &String| named.iter().all(|(_, it)| it != name);
    let numbered = (2..).map(|number| format!("{key}_{number}"));
    let mut names = std::iter::once(key.to_owned()).chain(numbered);
    names.find(is_free).unwrap_or_default()
}

/// Replaces the pattern at a place by a variable.
fn set(demand: &mut LeafDemand, place: &Place, name: &str) {
    if !place.is_output {
        let arguments = demand.arguments.as_mut();
        if let Some(pattern) = arguments.and_then(|it| it.at_mut(&place.path)) {
            *pattern = Pattern::Variable(name.to_owned());
        }
        return;
    }
    let output = demand.output.get_or_insert(Pattern::Any);
    output.set_inside(&place.path, name);
}

impl Place {
    fn new(leaf: usize, is_output: bool, path: Path) -> Self {
        Self {
            leaf,
            is_output,
            path,
        }
    }

    /// The text or number at this place of a call.
    fn value<'v>(&self, call: &'v ActualCall<'_>) -> Option<&'v Value<'v>> {
        scalar_at(side(call, self.is_output)?, &self.path)
    }
}

/// The arguments or the output of a call.
fn side<'v>(call: &'v ActualCall<'_>, is_output: bool) -> Option<&'v Value<'v>> {
    if is_output {
        call.read_output()
    } else {
        call.arguments()
    }
}
