//! Process-wide settings: the default edition of evaluators, and the options for reading cases.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

use pyo3::prelude::*;
use rightcall_core::Edition;
use rightcall_formats::ReadOptions;
use rightcall_run::fresh_hash_key;

use crate::errors;

/// 0 for no edition, else 1 plus the index in [`EDITIONS`].
static DEFAULT: AtomicU8 = AtomicU8::new(0);
const EDITIONS: [Edition; 2] = [Edition::Documented, Edition::Package];

/// The default edition of evaluators; `None` for the evaluator's own default.
pub(crate) fn default_edition() -> Option<Edition> {
    DEFAULT
        .load(Ordering::Relaxed)
        .checked_sub(1)
        .and_then(|place| EDITIONS.get(usize::from(place)).copied())
}

/// Finds an edition by name.
pub(crate) fn edition_of(py: Python<'_>, name: Option<&str>) -> PyResult<Option<Edition>> {
    name.map(|name| {
        Edition::parse(name).ok_or_else(|| {
            let message =
                format!("edition: expected \"documented\" or \"package\", found \"{name}\"");
            errors::value(py, &message)
        })
    })
    .transpose()
}

/// Sets the edition of all evaluators created later in this process, unless they set one or do not have it. `None` restores the default.
#[pyfunction]
#[pyo3(signature = (edition, /))]
pub(crate) fn set_edition(py: Python<'_>, edition: Option<&str>) -> PyResult<()> {
    let place =
        edition_of(py, edition)?.and_then(|edition| EDITIONS.iter().position(|it| *it == edition));
    DEFAULT.store(place.map_or(0, |place| place as u8 + 1), Ordering::Relaxed);
    Ok(())
}

/// The edition set for this process; `None` if evaluators use their own default.
#[pyfunction]
pub(crate) fn edition() -> Option<&'static str> {
    default_edition().map(Edition::as_str)
}

/// The options for reading cases. The hash key for arguments is random, so that it is unknown outside this process.
pub(crate) fn reading() -> &'static ReadOptions {
    static READING: OnceLock<ReadOptions> = OnceLock::new();
    READING.get_or_init(|| ReadOptions {
        hash_key: fresh_hash_key(),
        ..ReadOptions::default()
    })
}
