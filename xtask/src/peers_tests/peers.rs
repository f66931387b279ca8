//! The packages with their own tests, the expected outcomes, and the known reasons for failures or differences.

use super::checkout::Source;
use super::python::Suite;

/// A package and its tests of tool call metrics.
#[derive(Debug)]
pub(super) struct Peer {
    /// Its name in the command and in the recording scripts.
    pub(super) name: &'static str,
    /// The package that is installed for the tests, or that they are part of.
    pub(super) package: &'static str,
    /// The source of the tests.
    pub(super) source: Source,
    /// The folders of the tests and their shared files: first the path in the repository, where all are checked out, then the path in a
    /// source distribution.
    pub(super) roots: &'static [&'static str],
    pub(super) tests: Tests,
    pub(super) exceptions: &'static [Exception],
}

/// What the tests check.
#[derive(Debug)]
pub(super) enum Tests {
    /// Our drop-ins instead of the package.
    DropIn(DropIn),
    /// The calls that the tests make to the package.
    Calls(Recorded),
}

/// Tests with changed imports.
#[derive(Debug)]
pub(super) struct DropIn {
    /// The module to import from instead.
    pub(super) module: &'static str,
    pub(super) runner: Runner,
    /// The number of passed tests and the total, in the last run.
    pub(super) passed: (usize, usize),
}

/// The test runner for a drop-in.
#[derive(Debug)]
pub(super) enum Runner {
    /// pytest in an environment with the package.
    Pytest(Suite),
    /// vitest in the project with the published npm packages.
    Vitest,
}

/// How to run the tests, and the results of the calls that they make.
#[derive(Debug)]
pub(super) struct Recorded {
    pub(super) recorder: Recorder,
    /// The counts of the last run.
    pub(super) tally: Tally,
}

/// The test runner that records the calls.
#[derive(Debug)]
pub(super) enum Recorder {
    /// pytest with these arguments.
    Pytest {
        environment: Environment,
        arguments: &'static [&'static str],
    },
    /// vitest with these files and flags.
    Vitest(&'static [&'static str]),
}

/// The Python environment that has the package.
#[derive(Clone, Copy, Debug)]
pub(super) enum Environment {
    Peers,
    More,
}

/// The counts for the tests of a package, and for the calls in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    /// The number of tests. Some may make no call.
    pub(super) tests: usize,
    pub(super) calls: usize,
    pub(super) same: usize,
    /// Different results with a known reason.
    pub(super) explained: usize,
    /// Different results without a known reason.
    pub(super) different: usize,
    pub(super) not_comparable: usize,
}

impl Tally {
    /// Counts of tests and calls; then the calls with the same result, those with a known difference, and those that cannot be compared.
    pub(super) const fn of([tests, calls, same, explained, not_comparable]: [usize; 5]) -> Self {
        Self {
            tests,
            calls,
            same,
            explained,
            different: 0,
            not_comparable,
        }
    }
}

/// Tests that may fail, or calls that may have a different result.
#[derive(Debug)]
pub(super) struct Exception {
    /// A part of their names.
    pub(super) test: &'static str,
    pub(super) reason: &'static str,
}

impl Peer {
    /// The reason why a test may fail; `None` if it may not.
    pub(super) fn reason(&self, test: &str) -> Option<&'static str> {
        let known = self.exceptions.iter().find(|it| test.contains(it.test));
        known.map(|it| it.reason)
    }
}

/// How to run the tests of Google ADK, for any version.
const ADK: Runner = Runner::Pytest(Suite {
    requirements: "adk.txt",
    theirs: "google.adk.evaluation",
    files: &["evaluation/test_trajectory_evaluator.py"],
});

/// The repository of the openevals packages, and a commit.
const OPENEVALS: (&str, &str) = (
    "https://github.com/langchain-ai/openevals",
    "bdb122e440070b3afe86717b4be7da23564f198e",
);

/// All peers; those with a drop-in come first.
pub(super) const PEERS: &[Peer] = &[
    Peer {
        name: "uipath",
        package: "`uipath` 2.14.44",
        source: Source::Distribution {
            name: "uipath",
            version: "2.14.44",
        },
        roots: &["packages/uipath/tests", "tests"],
        tests: Tests::DropIn(DropIn {
            module: "rightcall.compat.package.uipath",
            runner: Runner::Pytest(Suite {
                requirements: "crosscheck.txt",
                theirs: "uipath.eval",
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
        }),
        exceptions: &[],
    },
    Peer {
        name: "agentevals",
        package: "`agentevals` 0.0.9",
        source: Source::Distribution {
            name: "agentevals",
            version: "0.0.9",
        },
        roots: &["python/tests", "tests"],
        tests: Tests::DropIn(DropIn {
            module: "rightcall.compat.package.agentevals",
            runner: Runner::Pytest(Suite {
                requirements: "crosscheck.txt",
                theirs: "agentevals",
                files: &["test_trajectory.py", "test_trajectory_async.py"],
            }),
            passed: (112, 112),
        }),
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
        roots: &["tests"],
        tests: Tests::DropIn(DropIn {
            module: "rightcall.compat.package.deepeval",
            runner: Runner::Pytest(Suite {
                requirements: "crosscheck.txt",
                theirs: "deepeval.metrics",
                files: &["test_metrics/test_tool_correctness_metric.py"],
            }),
            passed: (7, 7),
        }),
        exceptions: &[],
    },
    Peer {
        name: "ragas",
        package: "`ragas` 0.4.3",
        source: Source::Distribution {
            name: "ragas",
            version: "0.4.3",
        },
        roots: &["tests/unit"],
        tests: Tests::DropIn(DropIn {
            module: "rightcall.compat.package.ragas",
            runner: Runner::Pytest(Suite {
                requirements: "ragas.txt",
                theirs: "ragas.metrics",
                files: &["test_tool_call_accuracy.py", "test_tool_call_f1.py"],
            }),
            passed: (25, 25),
        }),
        exceptions: &[],
    },
    Peer {
        name: "ragas-collections",
        package: "`ragas` 0.4.3",
        source: Source::Distribution {
            name: "ragas",
            version: "0.4.3",
        },
        roots: &["tests/unit"],
        tests: Tests::DropIn(DropIn {
            module: "rightcall.compat.package.ragas.collections",
            runner: Runner::Pytest(Suite {
                requirements: "ragas.txt",
                theirs: "ragas.metrics.collections",
                files: &[
                    "test_tool_call_accuracy_collections.py",
                    "test_tool_call_f1_collections.py",
                ],
            }),
            passed: (22, 22),
        }),
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
        roots: &["tests/unittests"],
        tests: Tests::DropIn(DropIn {
            module: "rightcall.compat.package.adk",
            runner: ADK,
            passed: (43, 43),
        }),
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
        roots: &["tests/unittests"],
        tests: Tests::DropIn(DropIn {
            module: "rightcall.compat.package.adk",
            runner: ADK,
            passed: (44, 44),
        }),
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
        roots: &["js"],
        tests: Tests::DropIn(DropIn {
            module: "rightcall/package/agentevals",
            runner: Runner::Vitest,
            passed: (56, 62),
        }),
        exceptions: &[Exception {
            test: "_llm.test.ts::",
            reason: "it asks a model, which nothing here does",
        }],
    },
    Peer {
        name: "azure",
        package: "`azure-ai-evaluation` 1.18.10",
        source: Source::Distribution {
            name: "azure_ai_evaluation",
            version: "1.18.10",
        },
        roots: &["tests/unittests"],
        tests: Tests::Calls(Recorded {
            recorder: Recorder::Pytest {
                environment: Environment::More,
                // The fixtures require another package by Azure.
                arguments: &[
                    "--noconftest",
                    "tests/unittests/test_task_navigation_efficiency_evaluators.py",
                ],
            },
            tally: Tally::of([28, 28, 27, 1, 0]),
        }),
        exceptions: &[Exception {
            test: "::test_json_stringified_valid_inputs",
            reason: "in the package's own shape it is the same; a case file takes a list of calls under `expected`, and no text that holds one",
        }],
    },
    Peer {
        name: "mlflow",
        package: "`mlflow` 3.18.0",
        source: Source::Repository {
            url: "https://github.com/mlflow/mlflow",
            commit: "6137b4a9543ba3e70a5658072241890837a8849f",
            version: "3.10.2.dev0",
        },
        roots: &["tests"],
        tests: Tests::Calls(Recorded {
            recorder: Recorder::Pytest {
                environment: Environment::More,
                arguments: &[
                    "tests/genai/scorers/test_builtin_scorers.py",
                    "-k",
                    "tool_call_correctness",
                ],
            },
            tally: Tally::of([15, 11, 8, 0, 3]),
        }),
        exceptions: &[],
    },
    Peer {
        name: "openevals",
        package: "`openevals` 0.2.2",
        source: Source::Repository {
            url: OPENEVALS.0,
            commit: OPENEVALS.1,
            version: "0.2.1",
        },
        roots: &["python/tests"],
        tests: Tests::Calls(Recorded {
            recorder: Recorder::Pytest {
                environment: Environment::Peers,
                arguments: &[
                    "python/tests/trajectory/test_trajectory.py",
                    "python/tests/trajectory/test_trajectory_async.py",
                ],
            },
            tally: Tally::of([40, 41, 41, 0, 0]),
        }),
        exceptions: &[],
    },
    Peer {
        name: "pydantic-evals",
        package: "`pydantic-evals` 2.62.0",
        source: Source::Repository {
            url: "https://github.com/pydantic/pydantic-ai",
            commit: "4fda38988f2939fa6ea9cdefcf120693e10ef491",
            version: "2.33.0",
        },
        roots: &["tests"],
        tests: Tests::Calls(Recorded {
            recorder: Recorder::Pytest {
                environment: Environment::More,
                // The fixtures are for tests that call models.
                arguments: &["--noconftest", "tests/evals/test_agentic_evaluators.py"],
            },
            tally: Tally::of([61, 62, 46, 1, 15]),
        }),
        exceptions: &[Exception {
            test: "::test_argument_correctness_nested_values_compared_by_equality",
            reason: "`match: {args: subset}` lets a nested object have more members too, where the package compares it as a whole",
        }],
    },
    Peer {
        name: "strands",
        package: "`strands-agents-evals` 1.7.0",
        source: Source::Distribution {
            name: "strands_agents_evals",
            version: "1.7.0",
        },
        roots: &["tests"],
        tests: Tests::Calls(Recorded {
            recorder: Recorder::Pytest {
                environment: Environment::More,
                arguments: &[
                    "tests/strands_evals/tools/test_evaluation_tools.py",
                    "tests/strands_evals/evaluators/deterministic/test_trajectory.py",
                ],
            },
            tally: Tally::of([27, 26, 25, 1, 0]),
        }),
        exceptions: &[Exception {
            test: "::test_none_trajectory",
            reason: "a case without a run is not applicable, where the package gives 0",
        }],
    },
    Peer {
        name: "openevals-js",
        package: "`openevals` 0.2.2 of npm",
        source: Source::Repository {
            url: OPENEVALS.0,
            commit: OPENEVALS.1,
            version: "0.2.2",
        },
        roots: &["js/src"],
        tests: Tests::Calls(Recorded {
            recorder: Recorder::Vitest(&["js/src/trajectory/tests/trajectory.test.ts"]),
            tally: Tally::of([24, 25, 25, 0, 0]),
        }),
        exceptions: &[],
    },
    Peer {
        name: "agentevals-graph",
        package: "`agentevals` 0.0.7 of npm, its sources: graphs",
        source: Source::Repository {
            url: "https://github.com/langchain-ai/agentevals",
            commit: "946ad15b9f2ce9bc9843edd2bb773bd07d78ca7e",
            version: "0.0.7",
        },
        roots: &["js/src"],
        tests: Tests::Calls(Recorded {
            recorder: Recorder::Vitest(&[
                "js/src/graph_trajectory/tests/graph_trajectory_strict.test.ts",
            ]),
            tally: Tally::of([1, 1, 1, 0, 0]),
        }),
        exceptions: &[],
    },
    Peer {
        name: "mastra",
        package: "`@mastra/evals` 1.10.2, tool call accuracy",
        source: Source::Repository {
            url: "https://github.com/mastra-ai/mastra",
            commit: "2c4a7074d3765d54f3bad4dc2d7d9f7ab6bb2034",
            version: "1.0.0-beta.0",
        },
        roots: &["packages/evals/src/scorers/code/tool-call-accuracy"],
        tests: Tests::Calls(Recorded {
            recorder: Recorder::Vitest(&[
                "packages/evals/src/scorers/code/tool-call-accuracy/index.test.ts",
            ]),
            tally: Tally::of([16, 16, 14, 0, 2]),
        }),
        exceptions: &[],
    },
    Peer {
        name: "mastra-trajectory",
        package: "`@mastra/evals` 1.10.2, trajectory accuracy",
        source: Source::Repository {
            url: "https://github.com/mastra-ai/mastra",
            commit: "e5541f7c677c84d4a691d625cc7512f0b09c2a8f",
            version: "before 1.10.2",
        },
        roots: &["packages/evals/src/scorers/code/trajectory"],
        // Without the tests of the multi-dimensional scorer.
        tests: Tests::Calls(Recorded {
            recorder: Recorder::Vitest(&[
                "packages/evals/src/scorers/code/trajectory/index.test.ts",
                "-t",
                "createTrajectoryAccuracyScorerCode",
            ]),
            tally: Tally::of([19, 18, 16, 0, 2]),
        }),
        exceptions: &[],
    },
    Peer {
        name: "promptfoo",
        package: "`promptfoo` 0.121.4, its sources",
        source: Source::Repository {
            url: "https://github.com/promptfoo/promptfoo",
            commit: "bfb47fe5c5418365cd861deec3c7b6f0dad7aa39",
            version: "0.121.4",
        },
        roots: &["src", "test"],
        tests: Tests::Calls(Recorded {
            recorder: Recorder::Vitest(&[
                "test/assertions/trajectory.test.ts",
                "test/assertions/toolCallF1.test.ts",
            ]),
            tally: Tally::of([75, 71, 63, 0, 8]),
        }),
        exceptions: &[],
    },
];
