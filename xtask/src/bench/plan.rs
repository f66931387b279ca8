//! The measurements, part by part. Jobs that are compared run in turn, so that a temporary disturbance affects all of them: the jobs of a
//! part on the same input, and the jobs that show how time grows with the input.

use super::job::{Input, Job, Program};
use super::packages::{PYTHON, node, python};
use super::trees;

/// A part of the measurements that can be repeated alone.
pub(crate) struct Part {
    /// Its name in `--only` and in the result file.
    pub(crate) name: &'static str,
    /// A description of the measurement.
    pub(crate) about: &'static str,
    /// Its jobs; those on the same input are consecutive.
    pub(crate) jobs: fn() -> Vec<Job>,
}

impl Part {
    const fn new(name: &'static str, about: &'static str, jobs: fn() -> Vec<Job>) -> Self {
        Self { name, about, jobs }
    }
}

/// The part with the only goal on wall time, which needs an idle machine.
pub(crate) const BY_THE_CLOCK: &str = "size";

/// All parts.
pub(crate) static PARTS: [Part; 14] = [
    Part::new(
        "w1",
        "100,000 cases of some 8 calls, beside the packages",
        w1,
    ),
    Part::new("w2", "2,000 cases of 200 calls, beside the packages", w2),
    Part::new("w4", "texts: fuzzy matching, beside Python", w4),
    Part::new("w5", "documents of 20 kB, beside the packages", w5),
    Part::new("wl", "long cases with arguments, beside the packages", wl),
    Part::new("lengths", "ever longer cases with arguments", lengths),
    Part::new(
        "lcs",
        "the longest common subsequence of one long case",
        lcs,
    ),
    Part::new(
        BY_THE_CLOCK,
        "ever larger files, on one thread and on two",
        size,
    ),
    Part::new(
        "spans",
        "a gigabyte of OpenTelemetry, on lines and as one document",
        spans,
    ),
    Part::new(
        "python",
        "objects in the memory of Python, beside the packages",
        objects,
    ),
    Part::new("spark", "rows on Spark, beside Python UDFs", spark),
    Part::new("start", "a whole process for one case", start),
    Part::new("node", "the npm package, beside Evalite", npm_package),
    Part::new(
        "trees",
        "expectations in blocks, beside optimal alignments",
        trees::jobs,
    ),
];

/// Four evaluators at once: the job that peers are compared with.
pub(crate) const OURS: &str = "rightcall";
/// The same, with details and explanations in the output.
pub(crate) const EXPLAINED: &str = "rightcall, explained";
/// The bare parse.
pub(crate) const PARSE: &str = "parse";

const FOUR: [&str; 4] = [
    "uipath/tool-call-order",
    "uipath/tool-call-count",
    "axion/tool-correctness",
    r#"{"evaluator":"axion/tool-correctness","name":"args","check_parameters":true}"#,
];

/// The arguments of `score` for some evaluators, without details.
fn score(evaluators: &[&str], threads: usize) -> Vec<String> {
    let mut arguments = common(evaluators, threads);
    arguments.push("--no-details".to_owned());
    arguments
}

fn common(evaluators: &[&str], threads: usize) -> Vec<String> {
    let mut arguments: Vec<String> = evaluators
        .iter()
        .flat_map(|evaluator| ["-e".to_owned(), (*evaluator).to_owned()])
        .collect();
    arguments.extend(
        [
            "--edition",
            "package",
            "--format",
            "jsonl",
            "--quiet",
            "--threads",
        ]
        .map(str::to_owned),
    );
    arguments.push(threads.to_string());
    arguments
}

/// Finds a part by name.
pub(crate) fn part(name: &str) -> Option<&'static Part> {
    PARTS.iter().find(|part| part.name == name)
}

/// Our job and the bare parse.
pub(crate) fn base(input: &Input) -> Vec<Job> {
    vec![
        Job::new(OURS, input, Program::Rightcall(score(&FOUR, 1))),
        Job::new(PARSE, input, Program::Bench("parse")),
    ]
}

/// Our job with full output.
pub(crate) fn explained(input: &Input) -> Job {
    let mut arguments = common(&FOUR, 1);
    arguments.push("--explain".to_owned());
    Job::new(EXPLAINED, input, Program::Rightcall(arguments))
}

/// Our own programs on every workload.
pub(crate) fn own() -> Vec<Job> {
    let inputs = [
        Input::whole("w1"),
        Input::whole("w2"),
        names_case(LCS_CALLS),
        Input::whole("w4"),
        Input::whole("w5"),
        long_cases(1_000),
    ];
    inputs
        .iter()
        .flat_map(|input| base(input).into_iter().chain([explained(input)]))
        .collect()
}

/// Our job and the packages on W1, W2 or W5; `column` is the index in [`PYTHON`].
fn beside_packages(input: &Input, column: usize) -> Vec<Job> {
    let mut jobs = base(input);
    jobs.push(explained(input));
    let limits: Vec<_> = PYTHON
        .iter()
        .filter_map(|(peer, limits)| Some((*peer, limits[column]?)))
        .collect();
    jobs.extend(python(input, &limits));
    jobs.extend(node(
        input,
        &[
            ("json", 0),
            ("evalite-exact", 0),
            ("evalite-flexible", 0),
            ("tpmjs", 0),
        ],
    ));
    jobs
}

fn w1() -> Vec<Job> {
    beside_packages(&Input::whole("w1"), 0)
}

fn w2() -> Vec<Job> {
    beside_packages(&Input::whole("w2"), 1)
}

fn w5() -> Vec<Job> {
    beside_packages(&Input::whole("w5"), 2)
}

/// A case with this number of names on each side.
pub(crate) fn names_case(calls: usize) -> Input {
    Input::long("w3", 1, calls)
}

fn w4() -> Vec<Job> {
    let input = &Input::whole("w4");
    let mut jobs = base(input);
    jobs.push(Job::new(
        OUR_FUZZY,
        input,
        Program::Rightcall(score(&[FUZZY], 1)),
    ));
    jobs.push(Job::new(OUR_DIFFLIB, input, Program::Bench("difflib")));
    jobs.extend(python(
        input,
        &[
            ("json", 0),
            ("orjson", 0),
            ("axion-fuzzy", 2_000),
            ("difflib", 0),
        ],
    ));
    jobs
}

/// Fuzzy matching alone.
pub(crate) const OUR_FUZZY: &str = "rightcall, fuzzy alone";
/// Ratios of the same texts as in Python.
pub(crate) const OUR_DIFFLIB: &str = "rightcall, ratios alone";

const FUZZY: &str = r#"{"evaluator":"axion/tool-correctness","check_parameters":true,"parameter_matching_strategy":"fuzzy"}"#;

/// The number of calls on each side of the long cases.
pub(crate) const WL_CALLS: [usize; 5] = [250, 500, 1_000, 2_000, 4_000];

/// The total number of calls on each side of a file of long cases. It is the same for all lengths, so that only the length of a case
/// affects the time per case.
const WL_TOTAL: usize = 64_000;

/// The file of cases with this number of calls.
pub(crate) fn long_cases(calls: usize) -> Input {
    Input::long("wl", WL_TOTAL / calls, calls)
}

fn wl() -> Vec<Job> {
    let mut jobs = Vec::new();
    for calls in WL_CALLS {
        let input = &long_cases(calls);
        jobs.extend(base(input));
        let few = (2_000 / calls).max(1);
        jobs.extend(python(
            input,
            &[
                ("uipath-args-function", few),
                ("deepeval-args-function", few.min(2)),
                ("agentevals-unordered-function", 0),
                ("axion-name", 0),
                ("axion-exact", few * 4),
            ],
        ));
        if calls <= 500 {
            jobs.extend(python(input, &[("axion-fuzzy", few)]));
        }
        jobs.extend(node(input, &[("evalite-flexible", 0), ("tpmjs", 0)]));
    }
    jobs
}

/// Four evaluators on long cases of each length, in turn.
pub(crate) const LENGTHS_IN_TURN: &str = "rightcall, lengths in turn";

/// The lengths at which the effect of doubling is measured, in calls on each side.
pub(crate) const LENGTHS: [usize; 3] = [1_000, 2_000, 4_000];

fn lengths() -> Vec<Job> {
    LENGTHS
        .map(|calls| {
            Job::new(
                LENGTHS_IN_TURN,
                &long_cases(calls),
                Program::Rightcall(score(&FOUR, 1)),
            )
        })
        .into()
}

/// True if two consecutive jobs should run in turn.
pub(crate) fn in_turn(one: &Job, next: &Job) -> bool {
    one.input == next.input || [one, next].iter().all(|job| job.name == LENGTHS_IN_TURN)
}

/// The number of calls on each side of the case for aligning the order.
pub(crate) const LCS_CALLS: usize = 16_000;

fn lcs() -> Vec<Job> {
    let input = &names_case(LCS_CALLS);
    ["read", "lcs"]
        .map(|program| Job::new(program, input, Program::Bench(program)))
        .into()
}

/// File sizes as multiples of W1.
pub(crate) const SIZES: [usize; 4] = [1, 2, 5, 10];

/// A file with this multiple of W1's size.
pub(crate) fn sized(times: usize) -> Input {
    Input::cases("w1", 100_000 * times)
}

/// The name of our job with this number of threads.
pub(crate) fn threads(threads: usize) -> String {
    format!("rightcall, threads: {threads}")
}

fn size() -> Vec<Job> {
    let mut jobs = Vec::new();
    for times in SIZES {
        for count in [1, 2] {
            jobs.push(Job::new(
                threads(count),
                &sized(times),
                Program::Rightcall(score(&FOUR, count)),
            ));
        }
    }
    jobs
}

/// The number of traces, of eight spans each, that make one gigabyte.
const TRACES: usize = 86_000;

/// Spans as a collector writes them, one request a line.
pub(crate) fn spans_on_lines() -> Input {
    Input::cases("spans", TRACES)
}

/// The same in one document.
pub(crate) fn spans_in_document() -> Input {
    Input::cases("spans-document", TRACES)
}

fn spans() -> Vec<Job> {
    let jobs = |input: Input| {
        [(OURS, "read-spans"), (PARSE, "parse-spans")]
            .map(|(name, program)| Job::new(name, &input, Program::Bench(program)))
    };
    [spans_on_lines(), spans_in_document()]
        .into_iter()
        .flat_map(jobs)
        .collect()
}

/// A file with one case.
pub(crate) fn one_case() -> Input {
    Input::cases("w1", 1)
}

/// Python objects that fit into the processor's caches. They are judged repeatedly, as in `timeit`.
pub(crate) fn few_objects() -> Input {
    Input::cases("w1", 50)
}

/// Python objects that do not fit into the caches. They are judged once.
pub(crate) fn many_objects() -> Input {
    Input::cases("w1", 5_000)
}

/// The packages' functions and classes for one case, each with our evaluator for the same metric.
pub(crate) const PYTHON_FUNCTIONS: [(&str, &str); 6] = [
    ("agentevals-unordered-function", "rightcall-exact"),
    ("axion-exact", "rightcall-exact"),
    ("axion-name", "rightcall-names"),
    ("uipath-order", "rightcall-order"),
    ("uipath-count", "rightcall-count"),
    ("uipath-args", "rightcall-args"),
];

/// Ours and theirs on the same dicts.
fn objects() -> Vec<Job> {
    let mut functions: Vec<_> = PYTHON_FUNCTIONS.iter().map(|(_, ours)| *ours).collect();
    functions.dedup();
    functions.extend(PYTHON_FUNCTIONS.map(|(peer, _)| peer));
    let inputs = [(few_objects(), 400), (many_objects(), 1)];
    let jobs = |(input, rounds)| {
        functions
            .iter()
            .map(move |name| Job::new(*name, &input, Program::Objects(name, rounds)))
    };
    inputs.into_iter().flat_map(jobs).collect()
}

/// The input for Spark.
pub(crate) fn spark_rows() -> Input {
    Input::whole("w1")
}

/// Our function on Spark comes first, then the same metric as Python functions.
pub(crate) const SPARK: [(&str, &str); 3] = [
    ("rightcall.spark.score", "rightcall"),
    ("a function of Python over mapInArrow", "map-in-arrow"),
    ("a Python UDF", "udf"),
];

fn spark() -> Vec<Job> {
    SPARK
        .map(|(name, way)| Job::new(name, &spark_rows(), Program::Spark(way)))
        .into()
}

fn start() -> Vec<Job> {
    let input = &one_case();
    let mut jobs = base(input);
    jobs.extend(python(
        input,
        &[
            ("json", 0),
            ("uipath-order", 0),
            ("deepeval", 0),
            ("agentevals-strict", 0),
            ("axion-exact", 0),
        ],
    ));
    jobs.extend(node(
        input,
        &[("json", 0), ("evalite-flexible", 0), ("tpmjs", 0)],
    ));
    jobs
}

/// The number of cases as objects, enough for a few tenths of a second.
const OBJECTS: usize = 20_000;

fn npm_package() -> Vec<Job> {
    let input = &Input::whole("w1");
    let mut jobs = node(
        input,
        &[("json", 0), ("evalite-exact", 0), ("evalite-flexible", 0)],
    );
    jobs.extend(node(
        input,
        &[
            ("evalite-exact-objects", OBJECTS),
            ("evalite-flexible-objects", OBJECTS),
        ],
    ));
    for (peer, limit) in [
        ("rightcall-exact", 0),
        ("rightcall-flexible", 0),
        ("rightcall-exact-results", 0),
        ("rightcall-flexible-results", 0),
        ("rightcall-exact-objects", OBJECTS),
        ("rightcall-flexible-objects", OBJECTS),
    ] {
        jobs.push(Job::new(peer, input, Program::NodePackage(peer, limit)));
    }
    jobs
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_two_jobs_of_a_part_are_one_to_the_results() {
        for part in &PARTS {
            let jobs = (part.jobs)();
            let names: BTreeSet<_> = jobs.iter().map(|job| (job.input.id(), &job.name)).collect();
            assert_eq!(names.len(), jobs.len(), "{}", part.name);
        }
    }

    #[test]
    fn the_jobs_on_one_input_stand_in_a_row() {
        for part in &PARTS {
            let mut inputs: Vec<_> = (part.jobs)().iter().map(|job| job.input.id()).collect();
            inputs.dedup();
            let distinct: BTreeSet<_> = inputs.iter().collect();
            assert_eq!(distinct.len(), inputs.len(), "{}", part.name);
        }
    }
}
