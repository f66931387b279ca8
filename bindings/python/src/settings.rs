//! What holds for the whole process: the edition that evaluators have unless told otherwise, and how cases are read.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

use pyo3::prelude::*;
use rightcall::Edition;
use rightcall_formats::ReadOptions;
use rightcall_run::fresh_hash_key;

use crate::errors;

/// 0 for none, else 1 and the edition's place here.
static DEFAULT: AtomicU8 = AtomicU8::new(0);
const EDITIONS: [Edition; 2] = [Edition::Documented, Edition::Package];

/// The edition that evaluators have unless told otherwise; `None` for the first of their own.
pub(crate) fn default_edition() -> Option<Edition> {
    DEFAULT
        .load(Ordering::Relaxed)
        .checked_sub(1)
        .and_then(|place| EDITIONS.get(usize::from(place)).copied())
}

/// An edition by its name.
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

/// Sets the edition of all evaluators made from now on in this process that have it and name none; `None` goes back to the default.
#[pyfunction]
#[pyo3(signature = (edition, /))]
pub(crate) fn set_edition(py: Python<'_>, edition: Option<&str>) -> PyResult<()> {
    let place =
        edition_of(py, edition)?.and_then(|edition| EDITIONS.iter().position(|it| *it == edition));
    DEFAULT.store(place.map_or(0, |place| place as u8 + 1), Ordering::Relaxed);
    Ok(())
}

/// The edition that was set for this process; `None` if evaluators have their own default.
#[pyfunction]
pub(crate) fn edition() -> Option<&'static str> {
    default_edition().map(Edition::as_str)
}

/// How cases are read, and under which key arguments are hashed: nobody outside of this process can know it.
pub(crate) fn reading() -> &'static ReadOptions {
    static READING: OnceLock<ReadOptions> = OnceLock::new();
    READING.get_or_init(|| ReadOptions {
        hash_key: fresh_hash_key(),
        ..ReadOptions::default()
    })
}
