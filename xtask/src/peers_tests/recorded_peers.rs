//! The packages whose own tests are recorded, what came out, and why what differed may differ.

use super::Exception;
use super::checkout::Source;
use super::recorded::{Environment, Recorded, Recorder, Tally};

/// All of them.
pub(super) const RECORDED: &[Recorded] = &[
    Recorded {
        name: "azure",
        package: "`azure-ai-evaluation` 1.18.10",
        source: Source::Distribution {
            name: "azure_ai_evaluation",
            version: "1.18.10",
        },
        roots: &["tests/unittests"],
        recorder: Recorder::Pytest {
            environment: Environment::More,
            // The fixtures ask for a package of Azure's own.
            arguments: &[
                "--noconftest",
                "tests/unittests/test_task_navigation_efficiency_evaluators.py",
            ],
        },
        tally: Tally::of([28, 28, 27, 1, 0]),
        exceptions: &[Exception {
            test: "::test_json_stringified_valid_inputs",
            reason: "in the package's own shape it is the same; a case file takes a list of calls under `expected`, and no text that holds one",
        }],
    },
    Recorded {
        name: "mlflow",
        package: "`mlflow` 3.17.2",
        source: Source::Repository {
            url: "https://github.com/mlflow/mlflow",
            commit: "6137b4a9543ba3e70a5658072241890837a8849f",
            version: "3.10.2.dev0",
        },
        roots: &["tests"],
        recorder: Recorder::Pytest {
            environment: Environment::More,
            arguments: &[
                "tests/genai/scorers/test_builtin_scorers.py",
                "-k",
                "tool_call_correctness",
            ],
        },
        tally: Tally::of([15, 11, 8, 0, 3]),
        exceptions: &[],
    },
    Recorded {
        name: "openevals",
        package: "`openevals` 0.2.2",
        source: Source::Repository {
            url: OPENEVALS.0,
            commit: OPENEVALS.1,
            version: "0.2.1",
        },
        roots: &["python/tests"],
        recorder: Recorder::Pytest {
            environment: Environment::Peers,
            arguments: &[
                "python/tests/trajectory/test_trajectory.py",
                "python/tests/trajectory/test_trajectory_async.py",
            ],
        },
        tally: Tally::of([40, 41, 41, 0, 0]),
        exceptions: &[],
    },
    Recorded {
        name: "pydantic-evals",
        package: "`pydantic-evals` 2.62.0",
        source: Source::Repository {
            url: "https://github.com/pydantic/pydantic-ai",
            commit: "4fda38988f2939fa6ea9cdefcf120693e10ef491",
            version: "2.33.0",
        },
        roots: &["tests"],
        recorder: Recorder::Pytest {
            environment: Environment::More,
            // The fixtures are for tests that ask models.
            arguments: &["--noconftest", "tests/evals/test_agentic_evaluators.py"],
        },
        tally: Tally::of([61, 62, 46, 1, 15]),
        exceptions: &[Exception {
            test: "::test_argument_correctness_nested_values_compared_by_equality",
            reason: "`match: {args: subset}` lets a nested object have more members too, where the package compares it as a whole",
        }],
    },
    Recorded {
        name: "strands",
        package: "`strands-agents-evals` 1.7.0",
        source: Source::Distribution {
            name: "strands_agents_evals",
            version: "1.7.0",
        },
        roots: &["tests"],
        recorder: Recorder::Pytest {
            environment: Environment::More,
            arguments: &[
                "tests/strands_evals/tools/test_evaluation_tools.py",
                "tests/strands_evals/evaluators/deterministic/test_trajectory.py",
            ],
        },
        tally: Tally::of([27, 26, 25, 1, 0]),
        exceptions: &[Exception {
            test: "::test_none_trajectory",
            reason: "a case without a run is not applicable, where the package gives 0",
        }],
    },
    Recorded {
        name: "openevals-js",
        package: "`openevals` 0.2.2 of npm",
        source: Source::Repository {
            url: OPENEVALS.0,
            commit: OPENEVALS.1,
            version: "0.2.2",
        },
        roots: &["js/src"],
        recorder: Recorder::Vitest(&["js/src/trajectory/tests/trajectory.test.ts"]),
        tally: Tally::of([24, 25, 25, 0, 0]),
        exceptions: &[],
    },
    Recorded {
        name: "agentevals-graph",
        package: "`agentevals` 0.0.7 of npm, its sources: graphs",
        source: Source::Repository {
            url: "https://github.com/langchain-ai/agentevals",
            commit: "946ad15b9f2ce9bc9843edd2bb773bd07d78ca7e",
            version: "0.0.7",
        },
        roots: &["js/src"],
        recorder: Recorder::Vitest(&[
            "js/src/graph_trajectory/tests/graph_trajectory_strict.test.ts",
        ]),
        tally: Tally::of([1, 1, 1, 0, 0]),
        exceptions: &[],
    },
    Recorded {
        name: "mastra",
        package: "`@mastra/evals` 1.10.2, tool call accuracy",
        source: Source::Repository {
            url: "https://github.com/mastra-ai/mastra",
            commit: "2c4a7074d3765d54f3bad4dc2d7d9f7ab6bb2034",
            version: "1.0.0-beta.0",
        },
        roots: &["packages/evals/src/scorers/code/tool-call-accuracy"],
        recorder: Recorder::Vitest(&[
            "packages/evals/src/scorers/code/tool-call-accuracy/index.test.ts",
        ]),
        tally: Tally::of([16, 16, 14, 0, 2]),
        exceptions: &[],
    },
    Recorded {
        name: "mastra-trajectory",
        package: "`@mastra/evals` 1.10.2, trajectory accuracy",
        source: Source::Repository {
            url: "https://github.com/mastra-ai/mastra",
            commit: "e5541f7c677c84d4a691d625cc7512f0b09c2a8f",
            version: "before 1.10.2",
        },
        roots: &["packages/evals/src/scorers/code/trajectory"],
        // Those of the scorer of several dimensions are left out.
        recorder: Recorder::Vitest(&[
            "packages/evals/src/scorers/code/trajectory/index.test.ts",
            "-t",
            "createTrajectoryAccuracyScorerCode",
        ]),
        tally: Tally::of([19, 18, 16, 0, 2]),
        exceptions: &[],
    },
    Recorded {
        name: "promptfoo",
        package: "`promptfoo` 0.121.4, its sources",
        source: Source::Repository {
            url: "https://github.com/promptfoo/promptfoo",
            commit: "bfb47fe5c5418365cd861deec3c7b6f0dad7aa39",
            version: "0.121.4",
        },
        roots: &["src", "test"],
        recorder: Recorder::Vitest(&[
            "test/assertions/trajectory.test.ts",
            "test/assertions/toolCallF1.test.ts",
        ]),
        tally: Tally::of([75, 71, 63, 0, 8]),
        exceptions: &[],
    },
];

/// The repository of both packages of openevals, and a commit.
const OPENEVALS: (&str, &str) = (
    "https://github.com/langchain-ai/openevals",
    "bdb122e440070b3afe86717b4be7da23564f198e",
);
