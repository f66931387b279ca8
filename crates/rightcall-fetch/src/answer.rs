//! Reads the responses of a service.

use std::io::{self, BufReader, Read};
use std::rc::Rc;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::FetchError;
use crate::secrets::Secrets;
use crate::url::shown;

/// A response with a success status.
pub(crate) struct Answer<T> {
    /// The parsed body, of the type that the service's public API documents.
    pub(crate) value: T,
    pub(crate) place: AnswerPlace,
    /// The next page's cursor, if the service sends it in a header.
    pub(crate) cursor: Option<String>,
}

/// The address that an answer came from.
#[derive(Clone)]
pub(crate) struct AnswerPlace {
    pub(crate) url: String,
    pub(crate) secrets: Rc<Secrets>,
}

impl AnswerPlace {
    /// Parses a part of the answer.
    pub(crate) fn read_part<'p, T: Deserialize<'p>>(
        &self,
        part: &'p RawValue,
    ) -> Result<T, FetchError> {
        serde_json::from_str(part.get()).map_err(|error| self.unexpected(&error))
    }

    pub(crate) fn unexpected(&self, what: &impl ToString) -> FetchError {
        FetchError::Answer {
            address: self.secrets.redacted(shown(&self.url)),
            what: self.secrets.redacted(&what.to_string()),
        }
    }
}

/// Why a response could not be read.
pub(crate) enum UnreadAnswer {
    /// The connection broke.
    Broken(io::Error),
    /// The response is longer than this number of bytes.
    TooLong(u64),
    /// The response does not have the expected form.
    Unexpected(serde_json::Error),
}

/// Reads a response as a stream, up to a limit. Also returns the number of bytes read.
pub(crate) fn read<T: DeserializeOwned>(
    answer: impl Read,
    limit: u64,
) -> (Result<T, UnreadAnswer>, u64) {
    let mut answer = Limited {
        inner: answer,
        left: limit,
        is_longer: false,
    };
    let value = serde_json::from_reader(BufReader::with_capacity(1 << 16, &mut answer));
    let value = value.map_err(|error| match error {
        _ if answer.is_longer => UnreadAnswer::TooLong(limit),
        error if error.is_io() => UnreadAnswer::Broken(error.into()),
        error => UnreadAnswer::Unexpected(error),
    });
    (value, limit - answer.left)
}

/// A reader that fails once more than `limit` bytes are read.
struct Limited<R> {
    inner: R,
    left: u64,
    is_longer: bool,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left)
            .unwrap_or(usize::MAX)
            .min(to.len());
        if most > 0 || to.is_empty() {
            let read = self.inner.read(&mut to[..most])?;
            self.left -= read as u64;
            return Ok(read);
        }
        if self.inner.read(&mut [0])? == 0 {
            return Ok(0);
        }
        self.is_longer = true;
        Err(io::Error::other("the answer is too long"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_of(answer: impl Read, limit: u64) -> (Result<Vec<u8>, String>, u64) {
        let (value, bytes) = read(answer, limit);
        let value = value.map_err(|unread| match unread {
            UnreadAnswer::Broken(error) => format!("broken: {error}"),
            UnreadAnswer::TooLong(limit) => format!("longer than {limit}"),
            UnreadAnswer::Unexpected(error) => error.to_string(),
        });
        (value, bytes)
    }

    #[test]
    fn endless_response_is_read_up_to_the_limit() {
        assert_eq!(read_of(&b"[1, 2]"[..], 6), (Ok(vec![1, 2]), 6));
        let longer = (Err("longer than 5".to_owned()), 5);
        assert_eq!(read_of(&b"[1, 2]"[..], 5), longer);
        for endless in [&b" "[..], b"[1,", b"[[", b"\"x"] {
            let begin = io::Cursor::new(endless.to_vec());
            let (value, bytes) = read_of(begin.chain(io::repeat(b' ')), 100_000);
            assert_eq!(
                value.unwrap_err().contains("longer than 100000"),
                endless != b"[["
            );
            assert!(bytes <= 100_000);
        }
        // A syntax error is reported at once, not after the whole response is read.
        let (value, bytes) = read_of(io::repeat(b'x'), 1 << 40);
        assert!(value.unwrap_err().contains("expected value") && bytes <= 1 << 16);
    }
}
