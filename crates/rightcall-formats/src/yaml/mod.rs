//! YAML as trees with a line for every node. Also reads JSON, which is a subset of YAML.
//!
//! Uses the core schema of YAML 1.2: `no` is a string, a date is a string. Numbers keep their digits, so that the compared value is the
//! one in the file. Tags of the core schema and `!!binary` are supported.

mod build;
mod node;
mod scalar;
mod tag;

#[cfg(test)]
mod tests;

pub use build::documents;
pub(crate) use build::{ListItems, each_item};
pub use node::{Key, Yaml, YamlError, YamlNode};
pub(crate) use tag::IgnoredTags;
