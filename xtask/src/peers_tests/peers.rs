//! The packages whose own tests are run, what came out, and why what failed may fail.

use super::Runner;
use super::checkout::Source;
use super::python::Suite;
use super::vitest;

/// A package, and its tests of tool call metrics.
#[derive(Debug)]
pub(super) struct Peer {
    /// What the command calls it.
    pub(super) name: &'static str,
    /// The package that is installed beside the tests.
    pub(super) package: &'static str,
    /// Where the tests can be had.
    pub(super) source: Source,
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

/// How the tests of Google ADK are run, whatever their version.
const ADK: Runner = Runner::Pytest(Suite {
    requirements: "adk.txt",
    ours: "rightcall.compat.package.adk",
    theirs: "google.adk.evaluation",
    roots: &["tests/unittests"],
    files: &["evaluation/test_trajectory_evaluator.py"],
});

/// All of them.
pub(super) const PEERS: &[Peer] = &[
    Peer {
        name: "uipath",
        package: "`uipath` 2.14.44",
        source: Source::Distribution {
            name: "uipath",
            version: "2.14.44",
        },
        module: "rightcall.compat.package.uipath",
        runner: Runner::Pytest(Suite {
            requirements: "crosscheck.txt",
            ours: "rightcall.compat.package.uipath",
            theirs: "uipath.eval",
            roots: &["packages/uipath/tests", "tests"],
            files: &[
                "evaluators/test_documentation_examples.py",
                "evaluators/test_evaluator_schemas.py",
                "evaluators/test_evaluator_methods.py",
                "evaluators/test_evaluator_factory.py",
                "evaluators/test_evaluator_helpers.py",
                "evaluators/test_evaluator_aggregation.py",
            ],
        }),
        passed: (352, 352),
        exceptions: &[],
    },
    Peer {
        name: "agentevals",
        package: "`agentevals` 0.0.9",
        source: Source::Distribution {
            name: "agentevals",
            version: "0.0.9",
        },
        module: "rightcall.compat.package.agentevals",
        runner: Runner::Pytest(Suite {
            requirements: "crosscheck.txt",
            ours: "rightcall.compat.package.agentevals",
            theirs: "agentevals",
            roots: &["python/tests", "tests"],
            files: &["test_trajectory.py", "test_trajectory_async.py"],
        }),
        passed: (112, 112),
        exceptions: &[],
    },
    Peer {
        name: "deepeval",
        package: "`deepeval` 4.3.1",
        source: Source::Repository {
            url: "https://github.com/confident-ai/deepeval",
            commit: "a2e0d4cfd3118352d321c1c84bdeba17d4a201bc",
            version: "4.1.10",
        },
        module: "rightcall.compat.package.deepeval",
        runner: Runner::Pytest(Suite {
            requirements: "crosscheck.txt",
            ours: "rightcall.compat.package.deepeval",
            theirs: "deepeval.metrics",
            roots: &["tests"],
            files: &["test_metrics/test_tool_correctness_metric.py"],
        }),
        passed: (7, 7),
        exceptions: &[],
    },
    Peer {
        name: "ragas",
        package: "`ragas` 0.4.3",
        source: Source::Distribution {
            name: "ragas",
            version: "0.4.3",
        },
        module: "rightcall.compat.package.ragas",
        runner: Runner::Pytest(Suite {
            requirements: "ragas.txt",
            ours: "rightcall.compat.package.ragas",
            theirs: "ragas.metrics",
            roots: &["tests/unit"],
            files: &["test_tool_call_accuracy.py", "test_tool_call_f1.py"],
        }),
        passed: (25, 25),
        exceptions: &[],
    },
    Peer {
        name: "ragas-collections",
        package: "`ragas` 0.4.3",
        source: Source::Distribution {
            name: "ragas",
            version: "0.4.3",
        },
        module: "rightcall.compat.package.ragas.collections",
        runner: Runner::Pytest(Suite {
            requirements: "ragas.txt",
            ours: "rightcall.compat.package.ragas.collections",
            theirs: "ragas.metrics.collections",
            roots: &["tests/unit"],
            files: &[
                "test_tool_call_accuracy_collections.py",
                "test_tool_call_f1_collections.py",
            ],
        }),
        passed: (22, 22),
        exceptions: &[],
    },
    Peer {
        name: "adk",
        package: "`google-adk` 2.13.0",
        source: Source::Repository {
            url: "https://github.com/google/adk-python",
            commit: "02540e482a0413b2f91ce2113ae828fedfa5acf5",
            version: "newer than 1.25",
        },
        module: "rightcall.compat.package.adk",
        runner: ADK,
        passed: (43, 43),
        exceptions: &[],
    },
    Peer {
        name: "adk-1",
        package: "`google-adk` 2.13.0",
        source: Source::Repository {
            url: "https://github.com/google/adk-python",
            commit: "7c670f638bc17374ceb08740bdd057e55c9c2e12",
            version: "1.4.2",
        },
        module: "rightcall.compat.package.adk",
        runner: ADK,
        passed: (44, 44),
        exceptions: &[],
    },
    Peer {
        name: "agentevals-js",
        package: "`agentevals` 0.0.7 of npm",
        source: Source::Repository {
            url: "https://github.com/langchain-ai/agentevals",
            commit: "946ad15b9f2ce9bc9843edd2bb773bd07d78ca7e",
            version: "0.0.7",
        },
        module: "rightcall/package/agentevals",
        runner: Runner::Vitest(vitest::Suite {
            ours: "rightcall/package/agentevals",
            roots: &["js"],
        }),
        passed: (56, 62),
        exceptions: &[Exception {
            test: "_llm.test.ts::",
            reason: "it asks a model, which nothing here does",
        }],
    },
];
