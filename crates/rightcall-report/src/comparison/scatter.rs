//! A scatter plot of changed cases by their scores before and after; points above the diagonal got better.

use std::collections::BTreeMap;
use std::fmt;

use askama::Template;
use rightcall_stats::MovedCase;

use crate::numbers::number;
use crate::text::count;

/// Scores are rounded to this many steps.
const STEPS: f64 = 40.0;

/// The minimum number of distinct points; for fewer, the list suffices.
const MIN_POINTS: usize = 6;

/// Side length of the square that contains the points, and its margins in the picture.
const SIDE: f64 = 280.0;
const LEFT: f64 = 46.0;
const TOP: f64 = 10.0;

/// Radius of a point for one case, and of the point with the most cases.
const MIN_RADIUS: f64 = 3.5;
const MAX_RADIUS: f64 = 11.0;

/// A point of the plot: cases with about the same scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ScorePlace {
    before: u8,
    after: u8,
}

/// A scatter plot of changed cases.
#[derive(Debug, Template)]
#[template(path = "scatter.html")]
pub struct Scatter {
    points: Vec<ScatterPoint>,
    /// A description of the picture for screen readers.
    told: String,
    has_links: bool,
}

/// The cases at one point.
#[derive(Debug)]
struct ScatterPoint {
    x: f64,
    y: f64,
    radius: f64,
    is_worse: bool,
    told: String,
    link: String,
}

impl ScorePlace {
    /// The point of a case. A changed case is never on the diagonal, even if the change is smaller than a step.
    pub fn of(case: &MovedCase) -> Self {
        let step = |score: f64| (score.clamp(0.0, 1.0) * STEPS).round() as u8;
        let (mut before, mut after) = (step(case.before), step(case.after));
        if before == after {
            let low = before.min(STEPS as u8 - 1);
            (before, after) = if case.is_worse() {
                (low + 1, low)
            } else {
                (low, low + 1)
            };
        }
        Self { before, after }
    }

    /// Parses the text that [`Display`](fmt::Display) writes.
    pub fn parse(text: &str) -> Option<Self> {
        let (before, after) = text.split_once('-')?;
        Some(Self {
            before: before.parse().ok()?,
            after: after.parse().ok()?,
        })
    }

    /// The scores as text: `0.500 → 1.000`.
    pub fn scores(self) -> String {
        let score = |step: u8| number(Some(f64::from(step) / STEPS));
        format!("about {} → {}", score(self.before), score(self.after))
    }
}

impl fmt::Display for ScorePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.before, self.after)
    }
}

impl Scatter {
    /// Draws the cases. `link` returns the address of the cases at a point, if there is one. `None` if there are too few distinct points
    /// for a useful picture.
    pub fn new<'m>(
        cases: impl Iterator<Item = &'m MovedCase>,
        link: impl Fn(ScorePlace) -> Option<String>,
    ) -> Option<Self> {
        let mut places: BTreeMap<ScorePlace, u64> = BTreeMap::new();
        cases.for_each(|case| *places.entry(ScorePlace::of(case)).or_default() += 1);
        if places.len() < MIN_POINTS {
            return None;
        }
        let most = places.values().copied().max().unwrap_or(1) as f64;
        let all: u64 = places.values().sum();
        let mut points: Vec<ScatterPoint> = places
            .iter()
            .map(|(place, cases)| {
                let share = (*cases as f64 - 1.0) / (most - 1.0).max(1.0);
                let tenth = |it: f64| (it * 10.0).round() / 10.0;
                ScatterPoint {
                    x: tenth(LEFT + SIDE * f64::from(place.before) / STEPS),
                    y: tenth(TOP + SIDE * (1.0 - f64::from(place.after) / STEPS)),
                    radius: tenth(MIN_RADIUS + (MAX_RADIUS - MIN_RADIUS) * share.sqrt()),
                    is_worse: place.after < place.before,
                    told: format!("{}, {}", count(*cases, "case"), place.scores()),
                    link: link(*place).unwrap_or_default(),
                }
            })
            .collect();
        // Draw small points last, so large ones don't hide them.
        points.sort_by(|one, other| other.radius.total_cmp(&one.radius));
        Some(Self {
            has_links: points.iter().any(|it| !it.link.is_empty()),
            points,
            told: format!(
                "{} at {} places: the score before to the right, after upwards; above the line is better",
                count(all, "case"),
                places.len()
            ),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rightcall_stats::TrialCounts;

    fn moved(before: f64, after: f64) -> MovedCase {
        MovedCase::new("a", [before, after], [TrialCounts::default(); 2])
    }

    #[test]
    fn cases_with_similar_scores_share_a_point() {
        let place = |before: f64, after: f64| ScorePlace::of(&moved(before, after)).to_string();
        assert_eq!(place(0.5, 1.0), "20-40");
        assert_eq!(place(0.501, 0.999), "20-40");
        assert_eq!(
            (place(0.501, 0.5), place(0.5, 0.501)),
            ("21-20".into(), "20-21".into())
        );
        assert_eq!(
            ScorePlace::parse("20-40").map(|it| it.to_string()),
            Some("20-40".into())
        );
        assert_eq!(
            (place(0.001, 0.0), place(0.999, 1.0)),
            ("1-0".into(), "39-40".into())
        );
        assert_eq!(ScorePlace::parse("20"), None);
    }

    #[test]
    fn plot_needs_more_than_five_points() {
        let cases: Vec<_> = (0..5_u8)
            .map(|at| moved(0.0, 0.1 + f64::from(at) / 10.0))
            .collect();
        assert!(Scatter::new(cases.iter(), |_| None).is_none());
        let more = [moved(1.0, 0.0), moved(1.0, 0.0)];
        let svg = Scatter::new(cases.iter().chain(&more), |place| {
            Some(format!("/compare?point={place}"))
        });
        let svg = svg.unwrap().render().unwrap();
        for part in [
            "7 cases at 6 places",
            "<title>2 cases, about 1.000 → 0.000</title>",
            "href=\"/compare?point=40-0\"",
        ] {
            assert!(svg.contains(part), "{part}\n{svg}");
        }
        assert_eq!(
            (
                svg.matches("<circle").count(),
                svg.matches("<rect class=\"worse\"").count()
            ),
            (5, 1)
        );
    }
}
