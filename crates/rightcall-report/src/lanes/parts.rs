//! Splits two lanes into parts: long stretches of equal calls, which are folded, and the rest.

use std::ops::Range;

use super::card::{Card, GAP, State};
use super::{Link, WIDTH};

/// The maximum number of calls in a lane that is not folded.
const UNFOLDED_CALLS: usize = 20;

/// Minimum length of a folded stretch.
const FOLDED: usize = 6;

/// Maximum number of calls drawn in a folded stretch; the others are counted.
const DRAWN: usize = 100;

/// The CSS class of a line that does not count.
pub(super) const UNCOUNTED: &str = "uncounted";

/// Joined calls: the expected one, the actual one, and the CSS class of the line.
pub(super) type JoinedPair = (usize, usize, &'static str);

/// A part of both lanes, which no line leaves.
#[derive(Debug)]
pub(super) struct Part {
    /// True for a stretch of equal calls.
    pub(super) is_folded: bool,
    pub(super) expected: Range<usize>,
    pub(super) actual: Range<usize>,
    pub(super) links: Vec<Link>,
    /// In pixels, at a font size of 16 pixels.
    pub(super) height: u32,
}

impl Part {
    /// The expected calls to draw.
    pub(super) fn drawn_expected(&self) -> Range<usize> {
        self.drawn(&self.expected)
    }

    /// The actual calls to draw.
    pub(super) fn drawn_actual(&self) -> Range<usize> {
        self.drawn(&self.actual)
    }

    /// Number of calls per side that are not drawn.
    pub(super) fn more(&self) -> usize {
        self.expected.len() - self.drawn_expected().len()
    }

    fn drawn(&self, calls: &Range<usize>) -> Range<usize> {
        if self.is_folded {
            calls.start..calls.end.min(calls.start + DRAWN)
        } else {
            calls.clone()
        }
    }

    /// The height in `rem`, which scales with the font.
    pub(super) fn rem(&self) -> f64 {
        f64::from(self.height) / 16.0
    }

    /// Positions the cards and draws the lines between them.
    fn settle(&mut self, expected: &mut [Card], actual: &mut [Card], pairs: &[JoinedPair]) {
        let (on_left, on_right) = (self.drawn_expected(), self.drawn_actual());
        for cards in [
            &mut expected[on_left.clone()],
            &mut actual[on_right.clone()],
        ] {
            let mut top = 0;
            for card in cards {
                card.top = top;
                top += card.height() + GAP;
            }
            self.height = self.height.max(top);
        }
        let inside = pairs
            .iter()
            .filter(|(left, right, _)| on_left.contains(left) && on_right.contains(right));
        self.links = inside
            .map(|(left, right, class)| {
                let (from, to, half) =
                    (expected[*left].middle(), actual[*right].middle(), WIDTH / 2);
                Link {
                    path: format!("M0 {from} C{half} {from} {half} {to} {WIDTH} {to}"),
                    class,
                }
            })
            .collect();
    }
}

/// The parts of two lanes, from top to bottom.
pub(super) fn parts(expected: &mut [Card], actual: &mut [Card], pairs: &[JoinedPair]) -> Vec<Part> {
    let (mut parts, mut from) = (Vec::new(), (0, 0));
    let mut add = |is_folded, expected: Range<usize>, actual: Range<usize>| {
        if !expected.is_empty() || !actual.is_empty() {
            parts.push(Part {
                is_folded,
                expected,
                actual,
                links: Vec::new(),
                height: 0,
            });
        }
    };
    for (left, right) in folded(expected, actual, pairs) {
        add(false, from.0..left.start, from.1..right.start);
        from = (left.end, right.end);
        add(true, left, right);
    }
    add(false, from.0..expected.len(), from.1..actual.len());
    for part in &mut parts {
        part.settle(expected, actual, pairs);
    }
    parts
}

/// The stretches to fold: consecutive equal calls on both sides that no line crosses. The calls
/// before and after each stretch stay visible.
fn folded(
    expected: &[Card],
    actual: &[Card],
    pairs: &[JoinedPair],
) -> Vec<(Range<usize>, Range<usize>)> {
    let all = (expected.len(), actual.len());
    let mut folded = Vec::new();
    if all.0.max(all.1) <= UNFOLDED_CALLS {
        return folded;
    }
    let mut partners: Vec<Option<usize>> = vec![None; expected.len()];
    let mut uses = vec![0_u32; actual.len()];
    for (left, right, class) in pairs {
        if let (Some(partner), Some(uses)) = (partners.get_mut(*left), uses.get_mut(*right)) {
            *uses += 1;
            // Equal calls after a missed call don't count, but take as long to read.
            let is_same = match expected[*left].state {
                State::Same => true,
                State::Neutral => *class == UNCOUNTED,
                _ => false,
            };
            *partner = (is_same && partner.is_none()).then_some(*right);
        }
    }
    let partner = |left: usize| {
        let right = partners.get(left).copied().flatten()?;
        (uses[right] == 1).then_some(right)
    };
    let state = |left: usize| expected[left].state;
    let mut left = 0;
    while left < expected.len() {
        let Some(right) = partner(left) else {
            left += 1;
            continue;
        };
        let length = (0..expected.len() - left)
            .take_while(|step| {
                let is_next = partner(left + step) == Some(right + step);
                is_next && state(left + step) == state(left)
            })
            .count();
        let before = usize::from(left > 0 || right > 0);
        let after = usize::from((left + length, right + length) != all);
        let inner = (left + before, right + before);
        let end = (left + length - after, right + length - after);
        let is_crossed = pairs.iter().any(|(one, other, _)| {
            (*one < inner.0) != (*other < inner.1) || (*one < end.0) != (*other < end.1)
        });
        if end.0 >= inner.0 + FOLDED && !is_crossed {
            folded.push((inner.0..end.0, inner.1..end.1));
        }
        left += length;
    }
    folded
}
