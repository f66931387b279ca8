//! A call as requested, before its result.

use std::borrow::Cow;

use super::{ArgumentSource, Arguments, Call, CallMetadata};
use crate::value::Text;

impl Call<'_> {
    /// An owned copy of the call with only what is known before its result: name, arguments, group and times.
    pub fn asked(&self) -> Call<'static> {
        let arguments = match self.arguments.source() {
            ArgumentSource::Absent => Arguments::default(),
            ArgumentSource::Json(json) => Arguments::owned_json(json),
            ArgumentSource::Text { text, .. } => Arguments::owned_text(text.into_owned()),
        };
        let given = self.metadata();
        let owned = |text: &Option<Cow<'_, str>>| text.as_deref().map(|it| it.to_owned().into());
        let metadata = CallMetadata {
            start: owned(&given.start),
            end: owned(&given.end),
            group: given.group.clone().map(Text::into_owned),
            ..CallMetadata::default()
        };
        let has_metadata = given.start.is_some() || given.end.is_some() || given.group.is_some();
        Call {
            name: self.name.clone().into_owned(),
            arguments,
            metadata: has_metadata.then(|| Box::new(metadata)),
        }
    }
}
