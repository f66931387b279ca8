//! The arguments of a call, member by member.

use rightcall_core::call::Call;
use rightcall_core::value::{JsonText, JsonWriter, Text, Value};

/// An argument.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Member {
    key: Text<'static>,
    /// Its value as JSON text.
    pub(crate) json: String,
}

impl Member {
    pub(crate) fn new(name: &str, json: &str) -> Self {
        Self {
            key: Text::from(name.to_owned()),
            json: json.to_owned(),
        }
    }

    pub(crate) fn name(&self) -> String {
        self.key.to_display().into_owned()
    }
}

/// The arguments of a call, if it recorded an object.
pub(crate) fn members_of(call: &Call<'_>) -> Option<Vec<Member>> {
    let Some(Value::Object(object)) = call.arguments.to_value() else {
        return None;
    };
    let member = |(key, value): &(Text<'_>, Value<'_>)| Member {
        key: key.clone().into_owned(),
        json: JsonText::from_value(value).into_string(),
    };
    Some(object.iter().map(member).collect())
}

/// Arguments as JSON text.
pub(crate) fn json_of<'m>(members: impl IntoIterator<Item = &'m Member>) -> String {
    let mut writer = JsonWriter::new();
    writer.begin_object();
    for member in members {
        writer.key_text(&member.key).raw(&member.json);
    }
    writer.end_object();
    writer.finish().into_string()
}
