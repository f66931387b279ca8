//! `cargo xtask bench`: builds our programs, installs the packages that are measured next to them, and runs `xtask/bench/bench.py`, which
//! has the table of goals.

use std::path::Path;
use std::process::Command;

use crate::alignments;
use crate::peers;
use crate::process::{cargo, passes, printed, project_root, succeed, target_folder};
use crate::python::install_beside;

/// Measures. The arguments are passed to the script.
pub(crate) fn run(arguments: &[String]) -> Result<bool, String> {
    let root = project_root()?;
    let script = || {
        let mut command = Command::new("python3");
        command.arg("-B").arg(root.join("xtask/bench/bench.py"));
        command.args(arguments).env("COLUMNS", "100");
        command
    };
    if arguments.iter().any(|it| it == "--help" || it == "-h") {
        return passes(&mut script());
    }
    let needs = printed(script().arg("--needs"))?;
    prepare(&root, &needs.split_whitespace().collect::<Vec<_>>())?;
    let programs = target_folder(&root).join("dist");
    passes(script().arg("--programs").arg(programs))
}

/// Builds the programs with the profile of releases, and installs what jobs of these kinds need.
fn prepare(root: &Path, kinds: &[&str]) -> Result<(), String> {
    let build = "build --profile dist --package rightcall-cli --package rightcall-bench --features rightcall-cli/columns";
    succeed(cargo().current_dir(root).args(build.split(' ')))?;
    if kinds.contains(&"python") {
        install_beside(&peers::python(root, "requirements.txt")?.python, "dist")?;
    }
    if kinds.contains(&"pm4py") {
        alignments::prepare(root)?;
    }
    Ok(())
}
