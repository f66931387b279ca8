//! Runs the engine and the slow twin on the same case.

use rightcall_core::call::{Arguments, Call};
use rightcall_core::expectation::{ActualCall, ProcessTree};
use rightcall_core::monitor::{Monitor, ResultOfCall, RuleVerdict};
use rightcall_core::value::{JsonText, Syntax, Value, decode_with};

use super::{ExpectationCase, nearest};

impl ExpectationCase {
    /// Compares the two; true if the language could be listed.
    ///
    /// # Errors
    /// Both results, if they differ.
    pub fn check(&self) -> Result<bool, String> {
        let tree =
            ProcessTree::read(&self.expected).map_err(|error| format!("{error}: {self:#?}"))?;
        let Some(wanted) = nearest(&self.expected, &self.actual) else {
            return Ok(false);
        };
        let actual =
            decode_with(&self.actual, Syntax::PYTHON).map_err(|error| error.to_string())?;
        let outputs: Vec<Option<String>> = members(&actual, "output")
            .map(|value| value.map(|value| JsonText::from_value(value).into_string()))
            .collect();
        let names = members(&actual, "name").map(|name| name.and_then(Value::as_text));
        let calls: Vec<ActualCall<'_>> = names
            .zip(members(&actual, "args"))
            .zip(&outputs)
            .map(|((name, arguments), output)| {
                let name = name.cloned().unwrap_or_default();
                ActualCall::new(name, arguments.cloned(), output.as_deref())
            })
            .collect();
        let found = tree
            .resolve(&calls)
            .map_err(|error| format!("{error}: {self:#?}"))?;
        let prefix_cost = tree
            .prefix_cost(&calls)
            .map_err(|error| format!("{error}: {self:#?}"))?;
        let run: Vec<usize> = found.run.iter().map(|leaf| *leaf as usize).collect();
        let pairs: Vec<_> = found
            .pairs
            .iter()
            .map(|pair| (pair.expected, pair.actual, pair.is_full))
            .collect();
        let variables: Vec<(String, Option<String>)> = wanted
            .variables
            .iter()
            .map(|(name, _)| {
                let known = found
                    .variables
                    .iter()
                    .find(|it| it.name.to_display() == *name);
                (name.clone(), known.map(|it| it.value.clone()))
            })
            .collect();
        self.check_monitor(&tree, &calls, &outputs)?;
        let is_same = (
            found.cost as usize,
            found.full,
            &run,
            &pairs,
            &variables,
            prefix_cost as usize,
        ) == (
            wanted.cost,
            wanted.full,
            &wanted.run,
            &wanted.pairs,
            &wanted.variables,
            wanted.prefix_cost,
        );
        if is_same {
            Ok(true)
        } else {
            let found = (found.cost, found.full, run, pairs, variables, prefix_cost);
            Err(format!(
                "the twin says {wanted:?}\nthe engine {found:?}\n{self:#?}"
            ))
        }
    }

    /// Compares the verdicts of a monitor, which follows the calls one by one, with searches over the calls so far.
    fn check_monitor(
        &self,
        tree: &ProcessTree,
        calls: &[ActualCall<'_>],
        outputs: &[Option<String>],
    ) -> Result<(), String> {
        let described = |error: &dyn std::fmt::Display| format!("{error}: {self:#?}");
        let settings = format!("{{\"expected\":{}}}", self.expected);
        let mut monitor = Monitor::new(&settings).map_err(|error| described(&error))?;
        for (number, call) in calls.iter().enumerate() {
            let mut request = Call {
                name: call.name().clone().into_owned(),
                ..Call::default()
            };
            if let Some(arguments) = call.arguments() {
                request.arguments =
                    Arguments::owned_json(JsonText::from_value(arguments).into_string());
            }
            monitor
                .observe(&request)
                .map_err(|error| described(&error))?;
            if let Some(output) = &outputs[number] {
                let result = ResultOfCall {
                    output: Some(output),
                    failed: None,
                };
                monitor
                    .result(number, result)
                    .map_err(|error| described(&error))?;
            }
            let so_far = &calls[..=number];
            let cost = tree
                .cost_so_far(so_far)
                .map_err(|error| described(&error))?;
            let whole = tree.align(so_far).map_err(|error| described(&error))?;
            let wanted = match (cost, whole.cost) {
                (0, 0) => RuleVerdict::SatisfiedSoFar,
                (0, _) => RuleVerdict::Open,
                _ => RuleVerdict::Violated,
            };
            let found = monitor.verdicts().pop().flatten();
            if found != Some(wanted) {
                return Err(format!(
                    "after {} calls the searches say {wanted:?}, the monitor {found:?}\n{self:#?}",
                    number + 1
                ));
            }
        }
        Ok(())
    }
}

/// For each call, the value under a key.
fn members<'v>(calls: &'v Value<'v>, key: &'v str) -> impl Iterator<Item = Option<&'v Value<'v>>> {
    let calls = calls.as_list().unwrap_or_default();
    calls
        .iter()
        .map(move |call| call.as_object().and_then(|call| call.get_str(key)))
}
