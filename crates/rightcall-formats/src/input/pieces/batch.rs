//! Pieces returned together.

use std::ops::Range;

use crate::place::LinePlace;

/// Bytes of items to wrap in one enclosing object.
const TOGETHER: usize = 1 << 16;

/// Pieces returned together.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) text: String,
    pub(super) parts: Vec<(Range<usize>, LinePlace)>,
    /// For the object around the last items: its offset, the place of its first item, and its closing text.
    around: Option<(usize, LinePlace, String)>,
}

impl Batch {
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Adds an item of the list under the last key. Each list is in an object that is an item of the list before.
    pub(super) fn add<'k>(
        &mut self,
        keys: impl Iterator<Item = &'k str> + Clone,
        item: &str,
        place: LinePlace,
    ) {
        if self
            .around
            .as_ref()
            .is_some_and(|(from, ..)| self.text.len() - from > TOGETHER)
        {
            self.close();
        }
        if keys.clone().next().is_none() {
            let from = self.text.len();
            self.text.push_str(item);
            self.parts.push((from..self.text.len(), place));
            return;
        }
        if self.around.is_some() {
            self.text.push(',');
        } else {
            let from = self.text.len();
            let depth = keys.clone().count();
            keys.for_each(|key| self.text.extend(["{\"", key, "\":["]));
            self.around = Some((from, place, "]}".repeat(depth)));
        }
        self.text.push_str(item);
    }

    /// Closes the object around the last items.
    pub(super) fn close(&mut self) {
        if let Some((from, place, end)) = self.around.take() {
            self.text.push_str(&end);
            self.parts.push((from..self.text.len(), place));
        }
    }
}
