//! The calls that an expectation allows next.

use crate::value::{JsonWriter, Object, RawJson, Syntax, Text, Value, decode_with};

use super::actual::ActualCall;
use super::error::ExpectationError;
use super::instantiate::Opaque;
use super::node::Leaf;
use super::pattern::Binding;
use super::residuals::Residuals;
use super::resolution::json;
use super::resolve::concrete_call;
use super::search::{Goal, MAX_PARALLEL_STATES, Search};
use super::tree::ProcessTree;
use super::variables::{Assignment, Assignments, Matching, candidates};

/// A call that may be made next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextCall {
    /// The tool.
    pub name: Text<'static>,
    /// The demand on the arguments, as written in an expectation, with bound variables replaced by their values.
    pub arguments: Option<String>,
    /// The demand on the output, in the same form.
    pub output: Option<String>,
}

impl NextCall {
    /// Writes it as a call in an expectation.
    pub fn write(&self, writer: &mut JsonWriter) {
        writer.begin_object().key("name").text(&self.name);
        writer.optional("args", self.arguments.as_deref().map(RawJson));
        writer.optional("output", self.output.as_deref().map(RawJson));
        writer.end_object();
    }
}

impl ProcessTree {
    /// [`prefix_cost`](Self::prefix_cost), except that an unrecorded output is not a mismatch: it may still arrive.
    ///
    /// # Errors
    /// Like [`resolve`](Self::resolve).
    pub fn cost_so_far(&self, actual: &[ActualCall<'_>]) -> Result<u64, ExpectationError> {
        let matching = Matching::so_far(self, actual, true);
        let residuals = &mut Residuals::new(self);
        let nearest = self.nearest(&matching, residuals, MAX_PARALLEL_STATES)?;
        Ok(nearest.weight.cost())
    }

    /// The possible next calls that keep the cost so far at 0, in written order.
    ///
    /// # Errors
    /// Like [`resolve`](Self::resolve).
    pub fn next_calls(&self, actual: &[ActualCall<'_>]) -> Result<Vec<NextCall>, ExpectationError> {
        let mut calls = actual.to_vec();
        let mut next = Vec::new();
        for (number, leaf) in self.leaves.iter().enumerate() {
            calls.push(ActualCall::new(leaf.name.clone(), None, None));
            let matching = Matching {
                next: Some(number as u32),
                ..Matching::so_far(self, &calls, true)
            };
            if let Some(assignment) = self.accepting_assignment(&matching)? {
                let call = self.next_call(leaf, &assignment);
                if !next.contains(&call) {
                    next.push(call);
                }
            }
            calls.pop();
        }
        Ok(next)
    }

    /// The assignment with the fewest bound variables under which the run costs 0 so far.
    fn accepting_assignment<'v>(
        &self,
        matching: &'v Matching<'v, '_>,
    ) -> Result<Option<Assignment<'v>>, ExpectationError> {
        let open = matching.tree.open_table(matching);
        let candidates = candidates(matching, &open)?;
        let residuals = &mut Residuals::new(self);
        let bound = |assignment: &Assignment<'_>| assignment.iter().flatten().count();
        let mut best: Option<Assignment<'v>> = None;
        for (assignment, table) in Assignments::new(&candidates, open) {
            if best
                .as_ref()
                .is_some_and(|best| bound(best) <= bound(&assignment))
            {
                continue;
            }
            let found = Search::new(residuals, &table, Goal::Prefix, MAX_PARALLEL_STATES)
                .nearest(None)
                .map_err(|error| self.too_many(error))?;
            if found.is_some_and(|(weight, _)| weight.cost() == 0) {
                best = Some(assignment);
            }
        }
        Ok(best)
    }

    pub(super) fn next_call(&self, leaf: &Leaf, assignment: &Assignment<'_>) -> NextCall {
        let bindings = vec![Binding::Open; assignment.len()];
        let call = concrete_call(leaf, None, &bindings, Opaque::AsWritten);
        let bound = |text: Option<String>| {
            let text = text?;
            let value = decode_with(&text, Syntax::PYTHON);
            Some(json(&self.with_bindings(&value.ok()?, assignment)))
        };
        NextCall {
            name: call.name,
            arguments: bound(call.arguments),
            output: bound(call.output),
        }
    }

    /// A pattern as written, with bound variables replaced by their values.
    fn with_bindings(&self, value: &Value<'_>, assignment: &Assignment<'_>) -> Value<'static> {
        match value {
            Value::Object(object) => {
                let members: Vec<_> = object.iter().collect();
                if let [(key, Value::String(name))] = &members[..]
                    && *key == "$var"
                    && let Some(place) = self.variables.iter().position(|it| it.name == *name)
                    && let Some(value) = assignment[place]
                {
                    return value.clone().into_owned();
                }
                let members = members.into_iter();
                let members = members.map(|(key, value)| {
                    (
                        key.clone().into_owned(),
                        self.with_bindings(value, assignment),
                    )
                });
                Value::Object(Object::new(members.collect()))
            }
            Value::List(items) => Value::List(
                items
                    .iter()
                    .map(|it| self.with_bindings(it, assignment))
                    .collect(),
            ),
            other => other.clone().into_owned(),
        }
    }
}
