//! Finds the cheapest repair of each part of an expectation for each part of a run, with a cache.
//!
//! Two parts of a sequence share no change, so their costs add up. The rounds of a repeat do share changes. So their search starts from the
//! cheapest repairs of single rounds.

use std::rc::Rc;

use crate::value::Value;

use super::super::actual::ActualCall;
use super::super::facts::FastMap;
use super::element::{Element, ElementKind, ElementList, ElementLists, call_name};
use super::part::{BestPart, Part, add, joined, part_of, with};
use super::segment::{Key, Rounds, Segment};
use super::widen::{Variables, widened};

/// Maximum number of segments to wrap in every kind of block. Further segments are only made
/// optional or get an alternative.
const MAX_SEGMENTS: usize = 3_000;

/// Maximum number of ways to distribute calls among the branches of `any_order`; further ways are skipped.
const MAX_SHARES: usize = 4_096;

pub(super) struct RepairSearch<'s, 'c> {
    pub(super) lists: ElementLists,
    pub(super) calls: &'s [ActualCall<'c>],
    variables: &'s Variables,
    known_lists: FastMap<Key, Rc<Part>>,
    known_segments: FastMap<Key, Rc<Part>>,
    sublists: FastMap<(usize, usize, usize), Rc<ElementList>>,
    segments: usize,
}

impl<'s, 'c> RepairSearch<'s, 'c> {
    pub(super) fn new(calls: &'s [ActualCall<'c>], variables: &'s Variables) -> Self {
        Self {
            lists: ElementLists::default(),
            calls,
            variables,
            known_lists: FastMap::default(),
            known_segments: FastMap::default(),
            sublists: FastMap::default(),
            segments: 0,
        }
    }

    /// The cheapest repair of a whole list.
    pub(super) fn list(&mut self, list: &Rc<ElementList>, calls: &[u16]) -> Rc<Part> {
        self.sequence(Segment::whole(list), calls)
    }

    pub(super) fn sequence(&mut self, segment: Segment<'_>, calls: &[u16]) -> Rc<Part> {
        let key = segment.key(calls);
        if let Some(known) = self.known_lists.get(&key) {
            return Rc::clone(known);
        }
        let mut part = self.sequence_by(segment, calls, 1);
        // Wrapping a segment costs one per element, so it can only help if the cost is at least 2.
        if part.cost >= 2 && segment.len() >= 2 {
            let most = part.cost.min(segment.len()) as usize;
            if self.segments < MAX_SEGMENTS {
                part = self.sequence_by(segment, calls, most);
            }
        }
        let part = Rc::new(part);
        self.known_lists.insert(key, Rc::clone(&part));
        part
    }

    /// The cheapest repair of a sequence that wraps at most `most` elements together.
    fn sequence_by(&mut self, segment: Segment<'_>, calls: &[u16], most: usize) -> Part {
        let (elements, count) = (segment.elements(), calls.len());
        let mut best: Vec<Vec<BestPart>> = Vec::new();
        for _ in 0..=elements.len() {
            best.push((0..=count).map(|_| BestPart::default()).collect());
        }
        best[0][0].offer(Rc::default());
        for at in 0..=elements.len() {
            for from in 0..=count {
                let state = std::mem::take(&mut best[at][from]).part;
                let Some(state) = state else { continue };
                best[at][from].offer(Rc::clone(&state));
                for to in from + 1..=count {
                    let added = self.added(segment, at, &calls[from..to]);
                    best[at][to].offer(joined(&state, &added));
                }
                for length in 1..=most.min(elements.len() - at) {
                    let part = Segment {
                        list: segment.list,
                        from: segment.from + at,
                        to: segment.from + at + length,
                    };
                    for to in from..=count {
                        if state.cost + length as u64 > best[elements.len()][count].cost().max(1)
                            && length > 1
                        {
                            break;
                        }
                        let step = self.segment(part, &calls[from..to]);
                        best[at + length][to].offer(joined(&state, &step));
                    }
                }
            }
        }
        let end = best.pop().and_then(|mut last| last.pop());
        let end = end.and_then(|best| best.part);
        end.map_or_else(Part::default, |part| (*part).clone())
    }

    /// Adds calls that may be made between two elements.
    fn added(&mut self, segment: Segment<'_>, at: usize, calls: &[u16]) -> Rc<Part> {
        let before = segment.elements().get(at);
        let last = || segment.elements().last();
        let pointer = before
            .or_else(last)
            .map_or_else(String::new, |it| it.pointer.clone());
        let new = self.recorded(calls, &pointer);
        let place = if before.is_some() { "before" } else { "after" };
        let what = format!("may be made {place} this: {}", new.what);
        let element = Element::new(&pointer, ElementKind::Optional(new.list));
        Rc::new(part_of(element).changed(new.cost, &pointer, what))
    }

    /// The cheapest repair of a segment, either unwrapped or with a block around it.
    fn segment(&mut self, segment: Segment<'_>, calls: &[u16]) -> Rc<Part> {
        let key = segment.key(calls);
        if let Some(known) = self.known_segments.get(&key) {
            return Rc::clone(known);
        }
        let mut best = BestPart::default();
        if let [element] = segment.elements()
            && let Some(part) = self.element(element, calls)
        {
            best.offer(part);
        }
        if best.cost() > 0 {
            self.wrap(segment, calls, &mut best);
        }
        let best = best.part.unwrap_or_default();
        self.known_segments.insert(key, Rc::clone(&best));
        best
    }

    fn wrap(&mut self, segment: Segment<'_>, calls: &[u16], best: &mut BestPart) {
        self.segments += 1;
        let (pointer, wrapped) = (segment.pointer(), segment.len());
        let inner = self.sublist(segment);
        let these = names(&inner);
        let block = |kind| part_of(Element::new(pointer, kind));
        if calls.is_empty() {
            let what = format!("may be left out: {these}");
            let part = block(ElementKind::Optional(inner)).changed(wrapped, pointer, what);
            best.offer(Rc::new(part));
            return;
        }
        let is_tried = self.segments <= MAX_SEGMENTS;
        if is_tried && best.cost() > wrapped && calls.len() > 1 {
            // With a single round, this would be the segment itself.
            let rounds = Rounds {
                min: 1,
                max: None,
                fewest: 2,
            };
            let (part, count) = self.rounds(segment, calls, rounds);
            let round = self.lists.list(part.elements.clone());
            let (min, max) = (1, Some(count));
            let kind = ElementKind::Repeat { round, min, max };
            let what = format!("may come up to {count} times: {these}");
            let element = Element::new(pointer, kind);
            best.offer(Rc::new(
                with(&part, element).changed(wrapped, pointer, what),
            ));
        }
        if is_tried && best.cost() > wrapped && wrapped > 1 {
            let single = |from: usize| Segment {
                list: segment.list,
                from,
                to: from + 1,
            };
            let singles = segment.from..segment.to;
            let lists: Vec<_> = singles.map(|at| self.sublist(single(at))).collect();
            let block = Element::new(pointer, ElementKind::AnyOrder(Vec::new()));
            let part = self.parallel(&lists, calls, &block);
            let what = format!("may come in any order: {these}");
            best.offer(Rc::new((*part).clone().changed(wrapped, pointer, what)));
        }
        // The last resort: the recorded calls as an alternative to the segment.
        let other = self.recorded(calls, pointer);
        let what = format!("may be replaced: {these} by {}", other.what);
        let part = block(ElementKind::OneOf(vec![inner, other.list]));
        let cost = wrapped + other.cost;
        best.offer(Rc::new(part.changed(cost, pointer, what)));
    }

    /// A segment as a list; the same list each time.
    pub(super) fn sublist(&mut self, segment: Segment<'_>) -> Rc<ElementList> {
        let whole = Segment::whole(segment.list);
        if (segment.from, segment.to) == (whole.from, whole.to) {
            return Rc::clone(segment.list);
        }
        let key = (segment.list.number, segment.from, segment.to);
        if let Some(known) = self.sublists.get(&key) {
            return Rc::clone(known);
        }
        let list = self.lists.list(segment.elements().to_vec());
        self.sublists.insert(key, Rc::clone(&list));
        list
    }

    /// The cheapest repair inside an element.
    fn element(&mut self, element: &Element, calls: &[u16]) -> Option<Rc<Part>> {
        let pointer = &element.pointer;
        let put = |part: &Part, kind| Rc::new(with(part, element.with_kind(kind)));
        match &element.kind {
            ElementKind::Call(call) => self.call(call, calls, pointer),
            ElementKind::Sequence(list) => {
                let part = self.list(list, calls);
                let list = self.after(list, &part);
                Some(put(&part, ElementKind::Sequence(list)))
            }
            ElementKind::Optional(_) if calls.is_empty() => Some(Rc::new(part_of(element.clone()))),
            ElementKind::Optional(list) => {
                let part = self.list(list, calls);
                let list = self.after(list, &part);
                Some(put(&part, ElementKind::Optional(list)))
            }
            ElementKind::OneOf(lists) => {
                let mut best = BestPart::default();
                for (index, list) in lists.iter().enumerate() {
                    let part = self.list(list, calls);
                    let mut lists = lists.clone();
                    lists[index] = self.after(list, &part);
                    best.offer(put(&part, ElementKind::OneOf(lists)));
                }
                if !calls.is_empty() {
                    let other = self.recorded(calls, pointer);
                    let what = format!("one more alternative: {}", other.what);
                    let mut lists = lists.clone();
                    lists.push(other.list);
                    let part = put(&Part::default(), ElementKind::OneOf(lists));
                    best.offer(Rc::new((*part).clone().changed(other.cost, pointer, what)));
                }
                best.part
            }
            ElementKind::AnyOrder(lists) => Some(self.parallel(lists, calls, element)),
            ElementKind::Repeat { round, min, max } => {
                let bounds = Rounds {
                    min: *min,
                    max: *max,
                    fewest: 1,
                };
                let (mut part, count) = self.rounds(Segment::whole(round), calls, bounds);
                let round = self.after(round, &part);
                let is_empty = self.list(&round, &[]).cost == 0;
                let mut kept = bounds;
                if max.is_some_and(|max| count > max) {
                    kept.max = Some(count);
                    part = part.changed(1, pointer, format!("may come up to {count} times"));
                } else if count < *min && !is_empty {
                    kept.min = count;
                    part = part.changed(1, pointer, format!("must come {count} times only"));
                }
                let Rounds { min, max, .. } = kept;
                Some(put(&part, ElementKind::Repeat { round, min, max }))
            }
        }
    }

    /// The list after its repair.
    pub(super) fn after(&mut self, list: &Rc<ElementList>, part: &Part) -> Rc<ElementList> {
        if part.changes.is_empty() {
            Rc::clone(list)
        } else {
            self.lists.list(part.elements.clone())
        }
    }

    fn call(&self, call: &Value<'static>, calls: &[u16], pointer: &str) -> Option<Rc<Part>> {
        let [actual] = calls else { return None };
        let wide = widened(call, &self.calls[*actual as usize], self.variables)?;
        let name = call_name(call).map(|name| name.to_display().into_owned());
        let mut part = part_of(Element::new(pointer, ElementKind::Call(wide.call)));
        for change in wide.changes {
            let what = format!("{}: {change}", name.as_deref().unwrap_or_default());
            part = part.changed(1, pointer, what);
        }
        Some(Rc::new(part))
    }

    /// Repairs the branches of a block in any order; each call that fits no branch gets a new one.
    fn parallel(&mut self, lists: &[Rc<ElementList>], calls: &[u16], block: &Element) -> Rc<Part> {
        let pointer = &block.pointer;
        let branch_names: Vec<_> = lists.iter().map(|list| list.names()).collect();
        let owners = |call: &u16| -> Vec<usize> {
            let name = self.calls[*call as usize].name();
            let has = |branch: &usize| branch_names[*branch].iter().any(|it| it == name);
            let matching: Vec<_> = (0..lists.len()).filter(has).collect();
            if matching.is_empty() {
                vec![lists.len()]
            } else {
                matching
            }
        };
        let owners: Vec<Vec<usize>> = calls.iter().map(owners).collect();
        let shares = (owners.iter()).fold(1_usize, |all, it| all.saturating_mul(it.len()));
        let mut best = BestPart::default();
        for share in 0..shares.min(MAX_SHARES) {
            // `share` encodes the branch of each call in a mixed radix.
            let mut rest = share;
            let mut taken = vec![Vec::new(); lists.len() + 1];
            for (call, owners) in calls.iter().zip(&owners) {
                taken[owners[rest % owners.len()]].push(*call);
                rest /= owners.len();
            }
            let mut part = Part::default();
            let mut branches = Vec::new();
            for (list, calls) in lists.iter().zip(&taken) {
                let repaired = self.list(list, calls);
                branches.push(self.after(list, &repaired));
                add(&mut part, &repaired);
            }
            for calls in self.branches_of(&taken[lists.len()]) {
                let new = self.recorded(&calls, pointer);
                let what = format!("may be made among these: {}", new.what);
                let branch = Element::new(pointer, ElementKind::Optional(new.list));
                branches.push(self.lists.list(vec![branch]));
                part = part.changed(new.cost, pointer, what);
            }
            part.elements = vec![block.with_kind(ElementKind::AnyOrder(branches))];
            best.offer(Rc::new(part));
        }
        best.part.unwrap_or_default()
    }
}

/// The tools of a list, for use in a sentence.
pub(super) fn names(list: &ElementList) -> String {
    const SHOWN: usize = 5;
    let names = list.names();
    let shown: Vec<_> = (names.iter().take(SHOWN))
        .map(|name| name.to_display().into_owned())
        .collect();
    let more = if names.len() > SHOWN { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}
