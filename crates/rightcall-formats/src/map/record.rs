//! The contents of one record: calls, results and facts, each with its position.

use std::collections::HashSet;

use rightcall_core::call::Executor;
use rightcall_core::value::Text;

use super::condition::Conditions;
use super::definition::{FACTS, Fact, Field, Map, Rule, RunRule, StepRule};
use super::ending::Ending;
use super::history::History;
use super::order::Order;
use super::path::Path;
use super::place::{Lists, Memory, Place, Way, last_entries};
use super::tally::{Stage, Tally};
use super::unknown_items::{is_broken, is_unknown_item, signs_in_parts};
use crate::error::CaseError;
use crate::json;
use crate::messages::actions::action_record;
use crate::messages::ending::ended_for_call;
use crate::node::Node;
use crate::trace::unread::{Seen, Suspect, each_left_over, each_unmapped, line_of_tool};
use crate::trace::{CallResult, Report, Scope, TraceArguments, TraceCall, time};

/// The contents of one record.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) order: Option<Order>,
    pub(super) calls: Vec<FoundCall>,
    pub(super) results: Vec<FoundResult>,
    /// The values of the facts, as JSON text.
    pub(super) facts: [Option<String>; FACTS.len()],
    /// The value of `id`.
    pub(super) id: Option<Text<'static>>,
    /// The values of `meta`, in its order.
    pub(super) meta: Vec<Option<String>>,
    pub(super) begins_step: bool,
    /// The positions of the steps in the record.
    pub(super) steps: Vec<Way>,
    /// The value shared by all records of a step.
    pub(super) step_value: Option<String>,
    /// True if the record has lists of calls, and all are empty.
    pub(super) has_empty_list: bool,
    pub(super) is_finished: bool,
    pub(super) suspects: Vec<Suspect>,
    /// Its messages.
    pub(super) history: History,
    /// Errors in messages.
    pub(super) report: Report,
}

/// A call and its position.
#[derive(Debug)]
pub(super) struct FoundCall {
    pub(super) call: TraceCall,
    pub(super) way: Way,
}

/// A result and its position.
#[derive(Debug)]
pub(super) struct FoundResult {
    pub(super) way: Way,
    pub(super) id: Option<Text<'static>>,
    pub(super) name: Option<Text<'static>>,
    /// The arguments of its call, if the rule has a path to them.
    pub(super) arguments: Option<TraceArguments>,
    pub(super) output: Option<String>,
    pub(super) ending: Option<Ending>,
    pub(super) end: Option<i128>,
    pub(super) is_not_run: bool,
}

impl FoundResult {
    /// A result in messages whose call is in another record.
    fn from_message(result: CallResult, way: Way) -> Self {
        Self {
            way,
            id: result.id,
            name: result.name,
            arguments: None,
            output: result.output,
            ending: result.error.map(Ending::from_json),
            end: None,
            is_not_run: false,
        }
    }

    /// The call of the result.
    pub(super) fn into_call(self) -> FoundCall {
        let executor = if self.is_not_run {
            Executor::Nobody
        } else {
            Executor::Agent
        };
        FoundCall {
            way: self.way,
            call: TraceCall {
                name: self.name.unwrap_or_default(),
                arguments: self.arguments.unwrap_or_default(),
                id: self.id,
                output: self.output,
                error: self.ending.map(|ending| ending.into_error(None)),
                end: self.end,
                executor,
                ..TraceCall::default()
            },
        }
    }
}

/// The leftover kind of an item in a list of calls that names no tool.
const NAMELESS: &str = "an item without the name of a tool";

/// Reads a record.
pub(super) struct RecordReader<'m, 'r> {
    pub(super) map: &'m Map,
    pub(super) memory: &'m Memory<'r>,
    pub(super) record: &'m Place<'r>,
    scope: Scope,
    /// Values that are completely read.
    taken: HashSet<*const Node<'r>>,
    /// Items that were read; other values inside them may still be unread.
    items: HashSet<*const Node<'r>>,
}

impl<'m, 'r> RecordReader<'m, 'r> {
    pub(super) fn new(
        map: &'m Map,
        memory: &'m Memory<'r>,
        record: &'m Place<'r>,
        scope: Scope,
    ) -> Self {
        Self {
            map,
            memory,
            record,
            scope,
            taken: HashSet::new(),
            items: HashSet::new(),
        }
    }

    /// The first of the map's conditions that skips the record.
    pub(super) fn skipped_by(&self) -> Option<&'m Conditions> {
        self.map.skipped_records.iter().find(|it| self.holds(it))
    }

    pub(super) fn holds(&self, conditions: &Conditions) -> bool {
        conditions.hold(self.record, self.memory)
    }

    /// The label at a path in the record.
    pub(super) fn label(&self, path: &Path) -> Option<Text<'static>> {
        self.memory.find(path, self.record)?.label()
    }

    /// Reads the record; also returns the values that are completely read.
    ///
    /// # Errors
    /// A value of the record cannot be read.
    pub(super) fn read(
        mut self,
        tally: &mut Tally,
    ) -> Result<(Findings, HashSet<*const Node<'r>>), CaseError> {
        let mut findings = Findings::default();
        self.read_facts(&mut findings, tally);
        self.read_messages(&mut findings, tally)?;
        self.read_calls(&mut findings, tally);
        self.read_results(&mut findings, tally);
        self.read_step(&mut findings, tally);
        let finished = self.map.finished.as_ref();
        if let Some(finished) = finished.filter(|it| self.holds(it)) {
            findings.is_finished |= !self.map.is_built_in || !is_broken(self.record.node);
            tally.finds(finished);
        }
        for path in &self.map.skipped_paths {
            let (memory, record) = (self.memory, self.record);
            let mut lists = Lists::default();
            memory.each(path, record, &mut lists, &mut |place| {
                self.taken.insert(place.node);
                tally.finds(path);
            });
        }
        self.read_order(&mut findings, tally)?;
        let seen = |node: &Node<'_>| {
            let address = std::ptr::from_ref(node).cast();
            match (self.items.contains(&address), self.taken.contains(&address)) {
                (true, true) => Seen::Entire,
                (true, false) => Seen::Inside,
                (false, true) => Seen::Nothing,
                (false, false) => Seen::Whole,
            }
        };
        each_left_over(self.record.node, &seen, &mut |it| {
            findings.suspects.push(it);
        });
        if self.map.is_built_in {
            let record = self.record.node;
            if self.taken.is_empty() && findings.suspects.is_empty() {
                findings.suspects.extend(line_of_tool(record));
            }
            each_unmapped(record, &seen, &mut |it| findings.suspects.push(it));
            if !findings.calls.is_empty() {
                // It may repeat the calls.
                findings.suspects.retain(|it| !it.is_unparsed_text());
            }
            let is_silent = findings.calls.is_empty() && findings.suspects.is_empty();
            if let Some(kind) = ended_for_call(record).filter(|_| is_silent) {
                findings.report.left_over(kind, "in the trajectory");
            }
            findings.suspects.extend(signs_in_parts(record));
            let is_read = !findings.calls.is_empty() || !findings.results.is_empty();
            if let Some(kind) = action_record(record).filter(|_| !is_read) {
                findings.report.left_over(kind, "in the trajectory");
            }
        }
        Ok((findings, self.taken))
    }

    fn find(&mut self, path: Option<&Path>, from: &Place<'r>) -> Option<&'r Node<'r>> {
        self.memory.find(path?, from)
    }

    fn read_facts(&mut self, findings: &mut Findings, tally: &mut Tally) {
        let record = self.record;
        for (place, path) in self.map.facts.iter().enumerate() {
            let Some(node) = self.find(path.as_ref(), record) else {
                continue;
            };
            self.taken.insert(node);
            tally.facts[place] = true;
            if place == Fact::Id as usize {
                findings.id = node.label();
            }
            // Tables and data sets store the expectation as text.
            let node = if place == Fact::Expected as usize {
                self.memory.unfold(node)
            } else {
                node
            };
            findings.facts[place] = Some(node.raw().to_owned());
        }
        for (_, path) in &self.map.meta {
            let node = self.find(Some(path), record);
            if let Some(node) = node {
                self.taken.insert(node);
                tally.finds(path);
            }
            findings.meta.push(node.map(|node| node.raw().to_owned()));
        }
    }

    fn read_order(&mut self, findings: &mut Findings, tally: &mut Tally) -> Result<(), CaseError> {
        let path = self.map.order.as_ref();
        if let Some((path, node)) = path.zip(self.find(path, self.record)) {
            tally.finds(path);
            let order = Order::of(node).map_err(|error| error.help(self.map.place_of_order()))?;
            findings.order = Some(order);
        }
        Ok(())
    }

    fn read_messages(
        &mut self,
        findings: &mut Findings,
        tally: &mut Tally,
    ) -> Result<(), CaseError> {
        let path = self.map.messages.as_ref();
        let Some((path, node)) = path.zip(self.find(path, self.record)) else {
            return Ok(());
        };
        tally.finds(path);
        self.taken.insert(node);
        let node = self.memory.unfold(node);
        let Some(read) = self.scope.messages else {
            return Ok(());
        };
        let scope = Scope {
            is_part_of_run: !matches!(self.map.run, RunRule::EachRecord),
            ..self.scope
        };
        let trace = read(node, scope)?;
        // An empty list of messages shows no run.
        let is_empty = node.is_list() && node.items().is_empty();
        findings.is_finished = trace.agent_spoke && !trace.lacks_run && !is_empty;
        for (fact, json) in [(Fact::Question, trace.input), (Fact::Output, trace.output)] {
            let known = &mut findings.facts[fact as usize];
            *known = known.take().or(json);
        }
        findings.report = trace.report;
        findings.history = History::new(node, trace.calls.len());
        let way = &self.record.way;
        let results = trace.open_results.into_iter();
        findings
            .results
            .extend(results.map(|result| FoundResult::from_message(result, way.clone())));
        findings
            .calls
            .extend(trace.calls.into_iter().map(|call| FoundCall {
                call: TraceCall {
                    parent: None,
                    ..call
                },
                way: way.clone(),
            }));
        Ok(())
    }

    fn read_calls(&mut self, findings: &mut Findings, tally: &mut Tally) {
        let mut read: HashSet<Way> = HashSet::new();
        for (place, rule) in self.map.calls.iter().enumerate() {
            let tally = &mut tally.calls[place];
            let (items, lists) = self.items_of(rule, tally);
            let is_of_calls = !self.map.is_built_in || self.lists_calls(rule);
            findings.has_empty_list |= is_of_calls && lists.all > 0 && lists.all == lists.empty;
            if self.map.is_built_in && lists.all > lists.empty && items.is_empty() && is_of_calls {
                let place = format!("at `{}`", rule.place());
                findings.report.left_over(NAMELESS.to_owned(), &place);
            }
            for item in items {
                let name = self.find(rule.field(Field::Name), &item);
                let name = name.and_then(Node::text).filter(|name| !name.is_empty());
                let Some(name) = name else {
                    tally.miss(Stage::Name, || crate::case::described(item.node));
                    if self.map.is_built_in && self.may_be_call(rule, &item) {
                        let kind = item.node.str_at("type");
                        let what = kind.map_or_else(
                            || NAMELESS.to_owned(),
                            |kind| format!("an item of the type `{kind}`"),
                        );
                        findings
                            .report
                            .left_over(what, &format!("at `{}`", rule.place()));
                    }
                    continue;
                };
                if !read.insert(item.way.clone()) {
                    tally.miss(Stage::Earlier, || {
                        "items that an earlier rule reads".to_owned()
                    });
                    continue;
                }
                tally.read += 1;
                let call = self.call(rule, &item, name, &mut tally.fields);
                self.try_conditions(rule, &item, tally);
                self.items.insert(item.node);
                findings.calls.push(FoundCall {
                    call,
                    way: item.way,
                });
            }
        }
        findings.calls.sort_by(|one, other| one.way.cmp(&other.way));
    }

    /// Counts the conditions of a rule that have a value to test.
    fn try_conditions(&self, rule: &Rule, item: &Place<'r>, tally: &mut super::tally::RuleTally) {
        let finds = |path: &Path| self.memory.find(path, item).is_some();
        for (known, (_, conditions)) in tally.conditions.iter_mut().zip(rule.conditions()) {
            let finds = || conditions.is_some_and(|it| it.paths().any(finds));
            *known = *known || self.map.is_built_in || finds();
        }
    }

    /// True if the lists of a rule hold nothing but calls. A list of messages that is empty shows no run.
    fn lists_calls(&self, rule: &Rule) -> bool {
        let is_shared = |result: &Rule| result.place() == rule.place();
        rule.filter.is_none() && !self.map.results.iter().any(is_shared)
    }

    /// True if an item without a name may be a call in a form that the built-in map doesn't cover.
    fn may_be_call(&self, rule: &Rule, item: &Place<'r>) -> bool {
        let args = rule.field(Field::Args);
        let has_args = args.is_some_and(|path| self.memory.find(path, item).is_some());
        let node = self.memory.unfold(item.node);
        let is_unknown = || rule.filter.is_none() && is_unknown_item(node);
        let is_empty = node.entries().is_empty() && rule.filter.is_none();
        has_args || rule.at.is_some() && (!node.is_object() || is_empty || is_unknown())
    }

    /// The items of a rule that meet its conditions, and the lists at `at`.
    fn items_of(
        &mut self,
        rule: &Rule,
        tally: &mut super::tally::RuleTally,
    ) -> (Vec<Place<'r>>, Lists) {
        if let Some(when) = rule.when.as_ref().filter(|when| !self.holds(when)) {
            tally.miss(Stage::When, || self.values_of(when, self.record));
            return (Vec::new(), Lists::default());
        }
        let mut items = Vec::new();
        let lists = match &rule.at {
            None => {
                items.push(self.record.clone());
                Lists::default()
            }
            Some(at) => self
                .memory
                .each_item(at, self.record, &mut |item| items.push(item)),
        };
        tally.add(lists, items.len());
        if items.is_empty() {
            tally.miss(Stage::At, || match lists.all {
                0 => crate::case::described(self.record.node),
                _ => "an empty list".to_owned(),
            });
        }
        if let Some(filter) = &rule.filter {
            items.retain(|item| {
                let holds = filter.hold(item, self.memory);
                if !holds {
                    tally.miss(Stage::Where, || self.values_of(filter, item));
                }
                holds
            });
        }
        (items, lists)
    }

    /// Describes the values that conditions test.
    fn values_of(&self, conditions: &Conditions, from: &Place<'r>) -> String {
        let paths = conditions
            .paths()
            .take(3)
            .map(|path| match self.memory.find(path, from) {
                Some(node) => format!("`{path}` is {}", crate::case::shortened(node.raw())),
                None => format!("`{path}` is nothing"),
            });
        let mut told: Vec<_> = paths.collect();
        told.dedup();
        told.join(", ")
    }

    fn call(
        &mut self,
        rule: &Rule,
        item: &Place<'r>,
        name: &Text<'r>,
        found: &mut [usize],
    ) -> TraceCall {
        let mut field = |field: Field| {
            let node = self.memory.find(rule.field(field)?, item)?;
            self.taken.insert(node);
            found[field as usize] += 1;
            Some(node)
        };
        let args = field(Field::Args);
        let id = field(Field::Id).and_then(Node::label);
        let output = field(Field::Output).map(|node| node.raw().to_owned());
        _ = field(Field::Error);
        let (start, end) = (field(Field::Start), field(Field::End));
        let holds = |conditions: &Option<Conditions>| {
            conditions
                .as_ref()
                .is_some_and(|it| it.hold(item, self.memory))
        };
        let executor = if holds(&rule.not_run) {
            Executor::Nobody
        } else if holds(&rule.by_provider) {
            Executor::Provider
        } else {
            Executor::Agent
        };
        let is_not_run = executor == Executor::Nobody;
        let ending = self.ending(rule, item, output.is_some(), is_not_run);
        let arguments = match &rule.rest {
            Some(without) => {
                self.taken.insert(item.node);
                self.rest(rule, item, without)
            }
            None => args.map(TraceArguments::from_node).unwrap_or_default(),
        };
        TraceCall {
            name: name.clone().into_owned(),
            arguments,
            id,
            output,
            error: ending.map(|ending| ending.into_error(None)),
            start: start.and_then(time::from_log),
            end: end.and_then(time::from_log),
            executor,
            ..TraceCall::default()
        }
    }

    /// How the call of an item ended. Built-in formats record failures alone.
    fn ending(
        &self,
        rule: &Rule,
        item: &Place<'r>,
        has_result: bool,
        is_not_run: bool,
    ) -> Option<Ending> {
        let ending = Ending::find(rule, item, self.memory, has_result)?;
        let is_kept = ending.has_failed() || !(is_not_run || self.map.is_built_in);
        is_kept.then_some(ending)
    }

    /// The arguments, if they are all other keys of an item.
    fn rest(&self, rule: &Rule, item: &Place<'r>, without: &[String]) -> TraceArguments {
        let node = self.memory.unfold(item.node);
        if !node.is_object() {
            return TraceArguments::Absent;
        }
        let is_record = item.way == self.record.way;
        let is_argument = |key: &Text<'_>| {
            let of_record =
                || is_record && self.map.paths_of_record().any(|path| path.begins_with(key));
            !(without.iter().any(|other| *key == **other)
                || rule.paths_of_item().any(|path| path.begins_with(key))
                || of_record())
        };
        TraceArguments::Json(json::object(|writer| {
            for (_, (key, value)) in last_entries(node) {
                if is_argument(key) {
                    writer.key_text(key).raw(value.raw());
                }
            }
        }))
    }

    fn read_results(&mut self, findings: &mut Findings, tally: &mut Tally) {
        let mut read: HashSet<Way> = HashSet::new();
        for (place, rule) in self.map.results.iter().enumerate() {
            let tally = &mut tally.results[place];
            let (items, _) = self.items_of(rule, tally);
            for item in items {
                let memory = self.memory;
                let fields = [
                    Field::Id,
                    Field::Name,
                    Field::Args,
                    Field::Output,
                    Field::Error,
                    Field::End,
                ];
                let found = fields.map(|field| memory.find(rule.field(field)?, &item));
                let [id, name, args, output, error, end] = found;
                let holds = |conditions: &Option<Conditions>| {
                    conditions.as_ref().is_some_and(|it| it.hold(&item, memory))
                };
                let is_not_run = holds(&rule.not_run);
                let ending = self.ending(rule, &item, true, is_not_run);
                // A rule without conditions recognizes a result only by its output or its failure.
                let is_one = rule.when.is_some()
                    || rule.filter.is_some()
                    || output.is_some()
                    || ending.as_ref().is_some_and(Ending::has_failed);
                if !is_one {
                    tally.miss(Stage::Name, || crate::case::described(item.node));
                    continue;
                }
                // An earlier rule has read this item.
                if !read.insert(item.way.clone()) {
                    continue;
                }
                tally.read += 1;
                self.try_conditions(rule, &item, tally);
                for (field, node) in fields.into_iter().zip(found) {
                    tally.fields[field as usize] += usize::from(node.is_some());
                }
                findings.results.push(FoundResult {
                    id: id.and_then(Node::label),
                    name: name.and_then(Node::text).map(tool_of),
                    arguments: rule.field(Field::Args).map(|_| {
                        // At the end of a call, some logs have the text of a Python object.
                        let args = args.map(|args| memory.unfold(args));
                        args.map(TraceArguments::from_node).unwrap_or_default()
                    }),
                    output: output.map(|node| node.raw().to_owned()),
                    ending,
                    end: end.and_then(time::from_log),
                    is_not_run,
                    way: item.way.clone(),
                });
                self.taken.extend(
                    [args, output, error]
                        .into_iter()
                        .flatten()
                        .map(std::ptr::from_ref),
                );
                self.items.insert(item.node);
            }
        }
        findings
            .results
            .sort_by(|one, other| one.way.cmp(&other.way));
    }

    fn read_step(&mut self, findings: &mut Findings, tally: &mut Tally) {
        match &self.map.step {
            StepRule::EachCall => {}
            StepRule::Begins(conditions) => {
                findings.begins_step = self.holds(conditions);
                if findings.begins_step {
                    tally.finds(conditions);
                }
            }
            StepRule::Path(path) => {
                let mut lists = Lists::default();
                let memory = self.memory;
                memory.each(path, self.record, &mut lists, &mut |place| {
                    tally.finds(path);
                    let place = memory.open(place);
                    if place.node.is_list() {
                        findings.steps.extend(place.items().map(|item| item.way));
                    } else if place.node.is_object() {
                        findings.steps.push(place.way);
                    } else {
                        findings.step_value = Some(place.node.raw().to_owned());
                    }
                });
            }
        }
    }
}

/// The tool in the name of a result. For `OpenAI`'s Agents SDK, tracers put a label before it.
fn tool_of(name: &Text<'_>) -> Text<'static> {
    let tool = name
        .as_str()
        .and_then(|it| it.strip_prefix("Function tool: "));
    tool.map_or_else(
        || name.clone().into_owned(),
        |tool| Text::from(tool.to_owned()),
    )
}
