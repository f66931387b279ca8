//! Analyses the sources of the workspace: imports between modules, and the names of types.
//!
//! Unit tests (`#[cfg(test)]`) are ignored.

mod imports;
mod source;

pub use imports::{Graph, Import, imports};
pub use source::{Module, Place, TypeName, crate_folders, modules, type_names};
