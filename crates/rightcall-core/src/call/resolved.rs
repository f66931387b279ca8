//! Resolves an expectation with several accepted runs to the one nearest to the actual run.

use crate::expectation::{ActualCall, ExpectationError, ProcessTree, Resolution, ResolvedCall};
use crate::value::{Reader, Syntax, Text};

use super::{Arguments, Call, Case};

impl<'a> Case<'a> {
    /// The accepted run nearest to the actual calls, or to an empty run if there is none. `None` if the expectation is a plain list or is
    /// already resolved.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use rightcall_core::call::{Call, Case, Expectation, Trajectory};
    /// use rightcall_core::expectation::ProcessTree;
    /// use rightcall_core::{Ask, Evaluator};
    ///
    /// let tree = ProcessTree::read(r#"[{"any_order": ["find_order", "find_user"]}, "refund"]"#)?;
    /// let calls = ["find_user", "find_order", "refund"];
    /// let case = Case {
    ///     expected: Expectation { tree: Some(Arc::new(tree)), ..Expectation::default() },
    ///     actual: Some(Trajectory {
    ///         calls: calls.map(|name| Call { name: name.into(), ..Call::default() }).into(),
    ///         ..Trajectory::default()
    ///     }),
    ///     ..Case::default()
    /// };
    /// let order = Evaluator::new("uipath/tool-call-order", "{}", None)?;
    /// assert_eq!(order.evaluate(&case, Ask::OUTCOME).score(), Some(1.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn resolution(&self) -> Option<Result<Resolution, ExpectationError>> {
        let tree = self.expected.tree.as_ref()?;
        if self.expected.resolution.is_some() {
            return None;
        }
        let run = self.actual.iter().flat_map(|run| &run.calls);
        let calls: Vec<_> = run.map(Call::for_expectation).collect();
        Some(tree.resolve(&calls))
    }

    /// The case with the calls of its resolution as its expectation.
    #[must_use]
    pub fn resolved<'c>(&self, resolution: &'c Result<Resolution, ExpectationError>) -> Case<'c>
    where
        'a: 'c,
    {
        let mut case: Case<'c> = self.clone();
        case.expected.resolution = Some(resolution);
        case.expected.calls = resolution
            .as_ref()
            .ok()
            .map(|resolution| resolution.calls.iter().map(Call::from_resolved).collect());
        case
    }

    /// Passes the case, resolved if its expectation has blocks, to a function that doesn't support blocks.
    pub fn with_resolved<T>(&self, look: impl FnOnce(&Case<'_>) -> T) -> T {
        match self.resolution() {
            None => look(self),
            Some(resolution) => look(&self.resolved(&resolution)),
        }
    }
}

impl Call<'_> {
    /// The call in the form that an expectation in blocks matches.
    pub fn for_expectation(&self) -> ActualCall<'_> {
        let output = self.metadata().recorded_output();
        ActualCall::new(self.name.reborrow(), self.arguments.to_value(), output)
    }
}

impl ProcessTree {
    /// The tree of a plain list of calls, which accepts only that run.
    pub fn from_calls(calls: &[Call<'_>]) -> Self {
        let demanded = |call: &'_ Call<'_>| {
            let output = call.metadata().output.as_deref();
            ActualCall::new(call.name.clone(), call.arguments.to_value(), output).into_owned()
        };
        Self::from_run(calls.iter().map(demanded))
    }
}

impl<'c> Call<'c> {
    /// A call of a resolved expectation.
    fn from_resolved(resolved: &'c ResolvedCall) -> Self {
        let mut call = Call {
            name: resolved.name.reborrow(),
            arguments: resolved
                .compared_arguments()
                .map_or_else(Arguments::default, Arguments::json),
            metadata: None,
        };
        if let Some(output) = resolved.compared_output() {
            call.metadata_mut().output = Some(output.into());
        }
        for (key, json) in &resolved.others {
            call.set_other(key, json);
        }
        call
    }

    /// Copies a field of an expected call that matching doesn't use.
    fn set_other(&mut self, key: &'c Text<'static>, json: &'c str) {
        let text = || -> Option<Text<'c>> {
            match json.as_bytes().first()? {
                b'"' => Reader::new(json, Syntax::PYTHON).string().ok(),
                b'n' => None,
                _ => Some(Text::new(json)),
            }
        };
        match &*key.to_display() {
            "id" => self.metadata_mut().id = text(),
            "tool_id" => self.metadata_mut().tool_id = text(),
            "group" => self.metadata_mut().group = text(),
            "actor" => self.metadata_mut().actor = text(),
            "turn" => self.metadata_mut().turn = json.parse().ok(),
            "compare_args" if json != "null" => {
                self.metadata_mut().compare_args = Some(json.into());
            }
            "error" if json != "null" => self.metadata_mut().error = Some(json.into()),
            _ => self.metadata_mut().other_keys.push(key.reborrow()),
        }
    }
}
