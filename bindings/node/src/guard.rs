//! A guard decides before each call whether it is allowed.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use napi_derive::napi;
use rightcall_core::call::Call;
use rightcall_core::monitor::{Guard, GuardMode, GuardOptions, ResultOfCall};
use rightcall_core::value::JsonText;
use rightcall_formats::{Limits, read_call};
use rightcall_results::result_json;
use rightcall_run::rules_in;

use crate::answer::{Fault, answer};

/// The state of TypeScript's `Guard`.
#[napi]
pub struct RunGuard {
    guard: Mutex<Guard>,
}

impl RunGuard {
    /// Creates a guard for rules: settings of `constraints`, or a list of rules.
    pub(crate) fn over(rules: &str, mode: &str, max_refusals: u32) -> Result<Self, Fault> {
        let mode = GuardMode::parse(mode).ok_or_else(|| {
            Fault::config(format!(
                "`mode` takes block, warn or observe, found `{mode}`"
            ))
        })?;
        Ok(Self::new(Guard::new(
            rules,
            GuardOptions { mode, max_refusals },
        )?))
    }

    /// A guard for the rules in a file.
    pub(crate) fn over_file(path: &str, mode: &str, max_refusals: u32) -> Result<Self, Fault> {
        let limits = Limits::default();
        let rules = rules_in(Path::new(path), limits.max_document);
        Self::over(&rules.map_err(Fault::config)?, mode, max_refusals)
    }

    /// Restores a guard from a snapshot.
    pub(crate) fn restored(snapshot: &str) -> Result<Self, Fault> {
        let guard = Guard::restore(snapshot).map_err(Fault::config)?;
        Ok(Self::new(guard))
    }

    fn new(guard: Guard) -> Self {
        Self {
            guard: Mutex::new(guard),
        }
    }

    fn state(&self) -> MutexGuard<'_, Guard> {
        self.guard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Applies `ask` to a call in the format of a case.
    fn with_call<T>(
        &self,
        call: &str,
        ask: impl FnOnce(&mut Guard, &Call<'_>) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        read_call(call, |call| ask(&mut self.state(), call))?
    }
}

#[napi]
impl RunGuard {
    /// Decides about a call, and records it if it is allowed; answers with the decision.
    #[napi(catch_unwind)]
    pub fn admit(&self, call: String) -> String {
        answer("admit", || {
            self.with_call(&call, |guard, call| {
                let decision = guard.admit(call).map_err(Fault::config)?;
                Ok(JsonText::from_type(&decision).into_string())
            })
        })
    }

    /// The rules that this call would violate.
    #[napi(catch_unwind)]
    pub fn may(&self, call: String) -> String {
        answer("may", || {
            self.with_call(&call, |guard, call| {
                let refusals = guard.monitor().may(call).map_err(Fault::config)?;
                Ok(JsonText::from_type(&refusals).into_string())
            })
        })
    }

    /// Records a call without a decision; answers with its index.
    #[napi(catch_unwind)]
    pub fn observe(&self, call: String) -> String {
        answer("observe", || {
            self.with_call(&call, |guard, call| {
                Ok(guard.observe(call).map_err(Fault::config)?.to_string())
            })
        })
    }

    /// Records the result of a call; the output is JSON.
    #[napi(catch_unwind)]
    pub fn result(&self, call: u32, output: Option<String>, failed: Option<bool>) -> String {
        answer("result", || {
            let result = ResultOfCall {
                output: output.as_deref(),
                failed,
            };
            let recorded = self.state().result(call as usize, result);
            recorded.map_err(Fault::config)?;
            Ok("null".to_owned())
        })
    }

    /// Each rule with its verdict.
    #[napi(catch_unwind)]
    pub fn verdicts(&self) -> String {
        answer("verdicts", || {
            Ok(self.state().monitor().verdicts_json().into_string())
        })
    }

    /// The expected calls that may come next.
    #[napi(catch_unwind)]
    pub fn next(&self) -> String {
        answer("next", || {
            Ok(self.state().monitor().next_json().into_string())
        })
    }

    /// The rules that are still open.
    #[napi(catch_unwind)]
    pub fn open(&self) -> String {
        answer("open", || {
            let open = self.state().monitor().open();
            Ok(JsonText::from_type(&open).into_string())
        })
    }

    /// The message about open rules for an agent that wants to end; returned once.
    #[napi(catch_unwind)]
    pub fn reminder(&self) -> Option<String> {
        self.state().reminder()
    }

    /// Why the run was stopped.
    #[napi(catch_unwind)]
    pub fn stopped(&self) -> Option<String> {
        self.state().stopped().map(str::to_owned)
    }

    /// The guard as JSON.
    #[napi(catch_unwind)]
    pub fn snapshot(&self) -> String {
        self.state().snapshot().into_string()
    }

    /// Ends the run; answers with the evaluation by `constraints`.
    #[napi(catch_unwind)]
    pub fn finish(&self) -> String {
        answer("finish", || {
            let evaluation = self.state().finish().map_err(Fault::config)?;
            let members = "\"evaluator\":\"constraints\"";
            Ok(result_json(members, &evaluation.into()))
        })
    }
}
