//! The first steps of a new user: running the README's first command, or building with the oldest supported Rust.

use crate::process::{cargo, failure, output, passes, project_root, succeed};
use crate::say;

/// Runs the README's first command, which is built without Parquet and Arrow, and passes it a Parquet file. True if the error says how to
/// enable it.
pub(crate) fn first_command() -> Result<bool, String> {
    let root = project_root()?;
    let rightcall = |arguments: &[&str]| {
        let mut command = cargo();
        command
            .args(["run", "--quiet", "--release", "--"])
            .args(arguments)
            .current_dir(&root);
        command
    };
    let suite = "examples/quickstart/suite.yaml";
    succeed(&mut rightcall(&["run", suite, "--no-history"]))?;
    let table = "crates/rightcall-formats/tests/traces/cases.rows.parquet";
    let mut command = rightcall(&["inspect", table]);
    let refused = output(&mut command)?;
    let held = String::from_utf8_lossy(&refused.stderr).contains("--features columns");
    if !held {
        say(&failure(&command, &refused));
    }
    Ok(held)
}

/// Compiles everything with the oldest supported Rust; true on success.
pub(crate) fn oldest() -> Result<bool, String> {
    let version = env!("CARGO_PKG_RUST_VERSION");
    let mut command = std::process::Command::new("cargo");
    command.arg(format!("+{version}"));
    command.args(["check", "--workspace", "--all-targets", "--locked"]);
    // xtask itself runs with another toolchain, and cargo would inherit that.
    command.env_remove("RUSTUP_TOOLCHAIN");
    passes(&mut command)
}
