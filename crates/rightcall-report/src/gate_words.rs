//! Describes failed gates.

use std::fmt::Write as _;

use rightcall_results::GateResult;

use crate::markup::sentence_of;
use crate::text::printable;

/// `2 of 3 gates failed`; `None` without gates.
pub(crate) fn gates_verdict(failed: usize, all: usize) -> Option<String> {
    Some(match (failed, all) {
        (_, 0) => return None,
        (0, 1) => "The gate holds".to_owned(),
        (0, all) => format!("{all} of {all} gates hold"),
        (_, 1) => "The gate failed".to_owned(),
        (failed, all) => format!("{failed} of {all} gates failed"),
    })
}

/// Which gate failed and by how much.
pub(crate) fn gate_sentence(gate: &GateResult) -> String {
    printable(&gate.missed(&gate.label()))
}

/// `gate failed: order mean 0.871 < 0.900`.
pub fn failed_gate(gate: &GateResult) -> String {
    format!("gate failed: {}", gate_sentence(gate))
}

/// The sentences of gates that failed, one per line.
pub(crate) fn failed_gates(out: &mut String, gates: impl Iterator<Item = String>) {
    for (number, gate) in gates.enumerate() {
        let space = if number == 0 { "\n" } else { "" };
        _ = writeln!(out, "{space}- {}", sentence_of(&gate));
    }
}
