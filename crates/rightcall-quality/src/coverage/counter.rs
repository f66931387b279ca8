//! Counts expected calls of cases and actual calls of runs.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use rightcall_core::call::{Call, Case, Trajectory};
use rightcall_core::fits_pattern;
use rightcall_core::value::{Syntax, Value, ValueEquality, decode_with};
use rightcall_formats::ToolCatalogue;

use super::demand::CaseDemand;
use super::found::{ArgumentCoverage, Coverage, ToolCoverage, UncoveredPair, ValueCoverage};
use crate::rules::is_pattern;
use crate::tools::{ToolSchema, Toolbox};

/// Counts expected calls of cases and actual calls of runs, by tool.
///
/// ```
/// use rightcall_formats::{ReadOptions, ToolCatalogue, read_case};
/// use rightcall_quality::CoverageCounter;
///
/// let tools = ToolCatalogue::from_json(r#"[{"name": "find", "parameters": {}}, {"name": "pay", "parameters": {}}]"#).unwrap();
/// let mut counter = CoverageCounter::new(&tools);
/// let case = read_case(r#"{"id": "a", "expected": ["find"], "actual": ["find", "pay"]}"#, &ReadOptions::default()).unwrap();
/// counter.add_case(&case);
/// counter.add_run(&case);
/// let coverage = counter.finish();
///
/// assert_eq!(coverage.percent(), Some(50.0));
/// assert_eq!(coverage.without_case().next().unwrap().name, "pay");
/// ```
#[derive(Debug, Default)]
pub struct CoverageCounter {
    catalogue: Toolbox,
    tools: BTreeMap<String, ToolCounter>,
    /// The number of each case by its id.
    numbers: HashMap<String, usize>,
    cases: usize,
    runs: u64,
    incomplete_runs: u64,
    unrecorded_runs: u64,
    /// Names and patterns in rules, with the numbers of their cases. The rules of a suite are one
    /// case.
    ruled: BTreeMap<String, BTreeSet<usize>>,
    expected_pairs: HashSet<(String, String)>,
    called_pairs: BTreeMap<(String, String), CalledPair>,
}

#[derive(Debug, Default)]
struct ToolCounter {
    cases: BTreeSet<usize>,
    runs: u64,
    failed_runs: Option<u64>,
    arguments: BTreeMap<String, ArgumentCounter>,
}

#[derive(Debug, Default)]
struct ArgumentCounter {
    pinned: BTreeSet<usize>,
    seen: u64,
    values: Vec<EnumCounter>,
}

/// A value that a schema lists.
#[derive(Debug)]
struct EnumCounter {
    json: String,
    value: Value<'static>,
    is_pinned: bool,
    is_seen: bool,
}

#[derive(Debug, Default)]
struct CalledPair {
    runs: u64,
    first: String,
}

impl CoverageCounter {
    /// Counts the tools of a catalogue, or of cases and runs if the catalogue is empty.
    pub fn new(catalogue: &ToolCatalogue) -> Self {
        let catalogue = Toolbox::new(catalogue, &Arc::from(""), 1, true);
        let tools = catalogue.tools.iter();
        let tools = tools.map(|tool| (tool.name.clone(), ToolCounter::of(tool)));
        Self {
            tools: tools.collect(),
            catalogue,
            ..Self::default()
        }
    }

    /// Starts another file or suite. Ids are unique only within one.
    pub fn next_group(&mut self) {
        self.numbers.clear();
    }

    /// Counts the expected calls of a case. Cases with the same id are trials of one case. A case without an expectation is ignored.
    pub fn add_case(&mut self, case: &Case<'_>) {
        if case.expected.is_empty() {
            return;
        }
        let number = self.number_of(case);
        let demand = CaseDemand::of(case);
        for call in demand.calls {
            let tool = self.tools.entry(call.tool).or_default();
            tool.cases.insert(number);
            for demanded in call.arguments {
                let argument = tool.arguments.entry(demanded.name).or_default();
                argument.pinned.insert(number);
                for value in &demanded.values {
                    argument.mark(value, |it| it.is_pinned = true);
                }
            }
        }
        for name in demand.ruled {
            self.ruled.entry(name).or_default().insert(number);
        }
        self.expected_pairs.extend(demand.pairs);
    }

    /// Counts the rules of a suite as one case that covers the tools they name or match by a
    /// pattern. Without names, the rules are ignored.
    pub fn add_rules(&mut self, names: impl IntoIterator<Item = String>) {
        let number = self.cases;
        for name in names {
            self.cases = number + 1;
            self.ruled.entry(name).or_default().insert(number);
        }
    }

    fn number_of(&mut self, case: &Case<'_>) -> usize {
        let next = self.cases;
        let number = match &case.id {
            Some(id) => *self
                .numbers
                .entry(id.to_display().into_owned())
                .or_insert(next),
            None => next,
        };
        self.cases = self.cases.max(number + 1);
        number
    }

    /// Counts the calls of the run of a case. A case without a run is ignored.
    pub fn add_run(&mut self, case: &Case<'_>) {
        let Some(run) = &case.actual else {
            self.unrecorded_runs += u64::from(case.incomplete.is_some());
            return;
        };
        self.runs += 1;
        self.incomplete_runs += u64::from(case.incomplete.is_some());
        for (name, calls) in by_tool(run) {
            self.tools.entry(name).or_default().add_run(&calls);
        }
        let id = case.id.as_ref();
        for pair in consecutive(run) {
            let called = self.called_pairs.entry(pair).or_insert_with(|| CalledPair {
                runs: 0,
                first: id.map_or_else(String::new, |it| it.to_display().into_owned()),
            });
            called.runs += 1;
        }
    }

    /// The coverage.
    pub fn finish(mut self) -> Coverage {
        for (name, numbers) in std::mem::take(&mut self.ruled) {
            if is_pattern(&name) {
                let characters = |text: &str| text.chars().collect::<Vec<_>>();
                let pattern = characters(&name);
                let tools = self.tools.iter_mut();
                let fitting =
                    tools.filter(|(tool, _)| fits_pattern(&pattern, &characters(tool), |_| true));
                fitting.for_each(|(_, tool)| tool.cases.extend(&numbers));
            } else {
                self.tools.entry(name).or_default().cases.extend(numbers);
            }
        }
        let mut tools = Vec::with_capacity(self.tools.len());
        for tool in &self.catalogue.tools {
            if let Some(counter) = self.tools.remove(&tool.name) {
                tools.push(counter.finish(&tool.name, Some(tool)));
            }
        }
        let others = self.tools.into_iter();
        tools.extend(others.map(|(name, counter)| counter.finish(&name, None)));
        let expected = &self.expected_pairs;
        let pairs = self.called_pairs.into_iter();
        let pairs = pairs.filter(|(pair, _)| !expected.contains(pair));
        let pair = |((before, after), CalledPair { runs, first })| UncoveredPair {
            before,
            after,
            runs,
            first,
        };
        let mut pairs: Vec<_> = pairs.map(pair).collect();
        pairs.sort_by_key(|it| Reverse(it.runs));
        Coverage {
            cases: self.cases as u64,
            runs: self.runs,
            incomplete_runs: self.incomplete_runs,
            unrecorded_runs: self.unrecorded_runs,
            has_catalogue: !self.catalogue.tools.is_empty(),
            tools,
            pairs,
        }
    }
}

/// The calls of a run by their tools.
fn by_tool<'r, 'a>(run: &'r Trajectory<'a>) -> BTreeMap<String, Vec<&'r Call<'a>>> {
    let mut tools = BTreeMap::<_, Vec<_>>::new();
    for call in &run.calls {
        let name = call.name.to_display().into_owned();
        tools.entry(name).or_default().push(call);
    }
    tools
}

/// The pairs of consecutive tools of a run, without repeats. Parallel calls are not a pair, because
/// their order has no meaning.
fn consecutive(run: &Trajectory<'_>) -> BTreeSet<(String, String)> {
    let pairs = run.calls.windows(2).filter(|pair| {
        let [one, other] = [0, 1].map(|at| pair[at].metadata().group.as_ref());
        one.is_none() || one != other
    });
    let name = |call: &Call<'_>| call.name.to_display().into_owned();
    pairs.map(|pair| (name(&pair[0]), name(&pair[1]))).collect()
}

impl ToolCounter {
    /// A counter with the arguments of the tool's schema.
    fn of(tool: &ToolSchema) -> Self {
        let arguments = tool.parameters().iter();
        let arguments = arguments.map(|name| (name.clone(), ArgumentCounter::of(tool, name)));
        Self {
            arguments: arguments.collect(),
            ..Self::default()
        }
    }

    /// Adds the calls of the tool in a run.
    fn add_run(&mut self, calls: &[&Call<'_>]) {
        self.runs += 1;
        let outcomes: Vec<_> = calls.iter().filter_map(|call| call.failed()).collect();
        if !outcomes.is_empty() {
            *self.failed_runs.get_or_insert(0) += u64::from(outcomes.contains(&true));
        }
        let mut seen = BTreeSet::new();
        for call in calls {
            let arguments = call.arguments.to_value();
            let object = arguments.as_ref().and_then(Value::as_object);
            for (name, value) in object.into_iter().flatten() {
                let name = name.to_display().into_owned();
                let argument = self.arguments.entry(name.clone()).or_default();
                argument.mark(value, |it| it.is_seen = true);
                argument.seen += u64::from(seen.insert(name));
            }
        }
    }

    fn finish(mut self, name: &str, schema: Option<&ToolSchema>) -> ToolCoverage {
        let mut arguments = Vec::with_capacity(self.arguments.len());
        for name in schema.map(ToolSchema::parameters).unwrap_or_default() {
            if let Some(counter) = self.arguments.remove(name) {
                arguments.push(counter.finish(name.clone()));
            }
        }
        let others = self.arguments.into_iter();
        arguments.extend(others.map(|(name, counter)| counter.finish(name)));
        ToolCoverage {
            name: name.to_owned(),
            is_in_catalogue: schema.is_some(),
            cases: self.cases.len() as u64,
            runs: self.runs,
            failed_runs: self.failed_runs,
            arguments,
        }
    }
}

impl ArgumentCounter {
    fn of(tool: &ToolSchema, name: &str) -> Self {
        let property = tool.property(name);
        let listed = property.and_then(|it| {
            let own_enum = it["enum"].as_array();
            own_enum.or_else(|| it["items"]["enum"].as_array())
        });
        let value = |listed: &serde_json::Value| {
            let json = listed.to_string();
            let value = decode_with(&json, Syntax::PYTHON).ok()?.into_owned();
            Some(EnumCounter {
                json,
                value,
                is_pinned: false,
                is_seen: false,
            })
        };
        let values = listed.into_iter().flatten().filter_map(value);
        Self {
            values: values.collect(),
            ..Self::default()
        }
    }

    /// Marks the enum values that equal a value or one of its items.
    fn mark(&mut self, value: &Value<'_>, mark: impl Fn(&mut EnumCounter)) {
        let items = value.as_list().unwrap_or_default();
        for listed in &mut self.values {
            let is_listed = |found: &Value<'_>| ValueEquality::Json.equal(&listed.value, found);
            if is_listed(value) || items.iter().any(is_listed) {
                mark(listed);
            }
        }
    }

    fn finish(self, name: String) -> ArgumentCoverage {
        let values = self.values.into_iter().map(|it| ValueCoverage {
            json: it.json,
            is_pinned: it.is_pinned,
            is_seen: it.is_seen,
        });
        ArgumentCoverage {
            name,
            pinned: self.pinned.len() as u64,
            seen: self.seen,
            values: values.collect(),
        }
    }
}
