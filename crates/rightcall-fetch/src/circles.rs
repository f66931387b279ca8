//! Whether a service goes in circles: the same page again and again, or pages without an end that hold nothing new.

use std::collections::HashSet;
use std::hash::{BuildHasher, Hasher, RandomState};

/// What came so far, by which it is seen that it comes again.
#[derive(Debug, Default)]
pub(crate) struct Circles {
    cursors: HashSet<String>,
    /// The hashes of what the pages held.
    seen: HashSet<u64>,
    hasher: RandomState,
    /// Pages in a row that held nothing new.
    without_new: u32,
}

impl Circles {
    /// What was there before the first page.
    pub(crate) fn begin<'i>(
        cursor: Option<&str>,
        items: impl IntoIterator<Item = &'i str>,
    ) -> Self {
        let mut circles = Self::default();
        circles.cursors.extend(cursor.map(str::to_owned));
        circles.see(items);
        circles
    }

    /// Notes a page that is not the last: what it holds, and the cursor of the next. `most` pages in a row may hold nothing new.
    ///
    /// # Errors
    /// What comes again.
    pub(crate) fn page<'i>(
        &mut self,
        items: impl IntoIterator<Item = &'i str>,
        next: &str,
        most: u32,
    ) -> Result<(), &'static str> {
        self.without_new = if self.see(items) {
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

    /// True if any of these is new.
    fn see<'i>(&mut self, items: impl IntoIterator<Item = &'i str>) -> bool {
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
    fn cursors_and_pages_that_come_again_are_seen() {
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
