//! Errors instead of an answer.

use rightcall_core::ConfigError;
use rightcall_core::value::JsonWriter;
use rightcall_formats::{CaseError, OpenError, ReadError, UnknownFormat};

/// A message, its place, and advice.
#[derive(Debug, Default)]
pub(crate) struct Fault {
    message: String,
    pointer: Option<String>,
    help: Option<String>,
}

impl Fault {
    /// An error with this message alone.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "it is called with temporary values"
    )]
    pub(crate) fn of(message: impl ToString) -> Self {
        Self {
            message: message.to_string(),
            ..Self::default()
        }
    }

    pub(crate) fn to_json(&self) -> String {
        let mut writer = JsonWriter::new();
        writer.begin_object().key("message").str(&self.message);
        writer.optional("pointer", self.pointer.as_ref());
        writer.optional("help", self.help.as_ref()).end_object();
        writer.finish().into_string()
    }
}

impl From<ConfigError> for Fault {
    fn from(error: ConfigError) -> Self {
        Self::of(error)
    }
}

impl From<UnknownFormat> for Fault {
    fn from(error: UnknownFormat) -> Self {
        Self::of(error)
    }
}

impl From<CaseError> for Fault {
    fn from(error: CaseError) -> Self {
        Self {
            message: error.to_string(),
            help: error.help.as_ref().map(ToString::to_string),
            pointer: Some(error.pointer),
        }
    }
}

impl From<&ReadError> for Fault {
    fn from(error: &ReadError) -> Self {
        Self {
            message: error.to_string(),
            help: error.help.as_ref().map(ToString::to_string),
            pointer: Some(error.at.pointer.clone()),
        }
    }
}

impl From<OpenError> for Fault {
    fn from(error: OpenError) -> Self {
        Self {
            message: error.to_string(),
            help: error.help.as_ref().map(ToString::to_string),
            ..Self::default()
        }
    }
}
