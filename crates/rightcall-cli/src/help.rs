//! What stands below the options in `--help`: examples, exit codes.

use std::fmt::Write as _;

const EXIT_CODES: &str = "\
Exit codes:
  0  fine, or nothing decides
  1  a gate is missed; without gates: a threshold that you wrote is missed, an evaluator that
     judges by itself says no, or in `run` a case has no run
  2  wrong usage, unreadable input, an evaluation that ended in an error, nothing to score, or
     no run that belongs to a case";

/// What stands below the options of a command: examples, and exit codes where it has more than two.
pub(crate) fn after_help(name: &str) -> String {
    let examples = examples(name).iter();
    let mut out = String::from("Examples:\n");
    for (what, line) in examples {
        _ = writeln!(out, "  # {what}\n  {line}");
    }
    if matches!(name, "score" | "run") {
        _ = write!(out, "\n{EXIT_CODES}");
    }
    out.trim_end().to_owned()
}

/// What stands below the list of commands.
pub(crate) fn after_all() -> &'static str {
    EXIT_CODES
}

/// What people do with a command, in words and as they type it.
pub(crate) fn examples(name: &str) -> &'static [(&'static str, &'static str)] {
    match name {
        "score" => &[
            (
                "how well the order was kept, and F1 of calls with arguments",
                "rightcall score cases.jsonl -e uipath/tool-call-order -e trajectory",
            ),
            (
                "runs in files of their own; a report beside the table",
                "rightcall score cases.jsonl --traces runs/*.jsonl -e trajectory --report html",
            ),
            (
                "every low case, for each model",
                "rightcall score cases.jsonl -e trajectory,threshold=0.8 --by model --all",
            ),
        ],
        "run" => &[
            (
                "suite.yaml, here or in evals/, on today's traces",
                "rightcall run --traces today.jsonl",
            ),
            (
                "what failed when it was last run",
                "rightcall run evals/suite.yaml --failed",
            ),
            (
                "an agent, called for each case",
                "rightcall run suite.yaml --agent ./agent {input}",
            ),
        ],
        "compare" => &[
            (
                "the last run with the one before",
                "rightcall compare latest~1 latest",
            ),
            (
                "models in one file",
                "rightcall compare results.json -e trajectory --by model",
            ),
            (
                "fail where a case got worse than on main",
                "rightcall compare main latest --gate 'worse = 0' --report markdown",
            ),
        ],
        "explain" => &[
            ("the worst case of the last run", "rightcall explain"),
            ("a case of a run", "rightcall explain main --case refund-7"),
            (
                "a case of a file",
                "rightcall explain cases.jsonl --case refund-7 -e trajectory",
            ),
        ],
        "history" => &[
            (
                "the runs of a week on main",
                "rightcall history --since 7d --branch main",
            ),
            ("keep a run", "rightcall history tag latest release-1"),
        ],
        "report" => &[
            (
                "a page of the last run",
                "rightcall report latest -o report.html",
            ),
            (
                "results of the last run on main as a table",
                "rightcall report main -o results.parquet",
            ),
        ],
        "view" => &[("the history in the browser", "rightcall view")],
        "init" => &[
            ("a suite to start from", "rightcall init"),
            (
                "a suite with gates, of good runs",
                "rightcall init evals --from traces.jsonl",
            ),
        ],
        "record" => &[
            (
                "good runs as expectations",
                "rightcall record traces.jsonl --where reward=1.0 -o cases.jsonl",
            ),
            (
                "names of tools alone",
                "rightcall record traces.jsonl --keep names",
            ),
        ],
        "review" => &[
            (
                "what today's runs would change",
                "rightcall review cases.jsonl --traces today.jsonl --check",
            ),
            (
                "take it for one case",
                "rightcall review cases.jsonl --traces today.jsonl --accept refund-7",
            ),
        ],
        "fetch" => &[
            (
                "a week of traces, to be read like any file",
                "rightcall fetch langfuse --since 7d -o week.jsonl",
            ),
            (
                "those of one version, at most 200",
                "rightcall fetch phoenix --filter attribute.version=2 --limit 200 -o v2.jsonl",
            ),
        ],
        "inspect" => &[
            ("what a trace holds", "rightcall inspect trace.json"),
            (
                "every call, for other programs",
                "rightcall inspect runs/*.jsonl --format json",
            ),
        ],
        "convert" => &[
            (
                "any traces as cases",
                "rightcall convert trace.json -o cases.jsonl",
            ),
            (
                "cases as messages",
                "rightcall convert cases.jsonl --to openai-chat",
            ),
            (
                "what is expected, for another tool",
                "rightcall convert cases.jsonl --to adk-eval-sets -o set.evalset.json",
            ),
        ],
        "formats" => &[("what is read of OTLP", "rightcall formats otlp")],
        "evaluators" => &[(
            "the page of one",
            "rightcall evaluators uipath/tool-call-order",
        )],
        "schema" => &[(
            "the schema of suites, for an editor",
            "rightcall schema suite",
        )],
        "completions" => &[("in ~/.bashrc", "source <(rightcall completions bash)")],
        _ => &[],
    }
}
