//! Types and constructors under their 0.1.0 names, for one version.

#![expect(missing_docs, reason = "each says what it is called now")]

use std::path::Path;

use rightcall::call::Case;

use crate::error::OpenError;
use crate::input::Input;
use crate::inspection::Inspection;
use crate::options::{Limits, ReadOptions};
use crate::trace::Trace;

#[deprecated = "use `ReadingChoice`"]
pub type Choice = crate::ReadingChoice;

#[deprecated = "use `CallOrder`"]
pub type Order = crate::CallOrder;

#[deprecated = "use `Executor`"]
pub type Run = crate::Executor;

impl Input {
    #[deprecated = "use `Input::from_bytes`"]
    pub fn of_bytes(
        name: &str,
        bytes: Vec<u8>,
        limits: Limits,
        options: &ReadOptions,
    ) -> Result<Self, OpenError> {
        Self::from_bytes(name, bytes, limits, options)
    }
}

impl Inspection {
    #[deprecated = "use `Inspection::from_file`"]
    pub fn of_file(
        path: &Path,
        limits: Limits,
        options: &ReadOptions,
        keep: usize,
    ) -> Result<Self, OpenError> {
        Self::from_file(path, limits, options, keep)
    }
}

impl Trace {
    #[deprecated = "use `Trace::from_case`"]
    pub fn of_case(case: &Case<'_>, line: u64) -> Self {
        Self::from_case(case, line)
    }
}
