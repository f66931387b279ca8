//! `docs/performance.md`, drawn from the raw results alone: the same results give the same page.

use super::goals::{Bound, GOALS, Unit, Verdict};
use super::job::Job;
use super::machine::Machine;
use super::markdown::{cell, number, section, table, times};
use super::plan::{
    BY_THE_CLOCK, EXPLAINED, OUR_DIFFLIB, OUR_FUZZY, OURS, PARSE, PYTHON_FUNCTIONS, SIZES, SPARK,
    WL_CALLS, few_objects, long_cases, many_objects, one_case, part, sized, spark_rows, threads,
};
use super::record::{Median, Medians, PartResults};

const METHOD: &str = include_str!("../../bench/method.md");

/// The page of some parts' results.
///
/// # Errors
/// Where parts were measured on different machines, or with different versions.
pub(crate) fn page(results: &[(&'static str, PartResults)]) -> Result<String, String> {
    let mut medians = Medians::default();
    // These are compared within their own part, on an input of another.
    let others = results
        .iter()
        .filter(|(name, _)| ![NPM_PACKAGE, SPARK_PART].contains(name));
    others.for_each(|(_, results)| medians.extend(results.medians()));
    let load = results
        .iter()
        .find(|(name, _)| *name == BY_THE_CLOCK)
        .map(|(_, results)| results.machine.load);
    let sections = [
        METHOD.trim_end().to_owned(),
        machine(results)?,
        goals_section(&medians, load),
        packages(&medians),
        texts(&medians),
        long(&medians),
        sizes(&medians),
        objects(&medians),
        start(&medians),
        npm_package(results),
        spark(results),
    ];
    let sections: Vec<&str> = sections
        .iter()
        .map(String::as_str)
        .filter(|section| !section.is_empty())
        .collect();
    Ok(sections.join("\n\n") + "\n")
}

fn machine(results: &[(&'static str, PartResults)]) -> Result<String, String> {
    let Some((_, first)) = results.first() else {
        return Ok(String::new());
    };
    let same = |one: &Machine, other: &Machine| {
        (&one.processor, one.cores, one.memory, &one.system)
            == (&other.processor, other.cores, other.memory, &other.system)
    };
    let mut versions: Vec<&(String, String)> = Vec::new();
    for (name, results) in results {
        let machine = &results.machine;
        let differs = |(program, version): &&(String, String)| {
            versions
                .iter()
                .any(|(known, other)| known == program && other != version)
        };
        if !same(&first.machine, machine)
            || machine.versions.iter().any(|version| differs(&version))
        {
            return Err(format!(
                "part {name} was measured on another machine or with other versions: measure it again"
            ));
        }
        versions.extend(
            machine
                .versions
                .iter()
                .filter(|version| !versions.contains(version))
                .collect::<Vec<_>>(),
        );
    }
    let Machine {
        processor,
        cores,
        memory,
        system,
        ..
    } = &first.machine;
    let mut dates: Vec<&str> = results
        .iter()
        .map(|(_, results)| results.machine.date.as_str())
        .collect();
    dates.sort_unstable();
    dates.dedup();
    let loads = results.iter().map(|(_, results)| results.machine.load);
    let versions: Vec<String> = versions
        .iter()
        .map(|(program, version)| format!("{program} {version}"))
        .collect();
    let repetitions = results
        .iter()
        .map(|(_, results)| results.repetitions())
        .min()
        .unwrap_or(0);
    Ok(format!(
        "Measured {}: {processor}, {cores} cores, {memory} GiB, {system}. {}. Runs of each job: {repetitions}. Processes that \
wanted to run when a part began: at most {:.1}.",
        dates.join(" and "),
        versions.join(", "),
        loads.fold(0.0, f64::max),
    ))
}

fn goals_section(medians: &Medians, load: Option<f64>) -> String {
    let (mut held, mut missed) = (0, 0);
    let rows = GOALS.each_ref().map(|goal| {
        let measured = goal.measured(medians);
        let verdict = match goal.verdict(measured, load) {
            Verdict::Held => {
                held += 1;
                "held"
            }
            Verdict::Missed => {
                missed += 1;
                "**missed**"
            }
            Verdict::NotMeasured => "not measured",
            Verdict::NotJudged => "not judged: the machine was busy",
        };
        let figure = measured.map(|figure| in_unit(figure, goal.unit));
        vec![
            goal.what.to_owned(),
            figure.unwrap_or_default(),
            bound_text(goal.must, goal.unit),
            verdict.to_owned(),
        ]
    });
    let text = format!(
        "{held} held, {missed} missed. *Four scores* and *the bare parse* are explained above."
    );
    section(
        "Goals",
        &text,
        &[table(&["goal", "measured", "must", ""], &rows)],
    )
}

fn in_unit(figure: f64, unit: Unit) -> String {
    match unit {
        Unit::Times => number(figure) + "×",
        Unit::Share => format!("{figure:.2}"),
        Unit::Megabytes => format!("{:.1} MB", figure / 1e6),
        Unit::Bytes => format!("{figure:.1} bytes"),
        Unit::Milliseconds => format!("{:.1} ms", figure * 1e3),
    }
}

fn bound_text(bound: Bound, unit: Unit) -> String {
    match bound {
        Bound::AtLeast(figure) => format!("≥ {}", in_unit(figure, unit)),
        Bound::AtMost(figure) => format!("≤ {}", in_unit(figure, unit)),
    }
}

/// What the table calls a job.
fn title(job: &str) -> String {
    match job {
        OURS => "**rightcall, four scores**".to_owned(),
        EXPLAINED => "rightcall, with details and explanations".to_owned(),
        PARSE => "the bare parse".to_owned(),
        _ if job.starts_with("axion") || job == "tpmjs" => format!("{job} (reimplemented)"),
        _ => job.to_owned(),
    }
}

/// The names of a part's jobs, each once, in their order.
fn job_names(name: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for Job { name, .. } in part(name).map(|part| (part.jobs)()).unwrap_or_default() {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn packages(medians: &Medians) -> String {
    let workloads = ["w1", "w2", "w5"];
    let row = |job: &String| {
        let cells = workloads.iter().flat_map(|input| {
            let own = medians.get(input, job);
            let ours = medians.get(input, OURS).map(Median::cpu_per_case);
            let time = own.map(Median::cpu_per_case);
            [
                cell(time.map(|time| time * 1e6)),
                times(time.zip(ours).map(|(time, ours)| time / ours)),
            ]
        });
        let peak = workloads
            .iter()
            .find_map(|input| medians.get(input, job))
            .map(|median| median.peak / 1e6);
        let mut row = vec![title(job), cell(peak)];
        row.extend(cells);
        (row.iter().skip(1).any(|cell| !cell.is_empty())).then_some(row)
    };
    let rows: Vec<Vec<String>> = job_names("w1").iter().filter_map(row).collect();
    let heads = [
        "",
        "MB",
        "W1, µs a case",
        "× ours",
        "W2, µs a case",
        "× ours",
        "W5, µs a case",
        "× ours",
    ];
    let speed = |input: &str| {
        let ours = medians.get(input, OURS)?;
        let name = input.to_uppercase();
        let (megabytes, cases) = (
            ours.bytes as f64 / 1e6 / ours.cpu,
            ours.cases as f64 / ours.cpu,
        );
        Some(format!(
            "{name} {} MB/s and {} cases/s",
            number(megabytes),
            number(cases)
        ))
    };
    let speeds: Vec<String> = workloads.iter().filter_map(|input| speed(input)).collect();
    let text = format!(
        "Time of the processor for a case, and how many times ours that is: ours is always the whole process with four scores. \
`-function` are a package's helper functions, without its evaluator class. rightcall: {}.",
        speeds.join(", ")
    );
    section("Beside the packages", &text, &[table(&heads, &rows)])
}

fn texts(medians: &Medians) -> String {
    let row = |job: &String| {
        let other = match job.as_str() {
            "axion-fuzzy" => OUR_FUZZY,
            "difflib" => OUR_DIFFLIB,
            _ => job,
        };
        let time = |job: &str| medians.get("w4", job).map(Median::cpu_per_case);
        let own = time(job)?;
        let ratio = time(other)
            .filter(|_| other != job)
            .map(|other| own / other);
        Some(vec![title(job), number(own * 1e6), times(ratio)])
    };
    let rows: Vec<Vec<String>> = job_names("w4").iter().filter_map(row).collect();
    let text = "W4. Fuzzy matching is compared with fuzzy matching alone, and Python's difflib with the same four ratios a case, \
which are the same f64.";
    section("Texts", text, &[table(&["", "µs a case", "× ours"], &rows)])
}

/// A table with a row for each length and a column for each job: milliseconds a case.
fn by_length(
    lengths: &[usize],
    jobs: &[&str],
    figure: impl Fn(usize, &str) -> Option<f64>,
) -> Vec<Vec<String>> {
    let row = |&calls: &usize| {
        let cells: Vec<String> = jobs
            .iter()
            .map(|job| cell(figure(calls, job).map(|seconds| seconds * 1e3)))
            .collect();
        let mut row = vec![number(calls as f64)];
        row.extend(cells);
        row.iter()
            .skip(1)
            .any(|cell| !cell.is_empty())
            .then_some(row)
    };
    lengths.iter().filter_map(row).collect()
}

fn long(medians: &Medians) -> String {
    let jobs = job_names("wl");
    let jobs: Vec<&str> = jobs.iter().map(String::as_str).collect();
    let time = |calls: usize, job: &str| {
        medians
            .get(&long_cases(calls).id(), job)
            .map(Median::cpu_per_case)
    };
    let rows = by_length(&WL_CALLS, &jobs, time);
    let titles: Vec<String> = jobs.iter().map(|job| title(job)).collect();
    let heads: Vec<&str> = std::iter::once("calls a side")
        .chain(titles.iter().map(String::as_str))
        .collect();
    let text = "WL: long cases with arguments. Milliseconds of the processor a case; `agentevals-unordered-function` stops at the \
first difference.";
    section("Long cases with arguments", text, &[table(&heads, &rows)])
}

fn sizes(medians: &Medians) -> String {
    let row = |&size: &usize| {
        let input = sized(size);
        let (one, two) = (
            medians.get(&input.id(), &threads(1))?,
            medians.get(&input.id(), &threads(2))?,
        );
        let mut row = vec![number(one.bytes as f64 / 1e6), number(one.cases as f64)];
        for median in [one, two] {
            row.extend(
                [
                    median.cpu,
                    median.wall,
                    median.bytes as f64 / 1e6 / median.wall,
                    median.peak / 1e6,
                ]
                .map(number),
            );
        }
        Some(row)
    };
    let rows: Vec<Vec<String>> = SIZES.iter().filter_map(row).collect();
    let heads = [
        "MB",
        "cases",
        "1 thread: s of CPU",
        "s",
        "MB/s",
        "MB of memory",
        "2 threads: s of CPU",
        "s",
        "MB/s",
        "MB of memory",
    ];
    section(
        "Growth with the size of a file",
        "W1 and multiples of it, four scores.",
        &[table(&heads, &rows)],
    )
}

fn objects(medians: &Medians) -> String {
    let inputs = [few_objects(), many_objects()].map(|input| input.id());
    let row = |job: &String| {
        let ours = PYTHON_FUNCTIONS
            .iter()
            .find(|(peer, _)| peer == job)
            .map(|(_, ours)| ours);
        let cells = inputs.iter().map(|input| {
            let time = |job: &str| {
                medians
                    .get(input, job)
                    .map(|median| median.cpu_per_case() * 1e6)
            };
            let figure = time(job)?;
            Some([
                number(figure),
                times(ours.and_then(|ours| Some(figure / time(ours)?))),
            ])
        });
        let cells: Vec<_> = cells.collect::<Option<_>>()?;
        Some(
            [title(job)]
                .into_iter()
                .chain(cells.into_iter().flatten())
                .collect(),
        )
    };
    let rows: Vec<Vec<String>> = job_names("python").iter().filter_map(row).collect();
    let text = "Cases of W1 that are dicts in the memory of Python, one call of `rightcall.evaluate` each, beside the packages' own \
functions and classes on the same dicts. Time of the processor for a case; reading is not in it. *Again and again*: 50 cases in the \
processor's caches, judged 400 times over, as `timeit` does; the goals were set from figures of such cases and are held against these. \
*Once*: 5,000 cases, 58 MB of objects, each judged once, so that they have to come from memory. That costs everybody some microseconds \
a case, as much as the fastest of ours take, so they are fewer times as fast.";
    section(
        "Objects in Python",
        text,
        &[table(
            &["µs a case", "again and again", "× ours", "once", "× ours"],
            &rows,
        )],
    )
}

fn start(medians: &Medians) -> String {
    let row = |job: &String| {
        let median = medians.get(&one_case().id(), job)?;
        Some(vec![
            title(job),
            number(median.process_cpu * 1e3),
            number(median.peak / 1e6),
        ])
    };
    let rows: Vec<Vec<String>> = job_names("start").iter().filter_map(row).collect();
    let text = "Time of the processor and memory of a whole process, imports and all.";
    section("One case", text, &[table(&["", "ms", "MB"], &rows)])
}

/// The part of the npm package.
const NPM_PACKAGE: &str = "node";

/// The npm package beside the package that it stands in for, both from one part: W1 is measured in another part too.
fn npm_package(results: &[(&'static str, PartResults)]) -> String {
    let Some((_, results)) = results.iter().find(|(name, _)| *name == NPM_PACKAGE) else {
        return String::new();
    };
    let medians = results.medians();
    let time = |job: &str| {
        medians
            .get("w1", job)
            .map(|median| median.cpu_per_case() * 1e6)
    };
    let modes = ["exact", "flexible"];
    let row = |what: &str, suffix: &str, beside: &str| {
        let cells = modes.iter().flat_map(|mode| {
            let (own, other) = (
                time(&format!("rightcall-{mode}{suffix}")),
                time(&format!("evalite-{mode}{beside}")),
            );
            [
                cell(other),
                cell(own),
                times(other.zip(own).map(|(other, own)| other / own)),
            ]
        });
        [what.to_owned()]
            .into_iter()
            .chain(cells)
            .collect::<Vec<_>>()
    };
    let rows = [
        row("a file to its totals", "", ""),
        row("a file to its results", "-results", ""),
        row("objects in memory, one by one", "-objects", "-objects"),
    ];
    let heads = [
        "µs a case",
        "evalite, exact",
        "ours",
        "× ours",
        "evalite, flexible",
        "ours",
        "× ours",
    ];
    let text = "W1 through `scoreFile` on one thread, and through `toolCallAccuracy` where the cases are objects already, beside \
the package `evalite` in the same run. Evalite reads the file with JSON.parse. Objects have to be written as JSON before a native \
engine can look at them, which alone costs more than comparing them in JavaScript: there a drop-in gives explanations and \
editions, not speed.";
    section("The npm package", text, &[table(&heads, &rows)])
}

/// The part of Spark.
const SPARK_PART: &str = "spark";

fn spark(results: &[(&'static str, PartResults)]) -> String {
    let Some((_, results)) = results.iter().find(|(name, _)| *name == SPARK_PART) else {
        return String::new();
    };
    let medians = results.medians();
    let of = |job: &str| medians.get(&spark_rows().id(), job);
    let rows_a_second = |median: &Median| median.cases as f64 / median.wall;
    let ours = of(SPARK[0].0).map(rows_a_second);
    let row = |&(job, _): &(&str, &str)| {
        let median = of(job)?;
        let ratio = ours
            .filter(|_| job != SPARK[0].0)
            .map(|ours| ours / rows_a_second(median));
        Some(vec![
            job.to_owned(),
            number(rows_a_second(median)),
            number(median.cpu_per_case() * 1e6),
            times(ratio),
        ])
    };
    let rows: Vec<Vec<String>> = SPARK.iter().filter_map(row).collect();
    let text = "W1 as rows of Parquet with the two sides as JSON texts, on a local Spark with two cores and two worker processes, all \
by the same metric (`axion/tool-correctness` with `check_parameters`); as a function of Python it is json.loads and the \
reimplemented metric. Time by the clock from reading the rows to the mean of their scores, and time of the processor of the JVM and \
the workers together, which is Spark's own too: reading rows, sending them and back.";
    section(
        "Spark",
        text,
        &[table(
            &["", "rows a second", "µs of CPU a row", "ours is faster"],
            &rows,
        )],
    )
}

#[cfg(test)]
mod tests {
    use super::super::record::Run;
    use super::*;

    fn run(job: &str, cases: u64, cpu: f64) -> Run {
        Run {
            job: job.to_owned(),
            input: "w1".to_owned(),
            bytes: 200_000_000,
            cases,
            cpu,
            wall: cpu,
            process_cpu: cpu,
            peak: 6_400_000,
        }
    }

    fn results(processor: &str, runs: &[Run]) -> PartResults {
        let machine = Machine {
            processor: processor.to_owned(),
            cores: 2,
            memory: 8,
            system: "linux".to_owned(),
            date: "2026-01-02".to_owned(),
            load: 0.0,
            versions: vec![("rustc".to_owned(), "1.2.3".to_owned())],
        };
        PartResults {
            machine,
            runs: runs.to_vec(),
        }
    }

    #[test]
    fn figures_are_medians_and_ratios_are_of_cases() {
        let runs = [
            run(OURS, 100_000, 1.0),
            run(PARSE, 100_000, 2.0),
            run("uipath-order", 20_000, 4.0),
            run(OURS, 100_000, 9.0),
            run(OURS, 100_000, 0.9),
        ];
        let page = page(&[("w1", results("one", &runs))]).unwrap();
        for line in [
            "| W1: four scores / the bare parse | 0.50 | ≤ 1.00 | held |",
            "| W2: four scores / the bare parse |  | ≤ 0.90 | not measured |",
            "| uipath-order | 6.40 | 200 | 20.0× |  |  |  |  |",
        ] {
            assert!(page.lines().any(|found| found == line), "{line}\n{page}");
        }
    }

    #[test]
    fn figures_of_two_machines_are_not_put_on_one_page() {
        let of = |processor| results(processor, &[run(OURS, 1, 1.0)]);
        assert!(page(&[("w1", of("one")), ("w2", of("one"))]).is_ok());
        assert!(
            page(&[("w1", of("one")), ("w2", of("other"))])
                .unwrap_err()
                .contains("w2")
        );
    }
}
