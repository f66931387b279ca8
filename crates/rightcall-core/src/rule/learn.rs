//! Learns rules that good runs have in common.

use std::collections::{BTreeMap, BTreeSet};

use super::definition::Rule;
use super::read::read_rules;
use super::sentence::is_word;
use crate::call::Call;
use crate::value::{HashKey, JsonWriter, Syntax, Value, decode_with};

/// A learned rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LearnedRule {
    /// The rule as JSON: a sentence, or an object.
    pub rule: String,
    /// Number of runs to which it applies.
    pub applied: usize,
    /// Number of these runs that satisfy it.
    pub held: usize,
}

/// The rules learned from runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LearnedRules {
    /// The rules, with tools in the order of their first call.
    pub rules: Vec<LearnedRule>,
    /// Tools that no rule can name, because their names would be read as patterns.
    pub unnameable: Vec<String>,
}

/// Minimum number of runs to which a rule must apply.
const MIN_RUNS: usize = 2;

/// Kinds of rules between two tools, each list from the strongest to the weakest. The last kind of the two lists of needs is shared.
const NEEDS_BEFORE: [&str; 3] = ["needs_directly_before", "needs_before_each", "needs_before"];
const NEEDS_AFTER: [&str; 3] = ["needs_directly_after", "needs_after_each", "needs_after"];
const BANS: [&str; 3] = ["excludes", "then_never", "then_never_directly"];

/// The rules that all runs satisfy, or at least this share of the runs to which a rule applies. Of rules that imply each other, only the
/// strongest is returned. If two calls share arguments in every run, their rule requires that (`same`).
///
/// All runs are held in memory; time grows with the square of the number of tools.
pub fn learn_rules(runs: &[Vec<Call<'static>>], support: f64) -> LearnedRules {
    let mut tools: Vec<String> = Vec::new();
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let mut unnameable = BTreeSet::new();
    let mut counts = Vec::with_capacity(runs.len());
    for run in runs {
        let mut count: BTreeMap<usize, usize> = BTreeMap::new();
        for call in run {
            let name = call.name.to_display();
            if name.is_empty() || name.contains(['*', '?']) {
                unnameable.insert(name.into_owned());
                continue;
            }
            let number = *numbers.entry(name.to_string()).or_insert_with(|| {
                tools.push(name.to_string());
                tools.len() - 1
            });
            *count.entry(number).or_insert(0) += 1;
        }
        counts.push(count);
    }
    let learner = Learner {
        runs,
        support,
        tools,
        counts,
    };
    LearnedRules {
        rules: learner.rules(),
        unnameable: unnameable.into_iter().collect(),
    }
}

struct Learner<'r> {
    runs: &'r [Vec<Call<'static>>],
    support: f64,
    tools: Vec<String>,
    /// For each run, the number of calls per tool.
    counts: Vec<BTreeMap<usize, usize>>,
}

impl Learner<'_> {
    fn rules(&self) -> Vec<LearnedRule> {
        let mut rules = Vec::new();
        let all = |_: &usize| true;
        for key in ["first", "last"] {
            for tool in &self.tools {
                let text = position(key, tool);
                rules.extend(self.judged(&text, (0..self.runs.len()).filter(all), 0));
            }
        }
        for tool in 0..self.tools.len() {
            self.add_counts(tool, &mut rules);
        }
        for call in 0..self.tools.len() {
            for other in 0..self.tools.len() {
                let has_evidence = [call, other].map(|it| self.runs_with(it).count() >= MIN_RUNS);
                if call != other && has_evidence == [true, true] {
                    self.add_pair(call, other, &mut rules);
                }
            }
        }
        rules
    }

    /// The runs with a call of a tool.
    fn runs_with(&self, tool: usize) -> impl Iterator<Item = usize> + '_ {
        let runs = self.counts.iter().enumerate();
        runs.filter_map(move |(run, counts)| counts.contains_key(&tool).then_some(run))
    }

    /// True if enough runs satisfy a rule.
    fn is_supported(&self, held: usize, applied: usize) -> bool {
        applied >= MIN_RUNS && held as f64 >= self.support * applied as f64
    }

    /// A rule, if enough of these runs satisfy it; `known` further runs certainly do.
    fn judged(
        &self,
        text: &str,
        runs: impl Iterator<Item = usize>,
        known: usize,
    ) -> Option<LearnedRule> {
        let rule = read(text)?;
        let runs: Vec<usize> = runs.collect();
        let applied = runs.len() + known;
        let (mut held, mut remaining) = (known, runs.len());
        for run in runs {
            remaining -= 1;
            let judged = rule.judge(&self.runs[run], HashKey::default());
            held += usize::from(judged.held == Some(true));
            if !self.is_supported(held + remaining, applied) {
                return None;
            }
        }
        self.is_supported(held, applied).then(|| LearnedRule {
            rule: text.to_owned(),
            applied,
            held,
        })
    }

    /// Adds rules on the number of a tool's calls.
    fn add_counts(&self, tool: usize, rules: &mut Vec<LearnedRule>) {
        let counts = self.counts.iter();
        let counts: Vec<usize> = counts
            .map(|it| it.get(&tool).copied().unwrap_or(0))
            .collect();
        let least = counts.iter().copied().min().unwrap_or(0);
        let most = counts.iter().copied().max().unwrap_or(0);
        let all = || 0..self.runs.len();
        let name = &self.tools[tool];
        if least == most {
            rules.extend(self.judged(&number("exactly", most, name), all(), 0));
            return;
        }
        if least > 0 {
            rules.extend(self.judged(&number("at_least", least, name), all(), 0));
        }
        // A maximum that only one run reached is not a limit.
        if counts.iter().filter(|it| **it == most).count() >= MIN_RUNS {
            rules.extend(self.judged(&number("at_most", most, name), all(), 0));
        }
        let repeated: Vec<_> = (0..counts.len()).filter(|run| counts[*run] > 1).collect();
        if most > 1 && repeated.len() >= MIN_RUNS {
            for key in self.keys(tool) {
                let text = object(name, |writer| {
                    writer.key("at_most").count(1).key("same").str(&key);
                });
                // The rule applies only to runs with repeated calls.
                rules.extend(self.judged(&text, repeated.iter().copied(), 0));
            }
        }
    }

    /// Adds rules that a call of one tool needs or excludes a call of another.
    fn add_pair(&self, call: usize, other: usize, rules: &mut Vec<LearnedRule>) {
        let (runs, together): (Vec<_>, Vec<_>) = (
            self.runs_with(call).collect(),
            self.runs_with(call)
                .filter(|run| self.counts[*run].contains_key(&other))
                .collect(),
        );
        let without_other = runs.len() - together.len();
        let names = (&*self.tools[call], &*self.tools[other]);
        let holds = |key: &str| self.judged(&pair(key, names, &[]), runs.iter().copied(), 0);
        if self.is_supported(together.len(), runs.len()) {
            let strongest =
                |keys: [&'static str; 3]| keys.into_iter().find_map(|key| Some((key, holds(key)?)));
            let mut found: Vec<_> = [NEEDS_BEFORE, NEEDS_AFTER]
                .into_iter()
                .filter_map(strongest)
                .collect();
            if found.is_empty() {
                found.extend(holds("needs").map(|rule| ("needs", rule)));
            }
            for (key, plain) in found {
                let shared = self.with_shared_arguments(key, (call, other), &runs);
                rules.push(shared.unwrap_or(plain));
            }
        }
        // Exclusion is symmetric, so it is added only once.
        if self.is_supported(without_other, runs.len()) {
            if call < other {
                rules.extend(self.judged(&pair(BANS[0], names, &[]), runs.into_iter(), 0));
            }
            return;
        }
        let banned = BANS[1..].iter().find_map(|key| {
            let text = pair(key, names, &[]);
            self.judged(&text, together.iter().copied(), without_other)
        });
        rules.extend(banned);
    }

    /// The same rule with shared arguments, if there are any.
    fn with_shared_arguments(
        &self,
        key: &str,
        (call, other): (usize, usize),
        runs: &[usize],
    ) -> Option<LearnedRule> {
        let names = (&*self.tools[call], &*self.tools[other]);
        let judged =
            |same: &[String]| self.judged(&pair(key, names, same), runs.iter().copied(), 0);
        let of_other = self.keys(other);
        let keys: Vec<_> = self
            .keys(call)
            .into_iter()
            .filter(|key| of_other.contains(key) && judged(std::slice::from_ref(key)).is_some())
            .collect();
        let (first, more) = keys.split_first()?;
        if more.is_empty() {
            return judged(std::slice::from_ref(first));
        }
        judged(&keys).or_else(|| judged(std::slice::from_ref(first)))
    }

    /// The argument keys in the first call of a tool.
    fn keys(&self, tool: usize) -> Vec<String> {
        let name = &self.tools[tool];
        let mut calls = self.runs.iter().flatten();
        let call = calls.find(|call| *call.name.to_display() == **name);
        let arguments = call.and_then(|call| call.arguments.to_value());
        match arguments {
            Some(Value::Object(object)) => object
                .iter()
                .map(|(key, _)| key.to_display().into_owned())
                // A key with a leading slash would be read as a pointer.
                .filter(|key| !key.is_empty() && !key.starts_with('/'))
                .collect(),
            _ => Vec::new(),
        }
    }
}

fn read(text: &str) -> Option<Rule> {
    let value = decode_with(text, Syntax::PYTHON).ok()?.into_owned();
    read_rules(&value).ok()?.pop()
}

fn sentence(words: &str) -> String {
    let mut writer = JsonWriter::new();
    writer.str(words);
    writer.finish().into_string()
}

fn object(call: &str, write: impl FnOnce(&mut JsonWriter)) -> String {
    let mut writer = JsonWriter::new();
    writer.begin_object().key("call").str(call);
    write(&mut writer);
    writer.end_object();
    writer.finish().into_string()
}

fn position(key: &str, tool: &str) -> String {
    if is_word(tool) {
        return sentence(&format!("{key} {tool}"));
    }
    let mut writer = JsonWriter::new();
    writer.begin_object().key(key).str(tool).end_object();
    writer.finish().into_string()
}

fn number(key: &str, number: usize, tool: &str) -> String {
    if is_word(tool) {
        let words = key.replace('_', " ");
        return sentence(&format!("{words} {number} {tool}"));
    }
    object(tool, |writer| _ = writer.key(key).count(number))
}

fn pair(key: &str, (call, other): (&str, &str), same: &[String]) -> String {
    if same.is_empty() && is_word(call) && is_word(other) {
        return sentence(&match key {
            "needs" | "excludes" => format!("{call} {key} {other}"),
            "then_never" => format!("no {other} after {call}"),
            "then_never_directly" => format!("no {other} directly after {call}"),
            need => {
                let words = need.trim_start_matches("needs_").replace('_', " ");
                format!("{other} {words} {call}")
            }
        });
    }
    object(call, |writer| {
        writer.key(key).str(other);
        match same {
            [] => {}
            [key] => _ = writer.key("same").str(key),
            keys => _ = writer.key("same").strs(keys),
        }
    })
}
