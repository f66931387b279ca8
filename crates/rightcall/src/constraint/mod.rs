//! Conditions on a trajectory that pair no calls: each is held or broken, and a score folds them.

mod count;

pub(crate) use count::{CountCheck, NameCounts, check_counts};
