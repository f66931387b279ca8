//! Pieces returned together.

use std::ops::Range;

/// Bytes of items to wrap in one enclosing object.
const TOGETHER: usize = 1 << 16;

/// Pieces returned together.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) text: String,
    pub(super) places: Vec<(Range<usize>, u64)>,
    /// For the object around the last items: its offset, its line, and its closing text.
    around: Option<(usize, u64, String)>,
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
        line: u64,
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
            self.places.push((from..self.text.len(), line));
            return;
        }
        if self.around.is_some() {
            self.text.push(',');
        } else {
            let from = self.text.len();
            let depth = keys.clone().count();
            keys.for_each(|key| self.text.extend(["{\"", key, "\":["]));
            self.around = Some((from, line, "]}".repeat(depth)));
        }
        self.text.push_str(item);
    }

    /// Closes the object around the last items.
    pub(super) fn close(&mut self) {
        if let Some((from, line, end)) = self.around.take() {
            self.text.push_str(&end);
            self.places.push((from..self.text.len(), line));
        }
    }
}
