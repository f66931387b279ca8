//! YAML as trees in which every node knows its line. JSON is YAML too.
//!
//! The schema is the core schema of YAML 1.2: `no` is a word, a date is a text. Numbers keep their digits, so that what
//! stands in a file and what is compared are the same. Tags of the core schema and `!!binary` are followed.

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
