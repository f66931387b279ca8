//! The calls that a monitor records.

use crate::call::Call;

/// The result of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResultOfCall<'r> {
    /// The tool's output, as JSON text; `None` if not recorded.
    pub output: Option<&'r str>,
    /// Whether the call failed; `None` if not recorded.
    pub failed: Option<bool>,
}

/// Adds a result to a call.
pub(super) fn add_result(call: &mut Call<'static>, result: ResultOfCall<'_>) {
    let metadata = call.metadata_mut();
    let (null, output) = match result.output.map(str::trim) {
        Some("null") => (true, None),
        output => (false, output),
    };
    metadata.has_null_output = null;
    metadata.output = output.map(|json| json.to_owned().into());
    metadata.error = result.failed.map(|failed| failed.to_string().into());
}
