//! Data sets, benchmarks and evaluations.

use super::Counts;

pub(super) const FILES: &[Counts] = &[
    ("adk-eval-sets.cases.json", 2, &[], [0, 0, 0, 0]),
    ("adk-eval-sets.older.json", 1, &[], [0, 0, 0, 0]),
    (
        "atif.trajectory.json",
        1,
        &[("find_order", 2), ("get_policy", 1)],
        [2, 0, 0, 0],
    ),
    (
        "azure-rows.jsonl",
        2,
        &[("find_order", 1), ("get_policy", 1)],
        [1, 0, 0, 0],
    ),
    (
        "azure-rows.results.json",
        1,
        &[("find_order", 1)],
        [0, 0, 0, 0],
    ),
    (
        "bfcl.answers.txt",
        2,
        &[("find_order", 2), ("get_policy", 1), ("sort", 1)],
        [0, 0, 0, 0],
    ),
    (
        "bfcl.decoded.jsonl",
        4,
        &[("find_order", 3), ("get_policy", 1)],
        [0, 0, 0, 0],
    ),
    (
        "bfcl.records.jsonl",
        5,
        &[("cd", 1), ("find_order", 3), ("sort", 1)],
        [0, 0, 0, 0],
    ),
    (
        "cases.rows.parquet",
        2,
        &[("find_order", 2), ("refund", 1)],
        [0, 0, 0, 0],
    ),
    (
        "inspect.log.eval",
        2,
        &[("find_order", 1), ("get_policy", 1)],
        [1, 0, 0, 0],
    ),
    (
        "inspect.log.json",
        2,
        // One of them is known only by its result.
        &[("find_order", 2), ("get_policy", 1), ("search", 1)],
        [4, 0, 1, 0],
    ),
    (
        "mini-swe-agent.run.traj.json",
        1,
        &[("bash", 3)],
        [3, 0, 0, 0],
    ),
    ("mini-swe-agent.text.json", 1, &[("bash", 1)], [1, 0, 0, 0]),
    (
        "openhands.evaluation.jsonl",
        2,
        &[("browse", 1), ("find_order", 2), ("get_policy", 1)],
        [3, 0, 0, 0],
    ),
    (
        "openhands.events.jsonl",
        1,
        &[("find_order", 1), ("get_policy", 1)],
        [1, 0, 0, 0],
    ),
    (
        "promptfoo.results.json",
        2,
        &[("find_order", 1), ("get_policy", 1)],
        [1, 0, 0, 0],
    ),
    (
        "promptfoo.results.jsonl",
        1,
        &[("find_order", 1)],
        [0, 0, 0, 0],
    ),
    (
        "swe-agent.run.traj",
        1,
        &[("find_order", 1), ("submit", 1)],
        [1, 1, 0, 0],
    ),
    (
        "tau-bench.results.json",
        2,
        &[("find_order", 1), ("get_policy", 1)],
        [2, 0, 0, 0],
    ),
    (
        "tau2-bench.results.json",
        2,
        &[("find_order", 1), ("get_policy", 1), ("reboot_phone", 1)],
        [3, 0, 0, 0],
    ),
    (
        "llm-logs.rows.json",
        2,
        &[("find_order", 2), ("get_policy", 1)],
        [2, 0, 0, 0],
    ),
    (
        "glaive.rows.jsonl",
        2,
        &[("find_order", 1), ("get_policy", 1)],
        [2, 0, 0, 0],
    ),
    ("nestful.rows.jsonl", 1, &[], [0, 0, 0, 0]),
    (
        "toolbench.answer.json",
        1,
        &[("Finish", 1), ("find_order_for_shop", 1)],
        [1, 0, 0, 0],
    ),
    (
        "verifiers.results.jsonl",
        2,
        &[("find_order", 2), ("get_policy", 1)],
        [3, 0, 0, 0],
    ),
    ("xlam.rows.json", 2, &[], [0, 0, 0, 0]),
    ("uipath-evals.set.json", 2, &[], [0, 0, 0, 0]),
];
