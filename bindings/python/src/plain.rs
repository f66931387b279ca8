//! Classifies Python objects that JSON can represent directly.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString};

/// A value that JSON can represent directly.
pub(crate) enum Plain<'a, 'py> {
    Text(&'a Bound<'py, PyString>),
    Integer(&'a Bound<'py, PyInt>),
    Float(&'a Bound<'py, PyFloat>),
    Bool(bool),
    None,
    Dict(&'a Bound<'py, PyDict>),
    List(&'a Bound<'py, PyList>),
    Not,
}

impl<'a, 'py> Plain<'a, 'py> {
    #[inline]
    pub(crate) fn of(object: &'a Bound<'py, PyAny>) -> Self {
        match Self::of_exact(object) {
            Self::Not => Self::of_subclass(object),
            plain => plain,
        }
    }

    /// The same, without subclasses.
    #[expect(
        clippy::inline_always,
        reason = "some comparisons for every value of a case"
    )]
    #[inline(always)]
    pub(crate) fn of_exact(object: &'a Bound<'py, PyAny>) -> Self {
        // Comparing classes is faster than asking the interpreter about base classes.
        if let Ok(text) = object.cast_exact::<PyString>() {
            Self::Text(text)
        } else if let Ok(integer) = object.cast_exact::<PyInt>() {
            Self::Integer(integer)
        } else if let Ok(float) = object.cast_exact::<PyFloat>() {
            Self::Float(float)
        } else if let Ok(boolean) = object.cast_exact::<PyBool>() {
            Self::Bool(boolean.is_true())
        } else if object.is_none() {
            Self::None
        } else if let Ok(dict) = object.cast_exact::<PyDict>() {
            Self::Dict(dict)
        } else if let Ok(list) = object.cast_exact::<PyList>() {
            Self::List(list)
        } else {
            Self::Not
        }
    }

    #[cold]
    fn of_subclass(object: &'a Bound<'py, PyAny>) -> Self {
        if let Ok(text) = object.cast::<PyString>() {
            Self::Text(text)
        } else if let Ok(dict) = object.cast::<PyDict>() {
            Self::Dict(dict)
        } else if let Ok(list) = object.cast::<PyList>() {
            Self::List(list)
        } else if let Ok(integer) = object.cast::<PyInt>() {
            Self::Integer(integer)
        } else if let Ok(float) = object.cast::<PyFloat>() {
            Self::Float(float)
        } else {
            Self::Not
        }
    }
}
