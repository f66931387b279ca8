//! Runs futures as blocking calls.

use std::future::Future;
use std::io;

use tokio::runtime::{Builder, Runtime};

/// Runs the futures of one reader on the reading thread.
pub(crate) struct Blocking(Runtime);

impl Blocking {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self(Builder::new_current_thread().enable_time().build()?))
    }

    pub(crate) fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.0.block_on(future)
    }
}
