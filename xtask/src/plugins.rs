//! Cargo plugins that are configured in their own files: `.cargo/mutants.toml` and `deny.toml`.

use crate::process::{cargo, passes, succeed};

/// Breaks the core in one place at a time; true if some test fails for each mutant.
pub(crate) fn mutants(arguments: &[String]) -> Result<bool, String> {
    // Another version would generate other mutants.
    run("mutants", "27.1.0", arguments)
}

/// Checks licences, advisories, sources and duplicates of all crates; true if there are no findings.
pub(crate) fn deny(arguments: &[String]) -> Result<bool, String> {
    let check = [vec!["check".to_owned()], arguments.to_vec()].concat();
    run("deny", "0.20.2", &check)
}

fn run(plugin: &str, version: &str, arguments: &[String]) -> Result<bool, String> {
    if succeed(cargo().args([plugin, "--version"])).is_err() {
        return Err(format!(
            "`cargo {plugin}` is not there: cargo install --locked cargo-{plugin} --version {version}"
        ));
    }
    passes(cargo().arg(plugin).args(arguments))
}
