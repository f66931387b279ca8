//! What a stranger does first: build with the oldest Rust, or run the README's first command.

use crate::process::{cargo, failure, output, passes, project_root, succeed};
use crate::say;

/// Runs the README's first command, which is built without Parquet and Arrow, and gives it a Parquet file; true if it says what to do.
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

/// Compiles everything with the oldest Rust that is promised; true if it does.
pub(crate) fn oldest() -> Result<bool, String> {
    let version = env!("CARGO_PKG_RUST_VERSION");
    let mut command = std::process::Command::new("cargo");
    command.arg(format!("+{version}"));
    command.args(["check", "--workspace", "--all-targets", "--locked"]);
    // What runs this is another version.
    command.env_remove("RUSTUP_TOOLCHAIN");
    passes(&mut command)
}
