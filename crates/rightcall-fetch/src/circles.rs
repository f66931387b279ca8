//! Detects services that loop: they send the same page repeatedly, or endless pages without new
//! traces.

use std::collections::HashSet;
use std::hash::{BuildHasher, Hasher, RandomState};

/// The cursors and items seen so far.
#[derive(Debug, Default)]
pub(crate) struct Circles {
    cursors: HashSet<String>,
    /// Hashes of the items on earlier pages.
    seen: HashSet<u64>,
    hasher: RandomState,
    /// Consecutive pages without a new item.
    without_new: u32,
}

impl Circles {
    /// Starts with the cursor and the items known before the first page.
    pub(crate) fn begin<'i>(
        cursor: Option<&str>,
        items: impl IntoIterator<Item = &'i str>,
    ) -> Self {
        let mut circles = Self::default();
        circles.cursors.extend(cursor.map(str::to_owned));
        circles.add_items(items);
        circles
    }

    /// Records a page that is not the last: its items, and the next page's cursor. At most `most` consecutive pages may have no new item.
    ///
    /// # Errors
    /// What is repeated.
    pub(crate) fn page<'i>(
        &mut self,
        items: impl IntoIterator<Item = &'i str>,
        next: &str,
        most: u32,
    ) -> Result<(), &'static str> {
        self.without_new = if self.add_items(items) {
            0
        } else {
            self.without_new + 1
        };
        if !self.cursors.insert(next.to_owned()) {
            return Err("the cursor of a page that came before");
        }
        if self.without_new > most {
            return Err("what came before, or nothing, page after page");
        }
        Ok(())
    }

    /// Adds the items; true if any is new.
    fn add_items<'i>(&mut self, items: impl IntoIterator<Item = &'i str>) -> bool {
        let mut has_new = false;
        for item in items {
            let mut hasher = self.hasher.build_hasher();
            hasher.write(item.as_bytes());
            has_new |= self.seen.insert(hasher.finish());
        }
        has_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_cursors_and_pages_are_detected() {
        let mut circles = Circles::begin(Some("a"), ["t1"]);
        assert!(circles.page(["t2"], "b", 0).is_ok());
        assert!(circles.page(["t2", "t3"], "c", 0).is_ok());
        assert!(circles.page(["t4"], "a", 0).unwrap_err().contains("cursor"));
        let mut circles = Circles::begin(None, []);
        assert!(circles.page(["t1"], "1", 2).is_ok());
        for (cursor, items) in [("2", &["t1"][..]), ("3", &[])] {
            assert!(circles.page(items.iter().copied(), cursor, 2).is_ok());
        }
        assert!(circles.page(["t1"], "4", 2).is_err());
        assert!(circles.page(["t2"], "5", 2).is_ok());
    }
}
