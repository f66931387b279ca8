//! Maps of built-in formats.

use std::sync::OnceLock;

use super::definition::Map;
use crate::format::{MappedFormat, Recognition, TraceReader};
use crate::node::Node;
use crate::trace::Scope;

/// The map of a built-in format, parsed on first use.
pub(crate) struct BuiltInMap {
    name: &'static str,
    text: &'static str,
    map: OnceLock<Map>,
}

impl BuiltInMap {
    /// The map with this text, in YAML.
    pub(crate) const fn new(name: &'static str, text: &'static str) -> Self {
        Self {
            name,
            text,
            map: OnceLock::new(),
        }
    }

    fn map(&self) -> &Map {
        self.map.get_or_init(|| {
            let map = Map::parse(self.name, self.text)
                .expect("a test parses all maps of built-in formats");
            map.of_built_in_format()
        })
    }
}

impl MappedFormat for BuiltInMap {
    fn recognise(&self, value: &Node<'_>) -> Recognition {
        self.map().recognise(value)
    }

    fn reader(&'static self, scope: Scope) -> Box<dyn TraceReader> {
        self.map().reader(scope)
    }

    fn text(&self) -> &str {
        self.text
    }

    fn file(&self) -> Option<&str> {
        None
    }

    fn reads(&self) -> Vec<(&'static str, String)> {
        self.map().reads()
    }
}
