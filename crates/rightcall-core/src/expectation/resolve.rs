//! Resolves an expectation for a run: builds match tables, tries assignments of variables, searches, and makes calls concrete.

use hashbrown::HashSet;

use crate::value::{Integer, Value};

use super::actual::ActualCall;
use super::alignment::{RunAlignment, RunPair, align};
use super::choices::choices;
use super::error::ExpectationError;
use super::facts::FastMap;
use super::findings::findings;
use super::instantiate::{Instantiation, Opaque};
use super::matches::MatchTable;
use super::node::Leaf;
use super::pattern::Binding;
use super::pattern_reader::Variable;
use super::residuals::Residuals;
use super::resolution::{BoundVariable, Resolution, ResolvedCall, json};
use super::search::{Goal, MAX_PARALLEL_STATES, Search, TooManyStates};
use super::tree::ProcessTree;
use super::variables::{Assignment, Assignments, Matching, candidates};
use super::weight::Weight;

impl ProcessTree {
    /// The accepted run nearest to these calls: the one with the least cost, then the most full pairs, then the fewest calls, then the
    /// lexicographically smallest leaf numbers, then the earliest assignment of variables.
    ///
    /// # Errors
    /// There are too many states, or too many assignments of variables; the error names the block or the variable.
    pub fn resolve(&self, actual: &[ActualCall<'_>]) -> Result<Resolution, ExpectationError> {
        let matching = Matching::complete(self, actual);
        let residuals = &mut Residuals::new(self);
        let (nearest, pairs) = self.nearest_pairs(&matching, residuals)?;
        let choices = choices(self, residuals, &nearest.run);
        let values = &nearest.assignment;
        let aligned = (nearest.run.as_slice(), pairs.as_slice());
        Ok(Resolution {
            findings: findings(self, actual, aligned, values, &choices),
            cost: nearest.weight.cost(),
            full: pairs.iter().filter(|pair| pair.is_full).count(),
            calls: concrete_calls(self, actual, &nearest, &pairs),
            variables: bound_variables(self, values),
            run: nearest.run,
            pairs,
            choices,
            shortest: self.shortest(),
            actual: actual.len(),
        })
    }

    /// The alignment of these calls with the accepted run that [`resolve`](Self::resolve) returns.
    ///
    /// # Errors
    /// Like [`resolve`](Self::resolve).
    pub fn align(&self, actual: &[ActualCall<'_>]) -> Result<RunAlignment, ExpectationError> {
        let matching = Matching::complete(self, actual);
        let (nearest, pairs) = self.nearest_pairs(&matching, &mut Residuals::new(self))?;
        Ok(RunAlignment {
            cost: nearest.weight.cost(),
            run: nearest.run,
            pairs,
        })
    }

    /// The cost so far of an unfinished run. Missed calls after the last pair don't count, and an unrecorded output of the last call is no
    /// mismatch. 0 if the run can still be accepted.
    ///
    /// # Errors
    /// Like [`resolve`](Self::resolve).
    pub fn prefix_cost(&self, actual: &[ActualCall<'_>]) -> Result<u64, ExpectationError> {
        let matching = Matching::so_far(self, actual, false);
        let residuals = &mut Residuals::new(self);
        let nearest = self.nearest(&matching, residuals, MAX_PARALLEL_STATES)?;
        Ok(nearest.weight.cost())
    }

    /// The nearest complete run, and its pairs.
    fn nearest_pairs<'v>(
        &self,
        matching: &'v Matching<'v, '_>,
        residuals: &mut Residuals<'_>,
    ) -> Result<(NearestAccepted<'v>, Vec<RunPair>), ExpectationError> {
        let nearest = self.nearest(matching, residuals, MAX_PARALLEL_STATES)?;
        let (_, pairs) = align(&nearest.run, &nearest.table);
        Ok((nearest, pairs))
    }

    pub(super) fn nearest<'v>(
        &self,
        matching: &'v Matching<'v, '_>,
        residuals: &mut Residuals<'_>,
        max_parallel_states: usize,
    ) -> Result<NearestAccepted<'v>, ExpectationError> {
        if matching.calls.len() as u64 >= Weight::LIMIT {
            let expected = format!("a run of fewer than {} calls", Weight::LIMIT);
            return Err(ExpectationError::new(
                expected,
                matching.calls.len().to_string(),
            ));
        }
        let open = matching.tree.open_table(matching);
        let candidates = candidates(matching, &open)?;
        let plain_run = self.plain_run().filter(|_| matching.goal == Goal::Complete);
        let mut seen = HashSet::<Vec<u64>, foldhash::fast::FixedState>::default();
        let mut best: Option<NearestAccepted<'v>> = None;
        for (assignment, table) in Assignments::new(&candidates, open) {
            if !candidates.is_empty() && !seen.insert(table.bits().to_vec()) {
                continue;
            }
            let found = match &plain_run {
                Some(run) => Some((align(run, &table).0, run.clone())),
                None => Search::new(residuals, &table, matching.goal, max_parallel_states)
                    .nearest(best.as_ref().map(|best| best.weight))
                    .map_err(|error| self.too_many(error))?,
            };
            let Some((weight, run)) = found else { continue };
            let is_better = best
                .as_ref()
                .is_none_or(|best| (weight, &run) < (best.weight, &best.run));
            if is_better {
                best = Some(NearestAccepted {
                    weight,
                    run,
                    assignment,
                    table,
                });
            }
        }
        // Every tree accepts a run: a choice has an alternative, and there is always an assignment, possibly the empty one.
        Ok(best.expect("a tree accepts at least one run"))
    }

    pub(super) fn too_many(&self, error: TooManyStates) -> ExpectationError {
        let pointer = match error.node {
            Some(node) => self.node(node).pointer.clone(),
            None => String::new(),
        };
        let found = ExpectationError::new(
            "a block whose nearest run can be found",
            "more orders of its calls than can be looked at",
        );
        found
            .help("put fewer sequences side by side, or calls alone: these may be many")
            .at(&pointer)
    }

    /// The matches that some values of the variables allow.
    pub(super) fn open_table<'t>(&'t self, matching: &Matching<'_, '_>) -> MatchTable<'t> {
        let names = matching.calls.iter().map(|it| self.facts.name(&it.name));
        let mut table = MatchTable::new(&self.facts.leaf_names, names.collect());
        let bindings = vec![Binding::Open; self.variables.len()];
        let classes = ArgumentClasses::new(self, matching.calls);
        for leaf in 0..self.leaves.len() {
            for actual in 0..matching.calls.len() {
                if !table.is_named(leaf as u32, actual) {
                    continue;
                }
                let same = classes.same(leaf, actual);
                let full = same
                    .filter(|_| !matching.is_unknown(actual))
                    .unwrap_or_else(|| matching.is_full(leaf as u32, actual, &bindings));
                table.set(leaf, actual, full);
            }
        }
        table
    }
}

/// Equal plain arguments share a number, so long lists of calls aren't compared pair by pair.
struct ArgumentClasses {
    leaf_classes: Vec<Option<u32>>,
    call_classes: Vec<Option<u32>>,
}

impl ArgumentClasses {
    fn new(tree: &ProcessTree, calls: &[ActualCall<'_>]) -> Self {
        let mut numbers: FastMap<String, u32> = FastMap::default();
        let mut number = |value: &Value<'_>| {
            let next = numbers.len() as u32;
            Some(*numbers.entry(normal_form(value)?).or_insert(next))
        };
        let is_plain = |leaf: &Leaf| leaf.output.is_none();
        let leaf_classes: Vec<_> = tree
            .leaves
            .iter()
            .map(|leaf| match &leaf.arguments {
                Some(pattern) if is_plain(leaf) => pattern.exact().and_then(&mut number),
                _ => None,
            })
            .collect();
        // If no leaf has a number, those of calls aren't needed.
        let calls = if leaf_classes.iter().all(Option::is_none) {
            &[]
        } else {
            calls
        };
        let call_classes = calls
            .iter()
            .map(|call| call.arguments.as_ref().and_then(&mut number))
            .collect();
        Self {
            leaf_classes,
            call_classes,
        }
    }

    fn same(&self, leaf: usize, actual: usize) -> Option<bool> {
        self.leaf_classes[leaf].map(|class| self.call_classes[actual] == Some(class))
    }
}

/// A text that only equal values share; `None` for a value with a number that is not finite, which equals no value.
fn normal_form(value: &Value<'_>) -> Option<String> {
    let mut text = String::new();
    write_normal_form(value, &mut text)?;
    Some(text)
}

fn write_normal_form(value: &Value<'_>, text: &mut String) -> Option<()> {
    match value {
        Value::List(items) => {
            text.push('[');
            for item in items {
                write_normal_form(item, text)?;
                text.push(',');
            }
            text.push(']');
        }
        Value::Object(object) => {
            let mut members: Vec<_> = object.iter().collect();
            members.sort_by(|one, other| one.0.cmp(&other.0));
            text.push('{');
            for (key, value) in members {
                text.push_str(&json(&Value::String(key.clone())));
                text.push(':');
                write_normal_form(value, text)?;
                text.push(',');
            }
            text.push('}');
        }
        Value::Float(float) => match Integer::from_integral(*float) {
            Some(integer) => text.push_str(&integer.to_digits()),
            None if float.is_finite() => text.push_str(&json(value)),
            None => return None,
        },
        Value::Integer(integer) => text.push_str(&integer.to_digits()),
        // Python-only values equal no JSON value.
        Value::Python(_) => return None,
        _ => text.push_str(&json(value)),
    }
    Some(())
}

/// The best result over all assignments.
pub(super) struct NearestAccepted<'v> {
    pub(super) weight: Weight,
    run: Vec<u32>,
    assignment: Assignment<'v>,
    table: MatchTable<'v>,
}

fn bound_variables(tree: &ProcessTree, values: &Assignment<'_>) -> Vec<BoundVariable> {
    let bound = |(variable, value): (&Variable, Option<&Value<'_>>)| {
        Some(BoundVariable {
            name: variable.name.clone(),
            value: json(value?),
            pointer: variable.pointer.clone(),
        })
    };
    tree.variables
        .iter()
        .zip(values.iter().copied())
        .filter_map(bound)
        .collect()
}

/// The calls of the run. Patterns are replaced by values of the actual calls that they are paired
/// with or match.
fn concrete_calls(
    tree: &ProcessTree,
    actual: &[ActualCall<'_>],
    nearest: &NearestAccepted<'_>,
    pairs: &[RunPair],
) -> Vec<ResolvedCall> {
    let bindings: Vec<Binding<'_>> = nearest
        .assignment
        .iter()
        .map(|value| value.map_or(Binding::Nothing, Binding::Value))
        .collect();
    let mut models: Vec<Option<usize>> = vec![None; nearest.run.len()];
    let mut is_taken = vec![false; actual.len()];
    for pair in pairs {
        models[pair.expected] = Some(pair.actual);
        is_taken[pair.actual] = true;
    }
    for (place, &leaf) in nearest.run.iter().enumerate() {
        if models[place].is_none() {
            models[place] = nearest.table.full(leaf).find(|it| !is_taken[*it]);
            if let Some(model) = models[place] {
                is_taken[model] = true;
            }
        }
    }
    // A pattern that doesn't hold is written as an object with `$` keys. If actual values have such keys too, the two must be kept
    // distinct.
    let has_dollars = actual.iter().any(|call| {
        let has = |value: &Value<'_>| json(value).contains("\"$");
        call.arguments.as_ref().is_some_and(has) || call.read_output().is_some_and(has)
    });
    let opaque = if has_dollars {
        Opaque::Apart
    } else {
        Opaque::Compared
    };
    nearest
        .run
        .iter()
        .zip(&models)
        .map(|(&leaf, model)| {
            let leaf = &tree.leaves[leaf as usize];
            let model = model.map(|model| &actual[model]);
            let mut call = concrete_call(leaf, model, &bindings, Opaque::AsWritten);
            if has_dollars || model.is_none() {
                let apart = concrete_call(leaf, model, &bindings, opaque);
                call.compared_arguments = apart
                    .arguments
                    .filter(|it| Some(it) != call.arguments.as_ref());
                call.compared_output = apart.output.filter(|it| Some(it) != call.output.as_ref());
            }
            call
        })
        .collect()
}

pub(super) fn concrete_call(
    leaf: &Leaf,
    model: Option<&ActualCall<'_>>,
    bindings: &[Binding<'_>],
    opaque: Opaque,
) -> ResolvedCall {
    let instantiation = Instantiation { bindings, opaque };
    let arguments = leaf.arguments.as_ref().and_then(|pattern| match model {
        Some(call) => instantiation.value(pattern, call.arguments.as_ref()),
        None => Some(instantiation.unpaired(pattern)),
    });
    let output = leaf.output.as_ref().and_then(|output| {
        let Some(call) = model else {
            return Some(match output.pattern.exact() {
                Some(_) => output.written.clone(),
                None => instantiation.unpaired(&output.pattern),
            });
        };
        match (call.read_output(), call.output()) {
            (Some(read), Some(recorded)) if output.pattern.holds(Some(read), bindings) => {
                Some(recorded.clone().into_owned())
            }
            _ if output.pattern.exact().is_some() => Some(output.written.clone()),
            (read, _) => instantiation.value(&output.pattern, read),
        }
    });
    ResolvedCall {
        name: leaf.name.clone(),
        arguments: arguments.as_ref().map(json),
        output: output.as_ref().map(json),
        compared_arguments: None,
        compared_output: None,
        others: leaf
            .others
            .iter()
            .map(|(key, value)| (key.clone(), json(value)))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use crate::value::Text;

    use super::*;

    #[test]
    fn too_many_states_are_an_error_that_names_the_block() {
        let branch = r#"["a","b","a","b","a"]"#;
        let text = format!(r#"["z",{{"any_order":[{branch},{branch},{branch}]}}]"#);
        let tree = ProcessTree::read(&text).unwrap();
        let names = (0..15).map(|it| if it % 3 == 0 { "a" } else { "b" });
        let calls: Vec<_> = names
            .map(|name| ActualCall::new(Text::new(name), None, None))
            .collect();
        let matching = Matching::complete(&tree, &calls);
        let nearest = |states| tree.nearest(&matching, &mut Residuals::new(&tree), states);
        assert_eq!(nearest(50).err().unwrap().pointer, "/1");
        assert!(nearest(MAX_PARALLEL_STATES).is_ok());
    }
}
