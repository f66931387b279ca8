//! The maps that may read a table.

use rightcall_core::value::MAX_DEPTH;

use crate::detect::{Detection, recognise};
use crate::format::{Format, Reading, Recognition};
use crate::node::Node;
use crate::options::ReadOptions;

/// The maps that may read a table, in place of its columns' own meaning.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TableMaps {
    /// True if a map was chosen: it reads every row.
    pub(super) is_chosen: bool,
    /// The user's maps that recognize records by themselves.
    pub(super) known: &'static [&'static Format],
}

impl TableMaps {
    pub(super) fn of(options: &ReadOptions) -> Self {
        Self {
            is_chosen: options.format.is_some_and(|format| format.map().is_some()),
            known: if options.format.is_none() {
                options.maps
            } else {
                &[]
            },
        }
    }

    /// True for a record that a map of the user recognizes.
    pub(super) fn recognise(&self, record: &str) -> bool {
        let fits = |record: &Node<'_>| {
            let mut maps = self.known.iter();
            maps.any(|map| recognise(map, record) == Recognition::Certain)
        };
        !self.known.is_empty() && Node::parse(record, MAX_DEPTH).is_ok_and(|it| fits(&it))
    }
}

/// True for a row of a data set or a log that a built-in map reads. Its columns may have the names of those of cases.
pub(super) fn are_of_built_in_map(record: &str) -> bool {
    let format = Node::parse(record, MAX_DEPTH)
        .ok()
        .and_then(|record| Detection::of_traces().value(&record));
    format.is_some_and(|format| matches!(format.reading, Reading::Mapped(_)))
}
