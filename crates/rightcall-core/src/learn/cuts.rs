//! Cuts: how to divide a log into smaller ones, based on its directly-follows graph.
//!
//! Source: Leemans, Fahland, van der Aalst, *Discovering Block-Structured Process Models from Event Logs* (2013), 4.1; for sequences with
//! options Leemans, *Robust Process Mining with Guarantees* (2017), 6.2.

use super::graph::{Graph, Groups};

/// A set of names, by number.
pub(super) type Part = Vec<usize>;

/// A way to divide a log.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// Each trace has names of only one part.
    Choice(Vec<Part>),
    /// The parts follow one another.
    Sequence(Vec<Part>),
    /// The parts are interleaved in any order.
    Parallel(Vec<Part>),
    /// The first part begins and ends each trace; the others come between its rounds.
    Loop(Vec<Part>),
}

/// The first cut that the graph allows.
pub(super) fn cut(graph: &Graph) -> Option<Cut> {
    let several = |parts: Vec<Part>| (parts.len() > 1).then_some(parts);
    several(choice(graph))
        .map(Cut::Choice)
        .or_else(|| several(sequence(graph)).map(Cut::Sequence))
        .or_else(|| several(parallel(graph)).map(Cut::Parallel))
        .or_else(|| several(rounds(graph)).map(Cut::Loop))
}

/// Connected components, ignoring direction.
fn choice(graph: &Graph) -> Vec<Part> {
    connected(graph, |_| true)
}

/// Connected components of the included names, ignoring direction.
fn connected(graph: &Graph, is_included: impl Fn(usize) -> bool) -> Vec<Part> {
    let mut groups = Groups::new(graph.len());
    for from in 0..graph.len() {
        for to in 0..graph.len() {
            if graph.has(from, to) && is_included(from) && is_included(to) {
                groups.join(from, to);
            }
        }
    }
    let mut sets = groups.sets();
    sets.retain(|set| is_included(set[0]));
    sets
}

/// For each name, row by row: true for each name reachable from it.
fn reachable(graph: &Graph) -> Vec<bool> {
    let count = graph.len();
    let mut reaches = vec![false; count * count];
    for start in 0..count {
        let mut open = vec![start];
        while let Some(from) = open.pop() {
            for to in 0..count {
                let is_reached = &mut reaches[start * count + to];
                if graph.has(from, to) && !*is_reached {
                    *is_reached = true;
                    open.push(to);
                }
            }
        }
    }
    reaches
}

/// The parts of a sequence, in order.
fn sequence(graph: &Graph) -> Vec<Part> {
    let (count, reaches) = (graph.len(), reachable(graph));
    let reaches = |from: usize, to: usize| reaches[from * count + to];
    let mut groups = Groups::new(count);
    // Two names are separate if one can come after the other but not vice versa.
    let mut order: Vec<Part> = loop {
        let sets = groups.sets();
        let any = |from: &Part, to: &Part| {
            let mut pairs = from.iter().flat_map(|a| to.iter().map(move |b| (*a, *b)));
            pairs.any(|(a, b)| reaches(a, b))
        };
        let mut grew = false;
        for (at, one) in sets.iter().enumerate() {
            for other in &sets[at + 1..] {
                if any(one, other) == any(other, one) {
                    grew |= groups.join(one[0], other[0]);
                }
            }
        }
        if !grew {
            break sets;
        }
    };
    let before = |part: &Part, others: &[Part]| {
        let is_before = |other: &&Part| reaches(other[0], part[0]) && other != &part;
        others.iter().filter(is_before).count()
    };
    let places: Vec<usize> = order.iter().map(|part| before(part, &order)).collect();
    let mut sorted: Vec<_> = places.into_iter().zip(order.drain(..)).collect();
    sorted.sort();
    let parts: Vec<Part> = sorted.into_iter().map(|(_, part)| part).collect();
    merge_options(graph, &parts)
}

/// Merges parts that are only left out together.
fn merge_options(graph: &Graph, parts: &[Part]) -> Vec<Part> {
    let count = parts.len();
    let mut part_of = vec![0; graph.len()];
    for (number, part) in parts.iter().enumerate() {
        part.iter().for_each(|at| part_of[*at] = number);
    }
    // For each part: the earliest part that leads to it, with 0 for the start, and the latest part that it leads to.
    let (mut first, mut last) = (vec![count; count], vec![0; count]);
    let mut skipped = vec![false; count];
    let mut arrow = |from: usize, to: usize| {
        (from + 1..to).for_each(|between| skipped[between - 1] = true);
    };
    for at in 0..graph.len() {
        let number = part_of[at];
        if graph.is_start(at) {
            first[number] = 0;
            arrow(0, number + 1);
        }
        if graph.is_end(at) {
            last[number] = count + 1;
            arrow(number + 1, count + 1);
        }
        for to in (0..graph.len()).filter(|to| graph.has(at, *to)) {
            let to = part_of[to];
            if to != number {
                first[to] = first[to].min(number + 1);
                last[number] = last[number].max(to + 1);
                arrow(number + 1, to + 1);
            }
        }
    }
    let mut groups = Groups::new(count);
    for part in (0..count).filter(|part| skipped[*part]) {
        for before in (0..part).rev() {
            if last[before] > part + 1 {
                break;
            }
            groups.join(before, part);
        }
        for (after, first) in first.iter().enumerate().skip(part + 1) {
            if *first < part + 1 {
                break;
            }
            groups.join(part, after);
        }
    }
    let join = |set: Vec<usize>| set.into_iter().flat_map(|it| parts[it].clone()).collect();
    groups.sets().into_iter().map(join).collect()
}

/// The parts of parallel branches; none if no branch can both begin and end a trace.
fn parallel(graph: &Graph) -> Vec<Part> {
    let mut groups = Groups::new(graph.len());
    for one in 0..graph.len() {
        for other in one + 1..graph.len() {
            let are_in_one_loop =
                graph.between[one].contains(&other) || graph.between[other].contains(&one);
            if are_in_one_loop || !(graph.has(one, other) && graph.has(other, one)) {
                groups.join(one, other);
            }
        }
    }
    // A part that can't begin or can't end a trace is not a separate branch.
    let is_whole = |part: &Part| {
        part.iter().any(|at| graph.is_start(*at)) && part.iter().any(|at| graph.is_end(*at))
    };
    let sets = groups.sets();
    if let Some(whole) = sets.iter().find(|set| is_whole(set)) {
        for part in sets.iter().filter(|set| !is_whole(set)) {
            groups.join(whole[0], part[0]);
        }
        return groups.sets();
    }
    Vec::new()
}

/// The parts of a loop: its body, then the parts between its rounds.
fn rounds(graph: &Graph) -> Vec<Part> {
    let all = 0..graph.len();
    let is_border = |at: usize| graph.is_start(at) || graph.is_end(at);
    let inner = connected(graph, |at| !is_border(at));
    let is_between = |part: &Part| {
        let enters = |at: usize| part.iter().any(|to| graph.has(at, *to));
        let leaves = |at: usize| part.iter().any(|from| graph.has(*from, at));
        let borders = all.clone().filter(|at| is_border(*at));
        borders.into_iter().all(|at| {
            (!enters(at) || graph.is_end(at))
                && (!leaves(at) || graph.is_start(at))
                && (!graph.is_end(at) || follows_all(graph, at, part, true))
                && (!graph.is_start(at) || follows_all(graph, at, part, false))
        })
    };
    let (between, body): (Vec<Part>, Vec<Part>) = inner.into_iter().partition(is_between);
    let mut first: Part = all.clone().filter(|at| is_border(*at)).collect();
    first.extend(body.into_iter().flatten());
    first.sort_unstable();
    std::iter::once(first).chain(between).collect()
}

/// True if a name is adjacent to every name that enters the part, or that leaves it.
fn follows_all(graph: &Graph, at: usize, part: &Part, enters: bool) -> bool {
    let is_next = |from: usize, to: usize| {
        if enters {
            graph.has(from, to)
        } else {
            graph.has(to, from)
        }
    };
    let of_part = |inner: &&usize| {
        let mut borders = (0..graph.len()).filter(|other| !part.contains(other));
        borders.any(|other| is_next(other, **inner))
    };
    part.iter().filter(of_part).all(|inner| is_next(at, *inner))
}
