//! The sections of the page that compare our figures: with those of packages, other sizes and other interfaces.

use super::job::Job;
use super::markdown::{cell, number, section, table, times};
use super::plan::{
    EXPLAINED, OUR_DIFFLIB, OUR_FUZZY, OURS, PARSE, PYTHON_FUNCTIONS, SIZES, SPARK, WL_CALLS,
    few_objects, long_cases, many_objects, one_case, part, sized, spark_rows, threads,
};
use super::record::{Median, Medians, PartResults};

/// The name of a job in tables.
fn title(job: &str) -> String {
    match job {
        OURS => "**rightcall, four scores**".to_owned(),
        EXPLAINED => "rightcall, with details and explanations".to_owned(),
        PARSE => "the bare parse".to_owned(),
        _ if job.starts_with("axion") || job == "tpmjs" => format!("{job} (reimplemented)"),
        _ => job.to_owned(),
    }
}

/// The names of a part's jobs, in order and without duplicates.
fn job_names(name: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for Job { name, .. } in part(name).map(|part| (part.jobs)()).unwrap_or_default() {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

pub(super) fn packages(medians: &Medians) -> String {
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

pub(super) fn texts(medians: &Medians) -> String {
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

/// A table with a row for each length and a column for each job: milliseconds per case.
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

pub(super) fn long(medians: &Medians) -> String {
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

pub(super) fn sizes(medians: &Medians) -> String {
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

pub(super) fn objects(medians: &Medians) -> String {
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
    let text = "Cases of W1 that are dicts in the memory of Python, one call of `Evaluator.evaluate` each, beside the packages' own \
functions and classes on the same dicts; evaluators are made once, ours and theirs. Time of the processor for a case; reading is not in it. *Again and again*: 50 cases in the \
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

pub(super) fn start(medians: &Medians) -> String {
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

/// The part that measures the npm package.
pub(super) const NPM_PACKAGE: &str = "node";

/// Compares the npm package with the package that it replaces. Both figures come from this part, because W1 is measured in another part
/// too.
pub(super) fn npm_package(results: &[(&'static str, PartResults)]) -> String {
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
the package `evalite` in the same run. Evalite reads the file with JSON.parse. To write arguments as JSON, so that a native engine can look \
at them, costs more than to compare them in JavaScript: the drop-in hands over a number in place of arguments, the same for equal \
ones, unless an explanation is asked for. A small call still costs more than Evalite's own: there a drop-in gives explanations and \
editions, not speed.";
    section("The npm package", text, &[table(&heads, &rows)])
}

/// The part that measures Spark.
pub(super) const SPARK_PART: &str = "spark";

pub(super) fn spark(results: &[(&'static str, PartResults)]) -> String {
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
