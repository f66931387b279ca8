//! Random choices.

use rightcall_stats::Random;

/// One of the items; `None` if there are none.
pub(crate) fn one_of<'i, T>(items: &'i [T], random: &mut Random) -> Option<&'i T> {
    items.get(random.below(items.len()))
}

/// The first result of `make`, trying all items from a random one on.
pub(crate) fn around<T: Copy, R>(
    items: &[T],
    random: &mut Random,
    make: impl Fn(T, &mut Random) -> Option<R>,
) -> Option<R> {
    let first = random.below(items.len());
    let (before, after) = items.split_at(first);
    after.iter().chain(before).find_map(|it| make(*it, random))
}
