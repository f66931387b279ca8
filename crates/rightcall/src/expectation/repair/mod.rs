//! A small repair of an expectation that rejects a run: what to change so that it accepts the run too.
//!
//! A repair only adds: elements that may be made, alternatives, wider arguments, more rounds, blocks around elements. So the repaired
//! expectation accepts all that it accepted before, and none is found by removing what is expected.
//! It costs 1 for each call added, each element wrapped in a new block, each argument widened and each bound of a repeat moved.

mod element;
mod part;
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

/// An expectation that accepts one run more.
#[derive(Clone, Debug)]
pub struct Repair {
    /// Elements added and wrapped, arguments widened, and bounds of repeats moved.
    pub cost: u64,
    /// What changes, in written order; none if the run is accepted already.
    pub changes: Vec<RepairChange>,
    /// The repaired expectation, a JSON list of elements.
    pub expected: JsonText,
}

impl Repair {
    /// True if no other repair costs less, which is certain of one change that costs 1 alone: the search leaves some larger repairs out.
    pub fn is_smallest(&self) -> bool {
        self.cost <= 1
    }
}

/// A longer run is not repaired for: time grows with the third power of the number of calls.
const MAX_CALLS: usize = 60;

impl ProcessTree {
    /// A small repair that accepts a run, the smallest that is found, under the variables of the nearest accepted run. Of equal ones, the one with fewer changes
    /// is taken, then the first in a fixed order of places.
    ///
    /// # Errors
    /// A run of more than 60 calls, and those of [`resolve`](Self::resolve).
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
