//! The packages to compare with, and the number of cases for each.

use super::job::{Input, Job, Program};

/// Python peers on an input. Each runs on as many cases as it can process in a few seconds; 0 means all.
pub(super) fn python(input: &Input, peers: &[(&'static str, usize)]) -> Vec<Job> {
    peers
        .iter()
        .map(|&(peer, limit)| Job::new(named(peer, "Python"), input, Program::Python(peer, limit)))
        .collect()
}

/// The same for Node.
pub(super) fn node(input: &Input, peers: &[(&'static str, usize)]) -> Vec<Job> {
    peers
        .iter()
        .map(|&(peer, limit)| Job::new(named(peer, "Node"), input, Program::Node(peer, limit)))
        .collect()
}

/// Adds the language to the name of a peer that exists in both: both parse JSON.
fn named(peer: &str, language: &str) -> String {
    if peer == "json" {
        format!("{language} json")
    } else {
        peer.to_owned()
    }
}

/// Python packages and parsers, with the number of cases of W1, W2 and W5 that each can process in a few seconds. 0 means all; `None` means
/// that it is not run.
pub(super) const PYTHON: [(&str, [Option<usize>; 3]); 21] = [
    ("json", [Some(0), Some(0), Some(0)]),
    ("orjson", [Some(0), Some(0), Some(0)]),
    ("uipath-order", [Some(20_000), Some(40), None]),
    ("uipath-count", [Some(20_000), Some(1_000), None]),
    ("uipath-args", [Some(20_000), Some(100), Some(200)]),
    ("uipath-order-function", [Some(20_000), Some(40), None]),
    (
        "uipath-order-plain-function",
        [Some(20_000), Some(200), None],
    ),
    ("uipath-count-function", [Some(20_000), Some(1_000), None]),
    ("uipath-args-function", [Some(20_000), Some(100), Some(200)]),
    ("deepeval", [Some(4_000), Some(10), None]),
    ("deepeval-args", [Some(4_000), Some(10), Some(60)]),
    ("deepeval-order", [Some(4_000), Some(40), None]),
    ("deepeval-function", [Some(10_000), Some(20), None]),
    (
        "deepeval-args-function",
        [Some(10_000), Some(20), Some(100)],
    ),
    ("agentevals-strict", [Some(4_000), Some(100), Some(100)]),
    ("agentevals-unordered", [Some(4_000), Some(200), Some(100)]),
    (
        "agentevals-unordered-function",
        [Some(20_000), Some(400), Some(0)],
    ),
    ("axion-name", [Some(50_000), Some(1_000), None]),
    ("axion-exact", [Some(50_000), Some(1_000), Some(0)]),
    ("axion-subset", [Some(50_000), Some(1_000), Some(0)]),
    ("axion-fuzzy", [Some(5_000), Some(100), None]),
];
