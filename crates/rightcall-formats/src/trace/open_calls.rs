//! Pairs results with calls.
//!
//! An id may be repeated within a run, so a map from id to call is not enough. A result belongs to the oldest open call with its id;
//! without an id to the oldest open call with its name; without a name to the oldest open call. Among calls without ids, those of the
//! latest group are tried first: a call that was never answered must not take the result of a later one.

use std::collections::{HashMap, HashSet, VecDeque};

use rightcall_core::value::Text;

use super::unread::ReadCalls;

/// A map by ids or names of a run, which are short and few. The standard hasher would take most of the time.
pub(crate) type TextMap<K, V> = HashMap<K, V, foldhash::fast::RandomState>;

/// Calls that may still get a result.
#[derive(Debug, Default)]
pub(crate) struct OpenCalls<'a> {
    is_answered: Vec<bool>,
    by_id: TextMap<Text<'a>, VecDeque<usize>>,
    by_name: TextMap<Text<'a>, VecDeque<usize>>,
    /// The names of calls without an id.
    without_id: HashSet<Text<'a>, foldhash::fast::RandomState>,
    oldest: usize,
    /// The first call of the latest group.
    group: usize,
}

impl<'a> OpenCalls<'a> {
    /// Begins a group: the following calls were requested together.
    pub(crate) fn begin_group(&mut self) {
        self.group = self.is_answered.len();
    }

    /// Adds a call with the next number. Returns the number of the last call with its id, if that is still open.
    pub(crate) fn open(&mut self, id: Option<&Text<'a>>, name: &Text<'a>) -> Option<usize> {
        let index = self.is_answered.len();
        let mut last = None;
        if let Some(id) = id {
            let queue = self.by_id.entry(id.clone()).or_default();
            last = queue.back().copied().filter(|_| !id.is_empty());
            queue.push_back(index);
        } else {
            self.without_id.insert(name.clone());
        }
        self.by_name
            .entry(name.clone())
            .or_default()
            .push_back(index);
        self.is_answered.push(false);
        last.filter(|&last| !self.is_answered[last])
    }

    /// The number of the next call.
    pub(crate) fn next(&self) -> usize {
        self.is_answered.len()
    }

    /// Marks a call as answered.
    pub(crate) fn close(&mut self, number: usize) {
        self.is_answered[number] = true;
    }

    /// True if there was a call with this id.
    pub(crate) fn has_call_id(&self, id: &Text<'a>) -> bool {
        self.by_id.contains_key(id)
    }

    /// The open calls of the latest group, those with this name if there is one.
    pub(crate) fn in_group(&self, name: Option<&Text<'a>>) -> Vec<usize> {
        let is_open = |call: &usize| *call >= self.group && !self.is_answered[*call];
        let all = 0..self.is_answered.len();
        match name {
            Some(name) => self.in_run(name).filter(is_open).collect(),
            None => all.filter(is_open).collect(),
        }
    }

    /// The open calls with this name.
    pub(crate) fn in_run(&self, name: &Text<'a>) -> impl Iterator<Item = usize> {
        let named = self.by_name.get(name).into_iter().flatten().copied();
        named.filter(|&call| !self.is_answered[call])
    }

    /// True if a call with this id, or with this name, has no result yet.
    pub(crate) fn awaits(&self, id: Option<&Text<'a>>, name: Option<&Text<'a>>) -> bool {
        let known = match (id, name) {
            (Some(id), _) => self.by_id.get(id),
            (None, Some(name)) => self.by_name.get(name),
            (None, None) => None,
        };
        known.is_some_and(|calls| calls.iter().any(|&call| !self.is_answered[call]))
    }

    /// The call that a result answers, marked as answered; `None` for an orphan.
    pub(crate) fn answer(
        &mut self,
        id: Option<&Text<'a>>,
        name: Option<&Text<'a>>,
    ) -> Option<usize> {
        let index = match (id, name) {
            (Some(id), _) => self
                .by_id
                .get_mut(id)
                .and_then(|queue| oldest_open(queue, &self.is_answered)),
            (None, Some(name)) => {
                let queue = self.by_name.get_mut(name)?;
                let first = oldest_open(queue, &self.is_answered)?;
                Some(
                    queue
                        .iter()
                        .copied()
                        .find(|&index| index >= self.group && !self.is_answered[index])
                        .unwrap_or(first),
                )
            }
            (None, None) => {
                while self.is_answered.get(self.oldest) == Some(&true) {
                    self.oldest += 1;
                }
                let is_open = |index: &usize| !self.is_answered[*index];
                (self.group..self.is_answered.len())
                    .find(is_open)
                    .or((self.oldest < self.is_answered.len()).then_some(self.oldest))
            }
        }?;
        self.is_answered[index] = true;
        Some(index)
    }
}

impl ReadCalls for OpenCalls<'_> {
    fn have_id(&self, id: &Text<'static>) -> bool {
        self.by_id.contains_key(id)
    }

    fn have_name(&self, name: &Text<'static>, without_id: bool) -> bool {
        if without_id {
            self.without_id.contains(name)
        } else {
            self.by_name.contains_key(name)
        }
    }
}

/// The oldest open call in a queue. It stays in the queue; answered ones before it are removed.
fn oldest_open(queue: &mut VecDeque<usize>, is_answered: &[bool]) -> Option<usize> {
    while let Some(&index) = queue.front() {
        if !is_answered[index] {
            return Some(index);
        }
        queue.pop_front();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(calls: &[(&str, &str)], results: &[(&str, &str)], expected: &[Option<usize>]) {
        let some = |text: &'static str| (!text.is_empty()).then(|| Text::new(text));
        let mut open = OpenCalls::default();
        let leak = |text: &str| -> &'static str { Box::leak(text.to_owned().into_boxed_str()) };
        for (id, name) in calls {
            if *name == "|" {
                open.begin_group();
            } else {
                open.open(some(leak(id)).as_ref(), &Text::new(leak(name)));
            }
        }
        let found: Vec<_> = results
            .iter()
            .map(|(id, name)| open.answer(some(leak(id)).as_ref(), some(leak(name)).as_ref()))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn an_id_that_comes_again_is_answered_in_order() {
        check(
            &[("c", "a"), ("d", "a"), ("c", "b")],
            &[("c", ""), ("c", ""), ("c", "")],
            &[Some(0), Some(2), None],
        );
    }

    #[test]
    fn without_an_id_the_name_decides_and_without_a_name_the_age() {
        check(
            &[("", "a"), ("", "b"), ("", "a")],
            &[("", "a"), ("", ""), ("", "a"), ("", "")],
            &[Some(0), Some(1), Some(2), None],
        );
    }

    #[test]
    fn an_id_nobody_knows_is_an_orphan_whatever_its_name() {
        check(&[("c", "a")], &[("x", "a"), ("", "a")], &[None, Some(0)]);
    }

    #[test]
    fn calls_of_the_latest_group_go_before_older_ones_without_an_answer() {
        check(
            &[("", "a"), ("", "|"), ("", "a")],
            &[("", "a"), ("", "a")],
            &[Some(1), Some(0)],
        );
        check(
            &[("", "a"), ("", "|"), ("", "b")],
            &[("", ""), ("", "")],
            &[Some(1), Some(0)],
        );
    }
}
