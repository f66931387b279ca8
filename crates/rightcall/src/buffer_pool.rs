//! A buffer pool: memory that lists leave behind, for the next ones on the same thread.
//!
//! Cases come one after another, and their lists of calls are longer than what an allocator hands out at once. A list that was given back
//! is empty; what it held is dropped.

use std::cell::RefCell;

use crate::call::{Call, Case};
use crate::matching::Item;

/// Lists that are kept.
const FEW: usize = 4;

/// Longer lists go back to the allocator, so that one long case does not hold its memory for good.
const LONGEST: usize = 1 << 13;

type Pool<T> = RefCell<Vec<Vec<T>>>;

thread_local! {
    static CALLS: Pool<Call<'static>> = const { RefCell::new(Vec::new()) };
    static ITEMS: Pool<Item<'static>> = const { RefCell::new(Vec::new()) };
}

fn take<T>(pool: &Pool<T>, room: usize) -> Vec<T> {
    let mut list = pool.borrow_mut().pop().unwrap_or_default();
    list.reserve(room);
    list
}

fn give<T>(pool: &Pool<T>, list: Vec<T>) {
    let mut lists = pool.borrow_mut();
    if lists.len() < FEW && (1..=LONGEST).contains(&list.capacity()) {
        lists.push(list);
    }
}

/// The memory of an empty list for a list of another lifetime: the standard library collects in place what is the same to the processor.
fn emptied<T, U>(mut list: Vec<T>) -> Vec<U> {
    list.clear();
    list.into_iter().filter_map(|_| None).collect()
}

/// An empty list with room for so many calls.
pub fn call_list<'a>(room: usize) -> Vec<Call<'a>> {
    CALLS.with(|pool| take(pool, room))
}

/// Takes the lists of calls out of a case that is done with, and keeps their memory for those that [`call_list`] gives.
pub fn give_back(case: &mut Case<'_>) {
    CALLS.with(|pool| {
        for list in [
            case.expected.calls.as_mut(),
            case.actual.as_mut().map(|run| &mut run.calls),
        ]
        .into_iter()
        .flatten()
        {
            give(pool, emptied(std::mem::take(list)));
        }
    });
}

/// An empty list with room for so many items.
pub(crate) fn item_list<'c>(room: usize) -> Vec<Item<'c>> {
    ITEMS.with(|pool| take(pool, room))
}

/// Keeps the memory of a list for those that [`item_list`] gives.
pub(crate) fn give_back_items(list: Vec<Item<'_>>) {
    // A thread that ends has no use for it.
    _ = ITEMS.try_with(|pool| give(pool, emptied(list)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Expectation;

    #[test]
    fn memory_is_used_again_and_empty() {
        let text = String::from("find_order");
        let mut calls = call_list(300);
        calls.push(Call {
            name: text.as_str().into(),
            ..Call::default()
        });
        let place = calls.as_ptr().addr();
        give_back(&mut Case {
            expected: Expectation::from_calls(calls),
            ..Case::default()
        });
        let again = call_list(1);
        assert_eq!(
            (again.as_ptr().addr(), again.capacity(), again.len()),
            (place, 300, 0)
        );
    }

    #[test]
    fn long_lists_are_not_kept() {
        give_back(&mut Case {
            expected: Expectation::from_calls(call_list(LONGEST + 1)),
            ..Case::default()
        });
        assert_eq!(call_list(0).capacity(), 0);
    }
}
