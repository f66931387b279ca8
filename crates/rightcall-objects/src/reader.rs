//! Reads objects as byte streams, and lists those that match a glob.

use std::io::{self, Read};

use bytes::{Buf, Bytes};
use futures_util::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt};
use glob::{MatchOptions, Pattern};
use object_store::path::Path;
use object_store::{Error, ObjectStoreExt};
use rightcall_formats::ObjectStores;

use crate::address::ObjectAddress;
use crate::blocking::Blocking;

/// Makes all inputs accept the addresses of objects.
pub fn use_object_stores() {
    rightcall_formats::use_object_stores(ObjectStores { open, list });
}

/// An object being read.
struct ObjectReader {
    blocking: Blocking,
    stream: BoxStream<'static, object_store::Result<Bytes>>,
    chunk: Bytes,
}

impl Read for ObjectReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.chunk.is_empty() {
            match self.blocking.wait(self.stream.next()) {
                Some(chunk) => self.chunk = chunk.map_err(failed)?,
                None => return Ok(0),
            }
        }
        let length = buffer.len().min(self.chunk.len());
        self.chunk.copy_to_slice(&mut buffer[..length]);
        Ok(length)
    }
}

fn open(url: &str) -> io::Result<Box<dyn Read + Send>> {
    let address = ObjectAddress::parse(url)?;
    let blocking = Blocking::new()?;
    let key = path(address.key)?;
    let found = blocking.wait(address.store.get(&key)).map_err(failed)?;
    Ok(Box::new(ObjectReader {
        blocking,
        stream: found.into_stream(),
        chunk: Bytes::new(),
    }))
}

/// The addresses that a glob matches, sorted: `*` matches part of a name, `**` any folders.
fn list(glob: &str) -> io::Result<Vec<String>> {
    let address = ObjectAddress::parse(glob)?;
    let pattern = Pattern::new(address.key)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error.msg))?;
    let blocking = Blocking::new()?;
    let certain = address.key.find(['*', '?', '[']);
    let certain = &address.key[..certain.unwrap_or(address.key.len())];
    let folder = certain.rsplit_once('/').map(|(folder, _)| path(folder));
    let folder = folder.transpose()?;
    let listed = address.store.list(folder.as_ref()).try_collect::<Vec<_>>();
    let objects = blocking.wait(listed).map_err(failed)?;
    let names = objects.iter().map(|object| object.location.as_ref());
    let matches = names.filter(|name| pattern.matches_with(name, LIKE_FILES));
    let mut found: Vec<_> = matches
        .map(|name| format!("{}/{name}", address.bucket))
        .collect();
    found.sort_unstable();
    Ok(found)
}

/// The same glob rules as for files in suites.
const LIKE_FILES: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: false,
};

fn path(key: &str) -> io::Result<Path> {
    Path::parse(key).map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error.to_string()))
}

fn failed(error: Error) -> io::Error {
    let kind = match &error {
        Error::NotFound { .. } => io::ErrorKind::NotFound,
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => {
            io::ErrorKind::PermissionDenied
        }
        _ => io::ErrorKind::Other,
    };
    io::Error::new(kind, error)
}
