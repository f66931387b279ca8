//! Words of keys that hold the ids of runs, or say what is smaller or larger than one.

use super::{is_one, spaced};

/// Keys that hold the id of a run.
pub(in crate::draft) const RUNS: &[&str] = &[
    "runid",
    "run",
    "sessionid",
    "session",
    "conversationid",
    "conversation",
    "convid",
    "conv",
    "dialogid",
    "threadid",
    "thread",
    "traceid",
    "trace",
    "chatid",
    "chat",
    "trajectoryid",
    "episodeid",
    "episode",
    "jobid",
    "job",
    "taskid",
    "task",
    "caseid",
    "case",
    "exampleid",
    "example",
    "sampleid",
    "id",
    "name",
    "s",
    "r",
];

/// Keys of lists of runs. The first eight may also end a key, such as `workflow_runs`.
const LISTS_OF_RUNS: &[&str] = &[
    "runs",
    "sessions",
    "conversations",
    "threads",
    "traces",
    "trajectories",
    "episodes",
    "cases",
    "examples",
    "samples",
    "tasks",
    "tests",
    "rows",
    "results",
    "records",
];

/// True for the key of a list of runs.
pub(in crate::draft) fn is_list_of_runs(key: &str) -> bool {
    let words = spaced(key);
    let last = words.rsplit(' ').next().unwrap_or_default();
    is_one(key, LISTS_OF_RUNS) || LISTS_OF_RUNS[..8].contains(&last)
}

/// Keys that distinguish runs with the same id.
pub(in crate::draft) const TRIALS: &[&str] = &[
    "trial",
    "trialid",
    "trialindex",
    "trialnumber",
    "attempt",
    "repetition",
    "repeat",
    "rep",
    "epoch",
    "seed",
    "rollout",
    "rolloutid",
    "user",
    "userid",
];

/// Keys of the variants that a case may run with. Those of the last five often count the records of a run.
pub(in crate::draft) const VARIANTS: &[&str] = &[
    "model",
    "modelname",
    "modelid",
    "variant",
    "config",
    "arm",
    "branch",
    "prompt",
    "promptid",
    "promptversion",
    "temperature",
    "temp",
    "sample",
    "strategy",
    "setting",
    "experiment",
    "version",
    "try",
    "iteration",
    "k",
    "n",
];

/// True for the name of a thread of the machine, such as `pool-1-thread-2`, or its number.
pub(in crate::draft) fn is_thread_of_machine(value: &str) -> bool {
    let value = value.trim_matches('"').to_ascii_lowercase();
    let stem = value.trim_end_matches(|it: char| it.is_ascii_digit());
    let has_number = stem.len() < value.len();
    let of_pool = [
        "thread-",
        "exec-",
        "worker-",
        "pool-",
        "nio-",
        "task-",
        "dispatcher-",
    ];
    ["main", "mainthread"].contains(&value.as_str())
        || has_number && of_pool.iter().any(|it| stem.ends_with(it))
        || stem.is_empty() && value.len() >= 12
}

/// Keys of what is smaller than a run, and of where it ran.
pub(in crate::draft) const SMALLER_THAN_RUNS: &[&str] = &[
    "turn",
    "turnid",
    "stepid",
    "spanid",
    "parentid",
    "messageid",
    "eventid",
    "host",
    "hostname",
    "pid",
    "version",
];

/// True for the key of the run that another run belongs to.
pub(in crate::draft) fn is_parent(key: &str) -> bool {
    let words = spaced(key);
    words
        .split(' ')
        .any(|word| ["parent", "root"].contains(&word))
}
