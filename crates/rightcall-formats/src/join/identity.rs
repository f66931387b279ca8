//! Distinguishes runs of the same case and trial.

use std::hash::Hasher;

use rightcall_core::call::Case;
use rightcall_core::value::HashKey;
use siphasher::sip128::{Hasher128, SipHasher13};

use crate::options::ReadOptions;
use crate::read_case::read_case;

/// The meta key that always distinguishes runs.
pub(super) const MODEL: &str = "model";

/// The meta keys that distinguish runs of the same case and trial: the model, and others on request.
#[derive(Clone, Debug, Default)]
pub struct RunIdentity {
    others: Vec<String>,
}

impl RunIdentity {
    /// The model and these keys.
    pub fn new(others: impl IntoIterator<Item = String>) -> Self {
        Self {
            others: others.into_iter().collect(),
        }
    }

    /// The values of the keys as JSON text, `None` for those missing.
    fn values<'c>(&'c self, case: &'c Case<'_>) -> impl Iterator<Item = Option<&'c str>> {
        let keys = self.others.iter().map(String::as_str);
        std::iter::once(MODEL).chain(keys).map(|wanted| {
            let found = case.meta.iter().find(|(key, _)| *key == *wanted);
            found.map(|(_, json)| *json)
        })
    }

    /// True if a run may belong to a case: no value present in both differs. An unreadable run fits; scoring it reports the error.
    pub(super) fn fits(&self, case: &Case<'_>, run: &str) -> bool {
        let Ok(run) = read_case(run, &ReadOptions::default()) else {
            return true;
        };
        let mut both = self.values(case).zip(self.values(&run));
        both.all(|(wanted, found)| wanted.is_none() || found.is_none() || wanted == found)
    }

    /// True if the case has any of the values.
    pub(super) fn is_stated(&self, case: &Case<'_>) -> bool {
        self.values(case).any(|json| json.is_some())
    }

    /// A hash of the values; 0 if there are none.
    pub(super) fn of(&self, key: HashKey, case: &Case<'_>) -> u32 {
        if !self.is_stated(case) {
            return 0;
        }
        let mut hasher = SipHasher13::new_with_keys(key.0, key.1);
        for json in self.values(case) {
            let json = json.unwrap_or_default();
            hasher.write_usize(json.len());
            hasher.write(json.as_bytes());
        }
        (hasher.finish128().h1 as u32).max(1)
    }
}
