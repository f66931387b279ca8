//! The packages whose own tests are run, what came out, and why what failed may fail.

use super::Runner;
use super::python::Suite;
use super::vitest;

/// A package, and its tests of tool call metrics.
#[derive(Debug)]
pub(super) struct Peer {
    /// What the command calls it.
    pub(super) name: &'static str,
    /// The package that is installed beside the tests.
    pub(super) package: &'static str,
    /// The state of its repository that the tests were taken from.
    pub(super) tests_of: &'static str,
    /// The module that the imports are changed to.
    pub(super) module: &'static str,
    pub(super) runner: Runner,
    /// How many tests passed, of how many, when they were run last.
    pub(super) passed: (usize, usize),
    pub(super) exceptions: &'static [Exception],
}

/// Tests that may fail.
#[derive(Debug)]
pub(super) struct Exception {
    /// What their names have.
    pub(super) test: &'static str,
    pub(super) reason: &'static str,
}

impl Peer {
    /// Why a test may fail, if it may.
    pub(super) fn reason(&self, test: &str) -> Option<&'static str> {
        let known = self.exceptions.iter().find(|it| test.contains(it.test));
        known.map(|it| it.reason)
    }
}

/// All of them.
pub(super) const PEERS: &[Peer] = &[
    Peer {
        name: "uipath",
        package: "`uipath` 2.14.44",
        tests_of: "2.14.6",
        module: "rightcall.compat.package.uipath",
        runner: Runner::Pytest(Suite {
            requirements: "crosscheck.txt",
            ours: "rightcall.compat.package.uipath",
            theirs: "uipath.eval",
            root: "packages/uipath/tests",
            files: &[
                "evaluators/test_documentation_examples.py",
                "evaluators/test_evaluator_schemas.py",
                "evaluators/test_evaluator_methods.py",
                "evaluators/test_evaluator_factory.py",
                "evaluators/test_evaluator_helpers.py",
                "evaluators/test_evaluator_aggregation.py",
            ],
        }),
        passed: (348, 352),
        exceptions: &[Exception {
            test: "TestEvaluatorFactoryAcrossTypes::test_top_level_name_and_description_across_evaluator_types[uipath-tool-call-",
            reason: "UiPath's factory makes UiPath's own evaluators, whatever is imported; they are no instances of ours",
        }],
    },
    Peer {
        name: "agentevals",
        package: "`agentevals` 0.0.9",
        tests_of: "0.0.9",
        module: "rightcall.compat.package.agentevals",
        runner: Runner::Pytest(Suite {
            requirements: "crosscheck.txt",
            ours: "rightcall.compat.package.agentevals",
            theirs: "agentevals",
            root: "python/tests",
            files: &["test_trajectory.py", "test_trajectory_async.py"],
        }),
        passed: (112, 112),
        exceptions: &[],
    },
    Peer {
        name: "deepeval",
        package: "`deepeval` 4.3.1",
        tests_of: "4.1.8",
        module: "rightcall.compat.package.deepeval",
        runner: Runner::Pytest(Suite {
            requirements: "crosscheck.txt",
            ours: "rightcall.compat.package.deepeval",
            theirs: "deepeval.metrics",
            root: "tests",
            files: &["test_metrics/test_tool_correctness_metric.py"],
        }),
        passed: (7, 7),
        exceptions: &[],
    },
    Peer {
        name: "ragas",
        package: "`ragas` 0.4.3",
        tests_of: "0.4.0",
        module: "rightcall.compat.package.ragas",
        runner: Runner::Pytest(Suite {
            requirements: "ragas.txt",
            ours: "rightcall.compat.package.ragas",
            theirs: "ragas.metrics",
            root: "tests/unit",
            files: &["test_tool_call_accuracy.py", "test_tool_call_f1.py"],
        }),
        passed: (25, 25),
        exceptions: &[],
    },
    Peer {
        name: "adk",
        package: "`google-adk` 2.13.0",
        tests_of: "1.4.2",
        module: "rightcall.compat.package.adk",
        runner: Runner::Pytest(Suite {
            requirements: "adk.txt",
            ours: "rightcall.compat.package.adk",
            theirs: "google.adk.evaluation",
            root: "tests/unittests",
            files: &["evaluation/test_trajectory_evaluator.py"],
        }),
        passed: (44, 44),
        exceptions: &[],
    },
    Peer {
        name: "agentevals-js",
        package: "`agentevals` 0.0.7 of npm",
        tests_of: "0.0.7",
        module: "rightcall/package/agentevals",
        runner: Runner::Vitest(vitest::Suite {
            ours: "rightcall/package/agentevals",
            root: "js",
        }),
        passed: (56, 62),
        exceptions: &[Exception {
            test: "_llm.test.ts::",
            reason: "it asks a model, which nothing here does",
        }],
    },
];
