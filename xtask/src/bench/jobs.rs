//! What is measured: a table of programs and their inputs.

/// A part of the measurements: its jobs run in turn on its inputs, so that a disturbance affects all of them.
pub(super) struct Part {
    /// The name, on the command line and of its table in `docs/performance.md`.
    pub(super) name: &'static str,
    /// The inputs: a workload, and its numbers of cases and of calls in each, if not its own.
    pub(super) inputs: &'static [&'static str],
    pub(super) jobs: &'static [Job],
}

/// A name, a program, and the name of the job to compare it with.
///
/// The first word of the program is its kind, the second a name, and numbers after it are limits: of cases for a package, or of rounds for
/// `objects`, one for each input. 0 means all cases, `-` means that it does not run on this input, and the last one is repeated.
pub(super) type Job = (&'static str, &'static str, &'static str);

/// Four evaluators at once: the job that packages are compared with.
pub(super) const OURS: &str = "rightcall, four scores";
/// The same, with details and explanations in the output.
pub(super) const EXPLAINED: &str = "rightcall, with details and explanations";
/// The same file read with `serde_json` into cases, calls and argument values.
pub(super) const PARSE: &str = "the bare parse";
/// Fuzzy matching without the other evaluators.
pub(super) const FUZZY: &str = "rightcall, fuzzy alone";
const RATIOS: &str = "rightcall, ratios alone";
const ALIGNED: &str = "rightcall";
const RESOLVED: &str = "rightcall, the calls made concrete";
const SPARK: &str = "rightcall.spark.score";

/// What `FOUR` is in a program.
pub(super) const FOUR: &str = r#"-e uipath/tool-call-order -e uipath/tool-call-count -e axion/tool-correctness -e {"evaluator":"axion/tool-correctness","name":"args","check_parameters":true} --edition package --format jsonl --quiet"#;

const OUR_SCORES: Job = (OURS, "rightcall FOUR --threads 1 --no-details", "");
const BARE_PARSE: Job = (PARSE, "bench parse", OURS);
const OUR_EXPLANATIONS: Job = (EXPLAINED, "rightcall FOUR --threads 1 --explain", OURS);

/// The parts that `bench` measures by default.
pub(super) const SHORT: [&str; 5] = ["packages", "texts", "long", "start", "messages"];
/// The parts without a table on the page.
pub(super) const ONLY_GOALS: [&str; 4] = ["order", "messages", "spans", INSTRUCTIONS];
/// The part whose instructions are counted: small inputs, because a simulated processor is slow.
pub(super) const INSTRUCTIONS: &str = "instructions";

#[rustfmt::skip]
pub(super) const PARTS: [Part; 13] = [
    Part {
        name: "packages",
        inputs: &["w1", "w2", "w5"],
        jobs: &[
            OUR_SCORES, BARE_PARSE, OUR_EXPLANATIONS,
            ("Python json", "python json 0", OURS),
            ("orjson", "python orjson 0", OURS),
            ("uipath-order", "python uipath-order 20000 40 -", OURS),
            ("uipath-count", "python uipath-count 20000 1000 -", OURS),
            ("uipath-args", "python uipath-args 20000 100 200", OURS),
            ("uipath-order-function", "python uipath-order-function 20000 40 -", OURS),
            ("uipath-order-plain-function", "python uipath-order-plain-function 20000 200 -", OURS),
            ("uipath-count-function", "python uipath-count-function 20000 1000 -", OURS),
            ("uipath-args-function", "python uipath-args-function 20000 100 200", OURS),
            ("deepeval", "python deepeval 4000 10 -", OURS),
            ("deepeval-args", "python deepeval-args 4000 10 60", OURS),
            ("deepeval-order", "python deepeval-order 4000 40 -", OURS),
            ("deepeval-function", "python deepeval-function 10000 20 -", OURS),
            ("deepeval-args-function", "python deepeval-args-function 10000 20 100", OURS),
            ("agentevals-strict", "python agentevals-strict 4000 100 100", OURS),
            ("agentevals-unordered", "python agentevals-unordered 4000 200 100", OURS),
            ("agentevals-unordered-function", "python agentevals-unordered-function 20000 400 0", OURS),
            ("axion-name (reimplemented)", "python axion-name 50000 1000 -", OURS),
            ("axion-exact (reimplemented)", "python axion-exact 50000 1000 0", OURS),
            ("axion-subset (reimplemented)", "python axion-subset 50000 1000 0", OURS),
            ("axion-fuzzy (reimplemented)", "python axion-fuzzy 5000 100 -", OURS),
            ("Node json", "node json 0", OURS),
            ("evalite-exact", "node evalite-exact 0", OURS),
            ("evalite-flexible", "node evalite-flexible 0", OURS),
            ("tpmjs (reimplemented)", "node tpmjs 0", OURS),
        ],
    },
    Part {
        name: "texts",
        inputs: &["w4"],
        jobs: &[
            OUR_SCORES, BARE_PARSE,
            (FUZZY, r#"rightcall -e {"evaluator":"axion/tool-correctness","check_parameters":true,"parameter_matching_strategy":"fuzzy"} --edition package --format jsonl --quiet --threads 1 --no-details"#, ""),
            (RATIOS, "bench difflib", ""),
            ("axion-fuzzy (reimplemented)", "python axion-fuzzy 2000", FUZZY),
            ("difflib", "python difflib 0", RATIOS),
        ],
    },
    Part {
        name: "long",
        inputs: &["wl 256 250", "wl 128 500", "wl 64 1000", "wl 32 2000", "wl 16 4000"],
        jobs: &[
            OUR_SCORES, BARE_PARSE,
            ("uipath-args-function", "python uipath-args-function 8 4 2 1", OURS),
            ("deepeval-args-function", "python deepeval-args-function 2 2 2 1", OURS),
            ("agentevals-unordered-function", "python agentevals-unordered-function 0", OURS),
            ("axion-name (reimplemented)", "python axion-name 0", OURS),
            ("axion-exact (reimplemented)", "python axion-exact 32 16 8 4", OURS),
            ("axion-fuzzy (reimplemented)", "python axion-fuzzy 8 4 -", OURS),
            ("evalite-flexible", "node evalite-flexible 0", OURS),
            ("tpmjs (reimplemented)", "node tpmjs 0", OURS),
        ],
    },
    Part {
        name: "start",
        inputs: &["w1 1"],
        jobs: &[
            OUR_SCORES, BARE_PARSE,
            ("Python json", "python json 0", OURS),
            ("uipath-order", "python uipath-order 0", OURS),
            ("deepeval", "python deepeval 0", OURS),
            ("agentevals-strict", "python agentevals-strict 0", OURS),
            ("axion-exact (reimplemented)", "python axion-exact 0", OURS),
            ("Node json", "node json 0", OURS),
            ("evalite-flexible", "node evalite-flexible 0", OURS),
            ("tpmjs (reimplemented)", "node tpmjs 0", OURS),
        ],
    },
    Part {
        name: "order",
        inputs: &["w3 1 16000"],
        jobs: &[("read", "bench read", ""), ("lcs", "bench lcs", "")],
    },
    Part {
        name: "messages",
        inputs: &["w6"],
        jobs: &[OUR_SCORES, (PARSE, "bench parse-messages", OURS)],
    },
    Part {
        name: "size",
        inputs: &["w1 100000", "w1 1000000"],
        jobs: &[("1 thread", "rightcall FOUR --threads 1 --no-details", ""), ("2 threads", "rightcall FOUR --threads 2 --no-details", "")],
    },
    Part {
        name: "spans",
        inputs: &["spans 86000", "spans-document 86000"],
        jobs: &[(OURS, "bench read-spans", ""), (PARSE, "bench parse-spans", OURS)],
    },
    Part {
        name: "trees",
        inputs: &["trees-mixed 2000", "trees-parallel-calls 1", "trees-parallel-branches 1", "trees-sequence 1"],
        jobs: &[
            (ALIGNED, "bench align 0 -", ""),
            (RESOLVED, "bench resolve", ""),
            ("process_mining", "aligner process_mining 0 -", ALIGNED),
            ("pm4py", "aligner pm4py 0 -", ALIGNED),
        ],
    },
    Part {
        name: "objects",
        inputs: &["w1 50", "w1 5000"],
        jobs: &[
            ("rightcall-exact", "objects rightcall-exact 400 1", ""),
            ("rightcall-names", "objects rightcall-names 400 1", ""),
            ("rightcall-order", "objects rightcall-order 400 1", ""),
            ("rightcall-count", "objects rightcall-count 400 1", ""),
            ("rightcall-args", "objects rightcall-args 400 1", ""),
            ("agentevals-unordered-function", "objects agentevals-unordered-function 400 1", "rightcall-exact"),
            ("axion-exact (reimplemented)", "objects axion-exact 400 1", "rightcall-exact"),
            ("axion-name (reimplemented)", "objects axion-name 400 1", "rightcall-names"),
            ("uipath-order", "objects uipath-order 400 1", "rightcall-order"),
            ("uipath-count", "objects uipath-count 400 1", "rightcall-count"),
            ("uipath-args", "objects uipath-args 400 1", "rightcall-args"),
        ],
    },
    Part {
        name: "node",
        inputs: &["w1"],
        jobs: &[
            ("rightcall-exact", "package rightcall-exact 0", ""),
            ("rightcall-exact-results", "package rightcall-exact-results 0", ""),
            ("evalite-exact", "node evalite-exact 0", "rightcall-exact"),
            ("rightcall-flexible", "package rightcall-flexible 0", ""),
            ("rightcall-flexible-results", "package rightcall-flexible-results 0", ""),
            ("evalite-flexible", "node evalite-flexible 0", "rightcall-flexible"),
            ("rightcall-exact-objects", "package rightcall-exact-objects 20000", ""),
            ("evalite-exact-objects", "node evalite-exact-objects 20000", "rightcall-exact-objects"),
            ("rightcall-flexible-objects", "package rightcall-flexible-objects 20000", ""),
            ("evalite-flexible-objects", "node evalite-flexible-objects 20000", "rightcall-flexible-objects"),
        ],
    },
    Part {
        name: "spark",
        inputs: &["w1"],
        jobs: &[
            (SPARK, "spark rightcall", ""),
            ("a function of Python over mapInArrow", "spark map-in-arrow", SPARK),
            ("a Python UDF", "spark udf", SPARK),
        ],
    },
    Part {
        name: INSTRUCTIONS,
        inputs: &["w1 1000", "w2 20", "w3 1 4000", "w4 50", "w5 10", "wl 1 1000"],
        jobs: &[OUR_SCORES, BARE_PARSE, OUR_EXPLANATIONS],
    },
];
