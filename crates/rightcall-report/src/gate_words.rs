//! Failed gates in words.

use std::fmt::Write as _;

use rightcall_results::GateResult;

use crate::markup::sentence_of;
use crate::text::printable;

/// Which gate failed and by how much.
pub(crate) fn gate_sentence(gate: &GateResult) -> String {
    printable(&gate.missed(&gate.label()))
}

/// The gates that failed, one per line.
pub(crate) fn failed_gates<'g>(out: &mut String, gates: impl Iterator<Item = &'g GateResult>) {
    for (number, gate) in gates.enumerate() {
        let space = if number == 0 { "\n" } else { "" };
        _ = writeln!(out, "{space}- {}", sentence_of(&gate_sentence(gate)));
    }
}
