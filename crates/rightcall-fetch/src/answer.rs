//! What a service answered.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::FetchError;
use crate::url::shown;

/// An answer with the status of success.
pub(crate) struct Answer {
    pub(crate) url: String,
    pub(crate) body: Vec<u8>,
    /// Where the service says in a header how to ask for the next page.
    pub(crate) cursor: Option<String>,
}

impl Answer {
    /// The body as what the public interface of the service says.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, FetchError> {
        serde_json::from_slice(&self.body).map_err(|error| self.unexpected(&error))
    }

    /// The same of a part of it.
    pub(crate) fn read_part<'p, T: Deserialize<'p>>(
        &self,
        part: &'p RawValue,
    ) -> Result<T, FetchError> {
        serde_json::from_str(part.get()).map_err(|error| self.unexpected(&error))
    }

    pub(crate) fn unexpected(&self, what: &impl ToString) -> FetchError {
        FetchError::Answer {
            address: shown(&self.url).to_owned(),
            what: what.to_string(),
        }
    }
}
