//! Tracks expected calls during a run.

use super::answer::{OpenConstraint, Refusal};
use crate::call::Call;
use crate::expectation::{ActualCall, NextCall, ProcessTree, TreeWalk};
use crate::rule::RuleVerdict;
use crate::settings::{ConfigError, describe};
use crate::value::{JsonText, Object, Text, Value};

/// The label of the expected calls among the constraints.
pub(super) const LABEL: &str = "the expected calls";

/// The settings' keys.
pub(super) const EXPECTED: &str = "expected";
pub(super) const EXTRA: &str = "extra";

/// The calls that are allowed in addition to the expected ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExtraCalls {
    /// None.
    None,
    /// Calls of tools that the expectation does not name.
    Others,
}

/// An expectation that is checked call by call.
#[derive(Debug)]
pub(super) struct ExpectedRun {
    tree: ProcessTree,
    extra: ExtraCalls,
    demands_outputs: bool,
    /// True if some run may be accepted with all its continuations.
    may_be_satisfied: bool,
    /// The run's places in the tree. `None` if the nearest accepted run is searched instead, at a cost that grows with the run.
    walk: Option<TreeWalk>,
}

impl ExpectedRun {
    /// Reads the expectation from the settings. Also returns the other settings as JSON; both are `None` if there is no expectation.
    pub(super) fn read(
        settings: &Object<'_>,
    ) -> Result<(Option<Self>, Option<String>), ConfigError> {
        let bad = |setting: &str, expected: &str, found: String| ConfigError::BadValue {
            evaluator: "constraints",
            setting: setting.to_owned(),
            expected: expected.to_owned(),
            found,
        };
        let value = |key: &str| {
            let mut members = settings.iter();
            members.find(|(it, _)| *it == key).map(|(_, value)| value)
        };
        let extra = match value(EXTRA) {
            None => None,
            Some(Value::String(word)) if *word == "none" => Some(ExtraCalls::None),
            Some(Value::String(word)) if *word == "others" => Some(ExtraCalls::Others),
            Some(other) => return Err(bad(EXTRA, "`none` or `others`", describe(other))),
        };
        let Some(expected) = value(EXPECTED) else {
            return match extra {
                None => Ok((None, None)),
                Some(_) => Err(bad(
                    EXPECTED,
                    "calls if there is `extra`",
                    "none".to_owned(),
                )),
            };
        };
        let tree = ProcessTree::read(JsonText::from_value(expected).as_str()).map_err(|error| {
            let setting = format!("{EXPECTED}{}", error.pointer);
            bad(&setting, &error.expected, error.found)
        })?;
        let rest = settings
            .iter()
            .filter(|(key, _)| *key != EXPECTED && *key != EXTRA);
        let rest = Value::Object(Object::new(rest.cloned().collect()));
        let extra = extra.unwrap_or(ExtraCalls::None);
        let run = Self {
            // A call of another tool would break an expectation that counts every call.
            may_be_satisfied: extra == ExtraCalls::Others && tree.may_accept_all(),
            walk: TreeWalk::begin(&tree),
            demands_outputs: (0..tree.leaf_count())
                .filter_map(|leaf| tree.leaf_name(leaf))
                .any(|name| tree.demands_output(name)),
            tree,
            extra,
        };
        Ok((Some(run), Some(JsonText::from_value(&rest).into_string())))
    }

    /// True if calls of this tool count. Without `extra`, all tools do.
    fn is_relevant(&self, name: &Text<'_>) -> bool {
        let mut names = (0..self.tree.leaf_count()).filter_map(|leaf| self.tree.leaf_name(leaf));
        self.extra == ExtraCalls::None || names.any(|it| it == name)
    }

    /// Processes a call.
    pub(super) fn observe(&mut self, call: &Call<'_>) {
        if self.is_relevant(&call.name) {
            let walk = self.walk.as_ref();
            self.walk = walk.and_then(|walk| walk.after(&self.tree, &call.for_expectation()));
        }
    }

    /// Processes the result of a call. The run is walked again only if the expectation demands an output of that call.
    pub(super) fn revise(&mut self, number: usize, calls: &[Call<'_>]) {
        if self.demands_outputs && self.tree.demands_output(&calls[number].name) {
            self.walk = TreeWalk::begin(&self.tree);
            calls.iter().for_each(|call| self.observe(call));
        }
    }

    /// The relevant calls, in the form that expectations match.
    fn calls<'c>(&self, calls: &'c [Call<'_>]) -> Vec<ActualCall<'c>> {
        let calls = calls.iter().filter(|call| self.is_relevant(&call.name));
        calls.map(Call::for_expectation).collect()
    }

    /// The verdict; `None` if the search exceeds its limit.
    pub(super) fn verdict(&self, calls: &[Call<'_>]) -> Option<RuleVerdict> {
        let (is_lost, is_accepted) = if let Some(walk) = &self.walk {
            let is_accepted = walk.is_accepted(&self.tree) && self.has_outputs(calls);
            (walk.is_lost(), is_accepted)
        } else {
            let calls = self.calls(calls);
            let is_lost = self.tree.cost_so_far(&calls).ok()? > 0;
            (is_lost, !is_lost && self.tree.align(&calls).ok()?.cost == 0)
        };
        Some(match (is_lost, is_accepted) {
            (true, _) => RuleVerdict::Violated,
            (_, false) => RuleVerdict::Open,
            (_, true) if self.is_satisfied(calls) => RuleVerdict::Satisfied,
            (_, true) => RuleVerdict::SatisfiedSoFar,
        })
    }

    /// True if the run stays accepted with any continuation, even if missing outputs never arrive.
    fn is_satisfied(&self, calls: &[Call<'_>]) -> bool {
        if !self.may_be_satisfied {
            return false;
        }
        let complete_walk;
        let walk = if self.demands_outputs {
            complete_walk = TreeWalk::after_complete(&self.tree, &self.calls(calls));
            &complete_walk
        } else {
            &self.walk
        };
        walk.as_ref().is_some_and(|it| it.accepts_all(&self.tree))
    }

    /// True if the run is accepted with its recorded outputs. A walk assumes that missing outputs are as demanded.
    fn has_outputs(&self, calls: &[Call<'_>]) -> bool {
        let is_missing = |call: &Call<'_>| {
            call.metadata().recorded_output().is_none() && self.tree.demands_output(&call.name)
        };
        !self.demands_outputs
            || !calls.iter().any(is_missing)
            || self
                .tree
                .align(&self.calls(calls))
                .is_ok_and(|alignment| alignment.cost == 0)
    }

    /// The open constraint; `check` is its index.
    pub(super) fn open(&self, calls: &[Call<'_>], check: usize) -> OpenConstraint {
        OpenConstraint {
            rule: LABEL.to_owned(),
            check,
            why: None,
            sentence: self.sentence(calls),
        }
    }

    /// The refusal of a call that is not expected next.
    pub(super) fn refusal(
        &self,
        call: &Call<'_>,
        calls: &[Call<'_>],
        check: usize,
        guards_violated: bool,
    ) -> Option<Refusal> {
        if !self.is_broken_by(call, calls) {
            return None;
        }
        let is_violated = self.is_violated(calls);
        if is_violated && !guards_violated {
            return None;
        }
        let (name, next) = (&call.name, self.sentence(calls));
        Some(Refusal {
            rule: LABEL.to_owned(),
            check,
            why: None,
            calls: vec![calls.len()],
            violations: Vec::new(),
            is_violated,
            sentence: format!("`{name}` may not be called now: it is not expected here. {next}"),
        })
    }

    /// True if the run can no longer be accepted.
    fn is_violated(&self, calls: &[Call<'_>]) -> bool {
        if let Some(walk) = &self.walk {
            return walk.is_lost();
        }
        let cost = self.tree.cost_so_far(&self.calls(calls));
        cost.is_ok_and(|cost| cost > 0)
    }

    /// A sentence that lists the calls expected next.
    fn sentence(&self, calls: &[Call<'_>]) -> String {
        let mut names = Vec::new();
        for call in self.next(calls) {
            let name = format!("`{}`", call.name);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        match &names[..] {
            [] => "No further call is expected.".to_owned(),
            names => format!("Expected next: {}.", names.join(" or ")),
        }
    }

    /// True if this call, as the next one, would raise the cost of the run.
    fn is_broken_by(&self, call: &Call<'_>, calls: &[Call<'_>]) -> bool {
        if !self.is_relevant(&call.name) {
            return false;
        }
        if let Some(walk) = self.walk.as_ref().filter(|walk| !walk.is_lost())
            && let Some(after) = walk.after(&self.tree, &call.for_expectation())
        {
            return after.is_lost();
        }
        let mut calls = self.calls(calls);
        calls.push(call.for_expectation());
        // Most calls have no cost, so the cost before need not be computed.
        let after = match self.tree.cost_so_far(&calls) {
            Ok(after) if after > 0 => after,
            _ => return false,
        };
        calls.pop();
        self.tree
            .cost_so_far(&calls)
            .is_ok_and(|before| after > before)
    }

    /// The calls that may be made next; empty if the search exceeds its limit.
    pub(super) fn next(&self, calls: &[Call<'_>]) -> Vec<NextCall> {
        if let Some(walk) = &self.walk {
            return walk.next(&self.tree);
        }
        let calls = self.calls(calls);
        self.tree.next_calls(&calls).unwrap_or_default()
    }
}
