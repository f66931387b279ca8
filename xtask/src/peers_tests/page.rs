//! The part of `docs/metrics.md` about the packages' own tests: tables of the outcomes.

use super::peers::{Exception, PEERS, Peer, Tests};

/// The line before the generated part of the page.
const MARK: &str = "<!-- From here on written by `cargo xtask generate`. -->\n";

/// The page of metrics with its generated part updated.
pub(crate) fn page(metrics: &str) -> Result<String, String> {
    let (own, _) = metrics
        .split_once(MARK)
        .ok_or_else(|| format!("docs/metrics.md: expected the line {MARK}"))?;
    Ok(format!("{own}{MARK}\n{}", part()))
}

fn part() -> String {
    let is_drop_in = |peer: &&Peer| matches!(peer.tests, Tests::DropIn(_));
    let (drop_ins, recorded): (Vec<_>, Vec<_>) = PEERS.iter().partition(is_drop_in);
    let all = |peers: &[&Peer], rows: fn(&Peer) -> String| -> String {
        peers.iter().map(|peer| rows(peer)).collect()
    };
    include_str!("page.md")
        .replace("{peers}\n", &all(&drop_ins, row))
        .replace("{exceptions}\n", &all(&drop_ins, exceptions))
        .replace("{recorded}\n", &all(&recorded, row))
        .replace("{differences}\n", &all(&recorded, exceptions))
}

fn exceptions(peer: &Peer) -> String {
    let row = |it: &Exception| format!("| {} | `{}…` | {} |\n", peer.package, it.test, it.reason);
    peer.exceptions.iter().map(row).collect()
}

fn row(peer: &Peer) -> String {
    let (package, version) = (peer.package, peer.source.version());
    match &peer.tests {
        Tests::DropIn(it) => {
            let (module, (passed, tests)) = (it.module, it.passed);
            format!("| {package} | {version} | `{module}` | {passed} of {tests} |\n")
        }
        Tests::Calls(it) => {
            let (tests, calls, same) = (it.tally.tests, it.tally.calls, it.tally.same);
            let (different, rest) = (it.tally.explained, it.tally.not_comparable);
            format!(
                "| {package} | {version} | {tests} | {calls} | {same} | {different} | {rest} |\n"
            )
        }
    }
}
