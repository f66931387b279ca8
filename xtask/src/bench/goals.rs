//! The goals for speed and memory, and whether they are met.

use super::jobs::{EXPLAINED, FUZZY, OURS, PARSE};
use super::page::{number, table};
use super::run::Figures;

/// A measured quantity and its limit.
struct Goal {
    what: &'static str,
    unit: Unit,
    must: Bound,
    /// `None` if it was not measured.
    figure: fn(&Figures) -> Option<f64>,
}

enum Unit {
    Times,
    /// A factor near 1.
    Share,
    Megabytes,
    Bytes,
    Milliseconds,
}

enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

use Bound::{AtLeast, AtMost};

/// The only goal on wall time.
const TWO_THREADS: &str = "W1: time on two threads / on one";

/// The load of other processes up to which wall time is judged.
const IDLE: f64 = 0.5;

#[rustfmt::skip]
const GOALS: [Goal; 18] = [
    Goal { what: "W1: four scores / the bare parse", unit: Unit::Share, must: AtMost(1.0), figure: |it| it.ratio("w1", OURS, PARSE) },
    Goal { what: "W2: four scores / the bare parse", unit: Unit::Share, must: AtMost(0.9), figure: |it| it.ratio("w2", OURS, PARSE) },
    Goal { what: "W5: four scores / the bare parse", unit: Unit::Share, must: AtMost(0.85), figure: |it| it.ratio("w5", OURS, PARSE) },
    Goal { what: "W6: four scores / the bare parse", unit: Unit::Share, must: AtMost(3.0), figure: |it| it.ratio("w6", OURS, PARSE) },
    Goal {
        what: "W1: the same with details and explanations / the bare parse", unit: Unit::Share, must: AtMost(2.5),
        figure: |it| it.ratio("w1", EXPLAINED, PARSE),
    },
    Goal {
        what: "W1: three UiPath classes (order, count, args) / four scores", unit: Unit::Times, must: AtLeast(45.0),
        figure: |it| ["uipath-order", "uipath-count", "uipath-args"].map(|peer| it.ratio("w1", peer, OURS)).iter().copied().sum(),
    },
    Goal {
        what: "W4: axion-fuzzy / fuzzy alone", unit: Unit::Times, must: AtLeast(25.0),
        figure: |it| it.ratio("w4", "axion-fuzzy (reimplemented)", FUZZY),
    },
    Goal {
        what: "objects in Python: Evaluator.evaluate / agentevals-unordered-function", unit: Unit::Share, must: AtMost(2.0),
        figure: |it| it.ratio("w1 50", "rightcall-exact", "agentevals-unordered-function"),
    },
    Goal {
        what: "WL, 1,000 to 4,000 calls: time for twice as many", unit: Unit::Share, must: AtMost(2.3),
        figure: |it| {
            let time = |input| it.cpu_per_case(input, OURS);
            let (short, middle, long) = (time("wl 64 1000")?, time("wl 32 2000")?, time("wl 16 4000")?);
            Some(f64::max(middle / short, long / middle))
        },
    },
    Goal {
        what: "LCS with its pairs, 16,000 calls a side: memory beyond that of the case", unit: Unit::Megabytes, must: AtMost(8e6),
        figure: |it| Some((it.get("w3 1 16000", "lcs")?.peak - it.get("w3 1 16000", "read")?.peak).max(0.0)),
    },
    Goal {
        what: TWO_THREADS, unit: Unit::Share, must: AtMost(0.65),
        figure: |it| Some(it.get("w1 100000", "2 threads")?.wall / it.get("w1 100000", "1 thread")?.wall),
    },
    // 16 MB, plus 24 bytes for each of 100,000 cases.
    Goal {
        what: "W1: memory, one thread", unit: Unit::Megabytes, must: AtMost(18.4e6),
        figure: |it| Some(it.get("w1 100000", "1 thread")?.peak),
    },
    Goal {
        what: "W1, ten times as long: memory for each further case", unit: Unit::Bytes, must: AtMost(24.0),
        figure: |it| Some((it.get("w1 1000000", "1 thread")?.peak - it.get("w1 100000", "1 thread")?.peak) / 900_000.0),
    },
    Goal {
        what: "OTLP, a request a line: the bare parse / our reading", unit: Unit::Share, must: AtLeast(0.5),
        figure: |it| Some(it.get("spans 86000", PARSE)?.process_cpu / it.get("spans 86000", OURS)?.process_cpu),
    },
    Goal {
        what: "OTLP, 1 GB in one document: memory", unit: Unit::Megabytes, must: AtMost(100e6),
        figure: |it| Some(it.get("spans-document 86000", OURS)?.peak),
    },
    Goal {
        what: "one case, whole process", unit: Unit::Milliseconds, must: AtMost(0.01),
        figure: |it| Some(it.get("w1 1", OURS)?.process_cpu),
    },
    Goal {
        what: "expectations in blocks: pm4py / aligned", unit: Unit::Times, must: AtLeast(1_000.0),
        figure: |it| it.ratio("trees-mixed 2000", "pm4py", "rightcall"),
    },
    Goal {
        what: "expectations in blocks: process_mining / aligned", unit: Unit::Times, must: AtLeast(3.0),
        figure: |it| it.ratio("trees-mixed 2000", "process_mining", "rightcall"),
    },
];

impl Goal {
    /// The row of a table: the goal, its figure, its limit and the verdict; `None` if it was not measured. `load` is the machine's load
    /// before the measurement.
    fn row(&self, figures: &Figures, load: f64) -> Option<Vec<String>> {
        let figure = (self.figure)(figures)?;
        let (sign, limit, is_met) = match self.must {
            AtLeast(limit) => ("≥", limit, figure >= limit),
            AtMost(limit) => ("≤", limit, figure <= limit),
        };
        let verdict = match is_met {
            _ if self.what == TWO_THREADS && load > IDLE => "not judged: the machine was busy",
            true => "held",
            false => "**missed**",
        };
        let must = format!("{sign} {}", self.unit.shown(limit));
        Some(
            [self.what, &self.unit.shown(figure), &must, verdict]
                .map(str::to_owned)
                .into(),
        )
    }
}

impl Unit {
    fn shown(&self, figure: f64) -> String {
        match self {
            Self::Times => number(figure) + "×",
            Self::Share => format!("{figure:.2}"),
            Self::Megabytes => format!("{:.1} MB", figure / 1e6),
            Self::Bytes => format!("{figure:.1} bytes"),
            Self::Milliseconds => format!("{:.1} ms", figure * 1e3),
        }
    }
}

/// The table of goals; those that were not measured keep their row of `before`.
pub(super) fn goal_table(figures: &Figures, load: f64, before: &str) -> String {
    let rows = GOALS.iter().filter_map(|goal| {
        let measured = goal.row(figures, load);
        measured.or_else(|| {
            let start = format!("| {} |", goal.what);
            let line = before.lines().find(|line| line.starts_with(&start))?;
            let cells = line
                .trim_matches('|')
                .split('|')
                .map(|cell| cell.trim().to_owned());
            Some(cells.collect())
        })
    });
    table(&["goal", "measured", "must", ""], &rows.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::super::jobs::{ONLY_GOALS, PARTS};
    use super::super::page::{block, with_block};
    use super::*;

    #[test]
    fn a_goal_that_was_not_measured_keeps_its_row() {
        let what = GOALS[0].what;
        let before = format!("| {what} | 0.74 | ≤ 1.00 | held |");
        let table = goal_table(&Figures::default(), 0.0, &before);
        assert_eq!(table.lines().skip(2).collect::<Vec<_>>(), [before]);
    }

    #[test]
    fn the_page_has_a_place_for_every_table() {
        let page = include_str!("../../../docs/performance.md");
        let parts = PARTS.iter().map(|part| part.name);
        let parts = parts.filter(|it| !ONLY_GOALS.contains(it));
        for name in parts.chain(["goals"]) {
            assert_eq!(
                with_block(page, name, block(page, name).unwrap().trim_end()).as_deref(),
                Ok(page)
            );
        }
        let lacking = |goal: &&Goal| !page.contains(&format!("| {} |", goal.what));
        assert_eq!(GOALS.iter().find(lacking).map(|goal| goal.what), None);
    }
}
