//! Recorded spans, as OpenTelemetry's own objects hold them.
//!
//! Only the attributes that an evaluator needs are read. Spans of OpenTelemetry's SDK keep their
//! attributes in a plain dict behind a lock and a read-only view, each of which costs more than the
//! comparison itself. So the dict is read directly for the SDK's own class.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString, PyType};
use rightcall_core::value::{JsonText, JsonWriter};

use crate::exact;
use crate::walk::Stopped;

/// Spans as JSON in the original's shape, with the attributes that identify a tool and the one to compare.
pub(crate) fn json(
    spans: &Bound<'_, PyAny>,
    compared: Option<&Bound<'_, PyString>>,
) -> Result<JsonText, Stopped> {
    let py = spans.py();
    let read = [
        intern!(py, "tool.name"),
        intern!(py, "tool.synthesized"),
        intern!(py, "tool.id"),
    ];
    let mut writer = JsonWriter::with_capacity(512);
    let mut reader = SpanReader::default();
    writer.begin_list();
    for span in spans.try_iter()? {
        let Some(attributes) = reader.attributes(&span?)? else {
            continue;
        };
        writer.begin_object().key("attributes").begin_object();
        for name in read.into_iter().chain(compared) {
            if let Some(found) = attributes.get_item(name)? {
                exact::write(writer.key(name.to_str()?), &found, 0)?;
            }
        }
        writer.end_object().end_object();
    }
    writer.end_list();
    Ok(writer.finish())
}

/// Finds the attributes of spans.
#[derive(Default)]
pub(crate) struct SpanReader<'py> {
    /// The last class that uses the `attributes` of the SDK's spans.
    of_sdk: Option<Bound<'py, PyType>>,
}

impl<'py> SpanReader<'py> {
    /// The attributes of a span; `None` if it has none.
    pub(crate) fn attributes(
        &mut self,
        span: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let py = span.py();
        let given = if self.is_of_sdk(span)? {
            let kept = span.getattr(intern!(py, "_attributes"))?;
            if kept.is_instance_of::<PyDict>() || kept.is_none() {
                kept
            } else {
                kept.getattr_opt(intern!(py, "_dict"))?.unwrap_or(kept)
            }
        } else if let Ok(dict) = span.cast::<PyDict>() {
            match dict.get_item(intern!(py, "attributes"))? {
                Some(attributes) => attributes,
                None => return Ok(None),
            }
        } else {
            span.getattr(intern!(py, "attributes"))?
        };
        if given.is_none() {
            return Ok(None);
        }
        match given.cast_into::<PyDict>() {
            Ok(dict) => Ok(Some(dict)),
            Err(other) => {
                let copied = py.get_type::<PyDict>().call1((other.into_inner(),))?;
                Ok(Some(copied.cast_into()?))
            }
        }
    }

    /// True if the span's class has the SDK's `attributes` property, which only returns a view of `_attributes`.
    fn is_of_sdk(&mut self, span: &Bound<'py, PyAny>) -> PyResult<bool> {
        static SHOWN: PyOnceLock<Option<Py<PyAny>>> = PyOnceLock::new();
        let class = span.get_type();
        if self.of_sdk.as_ref().is_some_and(|known| known.is(&class)) {
            return Ok(true);
        }
        let py = span.py();
        let name = intern!(py, "attributes");
        let Some(shown) = SHOWN.get_or_init(py, || {
            let sdk = py.import("opentelemetry.sdk.trace").ok()?;
            let class = sdk.getattr("ReadableSpan").ok()?;
            class.getattr(name).ok().map(Bound::unbind)
        }) else {
            return Ok(false);
        };
        let is_of_sdk = class.getattr_opt(name)?.is_some_and(|it| it.is(shown));
        if is_of_sdk {
            self.of_sdk = Some(class);
        }
        Ok(is_of_sdk)
    }
}
