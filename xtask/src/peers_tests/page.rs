//! The part of `docs/metrics.md` about the packages' own tests: tables of the outcomes.

use super::{Peer, peers};

/// The line before the generated part of the page.
const MARK: &str = "<!-- From here on written by `cargo xtask generate`. -->\n";

/// The page of metrics with its generated part updated.
pub(crate) fn page(metrics: &str) -> Result<String, String> {
    let (own, _) = metrics
        .split_once(MARK)
        .ok_or_else(|| format!("docs/metrics.md: expected the line {MARK}"))?;
    let (drop_ins, recorded): (Vec<_>, Vec<_>) =
        peers()?.into_iter().partition(|peer| peer.module.is_some());
    let all =
        |peers: &[Peer], rows: fn(&Peer) -> String| peers.iter().map(rows).collect::<String>();
    let part = include_str!("page.md")
        .replace("{peers}\n", &all(&drop_ins, row))
        .replace("{exceptions}\n", &all(&drop_ins, exceptions))
        .replace("{recorded}\n", &all(&recorded, row))
        .replace("{differences}\n", &all(&recorded, exceptions));
    Ok(format!("{own}{MARK}\n{part}"))
}

fn exceptions(peer: &Peer) -> String {
    let row = |(test, reason): &(String, String)| {
        format!("| {} | `{test}…` | {reason} |\n", peer.package)
    };
    peer.exceptions.iter().map(row).collect()
}

fn row(peer: &Peer) -> String {
    let counts: Vec<_> = peer.counts.iter().map(usize::to_string).collect();
    let counts = match &peer.module {
        Some(module) => format!("`{module}` | {}", counts.join(" of ")),
        None => counts.join(" | "),
    };
    format!(
        "| {} | {} | {counts} |\n",
        peer.package,
        peer.version_of_tests()
    )
}
