//! The keys of `same` in rules, to find those that no call has.

use super::call_pattern::{CallPattern, RuleCall};
use super::read::read_rules;
use super::same::ArgumentKey;
use crate::call::Call;
use crate::value::Value;

/// A key that `same` of a rule reads from the arguments of some calls.
#[derive(Clone, Debug)]
pub struct SameKey {
    calls: CallPattern,
    key: ArgumentKey,
}

impl SameKey {
    /// The keys in a list of rules; empty if the rules can't be read.
    pub fn in_rules(rules: &Value<'_>) -> Vec<Self> {
        let rules = read_rules(&rules.clone().into_owned()).unwrap_or_default();
        let mut found = Vec::new();
        for rule in &rules {
            let Some(same) = &rule.same else {
                continue;
            };
            let sides = [(&rule.call, &same.of_call), (&rule.target, &same.of_target)];
            for (calls, keys) in sides {
                found.extend(calls.iter().flat_map(|calls| {
                    keys.iter().map(|key| Self {
                        calls: calls.clone(),
                        key: key.clone(),
                    })
                }));
            }
        }
        found
    }

    /// The calls, as readable text.
    pub fn calls(&self) -> String {
        self.calls.to_string()
    }

    /// The key or the JSON pointer, as written.
    pub fn key(&self) -> String {
        self.key.as_written()
    }

    /// True if the rule may be about a call.
    pub fn concerns(&self, call: &Call<'_>) -> bool {
        !self.calls.fit(&RuleCall::from_call(call)).is_no()
    }

    /// True if these arguments have the key.
    pub fn is_in(&self, arguments: &Value<'_>) -> bool {
        self.key.find(arguments).is_some()
    }
}
