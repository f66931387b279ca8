//! What the sources of the workspace say of themselves: which module takes what from which, and the names of types.
//!
//! Tests beside the code (`#[cfg(test)]`) do not count.

mod imports;
mod source;

pub use imports::{Graph, Import, imports};
pub use source::{Module, Place, TypeName, crate_folders, modules, type_names};
