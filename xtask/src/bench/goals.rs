//! What was promised of speed and memory, and whether it holds.

use super::job::Input;
use super::plan::{
    EXPLAINED, LCS_CALLS, LENGTHS, LENGTHS_IN_TURN, LINE_CALLS, OUR_DIFFLIB, OUR_FUZZY, OURS,
    PARSE, SIZES, few_objects, line_of, long_cases, names_case, one_case, output_of, sized,
    spans_in_document, spans_on_lines, threads,
};
use super::record::{Median, Medians};

/// One promise.
#[derive(Clone, Debug)]
pub(crate) struct Goal {
    /// What is measured.
    pub(crate) what: String,
    /// How it came out; `None` where it was not measured.
    pub(crate) measured: Option<f64>,
    /// What it is counted in.
    pub(crate) unit: Unit,
    /// What must hold.
    pub(crate) must: Bound,
    /// What we would like, where there is more to wish for.
    pub(crate) stretch: Option<Bound>,
    /// Whether other programs can have spoilt the figure.
    pub(crate) disturbed: bool,
}

/// A limit from one side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

/// What a figure is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Times as much.
    Times,
    /// Times as much, near 1.
    Share,
    Megabytes,
    Bytes,
    Milliseconds,
    /// 1 if two outputs are the same, else 0.
    Same,
}

/// How a goal came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Stretch,
    Held,
    Missed,
    NotMeasured,
    /// Measured while other programs ran.
    NotJudged,
}

impl Goal {
    /// How it came out.
    pub(crate) fn verdict(&self) -> Verdict {
        match self.measured {
            None => Verdict::NotMeasured,
            Some(_) if self.disturbed => Verdict::NotJudged,
            Some(figure) if self.stretch.is_some_and(|bound| bound.holds(figure)) => {
                Verdict::Stretch
            }
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

/// Up to this many processes wanting to run, besides ours, a machine is idle enough to judge time by the clock.
pub(crate) const IDLE: f64 = 0.5;

/// All goals; `load` is that of the machine when files of different size were measured.
pub(crate) fn goals(medians: &Medians, load: Option<f64>) -> Vec<Goal> {
    let seen = Seen(medians);
    let mut goals = Vec::new();
    let mut add = |what: &str, measured, unit, must, stretch| {
        goals.push(Goal {
            what: what.to_owned(),
            measured,
            unit,
            must,
            stretch,
            disturbed: false,
        });
    };

    for (input, must, stretch) in [("w1", 1.0, 0.65), ("w2", 0.9, 0.55), ("w5", 0.85, 0.5)] {
        let what = format!("{}: four scores / the bare parse", input.to_uppercase());
        add(
            &what,
            seen.ratio(input, OURS, PARSE),
            Unit::Share,
            Bound::AtMost(must),
            Some(Bound::AtMost(stretch)),
        );
    }
    for input in ["w1", "w2", "w5"] {
        let what = format!(
            "{}: the same with details and explanations / the bare parse",
            input.to_uppercase()
        );
        add(
            &what,
            seen.ratio(input, EXPLAINED, PARSE),
            Unit::Share,
            Bound::AtMost(2.5),
            Some(Bound::AtMost(1.5)),
        );
    }

    let three = ["uipath-order", "uipath-count", "uipath-args"]
        .iter()
        .map(|peer| seen.ratio("w1", peer, OURS))
        .sum();
    let what = "W1: three UiPath classes (order, count, args) / four scores";
    add(
        what,
        three,
        Unit::Times,
        Bound::AtLeast(45.0),
        Some(Bound::AtLeast(80.0)),
    );
    for (input, peer, must, stretch) in [
        ("w1", "uipath-order", 18.0, 30.0),
        ("w1", "uipath-args", 25.0, 45.0),
        ("w1", "uipath-count", 9.0, 15.0),
        ("w1", "deepeval", 90.0, 160.0),
        ("w1", "agentevals-strict", 65.0, 110.0),
        ("w1", "agentevals-unordered", 48.0, 85.0),
        ("w1", "axion-exact", 4.0, 7.0),
        ("w1", "tpmjs", 2.8, 5.0),
        ("w1", "evalite-flexible", 4.5, 8.0),
        ("w1", "evalite-exact", 1.8, 3.0),
        ("w1", "Python json", 2.2, 4.0),
        ("w1", "Node json", 1.4, 2.5),
        ("w2", "uipath-order", 230.0, 450.0),
        ("w2", "uipath-args", 150.0, 300.0),
        ("w2", "deepeval", 1_000.0, 2_000.0),
        ("w2", "axion-exact", 8.0, 16.0),
        ("w2", "tpmjs", 5.0, 10.0),
    ] {
        let what = format!("{}: {peer} / four scores", input.to_uppercase());
        add(
            &what,
            seen.ratio(input, peer, OURS),
            Unit::Times,
            Bound::AtLeast(must),
            Some(Bound::AtLeast(stretch)),
        );
    }

    let objects = few_objects().id();
    for (peer, must, stretch) in [
        ("agentevals-unordered-function", 1.0, 0.6),
        ("axion-exact", 0.4, 0.25),
    ] {
        let what = format!("objects in Python: rightcall.evaluate / {peer}");
        let share = seen.ratio(&objects, "rightcall-exact", peer);
        add(
            &what,
            share,
            Unit::Share,
            Bound::AtMost(must),
            Some(Bound::AtMost(stretch)),
        );
    }
    for kind in ["order", "count", "args"] {
        let what = format!("objects in Python: uipath-{kind} / rightcall.evaluate");
        let ratio = seen.ratio(
            &objects,
            &format!("uipath-{kind}"),
            &format!("rightcall-{kind}"),
        );
        add(&what, ratio, Unit::Times, Bound::AtLeast(20.0), None);
    }

    let fuzzy = seen.ratio("w4", "axion-fuzzy", OUR_FUZZY);
    add(
        "W4: axion-fuzzy / fuzzy alone",
        fuzzy,
        Unit::Times,
        Bound::AtLeast(25.0),
        Some(Bound::AtLeast(45.0)),
    );
    let ratios = seen.ratio("w4", "difflib", OUR_DIFFLIB);
    add(
        "W4: Python's difflib / the same ratios",
        ratios,
        Unit::Times,
        Bound::AtLeast(25.0),
        Some(Bound::AtLeast(33.0)),
    );
    let same = seen.same("w4", &["difflib".to_owned(), OUR_DIFFLIB.to_owned()]);
    add(
        "W4: these ratios are the same f64",
        same,
        Unit::Same,
        Bound::AtLeast(1.0),
        None,
    );

    let plain = seen.ratio(&names_case(8_000).id(), "uipath-order-plain-function", OURS);
    let what = "W3, 8,000 calls a side: UiPath's plain LCS / four scores";
    add(
        what,
        plain,
        Unit::Times,
        Bound::AtLeast(2_000.0),
        Some(Bound::AtLeast(3_500.0)),
    );
    let order = seen.ratio(&names_case(LCS_CALLS).id(), OURS, PARSE);
    let what = "W3, 16,000 calls a side: four scores / the bare parse";
    add(
        what,
        order,
        Unit::Share,
        Bound::AtMost(4.0),
        Some(Bound::AtMost(2.0)),
    );
    let table = seen.of(&names_case(LCS_CALLS).id(), "lcs-table", |it| it.wall);
    let ours = seen.of(&names_case(LCS_CALLS).id(), "lcs", |it| it.wall);
    let faster = table.zip(ours).map(|(table, ours)| table / ours);
    let what = "LCS with its pairs, 16,000 calls a side: the whole table in Rust / ours";
    add(
        what,
        faster,
        Unit::Times,
        Bound::AtLeast(80.0),
        Some(Bound::AtLeast(115.0)),
    );
    let peak = |job| seen.of(&names_case(LCS_CALLS).id(), job, |it| it.peak);
    let extra = peak("lcs")
        .zip(peak("read"))
        .map(|(lcs, read)| (lcs - read).max(0.0));
    add(
        "the same: memory beyond that of the case",
        extra,
        Unit::Megabytes,
        Bound::AtMost(8e6),
        None,
    );

    let times = LENGTHS.map(|calls| {
        seen.of(
            &long_cases(calls).id(),
            LENGTHS_IN_TURN,
            Median::cpu_per_case,
        )
    });
    let steps = times.windows(2).map(|times| Some(times[1]? / times[0]?));
    let growth = steps
        .collect::<Option<Vec<_>>>()
        .map(|steps| steps.into_iter().fold(0.0, f64::max));
    let what = "WL, 1,000 to 4,000 calls: time for twice as many";
    add(
        what,
        growth,
        Unit::Share,
        Bound::AtMost(2.3),
        Some(Bound::AtMost(2.1)),
    );

    let whole = sized(1).id();
    let on = |count, figure: fn(&Median) -> f64| seen.of(&whole, &threads(count), figure);
    let share = |figure| on(2, figure).zip(on(1, figure)).map(|(two, one)| two / one);
    let (wall, cpu) = (share(|it| it.wall), share(|it| it.cpu));
    add(
        "W1: time on two threads / on one",
        wall,
        Unit::Share,
        Bound::AtMost(0.65),
        Some(Bound::AtMost(0.55)),
    );
    add(
        "the same: time of the processor",
        cpu,
        Unit::Share,
        Bound::AtMost(1.2),
        Some(Bound::AtMost(1.05)),
    );

    let (one, two) = (on(1, |it| it.peak), on(2, |it| it.peak));
    // 16 MB, and 24 bytes for each of 100,000 cases.
    add(
        "W1: memory, one thread",
        one,
        Unit::Megabytes,
        Bound::AtMost(18.4e6),
        Some(Bound::AtMost(6e6)),
    );
    add(
        "W1: memory, two threads",
        two,
        Unit::Megabytes,
        Bound::AtMost(30.4e6),
        None,
    );
    let (first, last) = (sized(SIZES[0]), sized(SIZES[SIZES.len() - 1]));
    let peak = |input: &str| seen.of(input, &threads(1), |it| it.peak);
    let more = peak(&first.id()).zip(peak(&last.id()));
    let more = more.map(|(first_peak, last_peak)| {
        (last_peak - first_peak) / (last.count() - first.count()) as f64
    });
    let what = "W1, ten times as long: memory for each further case";
    add(what, more, Unit::Bytes, Bound::AtMost(24.0), None);

    let lines = LINE_CALLS.map(|calls| {
        let median = seen.median(&line_of(calls).id(), OURS)?;
        Some((median.peak - 16e6) / median.bytes as f64)
    });
    let line = lines
        .into_iter()
        .collect::<Option<Vec<f64>>>()
        .and_then(|lines| lines.into_iter().reduce(f64::max));
    let what = "one line: memory beyond 16 MB for each of its bytes";
    add(
        what,
        line,
        Unit::Bytes,
        Bound::AtMost(6.0),
        Some(Bound::AtMost(3.0)),
    );
    let cpu = |input: &Input, job| seen.of(&input.id(), job, |it| it.process_cpu);
    let (lines, document) = (spans_on_lines(), spans_in_document());
    for (what, read, parsed) in [
        (
            "OTLP, a request a line: the bare parse / our reading",
            &lines,
            &lines,
        ),
        (
            "OTLP, one document: the bare parse / our reading",
            &document,
            &document,
        ),
        (
            "OTLP: the bare parse of lines / our reading of one document",
            &document,
            &lines,
        ),
    ] {
        let ratio = cpu(parsed, PARSE)
            .zip(cpu(read, OURS))
            .map(|(parse, ours)| parse / ours);
        add(what, ratio, Unit::Share, Bound::AtLeast(0.5), None);
    }
    for (what, input) in [
        ("OTLP, 1 GB a request a line: memory", &lines),
        ("OTLP, 1 GB in one document: memory", &document),
    ] {
        let peak = seen.of(&input.id(), OURS, |it| it.peak);
        add(what, peak, Unit::Megabytes, Bound::AtMost(100e6), None);
    }
    let start = seen.of(&one_case().id(), OURS, |it| it.process_cpu);
    add(
        "one case, whole process",
        start,
        Unit::Milliseconds,
        Bound::AtMost(0.01),
        Some(Bound::AtMost(0.003)),
    );
    let same = seen.same(&whole, &[1, 2, 3, 4].map(output_of));
    add(
        "W1: the same output on 1, 2, 3 and 4 threads",
        same,
        Unit::Same,
        Bound::AtLeast(1.0),
        None,
    );

    for goal in goals
        .iter_mut()
        .filter(|goal| goal.what == "W1: time on two threads / on one")
    {
        goal.disturbed = load.is_some_and(|load| load > IDLE);
    }
    goals
}

/// Figures by input and job.
struct Seen<'m>(&'m Medians);

impl Seen<'_> {
    fn median(&self, input: &str, job: &str) -> Option<&Median> {
        self.0.get(input, job)
    }

    fn of(&self, input: &str, job: &str, figure: impl Fn(&Median) -> f64) -> Option<f64> {
        self.median(input, job).map(figure)
    }

    /// Time of the processor for a case: one job's over another's.
    fn ratio(&self, input: &str, job: &str, other: &str) -> Option<f64> {
        Some(
            self.of(input, job, Median::cpu_per_case)?
                / self.of(input, other, Median::cpu_per_case)?,
        )
    }

    /// 1 if some jobs gave one digest.
    fn same(&self, input: &str, jobs: &[String]) -> Option<f64> {
        let all: Vec<&Median> = jobs
            .iter()
            .map(|job| self.median(input, job))
            .collect::<Option<_>>()?;
        let first = all.first()?;
        Some(f64::from(u8::from(
            first.digests.len() == 1 && all.iter().all(|median| median.digests == first.digests),
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn goal(measured: Option<f64>) -> Goal {
        let (must, stretch) = (Bound::AtMost(1.0), Some(Bound::AtMost(0.5)));
        Goal {
            what: String::new(),
            measured,
            unit: Unit::Share,
            must,
            stretch,
            disturbed: false,
        }
    }

    #[test]
    fn a_goal_is_met_up_to_its_bound() {
        assert_eq!(goal(Some(0.5)).verdict(), Verdict::Stretch);
        assert_eq!(goal(Some(1.0)).verdict(), Verdict::Held);
        assert_eq!(goal(Some(1.01)).verdict(), Verdict::Missed);
        assert_eq!(goal(None).verdict(), Verdict::NotMeasured);
        assert!(Bound::AtLeast(2.0).holds(2.0) && !Bound::AtLeast(2.0).holds(1.9));
    }

    #[test]
    fn a_disturbed_figure_is_not_judged() {
        assert_eq!(
            Goal {
                disturbed: true,
                ..goal(Some(9.0))
            }
            .verdict(),
            Verdict::NotJudged
        );
    }

    #[test]
    fn what_was_not_measured_is_neither_held_nor_missed() {
        assert!(
            goals(&Medians::default(), None)
                .iter()
                .all(|goal| goal.verdict() == Verdict::NotMeasured)
        );
    }
}
