//! Findings as SARIF 2.1.0, for code hosts.

use crate::Finding;

/// x
pub fn sarif(_: &[Finding]) -> String {
    String::new()
}
