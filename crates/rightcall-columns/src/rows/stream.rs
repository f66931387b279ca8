//! Reads a stream of Arrow messages. Memory grows with the bytes received, not with the sizes that messages claim.

use std::io::{self, Cursor, Read};

use arrow_ipc::{Message, root_as_message};

/// The stream's bytes, message by message. A message that claims more bytes than the stream has is an error.
pub(crate) struct CheckedStream<R> {
    stream: R,
    message: Cursor<Vec<u8>>,
}

/// Compressed buffers may expand by at most this factor, or to `ALWAYS_UNPACKED` bytes if that is more.
const MOST_UNPACKED: u64 = 1_100;
const ALWAYS_UNPACKED: u64 = 64 << 20;

/// Bytes before a message: a marker and the length.
const HEAD: usize = 8;

impl<R: Read> CheckedStream<R> {
    pub(crate) fn new(stream: R) -> Self {
        Self {
            stream,
            message: Cursor::default(),
        }
    }

    /// The bytes of the next message; empty at the end.
    fn next_message(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        (&mut self.stream)
            .take(HEAD as u64)
            .read_to_end(&mut bytes)?;
        let Some(length) = bytes.last_chunk().filter(|_| bytes.len() == HEAD) else {
            return if bytes.is_empty() {
                Ok(bytes)
            } else {
                Err(cut_off())
            };
        };
        let length = u32::from_le_bytes(*length);
        if length == 0 {
            return Ok(bytes);
        }
        self.fill(&mut bytes, u64::from(length))?;
        let begin = bytes.len();
        let body = u64::try_from(parse(&bytes)?.bodyLength()).map_err(|_| cut_off())?;
        self.fill(&mut bytes, body)?;
        check_claims(&parse(&bytes[..begin])?, &bytes[begin..])?;
        Ok(bytes)
    }

    fn fill(&mut self, bytes: &mut Vec<u8>, length: u64) -> io::Result<()> {
        let read = (&mut self.stream).take(length).read_to_end(bytes)?;
        if read as u64 == length {
            Ok(())
        } else {
            Err(cut_off())
        }
    }
}

fn parse(bytes: &[u8]) -> io::Result<Message<'_>> {
    root_as_message(&bytes[HEAD..]).map_err(|error| damaged(format!("no message: {error}")))
}

/// Rejects compressed buffers that claim to expand to more than their bytes allow.
fn check_claims(message: &Message<'_>, body: &[u8]) -> io::Result<()> {
    let of_dictionary = || message.header_as_dictionary_batch()?.data();
    let batch = message.header_as_record_batch().or_else(of_dictionary);
    let Some(batch) = batch.filter(|batch| batch.compression().is_some()) else {
        return Ok(());
    };
    let claims = batch.buffers().into_iter().flatten().map(|buffer| {
        let from = usize::try_from(buffer.offset()).ok();
        let prefix = from.and_then(|from| body.get(from..)?.first_chunk());
        prefix.map_or(0, |prefix| {
            i64::from_le_bytes(*prefix).max(0).unsigned_abs()
        })
    });
    let claimed = claims.fold(0, u64::saturating_add);
    let most = (body.len() as u64).saturating_mul(MOST_UNPACKED);
    if claimed > most.max(ALWAYS_UNPACKED) {
        let found = format!("{} bytes that claim to hold {claimed}", body.len());
        return Err(damaged(found));
    }
    Ok(())
}

#[cold]
fn damaged(found: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, found)
}

#[cold]
fn cut_off() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "a message ends too early")
}

impl<R: Read> Read for CheckedStream<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.message.read(buffer)?;
        if length > 0 || buffer.is_empty() {
            return Ok(length);
        }
        self.message = Cursor::new(self.next_message()?);
        self.message.read(buffer)
    }
}
