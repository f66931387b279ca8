//! The calls that a monitor keeps.

use crate::call::{ArgumentSource, Arguments, Call, CallMetadata};

/// What came of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResultOfCall<'r> {
    /// What the tool returned, as JSON text; `None` where that is not recorded.
    pub output: Option<&'r str>,
    /// Whether the call failed; `None` where that is not recorded.
    pub failed: Option<bool>,
}

/// A call with memory of its own: what constraints look at, and what a result brings later left out.
pub(super) fn kept(call: &Call<'_>) -> Call<'static> {
    let arguments = match call.arguments.source() {
        ArgumentSource::Absent => Arguments::default(),
        ArgumentSource::Json(json) => Arguments::owned_json(json),
        ArgumentSource::Text { text, .. } => Arguments::owned_text(text.into_owned()),
    };
    let given = call.metadata();
    let owned =
        |text: &Option<std::borrow::Cow<'_, str>>| text.as_deref().map(|it| it.to_owned().into());
    let metadata = CallMetadata {
        start: owned(&given.start),
        end: owned(&given.end),
        group: given.group.clone().map(crate::value::Text::into_owned),
        ..CallMetadata::default()
    };
    let has_metadata = [
        given.start.is_some(),
        given.end.is_some(),
        given.group.is_some(),
    ];
    Call {
        name: call.name.clone().into_owned(),
        arguments,
        metadata: has_metadata.contains(&true).then(|| Box::new(metadata)),
    }
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
