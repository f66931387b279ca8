//! Conditions on a trajectory that don't pair calls: each is held or broken, and a score summarises them.

mod before;
mod condition;
mod count;
mod judgement;
mod loops;
mod relation;
mod repeats;
mod schema;
mod score;
mod settings;
mod times;
mod wanted;

pub(crate) use condition::Constraint;
pub(crate) use count::{CountCheck, NameCounts, check_counts};
pub(crate) use judgement::{Judgement, Verdict};
pub(crate) use loops::LoopTracker;
pub(crate) use repeats::call_digest;
pub(crate) use schema::SchemaVerdict;
pub(crate) use score::VerdictScore;
pub(crate) use settings::{
    CONSTRAINTS, SETTINGS_WITH_SCHEMA, constraints, constraints_with_schema,
};

use wanted::Wanted;

#[cfg(test)]
mod tests {
    use super::judgement::{Judgement, ObservedValue};
    use crate::call::Call;

    /// Calls with these names and no other fields.
    pub(super) fn calls(names: &[&'static str]) -> Vec<Call<'static>> {
        names
            .iter()
            .map(|&name| Call {
                name: name.into(),
                ..Call::default()
            })
            .collect()
    }

    pub(super) fn held(found: ObservedValue, calls: &[usize]) -> Judgement {
        Judgement::new(true, found, calls.to_vec())
    }

    pub(super) fn broken(found: ObservedValue, calls: &[usize]) -> Judgement {
        Judgement::new(false, found, calls.to_vec())
    }
}
