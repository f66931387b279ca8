//! Counts what each rule of a map finds in the whole input: a path without any match is the most common error in a map.

use std::collections::HashSet;

use super::definition::{FACTS, FIELDS, Field, Map, Rule, RunRule};
use super::place::Lists;
use crate::error::CaseError;

/// The stage at which a rule has no match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    When,
    At,
    Where,
    Name,
    /// An earlier rule already reads the item.
    Earlier,
}

/// Counts for an input.
#[derive(Debug)]
pub(super) struct Tally {
    /// Lists and objects found by `records`.
    pub(super) records_found: usize,
    /// Records that belong to a run.
    pub(super) in_runs: usize,
    /// Describes the first value.
    pub(super) first: Option<(u64, String)>,
    pub(super) facts: [bool; FACTS.len()],
    /// The addresses of the other parts of the map that find something.
    found: HashSet<usize>,
    pub(super) calls: Vec<RuleTally>,
    pub(super) results: Vec<RuleTally>,
}

/// Counts for a rule.
#[derive(Debug, Default)]
pub(super) struct RuleTally {
    pub(super) read: usize,
    pub(super) fields: [usize; FIELDS.len()],
    /// For each of [`Rule::conditions`], whether a path of it finds something.
    pub(super) conditions: [bool; 3],
    lists: Lists,
    items: usize,
    /// The last stage reached, with examples of the values there.
    missed: Option<(Stage, Vec<String>)>,
}

/// The maximum number of examples shown.
const EXAMPLES: usize = 3;

impl RuleTally {
    /// Records that there was no match at this stage.
    pub(super) fn miss(&mut self, stage: Stage, what: impl FnOnce() -> String) {
        let reached = self.missed.as_ref().map(|(reached, _)| *reached);
        if reached > Some(stage) || self.read > 0 {
            return;
        }
        if reached < Some(stage) {
            self.missed = Some((stage, Vec::new()));
        }
        if let Some((_, seen)) = self
            .missed
            .as_mut()
            .filter(|(_, seen)| seen.len() < EXAMPLES)
        {
            let what = what();
            if !seen.contains(&what) {
                seen.push(what);
            }
        }
    }

    pub(super) fn add(&mut self, lists: Lists, items: usize) {
        self.lists.all += lists.all;
        self.lists.empty += lists.empty;
        self.items += items;
    }

    /// True if `at` led only to empty lists.
    fn has_empty_lists_alone(&self) -> bool {
        self.items == 0 && self.lists.all > 0 && self.lists.all == self.lists.empty
    }

    /// Why the rule read no item: its key without a match, and the values at that place.
    fn reason(&self, name: &str) -> String {
        let Some((stage, seen)) = &self.missed else {
            return "there is no record".to_owned();
        };
        let seen = seen.join("; ");
        match stage {
            Stage::When => format!("`when` holds for no record: {seen}"),
            Stage::At => format!("`at` finds nothing, there is {seen}"),
            Stage::Where => format!("`where` holds for no item: {seen}"),
            Stage::Name => format!("{name} finds nothing, there is {seen}"),
            Stage::Earlier => "an earlier rule reads its items".to_owned(),
        }
    }
}

impl Tally {
    pub(super) fn new(map: &Map) -> Self {
        let of = |rules: &[Rule]| rules.iter().map(|_| RuleTally::default()).collect();
        Self {
            records_found: 0,
            in_runs: 0,
            first: None,
            facts: [false; FACTS.len()],
            found: HashSet::new(),
            calls: of(&map.calls),
            results: of(&map.results),
        }
    }

    /// Required parts that the map finds nowhere.
    pub(super) fn errors(&self, map: &Map) -> Vec<CaseError> {
        let there = || match &self.first {
            Some((_, first)) => first.clone(),
            None => "an empty input".to_owned(),
        };
        if let Some(records) = map.records.as_ref().filter(|_| self.records_found == 0) {
            let expected = format!(
                "a list where `records: {records}` of {} leads",
                map.at(records.line)
            );
            return vec![CaseError::new(expected, there())];
        }
        let run = match &map.run {
            RunRule::Id(path) => Some(format!(
                "an id of a run where `run: {path}` of {} leads",
                map.at(path.line)
            )),
            RunRule::Begins(_) => Some(format!(
                "a record that begins a run by `run` of {}",
                map.at(map.run_line)
            )),
            RunRule::EachRecord => None,
        };
        if let Some(expected) = run.filter(|_| self.in_runs == 0) {
            return vec![CaseError::new(expected, there())];
        }
        let rules = map.calls.iter().zip(&self.calls).enumerate();
        let silent = rules.filter(|(_, (rule, tally))| {
            tally.read == 0 && !rule.is_optional && !tally.has_empty_lists_alone()
        });
        let error = |(number, (rule, tally)): (usize, (&Rule, &RuleTally))| {
            let which = which(&map.calls, number);
            CaseError::new(
                format!("a call by `call`{which} of {}", map.at(rule.line)),
                format!("none: {}", tally.reason("`name`")),
            )
            .help("`optional: true` says that an input may have no such call")
        };
        silent.map(error).collect()
    }

    /// Optional parts that the map finds nowhere.
    pub(super) fn notes(&self, map: &Map) -> Vec<String> {
        let mut notes = Vec::new();
        for (place, path) in map.facts.iter().enumerate() {
            if let Some(path) = path.as_ref().filter(|_| !self.facts[place]) {
                notes.push(format!(
                    "`{}: {path}` of {} finds nothing",
                    FACTS[place],
                    map.at(path.line)
                ));
            }
        }
        let silent = map.other_parts().into_iter();
        let silent = silent.filter(|part| !self.found.contains(&part.address));
        notes.extend(
            silent.map(|part| format!("{} of {} {}", part.text, map.at(part.line), part.fails)),
        );
        let kinds = [
            ("call", &map.calls, &self.calls),
            ("result", &map.results, &self.results),
        ];
        for (kind, rules, tallies) in kinds {
            for (number, (rule, tally)) in rules.iter().zip(tallies).enumerate() {
                let which = which(rules, number);
                if tally.read == 0 && kind == "result" {
                    let reason = tally.reason("`output`");
                    notes.push(format!(
                        "`result`{which} of {} reads no result: {reason}",
                        map.at(rule.line)
                    ));
                }
                let silent = |place: &usize| {
                    tally.read > 0 && tally.fields[*place] == 0 && *place != Field::Name as usize
                };
                for place in (0..FIELDS.len()).filter(silent) {
                    if let Some(path) = &rule.fields[place] {
                        notes.push(format!(
                            "`{}: {path}` in `{kind}`{which} of {} finds nothing",
                            FIELDS[place],
                            map.at(path.line)
                        ));
                    }
                }
                for (place, (key, conditions)) in rule.conditions().into_iter().enumerate() {
                    let path = conditions.and_then(|it| it.paths().next());
                    if let Some(path) = path.filter(|_| tally.read > 0 && !tally.conditions[place])
                    {
                        notes.push(format!(
                            "`{path}` in `{key}` of `{kind}`{which} of {} finds nothing",
                            map.at(path.line)
                        ));
                    }
                }
            }
        }
        notes
    }

    /// Records that a part of the map finds something.
    pub(super) fn finds<T>(&mut self, part: &T) {
        self.found.insert(std::ptr::from_ref(part).addr());
    }
}

/// Identifies one of several rules in messages.
fn which(rules: &[Rule], number: usize) -> String {
    match rules.len() {
        1 => String::new(),
        _ => format!(" {}", number + 1),
    }
}
