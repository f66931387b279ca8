//! A guard for a running agent.

use rightcall_core::call::{Arguments, Call};
use rightcall_core::monitor::{Guard, GuardOptions};
use rightcall_quality::use_tool_definitions;
use serde::Serialize;

use crate::error::Error;

/// A guard that holds a running agent to `rules`, the settings of the evaluator `constraints`.
///
/// # Errors
/// A setting is invalid; the message suggests the nearest name.
pub fn guard(rules: &impl Serialize, options: GuardOptions) -> Result<Guard, Error> {
    use_tool_definitions();
    Ok(Guard::new(&serde_json::to_string(rules)?, options)?)
}

/// A call for [`Guard::admit`], with its arguments: a struct, a map or a [`serde_json::Value`].
///
/// # Errors
/// The arguments can't be JSON.
pub fn call(name: &str, arguments: &impl Serialize) -> Result<Call<'static>, Error> {
    Ok(Call {
        name: name.to_owned().into(),
        arguments: Arguments::owned_json(serde_json::to_string(arguments)?),
        metadata: None,
    })
}
