//! The goals for speed and memory, and whether they are met.

use super::plan::{
    EXPLAINED, LCS_CALLS, LENGTHS, LENGTHS_IN_TURN, OUR_FUZZY, OURS, PARSE, SIZES, few_objects,
    long_cases, names_case, one_case, sized, spans_in_document, spans_on_lines, threads,
};
use super::record::{Median, Medians};
use super::trees::{OUR_ALIGNMENTS, PM4PY, PROCESS_MINING, mixed_trees};

/// One goal.
pub(crate) struct Goal {
    /// The measured quantity.
    pub(crate) what: &'static str,
    /// Its unit.
    pub(crate) unit: Unit,
    /// Its limit.
    pub(crate) must: Bound,
    /// Computes the measured value; `None` if it was not measured.
    measure: fn(&Figures<'_>) -> Option<f64>,
}

/// An upper or lower limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

/// The unit of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// A factor.
    Times,
    /// A factor near 1.
    Share,
    Megabytes,
    Bytes,
    Milliseconds,
}

/// Whether a goal is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Held,
    Missed,
    NotMeasured,
    /// Measured while other programs were running.
    NotJudged,
}

/// The maximum load of other processes at which the machine counts as idle enough to judge wall time.
pub(crate) const IDLE: f64 = 0.5;

/// The only goal on wall time.
const TWO_THREADS: &str = "W1: time on two threads / on one";

/// All goals.
pub(crate) static GOALS: [Goal; 17] = [
    Goal {
        what: "W1: four scores / the bare parse",
        unit: Unit::Share,
        must: Bound::AtMost(1.0),
        measure: |figures| figures.ratio("w1", OURS, PARSE),
    },
    Goal {
        what: "W2: four scores / the bare parse",
        unit: Unit::Share,
        must: Bound::AtMost(0.9),
        measure: |figures| figures.ratio("w2", OURS, PARSE),
    },
    Goal {
        what: "W5: four scores / the bare parse",
        unit: Unit::Share,
        must: Bound::AtMost(0.85),
        measure: |figures| figures.ratio("w5", OURS, PARSE),
    },
    Goal {
        what: "W1: the same with details and explanations / the bare parse",
        unit: Unit::Share,
        must: Bound::AtMost(2.5),
        measure: |figures| figures.ratio("w1", EXPLAINED, PARSE),
    },
    Goal {
        what: "W1: three UiPath classes (order, count, args) / four scores",
        unit: Unit::Times,
        must: Bound::AtLeast(45.0),
        measure: |figures| {
            let peers = ["uipath-order", "uipath-count", "uipath-args"];
            peers
                .map(|peer| figures.ratio("w1", peer, OURS))
                .iter()
                .copied()
                .sum()
        },
    },
    Goal {
        what: "W4: axion-fuzzy / fuzzy alone",
        unit: Unit::Times,
        must: Bound::AtLeast(25.0),
        measure: |figures| figures.ratio("w4", "axion-fuzzy", OUR_FUZZY),
    },
    Goal {
        what: "objects in Python: Evaluator.evaluate / agentevals-unordered-function",
        unit: Unit::Share,
        must: Bound::AtMost(2.0),
        measure: |figures| {
            let peer = "agentevals-unordered-function";
            figures.ratio(&few_objects().id(), "rightcall-exact", peer)
        },
    },
    Goal {
        what: "WL, 1,000 to 4,000 calls: time for twice as many",
        unit: Unit::Share,
        must: Bound::AtMost(2.3),
        measure: |figures| figures.growth_with_calls(),
    },
    Goal {
        what: "LCS with its pairs, 16,000 calls a side: memory beyond that of the case",
        unit: Unit::Megabytes,
        must: Bound::AtMost(8e6),
        measure: |figures| {
            let case = names_case(LCS_CALLS).id();
            let (lcs, read) = (figures.peak(&case, "lcs")?, figures.peak(&case, "read")?);
            Some((lcs - read).max(0.0))
        },
    },
    Goal {
        what: TWO_THREADS,
        unit: Unit::Share,
        must: Bound::AtMost(0.65),
        measure: |figures| {
            let on = |count| figures.of(&sized(1).id(), &threads(count), |it| it.wall);
            Some(on(2)? / on(1)?)
        },
    },
    Goal {
        // 16 MB, plus 24 bytes for each of 100,000 cases.
        what: "W1: memory, one thread",
        unit: Unit::Megabytes,
        must: Bound::AtMost(18.4e6),
        measure: |figures| figures.peak(&sized(1).id(), &threads(1)),
    },
    Goal {
        what: "W1, ten times as long: memory for each further case",
        unit: Unit::Bytes,
        must: Bound::AtMost(24.0),
        measure: |figures| figures.memory_for_a_case(),
    },
    Goal {
        what: "OTLP, a request a line: the bare parse / our reading",
        unit: Unit::Share,
        must: Bound::AtLeast(0.5),
        measure: |figures| {
            let lines = spans_on_lines().id();
            Some(figures.process(&lines, PARSE)? / figures.process(&lines, OURS)?)
        },
    },
    Goal {
        what: "OTLP, 1 GB in one document: memory",
        unit: Unit::Megabytes,
        must: Bound::AtMost(100e6),
        measure: |figures| figures.peak(&spans_in_document().id(), OURS),
    },
    Goal {
        what: "one case, whole process",
        unit: Unit::Milliseconds,
        must: Bound::AtMost(0.01),
        measure: |figures| figures.process(&one_case().id(), OURS),
    },
    Goal {
        what: "expectations in blocks: pm4py / aligned",
        unit: Unit::Times,
        must: Bound::AtLeast(1_000.0),
        measure: |figures| figures.ratio(&mixed_trees().id(), PM4PY, OUR_ALIGNMENTS),
    },
    Goal {
        what: "expectations in blocks: process_mining / aligned",
        unit: Unit::Times,
        must: Bound::AtLeast(3.0),
        measure: |figures| figures.ratio(&mixed_trees().id(), PROCESS_MINING, OUR_ALIGNMENTS),
    },
];

impl Goal {
    /// The measured value of the goal.
    pub(crate) fn measured(&self, medians: &Medians) -> Option<f64> {
        (self.measure)(&Figures(medians))
    }

    /// The verdict; `load` is the machine's load during the measurements of file size.
    pub(crate) fn verdict(&self, measured: Option<f64>, load: Option<f64>) -> Verdict {
        let is_disturbed = self.what == TWO_THREADS && load.is_some_and(|load| load > IDLE);
        match measured {
            None => Verdict::NotMeasured,
            Some(_) if is_disturbed => Verdict::NotJudged,
            Some(figure) if self.must.holds(figure) => Verdict::Held,
            Some(_) => Verdict::Missed,
        }
    }
}

impl Bound {
    fn holds(self, figure: f64) -> bool {
        match self {
            Self::AtLeast(bound) => figure >= bound,
            Self::AtMost(bound) => figure <= bound,
        }
    }
}

/// Figures by input and job.
struct Figures<'m>(&'m Medians);

impl Figures<'_> {
    fn of(&self, input: &str, job: &str, figure: impl Fn(&Median) -> f64) -> Option<f64> {
        self.0.get(input, job).map(figure)
    }

    fn peak(&self, input: &str, job: &str) -> Option<f64> {
        self.of(input, job, |it| it.peak)
    }

    /// CPU time of a whole process.
    fn process(&self, input: &str, job: &str) -> Option<f64> {
        self.of(input, job, |it| it.process_cpu)
    }

    /// CPU time per case of one job, relative to another.
    fn ratio(&self, input: &str, job: &str, other: &str) -> Option<f64> {
        let time = |job| self.of(input, job, Median::cpu_per_case);
        Some(time(job)? / time(other)?)
    }

    /// The largest factor by which the time grows when the number of calls doubles.
    fn growth_with_calls(&self) -> Option<f64> {
        let time = |calls| {
            self.of(
                &long_cases(calls).id(),
                LENGTHS_IN_TURN,
                Median::cpu_per_case,
            )
        };
        let times: Option<Vec<f64>> = LENGTHS.map(time).into_iter().collect();
        let steps = times?;
        steps
            .windows(2)
            .map(|step| step[1] / step[0])
            .reduce(f64::max)
    }

    fn memory_for_a_case(&self) -> Option<f64> {
        let (first, last) = (sized(SIZES[0]), sized(SIZES[SIZES.len() - 1]));
        let peak = |input: &str| self.peak(input, &threads(1));
        let cases = (last.count() - first.count()) as f64;
        Some((peak(&last.id())? - peak(&first.id())?) / cases)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_is_met_up_to_its_bound() {
        let goal = &GOALS[0];
        assert_eq!(goal.verdict(Some(1.0), None), Verdict::Held);
        assert_eq!(goal.verdict(Some(1.01), None), Verdict::Missed);
        assert_eq!(goal.verdict(None, None), Verdict::NotMeasured);
        assert!(Bound::AtLeast(2.0).holds(2.0) && !Bound::AtLeast(2.0).holds(1.9));
    }

    #[test]
    fn time_by_the_clock_is_not_judged_on_a_busy_machine() {
        let goal = GOALS.iter().find(|goal| goal.what == TWO_THREADS);
        let verdict = |load| goal.map(|goal| goal.verdict(Some(9.0), Some(load)));
        assert_eq!(verdict(2.0), Some(Verdict::NotJudged));
        assert_eq!(verdict(0.1), Some(Verdict::Missed));
    }

    #[test]
    fn what_was_not_measured_is_neither_held_nor_missed() {
        let none = Medians::default();
        assert!(GOALS.iter().all(|goal| goal.measured(&none).is_none()));
    }
}
