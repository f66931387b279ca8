//! The engine and the slow twin on the same case.

use rightcall::expectation::{ActualCall, ProcessTree};
use rightcall::value::{JsonText, Syntax, Value, decode_with};

use super::{ExpectationCase, nearest};

impl ExpectationCase {
    /// Compares the two; true if the language could be written down.
    ///
    /// # Errors
    /// What each says, where they differ.
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
}

/// By call, the value under a key.
fn members<'v>(calls: &'v Value<'v>, key: &'v str) -> impl Iterator<Item = Option<&'v Value<'v>>> {
    let calls = calls.as_list().unwrap_or_default();
    calls
        .iter()
        .map(move |call| call.as_object().and_then(|call| call.get_str(key)))
}
