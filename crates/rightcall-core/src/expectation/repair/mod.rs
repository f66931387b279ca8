//! Repairs an expectation that rejects a run: finds a small change that makes it accept the run too.
//!
//! A repair only adds: calls that may be made, alternatives, wider arguments, more rounds, and blocks around elements. So the repaired
//! expectation still accepts every run that it accepted before. Removing expected calls is never a repair.
//! The cost is 1 for each added call, each element wrapped in a new block, each widened argument, and each moved bound of a repeat.

mod element;
mod part;
mod recorded;
mod rounds;
mod search;
mod segment;
#[cfg(test)]
mod tests;
mod widen;

use crate::value::{JsonText, Object, Syntax, Text, Value, decode_with};

use super::actual::ActualCall;
use super::error::ExpectationError;
use super::literal::literal;
use super::resolution::json;
use super::tree::ProcessTree;
use super::written::written;

pub use part::RepairChange;
use search::RepairSearch;
use widen::Variables;

/// A repaired expectation that accepts one more run.
#[derive(Clone, Debug)]
pub struct Repair {
    /// Number of added and wrapped elements, widened arguments, and moved bounds of repeats.
    pub cost: u64,
    /// The changes, in written order; empty if the run is already accepted.
    pub changes: Vec<RepairChange>,
    /// The repaired expectation, a JSON list of elements.
    pub expected: JsonText,
}

impl Repair {
    /// True if no other repair can cost less. This is certain only for a single change of cost 1, since the search skips some larger
    /// repairs.
    pub fn is_smallest(&self) -> bool {
        self.cost <= 1
    }
}

/// Longer runs are rejected: time grows with the cube of the number of calls.
const MAX_CALLS: usize = 60;

impl ProcessTree {
    /// The smallest repair found that accepts a run, under the variables of the nearest accepted run. On a tie, takes the one with fewer
    /// changes, then the first in a fixed order of locations.
    ///
    /// # Errors
    /// The run has more than 60 calls; or an error of [`resolve`](Self::resolve).
    pub fn repair(&self, actual: &[ActualCall<'_>]) -> Result<Repair, ExpectationError> {
        let calls = match u16::try_from(actual.len()) {
            Ok(count) if actual.len() <= MAX_CALLS => (0..count).collect::<Vec<_>>(),
            _ => {
                let expected = format!("a run of at most {MAX_CALLS} calls");
                let error = ExpectationError::new(expected, actual.len().to_string());
                return Err(error.help("change the expectation by hand"));
            }
        };
        let bound = |variable: super::BoundVariable| {
            let value = decode_with(&variable.value, Syntax::PYTHON).ok()?;
            Some((variable.name, value.into_owned()))
        };
        let resolution = self.resolve(actual)?;
        let variables: Variables = resolution.variables.into_iter().filter_map(bound).collect();
        let mut search = RepairSearch::new(actual, &variables);
        let list = search.lists.read(&self.elements()?, "");
        let part = search.list(&list, &calls);
        let repaired = search.lists.list(part.elements.clone());
        let expected = JsonText::from_value(&repaired.written());
        let cost = Self::read(expected.as_str())?.align(actual)?.cost;
        if cost > 0 {
            let error = ExpectationError::new("a repair that accepts the run", "none");
            return Err(error.help("change the expectation by hand"));
        }
        Ok(Repair {
            cost: part.cost,
            changes: part.changes.clone(),
            expected,
        })
    }

    /// The elements as JSON.
    fn elements(&self) -> Result<Value<'static>, ExpectationError> {
        if !self.text().is_empty() {
            return written(self.text());
        }
        let quoted = |value: &Value<'static>| {
            let written = json(value);
            let quoted = decode_with(&literal(&written), Syntax::PYTHON).map(Value::into_owned);
            quoted.unwrap_or_else(|_| value.clone())
        };
        let call = |leaf: &super::node::Leaf| {
            let mut members = vec![(Text::new("name"), Value::String(leaf.name.clone()))];
            let arguments = leaf.arguments.as_ref().and_then(|pattern| pattern.exact());
            members.extend(arguments.map(|value| (Text::new("args"), quoted(value))));
            let output = leaf.output.as_ref();
            members.extend(output.map(|it| (Text::new("output"), quoted(&it.written))));
            Value::Object(Object::new(members))
        };
        Ok(Value::List(self.leaves.iter().map(call).collect()))
    }
}
