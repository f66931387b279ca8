//! Rules of `constraints` in cases and suites, and their verdicts on short runs.

mod tried;

use std::collections::HashMap;

use rightcall_core::value::pointer::item;
use serde_json::Value;

use tried::{are_compatible, can_be_broken};

use crate::check::LintInput;
use crate::found::Found;
use crate::place::Place;
use crate::subject::Subject;
use crate::tools::{ToolSchema, short};

/// The rules of a case, or of a suite.
pub(crate) struct RuleList<'l> {
    pub(crate) rules: Vec<WrittenRule>,
    /// The case; `None` for the rules of a suite.
    subject: Option<&'l Subject>,
    /// The tools that the rules are about.
    pub(crate) tools: Vec<&'l ToolSchema>,
}

/// A rule with its place.
pub(crate) struct WrittenRule {
    pub(crate) value: Value,
    place: Place,
}

impl WrittenRule {
    /// The rule as written.
    pub(crate) fn to_text(&self) -> String {
        match self.value.as_str() {
            Some(sentence) => format!("`{sentence}`"),
            None => short(&self.value),
        }
    }
}

/// The rules of each case and of each suite.
pub(crate) fn rule_lists<'l>(input: &'l LintInput<'_>) -> Vec<RuleList<'l>> {
    let subjects = input.subjects.iter().filter_map(|subject| {
        let is_read = subject.refused.is_none() && subject.expected.pointer == "/expected";
        let written = &subject.expectation().filter(|_| is_read)?["constraints"]["rules"];
        let at = "/expected/constraints/rules";
        let rules = match written {
            Value::Null => return None,
            Value::Array(rules) => {
                let rules = rules.iter().enumerate();
                rules.map(|(index, it)| (it, item(at, index))).collect()
            }
            rule => vec![(rule, at.to_owned())],
        };
        let rule = |(value, pointer): (&Value, String)| WrittenRule {
            value: value.clone(),
            place: subject.place(&pointer),
        };
        let tools = subject.tools.iter().flat_map(|it| &it.tools);
        Some(RuleList {
            rules: rules.into_iter().map(rule).collect(),
            subject: Some(subject),
            tools: tools.collect(),
        })
    });
    let suites = input.suites.iter().map(|(_, suite)| RuleList {
        rules: suite
            .rules
            .iter()
            .filter_map(|it| {
                Some(WrittenRule {
                    value: serde_json::from_str(&it.json).ok()?,
                    place: suite.place_of(it.line, &it.pointer),
                })
            })
            .collect(),
        subject: None,
        tools: input.tools.clone(),
    });
    subjects.chain(suites).collect()
}

impl RuleList<'_> {
    /// Reports a finding about a rule, unless the case ignores it.
    pub(crate) fn report(
        &self,
        rule: &WrittenRule,
        found: &mut Found,
        message: String,
        advice: &str,
    ) {
        match self.subject {
            Some(subject) => _ = found.in_record(subject, &rule.place.pointer, message, advice),
            None => _ = found.at(rule.place.clone(), message, advice),
        }
    }
}

/// A cache of facts about rules, by text, because many cases may share a rule.
#[derive(Default)]
pub(crate) struct RuleVerdicts {
    broken: HashMap<String, bool>,
    kept: HashMap<(String, String), bool>,
}

impl RuleVerdicts {
    /// True if no run breaks the rule.
    pub(crate) fn is_never_broken(&mut self, rule: &WrittenRule) -> bool {
        let can = || can_be_broken(&rule.value);
        let text = rule.value.to_string();
        !*self.broken.entry(text).or_insert_with(can)
    }

    /// The pairs of rules that no run can keep together, by index.
    pub(crate) fn contradictions(&mut self, list: &RuleList<'_>) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        for (at, other) in list.rules.iter().enumerate() {
            for (before, one) in list.rules[..at].iter().enumerate() {
                let can = || are_compatible(&one.value, &other.value);
                let texts = (one.value.to_string(), other.value.to_string());
                if !*self.kept.entry(texts).or_insert_with(can) {
                    pairs.push((before, at));
                }
            }
        }
        pairs
    }
}
