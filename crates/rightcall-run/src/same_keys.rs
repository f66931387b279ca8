//! Keys of `same` in rules that no call has, so the rule compares nothing.

use std::collections::BTreeSet;

use rightcall_core::SameKey;
use rightcall_core::call::{Call, Case};
use rightcall_core::value::{Syntax, Value, decode_with};
use rightcall_results::UnsharedKey;

/// The maximum number of other keys to keep for each key.
const OTHERS: usize = 64;

/// The keys of `same`, and the arguments of the calls that they apply to.
#[derive(Debug, Default)]
pub(crate) struct SameKeys(Vec<SeenKey>);

#[derive(Debug)]
struct SeenKey {
    key: SameKey,
    /// True if a call has the key.
    is_found: bool,
    /// Number of calls with recorded arguments, until the key is found.
    calls: u64,
    /// The keys of their arguments.
    others: BTreeSet<String>,
}

impl SameKeys {
    /// Adds the keys in the settings of `constraints` (a JSON object).
    pub(crate) fn add_rules(&mut self, settings: &str) {
        let settings = decode_with(settings, Syntax::PYTHON).ok();
        let settings = settings.as_ref().and_then(Value::as_object);
        let rules = settings.and_then(|it| it.get_str("rules"));
        let keys = rules.map(SameKey::in_rules).unwrap_or_default();
        self.0.extend(keys.into_iter().map(|key| SeenKey {
            key,
            is_found: false,
            calls: 0,
            others: BTreeSet::new(),
        }));
    }

    /// Adds the calls of a run.
    pub(crate) fn add(&mut self, case: &Case<'_>) {
        let calls = case.actual.iter().flat_map(|run| &run.calls);
        for call in calls {
            let open = self.0.iter_mut().filter(|seen| !seen.is_found);
            open.for_each(|seen| seen.add(call));
        }
    }

    /// Merges another collection with the same rules.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (seen, more) in self.0.iter_mut().zip(&other.0) {
            seen.is_found |= more.is_found;
            seen.calls += more.calls;
            seen.note(more.others.iter().map(String::as_str));
        }
    }

    /// The keys that no call has, if there are such calls. The nearest of the other keys is not
    /// determined.
    pub(crate) fn finish(self) -> Vec<UnsharedKey> {
        let missing = self
            .0
            .into_iter()
            .filter(|seen| !seen.is_found && seen.calls > 0);
        let mut missing: Vec<_> = missing.map(SeenKey::into_unshared).collect();
        // Several rules may name the same key.
        missing.dedup();
        missing
    }
}

impl SeenKey {
    fn add(&mut self, call: &Call<'_>) {
        if !self.key.concerns(call) {
            return;
        }
        let Some(arguments) = call.arguments.to_value() else {
            return;
        };
        self.calls += 1;
        self.is_found = self.key.is_in(&arguments);
        if let (false, Some(object)) = (self.is_found, arguments.as_object()) {
            self.note(object.iter().filter_map(|(key, _)| key.as_str()));
        }
    }

    fn note<'k>(&mut self, keys: impl Iterator<Item = &'k str>) {
        for key in keys {
            if self.others.len() < OTHERS && !self.others.contains(key) {
                self.others.insert(key.to_owned());
            }
        }
    }

    fn into_unshared(self) -> UnsharedKey {
        UnsharedKey {
            calls: self.key.calls(),
            near: None,
            key: self.key.key(),
            others: self.others.into_iter().collect(),
        }
    }
}
